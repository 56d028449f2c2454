"""The ledger: one declaration per fact of which accounts it moves by how much.

All amounts derive from it: the postings that the audit reads, the writer's running balances of a
player (`engine/players/state.py`) and the read model of balances (`projections/accounts.py`), from
which the statements are made. A declaration names what a player's
account gains and which account gives it, so that every set of postings sums to zero. `world:*` and
`house:*` may go below zero, a player's accounts never.
"""

from collections.abc import Callable
from typing import Any, Final

from msgspec import Struct

from engine.bets.facts import BetPlaced, BetRecalled, BetSettled, BetVoided
from engine.cashier.facts import (
    AdjustmentApproved,
    BonusReleased,
    CorrectionApproved,
    DepositApproved,
    GiftGranted,
    WithdrawalPaid,
    WithdrawalRejected,
    WithdrawalRequested,
)
from engine.chart_of_accounts import BOOKINGS, PROMOTIONS, TAKINGS, cash, contra_account
from engine.facts import RecordedFact, player_of
from engine.house.bookings import Booked

#: The parts of a player's account, in the order of a declaration; a player has a field for each.
PARTS: Final = ("available", "bonus", "staked", "withdrawing")

Move = tuple[int, int, int, int, str]
"""What the parts of the player's account gain, in minor units, and the account that gives it."""


class Posting(Struct, frozen=True, gc=False):
    """One signed leg, in minor units: positive into the account, negative out of it."""

    account: str
    amount_minor: int


def _returned(fact: BetRecalled | BetVoided) -> Move:
    """Each part of the stake returns to the account it came from."""
    return (fact.stake_minor - fact.bonus_minor, fact.bonus_minor, -fact.stake_minor, 0, "")


#: What each fact about a player moves. A fact that is not listed moves no money.
MOVES: Final[dict[type[Any], Callable[[Any], Move]]] = {
    BetPlaced: lambda fact: (
        fact.bonus_minor - fact.stake_minor,
        -fact.bonus_minor,
        fact.stake_minor,
        0,
        "",
    ),
    BetRecalled: _returned,
    BetVoided: _returned,
    BetSettled: lambda fact: (
        fact.payout_minor - fact.payout_bonus_minor,
        fact.payout_bonus_minor,
        -fact.stake_minor,
        0,
        TAKINGS,
    ),
    DepositApproved: lambda fact: (fact.amount_minor, 0, 0, 0, cash(fact.channel)),
    WithdrawalRequested: lambda fact: (-fact.amount_minor, 0, 0, fact.amount_minor, ""),
    WithdrawalRejected: lambda fact: (fact.amount_minor, 0, 0, -fact.amount_minor, ""),
    WithdrawalPaid: lambda fact: (0, 0, 0, -fact.amount_minor, cash(fact.channel)),
    GiftGranted: lambda fact: (0, fact.amount_minor, 0, 0, PROMOTIONS),
    BonusReleased: lambda fact: (fact.amount_minor, -fact.amount_minor, 0, 0, ""),
    # Adjustments without a kind were proposed until there were corrections.
    AdjustmentApproved: lambda fact: (fact.amount_minor, 0, 0, 0, TAKINGS),
    CorrectionApproved: lambda fact: (
        fact.amount_minor,
        0,
        0,
        0,
        contra_account(fact.kind, fact.channel),
    ),
}


def account(player_id: int, part: str) -> str:
    """A player's account; `part` is available, staked, withdrawing or bonus."""
    return f"player:{player_id}:{part}"


def postings(recorded: RecordedFact) -> tuple[Posting, ...]:
    """The postings of one fact, which sum to zero; empty if it moves no money."""
    fact = recorded.fact
    if isinstance(fact, Booked):
        return (
            Posting(cash(fact.channel), -fact.amount_minor),
            Posting(BOOKINGS[fact.kind], fact.amount_minor),
        )
    moves = MOVES.get(type(fact))
    if moves is None:
        return ()
    *parts, contra = moves(fact)
    player = player_of(recorded.stream)
    made = [
        Posting(account(player, part), amount)
        for part, amount in zip(PARTS, parts, strict=True)
        if amount
    ]
    given = sum(parts)
    assert bool(contra) or not given
    return (Posting(contra, -given), *made) if given else tuple(made)
