"""Solo approvals: what one person of staff approved alone within a day, added up. Pure.

It counts toward their next approval: splitting one large entry into many small ones must not avoid
the four-eyes rule. The threshold applies to two sums: what one person approved alone for all
members, and what single persons approved alone for one member. Whether a sum takes two people is
`Terms.takes_two`; `deposits.py`, `withdrawals.py`, `bonuses.py` and `house/bookings.py` ask it.
"""

from collections.abc import Sequence

from msgspec import Struct

from engine.cashier.commands import (
    PLAY_MONEY,
    AgreeDeposit,
    ApproveDeposit,
    DecideDeposit,
    DecideWithdrawal,
    EnterDeposit,
    GrantGift,
    MoneyCommand,
)
from engine.cashier.facts import (
    ApprovedAlone,
    DepositApproved,
    GiftGranted,
    WithdrawalApproved,
)
from engine.facts import RecordedFact
from engine.lifecycle import DEPOSIT, GIFT, WITHDRAWAL
from engine.players.facts import PlayerFact
from engine.players.state import Player
from engine.terms import DAY_US

APPROVAL_WINDOW_US = DAY_US


def approved_alone(
    command: MoneyCommand, player: Player, facts: Sequence[PlayerFact]
) -> ApprovedAlone | None:
    """What one person approved alone, None otherwise; `player` is the state before the facts."""
    match command, facts[-1] if facts else None:
        case ApproveDeposit() | EnterDeposit(), DepositApproved() as fact if (
            fact.channel != PLAY_MONEY
        ):
            return _alone(DEPOSIT, fact.deposit, player, fact.amount_minor, command.by, "")
        case DecideDeposit() | AgreeDeposit(), DepositApproved() as fact:
            pending = player.payments.find(DEPOSIT, fact.deposit)
            first = pending.endorsed_by if pending else ""
            return _alone(DEPOSIT, fact.deposit, player, fact.amount_minor, command.by, first)
        case DecideWithdrawal(), WithdrawalApproved() as fact:
            withdrawal = player.payments.find(WITHDRAWAL, fact.withdrawal)
            assert withdrawal is not None
            amount, first = withdrawal.amount_minor, withdrawal.endorsed_by
            return _alone(WITHDRAWAL, fact.withdrawal, player, amount, command.by, first)
        case GrantGift(), GiftGranted() as fact:
            return _alone(GIFT, fact.gift, player, fact.amount_minor, command.by, "")
        case _:
            return None


def _alone(
    kind: str, request: str, player: Player, amount_minor: int, by: str, first: str
) -> ApprovedAlone | None:
    """None if `first`, another person or the gateway, had agreed before."""
    seconded = first not in {"", by}
    return None if seconded or not by else ApprovedAlone(kind, request, player.id, amount_minor, by)


class Approval(Struct, frozen=True, gc=False):
    """What `by` approved alone for a player, at a time in microseconds since 1970."""

    player: int
    by: str
    amount_minor: int
    at: int


class SoloApprovals(Struct, frozen=True):
    """`version` is that of the stream; `alone` has the approvals of the last day, oldest first."""

    version: int = 0
    alone: tuple[Approval, ...] = ()

    def alone_minor(self, by: str, player: int, now: int) -> int:
        """The larger of the person's and the member's sum of the day before `now`."""
        counted = [each for each in self.alone if now - each.at < APPROVAL_WINDOW_US]
        persons = sum(each.amount_minor for each in counted if each.by == by)
        members = sum(each.amount_minor for each in counted if each.player == player)
        return max(persons, members)


def evolve_solo_approvals(approvals: SoloApprovals, fact: ApprovedAlone, at: int) -> SoloApprovals:
    """The sums after a fact recorded at `at`; never refuses."""
    approval = Approval(fact.player, fact.by, fact.amount_minor, at)
    recent = (each for each in approvals.alone if at - each.at < APPROVAL_WINDOW_US)
    return SoloApprovals(approvals.version + 1, (*recent, approval))


def restore_solo_approvals(version: int, facts: Sequence[RecordedFact]) -> SoloApprovals:
    """The sums from the last facts of its stream, which has `version`."""
    approvals = SoloApprovals(version - len(facts))
    for recorded in facts:
        assert isinstance(recorded.fact, ApprovedAlone)
        approvals = evolve_solo_approvals(approvals, recorded.fact, recorded.at)
    return approvals
