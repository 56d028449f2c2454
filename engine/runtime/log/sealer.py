"""Seals the log: keeps a Merkle tree over its facts, and signs a checkpoint of it every second.

No hash is in the write path: the sealer reads what is committed, in pages, and is at most a second
behind. Tiles and checkpoint are stored in one transaction, so that a process that dies in between
continues from the same tree. Sealing stops, and says why, if the log does not continue the tree:
the facts at its end were changed or removed after they were sealed.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Mapping
from typing import Final

import structlog
from eventsourcing.persistence import PersistenceError
from psycopg import Connection
from psycopg.rows import DictRow, tuple_row

from engine.fairness import checkpoints, tiles
from engine.fairness.checkpoints import Checkpoint, Note, NoteError
from engine.fairness.tiles import HASH_BYTES, TileId, TileReader
from engine.runtime.log.deadlines import Store
from engine.runtime.secret_keys import OperatorKey

EVERY_S: Final = 1.0
PAGE: Final = 16_384
_HOUR_US: Final = 3_600_000_000
# PostgreSQL assembles and hashes the entries, in its own process. A settlement stores 50,000 facts
# a second, and their hashes would delay bets in this one. `engine.fairness.tiles.entry` describes
# the same bytes, and `scripts/audit log` hashes them itself.
_PREFIXED: Final = "int2send(octet_length({0})::int2) || textsend({0})"
ENTRY: Final = " || ".join(
    (
        "int8send(notification_id)",
        _PREFIXED.format("originator_id"),
        "int8send(originator_version)",
        _PREFIXED.format("topic"),
        "int8send(at)",
        _PREFIXED.format("command_id"),
        _PREFIXED.format("actor"),
        "int4send(octet_length(state))",
        "state",
    )
)
"""The bytes of a fact's leaf, as an expression over log.facts."""
_LEAF: Final = f"sha256('\\x00'::bytea || {ENTRY})"
_LEAVES: Final = (
    "SELECT max(position), string_agg(leaf, ''::bytea ORDER BY position) FROM ("
    f"SELECT notification_id AS position, {_LEAF} AS leaf FROM log.facts"
    " WHERE notification_id > %s ORDER BY notification_id LIMIT %s) AS page"
)
_LEAF_AT: Final = f"SELECT {_LEAF} FROM log.facts WHERE notification_id = %s"
TILE_HASHES: Final = "SELECT hashes FROM log.tiles WHERE level = %s AND number = %s"
NEWEST_NOTE: Final = "SELECT note FROM log.checkpoints ORDER BY size DESC, hour DESC LIMIT 1"
#: The newest checkpoint that witnesses have cosigned after a time in microseconds, else the newest.
PUBLISHED_NOTE: Final = (
    "SELECT note FROM ((SELECT note, 1 AS rank FROM log.cosigned WHERE at > %s ORDER BY size DESC"
    " LIMIT 1) UNION ALL (SELECT note, 2 FROM log.checkpoints ORDER BY size DESC, hour DESC LIMIT 1"
    ")) AS notes ORDER BY rank LIMIT 1"
)
SEALED_SIZE: Final = "SELECT size FROM log.checkpoints ORDER BY size DESC LIMIT 1"
_LOCK: Final = "SELECT pg_advisory_xact_lock(hashtext('fairdraw log tree'))"
_SAVE_TILE: Final = (
    "INSERT INTO log.tiles (level, number, hashes) VALUES (%s, %s, %s)"
    " ON CONFLICT (level, number) DO UPDATE SET hashes = EXCLUDED.hashes"
)
_SAVE_CHECKPOINT: Final = (
    "INSERT INTO log.checkpoints (hour, size, note) VALUES (%s, %s, %s)"
    " ON CONFLICT (hour) DO UPDATE SET size = EXCLUDED.size, note = EXCLUDED.note"
)
_log = structlog.get_logger()


class LogChangedError(Exception):
    """The log does not continue its last checkpoint; the message says where it differs."""


class StoredTiles:
    """The tiles in the database; those that were read are kept."""

    def __init__(self, connection: Connection[DictRow], known: Mapping[TileId, bytes]) -> None:
        """`known` tiles are not read from the database."""
        self._connection = connection
        self._known = dict(known)

    def tile(self, level: int, number: int) -> bytes:
        """Returns the tile's hashes. Raises KeyError if it is missing."""
        found = self._known.get((level, number))
        if found is None:
            row = self._connection.execute(TILE_HASHES, (level, number)).fetchone()
            if row is None:
                raise KeyError((level, number))
            found = self._known[level, number] = bytes(row["hashes"])
        return found


def newest_note(connection: Connection[DictRow]) -> Note | None:
    """Returns the newest checkpoint; None before the first. Raises NoteError if it is damaged."""
    row = connection.execute(NEWEST_NOTE).fetchone()
    return None if row is None else checkpoints.read_note(row["note"])


class Sealer:
    """The tree of one log. Used by the leader; a replaced leader that still runs does no harm.

    `size` is the number of facts sealed. `trouble` says why sealing has stopped, and is empty while
    it works.
    """

    def __init__(
        self,
        store: Store,
        key: OperatorKey,
        clock: Callable[[], int],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`key` signs the checkpoints; `clock` returns microseconds since 1970.

        `monotonic` returns seconds: a jump of the clock is no delay.
        """
        self._store = store
        self._key = key
        self._clock = clock
        self.origin = checkpoints.origin_of(key.public)
        self.size = 0
        self._one_at_a_time = threading.Lock()
        self._monotonic = monotonic
        self._level_at = monotonic()
        self.trouble = ""

    async def run(self) -> None:
        """Seal every second, until cancelled."""
        while True:
            try:
                await asyncio.to_thread(self.catch_up)
            except PersistenceError as error:
                _log.warning("not sealed: the database is away", error=str(error))
            except (LogChangedError, NoteError) as error:
                if str(error) != self.trouble:
                    _log.error("the log does not continue its tree", trouble=str(error))
                self.trouble = str(error)
            await asyncio.sleep(EVERY_S)

    @property
    def behind_s(self) -> float:
        """For how many seconds the tree has lacked facts of the log, or its checkpoint is late."""
        return max(0.0, self._monotonic() - self._level_at - EVERY_S)

    def catch_up(self) -> None:
        """Seal all facts that are committed; blocks.

        Raises LogChangedError if the log does not continue its tree, NoteError if the last
        checkpoint is damaged.
        """
        with self._one_at_a_time:
            while self._step() == PAGE:
                pass
        self._level_at = self._monotonic()
        self.trouble = ""

    def _step(self) -> int:
        """Seal one page. Returns its number of facts."""
        with self._store.get_connection() as connection, connection.transaction():
            connection.execute(_LOCK)
            size, last = self._continue(connection)
            leaves = self._leaves(connection, size)
            if leaves:
                known = tiles.extend(last, size, leaves)
                with connection.cursor() as cursor:
                    cursor.executemany(
                        _SAVE_TILE, [(*place, tile) for place, tile in known.items()]
                    )
                self._sign(connection, StoredTiles(connection, known), size + len(leaves))
        self.size = size + len(leaves)  # only now: a commit may fail
        return len(leaves)

    def _continue(self, connection: Connection[DictRow]) -> tuple[int, list[bytes]]:
        """Returns the size of the stored tree, and its last tile of each level.

        Raises LogChangedError unless the tiles have the checkpoint's root and the log still has the
        last leaf.
        """
        note = newest_note(connection)
        if note is None:
            if self.size:
                raise LogChangedError(
                    f"the checkpoints are gone, but {self.size} facts were sealed"
                )
            return 0, []
        size = note.checkpoint.size
        if size < self.size:
            raise LogChangedError(
                f"the last checkpoint is over {size} facts, but {self.size} were sealed"
            )
        stored = StoredTiles(connection, {})
        try:
            if size > self.size:  # another process sealed, or this one has just started
                checkpoints.verify(note, self.origin, self._key.public)
                _check_tree(connection, stored, note.checkpoint)
            places = tiles.last_tiles(size)
            last = [b""] * (max((level for level, _ in places), default=-1) + 1)
            for level, number in places:
                last[level] = stored.tile(level, number)
        except KeyError:
            raise LogChangedError(f"tiles of the first {size} facts are missing") from None
        return size, last

    def _leaves(self, connection: Connection[DictRow], size: int) -> list[bytes]:
        with connection.cursor(row_factory=tuple_row, binary=True) as cursor:
            row = cursor.execute(_LEAVES, (size, PAGE), prepare=True).fetchone()
        assert row is not None
        last, joined = row
        leaves = tiles.hashes_of(joined or b"")
        if leaves and last != size + len(leaves):
            raise LogChangedError(f"a fact is missing after position {size}")
        return leaves

    def _sign(self, connection: Connection[DictRow], stored: TileReader, size: int) -> None:
        checkpoint = Checkpoint(self.origin, size, tiles.root(stored, size))
        note = self._key.sign_checkpoint(checkpoint)
        hour = self._clock() // _HOUR_US
        connection.execute(_SAVE_CHECKPOINT, (hour, size, note.text()))


def _check_tree(
    connection: Connection[DictRow], stored: TileReader, checkpoint: Checkpoint
) -> None:
    """Raises LogChangedError unless the tiles and the log's last sealed fact fit the checkpoint.

    Raises KeyError if a tile is missing.
    """
    size = checkpoint.size
    if tiles.root(stored, size) != checkpoint.root:
        raise LogChangedError(f"the tiles are not those of the checkpoint over {size} facts")
    with connection.cursor(row_factory=tuple_row, binary=True) as cursor:
        row = cursor.execute(_LEAF_AT, (size,)).fetchone()
    if row is None:
        raise LogChangedError(f"the log ends before position {size}, which was sealed")
    number, place = divmod(size - 1, tiles.WIDTH)
    sealed = stored.tile(0, number)[place * HASH_BYTES : (place + 1) * HASH_BYTES]
    if row[0] != sealed:
        raise LogChangedError(f"the fact at position {size} has changed since it was sealed")
