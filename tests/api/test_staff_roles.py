"""Which staff role may make which call, over HTTP, without demo mode."""

from typing import Any

import msgspec
import pytest

from api.http.asgi_app import CALLS
from api.http.call_request import Auth, Endpoint, StaffRequest
from engine.staff.roles import Role
from tests.api.staffed import (
    by,
    employed,
    harmless,
    issue_pass,
    machine,
    people,
    proposed,
    staff_call,
    why,
)
from tests.api.staffing import hire
from tests.api.support import ApiServer, new_key
from tests.probing.matrix import MACHINE_MAY, MAY

AUTH_REFUSALS = {"staff_unknown", "pass_revoked", "pass_expired", "role_missing"}


@pytest.fixture(scope="module")
def house(staffed: ApiServer) -> ApiServer:
    return staffed


@pytest.mark.parametrize("call", MAY)
def test_only_staff_with_the_role_make_the_call(house: ApiServer, call: str) -> None:
    """Function-level access (ASVS 8.2.1, 8.3.1)."""
    for role in Role:
        answer = by(house, role, call, **harmless(call))
        if role.value in MAY[call]:
            assert answer.get("reason") not in AUTH_REFUSALS, role
        else:
            assert why(answer) == ("role_missing", ""), role
            assert answer["data"] is None


def test_every_call_of_the_table_exists_and_has_a_role() -> None:
    roles = {call.path.removeprefix("/api/office/"): call.roles for call in CALLS if call.roles}
    assert roles == MAY
    assert {call.path for call in CALLS if call.path.startswith("/api/office/")} == {
        f"/api/office/{name}" for name in roles
    }


@pytest.mark.parametrize(
    ("path", "auth", "roles"),
    [
        ("/api/office/secrets", Auth.STAFF, frozenset()),
        ("/api/office/secrets", Auth.NONE, frozenset()),
        ("/api/office/secrets", Auth.PLAYER, frozenset({Role.MANAGER})),
        ("/api/user/secrets", Auth.STAFF, frozenset({Role.MANAGER})),
    ],
)
def test_a_call_of_the_staff_without_roles_cannot_be_written(
    path: str, auth: Auth, roles: frozenset[Role]
) -> None:
    with pytest.raises(ValueError, match="must name its roles"):
        Endpoint(path, StaffRequest, None, "x", auth=auth, roles=roles)


def test_the_machine_begins_a_house_and_then_does_nothing_more(unstaffed: ApiServer) -> None:
    first = machine(unstaffed, "staffRoles", name="ann", roles=["manager"])
    assert people(first)["ann"] | {"at": 0} == {
        "name": "ann",
        "roles": ["manager"],
        "at": 0,
        "proposed_by": "machine",
        "agreed_by": "",
        "pass_until": 0,
        "pass_fingerprint": "",
        "pass_proposed_by": "",
        "pass_agreed_by": "",
    }
    secret = unstaffed.services.office_secret
    ann = issue_pass(unstaffed, "ann", secret)
    machine(unstaffed, "staffRoles", name="ben", roles=["manager", "cashier"])
    alone = machine(unstaffed, "staffPass", name="ben", fingerprint="0" * 64)
    assert why(alone) == ("second_person_needed", "")
    ben = issue_pass(unstaffed, "ben", ann, secret)
    assert staff_call(unstaffed, "queue", ben)["data"] == []
    waiting = staff_call(unstaffed, "staffPass", ann, name="ann", fingerprint="0" * 64)["data"][
        "passes"
    ]
    assert [(it["name"], it["proposed_by"]) for it in waiting] == [("ann", "staff:ann")]
    late = machine(unstaffed, "staffPass", name="ann", fingerprint="0" * 64)
    assert why(late) == ("second_person_needed", "")

    more = machine(unstaffed, "staffRoles", name="cleo", roles=["manager"])
    assert why(more) == ("second_person_needed", "")
    assert set(people(staff_call(unstaffed, "staff", ann))) == {"ann", "ben"}

    staff_call(unstaffed, "staffRemove", ann, name="ben")
    again = machine(unstaffed, "staffRoles", name="cleo", roles=["manager"])
    assert why(again) == ("second_person_needed", "")


@pytest.mark.parametrize("call", sorted(MAY.keys() - MACHINE_MAY))
def test_outside_a_demo_the_machines_secret_is_no_pass(house: ApiServer, call: str) -> None:
    assert why(machine(house, call, **harmless(call))) == ("role_missing", "")
    assert why(machine(house, call, **harmless(call), staff="ann")) == ("role_missing", "")


def test_the_machine_acts_in_nobodys_name(house: ApiServer) -> None:
    for call in ("staffRoles", "staffPass"):
        body = {"name": "ann", "roles": ["manager"], "fingerprint": "0" * 64}
        answer = machine(house, call, staff="ann", **body)
        assert why(answer) == ("role_missing", "")
    unknown = machine(house, "staffPass", name="unknown", fingerprint="0" * 64)
    assert why(unknown) == ("person_unknown", "name")


def test_roles_take_two_people_and_never_the_one_they_are_for(house: ApiServer) -> None:
    """Proposer and approver differ for roles (ASVS 2.3.5)."""
    number = proposed(house, "dora", "cashier")
    assert why(by(house, "ann", "staffRolesDecision", id=number, approve=True)) == (
        "second_person_needed",
        "",
    )
    agreed = by(house, "ben", "staffRolesDecision", id=number, approve=True)
    dora = people(agreed)["dora"]
    assert (dora["roles"], dora["proposed_by"], dora["agreed_by"]) == (
        *(["cashier"], "staff:ann", "staff:ben"),
    )
    own = proposed(house, "ben", "manager", "cashier")
    assert why(by(house, "ben", "staffRolesDecision", id=own, approve=True)) == (
        "second_person_needed",
        "",
    )
    by(house, "ben", "staffRolesDecision", id=own, approve=False)
    gone = by(house, "ben", "staffRolesDecision", id=own, approve=True)
    assert why(gone) == ("proposal_unknown", "id")


def test_a_change_of_roles_applies_to_the_next_call(house: ApiServer) -> None:
    dan = employed(house, "dan", "cashier")
    assert staff_call(house, "queue", dan)["code"] == 1
    number = proposed(house, "dan", "editor")
    assert staff_call(house, "queue", dan)["code"] == 1
    by(house, "ben", "staffRolesDecision", id=number, approve=True)
    assert why(staff_call(house, "queue", dan)) == ("role_missing", "")


def test_removed_staff_are_out_immediately_and_permanently(house: ApiServer) -> None:
    """Access ends immediately (ASVS 8.3.2)."""
    eve = employed(house, "eve", "cashier", "manager")
    waiting = staff_call(house, "staffRoles", eve, name="fritz", roles=["manager"])
    assert "fritz" in {it["name"] for it in waiting["data"]["proposals"]}
    left = by(house, "ben", "staffRemove", name="eve")
    assert "eve" not in people(left)
    assert "fritz" not in {it["name"] for it in left["data"]["proposals"]}
    assert why(staff_call(house, "queue", eve)) == ("pass_revoked", "")
    assert why(by(house, "ben", "staffRemove", name="eve")) == ("person_unknown", "name")
    fresh = employed(house, "eve", "cashier")
    assert why(staff_call(house, "queue", eve)) == ("pass_revoked", "")
    assert staff_call(house, "queue", fresh)["code"] == 1


def test_the_last_manager_stays(unstaffed: ApiServer) -> None:
    machine(unstaffed, "staffRoles", name="ann", roles=["manager"])
    ann = issue_pass(unstaffed, "ann", unstaffed.services.office_secret)
    assert why(staff_call(unstaffed, "staffRemove", ann, name="ann")) == ("manager_needed", "name")
    lowered = machine(unstaffed, "staffRoles", name="ann", roles=["auditor"])
    assert why(lowered) == ("manager_needed", "roles")


def test_a_pass_acts_in_its_holders_name_only(house: ApiServer) -> None:
    assert by(house, "cashier", "queue", staff="cashier")["code"] == 1
    answer = by(house, "cashier", "queue", staff="ann")
    assert why(answer) == ("staff_unknown", "staff")


def test_what_staff_do_is_recorded_in_the_name_of_their_pass(house: ApiServer) -> None:
    shown = by(house, "manager", "switch", scope="plan-9", closed=True)["data"]["switches"]
    assert [it["by"] for it in shown if it["scope"] == "plan-9"] == ["staff:ann"]


def test_a_pass_opens_no_call_of_players_and_a_token_none_of_the_staff(house: ApiServer) -> None:
    """Staff cannot play (GLI-19 A.2.4)."""
    shown = house.passes["cashier"]
    assert house.call("user/userInfo", {}, token=shown)["reason"] == "token_unknown"
    headers = {"office": shown, "Idempotency-Key": new_key()}
    body = house.order()
    played = house.client.post("/api/Lottery/playOrder", json=body, headers=headers).json()
    assert played["reason"] == "token_unknown"
    player = house.register()
    for headers in ({"office": player.token}, {"token": player.token}, {"token": shown}):
        answer = house.client.post("/api/office/queue", json={}, headers=headers).json()
        assert answer["reason"] == "staff_unknown"


@pytest.mark.parametrize("roles", [[], ["king"], "manager", None])
def test_roles_that_there_are_not_are_refused(house: ApiServer, roles: Any) -> None:
    answer = by(house, "ann", "staffRoles", name="jo", roles=roles)
    assert why(answer) == ("request_malformed", "roles")


def test_changes_of_the_staff_take_a_key_and_are_done_once(house: ApiServer) -> None:
    key = new_key()
    body = {"name": "kim", "roles": ["support"]}
    first = staff_call(house, "staffRoles", house.passes["ann"], key, **body)
    again = staff_call(house, "staffRoles", house.passes["ann"], key, **body)
    assert first["data"]["proposals"] == again["data"]["proposals"]
    headers = {"office": house.passes["ann"]}
    for call in ("staffRoles", "staffRolesDecision", "staffRemove", "staffPass", "staffPassEnd"):
        url, whole = f"/api/office/{call}", {**harmless(call), **body}
        answer = house.client.post(url, json=whole, headers=headers).json()
        assert answer["reason"] == "key_malformed"


def test_in_a_demo_a_pass_identifies_its_owner_and_limits_them_too(unstaffed: ApiServer) -> None:
    token = hire(unstaffed, "ann", Role.AUDITOR)
    demo = msgspec.structs.replace(unstaffed.settings, demo=True)
    msgspec.structs.force_setattr(unstaffed.services, "settings", demo)
    assert why(staff_call(unstaffed, "switch", token, scope="all", closed=True)) == (
        "role_missing",
        "",
    )
    assert machine(unstaffed, "switch", staff="ann", scope="plan-3", closed=True)["code"] == 1
    assert why(machine(unstaffed, "switch", scope="all", closed=True)) == ("staff_unknown", "staff")
