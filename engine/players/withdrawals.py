"""Withdrawals: asked for by the member, agreed to and paid by staff, never taken back. Pure.

The order of the checks is the order of `engine.refusals`. Whoever is excluded or closed can
always take their money out, and so can everybody once the product is discontinued: nothing that
is due or reserved holds it back, for nobody could turn it over.

While it is unclear whether the member is a person who has an account already, none is approved or
paid: staff decide that first (identities.py), or give the money back.

Two people have a hand in every payout: the one whose approval released it does not pay it. Where
two had to approve, the first of them may pay, so that a house with two staff can pay everything.
"""

from engine.answers import Refused
from engine.players.commands import MEMBER
from engine.players.gifts import releasable, reserved_quota
from engine.players.money import OpenWithdrawal
from engine.players.money_commands import (
    WALLET,
    DecideWithdrawal,
    PayWithdrawal,
    RequestWithdrawal,
)
from engine.players.money_facts import (
    BonusReleased,
    WithdrawalApproved,
    WithdrawalEndorsed,
    WithdrawalPaid,
    WithdrawalRejected,
    WithdrawalRequested,
)
from engine.players.standing import PayoutAccount
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
    """The money leaves the playable balance; bonus money that is free by now comes first."""
    if player.money.withdrawal(command.withdrawal):
        return []
    free = releasable(player, now)
    account = player.standing.payout(command.method)
    leaving = discontinued or player.standing.may_always_leave(now)
    everything = leaving and command.amount_minor == player.available + free
    refused = (
        _may_withdraw(player, account)
        or _amount_allowed(command.amount_minor, terms, everything=everything)
        or _held_back(player, account, terms, now, leaving=leaving)
    )
    if refused:
        return refused
    assert account is not None
    if command.amount_minor > player.available + free:
        return Refused(Refusal.WITHDRAWAL_FUNDS_INSUFFICIENT, "money")
    asked = WithdrawalRequested(
        command.withdrawal, command.method, account.account, command.amount_minor
    )
    return [BonusReleased(free), asked] if free else [asked]


def _may_withdraw(player: Player, account: PayoutAccount | None) -> Refused | None:
    if not player.registered:
        return Refused(Refusal.PLAYER_UNKNOWN)
    if player.group != MEMBER:
        return Refused(Refusal.MUST_REGISTER)
    if not player.standing.base_info:
        return Refused(Refusal.BASE_INFO_MISSING)
    if account is None:
        return Refused(Refusal.PAYOUT_ACCOUNT_MISSING, "type")
    if player.standing.code_usable_at is None:
        return Refused(Refusal.SECURITY_CODE_MISSING)
    return None


def _amount_allowed(amount: int, terms: Terms, *, everything: bool) -> Refused | None:
    if amount <= 0 or (amount < terms.least_withdrawal_minor and not everything):
        return Refused(Refusal.WITHDRAWAL_TOO_SMALL, "money")
    return None


def _held_back(
    player: Player, account: PayoutAccount | None, terms: Terms, now: int, *, leaving: bool
) -> Refused | None:
    assert account is not None
    assert player.standing.code_usable_at is not None
    if now < max(account.usable_at, player.standing.code_usable_at):
        return Refused(Refusal.PAYOUT_COOLING, "type")
    if leaving:
        return None
    if reserved_quota(player, terms, now) is not None:
        return Refused(Refusal.QUOTA_RESERVED)
    return Refused(Refusal.TURNOVER_UNMET) if player.money.due_minor else None


def decide(
    command: DecideWithdrawal, player: Player, terms: Terms, *, alone_minor: int = 0
) -> Decided:
    """Staff agree to pay, two of them where it is much or a first wallet; or give it back.

    `alone_minor` is what counts toward the threshold already.
    """
    at_hand = player.money.withdrawal(command.withdrawal)
    if at_hand is None:
        return Refused(Refusal.WITHDRAWAL_UNKNOWN, "withdrawal")
    if not command.approve:
        return [WithdrawalRejected(at_hand.id, at_hand.amount_minor, command.reason_commitment)]
    if at_hand.approved:
        return []
    if player.standing.identity_unclear:
        return Refused(Refusal.IDENTITY_UNCLEAR, "withdrawal")
    if _takes_two(at_hand, player, terms, alone_minor):
        if not at_hand.endorsed_by:
            return [WithdrawalEndorsed(at_hand.id, command.by)]
        if at_hand.endorsed_by == command.by:
            return Refused(Refusal.SECOND_PERSON_NEEDED)
    return [WithdrawalApproved(at_hand.id, command.by)]


def _takes_two(at_hand: OpenWithdrawal, player: Player, terms: Terms, alone_minor: int) -> bool:
    paid_before = any(
        each.paid for each in player.standing.payouts if each.account == at_hand.account
    )
    first_wallet = at_hand.method == WALLET and not paid_before
    return first_wallet or at_hand.amount_minor + alone_minor > terms.four_eyes_minor


def pay(command: PayWithdrawal, player: Player) -> Decided:
    """The money of an approved withdrawal was sent."""
    at_hand = player.money.withdrawal(command.withdrawal)
    if at_hand is None:
        return Refused(Refusal.WITHDRAWAL_UNKNOWN, "withdrawal")
    if not at_hand.approved:
        return Refused(Refusal.WITHDRAWAL_NOT_APPROVED, "withdrawal")
    if at_hand.approved_by == command.by:
        return Refused(Refusal.PAYER_APPROVED, "withdrawal")
    if player.standing.identity_unclear:
        return Refused(Refusal.IDENTITY_UNCLEAR, "withdrawal")
    channel = "usdt" if at_hand.method == WALLET else "bank"
    return [
        WithdrawalPaid(
            at_hand.id,
            channel,
            at_hand.account,
            at_hand.amount_minor,
            command.reference_commitment,
        )
    ]
