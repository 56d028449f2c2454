"""What staff may ask to book between the house's own accounts. `by` names a member of staff."""

from msgspec import Struct


class Book(Struct, frozen=True, array_like=True, tag="booking"):
    """Book money that came in over `channel` (an amount above zero) or went out.

    `reference` is the keyed hash of the payment's text, empty for what went out; `again` says that
    it is another payment if the same was credited before.
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
