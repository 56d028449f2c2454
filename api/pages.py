"""Between the projections and the event loop: what a page of facts needs looked up.

Runs in the follower's thread, behind the commit of the page, so the read models hold the page
already. The loop is woken once a page, with everything it needs: there it asks nothing.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence

import psycopg
import structlog
from msgspec import Struct
from psycopg import Connection
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool, PoolTimeout

from api.chat_rooms import Line, Lines
from api.names import Names
from api.start import WINNERS_SHOWN, Start, looked_up, read_start
from engine.facts import Recorded, player_of
from engine.players.chat_facts import ChatSaid
from engine.players.facts import BetPlaced, BetSettled
from engine.rounds.facts import RoundSettled
from projections.bets import queries as bets
from projections.bets.queries import Order
from projections.feed import queries as feed
from projections.feed.queries import Said, Winner

_log = structlog.get_logger()


class Page(Struct, frozen=True):
    """Facts, and what was looked up for them.

    `winners` is None when no round was settled; `results` are the bets of watched players in
    the rounds that were, newest first; `lines` what was said, by positions. With a `start`, pages
    before this one were missed, and it stands for everything up to this one's end.
    """

    facts: Sequence[Recorded]
    winners: tuple[Winner, ...] | None
    results: tuple[tuple[int, tuple[Order, ...]], ...]
    start: Start | None = None
    lines: dict[int, Line] = {}


class Pages:
    """Prepares each page and hands it to `receive` on the loop.

    `watched` tells whether a player has a stream open; it is asked from the follower's thread.
    """

    def __init__(
        self,
        pool: ConnectionPool[Connection[TupleRow]],
        names: Names,
        lines: Lines,
        watched: Callable[[int], bool],
        receive: Callable[[Page], None],
        loop: asyncio.AbstractEventLoop,
        position: int,
    ) -> None:
        """`position` is where the receiver stands."""
        self._pool = pool
        self._names = names
        self._lines = lines
        self._watched = watched
        self._receive = receive
        self._loop = loop
        self._position = position
        self._unread = False
        self._settling: defaultdict[tuple[int, str], set[int]] = defaultdict(set)

    def on_page(self, facts: Sequence[Recorded]) -> None:
        """Called by the follower behind each page."""
        missed = self._unread or facts[0].position > self._position + 1
        self._position = facts[-1].position
        page = self._prepared(facts, missed=missed)
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._receive, page)

    def _prepared(self, facts: Sequence[Recorded], *, missed: bool) -> Page:
        placed, settled, said = [], [], []
        for recorded in facts:
            fact = recorded.fact
            if isinstance(fact, BetPlaced):
                placed.append(player_of(recorded.stream))
            elif isinstance(fact, BetSettled):
                self._note(player_of(recorded.stream), fact)
            elif isinstance(fact, RoundSettled):
                settled.append(fact)
            elif isinstance(fact, ChatSaid):
                said.append(_said(recorded, fact))
        try:
            if missed:
                page = Page(facts, None, (), self._start(facts[-1].position))
            else:
                self._names.read(placed)
                page = self._looked_up(facts, settled, self._lines(said))
        except (psycopg.Error, PoolTimeout) as error:
            # The page counts all the same; names and notices come with the next one, and what was
            # said with a new start.
            _log.warning("page not looked up", error=str(error))
            self._unread = missed or bool(said)
            return Page(facts, None, ())
        self._unread = False
        return page

    def _note(self, player: int, settled: BetSettled) -> None:
        if self._watched(player):
            self._settling[settled.game, settled.issue].add(player)

    def _start(self, position: int) -> Start:
        """Another process fed the read models until now: read what they hold."""
        with self._pool.connection() as connection:
            start = read_start(connection, position)
        return looked_up(start, self._names, self._lines)

    def _looked_up(
        self, facts: Sequence[Recorded], settled: Sequence[RoundSettled], lines: dict[int, Line]
    ) -> Page:
        if not settled:
            return Page(facts, None, (), None, lines)
        with self._pool.connection() as connection:
            winners = feed.winners(connection, WINNERS_SHOWN)
            results = tuple(
                (player, bets.in_round(connection, player, fact.game, fact.issue))
                for fact in settled
                for player in self._settling.pop((fact.game, fact.issue), ())
            )
        self._names.read(winner.player for winner in winners)
        return Page(facts, winners, results, None, lines)


def _said(recorded: Recorded, said: ChatSaid) -> Said:
    player = player_of(recorded.stream)
    return Said(said.message, player, said.plan, recorded.at, recorded.position)
