"""Double entry, derived: the postings of a fact follow from that fact alone.

Each set sums to zero. `world:*` and `house:*` may go below zero, a player's accounts never.
"""

from typing import assert_never

from msgspec import Struct

from engine.facts import Recorded, player_of
from engine.house.facts import DayOpened, ReceiptsSigned, RoundsSkipped
from engine.players.facts import (
    BetPlaced,
    BetRecalled,
    BetSettled,
    BetVoided,
    DepositApproved,
    PlayerRegistered,
)
from engine.rounds.facts import RoundClosed, RoundDrawn, RoundOpened, RoundSettled, RoundVoided

TAKINGS = "house:takings"


class Posting(Struct, frozen=True, gc=False):
    """One signed leg, in minor units: positive into the account, negative out of it."""

    account: str
    amount_minor: int


def account(player_id: int, part: str) -> str:
    """A player's account; `part` is available, staked, withdrawing or bonus."""
    return f"player:{player_id}:{part}"


def postings(recorded: Recorded) -> tuple[Posting, ...]:
    """The postings of one fact; empty when it moves no money, zero in sum always."""
    match recorded.fact:
        case DepositApproved(channel=channel, amount_minor=amount):
            player = player_of(recorded.stream)
            return _set((f"world:{channel}", -amount), (account(player, "available"), amount))
        case BetPlaced(stake_minor=stake, bonus_minor=bonus):
            return _stake(player_of(recorded.stream), stake, bonus)
        case (
            BetRecalled(stake_minor=stake, bonus_minor=bonus)
            | BetVoided(stake_minor=stake, bonus_minor=bonus)
        ):
            return _stake(player_of(recorded.stream), -stake, -bonus)
        case BetSettled() as settled:
            return _settlement(player_of(recorded.stream), settled)
        case PlayerRegistered() | DayOpened() | RoundsSkipped() | ReceiptsSigned():
            return ()
        case RoundOpened() | RoundClosed() | RoundDrawn() | RoundSettled() | RoundVoided():
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
    assert sum(amount for _, amount in legs) == 0
    return tuple(Posting(name, amount) for name, amount in legs if amount)
