"""Ed25519 with domain separation, so that a signature of one kind is not valid as another.

What is signed of a round's frozen record is its hash f_i, of other records their canonical bytes,
of a batch of receipts its size and tree head.
"""

from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)

RECEIPTS: Final = b"fairdraw/receipts/v1\0"
"""The operator: these receipts are accepted bets. Over u64(size) || tree head."""

DAY: Final = b"fairdraw/day/v1\0"
"""Operator and witness: the day is open on these terms. Over a DayRecord."""

FROZEN: Final = b"fairdraw/frozen/v1\0"
"""The operator: this is the round's bet set. Over f_i."""

RELEASE: Final = b"fairdraw/release/v1\0"
"""The witness: my link was released for this f_i and for no other. Over f_i."""

CANCEL: Final = b"fairdraw/cancel/v1\0"
"""The operator asks, the witness affirms: not released, and never will be."""

FINISHED: Final = b"fairdraw/finished/v1\0"
"""The witness: these are all my releases of a finished day or segment. Over a FinishedRecord."""


def private_key(seed: bytes) -> Ed25519PrivateKey:
    """The signing key that follows from 32 secret bytes; ValueError for another length."""
    return Ed25519PrivateKey.from_private_bytes(seed)


def sign(key: Ed25519PrivateKey, domain: bytes, payload: bytes) -> bytes:
    """The 64-byte signature over `domain || payload`; Ed25519 needs no randomness."""
    return key.sign(domain + payload)


def verify(public_key: bytes, domain: bytes, payload: bytes, signature: bytes) -> bool:
    """Whether a signature is valid under a raw 32-byte public key; False for malformed ones."""
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, domain + payload)
    except (InvalidSignature, ValueError):
        return False
    return True


def public_bytes(key: Ed25519PrivateKey) -> bytes:
    """The raw 32-byte public key, as it is published."""
    return key.public_key().public_bytes_raw()
