"""Snapshots of long streams, so that loading a player does not read the whole stream.

Snapshots are disposable: the log is the source of truth, and without them a player's first command
only takes longer. Each records the engine's code hash; a snapshot of other code is never used.
"""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec
import structlog
from eventsourcing.persistence import PersistenceError
from msgspec import Struct

from engine.engine_state import EngineState
from engine.facts import RecordedFact, player_of, player_stream
from engine.players.state import Player
from engine.runtime.code_manifest import engine_code_hash
from engine.runtime.log.fact_log import FactLog
from engine.runtime.log.pg_arrays import blobs, integers, texts

SNAPSHOT_INTERVAL: Final = 500
"""A stream gets a new snapshot after this many facts."""

_UPSERT: Final = (
    "INSERT INTO log.snapshots (stream, version, program, state)"
    " SELECT stream, version, %s, state FROM unnest(%s, %s, %s) AS kept (stream, version, state)"
    " ON CONFLICT (stream) DO UPDATE SET"
    " version = excluded.version, program = excluded.program, state = excluded.state"
)
_READ: Final = (
    "SELECT stream, version, state FROM log.snapshots WHERE stream = ANY(%s) AND program = %s"
)
_PAGE: Final = (
    "SELECT stream, version, state FROM log.snapshots WHERE program = %s AND stream > %s"
    " ORDER BY stream LIMIT %s"
)
_COUNT_STALE: Final = "SELECT count(*) AS others FROM log.snapshots WHERE program <> %s"
_log = structlog.get_logger()
_encode: Final[Callable[[Player], bytes]] = msgspec.msgpack.Encoder().encode
_decode: Final[Callable[[bytes], Player]] = msgspec.msgpack.Decoder(Player).decode


class Snapshot(Struct, frozen=True):
    """A player's state after fact `version` of their stream."""

    stream: str
    version: int
    state: bytes


class SnapshotMismatch(Struct, frozen=True):
    """A snapshot that differs from its stream's facts; `found` describes the difference."""

    stream: str
    version: int
    found: str


class Snapshots:
    """The snapshot table, accessed through the log's store. Every call blocks."""

    def __init__(self, log: FactLog, *, every: int = SNAPSHOT_INTERVAL) -> None:
        self._log = log
        self._program = engine_code_hash()
        self.every = every

    def save(self, snapshots: Sequence[Snapshot]) -> None:
        """Store these snapshots. A failure is only logged, since a later save can replace them."""
        values = (
            self._program,
            texts([each.stream for each in snapshots]),
            integers([each.version for each in snapshots]),
            blobs([each.state for each in snapshots]),
        )
        try:
            with self._log.datastore.transaction(commit=True) as cursor:
                cursor.execute(_UPSERT, values)
        except PersistenceError as error:
            _log.warning("snapshots not saved", error=str(error))

    def read(self, players: Sequence[int]) -> dict[int, Player]:
        """Returns the players' states from snapshots of this code version."""
        streams = texts([player_stream(player) for player in players])
        with self._log.datastore.transaction() as cursor:
            rows = cursor.execute(_READ, (streams, self._program)).fetchall()
        found = (_read_one(row["stream"], row["version"], row["state"]) for row in rows)
        return {player.id: player for player in found if player is not None}

    def page(self, after: str, limit: int) -> list[Snapshot]:
        """Returns this code version's next snapshots after the stream name `after`."""
        with self._log.datastore.transaction() as cursor:
            rows = cursor.execute(_PAGE, (self._program, after, limit)).fetchall()
        return [Snapshot(row["stream"], row["version"], row["state"]) for row in rows]

    def count_stale(self) -> int:
        """Returns the number of snapshots of other code versions, which are not used or checked."""
        with self._log.datastore.transaction() as cursor:
            row = cursor.execute(_COUNT_STALE, (self._program,)).fetchone()
        assert row is not None
        return int(row["others"])

    def difference(self, snapshot: Snapshot, timezone: str) -> SnapshotMismatch | None:
        """Compares a snapshot with its stream's facts. None if they agree."""
        try:
            player = player_of(snapshot.stream)
        except ValueError:
            return SnapshotMismatch(snapshot.stream, snapshot.version, "no player's stream")
        facts = self._log.streams([snapshot.stream])
        if not 0 < snapshot.version <= len(facts):
            return SnapshotMismatch(
                snapshot.stream, snapshot.version, f"the log has {len(facts)} facts"
            )
        true = folded(player, facts[: snapshot.version], timezone)
        try:
            stored = _decode(snapshot.state)
        except msgspec.MsgspecError as error:
            return SnapshotMismatch(snapshot.stream, snapshot.version, f"unreadable: {error}")
        differing = [
            f"{name} {getattr(stored, name)!r} instead of {getattr(true, name)!r}"
            for name in Player.__struct_fields__
            if getattr(stored, name) != getattr(true, name)
        ]
        wrong = "; ".join(differing)
        return SnapshotMismatch(snapshot.stream, snapshot.version, wrong) if wrong else None


def _read_one(stream: str, version: int, state: bytes) -> Player | None:
    """Returns the stored state; None if it is damaged, since the log replaces it."""
    try:
        player = _decode(state)
    except msgspec.MsgspecError as error:
        _log.error("snapshot unreadable", stream=stream, error=str(error))
        return None
    if (player.id, player.version) != (player_of(stream), version):
        _log.error("snapshot of another player or version", stream=stream, version=version)
        return None
    return player


def snapshot_of(player: Player) -> Snapshot:
    """Encodes the player's current state, to be saved later. Its batch must be merged."""
    return Snapshot(player_stream(player.id), player.version, _encode(player))


def folded(player: int, facts: Sequence[RecordedFact], timezone: str) -> Player:
    """Returns the state that results from a player's facts."""
    state = EngineState(timezone)
    state.load_players([player], facts)
    return state.players[player]
