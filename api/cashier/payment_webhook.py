"""Webhook of the payment gateway, which confirms that an order was paid: POST /api/gateway/notify.

A message is JSON with `order`, `amount` in u, and a unique `nonce`. It needs two headers:
`gateway-timestamp`, in seconds since 1970, and `gateway-signature`, an HMAC-SHA256 in hex. The
signature covers the timestamp, a full stop and the body as sent; its key is the file gateway.key of
the keys folder. `scripts/gateway` is an example client.

A message is valid for five minutes and only once. A gateway that receives no response signs a new
message with another nonce. An order is credited only once, whatever the number of messages. An
order that was replaced or rejected in the meantime is treated as any other if it was paid.
"""

import asyncio
import hmac
import inspect
from collections.abc import Callable
from hashlib import sha256
from typing import Final

from msgspec import Struct

from api.account.player_sync import Players
from api.cashier.deposits import owner_of
from api.http.call_request import ApiRequest, CallRequest, HeaderField
from api.http.calls import call
from api.http.commands import Commands
from api.http.db_pool import Pool, ReadModels
from api.http.envelope import CallResult
from api.http.field_types import Amount
from api.http.refusals import COMMAND_REFUSALS, CallRefused
from api.http.wire import SECOND_US, NotMoneyError, typed_minor_units
from api.services import Services
from engine.answers import MoneyAnswered
from engine.cashier.commands import GATEWAY, ONLINE, ConfirmDeposit
from engine.refusals import Refusal
from projections import approvals

PATH: Final = "/api/gateway/notify"
WINDOW_US: Final = 300 * SECOND_US
TIMESTAMP_HEADER: Final = b"gateway-timestamp"
SIGNATURE_HEADER: Final = b"gateway-signature"
_MAX_TIMESTAMP_LENGTH: Final = 12
_MAX_NONCE_LENGTH: Final = 128
_ACCEPTED_STATUSES: Final = frozenset({"approved", "returned"})
_TAKE_NONCE: Final = (
    "INSERT INTO vault.gateway_nonces (nonce, at) VALUES (%s, %s) ON CONFLICT DO NOTHING"
    " RETURNING nonce"
)
_DELETE_NONCES: Final = "DELETE FROM vault.gateway_nonces WHERE at < %s"


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
    _check_signature(request, services.gateway_secret)
    at = _check_time(request, services.clock)
    if not (0 < len(data.nonce) <= _MAX_NONCE_LENGTH and data.nonce.isprintable()):
        raise CallRefused(Refusal.REQUEST_MALFORMED, "nonce")
    oldest = services.clock() - 2 * WINDOW_US
    if not await asyncio.to_thread(_take_nonce, services.pool, data.nonce, at, oldest):
        raise CallRefused(Refusal.MESSAGE_REPEATED, "nonce")
    return await _confirm(data, services.read_models, services.commands, services.players)


def _check_signature(request: CallRequest, gateway_secret: bytes) -> None:
    timestamp = request.raw_headers.get(TIMESTAMP_HEADER, b"")
    expected = signature(gateway_secret, timestamp, request.content)
    if not hmac.compare_digest(request.raw_headers.get(SIGNATURE_HEADER, b""), expected):
        raise CallRefused(Refusal.SIGNATURE_WRONG)


def signature(secret: bytes, timestamp: bytes, body: bytes) -> bytes:
    """Returns the signature, in hex, of a message with this timestamp and body."""
    return hmac.new(secret, timestamp + b"." + body, sha256).hexdigest().encode()


def _check_time(request: CallRequest, clock: Callable[[], int]) -> int:
    """Returns the message's time in microseconds.

    Raises CallRefused if it differs from the server's clock by more than `WINDOW_US`.
    """
    timestamp = request.raw_headers[TIMESTAMP_HEADER]
    if not (timestamp.isdigit() and len(timestamp) <= _MAX_TIMESTAMP_LENGTH):
        raise CallRefused(Refusal.MESSAGE_EXPIRED, TIMESTAMP_HEADER.decode())
    at = int(timestamp) * SECOND_US
    if abs(clock() - at) > WINDOW_US:
        raise CallRefused(Refusal.MESSAGE_EXPIRED, TIMESTAMP_HEADER.decode())
    return at


def _take_nonce(pool: Pool, nonce: str, at: int, oldest: int) -> bool:
    """Returns whether this is the first message with the nonce, which is durable by then; blocks.

    `at` is the message's own time. Nonces of messages from before `oldest` are deleted. Both times
    are in microseconds since 1970.
    """
    with pool.connection() as connection:
        connection.execute(_DELETE_NONCES, (oldest,))
        return connection.execute(_TAKE_NONCE, (nonce, at)).fetchone() is not None


async def _confirm(
    data: NotifyRequest, read_models: ReadModels, commands: Commands, players: Players
) -> CallResult[WebhookResult]:
    order = data.order
    player, amount = owner_of(order), _amount(data)
    if player is None:
        raise CallRefused(Refusal.DEPOSIT_UNKNOWN, "order")
    async with commands.once.player_lock(player):
        await players.sync_identity(player)
    command = ConfirmDeposit(player, order, amount)
    try:
        reply = await commands.submit(GATEWAY, f"{order}/{amount}", command)
    except CallRefused as refusal:
        if refusal.refused.refusal is not Refusal.DEPOSIT_UNKNOWN:
            raise
        return await _decided_by_staff(data, read_models, player, amount)
    assert isinstance(reply.answer, MoneyAnswered)
    commands.last_seen.record(player, reply.position)
    return CallResult(WebhookResult(order, reply.answer.status))


async def _decided_by_staff(
    data: NotifyRequest, read_models: ReadModels, player: int, amount: int
) -> CallResult[WebhookResult]:
    """Returns the status of an order that staff decided before the gateway's message."""
    order = data.order
    found = await read_models.read_own(player, lambda c: approvals.find(c, order))
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
