"""The simulation's oracle for the staff's money rules: it finds each violated rule."""

from typing import Any

import pytest

from tests.instruments.simulator.live_checks import RULES
from tests.instruments.simulator.oracle import InvariantViolation, LogRecord, Oracle

PLAYER = "player-7"


class OracleLog:
    """An oracle, and the log that it receives fact by fact."""

    def __init__(self) -> None:
        self.oracle = Oracle(RULES)

    def __call__(
        self, topic: str, actor: str = "", /, *, stream: str = PLAYER, **fact: Any
    ) -> None:
        oracle = self.oracle
        position, version = oracle.position + 1, oracle.versions[stream] + 1
        oracle.apply(LogRecord(position, stream, version, oracle.at, "", actor, topic, fact))

    def alone(self, kind: str, request: str, amount_minor: int) -> None:
        """Record that one person approved this for the player."""
        fact = {"kind": kind, "id": request, "player": 7, "amount_minor": amount_minor}
        self("approved-alone.1", stream="desk", by="staff:ann", **fact)


@pytest.fixture
def oracle_log() -> OracleLog:
    """The log of a player with 1,000u, a security code and no turnover due."""
    oracle_log = OracleLog()
    oracle_log("player-registered.1", group=1, bot=False, inviter=None, name_commitment="")
    oracle_log("deposit-approved.1", deposit="d", channel="demo", amount_minor=100_000)
    oracle_log("security-code-set.1", usable_at=0)
    oracle_log.oracle.settings.turnover_due.clear()
    return oracle_log


@pytest.mark.parametrize(("payer", "found"), [("staff:ben", False), ("staff:ann", True)])
def test_a_withdrawal_paid_by_its_approver_is_found(
    oracle_log: OracleLog, payer: str, *, found: bool
) -> None:
    oracle_log("withdrawal-requested.1", withdrawal="w", method=0, account="a", amount_minor=500)
    oracle_log.alone("withdrawal", "w", 500)
    oracle_log("withdrawal-approved.1", "staff:ann", withdrawal="w", by="staff:ann")
    paid: dict[str, Any] = {
        "withdrawal": "w",
        "channel": "bank",
        "account": "a",
        "amount_minor": 500,
    }
    if not found:
        oracle_log("withdrawal-paid.1", payer, **paid)
        return
    with pytest.raises(InvariantViolation, match="the person who approved a withdrawal paid it"):
        oracle_log("withdrawal-paid.1", payer, **paid)


def test_more_than_the_threshold_approved_by_one_person_in_a_day_is_found(
    oracle_log: OracleLog,
) -> None:
    oracle_log.alone("deposit", "d-1", 300_000)
    oracle_log.alone("deposit", "d-2", 200_000)
    with pytest.raises(InvariantViolation, match="one alone approved too much in a day"):
        oracle_log.alone("deposit", "d-3", 1)


def test_a_deposit_missing_from_the_days_sum_is_found(oracle_log: OracleLog) -> None:
    fact: dict[str, Any] = {"channel": "bank", "amount_minor": 500}
    oracle_log.alone("deposit", "d-1", 500)
    oracle_log("deposit-approved.1", "staff:ann", deposit="d-1", **fact)
    with pytest.raises(InvariantViolation, match="a deposit that one entered is not counted"):
        oracle_log("deposit-approved.1", "staff:ann", deposit="d-2", **fact)


def test_a_reference_that_was_credited_twice_is_found(oracle_log: OracleLog) -> None:
    about: dict[str, Any] = {"channel": "bank", "player": 7, "by": "staff:ann"}
    oracle_log("reference-credited.1", stream="reference-x", reference="x", deposit="d-1", **about)
    oracle_log("reference-credited.1", stream="reference-y", reference="y", deposit="d-2", **about)
    with pytest.raises(InvariantViolation, match="a reference was credited twice"):
        oracle_log(
            "reference-credited.1", stream="reference-x", reference="x", deposit="d-3", **about
        )
