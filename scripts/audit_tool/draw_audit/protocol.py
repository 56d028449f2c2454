"""The published formats: canonical records, hashes, signatures, links of chains, and digits."""

import hmac
import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

from nacl.bindings import crypto_sign_open
from nacl.exceptions import BadSignatureError

OPERATOR: Final = "operator"
WITNESS: Final = "witness"

#: What a signature is for. Each is prepended to the signed bytes.
DAY: Final = b"fairdraw/day/v1\0"
FROZEN: Final = b"fairdraw/frozen/v1\0"
RELEASE: Final = b"fairdraw/release/v1\0"
CANCEL: Final = b"fairdraw/cancel/v1\0"
FINISHED: Final = b"fairdraw/finished/v1\0"
RECEIPTS: Final = b"fairdraw/receipts/v1\0"

VERSION: Final = 1
_CHAIN: Final = b"fairdraw/chain/v1\0"
_DRAW: Final = b"fairdraw/draw/v1\0"
_NO_BEACON: Final = bytes(33)
_BIASED: Final = 250  # bytes from here on would favour the digits 0 to 5
_DIGITS: Final = 3
_SIGNATURE_BYTES: Final = 64
_encode: Final = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False
).encode
_quoted: Final = json.encoder.encode_basestring


def lp(text: str) -> bytes:
    """Returns two bytes of length, then the text."""
    content = text.encode()
    return len(content).to_bytes(2, "big") + content


def canonical(record: Mapping[str, Any]) -> bytes:
    """Returns a record as RFC 8785 JSON. All names are ASCII; all values texts and integers."""
    return _encode(record).encode()


def digest(content: bytes) -> bytes:
    """Returns the SHA-256."""
    return sha256(content).digest()


def chain_prefix(role: str, game: int, day: str) -> bytes:
    """Returns the bytes with which every link of a chain begins."""
    return _CHAIN + lp(role) + lp(str(game)) + lp(day)


def link(prefix: bytes, index: int, following: bytes) -> bytes:
    """Returns the link at `index`, from the one at `index + 1`."""
    return sha256(prefix + index.to_bytes(4, "big") + following).digest()


def digits(
    operator_link: bytes,
    witness_link: bytes,
    game: int,
    day: str,
    index: int,
    frozen: bytes,
    beacon: bytes | None = None,
) -> tuple[int, ...]:
    """Returns the three digits of a round; `beacon` is the randomness of its beacon, if any."""
    place = lp(str(game)) + lp(day) + index.to_bytes(4, "big")
    mode = _NO_BEACON if beacon is None else b"\x01" + beacon
    message = _DRAW + place + witness_link + frozen + mode
    found: list[int] = []
    block = 0
    while len(found) < _DIGITS:
        stream = hmac.digest(operator_link, message + block.to_bytes(4, "big"), "sha256")
        found += [byte % 10 for byte in stream if byte < _BIASED]
        block += 1
    return tuple(found[:_DIGITS])


def leaf(entry: bytes) -> bytes:
    """Returns the hash of a tree's entry (RFC 9162)."""
    return sha256(b"\0" + entry).digest()


def tree_head(leaves: Sequence[bytes]) -> bytes:
    """Returns the root over hashed leaves, that of the empty string over none (RFC 9162)."""
    if not leaves:
        return sha256(b"").digest()
    level = list(leaves)
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        above = [sha256(b"\1" + left + right).digest() for left, right in pairs]
        level = above + level[len(above) * 2 :]
    return level[0]


def receipt(bet: Mapping[str, Any], player: str, at: int) -> bytes:
    """Returns the canonical receipt of a bet's fact, which was recorded at this time.

    It is written out, because there are more receipts than other records: `canonical` takes twice
    the time.
    """
    owner = sha256(player.encode() + bytes.fromhex(bet["salt"])).hexdigest()
    return (
        f'{{"at":{at},"bet":{_quoted(bet["bet"])},"game":"{bet["game"]}"'
        f',"issue":{_quoted(bet["issue"])},"kind":{_quoted(bet["kind"])}'
        f',"odds_milli":{bet["odds_milli"]},"odds_table":{_quoted(bet["odds_table"])}'
        f',"owner":"{owner}","salt":"{bet["salt"]}","stake_minor":{bet["stake_minor"]}'
        f',"v":{VERSION}}}'
    ).encode()


def day_record(day: Mapping[str, Any]) -> bytes:
    """Returns the canonical record of a DayOpened, which both parties signed."""
    return canonical(
        {
            "beacon": day["beacon"],
            "c_0": day["operator_commitment"],
            "day": day["day"],
            "first": day["first"],
            "game": str(day["game"]),
            "odds_table": day["odds_hash"],
            "operator_key": day["operator_key"],
            "program": day["program_hash"],
            "rounds": day["rounds"],
            "rules": day["rules_hash"],
            "schedule": day["schedule"],
            "shift": day["shift"],
            "v": VERSION,
            "w_0": day["witness_commitment"],
            "witness_key": day["witness_key"],
        }
    )


def frozen_record(closed: Mapping[str, Any]) -> bytes:
    """Returns the canonical record F of a RoundClosed."""
    return canonical(
        {
            "bets": closed["bets"],
            "closes_at": closed["closes_at"],
            "count": closed["count"],
            "day": closed["day"],
            "game": str(closed["game"]),
            "i": closed["index"],
            "issue": closed["issue"],
            "prev": closed["prev"],
            "stake_minor": closed["stake_minor"],
            "stakes": closed["stakes"],
            "v": VERSION,
        }
    )


def cancel_record(game: int, day: str, index: int) -> bytes:
    """Returns the canonical record with which a witness affirms that it released nothing."""
    return canonical({"day": day, "game": str(game), "i": index, "v": VERSION})


def finished_record(game: int, day: str, released: int, root: str) -> bytes:
    """Returns the canonical record in which a witness sums up its releases of a finished day."""
    return canonical(
        {"day": day, "game": str(game), "released": released, "root": root, "v": VERSION}
    )


def released_entry(index: int, frozen: str) -> bytes:
    """Returns a release's entry in the tree of a finished day; the first entry is the day's."""
    return index.to_bytes(4, "big") + bytes.fromhex(frozen)


def batch_head(size: int, head: str) -> bytes:
    """Returns the signed bytes of a batch of receipts."""
    return size.to_bytes(8, "big") + bytes.fromhex(head)


def is_signed(key: str, purpose: bytes, content: bytes, signature: str) -> bool:
    """Whether a signature in hex is that of this key in hex."""
    try:
        signed = bytes.fromhex(signature)
        if len(signed) != _SIGNATURE_BYTES:
            return False  # the library would take the rest from the content
        crypto_sign_open(signed + purpose + content, bytes.fromhex(key))
    except (BadSignatureError, ValueError):
        return False
    return True
