"""Erasure of players, and rotation of the master key that seals the players' keys."""

from typing import Final

from psycopg import Connection
from psycopg.rows import TupleRow

from engine.runtime.vault.base import VaultPart
from engine.runtime.vault.payout_accounts import open_account
from engine.runtime.vault.private_fields import identifying_values
from engine.runtime.vault.vault_keys import KeysLostError, PlayerKey, WrappedKey

_ERASE_TEXTS: Final = "DELETE FROM vault.words WHERE player = %s"
_DROP_CLAIMS: Final = "DELETE FROM vault.blind_indexes WHERE player = %s"
_INSERT_ERASED_CLAIM: Final = (
    "INSERT INTO vault.erased_claims (field, hash, player, at) VALUES (%s, %s, %s, %s)"
    " ON CONFLICT DO NOTHING"
)
_ERASE: Final = "DELETE FROM vault.members WHERE player = %s RETURNING player"
_OUTDATED: Final = "SELECT player FROM vault.member_keys WHERE key_version <> %s ORDER BY player"
_KEY: Final = "SELECT key_version, sealed FROM vault.member_keys WHERE player = %s"
_REWRAP: Final = "UPDATE vault.member_keys SET key_version = %s, sealed = %s WHERE player = %s"
_ACCOUNTS: Final = "SELECT id, sealed FROM vault.payout_accounts WHERE player = %s"
_RECORD_KEY: Final = (
    "INSERT INTO vault.key_fingerprints (name, fingerprint, is_rotating) VALUES (%s, %s, %s)"
    " ON CONFLICT DO NOTHING"
)
_RECORDED_KEYS: Final = "SELECT name, fingerprint FROM vault.key_fingerprints ORDER BY name"
_IS_ROTATING: Final = "SELECT is_rotating FROM vault.key_fingerprints WHERE name = %s"
_DELETE_OLDER: Final = "DELETE FROM vault.key_fingerprints WHERE NOT name = ANY(%s)"
_END_ROTATION: Final = "UPDATE vault.key_fingerprints SET is_rotating = false WHERE is_rotating"
# Shown to the operator at a failed start.
_LOST: Final = (
    "the database was written with another {} key: put back the files of the keys folder that"
    " belong to it (master.key, master-N.key, pepper.key)"
)


class KeyLifecycle(VaultPart):
    """Erases players and rotates the master key."""

    def erase(self, player: int, *, excluded: bool = False) -> bool:
        """Destroy the player's keys, names, secrets and texts. False if there is no such player.

        Data sealed under the key remains, permanently unreadable; the facts remain too. The hashes
        of an `excluded` player's ID card and payout accounts remain, so that the exclusion is
        recognised when they are given again. Earlier backups of the database still contain the key.
        End the sessions with `Sessions.revoke_all` first: a process that has one in its cache
        continues to accept it.
        """
        with self._pool.connection() as connection:
            try:
                key = self._lock_player(connection, player)
            except KeyError:
                return False
            if excluded:
                for field, value in _owned(connection, key, player):
                    claim = field, self._keys.lasting_index(field, value), player, self._clock()
                    connection.execute(_INSERT_ERASED_CLAIM, claim)
            else:
                connection.execute(_DROP_CLAIMS, (player,))
            connection.execute(_ERASE_TEXTS, (player,))
            return connection.execute(_ERASE, (player,)).fetchone() is not None

    def check_keys(self) -> None:
        """Record the keys' fingerprints at the first start, and compare them at every later start.

        A newer master key than the recorded ones begins a rotation. Older ones between the first
        and the newest stay recorded only until the rotation away from them ends.

        Raises KeysLostError if a recorded key is missing or differs: without it something could
        not be decrypted, and one person could have two accounts.
        """
        with self._pool.connection() as connection:
            recorded: dict[str, bytes] = dict(connection.execute(_RECORDED_KEYS).fetchall())
            for name, fingerprint in recorded.items():
                if self._keys.fingerprints.get(name) != fingerprint:
                    raise KeysLostError(_LOST.format(name))
            for name in sorted({"pepper", self._keys.first_master, self._keys.newest_master}):
                fingerprint = self._keys.fingerprints[name]
                is_rotating = bool(recorded) and name == self._keys.newest_master
                connection.execute(_RECORD_KEY, (name, fingerprint, is_rotating))

    def is_rotating(self) -> bool:
        """Whether a rotation to the newest master key is unfinished."""
        with self._pool.connection() as connection:
            outdated = connection.execute(_OUTDATED, (self._keys.version,)).fetchone()
            begun = connection.execute(_IS_ROTATING, (self._keys.newest_master,)).fetchone()
        return outdated is not None or begun != (False,)

    def has_recorded_newest_key(self) -> bool:
        """Whether the newest master key is recorded, so that every server that starts has it."""
        newest = (self._keys.newest_master,)
        with self._pool.connection() as connection:
            return connection.execute(_IS_ROTATING, newest).fetchone() is not None

    def rewrap(self) -> int:
        """Rewrap keys and blind indexes of older master keys under the newest.

        Returns the number of players processed. Each is a separate transaction, so that an
        interrupted run resumes where it stopped. Afterwards the older versions are not needed.
        """
        with self._pool.connection() as connection:
            outdated = connection.execute(_OUTDATED, (self._keys.version,)).fetchall()
        for (player,) in outdated:
            with self._pool.connection() as connection:
                self._rewrap(connection, player)
        with self._pool.connection() as connection:
            connection.execute(_DELETE_OLDER, (["pepper", self._keys.newest_master],))
            connection.execute(_END_ROTATION)
        return len(outdated)

    def _rewrap(self, connection: Connection[TupleRow], player: int) -> None:
        try:
            key = self._lock_player(connection, player)
        except KeyError:
            return  # erased meanwhile
        row = connection.execute(_KEY, (player,)).fetchone()
        assert row is not None
        wrapped = self._keys.rewrap(player, WrappedKey(*row))
        connection.execute(_REWRAP, (wrapped.version, wrapped.sealed, player))
        # Sorted, so that two players' claims cannot deadlock.
        for field, value in sorted(_owned(connection, key, player)):
            self._record_value(connection, player, field, value)


def _owned(connection: Connection[TupleRow], key: PlayerKey, player: int) -> list[tuple[str, str]]:
    """Returns the player's values that should be unique, as (field, normalised value)."""
    rows = connection.execute(_ACCOUNTS, (player,)).fetchall()
    accounts = [open_account(key, player, number, sealed).owned for number, sealed in rows]
    return [*accounts, *identifying_values(connection, key, player)]
