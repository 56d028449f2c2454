"""What `scripts/bench` prints of its goals: a figure that misses one says so."""

import pytest

from tests.instruments.load_tests.report import COMPARED_STEPS, READING_STEPS, print_table


def _lines(samples: dict[str, list[float]], shown: pytest.CaptureFixture[str]) -> dict[str, str]:
    print_table(samples, {})
    return {line.split("  ")[0]: line for line in shown.readouterr().out.splitlines() if line}


@pytest.mark.parametrize(("bets", "goal"), [(8_000.0, "8.0x"), (7_900.0, "8.0x, missed")])
def test_a_ratio_below_its_goal_is_marked(
    bets: float, goal: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = _lines({"pgbench_per_second": [1_000.0], "writer_per_second": [bets]}, capsys)
    assert lines["writer, in process, as in production"].endswith(f"  {goal}")


@pytest.mark.parametrize(("p99", "goal"), [(50.0, "at most 50.0"), (50.1, "at most 50.0, missed")])
def test_a_delay_above_its_limit_is_marked(
    p99: float, goal: str, capsys: pytest.CaptureFixture[str]
) -> None:
    print_table({"settlement_others_p99_ms": [p99]}, {})
    assert capsys.readouterr().out.splitlines()[-1].endswith(f"  {goal}")


def test_a_rate_is_compared_with_the_speed_of_the_machine_in_its_own_round(
    capsys: pytest.CaptureFixture[str],
) -> None:
    samples = {
        COMPARED_STEPS: [1e6, 2e6],
        READING_STEPS: [3e6, 1e6],
        "settled_per_second": [15_000.0, 30_000.0],
        "projected_per_second": [57_000.0, 19_000.0],
    }
    lines = _lines(samples, capsys)
    assert "15.00/1,000 steps  15.00 to 15.00" in lines["settlement"]
    assert "19.00/1,000 steps  19.00 to 19.00" in lines["read models catching up"]


def test_a_rate_without_its_yardstick_has_no_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    lines = _lines({"writer_per_second": [1.0]}, capsys)
    assert lines["writer, in process, as in production"].endswith("  8.0x")
