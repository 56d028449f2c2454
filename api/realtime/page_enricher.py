"""Looks up what a page of facts needs before the event loop receives it.

Runs in the follower's thread after the page is committed, so the read models already include the
page. The loop is woken once per page, with all that it needs, and queries nothing itself.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

import psycopg
import structlog
from msgspec import Struct
from psycopg import Connection
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool, PoolTimeout

from api.realtime.chat_rooms import MessageRenderer, RenderedMessage
from api.realtime.hub_snapshot import WINNERS_SHOWN, HubSnapshot, load_snapshot, with_names
from api.realtime.nickname_cache import NicknameCache
from engine.bets.facts import BetPlaced, BetSettled
from engine.chat.facts import ChatSaid
from engine.facts import RecordedFact, player_of
from engine.rounds.facts import RoundSettled
from projections.bets import queries as bets
from projections.bets.queries import BetRow
from projections.rooms import queries as feed
from projections.rooms.queries import ChatMessageRow, Winner

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

    `follows` returns whether a player's results are needed; it is called in the follower's thread.
    A lookup that fails because the database is unavailable is repeated with the next page.
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

    def on_page(self, facts: Sequence[RecordedFact]) -> None:
        """Called by the follower after each page."""
        self._missed |= facts[0].position > self._position + 1
        self._position = facts[-1].position
        try:
            page = self._prepare(facts)
        except Exception:
            # The receiver does not get this page: the next one carries a snapshot instead.
            self._missed = True
            raise
        if page is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._receive, page)

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
            # The page is sent without lookups. Winners and results come with the next page, and
            # chat messages with a snapshot. After missed pages it is dropped, because sending it
            # would hide the gap.
            _log.warning("page not looked up", error=str(error))
            is_gap, self._missed = self._missed, self._missed or bool(messages)
            return None if is_gap else EnrichedPage(facts, None, {})

    def _reload(self, facts: Sequence[RecordedFact]) -> EnrichedPage:
        """Read a snapshot, because pages were missed: another process fed the read models."""
        with self._pool.connection() as connection:
            snapshot = load_snapshot(connection, facts[-1].position)
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
            winners = feed.winners(connection, WINNERS_SHOWN)
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
