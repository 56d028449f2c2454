"""Checkpoints of the log: C2SP signed notes (tlog-checkpoint), and witnesses' cosignatures on them.

A checkpoint says how many leaves the log has and which root hash. Its text is signed by the log's
key, and cosigned by witnesses that have seen the log continue the checkpoint they saw before.
`scripts/audit` reads them with code of its own.
"""

from base64 import b64decode, b64encode
from collections.abc import Iterable
from hashlib import sha256
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from msgspec import Struct

from engine.fairness.tiles import HASH_BYTES

ED25519: Final = b"\x01"
"""The signature type of the log's own signature (C2SP signed-note)."""
COSIGNATURE: Final = b"\x04"
"""The signature type of a witness's timestamped signature (C2SP tlog-cosignature)."""
MAX_NOTE_BYTES: Final = 64 * 1024
_MAX_SIGNATURES: Final = 32
_KEY_ID_BYTES: Final = 4
_KEY_BYTES: Final = 32
_TIME_BYTES: Final = 8
_LINE: Final = "— "


class NoteError(ValueError):
    """A text is not a signed checkpoint, or a signature that it needs is missing or wrong."""


class Checkpoint(Struct, frozen=True):
    """The state of a log. `origin` names the log; `size` is its number of leaves."""

    origin: str
    size: int
    root: bytes

    def text(self) -> str:
        """Returns the note's text, which is signed."""
        return f"{self.origin}\n{self.size}\n{b64encode(self.root).decode()}\n"


class NoteSignature(Struct, frozen=True):
    """One signature line: the key's name, the key's id of 4 bytes, and the signature."""

    name: str
    key_id: bytes
    signature: bytes

    def line(self) -> str:
        """Returns the line as a note has it."""
        return f"{_LINE}{self.name} {b64encode(self.key_id + self.signature).decode()}\n"


class Note(Struct, frozen=True):
    """A checkpoint with its signatures."""

    checkpoint: Checkpoint
    signatures: tuple[NoteSignature, ...]

    def text(self) -> str:
        """Returns the signed note."""
        return self.checkpoint.text() + "\n" + "".join(each.line() for each in self.signatures)

    def with_signatures(self, more: Iterable[NoteSignature]) -> "Note":
        """Returns the note with these signatures too; one of the same key is replaced."""
        by_key = {(each.name, each.key_id): each for each in (*self.signatures, *more)}
        return Note(self.checkpoint, tuple(by_key.values()))


def origin_of(operator_key: bytes) -> str:
    """Returns the name of the log of the house with this public key."""
    return f"fairdraw-{sha256(operator_key).hexdigest()[:16]}"


def witness_name(witness_key: bytes) -> str:
    """Returns the name of a witness with this public key that has no other."""
    return f"fairdraw-witness-{sha256(witness_key).hexdigest()[:16]}"


def key_id(name: str, kind: bytes, public_key: bytes) -> bytes:
    """Returns the id of a key in signature lines."""
    return sha256(name.encode() + b"\n" + kind + public_key).digest()[:_KEY_ID_BYTES]


def cosigner_key(name: str, public_key: bytes) -> str:
    """Returns the text of a witness's public key (C2SP signed-note, verifier key)."""
    found = key_id(name, COSIGNATURE, public_key).hex()
    return f"{name}+{found}+{b64encode(COSIGNATURE + public_key).decode()}"


def read_cosigner_key(text: str) -> tuple[str, bytes]:
    """Returns the name and the raw public key. Raises NoteError for any other text."""
    name, _, rest = text.partition("+")
    found, _, content = rest.partition("+")
    blob = _decoded(content, len(COSIGNATURE) + _KEY_BYTES)
    kind, public_key = blob[:1], blob[1:]
    named = bool(name) and name.isprintable() and not any(each.isspace() for each in name)
    if not named or kind != COSIGNATURE or found != key_id(name, kind, public_key).hex():
        raise NoteError("the text is not the key of a witness")
    return name, public_key


def sign(checkpoint: Checkpoint, key: Ed25519PrivateKey) -> Note:
    """Returns the checkpoint signed by the log's key, whose name is the origin."""
    public = key.public_key().public_bytes_raw()
    found = key_id(checkpoint.origin, ED25519, public)
    signature = key.sign(checkpoint.text().encode())
    return Note(checkpoint, (NoteSignature(checkpoint.origin, found, signature),))


def cosign(checkpoint: Checkpoint, name: str, key: Ed25519PrivateKey, at_s: int) -> NoteSignature:
    """Returns the cosignature of a witness with this name; `at_s` is its clock in Unix seconds."""
    found = key_id(name, COSIGNATURE, key.public_key().public_bytes_raw())
    signature = key.sign(_cosigned(checkpoint, at_s))
    return NoteSignature(name, found, at_s.to_bytes(_TIME_BYTES, "big") + signature)


def _cosigned(checkpoint: Checkpoint, at_s: int) -> bytes:
    return f"cosignature/v1\ntime {at_s}\n{checkpoint.text()}".encode()


def read_note(text: str) -> Note:
    """Returns the note of a signed text. Raises NoteError; the signatures are not verified."""
    if len(text.encode(errors="replace")) > MAX_NOTE_BYTES:
        raise NoteError("the note is too long")
    body, separator, lines = text.partition("\n\n")
    if not separator or not lines.endswith("\n"):
        raise NoteError("the text is not a signed note")
    try:
        origin, size, root = body.split("\n")
    except ValueError:
        raise NoteError("the checkpoint has not three lines") from None
    if not origin or not size.isascii() or not size.isdigit() or str(int(size)) != size:
        raise NoteError("the checkpoint has no origin or no size")
    signatures = read_signatures(lines)
    return Note(Checkpoint(origin, int(size), _decoded(root, HASH_BYTES)), signatures)


def read_signatures(lines: str) -> tuple[NoteSignature, ...]:
    """Returns the signatures of a text that has only their lines. Raises NoteError."""
    signatures = tuple(_signature(line) for line in lines.removesuffix("\n").split("\n"))
    if len(signatures) > _MAX_SIGNATURES:
        raise NoteError("the note has too many signatures")
    return signatures


def _signature(line: str) -> NoteSignature:
    name, separator, content = line.removeprefix(_LINE).partition(" ")
    if not line.startswith(_LINE) or not name or "+" in name or not separator:
        raise NoteError("the note has a malformed signature line")
    blob = _decoded(content)
    if len(blob) <= _KEY_ID_BYTES:
        raise NoteError("the note has a short signature")
    return NoteSignature(name, blob[:_KEY_ID_BYTES], blob[_KEY_ID_BYTES:])


def _decoded(content: str, length: int | None = None) -> bytes:
    try:
        found = b64decode(content, validate=True)
    except ValueError:
        raise NoteError("the note has malformed base64") from None
    if b64encode(found).decode() != content or length not in {None, len(found)}:
        raise NoteError("the note has malformed base64")
    return found


def verify(note: Note, name: str, public_key: bytes) -> None:
    """Raises NoteError unless the log's key of this name has signed the note."""
    found = key_id(name, ED25519, public_key)
    payload = note.checkpoint.text().encode()
    for each in note.signatures:
        if (each.name, each.key_id) == (name, found) and _is_valid(
            public_key, each.signature, payload
        ):
            return
    raise NoteError(f"the note is not signed by {name}")


def cosigned_at(note: Note, name: str, public_key: bytes) -> int:
    """Returns when a witness cosigned, in Unix seconds by its clock. Raises NoteError if not."""
    found = key_id(name, COSIGNATURE, public_key)
    for each in note.signatures:
        if (each.name, each.key_id) != (name, found):
            continue
        at_s = int.from_bytes(each.signature[:_TIME_BYTES], "big")
        if _is_valid(public_key, each.signature[_TIME_BYTES:], _cosigned(note.checkpoint, at_s)):
            return at_s
    raise NoteError(f"the note is not cosigned by {name}")


def _is_valid(public_key: bytes, signature: bytes, payload: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, payload)
    except (InvalidSignature, ValueError):
        return False
    return True
