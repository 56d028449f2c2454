"""Double entry, derived: the postings of a fact follow from that fact alone.

Each set sums to zero. `world:*` and `house:*` may go below zero, a player's accounts never.
"""

from typing import assert_never

from msgspec import Struct

from engine.bets.facts import BetPlaced, BetRecalled, BetSettled, BetVoided
from engine.cashier.facts import (
    AdjustmentApproved,
    AdjustmentProposed,
    AdjustmentRejected,
    BonusReleased,
    CorrectionApproved,
    CorrectionProposed,
    DepositApproved,
    DepositEndorsed,
    DepositRejected,
    DepositRequested,
    DeskFact,
    GiftGranted,
    GiftProposed,
    GiftRejected,
    MoneyFact,
    RepeatEndorsed,
    TurnoverCounted,
    WithdrawalApproved,
    WithdrawalEndorsed,
    WithdrawalPaid,
    WithdrawalRejected,
    WithdrawalRequested,
)
from engine.chart import BOOKINGS, PROMOTIONS, TAKINGS, cash, contra_account
from engine.chat.facts import ChatFact
from engine.facts import Fact, RecordedFact, player_of
from engine.house.bookings import Booked
from engine.house.facts import HouseFact
from engine.players.facts import PlayerRegistered
from engine.players.profile_facts import ProfileFact
from engine.rounds.facts import RoundFact


class Posting(Struct, frozen=True, gc=False):
    """One signed leg, in minor units: positive into the account, negative out of it."""

    account: str
    amount_minor: int


def account(player_id: int, part: str) -> str:
    """A player's account; `part` is available, staked, withdrawing or bonus."""
    return f"player:{player_id}:{part}"


def postings(recorded: RecordedFact) -> tuple[Posting, ...]:
    """The postings of one fact; empty when it moves no money, zero in sum always."""
    fact: Fact = recorded.fact
    match fact:
        case BetPlaced(stake_minor=stake, bonus_minor=bonus):
            return _stake(player_of(recorded.stream), stake, bonus)
        case (
            BetRecalled(stake_minor=stake, bonus_minor=bonus)
            | BetVoided(stake_minor=stake, bonus_minor=bonus)
        ):
            return _stake(player_of(recorded.stream), -stake, -bonus)
        case BetSettled() as settled:
            return _settlement(player_of(recorded.stream), settled)
        case Booked(kind=kind, channel=channel, amount_minor=amount):
            return _set((cash(channel), -amount), (BOOKINGS[kind], amount))
        case _ if isinstance(fact, MoneyFact):
            return _money(player_of(recorded.stream), fact)
        case _:
            _moves_nothing(fact)
            return ()


def _moves_nothing(
    fact: PlayerRegistered | ProfileFact | ChatFact | RoundFact | HouseFact | DeskFact,
) -> None:
    """Nothing to post; the type of the argument is the proof that no kind was forgotten."""


def _money(player: int, fact: MoneyFact) -> tuple[Posting, ...]:
    available, bonus = account(player, "available"), account(player, "bonus")
    withdrawing = account(player, "withdrawing")
    match fact:
        case DepositApproved(channel=channel, amount_minor=amount):
            return _set((cash(channel), -amount), (available, amount))
        case WithdrawalRequested(amount_minor=amount):
            return _set((available, -amount), (withdrawing, amount))
        case WithdrawalPaid(channel=channel, amount_minor=amount):
            return _set((withdrawing, -amount), (cash(channel), amount))
        case WithdrawalRejected(amount_minor=amount):
            return _set((withdrawing, -amount), (available, amount))
        case GiftGranted(amount_minor=amount):
            return _set((PROMOTIONS, -amount), (bonus, amount))
        case BonusReleased(amount_minor=amount):
            return _set((bonus, -amount), (available, amount))
        case AdjustmentApproved(amount_minor=amount):
            return _set((TAKINGS, -amount), (available, amount))
        case CorrectionApproved(kind=kind, channel=channel, amount_minor=amount):
            return _set((contra_account(kind, channel), -amount), (available, amount))
        case (
            DepositRequested()
            | DepositEndorsed()
            | RepeatEndorsed()
            | DepositRejected()
            | WithdrawalEndorsed()
            | WithdrawalApproved()
            | TurnoverCounted()
            | GiftProposed()
            | GiftRejected()
            | AdjustmentProposed()
            | CorrectionProposed()
            | AdjustmentRejected()
        ):
            return ()
        case _ as never:
            assert_never(never)


def _stake(player: int, stake: int, bonus: int) -> tuple[Posting, ...]:
    return _set(
        (account(player, "available"), bonus - stake),
        (account(player, "bonus"), -bonus),
        (account(player, "staked"), stake),
    )


def _settlement(player: int, settled: BetSettled) -> tuple[Posting, ...]:
    return _set(
        (account(player, "staked"), -settled.stake_minor),
        (TAKINGS, settled.stake_minor - settled.payout_minor),
        (account(player, "available"), settled.payout_minor - settled.payout_bonus_minor),
        (account(player, "bonus"), settled.payout_bonus_minor),
    )


def _set(*legs: tuple[str, int]) -> tuple[Posting, ...]:
    total, made = 0, []
    for name, amount in legs:
        total += amount
        if amount:
            made.append(Posting(name, amount))
    assert total == 0
    return tuple(made)
