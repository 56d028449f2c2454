"""Who of the staff may do what, over HTTP, in a house that is no demo."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from api.calls import Asked, Auth, Call, StaffAsking
from api.envelope import Done
from api.web import CALLS
from engine.house.roles import Role
from engine.runtime.postgres import EmbeddedPostgres
from engine.runtime.staff_passes import LIFETIME_US
from tests.api.conftest import free_port
from tests.api.staffing import hire
from tests.api.support import SECOND_US, House, new_key

#: Which roles may make which call, written by hand from what each role is for.
MAY = {
    "queue": "cashier manager auditor",
    "payoutDetails": "cashier",
    "deposit": "cashier",
    "depositDecision": "cashier",
    "withdrawalDecision": "cashier",
    "withdrawalPayment": "cashier",
    "gift": "cashier manager",
    "adjustment": "cashier manager",
    "adjustmentDecision": "manager",
    "settings": "cashier support editor manager auditor",
    "switch": "manager",
    "terms": "manager",
    "receivingAccounts": "manager",
    "memberSwitch": "support manager",
    "securityCodeLift": "support manager",
    "chat": "support manager auditor",
    "chatRemove": "support manager",
    "mute": "support manager",
    "program": "manager auditor",
    "staff": "manager auditor",
    "staffRoles": "manager",
    "staffRolesDecision": "manager",
    "staffRemove": "manager",
    "staffPass": "manager",
    "staffPassEnd": "manager",
}
#: About nobody and nothing, so that whoever may make the call changes nothing.
NOTHING: dict[str, Any] = {
    "player": 1,
    "amount": 1,
    "channel": "bank",
    "reference": "x",
    "reason": "x",
    "id": "x",
    "approve": True,
    "scope": "moon",
    "closed": True,
    "muted": True,
    "name": "nobody",
}
AT_THE_DOOR = {"staff_unknown", "pass_revoked", "pass_expired", "role_missing"}


def opened(postgres: EmbeddedPostgres, name: str, data: Path) -> House:
    postgres.create_database(name)
    served = House(postgres.conninfos(name), data, free_port())
    served.settings = msgspec.structs.replace(served.settings, demo=False)
    return served


@pytest.fixture(scope="module")
def house(postgres: EmbeddedPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One with two managers, ann and ben, and one person for each other role."""
    name = f"staff_{os.getpid()}"
    with opened(postgres, name, tmp_path_factory.mktemp("staff")) as served:
        for person, role in (("ann", Role.MANAGER), ("ben", Role.MANAGER)):
            served.passes[person] = hire(served, person, role)
        for role in Role:
            person = "ann" if role is Role.MANAGER else role.value
            served.passes[role] = served.passes.get(person) or hire(served, person, role)
        yield served
    postgres.drop_database(name)


@pytest.fixture
def empty(postgres: EmbeddedPostgres, tmp_path: Path) -> Iterator[House]:
    """A house without any staff."""
    name = f"unstaffed_{os.getpid()}"
    with opened(postgres, name, tmp_path) as served:
        yield served
    postgres.drop_database(name)


def ask(house: House, call: str, shown: str, key: str | None = None, **body: Any) -> dict[str, Any]:
    """The envelope that answers whoever shows this at the door."""
    headers = {"office": shown, "Idempotency-Key": key or new_key()}
    answer = house.client.post(f"/api/office/{call}", json=body, headers=headers)
    found: dict[str, Any] = answer.json()
    return found


def by(house: House, who: str, call: str, **body: Any) -> dict[str, Any]:
    return ask(house, call, house.passes[who], **body)


def machine(house: House, call: str, **body: Any) -> dict[str, Any]:
    return ask(house, call, house.services.office_secret, **body)


def why(answer: dict[str, Any]) -> tuple[str, str]:
    return answer["reason"], answer.get("field", "")


def proposed(house: House, name: str, *roles: str, who: str = "ann") -> str:
    """The id of a proposal that waits."""
    answer = by(house, who, "staffRoles", name=name, roles=roles)
    (number,) = [it["id"] for it in answer["data"]["proposals"] if it["name"] == name]
    assert isinstance(number, str)
    return number


def employed(house: House, name: str, *roles: str) -> str:
    """The new pass of somebody to whom two managers gave these roles."""
    number = proposed(house, name, *roles)
    assert by(house, "ben", "staffRolesDecision", id=number, approve=True)["code"] == 1
    token: str = by(house, "ann", "staffPass", name=name)["data"]["token"]
    return token


def people(answer: dict[str, Any]) -> dict[str, Any]:
    return {person["name"]: person for person in answer["data"]["people"]}


@pytest.mark.parametrize("call", MAY)
def test_only_whoever_has_the_role_makes_the_call(house: House, call: str) -> None:
    """Function-level access (ASVS 8.2.1, 8.3.1)."""
    for role in Role:
        answer = by(house, role, call, **NOTHING, roles=["editor"] if call == "staffRoles" else [])
        if role.value in MAY[call].split():
            assert answer.get("reason") not in AT_THE_DOOR, role
        else:
            assert why(answer) == ("role_missing", ""), role
            assert answer["data"] is None


def test_every_call_of_the_table_is_there_and_no_call_is_for_nobody() -> None:
    roles = {call.path.removeprefix("/api/office/"): call.roles for call in CALLS if call.roles}
    assert MAY.keys() <= roles.keys()
    assert {call.path for call in CALLS if call.path.startswith("/api/office/")} == {
        f"/api/office/{name}" for name in roles
    }


async def nothing(_: Asked[StaffAsking]) -> Done:
    return Done(None)


@pytest.mark.parametrize(
    ("path", "auth", "roles"),
    [
        ("/api/office/secrets", Auth.STAFF, frozenset()),
        ("/api/office/secrets", Auth.NOBODY, frozenset()),
        ("/api/office/secrets", Auth.PLAYER, frozenset({Role.MANAGER})),
        ("/api/user/secrets", Auth.STAFF, frozenset({Role.MANAGER})),
    ],
)
def test_a_call_of_the_staff_without_roles_cannot_be_written(
    path: str, auth: Auth, roles: frozenset[Role]
) -> None:
    with pytest.raises(ValueError, match="must name its roles"):
        Call(path, StaffAsking, None, nothing, "x", auth=auth, roles=roles)


def test_the_machine_begins_a_house_and_then_does_nothing_more(empty: House) -> None:
    first = machine(empty, "staffRoles", name="ann", roles=["manager"])
    assert people(first)["ann"] | {"at": 0} == {
        "name": "ann",
        "roles": ["manager"],
        "at": 0,
        "proposed_by": "machine",
        "agreed_by": "",
        "pass_until": 0,
        "pass_by": "",
    }
    ann = machine(empty, "staffPass", name="ann")["data"]["token"]
    machine(empty, "staffRoles", name="ben", roles=["manager", "cashier"])
    assert why(machine(empty, "staffPass", name="ben")) == ("role_missing", "")
    ben = ask(empty, "staffPass", ann, name="ben")["data"]["token"]
    assert ask(empty, "queue", ben)["data"] == []

    more = machine(empty, "staffRoles", name="cleo", roles=["manager"])
    assert why(more) == ("second_person_needed", "")
    assert set(people(ask(empty, "staff", ann))) == {"ann", "ben"}

    ask(empty, "staffRemove", ann, name="ben")
    again = machine(empty, "staffRoles", name="cleo", roles=["manager"])
    assert set(people(again)) == {"ann", "cleo"}


def test_a_house_whose_managers_have_no_pass_left_is_helped_by_the_machine(empty: House) -> None:
    """Nobody's money is trapped because passes were lost."""
    for name in ("ann", "ben"):
        machine(empty, "staffRoles", name=name, roles=["manager"])
    old = machine(empty, "staffPass", name="ann")["data"]["token"]
    assert why(machine(empty, "staffPass", name="ann")) == ("role_missing", "")
    empty.clock.now += LIFETIME_US - SECOND_US
    assert ask(empty, "staff", old)["code"] == 1
    empty.clock.now += SECOND_US
    assert why(ask(empty, "staff", old)) == ("pass_expired", "")
    new = machine(empty, "staffPass", name="ann")["data"]
    assert new["until"] == (empty.clock.now + LIFETIME_US) // SECOND_US
    assert ask(empty, "staff", new["token"])["code"] == 1


@pytest.mark.parametrize("call", sorted(MAY.keys() - {"staffRoles", "staffPass"}))
def test_outside_a_demo_the_machines_secret_is_no_pass(house: House, call: str) -> None:
    assert why(machine(house, call, **NOTHING)) == ("role_missing", "")
    assert why(machine(house, call, **NOTHING, staff="ann")) == ("role_missing", "")


def test_the_machine_acts_in_nobodys_name(house: House) -> None:
    for call in ("staffRoles", "staffPass"):
        answer = machine(house, call, staff="ann", name="ann", roles=["manager"])
        assert why(answer) == ("role_missing", "")
    unknown = machine(house, "staffPass", name="nobody")
    assert why(unknown) == ("person_unknown", "name")


def test_roles_take_two_people_and_never_the_one_they_are_for(house: House) -> None:
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


def test_a_change_of_roles_holds_with_the_next_call(house: House) -> None:
    dan = employed(house, "dan", "cashier")
    assert ask(house, "queue", dan)["code"] == 1
    number = proposed(house, "dan", "editor")
    assert ask(house, "queue", dan)["code"] == 1
    by(house, "ben", "staffRolesDecision", id=number, approve=True)
    assert why(ask(house, "queue", dan)) == ("role_missing", "")


def test_whoever_is_removed_is_out_at_once_and_for_good(house: House) -> None:
    """Access ends at once (ASVS 8.3.2)."""
    eve = employed(house, "eve", "cashier", "manager")
    waiting = ask(house, "staffRoles", eve, name="fritz", roles=["manager"])
    assert "fritz" in {it["name"] for it in waiting["data"]["proposals"]}
    left = by(house, "ben", "staffRemove", name="eve")
    assert "eve" not in people(left)
    assert "fritz" not in {it["name"] for it in left["data"]["proposals"]}
    assert why(ask(house, "queue", eve)) == ("pass_revoked", "")
    assert why(by(house, "ben", "staffRemove", name="eve")) == ("person_unknown", "name")
    fresh = employed(house, "eve", "cashier")
    assert why(ask(house, "queue", eve)) == ("pass_revoked", "")
    assert ask(house, "queue", fresh)["code"] == 1


def test_a_pass_that_a_cut_off_removal_left_behind_serves_no_more(house: House) -> None:
    gus = employed(house, "gus", "cashier")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(house.services.passes, "end", lambda _: True)
        by(house, "ann", "staffRemove", name="gus")
    assert why(ask(house, "queue", gus)) == ("staff_unknown", "")
    number = proposed(house, "gus", "cashier")
    by(house, "ben", "staffRolesDecision", id=number, approve=True)
    assert why(ask(house, "queue", gus)) == ("pass_revoked", "")


def test_the_last_manager_stays(empty: House) -> None:
    machine(empty, "staffRoles", name="ann", roles=["manager"])
    ann = machine(empty, "staffPass", name="ann")["data"]["token"]
    assert why(ask(empty, "staffRemove", ann, name="ann")) == ("manager_needed", "name")
    lowered = machine(empty, "staffRoles", name="ann", roles=["auditor"])
    assert why(lowered) == ("manager_needed", "roles")


def test_a_new_pass_ends_the_old_one_and_a_pass_can_be_ended(house: House) -> None:
    old = employed(house, "hal", "auditor")
    new = by(house, "ben", "staffPass", name="hal")["data"]["token"]
    assert why(ask(house, "queue", old)) == ("pass_revoked", "")
    hal = people(ask(house, "staff", new))["hal"]
    until = (house.clock.now + LIFETIME_US) // SECOND_US
    assert (hal["pass_until"], hal["pass_by"]) == (until, "staff:ben")
    assert people(by(house, "ann", "staffPassEnd", name="hal"))["hal"]["pass_until"] == 0
    assert why(ask(house, "queue", new)) == ("pass_revoked", "")
    assert why(by(house, "ann", "staffPassEnd", name="hal")) == ("person_unknown", "name")


def test_passes_are_for_others_who_have_roles(house: House) -> None:
    assert why(by(house, "ann", "staffPass", name="ann")) == ("second_person_needed", "name")
    assert why(by(house, "ann", "staffPass", name="nobody")) == ("person_unknown", "name")
    assert why(by(house, "ann", "staffPass", name="No One")) == ("request_malformed", "name")


def test_a_pass_is_never_shown_again_and_not_in_the_database(house: House) -> None:
    """Tokens are stored hashed (ASVS 7.2.3)."""
    token = employed(house, "ida", "auditor")
    assert token not in str(by(house, "ann", "staff"))
    with house.services.pool.connection() as connection:
        kept = connection.execute("SELECT * FROM vault.staff_passes").fetchall()
    assert "ida" in str(kept)
    assert token not in str(kept)


def test_a_pass_says_in_whose_name_and_nobody_elses(house: House) -> None:
    assert by(house, "cashier", "queue", staff="cashier")["code"] == 1
    answer = by(house, "cashier", "queue", staff="ann")
    assert why(answer) == ("staff_unknown", "staff")


def test_what_staff_do_is_recorded_in_the_name_of_their_pass(house: House) -> None:
    shown = by(house, "manager", "switch", scope="plan-9", closed=True)["data"]["switches"]
    assert [it["by"] for it in shown if it["scope"] == "plan-9"] == ["staff:ann"]


def test_a_pass_opens_no_call_of_players_and_a_token_none_of_the_staff(house: House) -> None:
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
def test_roles_that_there_are_not_are_refused(house: House, roles: Any) -> None:
    answer = by(house, "ann", "staffRoles", name="jo", roles=roles)
    assert why(answer) == ("request_malformed", "roles")


def test_changes_of_the_staff_take_a_key_and_are_done_once(house: House) -> None:
    key = new_key()
    body = {"name": "kim", "roles": ["support"]}
    first = ask(house, "staffRoles", house.passes["ann"], key, **body)
    again = ask(house, "staffRoles", house.passes["ann"], key, **body)
    assert first["data"]["proposals"] == again["data"]["proposals"]
    headers = {"office": house.passes["ann"]}
    for call in ("staffRoles", "staffRolesDecision", "staffRemove"):
        url, given = f"/api/office/{call}", {**body, "id": "x", "approve": True}
        answer = house.client.post(url, json=given, headers=headers).json()
        assert answer["reason"] == "key_malformed"


def test_staff_and_their_passes_outlive_a_restart(
    postgres: EmbeddedPostgres, tmp_path: Path
) -> None:
    name = f"restaffed_{os.getpid()}"
    with opened(postgres, name, tmp_path) as first:
        token = hire(first, "ann", Role.MANAGER)
        first.catch_up()
        before = ask(first, "staff", token)["data"]
    second = House(postgres.conninfos(name), tmp_path, free_port())
    second.settings = msgspec.structs.replace(second.settings, demo=False)
    with second:
        assert ask(second, "staff", token)["data"] == before
    postgres.drop_database(name)


def test_in_a_demo_a_pass_says_who_asks_and_limits_them_too(empty: House) -> None:
    token = hire(empty, "ann", Role.AUDITOR)
    demo = msgspec.structs.replace(empty.settings, demo=True)
    msgspec.structs.force_setattr(empty.services, "settings", demo)
    assert why(ask(empty, "switch", token, scope="all", closed=True)) == ("role_missing", "")
    assert machine(empty, "switch", staff="ann", scope="plan-3", closed=True)["code"] == 1
    assert why(machine(empty, "switch", scope="all", closed=True)) == ("staff_unknown", "staff")
