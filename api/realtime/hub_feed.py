"""What the hub receives: a snapshot of the read models at first, then every page of facts.

What a page needs is looked up before the event loop receives it, in the follower's thread after the
page is committed, so that the read models already include it. The loop is woken once per page, with
all that it needs, and queries nothing itself.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import psycopg
import structlog
from msgspec import Struct
from msgspec.structs import replace
from psycopg import Connection
from psycopg.rows import TupleRow, dict_row
from psycopg_pool import ConnectionPool, PoolTimeout

from api.realtime.chat_rooms import MAX_MESSAGES_KEPT, MessageRenderer, RenderedMessage
from api.realtime.rooms import MAX_BETS_KEPT, MAX_ROUNDS_KEPT, Draw, GameState
from engine.bets.facts import BetPlaced, BetSettled
from engine.catalogue import GAMES, PLANS
from engine.chat.facts import ChatSaid
from engine.facts import Fact, RecordedFact, player_of
from engine.house.facts import OddsSet, SwitchTurned
from engine.house.house_state import ALL, PRODUCT
from engine.odds import OddsFrom, odds_on, with_odds
from engine.rounds.facts import RoundOpened, RoundSettled
from engine.runtime.vault.player_directory import NicknameCache
from projections import bets, draws
from projections.bets import BetRow, FeedBet, FeedRecall
from projections.chat import ChatMessageRow, newest_messages
from projections.draws import RoundDocument
from projections.house_settings import HouseSettings, current_settings
from projections.runner.tables import read_positions
from projections.winners import Winner
from projections.winners import winners as winners_of

WINNERS_SHOWN: Final = 20
_MAX_DRAWS_KEPT: Final = MAX_ROUNDS_KEPT + 1
_READ: Final = frozenset({"bets", "draws", "feed"})
# Several queries are consistent only if no fact is applied between them.
_AT_ONE_MOMENT: Final = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"


class SaleSettings(Struct):
    """What staff set: `closed` are the scopes they closed, `odds` the tables by first day."""

    closed: frozenset[str] = frozenset()
    odds: tuple[OddsFrom, ...] = ()

    def apply(self, fact: Fact) -> None:
        """Apply the next fact of the log; facts about other subjects change nothing."""
        match fact:
            case SwitchTurned(scope=scope, closed=closed):
                self.closed = self.closed | {scope} if closed else self.closed - {scope}
            case OddsSet(table=table, from_day=day):
                self.odds = with_odds(self.odds, day, table)
            case _:
                pass

    def is_closed(self, plan: int) -> bool:
        """Whether staff closed this hall or a scope that contains it."""
        wide = {PRODUCT, ALL, f"game-{PLANS[plan].game}", f"plan-{plan}"}
        return bool(self.closed & wide)

    def odds_on(self, day: str) -> str:
        """Returns the odds table that staff set for a day (yyyy-mm-dd); empty if they set none."""
        return odds_on(self.odds, day)


class HubSnapshot(Struct, frozen=True):
    """The content of the read models at `position`.

    The bets and recalls by hall and the draws by game are oldest first. They are those after the
    game's position in `replay_starts`, or the newest `MAX_BETS_KEPT` bets of a hall. `sale` is what
    staff have set; `messages` is the halls' chat, and `lines` the rendered messages by position.
    """

    position: int
    games: dict[int, GameState]
    replay_starts: dict[int, int]
    bets: dict[int, list[FeedBet]]
    recalled: dict[int, list[FeedRecall]]
    draws: dict[int, list[Draw]]
    winners: tuple[Winner, ...]
    sale: SaleSettings
    messages: tuple[ChatMessageRow, ...]
    lines: dict[int, RenderedMessage] = {}


def load_snapshot(connection: Connection[Any], position: int) -> HubSnapshot:
    """Returns the rooms as the read models have them, at `position` or later.

    It must be the first call in a transaction, because it sets the isolation level.
    """
    connection.execute(_AT_ONE_MOMENT)
    snapshot = HubSnapshot(
        max(position, _position(connection)),
        {game: GameState() for game in GAMES},
        {},
        {},
        {},
        {},
        winners_of(connection, WINNERS_SHOWN),
        _sale(current_settings(connection)),
        newest_messages(connection, MAX_MESSAGES_KEPT),
    )
    rounds = {
        game: _read_game(connection, game, live, snapshot) for game, live in snapshot.games.items()
    }
    snapshot.bets.update(bets.live(connection, rounds, MAX_BETS_KEPT))
    snapshot.recalled.update(bets.recalled(connection, rounds))
    return snapshot


def _sale(house: HouseSettings) -> SaleSettings:
    return SaleSettings(frozenset(it.scope for it in house.switches if it.closed), house.odds)


def with_names(
    snapshot: HubSnapshot, names: NicknameCache, renderer: MessageRenderer
) -> HubSnapshot:
    """Loads the nicknames and returns the snapshot with the rendered chat messages; blocks."""
    names.ensure_loaded(_players_in(snapshot))
    return replace(snapshot, lines=renderer(snapshot.messages))


def _players_in(snapshot: HubSnapshot) -> Iterable[int]:
    """Players whose names the rooms show, apart from the chat's authors."""
    yield from (bet.player for bets in snapshot.bets.values() for bet in bets)
    yield from (winner.player for winner in snapshot.winners)


def _position(connection: Connection[Any]) -> int:
    """Returns the position of the slowest read model that the rooms are read from."""
    with connection.cursor(row_factory=dict_row) as cursor:
        positions = read_positions(cursor)
    return min((at for key, at in positions.items() if key.split(".")[0] in _READ), default=0)


def _read_game(
    connection: Connection[Any], game: int, live: GameState, snapshot: HubSnapshot
) -> list[str]:
    """Read all but the bets. Returns the issues of the rounds whose bets the rooms show."""
    rounds = draws.opened_last(connection, game, MAX_ROUNDS_KEPT)
    drawn = draws.drawn(connection, game, limit=_MAX_DRAWS_KEPT).items
    since = rounds[-1].opened_position if rounds else snapshot.position
    found = [draw for draw in map(draw_of, reversed(drawn)) if draw is not None]
    live.draw = found[-1] if found else None
    snapshot.replay_starts[game] = since
    snapshot.draws[game] = [draw for draw in found if draw.position > since]
    live.openings = tuple(each.opened_position for each in reversed(rounds))
    if rounds:
        _take_newest(live, rounds[0])
    return [each.issue for each in rounds]


def _take_newest(live: GameState, newest: RoundDocument) -> None:
    live.opened = RoundOpened(
        newest.game,
        newest.day,
        newest.index,
        newest.issue,
        newest.opens_at,
        newest.closes_at,
        newest.draws_at,
        newest.odds_table,
    )
    live.closed = newest.phase != "open"


def replay_start(snapshot: HubSnapshot, game: int, bets: Sequence[FeedBet]) -> int:
    """Returns the position after which the snapshot has every event of a hall with these bets."""
    earlier = bets[0].position if len(bets) >= MAX_BETS_KEPT else 0
    return max(snapshot.replay_starts[game], earlier)


def draw_of(drawn: RoundDocument | None) -> Draw | None:
    """Returns a drawn round's draw; None for any other."""
    if drawn is None or drawn.digits is None:
        return None
    return Draw(drawn.issue, drawn.digits, drawn.total, drawn.drawn_at, drawn.drawn_position)


_log = structlog.get_logger()


RoundKey = tuple[int, str]
"""Game and issue."""
Settled = Sequence[tuple[int, Sequence[BetRow]]]
"""Players with their bets of a round, newest first."""


class EnrichedPage(Struct, frozen=True):
    """Facts, and what was looked up for them.

    `winners` is None when no round was settled; `results` are the bets of followed players in the
    rounds that were. `messages` are the rendered chat messages, by position. A `snapshot` is
    present when pages before this one were missed; it includes all facts up to this page's end.
    """

    facts: Sequence[RecordedFact]
    winners: tuple[Winner, ...] | None
    results: Mapping[RoundKey, Settled]
    snapshot: HubSnapshot | None = None
    messages: dict[int, RenderedMessage] = {}


class PageEnricher:
    """Prepares each page and passes it to `receive` on the loop.

    `follows` returns whether a player has an open stream, and so needs their results here; it is
    called in the log follower's thread.
    A lookup that fails because the database is unavailable is repeated with the next call.
    """

    def __init__(
        self,
        pool: ConnectionPool[Connection[TupleRow]],
        names: NicknameCache,
        renderer: MessageRenderer,
        follows: Callable[[int], bool],
        receive: Callable[[EnrichedPage], None],
        loop: asyncio.AbstractEventLoop,
        position: int,
    ) -> None:
        """`position` is the receiver's log position."""
        self._pool = pool
        self._names = names
        self._renderer = renderer
        self._follows = follows
        self._receive = receive
        self._loop = loop
        self._position = position
        self._missed = False
        self._settling: defaultdict[RoundKey, set[int]] = defaultdict(set)
        self._settled: list[RoundKey] = []

    def on_page(self, facts: Sequence[RecordedFact]) -> bool:
        """Called by the follower after each page. Returns whether a lookup has to be repeated.

        Then it is called again without facts, until the database answers.
        """
        if facts:
            self._missed |= facts[0].position > self._position + 1
            self._position = facts[-1].position
        try:
            page = self._prepare(facts)
        except Exception:
            # The receiver does not get this page: the next call sends a snapshot instead.
            self._missed = True
            raise
        if page is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._receive, page)
        return self._missed or bool(self._settled)

    def _prepare(self, facts: Sequence[RecordedFact]) -> EnrichedPage | None:
        placed, messages = [], []
        for recorded in facts:
            fact = recorded.fact
            if isinstance(fact, BetPlaced):
                placed.append(player_of(recorded.stream))
            elif isinstance(fact, BetSettled):
                self._settling[fact.game, fact.issue].add(player_of(recorded.stream))
            elif isinstance(fact, RoundSettled):
                self._settled.append((fact.game, fact.issue))
            elif isinstance(fact, ChatSaid):
                messages.append(_message_row(recorded, fact))
        try:
            if self._missed:
                return self._reload(facts)
            self._names.ensure_loaded(placed)
            return self._enrich(facts, self._renderer(messages))
        except (psycopg.Error, PoolTimeout) as error:
            # The page is sent without lookups. Winners and results come with the next call, and
            # chat messages with a snapshot. After missed pages it is dropped, because sending it
            # would hide the gap.
            _log.warning("page not looked up", error=str(error))
            is_gap, self._missed = self._missed, self._missed or bool(messages)
            return None if is_gap else EnrichedPage(facts, None, {})

    def _reload(self, facts: Sequence[RecordedFact]) -> EnrichedPage:
        """Read a snapshot, because pages were missed: another process fed the read models."""
        with self._pool.connection() as connection:
            snapshot = load_snapshot(connection, self._position)
        snapshot = with_names(snapshot, self._names, self._renderer)
        self._missed = False
        self._clear_settled()
        return EnrichedPage(facts, None, {}, snapshot)

    def _enrich(
        self, facts: Sequence[RecordedFact], messages: dict[int, RenderedMessage]
    ) -> EnrichedPage:
        if not self._settled:
            return EnrichedPage(facts, None, {}, None, messages)
        with self._pool.connection() as connection:
            winners = winners_of(connection, WINNERS_SHOWN)
            results = {
                (game, issue): tuple(bets.of_players(connection, followed, game, issue).items())
                for game, issue in self._settled
                if (followed := self._followed(game, issue))
            }
        self._names.ensure_loaded(winner.player for winner in winners)
        self._clear_settled()
        return EnrichedPage(facts, winners, results, None, messages)

    def _followed(self, game: int, issue: str) -> list[int]:
        return [player for player in self._settling[game, issue] if self._follows(player)]

    def _clear_settled(self) -> None:
        for key in self._settled:
            self._settling.pop(key, None)
        self._settled.clear()


def _message_row(recorded: RecordedFact, fact: ChatSaid) -> ChatMessageRow:
    player = player_of(recorded.stream)
    return ChatMessageRow(fact.message, player, fact.plan, recorded.at, recorded.position)
