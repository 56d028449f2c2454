"""The payment gateway's word that an order was paid: POST /api/gateway/notify.

A message is JSON with `order`, `amount` in u, and a `nonce` that no other message has. Two headers
go with it: `gateway-timestamp`, seconds since 1970, and `gateway-signature`, the HMAC-SHA256 in
hex, keyed with the file gateway.key of the keys folder, over the timestamp, a full stop and the
body as it was sent. `scripts/gateway` is a client to learn from.

A message counts for five minutes and once; a gateway that heard no answer signs a new one, with
another nonce. However many there are about an order, it is credited once; an order that was
dropped meanwhile is credited all the same when it was paid.
"""

import asyncio
import hmac
from hashlib import sha256
from typing import Final

from msgspec import Struct

from api.calls import Asked, Asking, Call
from api.commanding import answered
from api.deposits import owner_of
from api.envelope import CallRefused, Done
from api.members import identified
from api.refusing import COMMANDING
from api.units import Amount
from api.wire import SECOND_US, NotMoneyError, typed_minor_units
from engine.answers import MoneyAnswered
from engine.players.money_commands import GATEWAY, ONLINE, ConfirmDeposit
from engine.refusals import Refusal
from engine.runtime.nonces import Nonces
from projections.requests import queries as requests

PATH: Final = "/api/gateway/notify"
WINDOW_US: Final = 300 * SECOND_US
TIMESTAMP_HEADER: Final = b"gateway-timestamp"
SIGNATURE_HEADER: Final = b"gateway-signature"
_LONGEST_TIMESTAMP: Final = 12
_LONGEST_NONCE: Final = 128
_TAKEN: Final = frozenset({"approved", "returned"})


class NotifyAsking(Asking):
    """The gateway was paid `amount` u for our `order`."""

    order: str = ""
    amount: Amount = None
    nonce: str = ""


class Notified(Struct, frozen=True):
    """`status` is approved, endorsed (staff have to agree as well), or returned to the payer."""

    order: str
    status: str


async def notify(asked: Asked[NotifyAsking]) -> Done:
    """Credit an order of ours that was paid as it asks for, once."""
    body, services = asked.body, asked.services
    _check_signature(asked)
    at = _check_time(asked)
    if not (0 < len(body.nonce) <= _LONGEST_NONCE and body.nonce.isprintable()):
        raise CallRefused(Refusal.REQUEST_MALFORMED, "nonce")
    oldest = services.clock() - 2 * WINDOW_US
    nonces = Nonces(services.pool)
    if not await asyncio.to_thread(lambda: nonces.take(body.nonce, at, oldest)):
        raise CallRefused(Refusal.MESSAGE_REPEATED, "nonce")
    return await _confirm(asked)


def _check_signature(asked: Asked[NotifyAsking]) -> None:
    timestamp = asked.headers.get(TIMESTAMP_HEADER, b"")
    right = signature(asked.services.gateway_secret, timestamp, asked.content)
    if not hmac.compare_digest(asked.headers.get(SIGNATURE_HEADER, b""), right):
        raise CallRefused(Refusal.SIGNATURE_WRONG)


def signature(secret: bytes, timestamp: bytes, body: bytes) -> bytes:
    """What a message of this time with this body is signed with, in hex."""
    return hmac.new(secret, timestamp + b"." + body, sha256).hexdigest().encode()


def _check_time(asked: Asked[NotifyAsking]) -> int:
    """The message's time in microseconds, which is near enough to ours."""
    timestamp = asked.headers[TIMESTAMP_HEADER]
    if not (timestamp.isdigit() and len(timestamp) <= _LONGEST_TIMESTAMP):
        raise CallRefused(Refusal.MESSAGE_EXPIRED, TIMESTAMP_HEADER.decode())
    at = int(timestamp) * SECOND_US
    if abs(asked.services.clock() - at) > WINDOW_US:
        raise CallRefused(Refusal.MESSAGE_EXPIRED, TIMESTAMP_HEADER.decode())
    return at


async def _confirm(asked: Asked[NotifyAsking]) -> Done:
    order = asked.body.order
    player, amount = owner_of(order), _amount(asked.body)
    if player is None:
        raise CallRefused(Refusal.DEPOSIT_UNKNOWN, "order")
    async with asked.services.once.turn(player):
        await identified(asked.services, player)
    command = ConfirmDeposit(player, order, amount)
    try:
        reply = await answered(asked.services, GATEWAY, f"{order}/{amount}", command)
    except CallRefused as refusal:
        if refusal.refused.refusal is not Refusal.DEPOSIT_UNKNOWN:
            raise
        return await _decided(asked, player, amount)
    assert isinstance(reply.answer, MoneyAnswered)
    asked.services.seen.note(player, reply.position)
    return Done(Notified(order, reply.answer.status))


async def _decided(asked: Asked[NotifyAsking], player: int, amount: int) -> Done:
    """What staff have made of an order without waiting for the gateway."""
    order = asked.body.order
    found = await asked.services.read_own(player, lambda c: requests.find(c, order))
    mine = [it for it in found if (it.kind, it.channel, it.player) == ("deposit", ONLINE, player)]
    if not mine or mine[0].status not in _TAKEN:
        raise CallRefused(Refusal.DEPOSIT_UNKNOWN, "order")
    if mine[0].amount != amount:
        raise CallRefused(Refusal.AMOUNT_MISMATCH, "amount")
    return Done(Notified(order, mine[0].status))


def _amount(body: NotifyAsking) -> int:
    try:
        return typed_minor_units(body.amount)
    except NotMoneyError:
        raise CallRefused(Refusal.AMOUNT_MISMATCH, "amount") from None


CALLS: Final = (
    Call(
        PATH,
        NotifyAsking,
        Notified,
        notify,
        "The payment gateway's word on an order",
        changes=True,
        refusals=(
            *COMMANDING,
            Refusal.SIGNATURE_WRONG,
            Refusal.MESSAGE_EXPIRED,
            Refusal.MESSAGE_REPEATED,
            Refusal.DEPOSIT_UNKNOWN,
            Refusal.AMOUNT_MISMATCH,
        ),
    ),
)
