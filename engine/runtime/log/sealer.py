"""Seals the log: keeps a Merkle tree over its facts, and signs a checkpoint of it every second.

No hash is in the write path: facts are hashed once they are committed, by a `TileWriter` in the
process that reads them for the read models. The sealer signs the tree that it finds, and hashes
what is missing itself, for example while no read models run. A checkpoint commits after the tiles
that it is over, or with them, so that a process that dies continues from the same tree. Nothing
is sealed while the log does not continue the tree, because the facts at its end were changed or
removed after they were hashed; `Sealer.trouble` says so.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import structlog
from eventsourcing.persistence import PersistenceError
from psycopg import Connection
from psycopg.rows import DictRow, tuple_row

from engine.fairness import checkpoints, tiles
from engine.fairness.checkpoints import Checkpoint, Note, NoteError
from engine.fairness.tiles import HASH_BYTES, TileId
from engine.runtime.log.deadlines import Store
from engine.runtime.secret_keys import OperatorKey

EVERY_S: Final = 1.0
_MOST_BEHIND_S: Final = 3.0
"""Past it the sealer hashes what lagging read models have not; `/readyz` is red past 5 s."""
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
_NEWEST_TILE: Final = (
    "SELECT number, octet_length(hashes) AS bytes FROM log.tiles WHERE level = 0"
    " ORDER BY number DESC LIMIT 1"
)
_LOG_END: Final = "SELECT max(notification_id) AS log_end FROM log.facts"
SEALED_SIZE: Final = "SELECT size FROM log.checkpoints ORDER BY size DESC LIMIT 1"
_LOCK: Final = "SELECT pg_advisory_xact_lock(hashtext('fairdraw log tree'))"
_SAVE_TILE: Final = (
    "INSERT INTO log.tiles (level, number, hashes) VALUES (%s, %s, %s)"
    " ON CONFLICT (level, number) DO UPDATE SET hashes = EXCLUDED.hashes"
)
# The newest checkpoint of each hour is kept.
_SAVE_CHECKPOINT: Final = (
    "INSERT INTO log.checkpoints (hour, size, note) VALUES (%s, %s, %s)"
    " ON CONFLICT (hour) DO UPDATE SET size = EXCLUDED.size, note = EXCLUDED.note"
)
_log = structlog.get_logger()


class LogChangedError(Exception):
    """The log does not continue its last checkpoint; the message says where it differs."""


class StoredTiles:
    """The tiles in the database; those that were read are kept."""

    def __init__(
        self, connection: Connection[Any], known: Mapping[TileId, bytes] = MappingProxyType({})
    ) -> None:
        """`known` tiles are not read from the database."""
        self._cursor = connection.cursor(row_factory=tuple_row)
        self._known = dict(known)

    def tile(self, level: int, number: int) -> bytes:
        """Returns the tile's hashes. Raises KeyError if it is missing."""
        found = self._known.get((level, number))
        if found is None:
            row = self._cursor.execute(TILE_HASHES, (level, number)).fetchone()
            if row is None:
                raise KeyError((level, number))
            found = self._known[level, number] = bytes(row[0])
        return found


class StoredTree:
    """The tree in the database, in a transaction that locks it against other processes."""

    def __init__(self, connection: Connection[DictRow]) -> None:
        """Waits for the lock."""
        self._connection = connection
        connection.execute(_LOCK)

    def hashed_size(self) -> int:
        """Returns how many facts the tiles cover; the newest of them may not be sealed yet."""
        row = self._connection.execute(_NEWEST_TILE).fetchone()
        if row is None:
            return 0
        return int(row["number"]) * tiles.WIDTH + int(row["bytes"]) // HASH_BYTES

    def extend(self, size: int, leaves: Sequence[bytes]) -> StoredTiles:
        """Store the tiles of `leaves`, which follow the first `size`. Returns the tiles.

        Raises LogChangedError if tiles of the first `size` facts are missing.
        """
        stored = StoredTiles(self._connection)
        last: list[bytes] = []
        try:
            for level, number in tiles.last_tiles(size):
                last += [b""] * (level + 1 - len(last))
                last[level] = stored.tile(level, number)
        except KeyError:
            raise _tiles_missing(size) from None
        changed = tiles.extend(last, size, leaves)
        with self._connection.cursor() as cursor:
            cursor.executemany(_SAVE_TILE, [(*place, tile) for place, tile in changed.items()])
        return StoredTiles(self._connection, changed)


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
        self._complete_at = monotonic()
        self._awaited: tuple[float, int] | None = None
        self.trouble = ""

    async def run(self) -> None:
        """Seal every second, until cancelled."""
        while True:
            try:
                await asyncio.to_thread(self.keep_up)
            except PersistenceError as error:
                _log.warning("not sealed: the database is away", error=str(error))
            except (LogChangedError, NoteError) as error:
                if str(error) != self.trouble:
                    _log.error("the log does not continue its tree", trouble=str(error))
                self.trouble = str(error)
            await asyncio.sleep(EVERY_S)

    @property
    def behind_s(self) -> float:
        """For how many seconds the newest checkpoint has lacked facts that the log had by then."""
        return max(0.0, self._monotonic() - self._complete_at - EVERY_S)

    def keep_up(self) -> None:
        """Sign the tiles stored since the last checkpoint; `catch_up` if there are none, or late.

        Blocks, and raises as `catch_up` does.
        """
        self._seal(completely=self.behind_s > _MOST_BEHIND_S)

    def catch_up(self) -> None:
        """Seal all facts that are committed; blocks.

        Raises LogChangedError if the log does not continue its tree, NoteError if the last
        checkpoint is damaged.
        """
        self._seal(completely=True)

    def _seal(self, *, completely: bool) -> None:
        with self._one_at_a_time:
            look = self._monotonic(), self._log_end()
            if not self._sign_stored() or completely:
                while self._seal_page() == PAGE:
                    pass
            self._measure(look)
            self.trouble = ""

    def _measure(self, look: tuple[float, int]) -> None:
        """Update the delay; `look` is a time, and the position of the log's last fact then."""
        if self.size >= look[1]:
            self._complete_at, self._awaited = look[0], None
        elif self._awaited is None:
            self._awaited = look
        elif self.size >= self._awaited[1]:
            self._complete_at, self._awaited = self._awaited[0], look

    def _log_end(self) -> int:
        with self._store.get_connection() as connection:
            row = connection.execute(_LOG_END).fetchone()
        assert row is not None
        return row["log_end"] or 0

    def _sign_stored(self) -> bool:
        """Sign the stored tree. Returns False if it covers no more than the last checkpoint."""
        with self._store.get_connection() as connection, connection.transaction():
            tree = StoredTree(connection)
            size, hashed = self._sealed_size(connection), tree.hashed_size()
            if hashed < size:
                raise _tiles_missing(size)
            # Without a checkpoint the tiles are unproven, so all facts are hashed again.
            if size in (0, hashed):
                return False
            self._sign(connection, _checked_root(connection, hashed), hashed)
        self.size = hashed  # only now: a commit may fail
        return True

    def _seal_page(self) -> int:
        """Hash and seal the next facts. Returns their number."""
        with self._store.get_connection() as connection, connection.transaction():
            tree = StoredTree(connection)
            size = self._sealed_size(connection)
            leaves = self._leaves(connection, size)
            if leaves:
                stored, new_size = tree.extend(size, leaves), size + len(leaves)
                self._sign(connection, tiles.root(stored, new_size), new_size)
        self.size = size + len(leaves)
        return len(leaves)

    def _sealed_size(self, connection: Connection[DictRow]) -> int:
        """Returns the size of the last checkpoint.

        Raises LogChangedError if it is smaller than before. If it is another process's, also unless
        the tiles have its root and the log still has its last leaf.
        """
        note = newest_note(connection)
        if note is None:
            if self.size:
                raise LogChangedError(
                    f"the checkpoints are gone, but {self.size} facts were sealed"
                )
            return 0
        size = note.checkpoint.size
        if size < self.size:
            raise LogChangedError(
                f"the last checkpoint is over {size} facts, but {self.size} were sealed"
            )
        if size > self.size:  # another process sealed, or this one has just started
            checkpoints.verify(note, self.origin, self._key.public)
            if _checked_root(connection, size) != note.checkpoint.root:
                raise LogChangedError(
                    f"the tiles are not those of the checkpoint over {size} facts"
                )
        return size

    def _leaves(self, connection: Connection[DictRow], size: int) -> list[bytes]:
        with connection.cursor(row_factory=tuple_row, binary=True) as cursor:
            row = cursor.execute(_LEAVES, (size, PAGE), prepare=True).fetchone()
        assert row is not None
        last, joined = row
        leaves = tiles.hashes_of(joined or b"")
        if leaves and last != size + len(leaves):
            raise LogChangedError(f"a fact is missing after position {size}")
        return leaves

    def _sign(self, connection: Connection[DictRow], root: bytes, size: int) -> None:
        note = self._key.sign_checkpoint(Checkpoint(self.origin, size, root))
        hour = self._clock() // _HOUR_US
        connection.execute(_SAVE_CHECKPOINT, (hour, size, note.text()))


def _checked_root(connection: Connection[DictRow], size: int) -> bytes:
    """Returns the root of the stored tree over the first `size` facts.

    Raises LogChangedError if a tile is missing, or the last of these facts is not its last leaf.
    """
    stored = StoredTiles(connection)
    number, place = divmod(size - 1, tiles.WIDTH)
    try:
        root = tiles.root(stored, size)
        leaf = stored.tile(0, number)[place * HASH_BYTES : (place + 1) * HASH_BYTES]
    except KeyError:
        raise _tiles_missing(size) from None
    with connection.cursor(row_factory=tuple_row, binary=True) as cursor:
        row = cursor.execute(_LEAF_AT, (size,)).fetchone()
    if row is None:
        raise LogChangedError(f"the log ends before position {size}, which was sealed")
    if row[0] != leaf:
        raise LogChangedError(f"the fact at position {size} has changed since it was sealed")
    return root


def _tiles_missing(size: int) -> LogChangedError:
    return LogChangedError(f"tiles of the first {size} facts are missing")
