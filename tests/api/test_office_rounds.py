"""Voiding a round that cannot be drawn, over HTTP: two managers, and the published proof."""

from typing import Any

import pytest

from engine.fairness.canonical import canonical
from engine.fairness.signing import CANCEL, verify
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
    scheduler = house.engine.scheduler
    assert scheduler is not None
    house.clock.now = max(house.clock.now, at)
    house.on_loop(scheduler.tick)
    house.catch_up()


def test_two_managers_void_a_round_that_cannot_be_drawn(house: ApiServer) -> None:
    issue = overdue(house)
    body: dict[str, Any] = {"game_id": 1, "issue": issue, "reason": "the journal is lost"}
    (row,) = waits(house, issue)
    assert (row["waits"], row["waits_reason"]) == ("awaiting_void", "day_unknown")
    assert row["waits_since"] == row["due_at"]
    assert proof(house, issue)["waiting"] == {
        "state": "awaiting_void",
        "since": row["due_at"] * SECOND_US,
    }
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
    shown = proof(house, issue)
    assert (shown["state"], shown["secrets"], shown["drawn"]) == ("voided", None, None)
    assert shown["waiting"] is None
    voided = shown["voided"]
    assert (voided["status"], voided["answer"]) == ("unattested", "day_unknown")
    assert voided["reason"] == "the journal is lost"
    assert voided["late_answer"] is None


def waits(house: ApiServer, issue: str) -> list[dict[str, Any]]:
    """What staff see of an overdue round of game 1."""
    rows = by(house, "cho", "undrawnRounds")["data"]
    return [it for it in rows if it["issue"] == issue and it["game_id"] == 1]


def proof(house: ApiServer, issue: str) -> dict[str, Any]:
    found: dict[str, Any] = house.call("Lottery/proof", {"game_id": 1, "issue": issue})["data"]
    return found


def test_the_segment_after_one_that_the_witness_has_lost_shows_why_it_was_begun(
    house: ApiServer,
) -> None:
    before = house.services.hub.games[1].opened
    issue = overdue(house)
    tick_at(house, house.clock.now + SECOND_US)
    newest = house.services.hub.games[1].opened
    assert before is not None
    assert newest is not None
    assert (issue, newest.day != before.day) == (before.issue, True)
    follows = {"day": before.day, "reasons": ["day_unknown"]}
    assert proof(house, newest.issue)["day"]["follows"] == follows
    days: dict[str, Any] = {"game_id": 1, "day": newest.day}
    assert house.client.get("/api/fair/day", params=days).json()["follows"] == follows


def test_players_and_staff_see_that_a_round_waits_for_its_witness_and_what_it_states_later(
    house: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = house.services.hub.games[1].opened
    assert opened is not None
    issue, witness = opened.issue, house.engine._context.witness

    def unreachable(*_: object) -> tuple[bytes, bytes]:
        raise OSError

    with monkeypatch.context() as away:
        away.setattr(witness, "release", unreachable)
        away.setattr(witness, "cancel", unreachable)
        tick_at(house, opened.closes_at)
        assert proof(house, issue)["waiting"] is None, "its draw is not due"
        tick_at(house, opened.draws_at)
        tick_at(house, opened.draws_at + 5 * SECOND_US)
        waiting = {"state": "awaiting_witness", "since": opened.draws_at}
        assert proof(house, issue)["waiting"] == waiting
        (row,) = waits(house, issue)
        assert (row["waits"], row["waits_reason"]) == ("awaiting_witness", "no_answer")
        body: dict[str, Any] = {"game_id": 1, "issue": issue, "reason": "no witness"}
        (row,) = (
            it
            for it in by(house, "ann", "roundVoid", **body)["data"]
            if it["game_id"] == 1 and it["issue"] == issue
        )
        by(house, "ben", "roundVoidDecision", id=row["void"]["id"], approve=True)
        tick_at(house, opened.closes_at + HALF_AN_HOUR_US)
        voided = proof(house, issue)["voided"]
        assert (voided["status"], voided["late_answer"]) == ("unattested", None)
    named: dict[str, Any] = {"game_id": 1, "issue": issue}
    cached = house.client.get("/api/fair/round", params=named).headers["cache-control"]
    tick_at(house, house.clock.now + 3600 * SECOND_US)
    shown = proof(house, issue)
    late, key = shown["voided"]["late_answer"], shown["day"]["record"]["witness_key"]
    assert (late["statement"], late["answer"]) == ("not_released", "")
    record = canonical({"day": opened.day, "game": "1", "i": opened.index, "v": 1})
    signature = bytes.fromhex(late["witness_signature"])
    assert verify(bytes.fromhex(key), CANCEL, record, signature)
    later = house.client.get("/api/fair/round", params=named).headers["cache-control"]
    assert cached != later, "what may still change is not cached for a day"


def test_a_round_behind_one_that_waits_is_said_to_wait_for_it(
    house: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(*_: object) -> tuple[bytes, bytes]:
        raise OSError

    monkeypatch.setattr(house.engine._context.witness, "release", unreachable)
    waiting = []
    for _ in range(2):
        opened = house.services.hub.games[1].opened
        assert opened is not None
        tick_at(house, opened.closes_at)
        tick_at(house, opened.draws_at)
        waiting.append(proof(house, opened.issue)["waiting"]["state"])
    assert waiting == ["awaiting_witness", "awaiting_earlier_round"]


def test_a_round_whose_draw_is_not_due_is_not_voided(house: ApiServer) -> None:
    issue = house.next_round()
    answer = by(house, "ann", "roundVoid", game_id=1, issue=issue, reason="an incident")
    assert why(answer) == ("round_not_due", "issue")


def test_a_proposal_that_is_none_is_refused(house: ApiServer) -> None:
    answer = by(house, "ann", "roundVoidDecision", id="void-unknown", approve=True)
    assert why(answer) == ("void_unknown", "id")
