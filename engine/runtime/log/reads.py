"""Reads the log in parallel with its writer: players' histories, stored answers, the newest facts.

Reads use separate connections and threads. The committing thread does nothing else, so that
reads for players never delay a commit. The facts that the leader wrote last are in memory. Log
consumers in its process read them from here, which saves the database a read, and this process the
decoding of what it has just written.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from threading import Lock
from time import monotonic
from typing import Final, TypeVar

import structlog
from eventsourcing.persistence import PersistenceError

from engine.engine_state import Draft, EngineState
from engine.facts import RecordedFact, player_stream
from engine.house.house_state import HouseState
from engine.players.state import Player
from engine.runtime import supervision
from engine.runtime.log.fact_log import Batch, FactLog
from engine.runtime.log.idempotency import StoredOutcome
from engine.runtime.log.pg_arrays import texts
from engine.runtime.log.snapshots import Snapshots, snapshot_of
from engine.runtime.writer.reply import ReceiptProof, proof_of

THREADS: Final = 2
RETRY_S: Final = 0.1
MAX_QUEUED_S: Final = 3.0
"""After that a read is no longer begun: its caller gives up at 6 s (`port.READ_TIMEOUT_S`)."""
_OUTCOMES: Final = (
    "SELECT actor, key, command, answer FROM log.outcomes"
    " WHERE (actor, key) IN (SELECT * FROM unnest(%s, %s))"
)
_log = structlog.get_logger()
_T = TypeVar("_T")
PlayerSnapshots = Mapping[int, Player]
"""Players' states after some fact of their streams, by player id."""
MAX_FACTS_KEPT: Final = 20_000
"""A number of facts, at some 600 bytes each. Read models that keep up never lag as far behind."""


def read_history(
    log: FactLog, snapshots: Snapshots | None, players: Sequence[int]
) -> tuple[list[RecordedFact], PlayerSnapshots]:
    """Returns the players' facts after their snapshots, and the snapshots; blocks.

    The facts of each stream are in order.
    """
    stored = snapshots.read(players) if snapshots else {}
    whole = [player_stream(player) for player in players if player not in stored]
    facts = log.streams(whole) if whole else []
    after = {player_stream(number): player.version for number, player in stored.items()}
    return facts + (log.streams_after(after) if after else []), stored


def read_outcomes(log: FactLog, keys: Sequence[tuple[str, str]]) -> list[StoredOutcome]:
    """Returns the stored outcomes among these actors and keys; blocks."""
    actors, names = texts([actor for actor, _ in keys]), texts([key for _, key in keys])
    with log.datastore.transaction() as cursor:
        rows = cursor.execute(_OUTCOMES, (actors, names)).fetchall()
    return [(row["actor"], row["key"], row["command"], row["answer"]) for row in rows]


async def until_read(read: Callable[[], Awaitable[_T]]) -> _T:
    """Returns the result of `read`, which is retried while the database is away."""
    while True:
        try:
            return await read()
        except PersistenceError as error:
            _log.warning("database is away", error=str(error))
            await asyncio.sleep(RETRY_S)


class LogReads:
    """Reads for read-only callers, `THREADS` at a time. Further reads are queued.

    One that was queued for `MAX_QUEUED_S` raises TimeoutError. Otherwise, once callers give up and
    ask again, the threads would make only reads for which they wait no longer.
    """

    def __init__(self, log: FactLog) -> None:
        """`log` needs its own store, on which no facts are committed."""
        self._log = log
        self._snapshots = Snapshots(log)
        self._threads = supervision.workers(THREADS, "reads")

    async def player(self, player: int, timezone: str, house: HouseState) -> EngineState:
        """Returns a state that contains only this player, read from the log."""
        return await self._read(lambda: self._player(player, timezone, house))

    def _player(self, player: int, timezone: str, house: HouseState) -> EngineState:
        alone = EngineState(timezone, house=house)
        facts, stored = read_history(self._log, self._snapshots, [player])
        alone.load_players([player], facts, stored)
        if len(facts) >= self._snapshots.every:
            # The next read of this player needs a few facts instead of all.
            self._snapshots.save([snapshot_of(alone.players[player])])
        return alone

    async def outcomes(self, keys: Sequence[tuple[str, str]]) -> list[StoredOutcome]:
        """Returns the stored outcomes among these actors and keys."""
        return await self._read(lambda: read_outcomes(self._log, keys))

    async def proof(self, player: int, version: int) -> ReceiptProof | None:
        """Returns the receipt proof of an earlier bet; None if there is no such bet."""
        return await self._run(lambda: proof_of(self._log, player, version))

    async def _read(self, read: Callable[[], _T]) -> _T:
        return await until_read(lambda: self._run(read))

    async def _run(self, read: Callable[[], _T]) -> _T:
        latest = monotonic() + MAX_QUEUED_S

        def begin() -> _T:
            if monotonic() > latest:
                raise TimeoutError
            return read()

        return await asyncio.get_running_loop().run_in_executor(self._threads, begin)

    def close(self) -> None:
        """Shut down the threads. Queued reads are cancelled."""
        self._threads.shutdown(wait=False, cancel_futures=True)


class RecentFacts:
    """The newest batches that this process stored, up to `max_facts` facts. Thread-safe."""

    def __init__(self, max_facts: int = MAX_FACTS_KEPT) -> None:
        """Initially empty."""
        self._max_facts = max_facts
        self._batches: deque[tuple[Batch, Sequence[Draft]]] = deque()
        self._facts = 0
        self._one_at_a_time = Lock()

    def add(self, batch: Batch, drafts: Sequence[Draft]) -> None:
        """Add a batch that is certainly stored; `drafts` are the facts of its columns."""
        if not drafts:
            return
        with self._one_at_a_time:
            self._batches.append((batch, drafts))
            self._facts += len(drafts)
            while self._facts - len(self._batches[0][1]) >= self._max_facts:
                self._facts -= len(self._batches.popleft()[1])

    def page(self, after: int, limit: int) -> list[RecordedFact]:
        """Returns the next facts after position `after`, at most `limit`; none if not in memory.

        They are the same as in the log, without a gap.
        """
        batches: deque[tuple[Batch, Sequence[Draft]]] = deque()
        with self._one_at_a_time:
            for stored in reversed(self._batches):
                batches.appendleft(stored)
                if _first(stored[0]) <= after + 1:
                    break
        page: list[RecordedFact] = []
        for batch, drafts in batches:
            skipped = after + 1 + len(page) - _first(batch)
            if skipped < 0:
                break
            page += _recorded(batch, drafts, skipped, limit - len(page))
        return page


def _first(batch: Batch) -> int:
    assert batch.first_position is not None
    return batch.first_position


def _recorded(
    batch: Batch, drafts: Sequence[Draft], skipped: int, limit: int
) -> list[RecordedFact]:
    some = slice(skipped, skipped + limit)
    columns = zip(drafts[some], batch.commands[some], batch.actors[some], strict=True)
    position, at = _first(batch) + skipped, batch.at
    return [
        RecordedFact(position + place, draft.stream, draft.version, at, command, actor, draft.fact)
        for place, (draft, command, actor) in enumerate(columns)
    ]
