"""Staff passes over HTTP: how they are issued, what they permit, when they end."""

from pathlib import Path

import pytest

from engine.runtime.postgres.embedded_postgres import Conninfos
from engine.staff.passes import LIFETIME_US, fingerprint_of
from engine.staff.roles import Role
from tests.api.conftest import opened
from tests.api.staffed import by, employed, issue_pass, machine, people, proposed, staff_call, why
from tests.api.staffing import hire
from tests.api.support import SECOND_US, ApiServer


@pytest.fixture(scope="module")
def house(staffed: ApiServer) -> ApiServer:
    return staffed


def test_a_house_whose_managers_have_no_pass_left_is_helped_by_the_machine(
    unstaffed: ApiServer,
) -> None:
    """Losing all passes must not block players' money."""
    for name in ("ann", "ben"):
        machine(unstaffed, "staffRoles", name=name, roles=["manager"])
    secret = unstaffed.services.office_secret
    old = issue_pass(unstaffed, "ann", secret)
    alone = machine(unstaffed, "staffPass", name="ann", fingerprint="0" * 64)
    assert why(alone) == ("second_person_needed", "")
    unstaffed.clock.now += LIFETIME_US - SECOND_US
    assert staff_call(unstaffed, "staff", old)["code"] == 1
    unstaffed.clock.now += SECOND_US
    assert why(staff_call(unstaffed, "staff", old)) == ("pass_expired", "")
    shown = staff_call(unstaffed, "staff", issue_pass(unstaffed, "ann", secret))
    assert people(shown)["ann"]["pass_until"] == (unstaffed.clock.now + LIFETIME_US) // SECOND_US


def test_a_new_pass_ends_the_old_one_and_a_pass_can_be_ended(house: ApiServer) -> None:
    old = employed(house, "hal", "auditor")
    new = issue_pass(house, "hal", house.passes["ben"], house.passes["ann"])
    assert why(staff_call(house, "queue", old)) == ("pass_revoked", "")
    hal = people(staff_call(house, "staff", new))["hal"]
    assert {name: it for name, it in hal.items() if name.startswith("pass_")} == {
        "pass_until": (house.clock.now + LIFETIME_US) // SECOND_US,
        "pass_fingerprint": fingerprint_of(new),
        "pass_proposed_by": "staff:ben",
        "pass_agreed_by": "staff:ann",
    }
    for _ in range(2):
        ended = by(house, "ann", "staffPassEnd", name="hal")
        assert people(ended)["hal"]["pass_until"] == 0
    assert why(staff_call(house, "queue", new)) == ("pass_revoked", "")
    assert why(by(house, "ann", "staffPassEnd", name="unknown")) == ("person_unknown", "name")


def test_a_manager_who_hires_a_colleague_cannot_act_in_their_name(house: ApiServer) -> None:
    """One person with two names would pass every check that needs two people."""
    employed(house, "leo", "manager")
    forged = issue_pass(house, "leo", house.passes["ann"], house.passes["ann"])
    number = proposed(house, "mia", "cashier")
    agreed = staff_call(house, "staffRolesDecision", forged, id=number, approve=True)
    assert why(agreed) == ("staff_unknown", "")
    again = staff_call(house, "staffPass", forged, name="leo", fingerprint=fingerprint_of(forged))
    assert why(again) == ("staff_unknown", "")


def test_a_pass_needs_a_person_with_roles_and_an_exact_name(house: ApiServer) -> None:
    right = fingerprint_of("a pass")
    for name, fingerprint, reason, field in (
        ("unknown", right, "person_unknown", "name"),
        ("No One", right, "request_malformed", "name"),
        ("ann", right[1:], "request_malformed", "fingerprint"),
        ("ann", right.upper(), "request_malformed", "fingerprint"),
        ("ann", fingerprint_of(house.passes["ben"]), "fingerprint_used", "fingerprint"),
    ):
        answer = by(house, "ann", "staffPass", name=name, fingerprint=fingerprint)
        assert why(answer) == (reason, field)


def test_a_pass_is_known_to_its_holder_alone(house: ApiServer) -> None:
    """Tokens are stored hashed (ASVS 7.2.3)."""
    token = employed(house, "ida", "auditor")
    assert token not in str(by(house, "ann", "staff"))
    with house.services.pool.connection() as connection:
        kept = connection.execute("SELECT state FROM log.facts").fetchall()
    assert fingerprint_of(token) in str(kept)
    assert token not in str(kept)


def test_staff_and_their_passes_outlive_a_restart(database: Conninfos, tmp_path: Path) -> None:
    with opened(database, tmp_path) as first:
        token = hire(first, "ann", Role.MANAGER)
        first.catch_up()
        before = staff_call(first, "staff", token)["data"]
    with opened(database, tmp_path) as second:
        assert staff_call(second, "staff", token)["data"] == before
