"""The base class of the vault's parts: connection pool, keys, row lock and unique claims."""

from collections.abc import Callable
from typing import Final, TypeAlias

from psycopg import Connection
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool

from engine.runtime.vault.vault_keys import PlayerKey, VaultKeys, WrappedKey

Pool: TypeAlias = ConnectionPool[Connection[TupleRow]]

# Sessions can be opened meanwhile: they only need the row to exist.
_LOCK: Final = "SELECT FROM vault.members WHERE player = %s FOR NO KEY UPDATE"
_KEY: Final = "SELECT key_version, sealed FROM vault.member_keys WHERE player = %s"
_INSERT_KEY: Final = (
    "INSERT INTO vault.member_keys (player, key_version, sealed) VALUES (%s, %s, %s)"
)
# Claims of one value are serialised.
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
    """The vault's tables, accessed over `pool`; `clock` returns microseconds since 1970."""

    def __init__(self, pool: Pool, clock: Callable[[], int], keys: VaultKeys) -> None:
        self._pool = pool
        self._clock = clock
        self._keys = keys

    def _lock_player(self, connection: Connection[TupleRow], player: int) -> PlayerKey:
        """Lock the player's row for this transaction. Returns the player's key, created if needed.

        Raises KeyError if the player does not exist or was erased.
        """
        if connection.execute(_LOCK, (player,)).fetchone() is None:
            raise KeyError(player)
        row = connection.execute(_KEY, (player,)).fetchone()
        if row is not None:
            return self._keys.unwrap(player, WrappedKey(*row))
        wrapped = self._keys.new_player_key(player)
        connection.execute(_INSERT_KEY, (player, wrapped.version, wrapped.sealed))
        return self._keys.unwrap(player, wrapped)

    def _record_value(
        self, connection: Connection[TupleRow], player: int, field: str, normalised: str
    ) -> None:
        """Record that the player gave this value, which other players may have given before.

        All claims of the value are moved to the newest master key's hash, so that they are found
        together. Claims of excluded players who were erased are included.
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
