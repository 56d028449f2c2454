"""The evidence of a forked log, for `scripts/audit verify`: two checkpoints of one operator."""

from typing import Any, Final, NamedTuple

from scripts.audit_tool.evidence_file import EvidenceError, check_shape, key_of
from scripts.audit_tool.evidence_formats import SignedNote, is_signed_note, read_note

FORMAT: Final = "fairdraw/fork/v1"
_SHAPE: Final = {"format": str, "operator_key": str, "checkpoints": [str]}
_TWO: Final = 2


class Fork(NamedTuple):
    """Two checkpoints, and the public key of the operator that signed them."""

    operator_key: bytes
    notes: tuple[SignedNote, SignedNote]


def fork_of(found: dict[str, Any]) -> Fork:
    """Returns the fork in the object of a file. Raises EvidenceError if there is none."""
    check_shape(found, _SHAPE, "the file")
    if len(found["checkpoints"]) != _TWO:
        raise EvidenceError("the file has not two checkpoints")
    try:
        one, other = (read_note(text) for text in found["checkpoints"])
    except ValueError:
        raise EvidenceError("a checkpoint of the file is malformed") from None
    return Fork(key_of(found, "operator_key"), (one, other))


def report_of(fork: Fork) -> tuple[bool, list[str]]:
    """Returns whether the file proves a fork, and what was checked."""
    one, other = fork.notes
    signed = [is_signed_note(note, fork.operator_key) for note in fork.notes]
    lines = [f"key of the operator {fork.operator_key.hex()}"]
    for note, is_signed in zip(fork.notes, signed, strict=True):
        word = "ok" if is_signed else "FAILED"
        lines.append(f"{word:9}The operator signed the checkpoint over {note.size:,} facts")
    if not all(signed):
        return False, [*lines, "NOT VERIFIED: the operator did not sign both"]
    if one.size != other.size:
        advice = "compare them with the log: scripts/audit log --checkpoint FILE"
        return False, [*lines, f"NOT VERIFIED: checkpoints of two sizes prove nothing; {advice}"]
    if one.root == other.root:
        return False, [*lines, "NOT VERIFIED: both checkpoints are of one log"]
    shows = "the operator signed two different logs of one size, which no honest log has"
    leaves_open = "which of them was changed, and which facts differ"
    return True, [
        *lines,
        "ok       The checkpoints have different root hashes",
        f"         shows: {shows}",
        f"         leaves open: {leaves_open}",
        "verified: the operator forked its log",
    ]
