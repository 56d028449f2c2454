"""The oracle's rules for bookings between the house's own accounts."""

from typing import Final

from tests.instruments.simulator.oracle import LogRecord, OpenApproval, Oracle, Rule, check

_CONTRA: Final = {
    "fee": "house:fees",
    "capital": "house:capital",
    "returned_payout": "house:returned_payouts",
    "chargeback": "house:chargebacks",
    "adjustment": "house:adjustments",
}
_HOUSE: Final = 0


def _booking_proposed(oracle: Oracle, record: LogRecord) -> None:
    fact = record.fact
    check(fact["booking"] not in oracle.settings.bookings, "a booking is proposed twice", record)
    approval = OpenApproval(_HOUSE, fact["booking"], fact["amount_minor"], fact["kind"], fact["by"])
    approval.repeats, approval.reference = fact["again"], fact["reference"]
    oracle.settings.bookings[approval.id] = approval


def _booked(oracle: Oracle, record: LogRecord) -> None:
    """Approved by two people, or by one whose daily sum it counts toward."""
    fact, amount = record.fact, record.fact["amount_minor"]
    check(amount, "a booking of nothing", record)
    approval = oracle.settings.bookings.pop(fact["booking"], None)
    if approval is not None:
        check(approval.by != fact["by"], "one alone booked what takes two people", record)
        same = (approval.amount, approval.how) == (amount, fact["kind"])
        check(same, "a booking is not as it was proposed", record)
    else:
        alone = ("booking", _HOUSE, fact["booking"])
        check(
            alone in oracle.settings.single_approval_ids,
            "a booking of one person is not counted",
            record,
        )
    oracle.move(record, {f"world:{fact['channel']}": -amount, _CONTRA[fact["kind"]]: amount})


def _booking_dropped(oracle: Oracle, record: LogRecord) -> None:
    existing = oracle.settings.bookings.pop(record.fact["booking"], None)
    check(existing is not None, "an unknown booking is dropped", record)


RULES: Final[dict[str, Rule]] = {
    "booking-proposed.1": _booking_proposed,
    "booked.1": _booked,
    "booking-dropped.1": _booking_dropped,
}
