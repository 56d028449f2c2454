"""The house's own accounts: their balances, and bookings between them.

What waits for a second person comes from the writer's memory: on a standby the calls are refused.
"""

from hashlib import sha256
from typing import Any, Final

from msgspec import Struct

from api.calls import Asked, Auth, Call, StaffAsking
from api.commanding import answered
from api.envelope import CallRefused, Done
from api.members import looking
from api.office_desk import EVERYBODY, add_earlier, amount_of, kept, key_of, note
from api.units import GivenMoney, Money, Words
from api.wire import money
from engine.chart import BOOKINGS, CHART, DEBIT
from engine.house import roles
from engine.house.booking_commands import Book, BookingCommand, DecideBooking
from engine.refusals import Refusal
from projections.accounts import queries as accounts


class BookingAsking(StaffAsking):
    """Money that came in over `channel` (bank, usdt or online), or went out: below zero.

    `kind` is fee, capital, returned_payout, chargeback or adjustment; `reference` what the payment
    says; `again` that it is another payment although its reference was credited before.
    """

    kind: str
    channel: str
    amount: GivenMoney
    reference: Words
    again: bool = False


class BookingDecisionAsking(StaffAsking):
    """`id` is a proposed booking's; without `approve` it is dropped."""

    id: str
    approve: bool


class BookingOutcome(Struct, frozen=True):
    """`status` is requested (a second person has to agree), approved or rejected."""

    id: str
    status: str


class AccountShown(Struct, frozen=True):
    """An account of the books; `type` is asset, liability, equity, income or expense.

    Assets and expenses sum to the same as the others.
    """

    account: str
    type: str
    title: str
    balance: Money


class BookingShown(Struct, frozen=True):
    """A booking that waits for a second person."""

    id: str
    kind: str
    channel: str
    amount: Money
    by: str


class Books(Struct, frozen=True):
    """Every account, without those of bots, and the bookings that wait."""

    accounts: list[AccountShown]
    waiting: list[BookingShown]


async def show(asked: Asked[StaffAsking]) -> Done:
    """The balances of all accounts, and the bookings that wait for a second person."""
    waiting = [
        BookingShown(each.booking, each.kind, each.channel, money(each.amount_minor), each.by)
        for each in looking(asked.services).office.bookings.values()
    ]
    totals = await asked.services.read_own(EVERYBODY, accounts.trial_balance)
    held = {each.account: each.balance for each in totals if not each.bots}
    shown = [
        AccountShown(name, kind, title, money(-held[name] if kind in DEBIT else held[name]))
        for name, kind, title in CHART
        if name in held
    ]
    return Done(Books(shown, waiting))


async def book(asked: Asked[BookingAsking]) -> Done:
    """Book a movement of the house's own money, or propose it above the threshold."""
    body, actor, key = asked.body, asked.staff, key_of(asked)
    if body.kind not in BOOKINGS:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "kind")
    amount = amount_of(body.amount)
    booking = f"booking-{sha256(f'{actor}/{key}'.encode()).hexdigest()[:20]}"
    words = await kept(asked, booking, body.reference, None, "reference")
    vault = asked.services.vault
    index = vault.reference_index(body.channel, body.reference) if amount > 0 else ""
    what = (booking, body.kind, body.channel, amount, actor, words)
    await _send(asked, Book(*what, index, body.again))
    waits = booking in looking(asked.services).office.bookings
    return Done(BookingOutcome(booking, "requested" if waits else "approved"), "submitted")


async def decide(asked: Asked[BookingDecisionAsking]) -> Done:
    """Agree to a colleague's booking, or drop it."""
    body, actor = asked.body, asked.staff
    key_of(asked)
    proposed = looking(asked.services).office.bookings.get(body.id)
    reference = proposed.reference if proposed else ""
    await _send(asked, DecideBooking(body.id, body.approve, actor, reference))
    return Done(BookingOutcome(body.id, "approved" if body.approve else "rejected"), "submitted")


async def _send(asked: Asked[Any], command: BookingCommand) -> None:
    try:
        reply = await answered(asked.services, asked.staff, key_of(asked), command)
    except CallRefused as refusal:
        add_earlier(asked, refusal, command.reference)
        raise
    note(asked, EVERYBODY, reply.position)


CALLS: Final[tuple[Call[Any], ...]] = (
    Call(
        "/api/office/books",
        StaffAsking,
        Books,
        show,
        "The house's accounts (staff)",
        auth=Auth.STAFF,
        roles=roles.BOOKS_SHOWN,
    ),
    Call(
        "/api/office/booking",
        BookingAsking,
        BookingOutcome,
        book,
        "Book fees, capital, returned payouts, chargebacks or adjustments (staff)",
        auth=Auth.STAFF,
        roles=roles.BOOKINGS,
        keyed=True,
        refusals=(Refusal.AMOUNT_INVALID, Refusal.CHANNEL_UNKNOWN, Refusal.REFERENCE_USED),
    ),
    Call(
        "/api/office/bookingDecision",
        BookingDecisionAsking,
        BookingOutcome,
        decide,
        "Agree to a booking, or drop it (staff)",
        auth=Auth.STAFF,
        roles=roles.BOOKINGS_DECIDED,
        keyed=True,
        refusals=(
            Refusal.BOOKING_UNKNOWN,
            Refusal.REFERENCE_USED,
            Refusal.SECOND_PERSON_NEEDED,
        ),
    ),
)
