"""The house keeps its rules for any commands in any order, across crashes."""

import ast
from pathlib import Path

import hypothesis
import pytest
from hypothesis.stateful import run_state_machine_as_test

from tests.engine.house_machine import HouseMachine

EXAMPLES, STEPS = 500, 30
#: The examples are split into shares, so that two processes take equally long.
SHARES = (1, 2)


@pytest.mark.parametrize("share", SHARES)
def test_a_random_house_answers_as_the_model_does_and_conserves_money(share: int) -> None:
    """GLI-19 4.3.3, 2.2.1 and B.3.5a at every step: money, closes, repeats, settled once."""
    profile = hypothesis.settings()
    examples = max(EXAMPLES, profile.max_examples) // len(SHARES)
    settings = hypothesis.settings(max_examples=examples, stateful_step_count=STEPS)
    machine = type("Share", (HouseMachine,), {})
    if profile.derandomize:
        machine = hypothesis.seed(share)(machine)
    run_state_machine_as_test(machine, settings=settings)


@pytest.mark.parametrize("name", ["model.py", "model_rules.py", "model_log.py"])
def test_the_model_shares_no_code_with_the_engine(name: str) -> None:
    tree = ast.parse(Path(__file__).with_name(name).read_text())
    imported = {
        module
        for each in ast.walk(tree)
        if isinstance(each, ast.Import | ast.ImportFrom)
        for module in [*(alias.name for alias in each.names), getattr(each, "module", "") or ""]
    }
    assert not {module for module in imported if module.split(".")[0] in {"engine", "projections"}}
