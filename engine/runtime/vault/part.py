"""What the parts of the vault share: where it is, its keys, and whose row they change."""

import os
from collections.abc import Callable
from typing import Final, TypeAlias

from psycopg import Connection
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool

from engine.runtime.vault.keys import PlayerKey, VaultKeys, WrappedKey

Pool: TypeAlias = ConnectionPool[Connection[TupleRow]]

# Sessions may be opened meanwhile: they only need the row to stay.
_LOCK: Final = "SELECT FROM vault.members WHERE player = %s FOR NO KEY UPDATE"
_KEY: Final = "SELECT key_version, sealed FROM vault.member_keys WHERE player = %s"
_INSERT_KEY: Final = (
    "INSERT INTO vault.member_keys (player, key_version, sealed) VALUES (%s, %s, %s)"
)
# Claims of one value are made one after the other.
_ONE_CLAIM_AT_A_TIME: Final = "SELECT pg_advisory_xact_lock(hashtextextended(encode(%s, 'hex'), 0))"
_CLAIM: Final = (
    "INSERT INTO vault.blind_indexes (field, hash, player, at) VALUES (%s, %s, %s, %s)"
    " ON CONFLICT DO NOTHING"
)
_MOVE: Final = (
    "INSERT INTO vault.blind_indexes (field, hash, player, at)"
    " SELECT field, %s, player, at FROM vault.blind_indexes WHERE field = %s AND hash = ANY(%s)"
    " ON CONFLICT DO NOTHING"
)
_REVIVE: Final = (
    "INSERT INTO vault.blind_indexes (field, hash, player, at)"
    " SELECT field, %s, player, at FROM vault.erased_claims WHERE field = %s AND hash = %s"
    " ON CONFLICT DO NOTHING"
)
_DROP: Final = "DELETE FROM vault.blind_indexes WHERE field = %s AND hash = ANY(%s)"


class VaultPart:
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

    def _lock_player(self, connection: Connection[TupleRow], player: int) -> PlayerKey:
        """The member's key, made at first use; nobody else changes the member meanwhile.

        KeyError when there is no such member, or no longer.
        """
        if connection.execute(_LOCK, (player,)).fetchone() is None:
            raise KeyError(player)
        row = connection.execute(_KEY, (player,)).fetchone()
        if row is not None:
            return self._keys.unwrap(player, WrappedKey(*row))
        wrapped = self._keys.new_player_key(player, self._entropy)
        connection.execute(_INSERT_KEY, (player, wrapped.version, wrapped.sealed))
        return self._keys.unwrap(player, wrapped)

    def _claim_unique(
        self, connection: Connection[TupleRow], player: int, field: str, normalised: str
    ) -> None:
        """Note that the member gave this value, which others may have given before.

        All claims of a value are moved to the newest master key's hash, so that they meet; those of
        excluded members who were erased are among them.
        """
        newest = self._keys.blind_index(field, normalised)
        connection.execute(_ONE_CLAIM_AT_A_TIME, (newest,))
        older = [each for each in self._keys.blind_indexes(field, normalised) if each != newest]
        if older:
            connection.execute(_MOVE, (newest, field, older))
            connection.execute(_DROP, (field, older))
        lasting = self._keys.lasting_index(field, normalised)
        connection.execute(_REVIVE, (newest, field, lasting))
        connection.execute(_CLAIM, (field, newest, player, self._clock()))
