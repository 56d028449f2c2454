"""Hashes the facts that the projector reads anyway, and stores their tiles for the leader's sealer.

The sealer would have to read each fact again, and its hashes would delay bets. It signs these
tiles, and hashes itself only what they lack.
"""

import threading
from collections.abc import Sequence
from typing import Final

import structlog
from eventsourcing.persistence import PersistenceError

from engine.fairness import tiles
from engine.runtime.log.fact_log import StoredFact, datastore
from engine.runtime.log.sealer import EVERY_S, LogChangedError, StoredTree

_LIMIT: Final = 100_000
"""Hashes kept until they can be stored; past it the sealer hashes these facts itself."""
_log = structlog.get_logger()


class TileWriter:
    """Adds hashes to the stored tree. `add` and `store` may be called in different threads."""

    def __init__(self, conninfo: str) -> None:
        """Until the first `store` no facts are hashed."""
        self._database = datastore(conninfo, connections=1)
        self._lock = threading.Lock()
        self._first: int | None = None
        self._hashes: list[bytes] = []

    def add(self, facts: Sequence[StoredFact]) -> None:
        """Hash these facts, which are in the order of the log; known ones are skipped."""
        with self._lock:
            if self._first is None or not facts:
                return
            first, following = facts[0][0], self._first + len(self._hashes)
            if first > following or len(self._hashes) >= _LIMIT:
                self._first, self._hashes, following = first, [], first
            self._hashes += tiles.leaf_hashes(facts[following - first :])

    def store(self) -> None:
        """Store the hashes that continue the stored tree; blocks.

        Raises LogChangedError if the tree is damaged.
        """
        with self._lock:
            first, hashes = self._first, self._hashes[:]
        with self._database.get_connection() as connection, connection.transaction():
            tree = StoredTree(connection)
            size = tree.hashed_size()
            # Facts between the tree and the first hash are the sealer's. Until then these wait.
            new = hashes[size + 1 - first :] if first is not None and first <= size + 1 else []
            tree.extend(size, new)
        with self._lock:
            self._forget(size + len(new))

    def _forget(self, size: int) -> None:
        """Drop the hashes of the first `size` facts."""
        if self._first is None or self._first <= size:
            del self._hashes[: size + 1 - (self._first or 1)]
            self._first = size + 1

    def run(self, stopping: threading.Event) -> None:
        """Store every second, until `stopping` is set."""
        while not stopping.wait(EVERY_S):
            try:
                self.store()
            except PersistenceError as error:
                _log.warning("tiles not stored: the database is away", error=str(error))
            except LogChangedError:
                pass  # the sealer reports it

    def close(self) -> None:
        """Disconnect."""
        self._database.close()
