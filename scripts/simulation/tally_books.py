"""The tally's rules for bookings between the house's own accounts."""

from typing import Final

from scripts.simulation.tally import Case, Line, Rule, Tally, demand

_CONTRA: Final = {
    "fee": "house:fees",
    "capital": "house:capital",
    "returned_payout": "house:returned_payouts",
    "chargeback": "house:chargebacks",
    "adjustment": "house:adjustments",
}
_HOUSE: Final = 0


def _booking_proposed(tally: Tally, line: Line) -> None:
    fact = line.fact
    demand(fact["booking"] not in tally.desk.bookings, "a booking is proposed twice", line)
    case = Case(_HOUSE, fact["booking"], fact["amount_minor"], fact["kind"], fact["by"])
    case.repeats, case.reference = fact["again"], fact["reference"]
    tally.desk.bookings[case.id] = case


def _booked(tally: Tally, line: Line) -> None:
    """By two people, or by one whose sum of the day it counts toward."""
    fact, amount = line.fact, line.fact["amount_minor"]
    demand(amount, "a booking of nothing", line)
    case = tally.desk.bookings.pop(fact["booking"], None)
    if case is not None:
        demand(case.by != fact["by"], "one alone booked what takes two people", line)
        same = (case.amount, case.how) == (amount, fact["kind"])
        demand(same, "a booking is not as it was proposed", line)
    else:
        alone = ("booking", _HOUSE, fact["booking"])
        demand(alone in tally.desk.singly, "a booking of one person is not counted", line)
    tally.move(line, {f"world:{fact['channel']}": -amount, _CONTRA[fact["kind"]]: amount})


def _booking_dropped(tally: Tally, line: Line) -> None:
    known = tally.desk.bookings.pop(line.fact["booking"], None)
    demand(known is not None, "an unknown booking is dropped", line)


RULES: Final[dict[str, Rule]] = {
    "booking-proposed.1": _booking_proposed,
    "booked.1": _booked,
    "booking-dropped.1": _booking_dropped,
}
