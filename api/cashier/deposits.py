"""Deposits: /api/user/recharge returns where to pay, /api/user/deposit announces a deposit.

An announced deposit is credited only once staff confirm its arrival. An online order is credited
once the payment gateway confirms it (api/cashier/payment_webhook.py).
"""

import asyncio
import re
from hashlib import sha256
from typing import Final
from urllib.parse import urlencode

from msgspec import UNSET, Struct, UnsetType
from psycopg import Connection
from psycopg.rows import TupleRow

from api.http.call_request import ApiRequest, Auth, CallRequest, SessionUse
from api.http.calls import call
from api.http.commands import Commands
from api.http.envelope import CallResult
from api.http.field_types import Amount, Money
from api.http.refusals import CallRefused
from api.http.wire import NotMoneyError, TooMuchError, money, typed_minor_units
from api.services import Services
from api.settings import Settings
from engine.cashier.commands import NOTICE_CHANNELS, ONLINE, RequestDeposit
from engine.facts import player_stream
from engine.players.commands import DEPOSIT, MEMBER
from engine.refusals import Refusal
from engine.runtime.vault import MAX_TEXT_LENGTH, Vault, clean_text
from engine.schedule import calendar_day
from projections import accounts, approvals, profiles
from projections.house_settings import current_settings

PATH: Final = "/api/user/deposit"
_DEPOSIT_ID: Final = re.compile(r"deposit-([0-9]{1,18})-[0-9a-f]{20}")


class DepositRequest(ApiRequest):
    """`amount` u over `channel` bank, usdt or online; `reference` is the transfer's reference text.

    Staff find a transfer by its reference. An online payment has its order's id instead.
    """

    amount: Amount = None
    channel: str = ""
    reference: str = ""


class Recharge(Struct, frozen=True):
    """Where to send a deposit: `usdt` is a TRC20 address, `bankxm` the holder of `banknum`.

    Accounts are empty where the house has none. `channels` are those that a notice may use, none
    once the product is discontinued. `room` is the amount that the player's own limits still allow,
    null without a limit. `turnover_due` is what must already be turned over, once, before money can
    be withdrawn; each deposit increases it. `pending` is the total of announced deposits.
    """

    money: Money
    usdt: str
    bankname: str
    banknum: str
    bankxm: str
    channels: tuple[str, ...]
    room: Money | None
    turnover_due: Money
    pending: Money


class DepositNotice(Struct, frozen=True):
    """An announced deposit; `pay_at` is the URL of the gateway's page for an online order."""

    id: str
    amount: Money
    channel: str
    status: str
    pay_at: str | UnsetType = UNSET


@call(
    "/api/user/recharge",
    "Where deposits are sent to",
    auth=Auth.PLAYER,
    refusals=(Refusal.MUST_REGISTER,),
)
async def recharge(request: CallRequest, services: Services) -> CallResult[Recharge]:
    """Returns where to send a deposit, and the limits and turnover that apply to it."""
    player = request.player
    if (await services.players.view(player)).group != MEMBER:
        raise CallRefused(Refusal.MUST_REGISTER)
    now = services.clock()
    day = calendar_day(services.settings.timezone, now)
    is_discontinued = (await services.engine.house()).discontinued
    channels = () if is_discontinued else _channels(services.settings)

    def read(connection: Connection[TupleRow]) -> Recharge | None:
        account = accounts.account(connection, player)
        profile = profiles.profile(connection, player)
        if account is None or profile is None:
            return None
        receiving = current_settings(connection).receiving
        pending = _pending(connection, player)
        headroom = _limit_headroom(connection, player, now, day, pending)
        return Recharge(
            money(account.available),
            receiving.usdt,
            receiving.bank,
            receiving.number,
            receiving.holder,
            channels,
            None if headroom is None else money(headroom),
            money(profile.due),
            money(pending),
        )

    found = await services.read_models.read_own(player, read)
    if found is None:
        # Every session belongs to a player, so the read models are behind.
        raise CallRefused(Refusal.UNAVAILABLE)
    return CallResult(found)


def _pending(connection: Connection[TupleRow], player: int) -> int:
    waiting = approvals.of_player(connection, player, "deposit", open_only=True)
    return sum(each.amount for each in waiting)


def _limit_headroom(
    connection: Connection[TupleRow], player: int, now: int, day: str, pending: int
) -> int | None:
    """Returns what the player's limits still allow, in minor units; None without a limit.

    It is for display only: the engine decides by its own totals.
    """
    deposited = profiles.period_totals(connection, player, day).deposited
    limits = profiles.limits(connection, player)
    headrooms = [
        limit_minor - getattr(deposited, limit.span) - pending
        for limit in limits
        if limit.subject == DEPOSIT and (limit_minor := limit.at(now)) is not None
    ]
    return max(0, min(headrooms)) if headrooms else None


def _channels(settings: Settings) -> tuple[str, ...]:
    return ("bank", "usdt", ONLINE) if settings.gateway_page else ("bank", "usdt")


@call(
    PATH,
    "Announce a deposit",
    auth=Auth.PLAYER,
    idempotent=True,
    use=SessionUse.MONEY,
    refusals=(
        Refusal.MUST_REGISTER,
        Refusal.EXCLUDED,
        Refusal.ACCOUNT_CLOSED,
        Refusal.PRODUCT_DISCONTINUED,
        Refusal.AMOUNT_INVALID,
        Refusal.CHANNEL_UNKNOWN,
        Refusal.DEPOSITS_PENDING,
        Refusal.DEPOSIT_LIMIT_REACHED,
    ),
)
async def deposit(
    request: CallRequest, data: DepositRequest, settings: Settings, vault: Vault, commands: Commands
) -> CallResult[DepositNotice]:
    """Announce a deposit, once per idempotency key. Nothing is credited before it is approved.

    Staff approve a transfer once they see it arrive. An online order is approved once the payment
    gateway confirms that it was paid at `pay_at`. A new online order replaces an older unpaid one;
    if the older one is paid nevertheless, that money is credited too.
    """
    if data.channel not in _channels(settings):
        raise CallRefused(Refusal.CHANNEL_UNKNOWN, "channel")
    amount = _amount(data)
    words = "" if data.channel == ONLINE else _words(data.reference)
    async with commands.once.key(request, PATH) as key:
        deposit_id = deposit_id_of(request.player, key)
        commitment = await _save_reference(request, vault, deposit_id, words) if words else ""
        command = RequestDeposit(request.player, deposit_id, data.channel, amount, commitment)
        await commands.submit_under(request.player, key, command)
    pay_at = UNSET if words else _payment_url(settings, deposit_id, amount)
    notice = DepositNotice(deposit_id, money(amount), data.channel, "requested", pay_at)
    return CallResult(notice, "submitted")


def _words(reference: str) -> str:
    """Returns the cleaned reference. Raises CallRefused if it is empty or too long.

    Staff could not find a transfer without a reference.
    """
    words = clean_text(reference)
    if not 0 < len(words) <= MAX_TEXT_LENGTH:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "reference")
    return words


async def _save_reference(request: CallRequest, vault: Vault, deposit_id: str, words: str) -> str:
    player = request.player
    return await asyncio.to_thread(lambda: vault.save_clean_text(deposit_id, words, player))


def _amount(body: DepositRequest) -> int:
    try:
        return typed_minor_units(body.amount)
    except (NotMoneyError, TooMuchError):
        raise CallRefused(Refusal.AMOUNT_INVALID, "amount") from None


def deposit_id_of(player: int, key: str) -> str:
    """Returns the id of the player's deposit under this key; it contains the player's id."""
    return f"deposit-{player}-{sha256(f'{player_stream(player)}/{key}'.encode()).hexdigest()[:20]}"


def owner_of(deposit_id: str) -> int | None:
    """Returns the player who announced the deposit with this id; None for a foreign id."""
    found = _DEPOSIT_ID.fullmatch(deposit_id)
    return int(found[1]) if found else None


def _payment_url(settings: Settings, deposit_id: str, amount: int) -> str:
    """Returns the URL at which the gateway accepts the payment of our order."""
    page = settings.gateway_page
    fields = urlencode({"order": deposit_id, "amount": money(amount)})
    return f"{page}{'&' if '?' in page else '?'}{fields}"


assert {"bank", "usdt", ONLINE} == NOTICE_CHANNELS
