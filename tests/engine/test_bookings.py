"""Bookings of the house's own money: two people above the threshold, a payment credited once."""

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
MEANS = DecisionContext(BetRandomness("", ""), lambda _, __: b"")


class House:
    """A house with a member, whose time the test moves."""

    def __init__(self) -> None:
        self.world = EngineState(players={1: member(player=1)})
        self.now = DURING_SALE
        self.booked: list[Booked] = []

    def asks(self, command: BookingCommand | EnterDeposit) -> Refusal | None:
        overlay = Overlay(self.world, self.now)
        answer = decide(command, overlay, MEANS)
        facts = [draft.fact for draft in overlay.drafts]
        self.booked += [fact for fact in facts if isinstance(fact, Booked)]
        overlay.merge()
        return answer.refusal if isinstance(answer, Refused) else None

    def books(
        self,
        amount_u: float,
        by: str = ANN,
        number: str = "b-1",
        said: str = "",
        *,
        again: bool = False,
    ) -> Refusal | None:
        kind = "capital" if amount_u > 0 else "fee"
        amount = round(amount_u * 100)
        return self.asks(Book(number, kind, "bank", amount, by, "", said, again))

    def agrees(self, by: str, number: str = "b-1", said: str = "") -> Refusal | None:
        return self.asks(DecideBooking(number, approve=True, by=by, reference=said))

    @property
    def waiting(self) -> list[str]:
        return [*self.world.house.bookings]


def test_what_is_within_the_threshold_is_booked_by_one_person() -> None:
    house = House()
    assert house.books(5_000) is None
    assert [(fact.amount_minor, fact.by) for fact in house.booked] == [(units(5_000), ANN)]


@pytest.mark.parametrize("amount_u", [5_000.01, -5_000.01])
def test_above_the_threshold_it_waits_for_a_second_person(amount_u: float) -> None:
    house = House()
    assert house.books(amount_u) is None
    assert (house.booked, house.waiting) == ([], ["b-1"])
    assert house.agrees(ANN) is Refusal.SECOND_PERSON_NEEDED
    assert house.agrees(BEN) is None
    assert [fact.by for fact in house.booked] == [BEN]
    assert house.agrees(BEN) is Refusal.BOOKING_UNKNOWN


def test_anyone_may_drop_a_proposed_booking() -> None:
    house = House()
    house.books(6_000)
    assert house.asks(DecideBooking("b-1", approve=False, by=ANN, reference="")) is None
    assert (house.booked, house.waiting) == ([], [])


def test_many_small_bookings_are_no_way_round_the_threshold() -> None:
    """Neither for one person nor for two who take turns."""
    house = House()
    house.books(3_000, number="b-1")
    house.books(-2_000, number="b-2", by=BEN)
    house.books(-0.01, number="b-3", by=BEN)
    assert (len(house.booked), house.waiting) == (2, ["b-3"])
    house.now += DAY_US
    house.books(5_000, number="b-4")
    assert len(house.booked) == 3


def test_bookings_count_with_the_deposits_that_a_person_approved_alone() -> None:
    house = House()
    house.asks(EnterDeposit(1, "d-1", "bank", units(4_000), "", ANN, "", again=False))
    house.books(-1_001)
    assert house.waiting == ["b-1"]


def test_a_payment_is_credited_once_whether_to_a_member_or_to_the_house() -> None:
    house = House()
    house.asks(EnterDeposit(1, "d-1", "bank", units(10), "", ANN, "hash", again=False))
    assert house.books(10, said="hash") is Refusal.REFERENCE_USED
    assert house.books(10, said="hash", again=True) is None
    assert house.waiting == ["b-1"]
    assert house.agrees(BEN, said="hash") is None
    again = EnterDeposit(1, "d-2", "bank", units(10), "", ANN, "hash", again=False)
    assert house.asks(again) is Refusal.REFERENCE_USED


def test_a_payment_credited_while_a_booking_waits_is_not_credited_by_it_again() -> None:
    house = House()
    house.books(6_000, said="hash")
    house.asks(EnterDeposit(1, "d-1", "bank", units(10), "", ANN, "hash", again=False))
    assert house.agrees(BEN, said="hash") is Refusal.REFERENCE_USED
    assert house.agrees(BEN, said="another") is Refusal.BOOKING_UNKNOWN
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
    assert House().asks(Book("b-1", kind, channel, amount, ANN, "", "", again=False)) is refusal
