"""The declaration of what facts do to the items that staff decide is complete."""

from typing import Any, get_args

import pytest

from engine.cashier.facts import BonusReleased, MoneyFact, TurnoverCounted
from engine.cashier.payment_state import Payment
from engine.lifecycle import STEPS
from engine.players.facts import AccountChangeFact


def test_every_fact_about_an_item_has_a_step() -> None:
    without_item = {TurnoverCounted, BonusReleased}
    assert set(STEPS) == {*get_args(MoneyFact), *get_args(AccountChangeFact)} - without_item


@pytest.mark.parametrize("fact", STEPS)
def test_a_step_uses_fields_that_its_fact_has(fact: type[Any]) -> None:
    step = STEPS[fact]
    id_field = step.id_field or step.kind
    assert {id_field, *step.copied, *step.renamed.values()} <= {*fact.__struct_fields__}


@pytest.mark.parametrize("fact", [each for each in STEPS if each in get_args(MoneyFact)])
def test_an_open_payment_has_the_fields_that_a_step_sets(fact: type[Any]) -> None:
    step = STEPS[fact]
    fields = {"status", f"{step.role}_by", *step.copied, *step.renamed}
    assert step.closes or fields <= {*Payment.__struct_fields__}
