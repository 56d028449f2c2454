"""The six-digit security code for withdrawals: required in addition to a session, not for login.

1. An attempt is counted, and that committed, before it is verified: parallel guesses all count.
2. Attempts are numbered. The right code forgives attempts up to its own, and no later ones.
3. Ten unforgiven attempts lock the code permanently. Only `remove_code` resets it, after staff have
   verified the player's identity again.
"""

from typing import Final

from engine.runtime.vault.base import VaultPart
from engine.runtime.vault.passwords import hash_password, verify_password
from engine.runtime.vault.payout_accounts import current_card
from engine.runtime.vault.refusal import VaultRefused
from engine.runtime.vault.weak_codes import CODE, is_weak

FAILURES_ALLOWED: Final = 10

_CONSUME: Final = (
    "UPDATE vault.security_codes SET tries = tries + 1"
    f" WHERE player = %s AND tries - forgiven < {FAILURES_ALLOWED} RETURNING code_hash, tries"
)
_FORGIVE: Final = (
    "UPDATE vault.security_codes SET forgiven = greatest(forgiven, %s) WHERE player = %s"
)
_IS_SET: Final = "SELECT FROM vault.security_codes WHERE player = %s"
_SET: Final = (
    "INSERT INTO vault.security_codes (player, code_hash, set_at) VALUES (%s, %s, %s)"
    " ON CONFLICT DO NOTHING RETURNING player"
)
_CHANGE: Final = (
    "UPDATE vault.security_codes SET code_hash = %s, set_at = %s"
    " WHERE player = %s AND code_hash = %s RETURNING player"
)
_REMOVE: Final = "DELETE FROM vault.security_codes WHERE player = %s AND set_at <= %s"


class SecurityCodes(VaultPart):
    """Sets, changes and verifies codes. Each call except `remove_code` hashes, some 20 ms."""

    def set_code(self, player: int, code: str) -> VaultRefused | None:
        """Set a first code. Raises KeyError if there is no such player."""
        refused = self._check_new(player, code)
        if refused is not None:
            return refused
        code_hash = self._hashed(player, code)
        with self._pool.connection() as connection:
            row = connection.execute(_SET, (player, code_hash, self._clock())).fetchone()
        return None if row else VaultRefused("security_code_already_set", "code")

    def change_code(self, player: int, old: str, new: str) -> VaultRefused | None:
        """Change the code of a player who knows the old one. A wrong old code is an attempt."""
        refused = self._check_new(player, new)
        if refused is not None:
            return refused
        if new == old:
            return VaultRefused("security_code_unchanged", "code")
        old_hash = self._verified(player, old)
        if isinstance(old_hash, VaultRefused):
            return old_hash
        values = (self._hashed(player, new), self._clock(), player, old_hash)
        with self._pool.connection() as connection:
            row = connection.execute(_CHANGE, values).fetchone()
        # A concurrent change has made the old code wrong.
        return None if row else VaultRefused("security_code_wrong", "old_code")

    def verify_code(self, player: int, code: str) -> VaultRefused | None:
        """Returns None if this is the player's code. Every call with six digits is an attempt."""
        verified = self._verified(player, code)
        return verified if isinstance(verified, VaultRefused) else None

    def remove_code(self, player: int, at: int) -> None:
        """Remove the code after a new identity check by staff; the player can then set another.

        A code that was set after `at`, in microseconds, stays: it is not the one staff removed.
        """
        with self._pool.connection() as connection:
            connection.execute(_REMOVE, (player, at))

    def _check_new(self, player: int, code: str) -> VaultRefused | None:
        if not CODE.fullmatch(code):
            return VaultRefused("security_code_invalid", "code")
        if is_weak(code) or code == self._end_of_card(player):
            return VaultRefused("security_code_weak", "code")
        return None

    def _end_of_card(self, player: int) -> str | None:
        with self._pool.connection() as connection:
            card = current_card(connection, self._lock_player(connection, player), player)
        return None if card is None else card.number[-6:]

    def _verified(self, player: int, code: str) -> str | VaultRefused:
        """Returns the hash of the current code if `code` matches it."""
        if not CODE.fullmatch(code):
            return VaultRefused("security_code_invalid", "code")
        with self._pool.connection() as connection:
            row = connection.execute(_CONSUME, (player,)).fetchone()
            if row is None:
                is_set = connection.execute(_IS_SET, (player,)).fetchone() is not None
                return VaultRefused("security_code_locked" if is_set else "security_code_missing")
        code_hash, number = row
        if not verify_password(code_hash, self._keys.peppered(player, code)):
            return VaultRefused("security_code_wrong", "code")
        with self._pool.connection() as connection:
            connection.execute(_FORGIVE, (number, player))
        return str(code_hash)

    def _hashed(self, player: int, code: str) -> str:
        return hash_password(self._keys.peppered(player, code))
