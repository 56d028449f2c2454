"""A witness cosigns a checkpoint only if it continues the last one (C2SP tlog-witness)."""

from collections.abc import Sequence

import pytest

from engine.fairness import checkpoints, cosigning
from engine.fairness.checkpoints import Checkpoint, Note, sign
from engine.fairness.cosigning import CosignRefusedError, CosignRequest, accept, read_request
from engine.fairness.merkle import leaf_hash
from engine.fairness.signing import private_key, public_bytes
from engine.fairness.tiles import TileId, consistency_path, extend, root

KEY, STRANGER = private_key(b"k" * 32), private_key(b"s" * 32)
PUBLIC = public_bytes(KEY)
ORIGIN = checkpoints.origin_of(PUBLIC)


class Log:
    """A log of these leaves."""

    def __init__(self, leaves: Sequence[bytes]) -> None:
        self._tiles: dict[TileId, bytes] = extend([], 0, [leaf_hash(leaf) for leaf in leaves])

    def tile(self, level: int, number: int) -> bytes:
        return self._tiles[level, number]

    def checkpoint(self, size: int) -> Checkpoint:
        return Checkpoint(ORIGIN, size, root(self, size))

    def note(self, size: int) -> Note:
        return sign(self.checkpoint(size), KEY)

    def request(self, old: int, size: int) -> CosignRequest:
        proof = consistency_path(self, old, size) if old else []
        return CosignRequest(old, tuple(proof), self.note(size))


LOG = Log([b"%d" % number for number in range(40)])
FORK = Log([b"%d" % number for number in range(20)] + [b"other"] * 20)


def refused(request: CosignRequest, newest: Checkpoint | None) -> tuple[int, int]:
    """The HTTP status of the refusal, and the size that it names."""
    with pytest.raises(CosignRefusedError) as error:
        accept(request, newest, PUBLIC)
    return error.value.status, error.value.size


@pytest.mark.parametrize(("old", "size"), [(0, 1), (0, 40), (1, 40), (13, 14), (32, 40), (7, 7)])
def test_a_checkpoint_that_continues_the_last_one_is_accepted(old: int, size: int) -> None:
    newest = LOG.checkpoint(old) if old else None
    assert accept(LOG.request(old, size), newest, PUBLIC) == LOG.checkpoint(size)


def test_another_history_is_refused() -> None:
    """The operator shows two phones two logs: the witness cosigned the first."""
    same_so_far = accept(FORK.request(20, 30), LOG.checkpoint(20), PUBLIC)
    assert same_so_far == FORK.checkpoint(30)
    assert refused(FORK.request(30, 40), LOG.checkpoint(30)) == (422, 0)
    assert refused(FORK.request(30, 30), LOG.checkpoint(30)) == (409, 30)


def test_a_log_that_became_shorter_is_refused() -> None:
    assert refused(LOG.request(20, 20), LOG.checkpoint(30)) == (409, 30)


def test_a_conflict_names_the_size_to_start_from() -> None:
    assert refused(LOG.request(0, 40), LOG.checkpoint(30)) == (409, 30)
    assert refused(LOG.request(30, 40), None) == (409, 0)


def test_a_wrong_proof_is_refused() -> None:
    request = LOG.request(13, 40)
    changed = (bytes(32), *request.proof[1:])
    assert refused(CosignRequest(13, changed, request.note), LOG.checkpoint(13)) == (422, 0)
    assert refused(CosignRequest(13, (), request.note), LOG.checkpoint(13)) == (422, 0)
    assert refused(CosignRequest(0, (bytes(32),), request.note), None) == (422, 0)


def test_an_unsigned_checkpoint_and_another_log_are_refused() -> None:
    forged = sign(LOG.checkpoint(40), STRANGER)
    assert refused(CosignRequest(0, (), forged), None) == (403, 0)
    other = sign(Checkpoint("example.com/log", 40, bytes(32)), KEY)
    assert refused(CosignRequest(0, (), other), None) == (404, 0)


def test_an_old_size_above_the_checkpoints_is_malformed() -> None:
    request = LOG.request(0, 20)
    assert refused(CosignRequest(30, (), request.note), LOG.checkpoint(30)) == (400, 0)


def test_a_request_is_read_as_it_is_written() -> None:
    for old, size in ((0, 1), (13, 40)):
        request = LOG.request(old, size)
        text = cosigning.request_text(request.old, request.proof, request.note)
        assert text.startswith(f"old {old}\n")
        assert read_request(text) == request


@pytest.mark.parametrize(
    "text",
    [
        "",
        "old 0\n\n",
        "old 00\n\n" + LOG.note(1).text(),
        "old -1\n\n" + LOG.note(1).text(),
        "size 0\n\n" + LOG.note(1).text(),
        "old 1\nAAAA\n\n" + LOG.note(2).text(),
        "old 1\n!!!!\n\n" + LOG.note(2).text(),
        "old 1\n" + "A" * 43 + "=\n" * 64 + "\n" + LOG.note(2).text(),
        "old 0\n" + LOG.note(1).text(),
    ],
)
def test_a_malformed_request_is_refused(text: str) -> None:
    with pytest.raises(CosignRefusedError) as error:
        read_request(text)
    assert error.value.status == 400


@pytest.mark.parametrize("name", ["witness.example", "fairdraw-witness-0123456789abcdef"])
def test_the_key_of_a_witness_is_read_as_it_is_written(name: str) -> None:
    text = checkpoints.cosigner_key(name, PUBLIC)
    assert checkpoints.read_cosigner_key(text) == (name, PUBLIC)


@pytest.mark.parametrize("place", [0, 16, 20, 30])
def test_a_changed_key_of_a_witness_is_refused(place: int) -> None:
    text = checkpoints.cosigner_key("witness.example", PUBLIC)
    changed = text[:place] + chr(ord(text[place]) ^ 1) + text[place + 1 :]
    with pytest.raises(checkpoints.NoteError):
        checkpoints.read_cosigner_key(changed)
