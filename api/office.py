"""What staff do from the command line: POST /api/office/deposit.

Only from the machine itself, and only with the secret in the data folder: whoever can read that
file is staff. The words of a reference stay in the vault.
"""

import asyncio
import hmac
from decimal import Decimal
from hashlib import sha256
from typing import Final

from msgspec import Struct

from api.calls import Asked, Asking, Call
from api.commanding import answered
from api.envelope import CallRefused, Done
from api.wire import NotMoneyError, minor_units, money
from engine.answers import PlayerAccepted
from engine.players.money_commands import ApproveDeposit
from engine.refusals import Refusal
from engine.runtime.vault import MOST_WORDS, clean_words
from engine.terms import DEFAULT_TERMS

PATH: Final = "/api/office/deposit"
OFFICE_HEADER: Final = "office"
_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "::ffff:127.0.0.1"})


class DepositAsking(Asking):
    """`player` is a user name or a player id, `channel` bank or usdt; `clerk` names who asks."""

    player: str | int
    amount: Decimal
    channel: str
    reference: str
    clerk: str


class Deposited(Struct, frozen=True):
    """What the player holds now."""

    player: int
    deposit: str
    money: Decimal


async def deposit(asked: Asked[DepositAsking]) -> Done:
    """Money has arrived from outside: approve it, once for each key."""
    body, services = asked.body, asked.services
    _check_staff(asked)
    if asked.key is None:
        raise CallRefused(Refusal.KEY_MALFORMED, "Idempotency-Key")
    if body.channel not in {"bank", "usdt"}:
        raise CallRefused(Refusal.CHANNEL_UNKNOWN, "channel")
    if len(clean_words(body.reference)) > MOST_WORDS:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "reference")
    member = await asyncio.to_thread(lambda: services.vault.find(str(body.player)))
    if member is None:
        raise CallRefused(Refusal.PLAYER_UNKNOWN, "player")
    actor = f"staff:{body.clerk}"
    number = f"deposit-{sha256(f'{actor}/{asked.key}'.encode()).hexdigest()[:20]}"
    amount = _amount(body.amount)
    commitment = await asyncio.to_thread(
        lambda: services.vault.keep_words(number, body.reference, member.player)
    )
    command = ApproveDeposit(member.player, number, body.channel, amount, commitment)
    reply = await answered(services, actor, asked.key, command)
    assert isinstance(reply.answer, PlayerAccepted)
    services.seen.note(member.player, reply.position)
    return Done(Deposited(member.player, number, money(reply.answer.available_minor)), "submitted")


def _check_staff(asked: Asked[DepositAsking]) -> None:
    given = asked.headers.get(OFFICE_HEADER.encode(), b"")
    right = hmac.compare_digest(given, asked.services.office_secret.encode())
    if not right or asked.client not in _LOOPBACK:
        raise CallRefused(Refusal.TOKEN_UNKNOWN)


def _amount(amount: Decimal) -> int:
    try:
        minor = minor_units(amount)
    except NotMoneyError:
        raise CallRefused(Refusal.AMOUNT_INVALID, "amount") from None
    if not 0 < minor <= DEFAULT_TERMS.largest_deposit_minor:
        raise CallRefused(Refusal.AMOUNT_INVALID, "amount")
    return minor


CALLS: Final = (
    Call(PATH, DepositAsking, Deposited, deposit, "Approve a deposit (staff)", keyed=True),
)
