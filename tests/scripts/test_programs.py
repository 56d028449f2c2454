import json
from pathlib import Path

import pytest

from scripts.devtools import start, suites
from scripts.devtools.paths import ROOT


def _application_options(*arguments: str) -> list[str]:
    return start._application_options(start._parser().parse_args(arguments))


def test_the_product_keeps_its_data_in_the_checkout_by_default() -> None:
    assert _application_options() == ["--port", "8000", "--data", str(ROOT / ".data")]


def test_a_data_folder_is_relative_to_the_caller_not_to_the_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert _application_options("--data", "here")[-1] == str(tmp_path / "here")


def test_the_demo_and_the_round_s_length_are_passed_on() -> None:
    assert _application_options("--no-demo", "--round-seconds", "10")[-3:] == [
        "--no-demo",
        "--round-seconds",
        "10",
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--port", "0"],
        ["--port", "65536"],
        ["--port", "-1"],
        ["--port", "http"],
        ["--round-seconds", "9"],
        ["--round-seconds", "211"],
        ["--round-seconds", "10.5"],
    ],
)
def test_a_number_out_of_range_is_refused_by_name(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        _application_options(*arguments)
    assert f"argument {arguments[0]}: " in capsys.readouterr().err


def test_every_test_folder_belongs_to_a_suite() -> None:
    assert suites.unclaimed_folders(suites.all_suites(long=False)) == []


def test_a_test_folder_that_no_suite_runs_is_named() -> None:
    assert "tests/architecture" in suites.unclaimed_folders([])


def test_tests_are_counted_from_the_reports(tmp_path: Path) -> None:
    junit = tmp_path / "suite.xml"
    junit.write_text('<testsuites><testsuite tests="3"/><testsuite tests="4"/></testsuites>')
    vitest = tmp_path / "vitest.json"
    vitest.write_text(json.dumps({"numTotalTests": 5}))
    assert suites._count_pytest(junit) == 7
    assert suites._count_vitest(vitest) == 5
    assert suites._count_pytest(tmp_path / "missing.xml") == 0
