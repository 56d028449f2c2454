"""The draw: two hash chains over a frozen bet set.

Rules:
- The operator's link c_i is the only key of the stream; the witness's w_i and the frozen set f_i
  are its message. No party can know the digits before the other has given its part.
- Neither link can be computed from what was published before the reveal (c_0 … c_{i-1}, w_0 …
  w_{i-1}, f_i).
- Nothing here sees a bet, a balance or a clock; f_i comes in as 32 opaque bytes.

Every value is 32 bytes; `game` is the id in decimal, `day` the draw day or its segment.
"""

import hmac
from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import count

CHAIN_TAG = b"fairdraw/chain/v1\0"
DRAW_TAG = b"fairdraw/draw/v1\0"
OPERATOR = "operator"
WITNESS = "witness"

_NO_BEACON = b"\x00" + bytes(32)
_LAST_UNBIASED_BYTE = 249


def lp(text: str) -> bytes:
    """Two big-endian bytes of length, then the text in UTF-8; OverflowError past 65,535."""
    encoded = text.encode()
    return len(encoded).to_bytes(2, "big") + encoded


def u32(number: int) -> bytes:
    """Four big-endian bytes."""
    return number.to_bytes(4, "big")


def link(role: str, game: str, day: str, index: int, following: bytes) -> bytes:
    """The chain's value at `index`, from its value at `index + 1`."""
    prefix = CHAIN_TAG + lp(role) + lp(game) + lp(day)
    return sha256(prefix + u32(index) + following).digest()


def chain(role: str, game: str, day: str, tail: bytes, length: int) -> tuple[bytes, ...]:
    """All values of a chain, 0 to `length`; the last is the tail, the secret it grows from."""
    values = [tail]
    for index in reversed(range(length)):
        values.append(link(role, game, day, index, values[-1]))
    return tuple(reversed(values))


def message(
    witness_link: bytes, game: str, day: str, index: int, frozen_hash: bytes, beacon: bytes | None
) -> bytes:
    """The input to which the operator's link is applied: everything public about round `index`."""
    mode = _NO_BEACON if beacon is None else b"\x01" + beacon
    return DRAW_TAG + lp(game) + lp(day) + u32(index) + witness_link + frozen_hash + mode


def stream(operator_link: bytes, draw_message: bytes) -> Iterator[int]:
    """Endless bytes, HMAC-SHA256 of the message and a counter, block after block."""
    for block in count():
        yield from hmac.digest(operator_link, draw_message + u32(block), "sha256")


def three_digits(source: Iterable[int]) -> tuple[int, int, int]:
    """The first three unbiased digits of a byte stream, which must contain that many.

    A byte above 249 is skipped, so that each digit has 25 of the 250 values left.
    """
    digits = (byte % 10 for byte in source if byte <= _LAST_UNBIASED_BYTE)
    return next(digits), next(digits), next(digits)


def draw(
    operator_link: bytes,
    witness_link: bytes,
    game: str,
    day: str,
    index: int,
    frozen_hash: bytes,
    beacon: bytes | None,
) -> tuple[int, int, int]:
    """The three digits of round `index`; `beacon` is a public beacon's 32 bytes, or None."""
    return three_digits(
        stream(operator_link, message(witness_link, game, day, index, frozen_hash, beacon))
    )
