"""The hub's initial state: one consistent snapshot of the read models."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace
from psycopg import Connection
from psycopg.rows import dict_row

from api.game.sale import SaleSettings
from api.realtime.chat_rooms import MAX_MESSAGES_KEPT, MessageRenderer, RenderedMessage
from api.realtime.nickname_cache import NicknameCache
from api.realtime.replay_buffer import MAX_ROUNDS_KEPT
from api.realtime.rooms import MAX_BETS_KEPT, Draw, GameState
from engine.catalogue import GAMES
from engine.rounds.facts import RoundOpened
from projections.draws import queries as draws
from projections.draws.records import RoundDocument
from projections.profiles import queries as standings
from projections.profiles.queries import HouseSettings
from projections.rooms import queries as feed
from projections.rooms.queries import ChatMessageRow, FeedBet, FeedRecall, Winner
from projections.runner.tables import read_positions

WINNERS_SHOWN: Final = 20
_MAX_DRAWS_KEPT: Final = MAX_ROUNDS_KEPT + 1
_READ: Final = frozenset({"bets", "draws", "feed"})
# Several queries are consistent only if no fact is applied between them.
_AT_ONE_MOMENT: Final = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"


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
        feed.winners(connection, WINNERS_SHOWN),
        _sale(standings.house_settings(connection)),
        feed.chat(connection, MAX_MESSAGES_KEPT),
    )
    for game, live in snapshot.games.items():
        _read_game(connection, game, live, snapshot)
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
) -> None:
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
        issues = [each.issue for each in rounds]
        snapshot.bets.update(feed.live(connection, game, issues, MAX_BETS_KEPT))
        snapshot.recalled.update(feed.recalled(connection, game, issues))


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
