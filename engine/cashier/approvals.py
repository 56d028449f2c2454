"""What a decision on money adds to the desk: who approved alone, which reference was credited."""

from collections.abc import Sequence

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
from engine.lifecycle import DEPOSIT, GIFT, WITHDRAWAL
from engine.players.facts import PlayerFact
from engine.players.state import Player


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
