"""The passes of the staff: two people agree to each, so no one can act in a colleague's name."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.answers import Refused
from engine.refusals import Refusal
from engine.staff.passes import (
    LIFETIME_US,
    EndPass,
    IssuePass,
    PassEnded,
    PassIssued,
    PassProposed,
    fingerprint_of,
)
from engine.staff.roles import MACHINE, MANAGERS_NEEDED, Role
from engine.staff.staff import (
    DecideRoles,
    ProposeRoles,
    RemoveStaff,
    RolesSet,
    Staff,
    StaffCommand,
    decide,
    evolve,
)

ANN, BEN, CLEO = "staff:ann", "staff:ben", "staff:cleo"
NOW = 1_800_000_000_000_000
UNTIL = NOW + LIFETIME_US
A, B, C = (fingerprint_of(each) for each in "abc")
ALONE = Refused(Refusal.SECOND_PERSON_NEEDED)
_numbers = itertools.count(1)


def after(staff: Staff, *commands: StaffCommand, now: int = NOW) -> Staff:
    """The staff after these commands, none of which may be refused."""
    for command in commands:
        facts = decide(command, staff, now)
        assert not isinstance(facts, Refused), facts
        for fact in facts:
            staff = evolve(staff, fact)
    return staff


def valid_names(staff: Staff, now: int) -> set[str]:
    """The names of the people whose pass is valid now."""
    return {each.name for each in staff.passes.active.values() if now < each.until}


def by_machine(name: str, *roles: Role) -> ProposeRoles:
    return ProposeRoles(f"p-{next(_numbers)}", name, roles, MACHINE)


def without_passes() -> Staff:
    """Two managers and a cashier without passes."""
    return after(
        Staff(),
        by_machine("cleo", Role.CASHIER),
        by_machine("ann", Role.MANAGER),
        by_machine("ben", Role.MANAGER),
    )


def with_passes() -> Staff:
    """The same staff after both managers got passes, the first one from the machine."""
    return after(
        without_passes(),
        IssuePass("ann", A, MACHINE),
        IssuePass("ben", B, ANN),
        IssuePass("ben", B, MACHINE),
    )


def test_a_pass_is_valid_once_two_managers_have_named_its_fingerprint() -> None:
    house = with_passes()
    assert decide(IssuePass("cleo", C, ANN), house, NOW) == [PassProposed("cleo", C, ANN)]
    proposed = after(house, IssuePass("cleo", C, ANN))
    assert proposed.passes.holder(C, NOW) is Refusal.STAFF_UNKNOWN
    assert decide(IssuePass("cleo", C, ANN), proposed, NOW) == []
    agreed = decide(IssuePass("cleo", C, BEN), proposed, NOW)
    assert agreed == [PassIssued("cleo", C, UNTIL, ANN, BEN)]
    done = after(proposed, IssuePass("cleo", C, BEN))
    assert (done.passes.holder(C, UNTIL - 1), done.passes.proposed) == ("cleo", {})
    assert done.passes.holder(C, UNTIL) is Refusal.PASS_EXPIRED


def test_one_manager_alone_never_issues_a_pass() -> None:
    """With a colleague's pass a manager could agree to their own proposal (ASVS 2.3.5)."""
    house = with_passes()
    for name, fingerprint in itertools.product(("ann", "ben", "cleo"), (C, fingerprint_of("d"))):
        proposed = IssuePass(name, fingerprint, ANN)
        house = after(house, proposed, proposed)
        assert house.passes.holder(fingerprint, NOW) is Refusal.STAFF_UNKNOWN
    assert house.passes.active == with_passes().passes.active


def test_another_fingerprint_replaces_the_pending_one() -> None:
    proposed = after(with_passes(), IssuePass("cleo", C, ANN))
    other = fingerprint_of("other")
    assert decide(IssuePass("cleo", other, BEN), proposed, NOW) == [
        PassProposed("cleo", other, BEN)
    ]
    newer = after(proposed, IssuePass("cleo", other, BEN))
    assert decide(IssuePass("cleo", C, BEN), newer, NOW) == [PassProposed("cleo", C, BEN)]


def test_a_managers_own_pass_needs_another_manager() -> None:
    renewed = after(with_passes(), IssuePass("ann", C, ANN), IssuePass("ann", C, BEN))
    assert renewed.passes.holder(C, NOW) == "ann"
    assert renewed.passes.holder(A, NOW) is Refusal.PASS_REVOKED


def test_the_machine_begins_alone_and_then_is_one_of_two() -> None:
    house = without_passes()
    first = decide(IssuePass("ann", A, MACHINE), house, NOW)
    assert first == [PassIssued("ann", A, UNTIL, MACHINE, "")]
    begun = after(house, IssuePass("ann", A, MACHINE))
    assert decide(IssuePass("ben", B, MACHINE), begun, NOW) == ALONE
    proposed = after(begun, IssuePass("ben", B, ANN))
    assert decide(IssuePass("ben", C, MACHINE), proposed, NOW) == ALONE
    second = decide(IssuePass("ben", B, MACHINE), proposed, NOW)
    assert second == [PassIssued("ben", B, UNTIL, ANN, MACHINE)]


def test_once_two_managers_have_passes_the_machine_is_refused() -> None:
    house = after(with_passes(), IssuePass("cleo", C, ANN))
    assert decide(IssuePass("cleo", C, MACHINE), house, NOW) == ALONE
    assert decide(IssuePass("ann", C, MACHINE), house, NOW) == ALONE


def test_a_house_whose_passes_have_expired_is_helped_by_the_machine() -> None:
    """No player's money is trapped because passes were lost."""
    house = with_passes()
    assert decide(IssuePass("ann", C, MACHINE), house, UNTIL - 1) == ALONE
    helped = decide(IssuePass("ann", C, MACHINE), house, UNTIL)
    assert helped == [PassIssued("ann", C, UNTIL + LIFETIME_US, MACHINE, "")]


@pytest.mark.parametrize("name", ["ann", "ben", "cleo"])
def test_a_fingerprint_is_one_persons_once(name: str) -> None:
    used = Refused(Refusal.FINGERPRINT_USED, "fingerprint")
    house = after(with_passes(), IssuePass("cleo", C, ANN), IssuePass("cleo", C, BEN))
    ended = after(house, EndPass("cleo", ANN))
    for by in (ANN, BEN):
        assert decide(IssuePass(name, C, by), ended, NOW) == used
        again = decide(IssuePass(name, C, by), house, NOW)
        assert again == ([] if name == "cleo" else used)
    assert decide(IssuePass("cleo", C, ANN), house, UNTIL) == used


def test_one_manager_revokes_a_pass_and_its_pending_proposal() -> None:
    house = after(
        with_passes(),
        IssuePass("cleo", C, ANN),
        IssuePass("cleo", C, BEN),
        IssuePass("cleo", fingerprint_of("next"), ANN),
    )
    assert decide(EndPass("cleo", ANN), house, NOW) == [PassEnded("cleo", ANN)]
    ended = after(house, EndPass("cleo", ANN))
    assert ended.passes.holder(C, NOW) is Refusal.PASS_REVOKED
    assert ended.passes.proposed == {}
    assert ended.roles_of("cleo") == {Role.CASHIER}
    assert decide(EndPass("cleo", ANN), ended, NOW) == []


def test_a_pass_is_revoked_with_the_roles_and_needs_some() -> None:
    house = after(with_passes(), IssuePass("cleo", C, ANN), IssuePass("cleo", C, BEN))
    left = after(house, RemoveStaff("cleo", ANN))
    assert left.passes.holder(C, NOW) is Refusal.PASS_REVOKED
    unknown = Refused(Refusal.PERSON_UNKNOWN, "name")
    assert decide(IssuePass("cleo", fingerprint_of("next"), ANN), left, NOW) == unknown
    assert decide(EndPass("cleo", ANN), left, NOW) == unknown


@pytest.mark.parametrize("ending", [EndPass("ann", BEN), RemoveStaff("ann", BEN)])
def test_a_manager_who_ends_a_colleague_does_not_bring_the_machine_back(
    ending: EndPass | RemoveStaff,
) -> None:
    """Otherwise one manager with the machine's secret could issue that colleague a pass alone."""
    house = after(with_passes(), ending)
    for name, fingerprint in (("ann", C), ("cleo", C), ("ben", fingerprint_of("d"))):
        proposed = after(house, IssuePass(name, fingerprint, BEN)) if name in house.roles else house
        issued = decide(IssuePass(name, fingerprint, MACHINE), proposed, UNTIL - 1)
        assert issued in (ALONE, Refused(Refusal.PERSON_UNKNOWN, "name"))
    assert decide(by_machine("dan", Role.MANAGER), house, UNTIL - 1) == ALONE


def test_the_machine_never_agrees_to_roles_that_a_manager_proposed() -> None:
    house = after(with_passes(), ProposeRoles("p", "dan", (Role.MANAGER,), BEN))
    assert decide(DecideRoles("p", True, MACHINE), house, NOW) == ALONE


@pytest.mark.parametrize("ending", [EndPass("ann", BEN), RemoveStaff("ann", BEN)])
def test_the_machine_helps_again_on_the_day_the_ended_pass_would_have_expired(
    ending: EndPass | RemoveStaff,
) -> None:
    house = after(with_passes(), ending)
    assert valid_names(after(house, IssuePass("ben", C, MACHINE), now=UNTIL), UNTIL) == {"ben"}
    alone = after(house, RemoveStaff("ann", BEN)) if "ann" in house.roles else house
    assert after(alone, by_machine("dan", Role.MANAGER), now=UNTIL).managers() == {"ben", "dan"}


def test_a_proposal_of_a_former_manager_does_not_count() -> None:
    house = after(with_passes(), IssuePass("cleo", C, BEN), RemoveStaff("ben", ANN))
    assert decide(IssuePass("cleo", C, ANN), house, NOW) == [PassProposed("cleo", C, ANN)]


_names = st.sampled_from(["ann", "ben", "cleo"])
_actors = st.sampled_from([ANN, BEN, CLEO, MACHINE])
_commands = st.one_of(
    st.builds(IssuePass, _names, st.sampled_from([A, B, C, "d", "e"]), _actors),
    st.builds(EndPass, _names, _actors),
    st.builds(RemoveStaff, _names, _actors),
    st.builds(ProposeRoles, st.just("p"), _names, st.just((Role.MANAGER,)), st.just(MACHINE)),
)


@given(st.lists(st.tuples(_commands, st.integers(0, LIFETIME_US)), max_size=40))
def test_no_sequence_of_commands_issues_a_pass_by_one_person(
    commands: list[tuple[StaffCommand, int]],
) -> None:
    """Two people agree to each pass, or the machine in a house without working managers."""
    staff, now = without_passes(), NOW
    for command, waited in commands:
        now += waited
        facts = decide(command, staff, now)
        for fact in () if isinstance(facts, Refused) else facts:
            before, staff = staff, evolve(staff, fact)
            if isinstance(fact, PassIssued):
                working = before.managers() & valid_names(before, now)
                assert fact.proposed_by != fact.agreed_by
                if not fact.agreed_by:
                    assert fact.proposed_by == MACHINE
                    assert not working or len(before.managers()) < MANAGERS_NEEDED
                if fact.agreed_by == MACHINE:
                    assert len(working) < MANAGERS_NEEDED
                assert staff.passes.holder(fact.fingerprint, now) == fact.name
            names = [each.name for each in staff.passes.active.values()]
            assert len(names) == len(set(names))
            assert set(names) | staff.passes.proposed.keys() <= staff.roles.keys()
            assert not staff.passes.revoked & staff.passes.active.keys()


def _three_managers() -> Staff:
    return after(
        with_passes(),
        ProposeRoles("d", "dan", (Role.MANAGER,), ANN),
        DecideRoles("d", True, BEN),
        IssuePass("dan", fingerprint_of("dan"), ANN),
        IssuePass("dan", fingerprint_of("dan"), BEN),
    )


_bens_names = st.sampled_from(["ann", "ben", "cleo", "dan", "eve"])
_ben_or_machine = st.sampled_from([BEN, MACHINE])
_some_roles = st.sets(st.sampled_from(Role)).map(tuple)
_bens_commands = st.one_of(
    st.builds(IssuePass, _bens_names, st.sampled_from([A, B, C, "d", "e"]), _ben_or_machine),
    st.builds(EndPass, _bens_names, _ben_or_machine),
    st.builds(RemoveStaff, _bens_names, _ben_or_machine),
    st.builds(ProposeRoles, st.sampled_from("pq"), _bens_names, _some_roles, _ben_or_machine),
    st.builds(DecideRoles, st.sampled_from("pq"), st.booleans(), _ben_or_machine),
)


@given(st.sampled_from([with_passes(), _three_managers()]), st.lists(_bens_commands, max_size=40))
def test_one_manager_with_the_machines_secret_issues_no_pass_and_no_roles(
    staff: Staff, commands: list[StaffCommand]
) -> None:
    """One manager with the machine's secret cannot bypass four eyes by any sequence of commands."""
    for command in commands:
        facts = decide(command, staff, UNTIL - 1)
        for fact in () if isinstance(facts, Refused) else facts:
            assert not isinstance(fact, PassIssued | RolesSet)
            staff = evolve(staff, fact)


@given(st.lists(st.tuples(st.one_of(_commands, _bens_commands), st.integers(0, LIFETIME_US))))
def test_every_house_with_a_manager_has_a_way_back_once_its_passes_have_expired(
    commands: list[tuple[StaffCommand, int]],
) -> None:
    staff, now = without_passes(), NOW
    for command, waited in commands:
        now += waited
        facts = decide(command, staff, now)
        for fact in () if isinstance(facts, Refused) else facts:
            staff = evolve(staff, fact)
    now += LIFETIME_US
    manager = min(staff.managers())
    back = after(staff, IssuePass(manager, fingerprint_of("way back"), MACHINE), now=now)
    assert back.passes.holder(fingerprint_of("way back"), now) == manager
