"""Stored data stays readable permanently: facts, commands and answers of outcomes, the journal."""

import shutil
from pathlib import Path
from typing import get_args

import pytest

from engine import facts
from engine.answers import Answer
from engine.facts import TOPICS, TYPES
from engine.fairness.witness_state import WitnessRecord
from engine.house.commands import OfficeCommand
from engine.players.commands import PlayerCommand
from tests.golden import pins
from tests.golden.pins import FOLDER, LIST, problems
from tests.golden.samples import SAMPLES


def names_of(union: object) -> set[str]:
    return {each.__struct_config__.tag for each in get_args(union)}


def test_everything_pinned_is_read_and_written_unchanged() -> None:
    assert problems() == []


def test_every_fact_is_pinned() -> None:
    assert SAMPLES["facts"].keys() == TYPES.keys()
    assert len(TOPICS) == len(TYPES), "two facts have the same topic"
    for topic, samples in SAMPLES["facts"].items():
        assert {type(sample) for sample in samples} == {TYPES[topic]}


def test_every_stored_command_and_answer_is_pinned() -> None:
    assert SAMPLES["commands"].keys() == names_of(PlayerCommand | OfficeCommand)
    assert SAMPLES["answers"].keys() == names_of(Answer)


def test_every_record_of_the_witness_is_pinned() -> None:
    assert SAMPLES["witness"].keys() == names_of(WitnessRecord)


def test_an_unknown_topic_is_never_an_empty_fact() -> None:
    with pytest.raises(KeyError):
        facts.decode("bet-placed.0", b"{}")


# Tests of the check itself.


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copytree(FOLDER, tmp_path / "golden", ignore=shutil.ignore_patterns("*.py", "__*"))
    return tmp_path / "golden"


def test_a_removed_file_is_noticed(copy: Path) -> None:
    (copy / "facts/bet-placed.1.json").unlink()
    assert problems(copy) == [
        "facts/bet-placed.1.json is not pinned",
        "facts/bet-placed.1.json is gone",
    ]


def test_a_changed_file_is_noticed(copy: Path) -> None:
    path = copy / "facts/deposit-approved.1.json"
    path.write_text(path.read_text().replace("1234567", "1234568"))
    assert problems(copy) == ["facts/deposit-approved.1.json is not as it was pinned"]


def test_a_file_that_no_longer_agrees_with_the_code_is_noticed(copy: Path) -> None:
    path = copy / "facts/bet-recalled.1.json"
    path.write_text(path.read_text().replace('stake_minor\\":', 'stake\\":'))
    assert any("cannot be read" in problem for problem in problems(copy))


def test_a_topic_that_the_code_no_longer_knows_is_noticed(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(facts._decoders, "round-voided.1")
    (problem,) = problems(copy)
    assert problem.startswith("facts/round-voided.1 cannot be read")


def test_pinning_again_rewrites_nothing(copy: Path) -> None:
    before = (copy / LIST).read_text()
    assert pins.pin(copy) == []
    assert (copy / LIST).read_text() == before
