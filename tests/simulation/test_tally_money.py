"""The simulation's own account of the staff's money rules: it finds each rule broken."""

from typing import Any

import pytest

from scripts.simulation.audit import RULES
from scripts.simulation.tally import InvariantViolation, LogRecord, Oracle

PLAYER = "player-7"


class OracleLog:
    """A tally and the log that it is told, one fact after the other."""

    def __init__(self) -> None:
        self.oracle = Oracle(RULES)

    def __call__(
        self, topic: str, actor: str = "", /, *, stream: str = PLAYER, **fact: Any
    ) -> None:
        tally = self.oracle
        position, version = tally.position + 1, tally.versions[stream] + 1
        tally.apply(LogRecord(position, stream, version, tally.at, "", actor, topic, fact))

    def alone(self, kind: str, request: str, amount_minor: int) -> None:
        """One person has approved this for the member."""
        fact = {"kind": kind, "id": request, "player": 7, "amount_minor": amount_minor}
        self("approved-alone.1", stream="desk", by="staff:ann", **fact)


@pytest.fixture
def told() -> OracleLog:
    """A member with 1,000u and a security code, of whom nothing is due."""
    told = OracleLog()
    told("player-registered.1", group=1, bot=False, inviter=None, name_commitment="")
    told("deposit-approved.1", deposit="d", channel="demo", amount_minor=100_000)
    told("security-code-set.1", usable_at=0)
    told.oracle.settings.turnover_due.clear()
    return told


@pytest.mark.parametrize(("payer", "found"), [("staff:ben", False), ("staff:ann", True)])
def test_a_withdrawal_paid_by_who_approved_it_is_found(
    told: OracleLog, payer: str, *, found: bool
) -> None:
    told("withdrawal-requested.1", withdrawal="w", method=0, account="a", amount_minor=500)
    told.alone("withdrawal", "w", 500)
    told("withdrawal-approved.1", "staff:ann", withdrawal="w", by="staff:ann")
    paid: dict[str, Any] = {
        "withdrawal": "w",
        "channel": "bank",
        "account": "a",
        "amount_minor": 500,
    }
    if not found:
        told("withdrawal-paid.1", payer, **paid)
        return
    with pytest.raises(InvariantViolation, match="the person who approved a withdrawal paid it"):
        told("withdrawal-paid.1", payer, **paid)


def test_more_than_the_threshold_approved_by_one_person_in_a_day_is_found(told: OracleLog) -> None:
    told.alone("deposit", "d-1", 300_000)
    told.alone("deposit", "d-2", 200_000)
    with pytest.raises(InvariantViolation, match="one alone approved too much in a day"):
        told.alone("deposit", "d-3", 1)


def test_a_deposit_that_is_left_out_of_the_days_sum_is_found(told: OracleLog) -> None:
    fact: dict[str, Any] = {"channel": "bank", "amount_minor": 500}
    told.alone("deposit", "d-1", 500)
    told("deposit-approved.1", "staff:ann", deposit="d-1", **fact)
    with pytest.raises(InvariantViolation, match="a deposit that one entered is not counted"):
        told("deposit-approved.1", "staff:ann", deposit="d-2", **fact)


def test_a_reference_that_was_credited_twice_is_found(told: OracleLog) -> None:
    about: dict[str, Any] = {"channel": "bank", "player": 7, "by": "staff:ann"}
    told("reference-credited.1", stream="reference-x", reference="x", deposit="d-1", **about)
    told("reference-credited.1", stream="reference-y", reference="y", deposit="d-2", **about)
    with pytest.raises(InvariantViolation, match="a reference was credited twice"):
        told("reference-credited.1", stream="reference-x", reference="x", deposit="d-3", **about)
