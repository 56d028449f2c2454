import msgspec
import pytest

from engine.facts import TYPES
from engine.players.commands import PlayerCommand
from scripts.simulation.audit import RULES
from scripts.simulation.behaviours import BEHAVIOURS, uncovered
from scripts.simulation.crowd import natures
from scripts.simulation.options import MIN_MEMBERS, read_options


def test_every_command_of_players_and_staff_is_sent() -> None:
    assert uncovered() == [], "give each of them a behaviour in scripts/simulation"


def test_a_command_that_is_never_sent_is_named() -> None:
    class Forgotten(msgspec.Struct):
        player: int

    assert uncovered(PlayerCommand | Forgotten) == ["Forgotten"]


@pytest.mark.parametrize("members", [MIN_MEMBERS, 41, 200])
def test_every_nature_lives_in_every_town(members: int) -> None:
    assert set(natures(members)) == set(BEHAVIOURS)
    assert len(natures(members)) >= members


def test_the_tally_has_a_rule_for_every_kind_of_fact() -> None:
    assert RULES.keys() == TYPES.keys(), "give each of them a rule in scripts/simulation/tally_*"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--days", "0"],
        ["--days", "many"],
        ["--seed", "-1"],
        ["--members", "19"],
        ["--rounds", "275"],
        ["--seeds", "2", "--until-failure"],
    ],
)
def test_an_option_that_cannot_be_is_refused_by_name(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        read_options(arguments)
    assert f"argument {arguments[-1] if len(arguments) == 3 else arguments[0]}" in (
        capsys.readouterr().err
    )
