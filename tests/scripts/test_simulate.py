import sys
from pathlib import Path

import pytest

from scripts.devtools import suite_runner, suites
from scripts.devtools.suites import Command, Suite
from tests.instruments.simulator.options import read_options


def _simulated(*, long: bool) -> list[Command]:
    chosen = (suite for suite in suites.all_suites(long=long) if suite.name == "simulation")
    commands = (command for suite in chosen for command in suite.commands)
    return [command for command in commands if "tests.instruments.simulator" in command.arguments]


def test_the_long_run_simulates_thirty_whole_days_on_ten_seeds_and_prints_them() -> None:
    assert _simulated(long=False) == []
    (whole_days,) = _simulated(long=True)
    options = read_options([str(each) for each in whole_days.arguments[3:]])
    assert (options.days, options.seeds, options.rounds) == (30, 10, 274)
    assert options.members >= 200
    assert whole_days.shown


@pytest.mark.parametrize("shown", [True, False])
def test_the_output_of_a_passed_run_is_shown_if_requested(
    shown: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(suite_runner, "REPORTS", tmp_path)
    command = Command([sys.executable, "-c", "print('facts per second')"], shown=shown)
    assert suite_runner._run_suite(Suite("days", [command]), 60).passed
    assert ("facts per second" in capsys.readouterr().out) == shown


def test_the_default_is_one_whole_day_of_seed_1() -> None:
    options = read_options([])
    assert (options.days, options.seed, options.seeds, options.rounds) == (1, 1, 1, 274)
    assert read_options(["--until-failure"]).seeds is None
