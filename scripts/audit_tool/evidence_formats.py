"""The formats of the published data, for `scripts/audit verify`: written apart from the engine's.

Every reader raises ValueError for a value in another form than the published one, so that no value
has two spellings.
"""

import json
import re
from base64 import b64decode, b64encode
from hashlib import sha256
from typing import Any, Final, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

HASH_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64
LOG_SIGNATURE: Final = b"\1"
"""The type of the log's own signature in a note, and of a witness's."""
COSIGNATURE: Final = b"\4"
KEY_ID_BYTES: Final = 4
_TIME_END: Final = KEY_ID_BYTES + 8
_SIZE: Final = re.compile("0|[1-9][0-9]{0,18}")


def canonical(value: Any) -> bytes:
    """Returns RFC 8785 JSON of texts, whole numbers, lists and objects."""
    return json.dumps(_sorted(value), ensure_ascii=False, separators=(",", ":")).encode()


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        by_unit = sorted(value.items(), key=lambda each: each[0].encode("utf-16-be"))
        return {name: _sorted(each) for name, each in by_unit}
    return [_sorted(each) for each in value] if isinstance(value, list) else value


def from_hex(text: str, length: int | None = None) -> bytes:
    """Returns the bytes of lower-case hex. Raises ValueError for another form or length."""
    found = bytes.fromhex(text)
    if found.hex() != text or length not in {None, len(found)}:
        raise ValueError("not hex as it is published")
    return found


def lp(text: str) -> bytes:
    """Returns a length of 2 bytes and the text. Raises OverflowError past 65,535 bytes."""
    content = text.encode()
    return len(content).to_bytes(2, "big") + content


def is_valid(key: bytes, payload: bytes, signature: bytes) -> bool:
    """Whether an Ed25519 signature is valid; False for a malformed key or signature."""
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, payload)
    except (InvalidSignature, ValueError):
        return False
    return True


def leaf_hash(content: bytes) -> bytes:
    """Returns the leaf hash of RFC 9162."""
    return sha256(b"\0" + content).digest()


def root_of(leaf: bytes, index: int, size: int, path: list[str]) -> bytes:
    """Returns the root of a leaf and its path (RFC 9162 2.1.3.2). Raises ValueError if unfit."""
    if not 0 <= index < size:
        raise ValueError("the leaf is outside the tree")
    node, last, rest = leaf, size - 1, iter([from_hex(each, 32) for each in path])
    while last:
        if index % 2 or index < last:
            sibling = next(rest, None)
            if sibling is None:
                raise ValueError("the path is too short")
            pair = sibling + node if index % 2 else node + sibling
            node = sha256(b"\1" + pair).digest()
        index, last = index // 2, last // 2
    if next(rest, None) is not None:
        raise ValueError("the path is too long")
    return node


class Entry(NamedTuple):
    """A fact as the log has it; `at` in microseconds, `state` as stored."""

    position: int
    stream: str
    version: int
    topic: str
    at: int
    state: bytes


def read_entry(text: str) -> Entry:
    """Returns a log entry of hex. Raises ValueError if it is not exactly one."""
    content, place = from_hex(text), 0

    def take(length: int) -> bytes:
        nonlocal place
        place += length
        if place > len(content):
            raise ValueError("the entry is too short")
        return content[place - length : place]

    def number(length: int) -> int:
        return int.from_bytes(take(length), "big")

    def words() -> str:
        return take(number(2)).decode()

    position, stream, version, topic, at = number(8), words(), number(8), words(), number(8)
    _, _, state = words(), words(), take(number(4))
    if place != len(content):
        raise ValueError("the entry is too long")
    return Entry(position, stream, version, topic, at, state)


class SignedNote(NamedTuple):
    """A checkpoint: the signed body, what it says, and its signature lines."""

    body: bytes
    origin: str
    size: int
    root: bytes
    lines: list[tuple[str, bytes]]


def read_note(text: str) -> SignedNote:
    """Returns a signed note (C2SP). Raises ValueError if the text is none."""
    body, _, rest = text.partition("\n\n")
    origin, size, root = body.split("\n")
    if not _SIZE.fullmatch(size) or not rest.endswith("\n"):
        raise ValueError("not a checkpoint")
    lines = [_line(each) for each in rest[:-1].split("\n")]
    return SignedNote(f"{body}\n".encode(), origin, int(size), _base64(root), lines)


def _line(text: str) -> tuple[str, bytes]:
    name, _, content = text.removeprefix("— ").partition(" ")
    blob = _base64(content)
    if not text.startswith("— ") or not name or len(blob) <= KEY_ID_BYTES:
        raise ValueError("not a signature line")
    return name, blob


def _base64(text: str) -> bytes:
    found = b64decode(text, validate=True)
    if b64encode(found).decode() != text:
        raise ValueError("not base64 in its one form")
    return found


def key_id(name: str, kind: bytes, key: bytes) -> bytes:
    """Returns the id of a key in signature lines (C2SP signed-note)."""
    return sha256(f"{name}\n".encode() + kind + key).digest()[:KEY_ID_BYTES]


def is_signed_note(note: SignedNote, operator_key: bytes) -> bool:
    """Whether the operator signed a checkpoint of its own log."""
    origin = f"fairdraw-{sha256(operator_key).hexdigest()[:16]}"
    wanted = (origin, key_id(origin, LOG_SIGNATURE, operator_key))
    found = [blob for name, blob in note.lines if (name, blob[:KEY_ID_BYTES]) == wanted]
    return (
        note.origin == origin
        and bool(found)
        and all(is_valid(operator_key, note.body, blob[KEY_ID_BYTES:]) for blob in found)
    )


def cosignatures(note: SignedNote, witness_key: bytes) -> list[bytes]:
    """Returns the key ids, times and signatures of a witness's lines (C2SP tlog-cosignature)."""
    return [
        blob
        for name, blob in note.lines
        if blob[:KEY_ID_BYTES] == key_id(name, COSIGNATURE, witness_key)
    ]


def are_valid_cosignatures(note: SignedNote, witness_key: bytes) -> bool:
    """Whether a witness signed a checkpoint, and every line with its key is valid."""
    found = cosignatures(note, witness_key)
    return bool(found) and all(
        is_valid(witness_key, _cosigned_text(note.body, blob), blob[_TIME_END:]) for blob in found
    )


def _cosigned_text(body: bytes, blob: bytes) -> bytes:
    at_s = int.from_bytes(blob[KEY_ID_BYTES:_TIME_END], "big")
    return f"cosignature/v1\ntime {at_s}\n".encode() + body
