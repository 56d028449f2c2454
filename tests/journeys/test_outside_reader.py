"""`tlog-scales`, a reader of C2SP logs that others wrote, follows the log of a started program."""

from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from tlog_scales.backend import HttpBackend
from tlog_scales.reader import TilesReader
from tlog_scales.signing import NoteSignature, Vkey
from tlog_scales.tiles import leaf_hash
from tlog_scales.tlog import Checkpoint, InclusionProofInvalid

from tests.journeys.program import Program, until
from tests.journeys.test_clean_stop import bet, member

_LOG_SIGNATURE, _COSIGNATURE = 1, 4
_TWO_TILES: Final = 512  # so that a level above the leaves has an entry for each of two full tiles
_BETS_OF_A_MEMBER: Final = 50


class OutsideReader:
    """Reads the public tree over HTTP. The keys are those of the day that the log opened."""

    def __init__(self, program: Program) -> None:
        self._backend = HttpBackend(f"{program.address}/api/fair")
        self.tiles = TilesReader(self._backend)
        issue = program.call("Lottery/heart", {"game_id": 1, "plan_id": 1})["issue"]["issue"]
        asked = {"game_id": "1", "issue": str(issue)}
        day = program.http.get("/api/fair/round", params=asked).json()["day"]["record"]
        self._operator, self._witness = (
            bytes.fromhex(day[name]) for name in ("operator_key", "witness_key")
        )

    def cosigned(self, more_than: int) -> Checkpoint:
        """The first checkpoint over more facts than this that operator and witness have signed."""
        until(lambda: self._backend.get("checkpoint") is not None)
        until(lambda: self._is_cosigned(self.tiles.get_checkpoint(), more_than))
        return self.tiles.get_checkpoint()

    def _is_cosigned(self, checkpoint: Checkpoint, more_than: int) -> bool:
        keys = [self._key_of(line) for line in checkpoint.signatures]
        for key in keys:
            checkpoint.verify(key)
        kinds = {key.sig_type for key in keys}
        return checkpoint.size > more_than and kinds == {_LOG_SIGNATURE, _COSIGNATURE}

    def _key_of(self, line: NoteSignature) -> Vkey:
        """The operator's or the witness's key, by the id that the reader itself computes."""
        keys = (
            Vkey(line.name, None, _LOG_SIGNATURE, self._operator),
            Vkey(line.name, None, _COSIGNATURE, self._witness),
        )
        (key,) = (each for each in keys if each.match(line))
        return key


def test_a_reader_that_others_wrote_follows_the_log(data_dir: Path) -> None:
    with Program(data_dir) as program:
        program.start()
        token = member(program)
        order = bet(program, token)["orderNo"]
        reader = OutsideReader(program)
        old = reader.cosigned(more_than=0)
        assert reader.tiles.calculate_root_hash() == old.root_hash

        while len(program.facts()) <= old.size + _TWO_TILES:
            other = member(program)
            for _ in range(_BETS_OF_A_MEMBER):
                bet(program, other)
        new = reader.cosigned(more_than=old.size + _TWO_TILES)
        assert reader.tiles.calculate_root_hash() == new.root_hash
        continues = reader.tiles.get_consistency_proof(old.size, new.size)
        continues.check(old.root_hash, new.root_hash)

        found = program.call("fair/entry", {"bet": order}, token)
        leaf = leaf_hash(bytes.fromhex(found["entry"]))
        included = reader.tiles.get_inclusion_proof(found["position"] - 1, new.size)
        included.check(leaf, new.root_hash)
        with pytest.raises(InclusionProofInvalid):
            replace(included, leaf_index=included.leaf_index - 1).check(leaf, new.root_hash)
