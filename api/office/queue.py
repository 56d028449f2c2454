"""The staff queue of money requests and account changes, and the payout details of a payment."""

import asyncio
from typing import Final

from msgspec import Struct

from api.http.call_request import CallRequest, StaffRequest
from api.http.calls import staff_command, staff_query
from api.http.commands import Commands
from api.http.db_pool import ReadModels
from api.http.envelope import CallResult
from api.http.field_types import At, Cursor, Money, PayoutType, PlayerId
from api.http.refusals import CallRefused
from api.http.wire import money, seconds
from api.office.common import (
    ALL_STAFF,
    add_end,
    find_approval_item,
    reason_text_id,
    record_position,
)
from api.services import Services
from api.settings import Settings
from engine.players.commands import ACCOUNT_CHANGES, ShowPayout
from engine.refusals import Refusal
from engine.runtime.vault import BankCard, Vault, Wallet
from engine.staff import roles
from projections import approvals
from projections.approvals import REJECTED, ApprovalItem

KINDS: Final = ("deposit", "withdrawal", "gift", "adjustment", *ACCOUNT_CHANGES)


class QueueRequest(StaffRequest):
    """`kind` is one of `KINDS` or empty for all; `every` adds the ended requests."""

    kind: str = ""
    every: bool = False
    cursor: Cursor | None = None


class QueueItem(Struct, frozen=True):
    """A request and the people involved; `asked_at` in seconds since 1970.

    `channel` is bank, usdt or online, `words` the reference or reason of the request, and `reason`
    why staff rejected it.
    """

    id: str
    kind: str
    status: str
    player: PlayerId
    username: str
    amount: Money
    channel: str
    asked_at: At
    asked_by: str
    endorsed_by: str
    decided_by: str
    paid_by: str
    words: str
    reason: str


class PayoutDetailsRequest(StaffRequest):
    """`id` is that of an open withdrawal."""

    id: str


class PayoutDetails(Struct, frozen=True):
    """The full payout account of a withdrawal; `type` 0 is a bank card, 1 a wallet.

    `acc` is the card's number or the address, `acc_name` the holder or the wallet's network.
    """

    id: str
    player: PlayerId
    username: str
    amount: Money
    status: str
    type: PayoutType
    acc: str
    acc_name: str
    acc_bank: str


@staff_query("queue", "List the queue", roles.QUEUE)
async def queue(
    data: QueueRequest, vault: Vault, read_models: ReadModels
) -> CallResult[list[QueueItem]]:
    """Returns the open requests, oldest first; with `every` all requests, newest first."""
    kind, every, cursor = data.kind, data.every, data.cursor or None
    if kind and kind not in KINDS:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "kind")
    try:
        found = await read_models.read_own(
            ALL_STAFF,
            lambda c: approvals.queue(c, kind or None, open_only=not every, cursor=cursor),
        )
    except ValueError:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "cursor") from None
    items = await asyncio.to_thread(lambda: _items(vault, found.items))
    return CallResult(items, more=found.cursor is not None, cursor=found.cursor)


def _items(vault: Vault, found: tuple[ApprovalItem, ...]) -> list[QueueItem]:
    words = vault.texts(name for each in found for name in (each.id, reason_text_id(each.id)))
    names = {player: _name(vault, player) for player in {each.player for each in found}}
    return [
        QueueItem(
            each.id,
            each.kind,
            each.status,
            each.player,
            names[each.player],
            money(each.amount),
            each.channel,
            seconds(each.requested_at),
            each.requested_by,
            each.endorsed_by,
            each.decided_by,
            each.paid_by,
            words.get(each.id, ""),
            words.get(reason_text_id(each.id), "") if each.status == REJECTED else "",
        )
        for each in found
    ]


def _name(vault: Vault, player: int) -> str:
    member = vault.identity(player)
    return member.username if member else ""


@staff_command(
    "payoutDetails",
    "Show the payout account of a withdrawal",
    roles.PAYMENTS_DECIDED,
    refusals=(Refusal.PAYOUT_ACCOUNT_MISSING, Refusal.WITHDRAWAL_UNKNOWN),
)
async def payout_details(
    request: CallRequest, data: PayoutDetailsRequest, services: Services
) -> CallResult[PayoutDetails]:
    """Returns the full payout account of an open withdrawal; no other call shows it."""
    actor = request.staff
    withdrawal = await find_approval_item(
        services.read_models, "withdrawal", data.id, Refusal.WITHDRAWAL_UNKNOWN
    )
    await _record(
        request, data, services.settings, services.read_models, services.commands, actor, withdrawal
    )
    details = await asyncio.to_thread(lambda: _details(services.vault, withdrawal))
    if details is None:
        raise CallRefused(Refusal.PAYOUT_ACCOUNT_MISSING, "id")
    return CallResult(details)


async def _record(
    request: CallRequest,
    data: PayoutDetailsRequest,
    settings: Settings,
    read_models: ReadModels,
    commands: Commands,
    actor: str,
    withdrawal: ApprovalItem,
) -> None:
    """Record in the log who sees the account, before it is shown."""
    command = ShowPayout(withdrawal.player, withdrawal.id, actor)
    try:
        reply = await commands.submit(actor, request.required_key, command)
    except CallRefused as refusal:
        if refusal.refused.refusal is Refusal.WITHDRAWAL_UNKNOWN:
            gone = CallRefused(Refusal.WITHDRAWAL_UNKNOWN, "id")
            await add_end(settings, read_models, gone, data.id)
            raise gone from None
        raise
    record_position(commands, withdrawal.player, reply.position)


def _details(vault: Vault, withdrawal: ApprovalItem) -> PayoutDetails | None:
    try:
        account = vault.reveal_payout_account(withdrawal.player, withdrawal.account)
    except KeyError:
        return None  # erased
    if account is None:
        return None
    name, amount = _name(vault, withdrawal.player), money(withdrawal.amount)
    who = (withdrawal.id, withdrawal.player, name, amount, withdrawal.status, withdrawal.method)
    return PayoutDetails(*who, *_in_full(account))


def _in_full(account: BankCard | Wallet) -> tuple[str, str, str]:
    if isinstance(account, BankCard):
        return account.number, account.holder, account.bank
    return account.address, account.network, ""
