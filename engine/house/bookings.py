"""Bookings between the house's own accounts: fees, capital, returned payouts, chargebacks. Pure.

- Above the threshold of one person, alone or together with what that person booked alone within a
  day, a second person has to agree.
- A payment that came in is credited once, as for deposits: a reference that was credited before is
  refused, unless two people confirm that it is another payment.
"""

from typing import ClassVar, assert_never

from msgspec import Struct

from engine.answers import Refused
from engine.chart_of_accounts import BOOKINGS, CASH_CHANNELS
from engine.refusals import Refusal
from engine.terms import Terms


class Book(Struct, frozen=True, array_like=True, tag="booking"):
    """Book money that came in over `channel` (an amount above zero) or went out.

    `reference` is the keyed hash of the payment's text, empty for outgoing money. `again` states
    that it is another payment, in case the same reference was credited before.
    """

    booking: str
    kind: str
    channel: str
    amount_minor: int
    by: str
    reference_commitment: str
    reference: str
    again: bool


class DecideBooking(Struct, frozen=True, array_like=True, tag="booking-decision"):
    """A second person agrees to a proposed booking with this `reference`; or anyone drops it."""

    booking: str
    approve: bool
    by: str
    reference: str


BookingCommand = Book | DecideBooking


class BookingProposed(Struct, frozen=True, gc=False):
    """A booking of the house's own money that a second person has to agree to.

    `kind` and `channel` name the accounts (engine/chart_of_accounts.py). An amount above zero came
    in over the channel, below zero it went out. `reference` is the keyed hash of the payment's
    text, empty for outgoing money. `again`: it is another payment although its reference was
    credited before.
    """

    topic: ClassVar = "booking-proposed.1"
    booking: str
    kind: str
    channel: str
    amount_minor: int
    reference: str
    again: bool
    by: str
    reference_commitment: str


class Booked(Struct, frozen=True, gc=False):
    """Money moved between the account of `channel` and the account of `kind`."""

    topic: ClassVar = "booked.1"
    booking: str
    kind: str
    channel: str
    amount_minor: int
    by: str
    reference_commitment: str


class BookingDropped(Struct, frozen=True, gc=False):
    """A proposed booking is not made."""

    topic: ClassVar = "booking-dropped.1"
    booking: str
    by: str


BookingFact = BookingProposed | Booked | BookingDropped


#: The house's id in approvals, in place of a member's.
HOUSE = 0

Bookings = dict[str, BookingProposed]
"""The proposals that wait for a second person, by id."""


class BookingContext(Struct, frozen=True):
    """What a decision needs besides the proposals.

    `alone_minor` already counts toward the threshold; `used`: the reference was credited before.
    """

    terms: Terms
    alone_minor: int = 0
    used: bool = False


def evolve(bookings: Bookings, fact: BookingFact) -> Bookings:
    """The proposals after a fact; never refuses."""
    match fact:
        case BookingProposed():
            return {**bookings, fact.booking: fact}
        case Booked() | BookingDropped():
            return {each: it for each, it in bookings.items() if each != fact.booking}
        case _ as never:
            assert_never(never)


def decide(
    command: BookingCommand, bookings: Bookings, context: BookingContext
) -> list[BookingFact] | Refused:
    """Returns the facts: a booking, a proposal, or a dropped proposal."""
    if isinstance(command, Book):
        return _book(command, bookings, context)
    return _decide(command, bookings, context)


def _book(
    command: Book, bookings: Bookings, context: BookingContext
) -> list[BookingFact] | Refused:
    if command.kind not in BOOKINGS:
        return Refused(Refusal.CORRECTION_UNKNOWN, "kind")
    if command.channel not in CASH_CHANNELS:
        return Refused(Refusal.CHANNEL_UNKNOWN, "channel")
    if not 0 < abs(command.amount_minor) <= context.terms.largest_deposit_minor:
        return Refused(Refusal.AMOUNT_INVALID, "amount")
    if command.booking in bookings:
        return []
    if context.used and not command.again:
        return Refused(Refusal.REFERENCE_USED, "reference")
    what = (command.booking, command.kind, command.channel, command.amount_minor)
    too_much = context.terms.takes_two(abs(command.amount_minor), context.alone_minor)
    if too_much or context.used:
        again = (command.reference, context.used)
        return [BookingProposed(*what, *again, command.by, command.reference_commitment)]
    return [Booked(*what, command.by, command.reference_commitment)]


def _decide(
    command: DecideBooking, bookings: Bookings, context: BookingContext
) -> list[BookingFact] | Refused:
    proposed = bookings.get(command.booking)
    if proposed is None or proposed.reference != command.reference:
        return Refused(Refusal.BOOKING_UNKNOWN, "booking")
    if not command.approve:
        return [BookingDropped(proposed.booking, command.by)]
    if command.by == proposed.by:
        return Refused(Refusal.SECOND_PERSON_NEEDED)
    if context.used and not proposed.again:
        return Refused(Refusal.REFERENCE_USED, "booking")
    what = (proposed.booking, proposed.kind, proposed.channel, proposed.amount_minor)
    return [Booked(*what, command.by, proposed.reference_commitment)]
