"""Shared helpers of the staff calls, which turn requests into commands.

api/http/staff_auth.py has authorized the caller before: `request.staff` is the actor. The texts
that staff write are kept in the vault.
"""

import asyncio
from datetime import datetime
from decimal import Decimal
from hashlib import sha256
from typing import Final, TypeVar
from zoneinfo import ZoneInfo

from msgspec import Struct

from api.http.call_request import CallRequest, StaffRequest
from api.http.commands import Commands
from api.http.db_pool import ReadModels
from api.http.envelope import CallResult
from api.http.field_types import Money, PlayerId
from api.http.refusals import CallRefused
from api.http.wire import SECOND_US, NotMoneyError, minor_units, money
from api.services import Services
from api.settings import Settings
from engine.answers import MoneyAnswered, PlayerAccepted
from engine.cashier.commands import AgreeDeposit, EnterDeposit, MoneyCommand
from engine.refusals import Refusal
from engine.runtime.port import EnginePort
from engine.runtime.vault import MAX_TEXT_LENGTH, PlayerIdentity, Vault, clean_text
from projections import approvals
from projections.approvals import PAID, ApprovalItem

#: The id of all staff together in `LastSeenPositions`.
ALL_STAFF: Final = 0
_HASH_LENGTH: Final = 20
_MAX_ID_LENGTH: Final = 128
# The same refusal for a request that never existed and for one that has ended.
_ENDED: Final = frozenset(
    {
        Refusal.DEPOSIT_UNKNOWN,
        Refusal.WITHDRAWAL_UNKNOWN,
        Refusal.ADJUSTMENT_UNKNOWN,
        Refusal.GIFT_UNKNOWN,
    }
)


StaffRequestT = TypeVar("StaffRequestT", bound=StaffRequest)


class ApprovalStatus(Struct, frozen=True):
    """The status of a request, and the player's balances now, in u.

    `status` is requested or endorsed (a second person has to agree), approved, paid, rejected,
    returned (a limit or an exclusion of the player forbids the deposit), or unchanged.
    """

    id: str
    player: PlayerId
    status: str
    money: Money
    score: Money


def derived_id(kind: str, player: int, actor: str, key: str) -> str:
    """Returns an id derived from this key, which is the same for every repetition."""
    return f"{kind}-{player}-{sha256(f'{actor}/{key}'.encode()).hexdigest()[:_HASH_LENGTH]}"


async def member_of(vault: Vault, named: str | int) -> PlayerIdentity:
    """Returns the player with this user name or player id. Raises CallRefused if there is none."""
    words = str(named)
    identifier = words if 0 < len(words) <= _MAX_ID_LENGTH and words.isprintable() else "?"
    member = await asyncio.to_thread(lambda: vault.find(identifier))
    if member is None:
        raise CallRefused(Refusal.PLAYER_UNKNOWN, "player")
    return member


async def find_approval_item(
    read_models: ReadModels, kind: str, item_id: str, unknown: Refusal
) -> ApprovalItem:
    """Returns the item of this kind with this id. Raises CallRefused if there is none."""
    if not (0 < len(item_id) <= _MAX_ID_LENGTH and item_id.isprintable()):
        raise CallRefused(unknown, "id")
    found = await read_models.read_own(ALL_STAFF, lambda c: approvals.find(c, item_id))
    of_kind = [each for each in found if each.kind == kind]
    if not of_kind:
        raise CallRefused(unknown, "id")
    return of_kind[0]


def amount_of(amount: Decimal, field: str = "amount") -> int:
    """Convert u to minor units. Raises CallRefused if invalid; the engine checks the maximum."""
    try:
        return minor_units(amount)
    except NotMoneyError:
        raise CallRefused(Refusal.AMOUNT_INVALID, field) from None


def reason_text_id(request: str) -> str:
    """Returns the vault's id of the reason for which staff refused a request."""
    return f"{request}/reason"


async def commitment_to(
    vault: Vault,
    text_id: str,
    words: str,
    player: int | None,
    field: str,
) -> str:
    """Save what staff wrote in the vault under this id. Returns the commitment to it.

    Raises CallRefused if the text is empty or too long.
    """
    if not 0 < len(clean_text(words)) <= MAX_TEXT_LENGTH:
        raise CallRefused(Refusal.REQUEST_MALFORMED, field)
    return await asyncio.to_thread(lambda: vault.save_clean_text(text_id, words, player))


async def submit_money_command(
    request: CallRequest,
    settings: Settings,
    read_models: ReadModels,
    commands: Commands,
    command: MoneyCommand,
    item: str = "",
) -> CallResult[ApprovalStatus]:
    """Submit a command about a player's money. Returns the status of its request.

    If the `item` that it decides has ended, the refusal states how, by whom and when.
    """
    try:
        reply = await commands.submit(request.staff, request.required_key, command)
    except CallRefused as refusal:
        if refusal.refused.refusal in _ENDED:
            await add_end(settings, read_models, refusal, item)
        raise
    record_position(commands, command.player, reply.position)
    return CallResult(_approval_status(command, reply.answer), "submitted")


async def add_end(
    settings: Settings, read_models: ReadModels, refusal: CallRefused, item: str
) -> None:
    """If the item has ended, add how, by whom and when to the text of its refusal."""
    found = await read_models.read_own(ALL_STAFF, lambda c: approvals.find(c, item))
    for each in found:
        paid = each.status == PAID
        by, at = (each.paid_by, each.paid_at) if paid else (each.decided_by, each.decided_at)
        refusal.text_values["ended"] = (
            each.status,
            by.removeprefix("staff:"),
            _local_time(settings, at),
        )


def _local_time(settings: Settings, at: int) -> str:
    """Format a time in microseconds to the minute, in the operator's time zone."""
    zone = ZoneInfo(settings.timezone)
    return f"{datetime.fromtimestamp(at // SECOND_US, zone):%Y-%m-%d %H:%M}"


async def submit_deposit_command(
    request: CallRequest,
    services: Services,
    command: EnterDeposit | AgreeDeposit,
    item: str = "",
) -> CallResult[ApprovalStatus]:
    """The same for a deposit; a refusal of its reference names the earlier deposit with it."""
    try:
        return await submit_money_command(
            request, services.settings, services.read_models, services.commands, command, item
        )
    except CallRefused as refusal:
        await add_earlier(services.settings, services.engine, refusal, command.reference)
        raise


async def add_earlier(
    settings: Settings, engine: EnginePort, refusal: CallRefused, reference: str
) -> None:
    """Add the earlier credit with a used reference to the text of the refusal: by whom and when."""
    if refusal.refused.refusal is Refusal.REFERENCE_USED:
        credit = await engine.credit(reference)
        if credit is not None:
            who, at = credit.by.removeprefix("staff:"), _local_time(settings, credit.at)
            refusal.text_values["earlier"] = f"{credit.deposit}, {who}, {at}"


def record_position(commands: Commands, player: int, position: int) -> None:
    """Record the position after a command, for later reads of all staff and of the player."""
    commands.last_seen.record(player, position)
    commands.last_seen.record(ALL_STAFF, position)


def _approval_status(command: MoneyCommand, answer: object) -> ApprovalStatus:
    if isinstance(answer, PlayerAccepted):
        balances = (money(answer.available_minor), money(answer.bonus_minor))
        return ApprovalStatus(
            str(getattr(command, "deposit", "")), command.player, "approved", *balances
        )
    assert isinstance(answer, MoneyAnswered)
    balances = (money(answer.available_minor), money(answer.bonus_minor))
    return ApprovalStatus(answer.id, command.player, answer.status, *balances)
