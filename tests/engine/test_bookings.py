"""Bookings of the house's own money: two people above the threshold; a payment counts once."""

import pytest

from engine.answers import Refused
from engine.bets.decisions import BetRandomness
from engine.cashier.commands import EnterDeposit
from engine.command_handler import DecisionContext, decide
from engine.engine_state import EngineState, Overlay
from engine.house.bookings import Book, Booked, BookingCommand, DecideBooking
from engine.money import units
from engine.refusals import Refusal
from engine.terms import DAY_US
from tests.engine.given import DURING_SALE, member

ANN, BEN = "staff:ann", "staff:ben"
CONTEXT = DecisionContext(BetRandomness("", ""), lambda _, __: b"")


class House:
    """A house with one player and a time that the test sets."""

    def __init__(self) -> None:
        self.state = EngineState(players={1: member(player=1)})
        self.now = DURING_SALE
        self.booked: list[Booked] = []

    def submit(self, command: BookingCommand | EnterDeposit) -> Refusal | None:
        overlay = Overlay(self.state, self.now)
        answer = decide(command, overlay, CONTEXT)
        facts = [draft.fact for draft in overlay.drafts]
        self.booked += [fact for fact in facts if isinstance(fact, Booked)]
        overlay.merge()
        return answer.refusal if isinstance(answer, Refused) else None

    def book(
        self,
        amount_u: float,
        by: str = ANN,
        number: str = "b-1",
        reference: str = "",
        *,
        again: bool = False,
    ) -> Refusal | None:
        kind = "capital" if amount_u > 0 else "fee"
        amount = round(amount_u * 100)
        return self.submit(Book(number, kind, "bank", amount, by, "", reference, again))

    def agree(self, by: str, number: str = "b-1", reference: str = "") -> Refusal | None:
        return self.submit(DecideBooking(number, approve=True, by=by, reference=reference))

    @property
    def waiting(self) -> list[str]:
        return [*self.state.house.bookings]


def test_an_amount_within_the_threshold_is_booked_by_one_person() -> None:
    house = House()
    assert house.book(5_000) is None
    assert [(fact.amount_minor, fact.by) for fact in house.booked] == [(units(5_000), ANN)]


@pytest.mark.parametrize("amount_u", [5_000.01, -5_000.01])
def test_above_the_threshold_it_waits_for_a_second_person(amount_u: float) -> None:
    house = House()
    assert house.book(amount_u) is None
    assert (house.booked, house.waiting) == ([], ["b-1"])
    assert house.agree(ANN) is Refusal.SECOND_PERSON_NEEDED
    assert house.agree(BEN) is None
    assert [fact.by for fact in house.booked] == [BEN]
    assert house.agree(BEN) is Refusal.BOOKING_UNKNOWN


def test_anyone_may_drop_a_proposed_booking() -> None:
    house = House()
    house.book(6_000)
    assert house.submit(DecideBooking("b-1", approve=False, by=ANN, reference="")) is None
    assert (house.booked, house.waiting) == ([], [])


def test_many_small_bookings_do_not_bypass_the_threshold() -> None:
    """This is true for one person and for two who take turns."""
    house = House()
    house.book(3_000, number="b-1")
    house.book(-2_000, number="b-2", by=BEN)
    house.book(-0.01, number="b-3", by=BEN)
    assert (len(house.booked), house.waiting) == (2, ["b-3"])
    house.now += DAY_US
    house.book(5_000, number="b-4")
    assert len(house.booked) == 3


def test_bookings_count_with_the_deposits_that_a_person_approved_alone() -> None:
    house = House()
    house.submit(EnterDeposit(1, "d-1", "bank", units(4_000), "", ANN, "", again=False))
    house.book(-1_001)
    assert house.waiting == ["b-1"]


def test_a_payment_is_credited_once_whether_to_a_member_or_to_the_house() -> None:
    house = House()
    house.submit(EnterDeposit(1, "d-1", "bank", units(10), "", ANN, "hash", again=False))
    assert house.book(10, reference="hash") is Refusal.REFERENCE_USED
    assert house.book(10, reference="hash", again=True) is None
    assert house.waiting == ["b-1"]
    assert house.agree(BEN, reference="hash") is None
    again = EnterDeposit(1, "d-2", "bank", units(10), "", ANN, "hash", again=False)
    assert house.submit(again) is Refusal.REFERENCE_USED


def test_a_payment_credited_while_a_booking_waits_is_not_credited_by_it_again() -> None:
    house = House()
    house.book(6_000, reference="hash")
    house.submit(EnterDeposit(1, "d-1", "bank", units(10), "", ANN, "hash", again=False))
    assert house.agree(BEN, reference="hash") is Refusal.REFERENCE_USED
    assert house.agree(BEN, reference="another") is Refusal.BOOKING_UNKNOWN
    assert house.booked == []


@pytest.mark.parametrize(
    ("kind", "channel", "amount", "refusal"),
    [
        ("whim", "bank", 1, Refusal.CORRECTION_UNKNOWN),
        ("fee", "demo", 1, Refusal.CHANNEL_UNKNOWN),
        ("fee", "", 1, Refusal.CHANNEL_UNKNOWN),
        ("fee", "bank", 0, Refusal.AMOUNT_INVALID),
        ("fee", "bank", units(1_000_000_000) + 1, Refusal.AMOUNT_INVALID),
    ],
)
def test_a_booking_names_accounts_that_exist_and_a_sum(
    kind: str, channel: str, amount: int, refusal: Refusal
) -> None:
    assert House().submit(Book("b-1", kind, channel, amount, ANN, "", "", again=False)) is refusal
