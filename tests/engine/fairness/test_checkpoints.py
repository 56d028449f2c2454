"""Checkpoints are C2SP signed notes, and witnesses cosign them."""

from base64 import b64decode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.fairness import checkpoints
from engine.fairness.checkpoints import Checkpoint, Note, NoteError, cosign, read_note, sign
from engine.fairness.signing import private_key

KEY, WITNESS = private_key(b"k" * 32), private_key(b"w" * 32)
PUBLIC, WITNESS_PUBLIC = (each.public_key().public_bytes_raw() for each in (KEY, WITNESS))
CHECKPOINT = Checkpoint(checkpoints.origin_of(PUBLIC), 1_234, bytes(range(32)))
NOTE = sign(CHECKPOINT, KEY)


def test_a_note_has_the_form_that_c2sp_prescribes() -> None:
    lines = NOTE.text().split("\n")
    assert lines[:4] == [
        CHECKPOINT.origin,
        "1234",
        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
        "",
    ]
    assert lines[4].startswith(f"— {CHECKPOINT.origin} ")
    assert lines[5:] == [""]


def test_the_id_of_a_key_is_that_of_other_programs() -> None:
    """The example of golang.org/x/mod/sumdb/note: PeterNeumann+c74f20a3+…"""
    public = b64decode("ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")[1:]
    assert checkpoints.key_id("PeterNeumann", checkpoints.ED25519, public).hex() == "c74f20a3"


def test_a_signed_note_is_read_and_verified() -> None:
    read = read_note(NOTE.text())
    assert read == NOTE
    checkpoints.verify(read, CHECKPOINT.origin, PUBLIC)


@pytest.mark.parametrize(
    "other",
    [
        Checkpoint(CHECKPOINT.origin, 1_235, CHECKPOINT.root),
        Checkpoint(CHECKPOINT.origin, 1_234, bytes(32)),
        Checkpoint("another", 1_234, CHECKPOINT.root),
    ],
)
def test_a_changed_checkpoint_is_not_signed(other: Checkpoint) -> None:
    with pytest.raises(NoteError, match="not signed"):
        checkpoints.verify(Note(other, NOTE.signatures), CHECKPOINT.origin, PUBLIC)


def test_the_signature_of_another_key_does_not_count() -> None:
    with pytest.raises(NoteError, match="not signed"):
        checkpoints.verify(sign(CHECKPOINT, WITNESS), CHECKPOINT.origin, PUBLIC)


def test_a_witness_adds_its_signature_with_its_time() -> None:
    note = NOTE.with_signatures([cosign(CHECKPOINT, "witness.example", WITNESS, 1_795_000_000)])
    read = read_note(note.text())
    checkpoints.verify(read, CHECKPOINT.origin, PUBLIC)
    assert checkpoints.cosigned_at(read, "witness.example", WITNESS_PUBLIC) == 1_795_000_000
    for name, public in (("other.example", WITNESS_PUBLIC), ("witness.example", PUBLIC)):
        with pytest.raises(NoteError, match="not cosigned"):
            checkpoints.cosigned_at(read, name, public)


def test_a_cosignature_covers_its_time_and_its_checkpoint() -> None:
    cosigned = cosign(CHECKPOINT, "w", WITNESS, 5)
    later = with_content(cosigned, (6).to_bytes(8, "big") + cosigned.signature[8:])
    other = Checkpoint(CHECKPOINT.origin, 1_235, CHECKPOINT.root)
    for note in (Note(CHECKPOINT, (later,)), Note(other, (cosigned,))):
        with pytest.raises(NoteError, match="not cosigned"):
            checkpoints.cosigned_at(note, "w", WITNESS_PUBLIC)


def with_content(signature: checkpoints.NoteSignature, content: bytes) -> checkpoints.NoteSignature:
    return checkpoints.NoteSignature(signature.name, signature.key_id, content)


def test_a_newer_cosignature_replaces_the_older_one() -> None:
    first, second = (cosign(CHECKPOINT, "w", WITNESS, at) for at in (5, 6))
    note = NOTE.with_signatures([first]).with_signatures([second])
    assert checkpoints.cosigned_at(note, "w", WITNESS_PUBLIC) == 6
    assert len(note.signatures) == 2


@pytest.mark.parametrize(
    "text",
    [
        "",
        "one\n",
        CHECKPOINT.text(),
        NOTE.text()[:-1],
        NOTE.text().replace("1234", "01234"),
        NOTE.text().replace("1234", "-1"),
        NOTE.text().replace("1234", "\uff11\uff12"),
        NOTE.text().replace("AAEC", "AAE"),
        NOTE.text().replace("— ", "- "),
        NOTE.text().replace("1234\n", "1234\nextension\n"),
        NOTE.text() + "x" * checkpoints.MAX_NOTE_BYTES,
        NOTE.text() + "— name AA==\n",
    ],
)
def test_a_text_that_is_no_signed_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(NoteError):
        read_note(text)


@given(st.text())
def test_any_text_is_a_note_or_an_error(text: str) -> None:
    try:
        note = read_note(text)
    except NoteError:
        return
    assert note.text() == text
