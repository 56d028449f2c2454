import msgspec
import pytest

from engine.facts import TYPES
from engine.players.commands import PlayerCommand
from tests.instruments.simulator.action_mix import BEHAVIOURS, uncovered
from tests.instruments.simulator.arrivals import natures
from tests.instruments.simulator.live_checks import RULES
from tests.instruments.simulator.options import MIN_MEMBERS, read_options


def test_every_command_of_players_and_staff_is_sent() -> None:
    assert uncovered() == [], "give each of them a behaviour in tests/instruments/simulator"


def test_a_command_that_is_never_sent_is_named() -> None:
    class Forgotten(msgspec.Struct):
        player: int

    assert uncovered(PlayerCommand | Forgotten) == ["Forgotten"]


@pytest.mark.parametrize("members", [MIN_MEMBERS, 41, 200])
def test_every_population_has_players_of_every_kind(members: int) -> None:
    assert set(natures(members)) == set(BEHAVIOURS)
    assert len(natures(members)) >= members


def test_the_oracle_has_a_rule_for_every_kind_of_fact() -> None:
    assert RULES.keys() == TYPES.keys(), (
        "give each of them a rule in tests/instruments/simulator/oracle_*"
    )


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
def test_an_invalid_option_is_refused_by_name(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        read_options(arguments)
    assert f"argument {arguments[-1] if len(arguments) == 3 else arguments[0]}" in (
        capsys.readouterr().err
    )
