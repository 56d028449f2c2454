"""The balances of the house's accounts, and bookings between them.

Open bookings are read from the writer's memory: on a standby the calls are refused.
"""

from hashlib import sha256

from msgspec import Struct

from api.http.call_request import CallRequest, StaffRequest
from api.http.calls import staff_command, staff_query
from api.http.commands import Commands
from api.http.db_pool import ReadModels
from api.http.envelope import CallResult
from api.http.field_types import Money, MoneyInput, Words
from api.http.refusals import CallRefused
from api.http.wire import money
from api.office.common import (
    ALL_STAFF,
    add_earlier,
    amount_of,
    commitment_to,
    record_position,
)
from api.services import Services
from api.settings import Settings
from engine.chart_of_accounts import BOOKINGS, CHART, DEBIT
from engine.house.bookings import Book, BookingCommand, DecideBooking
from engine.refusals import Refusal
from engine.runtime.port import EnginePort
from engine.staff import roles
from projections import accounts


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


@staff_query("books", "List the house's accounts", roles.BOOKS_SHOWN)
async def show(engine: EnginePort, read_models: ReadModels) -> CallResult[Books]:
    """Returns the balances of all accounts, and the bookings that wait for a second person."""
    house = await engine.house()
    waiting = [
        BookingView(each.booking, each.kind, each.channel, money(each.amount_minor), each.by)
        for each in house.bookings.values()
    ]
    totals = await read_models.read_own(ALL_STAFF, accounts.trial_balance)
    balances = {each.account: each.balance for each in totals if not each.bots}
    shown = [
        AccountView(name, kind, title, money(-balances[name] if kind in DEBIT else balances[name]))
        for name, kind, title in CHART
        if name in balances
    ]
    return CallResult(Books(shown, waiting))


@staff_command(
    "booking",
    "Book fees, capital, returned payouts, chargebacks or adjustments",
    roles.BOOKINGS,
    refusals=(Refusal.AMOUNT_INVALID, Refusal.CHANNEL_UNKNOWN, Refusal.REFERENCE_USED),
)
async def book(
    request: CallRequest, data: BookingRequest, services: Services
) -> CallResult[BookingOutcome]:
    """Book a movement of the house's money, or propose it above the threshold."""
    actor, key = request.staff, request.required_key
    if data.kind not in BOOKINGS:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "kind")
    amount = amount_of(data.amount)
    booking = f"booking-{sha256(f'{actor}/{key}'.encode()).hexdigest()[:20]}"
    words = await commitment_to(services.vault, booking, data.reference, None, "reference")
    index = services.vault.reference_index(data.channel, data.reference) if amount > 0 else ""
    what = (booking, data.kind, data.channel, amount, actor, words)
    await _send(
        request,
        services.settings,
        services.engine,
        services.commands,
        Book(*what, index, data.again),
    )
    waits = booking in (await services.engine.house()).bookings
    return CallResult(BookingOutcome(booking, "requested" if waits else "approved"), "submitted")


@staff_command(
    "bookingDecision",
    "Agree to a booking, or reject it",
    roles.BOOKINGS_DECIDED,
    refusals=(Refusal.BOOKING_UNKNOWN, Refusal.REFERENCE_USED, Refusal.SECOND_PERSON_NEEDED),
)
async def decide(
    request: CallRequest,
    data: BookingDecisionRequest,
    settings: Settings,
    engine: EnginePort,
    commands: Commands,
) -> CallResult[BookingOutcome]:
    """Agree to a colleague's booking, or reject it."""
    actor = request.staff
    proposed = (await engine.house()).bookings.get(data.id)
    reference = proposed.reference if proposed else ""
    await _send(
        request, settings, engine, commands, DecideBooking(data.id, data.approve, actor, reference)
    )
    return CallResult(
        BookingOutcome(data.id, "approved" if data.approve else "rejected"), "submitted"
    )


async def _send(
    request: CallRequest,
    settings: Settings,
    engine: EnginePort,
    commands: Commands,
    command: BookingCommand,
) -> None:
    try:
        reply = await commands.submit(request.staff, request.required_key, command)
    except CallRefused as refusal:
        await add_earlier(settings, engine, refusal, command.reference)
        raise
    record_position(commands, ALL_STAFF, reply.position)
