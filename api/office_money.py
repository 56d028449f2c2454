"""Members' money in the staff's hands: deposits, withdrawals, gifts, corrections.

What one person proposes another agrees to, where it takes two; the engine holds them to it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from decimal import Decimal
from typing import Any, Final

from api.calls import Asked, Auth, Call, StaffAsking
from api.envelope import CallRefused, Done
from api.members import identified, in_time, looking
from api.office_desk import (
    Outcome,
    StaffAskingT,
    amount_of,
    credited,
    done,
    kept,
    key_of,
    member_of,
    number,
    reason_place,
    request_of,
)
from api.units import GivenMoney, PlayerName, Words
from engine.house import roles
from engine.house.roles import Role
from engine.players.money_commands import (
    AgreeDeposit,
    DecideAdjustment,
    DecideDeposit,
    DecideGift,
    DecideWithdrawal,
    EnterDeposit,
    GrantGift,
    PayWithdrawal,
    ProposeCorrection,
)
from engine.refusals import Refusal
from projections.requests.queries import Request

_ENTERED: Final = frozenset({"bank", "usdt"})


class EnteredDepositAsking(StaffAsking):
    """`player` is a user name or a player id, `channel` bank or usdt.

    `again` says that it is another payment although one with this reference was credited before.
    """

    player: PlayerName
    amount: GivenMoney
    channel: str
    reference: Words
    again: bool = False


class DecisionAsking(StaffAsking):
    """`id` is what the queue names; a `reason` is needed to say no."""

    id: str
    approve: bool
    reason: str = ""


class DepositDecisionAsking(DecisionAsking):
    """`again` says that it is another payment although its reference was credited before."""

    again: bool = False


class PaymentAsking(StaffAsking):
    """`reference` is what the payment that was sent says."""

    id: str
    reference: Words


class GiftAsking(StaffAsking):
    """Bonus money for a member, and why."""

    player: PlayerName
    amount: GivenMoney
    reason: Words


class AdjustmentAsking(StaffAsking):
    """A correction; an `amount` below zero takes money away.

    `kind` is double_entry, returned_payout, chargeback or goodwill; each is booked against an
    account of its own. `channel` (bank, usdt or online) is that of a double entry, else empty.
    """

    player: PlayerName
    amount: GivenMoney
    reason: Words
    kind: str = "goodwill"
    channel: str = ""


class AgreementAsking(StaffAsking):
    """`approve` is the second person's agreement; anyone may drop a gift or a correction."""

    id: str
    approve: bool


async def enter_deposit(asked: Asked[EnteredDepositAsking]) -> Done:
    """Money has arrived from outside: credit it, or have a second person agree to it."""
    body, actor, key = asked.body, asked.staff, key_of(asked)
    if body.channel not in _ENTERED:
        raise CallRefused(Refusal.CHANNEL_UNKNOWN, "channel")
    amount = _above_zero(body.amount)
    player = (await member_of(asked, body.player)).player
    deposit = number("deposit", player, actor, key)
    reference = await kept(asked, deposit, body.reference, player, "reference")
    async with asked.services.once.turn(player):
        await identified(asked.services, player)
    index = asked.services.vault.reference_index(body.channel, body.reference)
    entered = (player, deposit, body.channel, amount, reference, actor)
    return await credited(asked, actor, EnterDeposit(*entered, index, body.again))


async def decide_deposit(asked: Asked[DepositDecisionAsking]) -> Done:
    """A deposit that a member announced, or a colleague entered, has arrived or has not."""
    body, actor = asked.body, asked.staff
    key_of(asked)
    pending = await request_of(asked, "deposit", body.id, Refusal.DEPOSIT_UNKNOWN)
    async with asked.services.once.turn(pending.player):
        await identified(asked.services, pending.player)
        if body.approve:
            index = await _reference(asked, pending)
            agreement = AgreeDeposit(pending.player, pending.id, actor, index, body.again)
            return await credited(asked, actor, agreement)
        reason = await _reason(asked, pending.player)
        command = DecideDeposit(pending.player, pending.id, body.approve, actor, reason)
        return await done(asked, actor, command)


async def _reference(asked: Asked[DepositDecisionAsking], pending: Request) -> str:
    """The keyed hash of what was announced; an online order is known by its id alone."""
    vault = asked.services.vault
    words = await asyncio.to_thread(vault.words, [pending.id])
    return vault.reference_index(pending.channel, words.get(pending.id, ""))


async def decide_withdrawal(asked: Asked[DecisionAsking]) -> Done:
    """A withdrawal may be paid, or goes back to its member."""
    body, actor = asked.body, asked.staff
    key_of(asked)
    wanted = await request_of(asked, "withdrawal", body.id, Refusal.WITHDRAWAL_UNKNOWN)
    async with asked.services.once.turn(wanted.player):
        await identified(asked.services, wanted.player)
        reason = await _reason(asked, wanted.player)
        command = DecideWithdrawal(wanted.player, wanted.id, body.approve, actor, reason)
        return await done(asked, actor, command)


async def pay_withdrawal(asked: Asked[PaymentAsking]) -> Done:
    """The money of an approved withdrawal was sent."""
    body, actor = asked.body, asked.staff
    key_of(asked)
    wanted = await request_of(asked, "withdrawal", body.id, Refusal.WITHDRAWAL_UNKNOWN)
    async with asked.services.once.turn(wanted.player):
        await identified(asked.services, wanted.player)
        await _check_payable(asked, wanted.player)
        reference = await kept(asked, wanted.id, body.reference, wanted.player, "reference")
        command = PayWithdrawal(wanted.player, wanted.id, actor, reference)
        return await done(asked, actor, command)


async def _check_payable(asked: Asked[PaymentAsking], player: int) -> None:
    """Before its reference is kept: the vault keeps the first words, and these may be in vain."""
    view = await in_time(looking(asked.services).player(player))
    if view is None:
        return
    unclear = any(each.same is None for each in view.shared)
    for each in view.withdrawals:
        if each.id == asked.body.id and not each.approved:
            raise CallRefused(Refusal.WITHDRAWAL_NOT_APPROVED, "id")
        if each.id == asked.body.id and each.approved_by == asked.staff:
            raise CallRefused(Refusal.PAYER_APPROVED, "id")
        if each.id == asked.body.id and unclear:
            raise CallRefused(Refusal.IDENTITY_UNCLEAR, "id")


async def give(asked: Asked[GiftAsking]) -> Done:
    """Give bonus money, or propose it where one person may not give as much."""
    body, actor, key = asked.body, asked.staff, key_of(asked)
    amount = _above_zero(body.amount)
    player = (await member_of(asked, body.player)).player
    gift = number("gift", player, actor, key)
    reason = await kept(asked, gift, body.reason, player, "reason")
    return await done(asked, actor, GrantGift(player, gift, amount, actor, reason))


async def decide_gift(asked: Asked[AgreementAsking]) -> Done:
    """Agree to a colleague's gift, or drop it."""
    body, actor = asked.body, asked.staff
    key_of(asked)
    proposed = await request_of(asked, "gift", body.id, Refusal.GIFT_UNKNOWN)
    return await done(asked, actor, DecideGift(proposed.player, proposed.id, body.approve, actor))


async def adjust(asked: Asked[AdjustmentAsking]) -> Done:
    """Propose a correction; nothing moves before another person agrees."""
    body, actor, key = asked.body, asked.staff, key_of(asked)
    amount = amount_of(body.amount)
    player = (await member_of(asked, body.player)).player
    adjustment = number("adjustment", player, actor, key)
    reason = await kept(asked, adjustment, body.reason, player, "reason")
    command = ProposeCorrection(player, adjustment, body.kind, body.channel, amount, actor, reason)
    return await done(asked, actor, command)


async def decide_adjustment(asked: Asked[AgreementAsking]) -> Done:
    """Agree to a colleague's correction, or drop it."""
    body, actor = asked.body, asked.staff
    key_of(asked)
    proposed = await request_of(asked, "adjustment", body.id, Refusal.ADJUSTMENT_UNKNOWN)
    command = DecideAdjustment(proposed.player, proposed.id, body.approve, actor)
    return await done(asked, actor, command)


async def _reason(asked: Asked[Any], player: int) -> str:
    """The commitment to why not; to agree takes no words."""
    body: DecisionAsking = asked.body
    if body.approve:
        return ""
    return await kept(asked, reason_place(body.id), body.reason, player, "reason")


def _above_zero(amount: Decimal) -> int:
    minor = amount_of(amount)
    if minor <= 0:
        raise CallRefused(Refusal.AMOUNT_INVALID, "amount")
    return minor


def _call(
    path: str,
    takes: type[StaffAskingT],
    handle: Callable[[Asked[StaffAskingT]], Awaitable[Done]],
    says: str,
    refusals: tuple[Refusal, ...],
    may: frozenset[Role] = roles.PAYMENTS,
) -> Call[StaffAskingT]:
    return Call(
        f"/api/office/{path}",
        takes,
        Outcome,
        handle,
        f"{says} (staff)",
        auth=Auth.STAFF,
        roles=may,
        keyed=True,
        refusals=refusals,
    )


CALLS: Final[tuple[Call[Any], ...]] = (
    _call(
        "deposit",
        EnteredDepositAsking,
        enter_deposit,
        "Enter a deposit",
        refusals=(
            Refusal.PLAYER_UNKNOWN,
            Refusal.MUST_REGISTER,
            Refusal.AMOUNT_INVALID,
            Refusal.CHANNEL_UNKNOWN,
            Refusal.REFERENCE_USED,
        ),
    ),
    _call(
        "depositDecision",
        DepositDecisionAsking,
        decide_deposit,
        "Approve or reject a deposit",
        refusals=(
            Refusal.DEPOSIT_UNKNOWN,
            Refusal.REFERENCE_USED,
            Refusal.SECOND_PERSON_NEEDED,
        ),
        may=roles.PAYMENTS_DECIDED,
    ),
    _call(
        "withdrawalDecision",
        DecisionAsking,
        decide_withdrawal,
        "Decide a withdrawal",
        refusals=(
            Refusal.WITHDRAWAL_UNKNOWN,
            Refusal.IDENTITY_UNCLEAR,
            Refusal.SECOND_PERSON_NEEDED,
        ),
        may=roles.PAYMENTS_DECIDED,
    ),
    _call(
        "withdrawalPayment",
        PaymentAsking,
        pay_withdrawal,
        "Record a withdrawal's payment",
        refusals=(
            Refusal.WITHDRAWAL_UNKNOWN,
            Refusal.WITHDRAWAL_NOT_APPROVED,
            Refusal.PAYER_APPROVED,
            Refusal.IDENTITY_UNCLEAR,
        ),
        may=roles.PAYMENTS_DECIDED,
    ),
    _call(
        "gift",
        GiftAsking,
        give,
        "Give bonus money",
        refusals=(Refusal.PLAYER_UNKNOWN, Refusal.MUST_REGISTER, Refusal.AMOUNT_INVALID),
        may=roles.GIFTS,
    ),
    _call(
        "giftDecision",
        AgreementAsking,
        decide_gift,
        "Decide a gift",
        refusals=(Refusal.GIFT_UNKNOWN, Refusal.SECOND_PERSON_NEEDED),
        may=roles.GIFTS,
    ),
    _call(
        "adjustment",
        AdjustmentAsking,
        adjust,
        "Propose a correction",
        refusals=(
            Refusal.PLAYER_UNKNOWN,
            Refusal.MUST_REGISTER,
            Refusal.AMOUNT_INVALID,
            Refusal.CORRECTION_UNKNOWN,
            Refusal.CHANNEL_UNKNOWN,
        ),
        may=roles.CORRECTIONS,
    ),
    _call(
        "adjustmentDecision",
        AgreementAsking,
        decide_adjustment,
        "Decide a correction",
        refusals=(
            Refusal.FUNDS_INSUFFICIENT,
            Refusal.ADJUSTMENT_UNKNOWN,
            Refusal.SECOND_PERSON_NEEDED,
        ),
        may=roles.CORRECTIONS_DECIDED,
    ),
)
