"""Reads the log in parallel with its writer: players' histories and stored answers.

Reads use separate connections and threads. The committing thread does nothing else, so that
reads for players never delay a commit.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, TypeVar

import structlog
from eventsourcing.persistence import PersistenceError

from engine.engine_state import EngineState
from engine.facts import RecordedFact, player_stream
from engine.house.house_state import HouseState
from engine.players.state import Player
from engine.runtime import supervision
from engine.runtime.log.fact_log import FactLog
from engine.runtime.log.idempotency import StoredOutcome
from engine.runtime.log.pg_arrays import texts
from engine.runtime.log.snapshots import Snapshots, snapshot_of
from engine.runtime.writer.receipt_proofs import proof_of
from engine.runtime.writer.reply import ReceiptProof

THREADS: Final = 2
RETRY_S: Final = 0.1
_OUTCOMES: Final = (
    "SELECT actor, key, command, answer FROM log.outcomes"
    " WHERE (actor, key) IN (SELECT * FROM unnest(%s, %s))"
)
_log = structlog.get_logger()
_T = TypeVar("_T")
PlayerSnapshots = Mapping[int, Player]
"""Players' states after some fact of their streams, by player id."""


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
    """Reads for read-only callers, `threads` at a time. Further reads are queued."""

    def __init__(self, log: FactLog, *, threads: int = THREADS) -> None:
        """`log` needs its own store, on which no facts are committed."""
        self._log = log
        self._snapshots = Snapshots(log)
        self._threads = supervision.workers(threads, "reads")

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
        found = await self._run(lambda: proof_of(self._log, player, version))
        return ReceiptProof(*found) if found else None

    async def _read(self, read: Callable[[], _T]) -> _T:
        return await until_read(lambda: self._run(read))

    async def _run(self, read: Callable[[], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, read)

    def close(self) -> None:
        """Shut down the threads. Queued reads are cancelled."""
        self._threads.shutdown(wait=False, cancel_futures=True)
