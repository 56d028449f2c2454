"""Webhook of the payment gateway, which confirms that an order was paid: POST /api/gateway/notify.

A message is JSON with `order`, `amount` in u, and a unique `nonce`. It needs two headers:
`gateway-timestamp`, in seconds since 1970, and `gateway-signature`, an HMAC-SHA256 in hex. The
signature covers the timestamp, a full stop and the body as sent; its key is the file gateway.key of
the keys folder. `scripts/gateway` is an example client.

A message is valid for five minutes and only once. A gateway that receives no response signs a new
message with another nonce. An order is credited only once, whatever the number of messages. An
order that was replaced or rejected in the meantime is also credited if it was paid.
"""

import asyncio
import hmac
import inspect
from hashlib import sha256
from typing import Final

from msgspec import Struct

from api.cashier.deposits import owner_of
from api.http.call_request import ApiRequest, CallRequest, HeaderField
from api.http.calls import call
from api.http.endpoint_refusals import COMMAND_REFUSALS
from api.http.envelope import CallResult
from api.http.field_types import Amount
from api.http.refusals import CallRefused
from api.http.wire import SECOND_US, NotMoneyError, typed_minor_units
from api.services import Services
from engine.answers import MoneyAnswered
from engine.cashier.commands import GATEWAY, ONLINE, ConfirmDeposit
from engine.refusals import Refusal
from engine.runtime.nonces import Nonces
from projections.approvals import queries as requests

PATH: Final = "/api/gateway/notify"
WINDOW_US: Final = 300 * SECOND_US
TIMESTAMP_HEADER: Final = b"gateway-timestamp"
SIGNATURE_HEADER: Final = b"gateway-signature"
_MAX_TIMESTAMP_LENGTH: Final = 12
_MAX_NONCE_LENGTH: Final = 128
_ACCEPTED_STATUSES: Final = frozenset({"approved", "returned"})


class NotifyRequest(ApiRequest):
    """The gateway received `amount` u for our `order`."""

    order: str = ""
    amount: Amount = None
    nonce: str = ""


class WebhookResult(Struct, frozen=True):
    """`status` is approved, endorsed (staff must also approve), or returned (to the payer)."""

    order: str
    status: str


@call(
    PATH,
    "Payment confirmation from the gateway",
    changes=True,
    headers=(
        HeaderField(
            TIMESTAMP_HEADER.decode(),
            "When the message was signed, in seconds since 1970.",
            "^[0-9]{1,12}$",
        ),
    ),
    refusals=(
        *COMMAND_REFUSALS,
        Refusal.SIGNATURE_WRONG,
        Refusal.MESSAGE_EXPIRED,
        Refusal.MESSAGE_REPEATED,
        Refusal.DEPOSIT_UNKNOWN,
        Refusal.AMOUNT_MISMATCH,
    ),
)
async def notify(
    request: CallRequest, data: NotifyRequest, services: Services
) -> CallResult[WebhookResult]:
    """Credit an order that was paid with its exact amount, once."""
    _check_signature(request, services)
    at = _check_time(request, services)
    if not (0 < len(data.nonce) <= _MAX_NONCE_LENGTH and data.nonce.isprintable()):
        raise CallRefused(Refusal.REQUEST_MALFORMED, "nonce")
    oldest = services.clock() - 2 * WINDOW_US
    nonces = Nonces(services.pool)
    if not await asyncio.to_thread(lambda: nonces.take(data.nonce, at, oldest)):
        raise CallRefused(Refusal.MESSAGE_REPEATED, "nonce")
    return await _confirm(data, services)


def _check_signature(request: CallRequest, services: Services) -> None:
    timestamp = request.raw_headers.get(TIMESTAMP_HEADER, b"")
    expected = signature(services.gateway_secret, timestamp, request.content)
    if not hmac.compare_digest(request.raw_headers.get(SIGNATURE_HEADER, b""), expected):
        raise CallRefused(Refusal.SIGNATURE_WRONG)


def signature(secret: bytes, timestamp: bytes, body: bytes) -> bytes:
    """Returns the signature, in hex, of a message with this timestamp and body."""
    return hmac.new(secret, timestamp + b"." + body, sha256).hexdigest().encode()


def _check_time(request: CallRequest, services: Services) -> int:
    """Returns the message's time in microseconds.

    Raises CallRefused if it differs from the server's clock by more than `WINDOW_US`.
    """
    timestamp = request.raw_headers[TIMESTAMP_HEADER]
    if not (timestamp.isdigit() and len(timestamp) <= _MAX_TIMESTAMP_LENGTH):
        raise CallRefused(Refusal.MESSAGE_EXPIRED, TIMESTAMP_HEADER.decode())
    at = int(timestamp) * SECOND_US
    if abs(services.clock() - at) > WINDOW_US:
        raise CallRefused(Refusal.MESSAGE_EXPIRED, TIMESTAMP_HEADER.decode())
    return at


async def _confirm(data: NotifyRequest, services: Services) -> CallResult[WebhookResult]:
    order = data.order
    player, amount = owner_of(order), _amount(data)
    if player is None:
        raise CallRefused(Refusal.DEPOSIT_UNKNOWN, "order")
    async with services.commands.once.player_lock(player):
        await services.players.sync_identity(player)
    command = ConfirmDeposit(player, order, amount)
    try:
        reply = await services.commands.submit(GATEWAY, f"{order}/{amount}", command)
    except CallRefused as refusal:
        if refusal.refused.refusal is not Refusal.DEPOSIT_UNKNOWN:
            raise
        return await _decided_by_staff(data, services, player, amount)
    assert isinstance(reply.answer, MoneyAnswered)
    services.commands.last_seen.record(player, reply.position)
    return CallResult(WebhookResult(order, reply.answer.status))


async def _decided_by_staff(
    data: NotifyRequest, services: Services, player: int, amount: int
) -> CallResult[WebhookResult]:
    """Returns the status of an order that staff decided before the gateway's message."""
    order = data.order
    found = await services.read_own(player, lambda c: requests.find(c, order))
    orders = [it for it in found if (it.kind, it.channel, it.player) == ("deposit", ONLINE, player)]
    if not orders or orders[0].status not in _ACCEPTED_STATUSES:
        raise CallRefused(Refusal.DEPOSIT_UNKNOWN, "order")
    if orders[0].amount != amount:
        raise CallRefused(Refusal.AMOUNT_MISMATCH, "amount")
    return CallResult(WebhookResult(order, orders[0].status))


def _amount(body: NotifyRequest) -> int:
    try:
        return typed_minor_units(body.amount)
    except NotMoneyError:
        raise CallRefused(Refusal.AMOUNT_MISMATCH, "amount") from None


#: How the description of the API names the signature.
SECURITY: Final = {
    "gateway": {
        "type": "apiKey",
        "in": "header",
        "name": SIGNATURE_HEADER.decode(),
        "description": inspect.cleandoc(__doc__ or ""),
    }
}
