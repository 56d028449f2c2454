"""Paying in: /api/user/recharge says where to, /api/user/deposit that money is on its way.

An announced deposit is worth nothing until staff have seen it arrive, or, for one that is paid
online, until the payment gateway says so (api/gateway.py).
"""

import asyncio
import re
from hashlib import sha256
from typing import Final
from urllib.parse import urlencode

from msgspec import UNSET, Struct, UnsetType
from psycopg import Connection
from psycopg.rows import TupleRow

from api.calls import Asked, Asking, Auth, Call, Use
from api.commanding import actor_of, answered, key_of
from api.envelope import CallRefused, Done
from api.members import looking, view_of
from api.settings import Settings
from api.units import Amount, Money
from api.wire import NotMoneyError, TooMuchError, money, typed_minor_units
from engine.players.commands import MEMBER
from engine.players.money_commands import NOTICE_CHANNELS, ONLINE, RequestDeposit
from engine.players.standing_commands import DEPOSIT
from engine.refusals import Refusal
from engine.runtime.vault import MOST_WORDS, clean_words
from engine.schedule import calendar_day
from projections.accounts import queries as accounts
from projections.requests import queries as requests
from projections.standings import queries as standings

PATH: Final = "/api/user/deposit"
_NUMBER: Final = re.compile(r"deposit-([0-9]{1,18})-[0-9a-f]{20}")


class DepositAsking(Asking):
    """`amount` u over `channel` bank, usdt or online; `reference` is what the transfer says.

    A transfer has a reference, by which it is found; an online payment has its order's id.
    """

    amount: Amount = None
    channel: str = ""
    reference: str = ""


class Recharge(Struct, frozen=True):
    """Where to send a deposit: `usdt` a TRC20 address, `bankxm` the holder of `banknum`.

    Accounts are empty where the house has none. `channels` may be used for a notice, none once the
    product is discontinued. `room` is
    how much the member's own limits still allow, null without a limit; `turnover_due` is what
    must be turned over already, once, before money can be withdrawn, and grows by each deposit.
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


class Notice(Struct, frozen=True):
    """An announced deposit. `pay_at` is the gateway's page for an order that is paid online."""

    id: str
    amount: Money
    channel: str
    status: str
    pay_at: str | UnsetType = UNSET


async def recharge(asked: Asked[Asking]) -> Done:
    """Where deposits are sent to, and what to know before one."""
    services, player = asked.services, asked.player
    if (await view_of(services, player)).group != MEMBER:
        raise CallRefused(Refusal.MUST_REGISTER)
    now = services.clock()
    day = calendar_day(services.settings.timezone, now)
    ended = looking(services).office.discontinued
    channels = () if ended else _channels(services.settings)

    def read(connection: Connection[TupleRow]) -> Recharge | None:
        account = accounts.account(connection, player)
        standing = standings.standing(connection, player)
        if account is None or standing is None:
            return None
        receiving = standings.house(connection).receiving
        pending = _pending(connection, player)
        room = _room(connection, player, now, day, pending)
        return Recharge(
            money(account.available),
            receiving.usdt,
            receiving.bank,
            receiving.number,
            receiving.holder,
            channels,
            None if room is None else money(room),
            money(standing.due),
            money(pending),
        )

    found = await services.read_own(player, read)
    if found is None:
        # Whoever has a session is a member: the read models are behind.
        raise CallRefused(Refusal.UNAVAILABLE)
    return Done(found)


def _pending(connection: Connection[TupleRow], player: int) -> int:
    waiting = requests.of_player(connection, player, "deposit", open_only=True)
    return sum(each.amount for each in waiting.items)


def _room(
    connection: Connection[TupleRow], player: int, now: int, day: str, pending: int
) -> int | None:
    """What the member's limits leave, in minor units; the engine decides by its own figures."""
    deposited = standings.flows(connection, player, day).deposited
    limits = standings.limits(connection, player)
    rooms = [
        most - getattr(deposited, limit.span) - pending
        for limit in limits
        if limit.subject == DEPOSIT and (most := limit.at(now)) is not None
    ]
    return max(0, min(rooms)) if rooms else None


def _channels(settings: Settings) -> tuple[str, ...]:
    return ("bank", "usdt", ONLINE) if settings.gateway_page else ("bank", "usdt")


async def deposit(asked: Asked[DepositAsking]) -> Done:
    """Announce a deposit, once for each key. Nothing is credited before it is approved.

    A transfer is approved by staff once they see it arrive, an online order once the payment
    gateway says that it was paid at `pay_at`. A new online order takes the place of an older one
    that is not paid yet; money that comes for that one all the same is credited too.
    """
    body = asked.body
    if body.channel not in _channels(asked.services.settings):
        raise CallRefused(Refusal.CHANNEL_UNKNOWN, "channel")
    amount = _amount(body)
    words = "" if body.channel == ONLINE else _words(body.reference)
    async with key_of(asked, PATH) as key:
        number = number_of(asked.player, key)
        commitment = await _kept(asked, number, words) if words else ""
        wanted = RequestDeposit(asked.player, number, body.channel, amount, commitment)
        reply = await answered(asked.services, actor_of(asked.player), key, wanted)
    asked.services.seen.note(asked.player, reply.position)
    pay_at = UNSET if words else _page(asked.services.settings, number, amount)
    notice = Notice(number, money(amount), body.channel, "requested", pay_at)
    return Done(notice, "submitted")


def _words(reference: str) -> str:
    """What the transfer says: a deposit that nobody could find again is not announced."""
    words = clean_words(reference)
    if not 0 < len(words) <= MOST_WORDS:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "reference")
    return words


async def _kept(asked: Asked[DepositAsking], number: str, words: str) -> str:
    vault, player = asked.services.vault, asked.player
    return await asyncio.to_thread(lambda: vault.keep_words(number, words, player))


def _amount(body: DepositAsking) -> int:
    try:
        return typed_minor_units(body.amount)
    except (NotMoneyError, TooMuchError):
        raise CallRefused(Refusal.AMOUNT_INVALID, "amount") from None


def number_of(player: int, key: str) -> str:
    """The id of what this player announces under this key; it tells whose it is."""
    return f"deposit-{player}-{sha256(f'{actor_of(player)}/{key}'.encode()).hexdigest()[:20]}"


def owner_of(number: str) -> int | None:
    """The player who announced the deposit with this id; None for an id that is not ours."""
    found = _NUMBER.fullmatch(number)
    return int(found[1]) if found else None


def _page(settings: Settings, number: str, amount: int) -> str:
    """Where the gateway takes the payment of our order."""
    page = settings.gateway_page
    fields = urlencode({"order": number, "amount": money(amount)})
    return f"{page}{'&' if '?' in page else '?'}{fields}"


assert {"bank", "usdt", ONLINE} == NOTICE_CHANNELS

CALLS: Final = (
    Call(
        "/api/user/recharge",
        Asking,
        Recharge,
        recharge,
        "Where deposits are sent to",
        auth=Auth.PLAYER,
        refusals=(Refusal.MUST_REGISTER,),
    ),
    Call(
        PATH,
        DepositAsking,
        Notice,
        deposit,
        "Announce a deposit",
        auth=Auth.PLAYER,
        keyed=True,
        use=Use.MONEY,
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
    ),
)
