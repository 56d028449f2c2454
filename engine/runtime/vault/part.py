"""What the parts of the vault share: where it is, its keys, and whose row they change."""

import os
from collections.abc import Callable
from typing import Final, TypeAlias

from psycopg import Connection
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool

from engine.runtime.vault.keys import MemberKey, VaultKeys, WrappedKey

Pool: TypeAlias = ConnectionPool[Connection[TupleRow]]

# Sessions may be opened meanwhile: they only need the row to stay.
_LOCK: Final = "SELECT FROM vault.members WHERE player = %s FOR NO KEY UPDATE"
_KEY: Final = "SELECT key_version, sealed FROM vault.member_keys WHERE player = %s"
_KEEP_KEY: Final = "INSERT INTO vault.member_keys (player, key_version, sealed) VALUES (%s, %s, %s)"
_OWNERS: Final = "SELECT player FROM vault.blind_indexes WHERE field = %s AND hash = ANY(%s)"
_CLAIM: Final = (
    "INSERT INTO vault.blind_indexes (field, hash, player) VALUES (%s, %s, %s)"
    " ON CONFLICT DO NOTHING"
)


class Part:
    """The vault's tables, reached over `pool`; `clock` gives microseconds since 1970.

    `entropy` gives that many random bytes, for keys and ids.
    """

    def __init__(
        self,
        pool: Pool,
        clock: Callable[[], int],
        keys: VaultKeys,
        entropy: Callable[[int], bytes] = os.urandom,
    ) -> None:
        self._pool = pool
        self._clock = clock
        self._keys = keys
        self._entropy = entropy

    def _hold(self, connection: Connection[TupleRow], player: int) -> MemberKey:
        """The member's key, made at first use; nobody else changes the member meanwhile.

        KeyError when there is no such member, or no longer.
        """
        if connection.execute(_LOCK, (player,)).fetchone() is None:
            raise KeyError(player)
        row = connection.execute(_KEY, (player,)).fetchone()
        if row is not None:
            return self._keys.unwrap(player, WrappedKey(*row))
        wrapped = self._keys.new_member_key(player, self._entropy)
        connection.execute(_KEEP_KEY, (player, wrapped.version, wrapped.sealed))
        return self._keys.unwrap(player, wrapped)

    def _claim(
        self, connection: Connection[TupleRow], player: int, field: str, normalised: str
    ) -> bool:
        """Whether this value is nobody else's, and the member's from now on.

        Of two who claim it at once, one waits for the other to commit.
        """
        known = self._keys.blind_indexes(field, normalised)
        if _owners(connection, field, known) - {player}:
            return False
        newest = self._keys.blind_index(field, normalised)
        connection.execute(_CLAIM, (field, newest, player))
        return _owners(connection, field, [newest]) == {player}


def _owners(connection: Connection[TupleRow], field: str, hashes: list[bytes]) -> set[int]:
    return {player for (player,) in connection.execute(_OWNERS, (field, hashes))}
