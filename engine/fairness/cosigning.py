"""How a witness cosigns a log's checkpoints: C2SP tlog-witness, its request and its rules.

A witness cosigns a checkpoint only if it continues the last one that it cosigned, and stores it
first. Two histories of one log can therefore not both be cosigned by it.
"""

from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from engine.fairness import checkpoints
from engine.fairness.checkpoints import Checkpoint, Note, NoteError
from engine.fairness.merkle import verify_consistency
from engine.fairness.tiles import HASH_BYTES

PATH: Final = "/add-checkpoint"
CONFLICT: Final = 409
CONFLICT_TYPE: Final = "text/x.tlog.size"
_MALFORMED, _FORBIDDEN, _UNKNOWN, _UNPROVEN = 400, 403, 404, 422
_MAX_PROOF: Final = 63
_OLD: Final = "old "


class CosignRefusedError(Exception):
    """The witness does not cosign; `status` is its HTTP status, `size` that of its checkpoint."""

    def __init__(self, status: int, reason: str, size: int = 0) -> None:
        """The status and the reason; the size only with `CONFLICT`."""
        super().__init__(reason)
        self.status = status
        self.size = size


class CosignRequest(Struct, frozen=True):
    """A checkpoint, and the proof that it continues the first `old` leaves."""

    old: int
    proof: tuple[bytes, ...]
    note: Note


def request_text(old: int, proof: Sequence[bytes], note: Note) -> str:
    """Returns the body of a request."""
    lines = "".join(f"{b64encode(each).decode()}\n" for each in proof)
    return f"{_OLD}{old}\n{lines}\n{note.text()}"


def read_request(text: str) -> CosignRequest:
    """Returns the request of a body. Raises CosignRefusedError if it is malformed."""
    head, separator, note = text.partition("\n\n")
    first, *lines = head.split("\n")
    old = first.removeprefix(_OLD)
    if not separator or not first.startswith(_OLD) or len(lines) > _MAX_PROOF:
        raise CosignRefusedError(_MALFORMED, "the body is not a checkpoint with a proof")
    if not old.isascii() or not old.isdigit() or str(int(old)) != old:
        raise CosignRefusedError(_MALFORMED, "the old size is not a number")
    try:
        proof = tuple(b64decode(line, validate=True) for line in lines)
        request = CosignRequest(int(old), proof, checkpoints.read_note(note))
    except ValueError as error:  # malformed base64, or a NoteError
        raise CosignRefusedError(_MALFORMED, str(error)) from None
    if any(len(each) != HASH_BYTES for each in proof):
        raise CosignRefusedError(_MALFORMED, "the proof has a malformed hash")
    return request


def accept(request: CosignRequest, newest: Checkpoint | None, log_key: bytes) -> Checkpoint:
    """Returns the checkpoint to store and to cosign.

    `newest` is the last one of this log that was cosigned, None if there was none. `log_key` is the
    public key of the only log that is known. Raises CosignRefusedError if it must not be cosigned.
    """
    checkpoint, origin = request.note.checkpoint, checkpoints.origin_of(log_key)
    if checkpoint.origin != origin:
        raise CosignRefusedError(_UNKNOWN, "the log is unknown")
    try:
        checkpoints.verify(request.note, origin, log_key)
    except NoteError as error:
        raise CosignRefusedError(_FORBIDDEN, str(error)) from None
    if request.old > checkpoint.size:
        raise CosignRefusedError(_MALFORMED, "the old size is above the checkpoint's")
    size = newest.size if newest is not None else 0
    if request.old != size:
        raise CosignRefusedError(CONFLICT, f"the last checkpoint was over {size} facts", size)
    if newest is None or not size:
        if request.proof:
            raise CosignRefusedError(_UNPROVEN, "nothing precedes the first checkpoint")
        return checkpoint
    if size == checkpoint.size and newest.root != checkpoint.root:
        raise CosignRefusedError(CONFLICT, f"another log of {size} facts was cosigned", size)
    if not verify_consistency(size, newest.root, checkpoint.size, checkpoint.root, request.proof):
        raise CosignRefusedError(_UNPROVEN, "the proof of consistency is wrong")
    return checkpoint
