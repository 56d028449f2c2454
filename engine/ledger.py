"""The ledger: one declaration per fact of which accounts it moves by how much.

Three readers follow from it: the postings of the log, the writer's running balances of a player
(`engine/players/state.py`) and the read model of balances. Each set sums to zero. `world:*` and
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
from engine.chart import BOOKINGS, PROMOTIONS, TAKINGS, cash, contra_account
from engine.facts import RecordedFact, player_of
from engine.house.bookings import Booked

#: The parts of a player's account; a player's state has a field for each.
AVAILABLE: Final = "available"
STAKED: Final = "staked"
WITHDRAWING: Final = "withdrawing"
BONUS: Final = "bonus"
PARTS: Final = frozenset({AVAILABLE, STAKED, WITHDRAWING, BONUS})

Leg = tuple[str, int]
"""A part of the account of the fact's player, or a whole account's name; and minor units."""


class Posting(Struct, frozen=True, gc=False):
    """One signed leg, in minor units: positive into the account, negative out of it."""

    account: str
    amount_minor: int


def _returned(fact: BetRecalled | BetVoided) -> tuple[Leg, ...]:
    """Each part of the stake goes back where it came from."""
    return (
        (AVAILABLE, fact.stake_minor - fact.bonus_minor),
        (BONUS, fact.bonus_minor),
        (STAKED, -fact.stake_minor),
    )


#: What each fact moves. A fact that is not named moves no money.
MOVES: Final[dict[type[Any], Callable[[Any], tuple[Leg, ...]]]] = {
    BetPlaced: lambda fact: (
        (AVAILABLE, fact.bonus_minor - fact.stake_minor),
        (BONUS, -fact.bonus_minor),
        (STAKED, fact.stake_minor),
    ),
    BetRecalled: _returned,
    BetVoided: _returned,
    BetSettled: lambda fact: (
        (STAKED, -fact.stake_minor),
        (TAKINGS, fact.stake_minor - fact.payout_minor),
        (AVAILABLE, fact.payout_minor - fact.payout_bonus_minor),
        (BONUS, fact.payout_bonus_minor),
    ),
    DepositApproved: lambda fact: (
        (cash(fact.channel), -fact.amount_minor),
        (AVAILABLE, fact.amount_minor),
    ),
    WithdrawalRequested: lambda fact: (
        (AVAILABLE, -fact.amount_minor),
        (WITHDRAWING, fact.amount_minor),
    ),
    WithdrawalPaid: lambda fact: (
        (WITHDRAWING, -fact.amount_minor),
        (cash(fact.channel), fact.amount_minor),
    ),
    WithdrawalRejected: lambda fact: (
        (WITHDRAWING, -fact.amount_minor),
        (AVAILABLE, fact.amount_minor),
    ),
    GiftGranted: lambda fact: ((PROMOTIONS, -fact.amount_minor), (BONUS, fact.amount_minor)),
    BonusReleased: lambda fact: ((BONUS, -fact.amount_minor), (AVAILABLE, fact.amount_minor)),
    AdjustmentApproved: lambda fact: (
        (TAKINGS, -fact.amount_minor),
        (AVAILABLE, fact.amount_minor),
    ),
    CorrectionApproved: lambda fact: (
        (contra_account(fact.kind, fact.channel), -fact.amount_minor),
        (AVAILABLE, fact.amount_minor),
    ),
    Booked: lambda fact: (
        (cash(fact.channel), -fact.amount_minor),
        (BOOKINGS[fact.kind], fact.amount_minor),
    ),
}


def account(player_id: int, part: str) -> str:
    """A player's account; `part` is available, staked, withdrawing or bonus."""
    return f"player:{player_id}:{part}"


def postings(recorded: RecordedFact) -> tuple[Posting, ...]:
    """The postings of one fact; empty when it moves no money, zero in sum always."""
    moves = MOVES.get(type(recorded.fact))
    if moves is None:
        return ()
    total, made = 0, []
    for name, amount in moves(recorded.fact):
        total += amount
        if amount:
            whole = account(player_of(recorded.stream), name) if name in PARTS else name
            made.append(Posting(whole, amount))
    assert total == 0
    return tuple(made)
