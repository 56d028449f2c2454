"""The owner of the database rewrites the history of a played house, and signs it again.

Triggers, seals, checkpoints and read models are no hindrance. What the owner cannot make is the
witness's cosignature on a log that does not continue the one before, or a checkpoint that others
have kept.
"""

import importlib
import random
import re
from pathlib import Path

import pytest

from engine.runtime.postgres.embedded_postgres import Conninfos
from engine.runtime.secret_keys import OperatorKey
from tests.auditing.conftest import Audit
from tests.auditing.played_log import REWRITES, PlayedLog, renamed_operator

FACTS = 400
MANY_FACTS = 20_000
OTHER = OperatorKey(b"o" * 32)
NOTHING = "not ruled out: nothing outside this database was compared: a history that the house"
DELETED = "not ruled out: no checkpoint is stored that the witness"
Printed = pytest.CaptureFixture[str]


@pytest.fixture
def a_played_log(stored: Conninfos, tmp_path: Path) -> PlayedLog:
    return PlayedLog(stored, tmp_path / "witness", FACTS)


def checkpoint_of_the_witness(it: PlayedLog, capsys: Printed, file: Path) -> Path:
    """What the witness's own program prints."""
    main = importlib.import_module("scripts.witness_cli.__main__").main
    capsys.readouterr()
    assert main(["checkpoint", "--data", str(it.folder)]) == 0
    file.write_text(capsys.readouterr().out)
    return file


def test_a_played_log_is_clean_and_fits_the_witnesss_own_checkpoint(
    a_played_log: PlayedLog, audit: Audit, capsys: Printed, tmp_path: Path
) -> None:
    kept = checkpoint_of_the_witness(a_played_log, capsys, tmp_path / "witness.txt")
    witness = ("--witness-key", a_played_log.witness_key.hex())
    options = ("--checkpoint", kept, *witness, "--operator-key", a_played_log.key.public.hex())
    assert audit("log", *options) == 0
    shown = capsys.readouterr().out
    assert "not ruled out" not in shown
    assert shown.endswith("\nclean\n")
    assert audit("check", *options) == 0
    assert "not ruled out" not in capsys.readouterr().out
    assert audit("log") == 0
    assert (
        "nothing outside this database was compared: the witness's key is the one that the log"
        in (capsys.readouterr().out)
    )


@pytest.mark.parametrize(
    ("facts", "count"),
    [
        pytest.param(FACTS, len(REWRITES), id="quick"),
        pytest.param(MANY_FACTS, 20, id="long", marks=pytest.mark.long),
    ],
)
def test_each_rewritten_history_is_found_with_its_positions(
    stored: Conninfos, audit: Audit, capsys: Printed, tmp_path: Path, facts: int, count: int
) -> None:
    it = PlayedLog(stored, tmp_path / "witness", facts)
    kept = checkpoint_of_the_witness(it, capsys, tmp_path / "witness.txt")
    rng = random.Random(5)
    with it.witness() as witness:
        for number in range(count):
            rewritten = REWRITES[number % len(REWRITES)](it.facts, rng)
            first, last = it.interval(it.first_change(rewritten))
            it.store(rewritten, it.key, witness)
            assert it.notes("cosigned") == it.cosigned, "the witness does not sign it"
            found = (
                f"positions {first:,} to {last:,}: the log differs from the checkpoint over"
                f" {last:,} facts in the database, cosigned by a witness"
            )
            assert audit("log") == 1
            assert f"FINDING {found}" in capsys.readouterr().err
            assert audit("check", "--patience", 0) == 1
            assert f"\n  {found}" in capsys.readouterr().out
            with it.without_cosigned():
                _is_found_only_from_outside(it, audit, capsys, kept)
                if number < len(REWRITES):  # the rest of a check is slow, and always the same
                    assert audit("check", "--patience", 0, "--checkpoint", kept) == 1
                    assert re.search(f"\n  ({_misfit(it)})", capsys.readouterr().out)


def _is_found_only_from_outside(it: PlayedLog, audit: Audit, capsys: Printed, kept: Path) -> None:
    """The owner has deleted the cosigned checkpoints too."""
    assert audit("log") == 0, "nothing in the database shows it"
    shown = capsys.readouterr().out
    assert NOTHING in shown
    assert DELETED in shown
    assert audit("log", "--checkpoint", kept, "--witness-key", it.witness_key.hex()) == 1
    printed = capsys.readouterr()
    assert re.search(f"FINDING ({_misfit(it)})", printed.err)
    assert DELETED in printed.out


def _misfit(it: PlayedLog) -> str:
    """A pattern of how the witness's newest checkpoint differs; a log can also be too short."""
    size = f"{it.sizes[-1]:,}"
    differs = f"positions 1 to {size}: the log differs from the checkpoint over {size} facts"
    return f"{differs}|the log ends at position [0-9,]+, but {size} facts were sealed"


def test_a_check_without_anything_from_outside_says_so(
    a_played_log: PlayedLog, audit: Audit, capsys: Printed
) -> None:
    a_played_log.store(REWRITES[0](a_played_log.facts, random.Random(1)), a_played_log.key)
    with a_played_log.without_cosigned():
        assert audit("check", "--patience", 0) == 0
    shown = capsys.readouterr().out
    assert f"note: {NOTHING}" in shown
    assert f"note: {DELETED}" in shown
    assert "a rewrite of history that the house signed again" in shown.partition("not covered:")[2]


def test_a_fit_with_new_checkpoints_of_the_house_does_not_narrow_the_positions(
    a_played_log: PlayedLog, audit: Audit, capsys: Printed
) -> None:
    """The house signs a checkpoint right after the change, and one before it was never cosigned."""
    it = a_played_log
    rewritten = REWRITES[0](it.facts, random.Random(1))
    changed = it.first_change(rewritten)
    first, last = it.interval(changed)
    it.sizes[:] = sorted({*it.sizes, (changed + last) // 2})
    it.store(rewritten, it.key)
    assert audit("log") == 1
    assert f"FINDING positions {first:,} to {last:,}: the log differs" in capsys.readouterr().err


def test_a_house_that_signs_everything_again_with_a_new_key_is_found(
    a_played_log: PlayedLog, audit: Audit, capsys: Printed, tmp_path: Path
) -> None:
    it = a_played_log
    kept = checkpoint_of_the_witness(it, capsys, tmp_path / "witness.txt")
    it.store(renamed_operator(it.facts, OTHER), OTHER)
    assert audit("log") == 1
    shown = capsys.readouterr().err
    unsigned = f"the checkpoint over {it.sizes[0]:,} is not signed with the operator's key"
    assert f"FINDING the database, cosigned by a witness: {unsigned}" in shown
    with it.without_cosigned():
        assert audit("log") == 0
        assert "nothing outside this database was compared" in capsys.readouterr().out
        assert audit("log", "--operator-key", it.key.public.hex()) == 1
        assert f"FINDING the database: {unsigned}" in capsys.readouterr().err
        assert audit("log", "--checkpoint", kept) == 1
        assert f"FINDING {kept}: the checkpoint over" in capsys.readouterr().err
        assert audit("check", "--checkpoint", kept) == 1
        assert "is not signed with the operator's key" in capsys.readouterr().out


def test_a_forged_cosignature_and_another_witness_are_found(
    a_played_log: PlayedLog, audit: Audit, capsys: Printed, tmp_path: Path
) -> None:
    it = a_played_log
    kept = checkpoint_of_the_witness(it, capsys, tmp_path / "witness.txt")
    head, line = kept.read_text().rsplit(" ", 1)
    forged = tmp_path / "forged.txt"
    forged.write_text(f"{head} {line[:40]}{'A' if line[40] != 'A' else 'B'}{line[41:]}")
    assert audit("log", "--checkpoint", forged) == 1
    assert f"FINDING {forged}: a witness's signature on the checkpoint" in capsys.readouterr().err
    another = ("--witness-key", OTHER.public.hex())
    assert audit("log", "--checkpoint", kept, *another) == 1
    assert "has no signature of the witness that you named" in capsys.readouterr().err
    assert audit("log", *another) == 0
    assert "4 stored checkpoints have no signature of a known witness" in capsys.readouterr().out


def test_deleted_cosigned_checkpoints_are_counted(
    a_played_log: PlayedLog, audit: Audit, capsys: Printed
) -> None:
    a_played_log._run("DELETE FROM log.cosigned WHERE hour IN (2, 4)")
    assert audit("log") == 0
    shown = capsys.readouterr().out
    assert "2 hours since the first cosigned checkpoint have none stored" in shown
    assert f"the witness signed {a_played_log.sizes[2]:,} facts, and not yet the" in shown
