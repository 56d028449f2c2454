"""Staff decisions on players' money: deposits, withdrawals, gifts, corrections.

Some need a second person; the engine enforces that proposer and approver differ.
"""

import asyncio
from collections.abc import Awaitable, Callable
from decimal import Decimal
from typing import Any, Final

from api.account.player_sync import engine_reader, sync_identity, with_timeout
from api.http.endpoints import Auth, Endpoint, RequestContext, StaffRequest
from api.http.envelope import CallRefused, CallResult
from api.http.field_types import MoneyInput, PlayerName, Words
from api.office.common import (
    ApprovalStatus,
    StaffRequestT,
    amount_of,
    commitment_to,
    derived_id,
    find_approval_item,
    member_of,
    reason_text_id,
    require_idempotency_key,
    submit_deposit_command,
    submit_money_command,
)
from engine.cashier.commands import (
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
from engine.staff import roles
from engine.staff.roles import Role
from projections.approvals.queries import ApprovalItem

_ENTERED: Final = frozenset({"bank", "usdt"})


class EnteredDepositRequest(StaffRequest):
    """`player` is a user name or a player id, `channel` bank or usdt.

    `again` confirms that it is another payment, although this reference was credited before.
    """

    player: PlayerName
    amount: MoneyInput
    channel: str
    reference: Words
    again: bool = False


class DecisionRequest(StaffRequest):
    """`id` is that of an item in the queue; a rejection needs a `reason`."""

    id: str
    approve: bool
    reason: str = ""


class DepositDecisionRequest(DecisionRequest):
    """`again` confirms that it is another payment, although its reference was credited before."""

    again: bool = False


class PaymentRequest(StaffRequest):
    """`reference` is that of the sent payment."""

    id: str
    reference: Words


class GiftRequest(StaffRequest):
    """Bonus money for a player, with the reason."""

    player: PlayerName
    amount: MoneyInput
    reason: Words


class AdjustmentRequest(StaffRequest):
    """A correction; a negative `amount` is deducted.

    `kind` is double_entry, returned_payout, chargeback or goodwill; each is booked against its own
    account. `channel` (bank, usdt or online) is that of a double entry, else empty.
    """

    player: PlayerName
    amount: MoneyInput
    reason: Words
    kind: str = "goodwill"
    channel: str = ""


class AgreementRequest(StaffRequest):
    """`approve` is the second person's agreement; anyone may reject a gift or a correction."""

    id: str
    approve: bool


async def enter_deposit(ctx: RequestContext[EnteredDepositRequest]) -> CallResult:
    """Enter received money: credit it, or propose it to a second person above the threshold."""
    body, actor, key = ctx.body, ctx.staff, require_idempotency_key(ctx)
    if body.channel not in _ENTERED:
        raise CallRefused(Refusal.CHANNEL_UNKNOWN, "channel")
    amount = _above_zero(body.amount)
    player = (await member_of(ctx, body.player)).player
    deposit = derived_id("deposit", player, actor, key)
    reference = await commitment_to(ctx, deposit, body.reference, player, "reference")
    async with ctx.services.idempotent_requests.player_lock(player):
        await sync_identity(ctx.services, player)
    index = ctx.services.vault.reference_index(body.channel, body.reference)
    entered = (player, deposit, body.channel, amount, reference, actor)
    return await submit_deposit_command(ctx, actor, EnterDeposit(*entered, index, body.again))


async def decide_deposit(ctx: RequestContext[DepositDecisionRequest]) -> CallResult:
    """Approve or reject a deposit that a player announced or a colleague entered."""
    body, actor = ctx.body, ctx.staff
    require_idempotency_key(ctx)
    pending = await find_approval_item(ctx, "deposit", body.id, Refusal.DEPOSIT_UNKNOWN)
    async with ctx.services.idempotent_requests.player_lock(pending.player):
        await sync_identity(ctx.services, pending.player)
        if body.approve:
            index = await _reference(ctx, pending)
            agreement = AgreeDeposit(pending.player, pending.id, actor, index, body.again)
            return await submit_deposit_command(ctx, actor, agreement)
        reason = await _reason(ctx, pending.player)
        command = DecideDeposit(pending.player, pending.id, body.approve, actor, reason)
        return await submit_money_command(ctx, actor, command)


async def _reference(ctx: RequestContext[DepositDecisionRequest], pending: ApprovalItem) -> str:
    """Returns the keyed hash of the announced reference; an online order has none but its id."""
    vault = ctx.services.vault
    words = await asyncio.to_thread(vault.texts, [pending.id])
    return vault.reference_index(pending.channel, words.get(pending.id, ""))


async def decide_withdrawal(ctx: RequestContext[DecisionRequest]) -> CallResult:
    """Approve a withdrawal for payment, or reject it and return the money to the player."""
    body, actor = ctx.body, ctx.staff
    require_idempotency_key(ctx)
    withdrawal = await find_approval_item(ctx, "withdrawal", body.id, Refusal.WITHDRAWAL_UNKNOWN)
    async with ctx.services.idempotent_requests.player_lock(withdrawal.player):
        await sync_identity(ctx.services, withdrawal.player)
        reason = await _reason(ctx, withdrawal.player)
        command = DecideWithdrawal(withdrawal.player, withdrawal.id, body.approve, actor, reason)
        return await submit_money_command(ctx, actor, command)


async def pay_withdrawal(ctx: RequestContext[PaymentRequest]) -> CallResult:
    """Record that the money of an approved withdrawal was sent."""
    body, actor = ctx.body, ctx.staff
    require_idempotency_key(ctx)
    withdrawal = await find_approval_item(ctx, "withdrawal", body.id, Refusal.WITHDRAWAL_UNKNOWN)
    async with ctx.services.idempotent_requests.player_lock(withdrawal.player):
        await sync_identity(ctx.services, withdrawal.player)
        await _check_payable(ctx, withdrawal.player)
        reference = await commitment_to(
            ctx, withdrawal.id, body.reference, withdrawal.player, "reference"
        )
        command = PayWithdrawal(withdrawal.player, withdrawal.id, actor, reference)
        return await submit_money_command(ctx, actor, command)


async def _check_payable(ctx: RequestContext[PaymentRequest], player: int) -> None:
    """Check this before the reference is saved, because the vault keeps the first text of an id."""
    view = await with_timeout(engine_reader(ctx.services).player(player))
    if view is None:
        return
    unclear = any(each.same is None for each in view.shared)
    for each in view.withdrawals:
        if each.id == ctx.body.id and not each.approved:
            raise CallRefused(Refusal.WITHDRAWAL_NOT_APPROVED, "id")
        if each.id == ctx.body.id and each.approved_by == ctx.staff:
            raise CallRefused(Refusal.PAYER_APPROVED, "id")
        if each.id == ctx.body.id and unclear:
            raise CallRefused(Refusal.IDENTITY_UNCLEAR, "id")


async def give(ctx: RequestContext[GiftRequest]) -> CallResult:
    """Give bonus money, or propose it if the amount needs a second person."""
    body, actor, key = ctx.body, ctx.staff, require_idempotency_key(ctx)
    amount = _above_zero(body.amount)
    player = (await member_of(ctx, body.player)).player
    gift = derived_id("gift", player, actor, key)
    reason = await commitment_to(ctx, gift, body.reason, player, "reason")
    return await submit_money_command(ctx, actor, GrantGift(player, gift, amount, actor, reason))


async def decide_gift(ctx: RequestContext[AgreementRequest]) -> CallResult:
    """Agree to a proposed gift, or reject it."""
    body, actor = ctx.body, ctx.staff
    require_idempotency_key(ctx)
    proposed = await find_approval_item(ctx, "gift", body.id, Refusal.GIFT_UNKNOWN)
    return await submit_money_command(
        ctx, actor, DecideGift(proposed.player, proposed.id, body.approve, actor)
    )


async def adjust(ctx: RequestContext[AdjustmentRequest]) -> CallResult:
    """Propose a correction; no money moves before a second person agrees."""
    body, actor, key = ctx.body, ctx.staff, require_idempotency_key(ctx)
    amount = amount_of(body.amount)
    player = (await member_of(ctx, body.player)).player
    adjustment = derived_id("adjustment", player, actor, key)
    reason = await commitment_to(ctx, adjustment, body.reason, player, "reason")
    command = ProposeCorrection(player, adjustment, body.kind, body.channel, amount, actor, reason)
    return await submit_money_command(ctx, actor, command)


async def decide_adjustment(ctx: RequestContext[AgreementRequest]) -> CallResult:
    """Agree to a proposed correction, or reject it."""
    body, actor = ctx.body, ctx.staff
    require_idempotency_key(ctx)
    proposed = await find_approval_item(ctx, "adjustment", body.id, Refusal.ADJUSTMENT_UNKNOWN)
    command = DecideAdjustment(proposed.player, proposed.id, body.approve, actor)
    return await submit_money_command(ctx, actor, command)


async def _reason(ctx: RequestContext[Any], player: int) -> str:
    """Returns the commitment to the reason of a rejection; an approval has none."""
    body: DecisionRequest = ctx.body
    if body.approve:
        return ""
    return await commitment_to(ctx, reason_text_id(body.id), body.reason, player, "reason")


def _above_zero(amount: Decimal) -> int:
    minor = amount_of(amount)
    if minor <= 0:
        raise CallRefused(Refusal.AMOUNT_INVALID, "amount")
    return minor


def _call(
    path: str,
    request_type: type[StaffRequestT],
    handle: Callable[[RequestContext[StaffRequestT]], Awaitable[CallResult]],
    summary: str,
    refusals: tuple[Refusal, ...],
    allowed_roles: frozenset[Role] = roles.PAYMENTS,
) -> Endpoint[StaffRequestT]:
    return Endpoint(
        f"/api/office/{path}",
        request_type,
        ApprovalStatus,
        handle,
        f"{summary} (staff)",
        auth=Auth.STAFF,
        roles=allowed_roles,
        idempotent=True,
        refusals=refusals,
    )


CALLS: Final[tuple[Endpoint[Any], ...]] = (
    _call(
        "deposit",
        EnteredDepositRequest,
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
        DepositDecisionRequest,
        decide_deposit,
        "Approve or reject a deposit",
        refusals=(
            Refusal.DEPOSIT_UNKNOWN,
            Refusal.REFERENCE_USED,
            Refusal.SECOND_PERSON_NEEDED,
        ),
        allowed_roles=roles.PAYMENTS_DECIDED,
    ),
    _call(
        "withdrawalDecision",
        DecisionRequest,
        decide_withdrawal,
        "Decide a withdrawal",
        refusals=(
            Refusal.WITHDRAWAL_UNKNOWN,
            Refusal.IDENTITY_UNCLEAR,
            Refusal.SECOND_PERSON_NEEDED,
        ),
        allowed_roles=roles.PAYMENTS_DECIDED,
    ),
    _call(
        "withdrawalPayment",
        PaymentRequest,
        pay_withdrawal,
        "Record a withdrawal's payment",
        refusals=(
            Refusal.WITHDRAWAL_UNKNOWN,
            Refusal.WITHDRAWAL_NOT_APPROVED,
            Refusal.PAYER_APPROVED,
            Refusal.IDENTITY_UNCLEAR,
        ),
        allowed_roles=roles.PAYMENTS_DECIDED,
    ),
    _call(
        "gift",
        GiftRequest,
        give,
        "Give bonus money",
        refusals=(Refusal.PLAYER_UNKNOWN, Refusal.MUST_REGISTER, Refusal.AMOUNT_INVALID),
        allowed_roles=roles.GIFTS,
    ),
    _call(
        "giftDecision",
        AgreementRequest,
        decide_gift,
        "Decide a gift",
        refusals=(Refusal.GIFT_UNKNOWN, Refusal.SECOND_PERSON_NEEDED),
        allowed_roles=roles.GIFTS,
    ),
    _call(
        "adjustment",
        AdjustmentRequest,
        adjust,
        "Propose a correction",
        refusals=(
            Refusal.PLAYER_UNKNOWN,
            Refusal.MUST_REGISTER,
            Refusal.AMOUNT_INVALID,
            Refusal.CORRECTION_UNKNOWN,
            Refusal.CHANNEL_UNKNOWN,
        ),
        allowed_roles=roles.CORRECTIONS,
    ),
    _call(
        "adjustmentDecision",
        AgreementRequest,
        decide_adjustment,
        "Decide a correction",
        refusals=(
            Refusal.FUNDS_INSUFFICIENT,
            Refusal.ADJUSTMENT_UNKNOWN,
            Refusal.SECOND_PERSON_NEEDED,
        ),
        allowed_roles=roles.CORRECTIONS_DECIDED,
    ),
)
