"""Voiding a round that cannot be drawn, over HTTP: two managers, and the published proof."""

from typing import Any

import pytest

from engine.runtime.witness.witness_store import FILE
from engine.staff.roles import Role
from tests.api.staffed import by, why
from tests.api.staffing import hire
from tests.api.support import SECOND_US, ApiServer

HALF_AN_HOUR_US = 30 * 60 * SECOND_US


@pytest.fixture
def house(unstaffed: ApiServer) -> ApiServer:
    """A server of its own, because the tests delete data of the witness."""
    for person, role in (("ann", Role.MANAGER), ("ben", Role.MANAGER), ("cho", Role.AUDITOR)):
        unstaffed.passes[person] = hire(unstaffed, person, role)
    return unstaffed


def overdue(house: ApiServer) -> str:
    """Empty the witness's records and let the draw of game 1's round fall due; its issue."""
    opened = house.services.hub.games[1].opened
    assert opened is not None
    (house.engine._keys / "witness" / FILE).unlink()
    tick_at(house, opened.closes_at)
    tick_at(house, opened.draws_at)
    return opened.issue


def tick_at(house: ApiServer, at: int) -> None:
    """Run the due steps once at this time. A round that cannot be drawn stays due."""
    conductor = house.engine.scheduler
    assert conductor is not None
    house.clock.now = max(house.clock.now, at)
    house.on_loop(conductor.tick)
    house.catch_up()


def test_two_managers_void_a_round_that_cannot_be_drawn(house: ApiServer) -> None:
    issue = overdue(house)
    body: dict[str, Any] = {"game_id": 1, "issue": issue, "reason": "the journal is lost"}
    waiting = by(house, "ann", "roundVoid", **body)["data"]
    (row,) = [it for it in waiting if it["issue"] == issue and it["game_id"] == 1]
    number = row["void"]["id"]
    assert (row["void"]["proposed_by"], row["void"]["agreed_by"]) == ("staff:ann", "")
    alone = by(house, "ann", "roundVoidDecision", id=number, approve=True)
    assert why(alone) == ("second_person_needed", "")
    assert by(house, "ben", "roundVoidDecision", id=number, approve=True)["code"] == 1
    tick_at(house, (row["closed_at"] + 1) * SECOND_US + HALF_AN_HOUR_US)
    left = by(house, "cho", "undrawnRounds")["data"]
    assert issue not in [it["issue"] for it in left if it["game_id"] == 1]
    proof = house.call("Lottery/proof", {"game_id": 1, "issue": issue})["data"]
    assert (proof["state"], proof["secrets"], proof["drawn"]) == ("voided", None, None)
    voided = proof["voided"]
    assert (voided["status"], voided["answer"]) == ("unattested", "day_unknown")
    assert voided["reason"] == "the journal is lost"


def test_a_round_whose_draw_is_not_due_is_not_voided(house: ApiServer) -> None:
    issue = house.next_round()
    answer = by(house, "ann", "roundVoid", game_id=1, issue=issue, reason="an incident")
    assert why(answer) == ("round_not_due", "issue")


def test_a_proposal_that_is_none_is_refused(house: ApiServer) -> None:
    answer = by(house, "ann", "roundVoidDecision", id="void-unknown", approve=True)
    assert why(answer) == ("void_unknown", "id")
