"""Argon2id hashing of passwords and security codes."""

from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

# OWASP's parameters: 19 MiB, two passes, one lane. A hash takes some 20 ms, without the GIL.
_HASHER: Final = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
_DUMMY_HASH: Final = _HASHER.hash("dummy password")


def hash_password(password: str) -> str:
    """Returns the hash to store, which includes a random salt."""
    return _HASHER.hash(password)


def verify_password(stored: str | None, password: str) -> bool:
    """Whether the password matches the stored hash. Without one the same work is done."""
    try:
        _HASHER.verify(stored or _DUMMY_HASH, password)
    except (VerificationError, InvalidHashError):
        return False
    return stored is not None
