"""Staff decisions on players' money: deposits, withdrawals, gifts, corrections.

Some need a second person; the engine enforces that proposer and approver differ.
"""

import asyncio
from decimal import Decimal
from typing import Final

from api.http.call_request import CallRequest, StaffRequest
from api.http.calls import staff_command
from api.http.commands import Commands
from api.http.db_pool import ReadModels
from api.http.envelope import CallResult
from api.http.field_types import MoneyInput, PlayerName, Words
from api.http.refusals import CallRefused
from api.office.common import (
    ApprovalStatus,
    amount_of,
    commitment_to,
    derived_id,
    find_approval_item,
    member_of,
    reason_text_id,
    submit_deposit_command,
    submit_money_command,
)
from api.services import Services
from api.settings import Settings
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
from engine.runtime.port import EnginePort
from engine.runtime.vault import Vault
from engine.staff import roles
from projections.approvals import ApprovalItem

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


@staff_command(
    "deposit",
    "Enter a deposit",
    roles.PAYMENTS,
    refusals=(
        Refusal.PLAYER_UNKNOWN,
        Refusal.MUST_REGISTER,
        Refusal.AMOUNT_INVALID,
        Refusal.CHANNEL_UNKNOWN,
        Refusal.REFERENCE_USED,
    ),
)
async def enter_deposit(
    request: CallRequest, data: EnteredDepositRequest, services: Services
) -> CallResult[ApprovalStatus]:
    """Enter received money: credit it, or propose it to a second person above the threshold."""
    actor, key = request.staff, request.required_key
    if data.channel not in _ENTERED:
        raise CallRefused(Refusal.CHANNEL_UNKNOWN, "channel")
    amount = _above_zero(data.amount)
    player = (await member_of(services.vault, data.player)).player
    deposit = derived_id("deposit", player, actor, key)
    reference = await commitment_to(services.vault, deposit, data.reference, player, "reference")
    async with services.commands.once.player_lock(player):
        await services.players.sync_identity(player)
    index = services.vault.reference_index(data.channel, data.reference)
    entered = (player, deposit, data.channel, amount, reference, actor)
    return await submit_deposit_command(
        request, services, EnterDeposit(*entered, index, data.again)
    )


@staff_command(
    "depositDecision",
    "Approve or reject a deposit",
    roles.PAYMENTS_DECIDED,
    refusals=(Refusal.DEPOSIT_UNKNOWN, Refusal.REFERENCE_USED, Refusal.SECOND_PERSON_NEEDED),
)
async def decide_deposit(
    request: CallRequest, data: DepositDecisionRequest, services: Services
) -> CallResult[ApprovalStatus]:
    """Approve or reject a deposit that a player announced or a colleague entered."""
    actor = request.staff
    pending = await find_approval_item(
        services.read_models, "deposit", data.id, Refusal.DEPOSIT_UNKNOWN
    )
    async with services.commands.once.player_lock(pending.player):
        await services.players.sync_identity(pending.player)
        if data.approve:
            index = await _reference(services.vault, pending)
            agreement = AgreeDeposit(pending.player, pending.id, actor, index, data.again)
            return await submit_deposit_command(request, services, agreement, data.id)
        reason = await _reason(data, services.vault, pending.player)
        command = DecideDeposit(pending.player, pending.id, data.approve, actor, reason)
        return await submit_money_command(
            request, services.settings, services.read_models, services.commands, command, data.id
        )


async def _reference(vault: Vault, pending: ApprovalItem) -> str:
    """Returns the keyed hash of the announced reference; an online order has none but its id."""
    words = await asyncio.to_thread(vault.texts, [pending.id])
    return vault.reference_index(pending.channel, words.get(pending.id, ""))


@staff_command(
    "withdrawalDecision",
    "Decide a withdrawal",
    roles.PAYMENTS_DECIDED,
    refusals=(Refusal.WITHDRAWAL_UNKNOWN, Refusal.IDENTITY_UNCLEAR, Refusal.SECOND_PERSON_NEEDED),
)
async def decide_withdrawal(
    request: CallRequest, data: DecisionRequest, services: Services
) -> CallResult[ApprovalStatus]:
    """Approve a withdrawal for payment, or reject it and return the money to the player."""
    actor = request.staff
    withdrawal = await find_approval_item(
        services.read_models, "withdrawal", data.id, Refusal.WITHDRAWAL_UNKNOWN
    )
    async with services.commands.once.player_lock(withdrawal.player):
        await services.players.sync_identity(withdrawal.player)
        reason = await _reason(data, services.vault, withdrawal.player)
        command = DecideWithdrawal(withdrawal.player, withdrawal.id, data.approve, actor, reason)
        return await submit_money_command(
            request, services.settings, services.read_models, services.commands, command, data.id
        )


@staff_command(
    "withdrawalPayment",
    "Record a withdrawal's payment",
    roles.PAYMENTS_DECIDED,
    refusals=(
        Refusal.WITHDRAWAL_UNKNOWN,
        Refusal.WITHDRAWAL_NOT_APPROVED,
        Refusal.PAYER_APPROVED,
        Refusal.IDENTITY_UNCLEAR,
    ),
)
async def pay_withdrawal(
    request: CallRequest, data: PaymentRequest, services: Services
) -> CallResult[ApprovalStatus]:
    """Record that the money of an approved withdrawal was sent."""
    actor = request.staff
    withdrawal = await find_approval_item(
        services.read_models, "withdrawal", data.id, Refusal.WITHDRAWAL_UNKNOWN
    )
    async with services.commands.once.player_lock(withdrawal.player):
        await services.players.sync_identity(withdrawal.player)
        await _check_payable(request, data, services.engine, withdrawal.player)
        reference = await commitment_to(
            services.vault, withdrawal.id, data.reference, withdrawal.player, "reference"
        )
        command = PayWithdrawal(withdrawal.player, withdrawal.id, actor, reference)
        return await submit_money_command(
            request, services.settings, services.read_models, services.commands, command, data.id
        )


async def _check_payable(
    request: CallRequest, data: PaymentRequest, engine: EnginePort, player: int
) -> None:
    """Check this before the reference is saved, because the vault keeps the first text of an id."""
    view = await engine.player(player)
    if view is None:
        return
    unclear = any(each.same is None for each in view.shared)
    for each in view.withdrawals:
        if each.id == data.id and not each.approved:
            raise CallRefused(Refusal.WITHDRAWAL_NOT_APPROVED, "id")
        if each.id == data.id and each.decided_by == request.staff:
            raise CallRefused(Refusal.PAYER_APPROVED, "id")
        if each.id == data.id and unclear:
            raise CallRefused(Refusal.IDENTITY_UNCLEAR, "id")


@staff_command(
    "gift",
    "Give bonus money",
    roles.GIFTS,
    refusals=(Refusal.PLAYER_UNKNOWN, Refusal.MUST_REGISTER, Refusal.AMOUNT_INVALID),
)
async def give(
    request: CallRequest, data: GiftRequest, services: Services
) -> CallResult[ApprovalStatus]:
    """Give bonus money, or propose it if the amount needs a second person."""
    actor, key = request.staff, request.required_key
    amount = _above_zero(data.amount)
    player = (await member_of(services.vault, data.player)).player
    gift = derived_id("gift", player, actor, key)
    reason = await commitment_to(services.vault, gift, data.reason, player, "reason")
    return await submit_money_command(
        request,
        services.settings,
        services.read_models,
        services.commands,
        GrantGift(player, gift, amount, actor, reason),
    )


@staff_command(
    "giftDecision",
    "Decide a gift",
    roles.GIFTS,
    refusals=(Refusal.GIFT_UNKNOWN, Refusal.SECOND_PERSON_NEEDED),
)
async def decide_gift(
    request: CallRequest,
    data: AgreementRequest,
    settings: Settings,
    read_models: ReadModels,
    commands: Commands,
) -> CallResult[ApprovalStatus]:
    """Agree to a proposed gift, or reject it."""
    actor = request.staff
    proposed = await find_approval_item(read_models, "gift", data.id, Refusal.GIFT_UNKNOWN)
    return await submit_money_command(
        request,
        settings,
        read_models,
        commands,
        DecideGift(proposed.player, proposed.id, data.approve, actor),
        data.id,
    )


@staff_command(
    "adjustment",
    "Propose a correction",
    roles.CORRECTIONS,
    refusals=(
        Refusal.PLAYER_UNKNOWN,
        Refusal.MUST_REGISTER,
        Refusal.AMOUNT_INVALID,
        Refusal.CORRECTION_UNKNOWN,
        Refusal.CHANNEL_UNKNOWN,
    ),
)
async def adjust(
    request: CallRequest, data: AdjustmentRequest, services: Services
) -> CallResult[ApprovalStatus]:
    """Propose a correction; no money moves before a second person agrees."""
    actor, key = request.staff, request.required_key
    amount = amount_of(data.amount)
    player = (await member_of(services.vault, data.player)).player
    adjustment = derived_id("adjustment", player, actor, key)
    reason = await commitment_to(services.vault, adjustment, data.reason, player, "reason")
    command = ProposeCorrection(player, adjustment, data.kind, data.channel, amount, actor, reason)
    return await submit_money_command(
        request, services.settings, services.read_models, services.commands, command
    )


@staff_command(
    "adjustmentDecision",
    "Decide a correction",
    roles.CORRECTIONS_DECIDED,
    refusals=(Refusal.FUNDS_INSUFFICIENT, Refusal.ADJUSTMENT_UNKNOWN, Refusal.SECOND_PERSON_NEEDED),
)
async def decide_adjustment(
    request: CallRequest,
    data: AgreementRequest,
    settings: Settings,
    read_models: ReadModels,
    commands: Commands,
) -> CallResult[ApprovalStatus]:
    """Agree to a proposed correction, or reject it."""
    actor = request.staff
    proposed = await find_approval_item(
        read_models, "adjustment", data.id, Refusal.ADJUSTMENT_UNKNOWN
    )
    command = DecideAdjustment(proposed.player, proposed.id, data.approve, actor)
    return await submit_money_command(request, settings, read_models, commands, command, data.id)


async def _reason(data: DecisionRequest, vault: Vault, player: int) -> str:
    """Returns the commitment to the reason of a rejection; an approval has none."""
    if data.approve:
        return ""
    return await commitment_to(vault, reason_text_id(data.id), data.reason, player, "reason")


def _above_zero(amount: Decimal) -> int:
    minor = amount_of(amount)
    if minor <= 0:
        raise CallRefused(Refusal.AMOUNT_INVALID, "amount")
    return minor
