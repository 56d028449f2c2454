"""The balances of the house's accounts, and bookings between them.

Open bookings are read from the writer's memory: on a standby the calls are refused.
"""

from hashlib import sha256
from typing import Any, Final

from msgspec import Struct

from api.account.player_sync import engine_reader
from api.http.command_submission import submit
from api.http.endpoints import Auth, Endpoint, RequestContext, StaffRequest
from api.http.envelope import CallRefused, CallResult
from api.http.field_types import Money, MoneyInput, Words
from api.http.wire import money
from api.office.common import (
    ALL_STAFF,
    add_earlier,
    amount_of,
    commitment_to,
    record_position,
    require_idempotency_key,
)
from engine.chart import BOOKINGS, CHART, DEBIT
from engine.house.bookings import Book, BookingCommand, DecideBooking
from engine.refusals import Refusal
from engine.staff import roles
from projections.accounts import queries as accounts


class BookingRequest(StaffRequest):
    """Money received over `channel` (bank, usdt or online), or sent if the `amount` is negative.

    `kind` is fee, capital, returned_payout, chargeback or adjustment; `reference` is that of the
    payment. `again` confirms that it is another payment, although this reference was credited.
    """

    kind: str
    channel: str
    amount: MoneyInput
    reference: Words
    again: bool = False


class BookingDecisionRequest(StaffRequest):
    """`id` is that of a proposed booking; if `approve` is false, it is rejected."""

    id: str
    approve: bool


class BookingOutcome(Struct, frozen=True):
    """`status` is requested (a second person has to agree), approved or rejected."""

    id: str
    status: str


class AccountView(Struct, frozen=True):
    """A ledger account; `type` is asset, liability, equity, income or expense.

    Assets and expenses have the same sum as the other types.
    """

    account: str
    type: str
    title: str
    balance: Money


class BookingView(Struct, frozen=True):
    """A proposed booking, which waits for a second person."""

    id: str
    kind: str
    channel: str
    amount: Money
    by: str


class Books(Struct, frozen=True):
    """All accounts except those of bots, and the bookings that wait for a second person."""

    accounts: list[AccountView]
    waiting: list[BookingView]


async def show(ctx: RequestContext[StaffRequest]) -> CallResult:
    """Returns the balances of all accounts, and the bookings that wait for a second person."""
    waiting = [
        BookingView(each.booking, each.kind, each.channel, money(each.amount_minor), each.by)
        for each in engine_reader(ctx.services).house.bookings.values()
    ]
    totals = await ctx.services.read_own(ALL_STAFF, accounts.trial_balance)
    balances = {each.account: each.balance for each in totals if not each.bots}
    shown = [
        AccountView(name, kind, title, money(-balances[name] if kind in DEBIT else balances[name]))
        for name, kind, title in CHART
        if name in balances
    ]
    return CallResult(Books(shown, waiting))


async def book(ctx: RequestContext[BookingRequest]) -> CallResult:
    """Book a movement of the house's money, or propose it above the threshold."""
    body, actor, key = ctx.body, ctx.staff, require_idempotency_key(ctx)
    if body.kind not in BOOKINGS:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "kind")
    amount = amount_of(body.amount)
    booking = f"booking-{sha256(f'{actor}/{key}'.encode()).hexdigest()[:20]}"
    words = await commitment_to(ctx, booking, body.reference, None, "reference")
    vault = ctx.services.vault
    index = vault.reference_index(body.channel, body.reference) if amount > 0 else ""
    what = (booking, body.kind, body.channel, amount, actor, words)
    await _send(ctx, Book(*what, index, body.again))
    waits = booking in engine_reader(ctx.services).house.bookings
    return CallResult(BookingOutcome(booking, "requested" if waits else "approved"), "submitted")


async def decide(ctx: RequestContext[BookingDecisionRequest]) -> CallResult:
    """Agree to a colleague's booking, or reject it."""
    body, actor = ctx.body, ctx.staff
    require_idempotency_key(ctx)
    proposed = engine_reader(ctx.services).house.bookings.get(body.id)
    reference = proposed.reference if proposed else ""
    await _send(ctx, DecideBooking(body.id, body.approve, actor, reference))
    return CallResult(
        BookingOutcome(body.id, "approved" if body.approve else "rejected"), "submitted"
    )


async def _send(ctx: RequestContext[Any], command: BookingCommand) -> None:
    try:
        reply = await submit(ctx.services, ctx.staff, require_idempotency_key(ctx), command)
    except CallRefused as refusal:
        add_earlier(ctx, refusal, command.reference)
        raise
    record_position(ctx, ALL_STAFF, reply.position)


CALLS: Final[tuple[Endpoint[Any], ...]] = (
    Endpoint(
        "/api/office/books",
        StaffRequest,
        Books,
        show,
        "List the house's accounts (staff)",
        auth=Auth.STAFF,
        roles=roles.BOOKS_SHOWN,
    ),
    Endpoint(
        "/api/office/booking",
        BookingRequest,
        BookingOutcome,
        book,
        "Book fees, capital, returned payouts, chargebacks or adjustments (staff)",
        auth=Auth.STAFF,
        roles=roles.BOOKINGS,
        idempotent=True,
        refusals=(Refusal.AMOUNT_INVALID, Refusal.CHANNEL_UNKNOWN, Refusal.REFERENCE_USED),
    ),
    Endpoint(
        "/api/office/bookingDecision",
        BookingDecisionRequest,
        BookingOutcome,
        decide,
        "Agree to a booking, or reject it (staff)",
        auth=Auth.STAFF,
        roles=roles.BOOKINGS_DECIDED,
        idempotent=True,
        refusals=(
            Refusal.BOOKING_UNKNOWN,
            Refusal.REFERENCE_USED,
            Refusal.SECOND_PERSON_NEEDED,
        ),
    ),
)
