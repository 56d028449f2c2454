"""Passwords and other secrets that members know: argon2id, in one place."""

from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

# OWASP's figures: 19 MiB, two passes, one lane; some 20 ms, of which the interpreter is free.
_HASHER: Final = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
_DUMMY_HASH: Final = _HASHER.hash("nobody's password")


def hash_password(password: str) -> str:
    """The hash to store, with a salt of its own."""
    return _HASHER.hash(password)


def verify_password(stored: str | None, password: str) -> bool:
    """Whether the password is the stored one; the same work is done when nothing is stored."""
    try:
        _HASHER.verify(stored or _DUMMY_HASH, password)
    except (VerificationError, InvalidHashError):
        return False
    return stored is not None
