"""A password reset and an erasure need two of the staff, and no player's money is trapped."""

from typing import Any

import pytest

from engine.answers import Refused
from engine.cashier.facts import AdjustmentProposed, DepositApproved, DepositRequested, GiftProposed
from engine.money import units
from engine.players import decisions
from engine.players import state as players
from engine.players.commands import (
    ERASURE,
    PASSWORD_RESET,
    DecideAccountChange,
    ProposeAccountChange,
)
from engine.players.facts import (
    AccountChangeProposed,
    AccountChangeRejected,
    MemberErased,
    PasswordReset,
    SecurityCodeSet,
)
from engine.players.state import Player
from engine.refusals import Refusal
from engine.terms import DEFAULT_TERMS
from tests.engine.given import DAY, DURING_SALE, guest, member, unregistered

NOW = DURING_SALE
ANN, BEN = "staff:ann", "staff:ben"
LATER = NOW + DEFAULT_TERMS.cooling_us
RESET = ProposeAccountChange(1, "reset-1", PASSWORD_RESET, ANN, "why")
ERASE = ProposeAccountChange(1, "erase-1", ERASURE, ANN, "why")


def after(player: Player, *facts: Any) -> Player:
    for fact in facts:
        players.evolve(player, fact, DAY)
    return player


def decided(command: Any, player: Player) -> Any:
    return decisions.decide_account_change(command, player, DEFAULT_TERMS, NOW)


def proposed(command: ProposeAccountChange, player: Player | None = None) -> Player:
    player = player or member()
    return after(player, *decided(command, player))


def agree(change: str, by: str = BEN) -> DecideAccountChange:
    return DecideAccountChange(1, change, approve=True, by=by)


def test_one_person_proposes_and_another_agrees() -> None:
    assert decided(RESET, member()) == [
        AccountChangeProposed("reset-1", PASSWORD_RESET, ANN, "why")
    ]
    player = proposed(RESET)
    assert decided(agree("reset-1", ANN), player) == Refused(Refusal.SECOND_PERSON_NEEDED)
    assert decided(agree("reset-1"), player) == [PasswordReset("reset-1", BEN, ANN, LATER)]


@pytest.mark.parametrize("by", [ANN, BEN])
def test_either_of_them_rejects_it(by: str) -> None:
    player = proposed(ERASE)
    facts = decided(DecideAccountChange(1, "erase-1", approve=False, by=by), player)
    assert facts == [AccountChangeRejected("erase-1", ERASURE, by)]
    unknown = Refused(Refusal.PROPOSAL_UNKNOWN, "id")
    assert decided(agree("erase-1"), after(player, *facts)) == unknown


def test_one_proposal_of_a_kind_is_open() -> None:
    player = proposed(RESET)
    assert decided(RESET, player) == []
    again = ProposeAccountChange(1, "reset-2", PASSWORD_RESET, BEN, "why")
    assert decided(again, player) == Refused(Refusal.PROPOSAL_OPEN, "kind")
    assert decided(ERASE, player) == [AccountChangeProposed("erase-1", ERASURE, ANN, "why")]


def test_a_reset_password_delays_withdrawals_as_a_new_security_code_does() -> None:
    player = proposed(RESET, after(member(), SecurityCodeSet(NOW - 1)))
    after(player, *decided(agree("reset-1"), player))
    assert player.profile.code_usable_at == LATER
    without = proposed(RESET)
    after(without, *decided(agree("reset-1"), without))
    assert without.profile.code_usable_at is None


@pytest.mark.parametrize(
    "fact",
    [
        DepositApproved("d-1", "bank", units(5), ""),
        DepositRequested("d-1", "bank", units(5), ""),
        AdjustmentProposed("a-1", units(5), ANN, ""),
        GiftProposed("g-1", units(5), ANN, ""),
    ],
)
def test_no_player_with_money_or_pending_money_is_erased(fact: Any) -> None:
    refused = Refused(Refusal.ACCOUNT_NOT_EMPTY, "player")
    assert decided(ERASE, after(member(), fact)) == refused
    assert decided(agree("erase-1"), after(proposed(ERASE), fact)) == refused


def test_an_erased_player_is_blocked_permanently() -> None:
    player = proposed(ERASE)
    facts = decided(agree("erase-1"), player)
    assert facts == [MemberErased("erase-1", BEN, ANN)]
    after(player, *facts)
    assert (player.profile.closed, player.profile.erased) == (True, True)


def test_an_erasure_leaves_no_other_change_open() -> None:
    player = proposed(RESET, proposed(ERASE))
    facts = decided(agree("erase-1"), player)
    assert facts == [
        AccountChangeRejected("reset-1", PASSWORD_RESET, BEN),
        MemberErased("erase-1", BEN, ANN),
    ]
    assert after(player, *facts).profile.changes == ()


def test_a_guest_has_no_password_and_can_be_erased() -> None:
    assert decided(RESET, guest()) == Refused(Refusal.MUST_REGISTER)
    assert decided(ERASE, guest()) == [AccountChangeProposed("erase-1", ERASURE, ANN, "why")]


def test_changes_that_are_refused() -> None:
    unknown = Refused(Refusal.PLAYER_UNKNOWN, "player")
    assert decided(RESET, unregistered()) == unknown
    other = ProposeAccountChange(1, "x-1", "rename", ANN, "why")
    assert decided(other, member()) == Refused(Refusal.PROPOSAL_UNKNOWN, "kind")
    assert decided(agree("x-1"), member()) == Refused(Refusal.PROPOSAL_UNKNOWN, "id")
