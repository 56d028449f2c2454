"""The six-digit security code for withdrawals: required in addition to a session, not for login.

1. A code that is easy to guess is refused.
2. An attempt is counted, and that committed, before it is verified: parallel guesses all count.
3. Attempts are numbered. The right code forgives attempts up to its own, and no later ones.
4. Ten unforgiven attempts lock the code permanently. Only `remove_code` resets it, after staff have
   verified the player's identity again.
"""

import re
from itertools import pairwise
from typing import Final

from engine.refusals import Refusal
from engine.runtime.vault.base import VaultPart
from engine.runtime.vault.password_login import hash_password, verify_password
from engine.runtime.vault.payout_accounts import current_card
from engine.runtime.vault.validation import VaultRefused

CODE: Final = re.compile(r"[0-9]{6}", re.ASCII)

_MIN_DIFFERENT_DIGITS: Final = 3
# Codes that people choose, most of which no rule below finds: lines and corners of the keypad,
# numbers that sound like words of love in Chinese, first digits of constants, and others.
_COMMON_CODES: Final = frozenset(
    (
        *("147258", "258147", "258369", "369258", "147369", "369147", "963852", "852741"),
        *("741852", "852963", "159357", "357159", "159753", "753159", "951753", "357951"),
        *("789456", "456123", "123654", "654123", "321654", "987123", "123987", "321456"),
        *("142536", "147896", "123698", "192837", "918273", "102030", "100200", "123890"),
        *("131452", "521131", "520131", "201314", "201413", "584520", "147147", "789123"),
        *("314159", "271828", "141421", "161803", "112358", "123789", "456789", "123456"),
    )
)
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


def is_weak(code: str) -> bool:
    """Whether these six digits follow a pattern that people often choose."""
    return (
        len(set(code)) < _MIN_DIFFERENT_DIGITS
        or _has_one_step(code)
        or _repeats(code)
        or code == code[::-1]
        or code in _COMMON_CODES
    )


def _has_one_step(code: str) -> bool:
    """Whether all steps are equal modulo 10, as in 345678, 086420, 890123."""
    steps = {(int(after) - int(before)) % 10 for before, after in pairwise(code)}
    return len(steps) == 1


def _repeats(code: str) -> bool:
    """Whether digits repeat as in 123123, 121212 or 112233."""
    return code[:3] == code[3:] or code[:2] * 3 == code or code[::2] == code[1::2]


class SecurityCodes(VaultPart):
    """Sets, changes and verifies codes. Each hash of a code takes some 20 ms."""

    def set_code(self, player: int, code: str) -> VaultRefused | None:
        """Set a first code. Raises KeyError if there is no such player."""
        refused = self._check_new(player, code)
        if refused is not None:
            return refused
        code_hash = self._hashed(player, code)
        with self._pool.connection() as connection:
            row = connection.execute(_SET, (player, code_hash, self._clock())).fetchone()
        return None if row else VaultRefused(Refusal.SECURITY_CODE_ALREADY_SET, "code")

    def change_code(self, player: int, old: str, new: str) -> VaultRefused | None:
        """Change the code of a player who knows the old one. A wrong old code is an attempt."""
        refused = self._check_new(player, new)
        if refused is not None:
            return refused
        if new == old:
            return VaultRefused(Refusal.SECURITY_CODE_UNCHANGED, "code")
        old_hash = self._verified(player, old)
        if isinstance(old_hash, VaultRefused):
            return old_hash
        values = (self._hashed(player, new), self._clock(), player, old_hash)
        with self._pool.connection() as connection:
            row = connection.execute(_CHANGE, values).fetchone()
        # A concurrent change has made the old code wrong.
        return None if row else VaultRefused(Refusal.SECURITY_CODE_WRONG, "old_code")

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
            return VaultRefused(Refusal.SECURITY_CODE_INVALID, "code")
        if is_weak(code) or code == self._end_of_card(player):
            return VaultRefused(Refusal.SECURITY_CODE_WEAK, "code")
        return None

    def _end_of_card(self, player: int) -> str | None:
        with self._pool.connection() as connection:
            card = current_card(connection, self._lock_player(connection, player), player)
        return None if card is None else card.number[-6:]

    def _verified(self, player: int, code: str) -> str | VaultRefused:
        """Returns the hash of the current code if `code` matches it."""
        if not CODE.fullmatch(code):
            return VaultRefused(Refusal.SECURITY_CODE_INVALID, "code")
        with self._pool.connection() as connection:
            row = connection.execute(_CONSUME, (player,)).fetchone()
            if row is None:
                is_set = connection.execute(_IS_SET, (player,)).fetchone() is not None
                return VaultRefused(
                    Refusal.SECURITY_CODE_LOCKED if is_set else Refusal.SECURITY_CODE_MISSING
                )
        code_hash, number = row
        if not verify_password(code_hash, self._keys.peppered(player, code)):
            return VaultRefused(Refusal.SECURITY_CODE_WRONG, "code")
        with self._pool.connection() as connection:
            connection.execute(_FORGIVE, (number, player))
        return str(code_hash)

    def _hashed(self, player: int, code: str) -> str:
        return hash_password(self._keys.peppered(player, code))
