"""Approvals of money: who approved alone, and which payment references were credited. Pure.

- What each person approved alone within a day counts toward their next approval. Splitting one
  large entry into many small ones must not avoid the four-eyes rule. So the threshold applies to
  two sums: what one person approved alone for all members, and what single persons approved alone
  for one member.
- Each payment has one deposit. A payment reference is identified by a keyed hash over its channel
  and its text, never by the text. Each has its own stream, `reference-<hash>`, so that the writer
  reads only the few that a batch needs.
"""

from collections.abc import Iterable, Sequence

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
    ReferenceCredited,
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


def reference_credited(
    command: MoneyCommand, player: Player, facts: Sequence[PlayerFact]
) -> ReferenceCredited | None:
    """The payment reference that was credited, None if there was none."""
    if not isinstance(command, EnterDeposit | AgreeDeposit) or not command.reference:
        return None
    fact = facts[-1] if facts else None
    if not isinstance(fact, DepositApproved):
        return None
    return ReferenceCredited(command.reference, fact.channel, fact.deposit, player.id, command.by)


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


class Desk(Struct, frozen=True):
    """`version` is that of the stream; `alone` has the approvals of the last day, oldest first."""

    version: int = 0
    alone: tuple[Approval, ...] = ()

    def alone_minor(self, by: str, player: int, now: int) -> int:
        """The larger of the person's and the member's sum of the day before `now`."""
        counted = [each for each in self.alone if now - each.at < APPROVAL_WINDOW_US]
        persons = sum(each.amount_minor for each in counted if each.by == by)
        members = sum(each.amount_minor for each in counted if each.player == player)
        return max(persons, members)


def evolve_desk(desk: Desk, fact: ApprovedAlone, at: int) -> Desk:
    """The desk after a fact recorded at `at`; never refuses."""
    approval = Approval(fact.player, fact.by, fact.amount_minor, at)
    recent = (each for each in desk.alone if at - each.at < APPROVAL_WINDOW_US)
    return Desk(desk.version + 1, (*recent, approval))


def restore_desk(version: int, facts: Sequence[RecordedFact]) -> Desk:
    """The desk from the last facts of its stream, which has `version`."""
    desk = Desk(version - len(facts))
    for recorded in facts:
        assert isinstance(recorded.fact, ApprovedAlone)
        desk = evolve_desk(desk, recorded.fact, recorded.at)
    return desk


class Credit(Struct, frozen=True, gc=False):
    """The newest deposit with a reference; `version` is 0 if it was never credited.

    `by` approved it, at a time in microseconds since 1970.
    """

    version: int = 0
    deposit: str = ""
    by: str = ""
    at: int = 0


def evolve_credit(credit: Credit, fact: ReferenceCredited, at: int) -> Credit:
    """The reference's state after a fact recorded at `at`; never refuses."""
    return Credit(credit.version + 1, fact.deposit, fact.by, at)


def load_credits(
    cache: dict[str, Credit], references: Iterable[str], facts: Iterable[RecordedFact]
) -> None:
    """Add these references to the cache, from the facts of their streams, each in order."""
    fresh = dict.fromkeys(references, Credit())
    for recorded in facts:
        fact = recorded.fact
        assert isinstance(fact, ReferenceCredited)
        fresh[fact.reference] = evolve_credit(fresh[fact.reference], fact, recorded.at)
    cache.update(fresh)


def evict_credits(cache: dict[str, Credit], capacity: int) -> None:
    """Drop the oldest references beyond `capacity`; they are reloaded on demand."""
    for reference in list(cache)[: max(0, len(cache) - capacity)]:
        del cache[reference]
