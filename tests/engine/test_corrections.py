"""Corrections of a balance: never by one person alone, and booked against the wrong account."""

from typing import Any

import pytest
from msgspec.structs import replace

from engine.answers import Refused
from engine.cashier import adjustments
from engine.cashier.commands import DecideAdjustment, ProposeAdjustment, ProposeCorrection
from engine.cashier.facts import (
    AdjustmentApproved,
    AdjustmentProposed,
    AdjustmentRejected,
    CorrectionApproved,
    DepositApproved,
    TurnoverCounted,
)
from engine.players import state as players
from engine.players.state import Player
from engine.refusals import Refusal
from engine.terms import DEFAULT_TERMS as TERMS
from tests.engine.given import DAY, GAME, ISSUE, guest, member


def after(player: Player, *facts: Any) -> Player:
    for fact in facts:
        players.evolve(player, fact, DAY)
    return player


def proposed(amount_minor: int, available_minor: int = 0) -> Player:
    command = ProposeAdjustment(1, "a-1", amount_minor, "staff:ann", "why")
    facts = adjustments.propose(command, member(available_minor), TERMS)
    assert facts == [AdjustmentProposed("a-1", amount_minor, "staff:ann", "why")]
    return after(member(available_minor), *facts)


def agreed(player: Player, by: str, *, approve: bool = True) -> object:
    return adjustments.decide(DecideAdjustment(1, "a-1", approve, by), player)


@pytest.mark.parametrize("amount", [500, -500])
def test_every_correction_needs_a_second_person(amount: int) -> None:
    """GLI-19 A.3.6f."""
    player = proposed(amount, 1_000)
    assert player.available == 1_000
    assert agreed(player, "staff:ann") == Refused(Refusal.SECOND_PERSON_NEEDED)
    facts = agreed(player, "staff:bob")
    assert facts == [AdjustmentApproved("a-1", amount, "staff:bob")]
    after(player, AdjustmentApproved("a-1", amount, "staff:bob"))
    assert player.available == 1_000 + amount
    assert agreed(player, "staff:cat") == Refused(Refusal.ADJUSTMENT_UNKNOWN, "adjustment")


def test_a_correction_takes_no_balance_below_zero() -> None:
    player = proposed(-1_001, 1_000)
    assert agreed(player, "staff:bob") == Refused(Refusal.FUNDS_INSUFFICIENT, "amount")


def test_anyone_may_drop_a_correction() -> None:
    player = proposed(500)
    facts = agreed(player, "staff:ann", approve=False)
    assert facts == [AdjustmentRejected("a-1", "staff:ann")]
    after(player, AdjustmentRejected("a-1", "staff:ann"))
    assert agreed(player, "staff:bob") == Refused(Refusal.ADJUSTMENT_UNKNOWN, "adjustment")


def test_a_correction_of_zero_is_refused() -> None:
    command = ProposeAdjustment(1, "a-1", 0, "staff:ann", "why")
    refused = adjustments.propose(command, member(), TERMS)
    assert refused == Refused(Refusal.AMOUNT_INVALID, "amount")
    assert adjustments.propose(replace(command, amount_minor=500), proposed(500), TERMS) == []


def test_no_correction_is_made_for_a_guest_who_cannot_withdraw() -> None:
    command = ProposeAdjustment(1, "a-1", 500, "staff:ann", "why")
    refused = adjustments.propose(command, guest(), TERMS)
    assert refused == Refused(Refusal.MUST_REGISTER)


def proposed_correction(
    kind: str, channel: str = "", amount_minor: int = -500
) -> ProposeCorrection:
    return ProposeCorrection(1, "a-1", kind, channel, amount_minor, "staff:ann", "why")


@pytest.mark.parametrize("kind", ["returned_payout", "chargeback", "goodwill"])
def test_a_correction_keeps_its_kind_until_a_second_person_agrees(kind: str) -> None:
    proposed = adjustments.propose(proposed_correction(kind), member(), TERMS)
    assert not isinstance(proposed, Refused)
    player = after(member(1_000), *proposed)
    assert agreed(player, "staff:ann") == Refused(Refusal.SECOND_PERSON_NEEDED)
    assert agreed(player, "staff:ben") == [CorrectionApproved("a-1", kind, "", -500, "staff:ben")]


@pytest.mark.parametrize(
    ("kind", "channel", "refusal"),
    [
        ("whim", "", Refusal.CORRECTION_UNKNOWN),
        ("", "bank", Refusal.CORRECTION_UNKNOWN),
        ("double_entry", "", Refusal.CHANNEL_UNKNOWN),
        ("double_entry", "demo", Refusal.CHANNEL_UNKNOWN),
        ("goodwill", "bank", Refusal.CHANNEL_UNKNOWN),
    ],
)
def test_a_correction_names_an_account_that_exists(
    kind: str, channel: str, refusal: Refusal
) -> None:
    refused = adjustments.propose(proposed_correction(kind, channel), member(), TERMS)
    assert isinstance(refused, Refused)
    assert refused.refusal is refusal


def test_undoing_a_double_entry_undoes_the_turnover_that_was_due_on_it() -> None:
    twice = (DepositApproved(f"d-{each}", "bank", 500, "") for each in (1, 2))
    undone = CorrectionApproved("a-1", "double_entry", "bank", -500, "staff:ben")
    player = after(member(), *twice, undone)
    assert (player.available, player.payments.due_minor) == (500, 500)


def test_turnover_due_does_not_fall_below_zero_when_it_was_met_already() -> None:
    deposit = DepositApproved("d-1", "bank", 500, "")
    turned_over = TurnoverCounted(GAME, ISSUE, 300, 300)
    undone = CorrectionApproved("a-1", "double_entry", "bank", -500, "staff:ben")
    assert after(member(), deposit, turned_over, undone).payments.due_minor == 0


def test_other_corrections_leave_the_turnover_as_it_is() -> None:
    deposit = DepositApproved("d-1", "bank", 500, "")
    corrected = CorrectionApproved("a-1", "chargeback", "", -500, "staff:ben")
    assert after(member(), deposit, corrected).payments.due_minor == 500
