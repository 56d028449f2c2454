"""Withdrawals: requested by the member, approved and paid by staff, never cancelled. Pure.

The order of the checks is the order of `engine.refusals`. An exclusion or a closed
account blocks no withdrawal. Nor does turnover due or a reservation once the product is
discontinued, because no member could complete the turnover.

While it is undecided whether the member is a person who already has an account, no withdrawal is
approved or paid. Staff decide that first (`players/decisions.py`), or return the money.

Every payout involves two people: the one whose approval released it does not pay it. If two had to
approve, the first of them may pay, so that a house with two staff can pay everything.
"""

from engine.answers import Refused
from engine.cashier.bonuses import releasable, reserved_quota
from engine.cashier.commands import WALLET, DecideWithdrawal, PayWithdrawal, RequestWithdrawal
from engine.cashier.facts import (
    BonusReleased,
    WithdrawalApproved,
    WithdrawalEndorsed,
    WithdrawalPaid,
    WithdrawalRejected,
    WithdrawalRequested,
)
from engine.cashier.payment_state import Payment
from engine.lifecycle import WITHDRAWAL
from engine.players.commands import MEMBER
from engine.players.profile import PayoutAccount
from engine.players.state import Player
from engine.refusals import Refusal
from engine.terms import Terms

WithdrawalFact = (
    WithdrawalRequested
    | WithdrawalEndorsed
    | WithdrawalApproved
    | WithdrawalPaid
    | WithdrawalRejected
    | BonusReleased
)
Decided = list[WithdrawalFact] | Refused


def request(
    command: RequestWithdrawal, player: Player, terms: Terms, now: int, *, discontinued: bool
) -> Decided:
    """The money leaves the playable balance; bonus money releasable by now is used first."""
    if player.payments.find(WITHDRAWAL, command.withdrawal):
        return []
    free = releasable(player, now)
    account = player.profile.payout(command.method)
    unconditional = discontinued or player.profile.may_withdraw_unconditionally(now)
    everything = unconditional and command.amount_minor == player.available + free
    refused = (
        _may_withdraw(player, account)
        or _amount_allowed(command.amount_minor, terms, everything=everything)
        or _check_holds(player, account, terms, now, unconditional=unconditional)
    )
    if refused:
        return refused
    assert account is not None
    if command.amount_minor > player.available + free:
        return Refused(Refusal.WITHDRAWAL_FUNDS_INSUFFICIENT, "money")
    requested = WithdrawalRequested(
        command.withdrawal, command.method, account.account, command.amount_minor
    )
    return [BonusReleased(free), requested] if free else [requested]


def _may_withdraw(player: Player, account: PayoutAccount | None) -> Refused | None:
    if not player.registered:
        return Refused(Refusal.PLAYER_UNKNOWN)
    if player.group != MEMBER:
        return Refused(Refusal.MUST_REGISTER)
    if not player.profile.base_info:
        return Refused(Refusal.BASE_INFO_MISSING)
    if account is None:
        return Refused(Refusal.PAYOUT_ACCOUNT_MISSING, "type")
    if player.profile.code_usable_at is None:
        return Refused(Refusal.SECURITY_CODE_MISSING)
    return None


def _amount_allowed(amount: int, terms: Terms, *, everything: bool) -> Refused | None:
    if amount <= 0 or (amount < terms.least_withdrawal_minor and not everything):
        return Refused(Refusal.WITHDRAWAL_TOO_SMALL, "money")
    return None


def _check_holds(
    player: Player, account: PayoutAccount | None, terms: Terms, now: int, *, unconditional: bool
) -> Refused | None:
    assert account is not None
    assert player.profile.code_usable_at is not None
    if now < max(account.usable_at, player.profile.code_usable_at):
        return Refused(Refusal.PAYOUT_COOLING, "type")
    if unconditional:
        return None
    if reserved_quota(player, terms, now) is not None:
        return Refused(Refusal.QUOTA_RESERVED)
    return Refused(Refusal.TURNOVER_UNMET) if player.payments.due_minor else None


def decide(
    command: DecideWithdrawal, player: Player, terms: Terms, *, alone_minor: int = 0
) -> Decided:
    """Staff approve, two of them if the amount is large or the wallet is new; or return the money.

    `alone_minor` already counts toward the threshold.
    """
    withdrawal = player.payments.find(WITHDRAWAL, command.withdrawal)
    if withdrawal is None:
        return Refused(Refusal.WITHDRAWAL_UNKNOWN, "withdrawal")
    if not command.approve:
        return [
            WithdrawalRejected(withdrawal.id, withdrawal.amount_minor, command.reason_commitment)
        ]
    if withdrawal.approved:
        return []
    if player.profile.identity_unclear:
        return Refused(Refusal.IDENTITY_UNCLEAR, "withdrawal")
    if _needs_two_approvals(withdrawal, player, terms, alone_minor):
        if not withdrawal.endorsed_by:
            return [WithdrawalEndorsed(withdrawal.id, command.by)]
        if withdrawal.endorsed_by == command.by:
            return Refused(Refusal.SECOND_PERSON_NEEDED)
    return [WithdrawalApproved(withdrawal.id, command.by)]


def _needs_two_approvals(
    withdrawal: Payment, player: Player, terms: Terms, alone_minor: int
) -> bool:
    paid_before = any(
        each.paid for each in player.profile.payouts if each.account == withdrawal.account
    )
    first_wallet = withdrawal.method == WALLET and not paid_before
    return first_wallet or terms.takes_two(withdrawal.amount_minor, alone_minor)


def pay(command: PayWithdrawal, player: Player) -> Decided:
    """Record that the money of an approved withdrawal was sent."""
    withdrawal = player.payments.find(WITHDRAWAL, command.withdrawal)
    if withdrawal is None:
        return Refused(Refusal.WITHDRAWAL_UNKNOWN, "withdrawal")
    if not withdrawal.approved:
        return Refused(Refusal.WITHDRAWAL_NOT_APPROVED, "withdrawal")
    if withdrawal.decided_by == command.by:
        return Refused(Refusal.PAYER_APPROVED, "withdrawal")
    if player.profile.identity_unclear:
        return Refused(Refusal.IDENTITY_UNCLEAR, "withdrawal")
    channel = "usdt" if withdrawal.method == WALLET else "bank"
    return [
        WithdrawalPaid(
            withdrawal.id,
            channel,
            withdrawal.account,
            withdrawal.amount_minor,
            command.reference_commitment,
        )
    ]
