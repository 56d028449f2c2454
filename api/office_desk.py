"""What all calls of the staff share: how their words become commands.

Who asks, and whether they may, is decided before (office_door.py): `asked.staff`. What they write
is kept in the vault.
"""

import asyncio
from datetime import datetime
from decimal import Decimal
from hashlib import sha256
from typing import Any, Final, TypeVar
from zoneinfo import ZoneInfo

from msgspec import Struct

from api.calls import Asked, StaffAsking
from api.commanding import answered
from api.envelope import CallRefused, Done
from api.members import looking
from api.units import Money, PlayerId
from api.wire import SECOND_US, NotMoneyError, minor_units, money
from engine.answers import MoneyAnswered, PlayerAccepted
from engine.players.money_commands import AgreeDeposit, EnterDeposit, MoneyCommand
from engine.refusals import Refusal
from engine.runtime.vault import MOST_WORDS, Member, clean_words
from projections.requests import queries as requests
from projections.requests.queries import Request
from projections.requests.rows import PAID

#: Stands for all of the staff where it is remembered how far a caller has seen the log.
EVERYBODY: Final = 0
_MOST_HASH: Final = 20
_LONGEST_ID: Final = 128
# Refused alike whether a request never was or has ended.
_ENDED: Final = frozenset(
    {
        Refusal.DEPOSIT_UNKNOWN,
        Refusal.WITHDRAWAL_UNKNOWN,
        Refusal.ADJUSTMENT_UNKNOWN,
        Refusal.GIFT_UNKNOWN,
    }
)


StaffAskingT = TypeVar("StaffAskingT", bound=StaffAsking)


class Outcome(Struct, frozen=True):
    """Where a request stands, and what its member holds now, in u.

    `status` is requested or endorsed (a second person has to agree), approved, paid, rejected,
    returned (a limit or an exclusion of the member forbids the deposit), or unchanged.
    """

    id: str
    player: PlayerId
    status: str
    money: Money
    score: Money


def key_of(asked: Asked[Any]) -> str:
    """The client's key, without which staff change nothing."""
    if asked.key is None:
        raise CallRefused(Refusal.KEY_MALFORMED, "Idempotency-Key")
    return asked.key


def number(kind: str, player: int, actor: str, key: str) -> str:
    """An id of ours for what is asked for under this key: the same one for every repetition."""
    return f"{kind}-{player}-{sha256(f'{actor}/{key}'.encode()).hexdigest()[:_MOST_HASH]}"


async def member_of(asked: Asked[Any], named: str | int) -> Member:
    """The member with this user name or player id."""
    vault, words = asked.services.vault, str(named)
    wanted = words if 0 < len(words) <= _LONGEST_ID and words.isprintable() else "?"
    member = await asyncio.to_thread(lambda: vault.find(wanted))
    if member is None:
        raise CallRefused(Refusal.PLAYER_UNKNOWN, "player")
    return member


async def request_of(asked: Asked[Any], kind: str, wanted: str, unknown: Refusal) -> Request:
    """The deposit, withdrawal or adjustment with this id; CallRefused if there is none."""
    services = asked.services
    if not (0 < len(wanted) <= _LONGEST_ID and wanted.isprintable()):
        raise CallRefused(unknown, "id")
    found = await services.read_own(EVERYBODY, lambda c: requests.find(c, wanted))
    of_kind = [each for each in found if each.kind == kind]
    if not of_kind:
        raise CallRefused(unknown, "id")
    return of_kind[0]


def amount_of(amount: Decimal, field: str = "amount") -> int:
    """An amount in u as minor units; the engine says which amounts are too large."""
    try:
        return minor_units(amount)
    except NotMoneyError:
        raise CallRefused(Refusal.AMOUNT_INVALID, field) from None


def reason_place(request: str) -> str:
    """Where the vault keeps why staff refused a request."""
    return f"{request}/reason"


async def kept(asked: Asked[Any], place: str, words: str, player: int | None, field: str) -> str:
    """The commitment to what staff wrote, which is kept in the vault under this id of ours.

    CallRefused when nothing was written, or too much.
    """
    if not 0 < len(clean_words(words)) <= MOST_WORDS:
        raise CallRefused(Refusal.REQUEST_MALFORMED, field)
    return await asyncio.to_thread(lambda: asked.services.vault.keep_words(place, words, player))


async def done(asked: Asked[Any], actor: str, command: MoneyCommand) -> Done:
    """The result of a command about a member's money.

    The refusal of a request that has ended says how, by whom and when.
    """
    try:
        reply = await answered(asked.services, actor, key_of(asked), command)
    except CallRefused as refusal:
        if refusal.refused.refusal in _ENDED:
            await add_end(asked, refusal)
        raise
    note(asked, command.player, reply.position)
    return Done(_outcome(command, reply.answer), "submitted")


async def add_end(asked: Asked[Any], refusal: CallRefused) -> None:
    """Have the refusal of a request say how it ended, by whom and when, if it has."""
    request = getattr(asked.body, "id", "")
    found = await asked.services.read_own(EVERYBODY, lambda c: requests.find(c, request))
    for each in found:
        paid = each.status == PAID
        by, at = (each.paid_by, each.paid_at) if paid else (each.decided_by, each.decided_at)
        refusal.figures["ended"] = (each.status, by.removeprefix("staff:"), _local(asked, at))


def _local(asked: Asked[Any], at: int) -> str:
    """A time in microseconds, in the house's zone, to the minute."""
    zone = ZoneInfo(asked.services.settings.timezone)
    return f"{datetime.fromtimestamp(at // SECOND_US, zone):%Y-%m-%d %H:%M}"


async def credited(asked: Asked[Any], actor: str, command: EnterDeposit | AgreeDeposit) -> Done:
    """The same for a deposit; a refusal for its reference says which deposit had it before."""
    try:
        return await done(asked, actor, command)
    except CallRefused as refusal:
        add_earlier(asked, refusal, command.reference)
        raise


def add_earlier(asked: Asked[Any], refusal: CallRefused, reference: str) -> None:
    """Name what was credited under a used reference before, by whom and when."""
    if refusal.refused.refusal is Refusal.REFERENCE_USED:
        credit = looking(asked.services).credit(reference)
        if credit is not None:
            who, at = credit.by.removeprefix("staff:"), _local(asked, credit.at)
            refusal.figures["earlier"] = f"{credit.deposit}, {who}, {at}"


def note(asked: Asked[Any], player: int, position: int) -> None:
    """Whoever of the staff, and the member themselves, read on from here."""
    asked.services.seen.note(player, position)
    asked.services.seen.note(EVERYBODY, position)


def _outcome(command: MoneyCommand, answer: object) -> Outcome:
    if isinstance(answer, PlayerAccepted):
        held = (money(answer.available_minor), money(answer.bonus_minor))
        return Outcome(str(getattr(command, "deposit", "")), command.player, "approved", *held)
    assert isinstance(answer, MoneyAnswered)
    held = (money(answer.available_minor), money(answer.bonus_minor))
    return Outcome(answer.id, command.player, answer.status, *held)
