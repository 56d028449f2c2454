"""The six-digit code asked for at withdrawals: a step more than a session, never a sign-in.

1. A try is consumed, and that committed, before it is verified: parallel guesses all count.
2. Tries are numbered. The right code forgives those up to its own, and none that came after it.
3. Ten that are not forgiven lock for good: only `forget_code` after a new proof of identity helps.
"""

from typing import Final

from engine.runtime.passwords import hash_password, verify_password
from engine.runtime.vault.part import VaultPart
from engine.runtime.vault.payout_accounts import current_card
from engine.runtime.vault.refused import VaultRefused
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
    """Setting, changing and verifying codes. Each call but `forget_code` hashes, some 20 ms."""

    def set_code(self, player: int, code: str) -> VaultRefused | None:
        """Take a first code. KeyError when there is no such member."""
        refused = self._check_new(player, code)
        if refused is not None:
            return refused
        code_hash = self._hashed(player, code)
        with self._pool.connection() as connection:
            row = connection.execute(_SET, (player, code_hash, self._clock())).fetchone()
        return None if row else VaultRefused("security_code_already_set", "code")

    def change_code(self, player: int, old: str, new: str) -> VaultRefused | None:
        """Take a new code from whoever knows the old one; a wrong old one is a try."""
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
        # Whoever changed it in between has made the old one wrong.
        return None if row else VaultRefused("security_code_wrong", "old_code")

    def verify_code(self, player: int, code: str) -> VaultRefused | None:
        """None if this is the member's code; every call with six digits is a try."""
        verified = self._verified(player, code)
        return verified if isinstance(verified, VaultRefused) else None

    def remove_code(self, player: int, at: int) -> None:
        """Let the member set a first code again, once staff have proved anew who they are.

        A code that was set behind `at`, in microseconds, stays: it is not the one they meant.
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
        """The hash of the code in force, if this is it."""
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
