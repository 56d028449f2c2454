"""The staff: who may change roles, who must agree, and that one manager always remains."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.answers import Refused
from engine.refusals import Refusal
from engine.staff.roles import MACHINE, Role, actor_of
from engine.staff.staff import (
    DecideRoles,
    ProposeRoles,
    RemoveStaff,
    RolesProposed,
    RolesRejected,
    RolesSet,
    Staff,
    StaffCommand,
    StaffRemoved,
    decide,
    evolve,
)

ANN, BEN, CLEO = "staff:ann", "staff:ben", "staff:cleo"
MANAGER, CASHIER = (Role.MANAGER,), (Role.CASHIER,)
NOW = 1_800_000_000_000_000
_numbers = itertools.count(1)


def after(staff: Staff, *commands: StaffCommand) -> Staff:
    """The staff after these commands, none of which may be refused."""
    for command in commands:
        facts = decide(command, staff, NOW)
        assert isinstance(facts, list), facts
        for fact in facts:
            staff = evolve(staff, fact)
    return staff


def by_machine(name: str, *roles: Role) -> ProposeRoles:
    return ProposeRoles(f"p-{next(_numbers)}", name, roles, MACHINE)


def two_managers() -> Staff:
    return after(Staff(), by_machine("ann", Role.MANAGER), by_machine("ben", Role.MANAGER))


def test_the_machine_sets_roles_alone_until_there_are_two_managers() -> None:
    first = decide(ProposeRoles("p", "ann", MANAGER, MACHINE), Staff(), NOW)
    assert first == [RolesSet("ann", MANAGER, "p", MACHINE, "")]
    house = two_managers()
    for name in ("ann", "cleo"):
        for role in Role:
            refused = decide(ProposeRoles("p", name, (role,), MACHINE), house, NOW)
            assert refused == Refused(Refusal.SECOND_PERSON_NEEDED)


def test_the_machine_helps_again_when_one_manager_is_left() -> None:
    house = after(two_managers(), RemoveStaff("ben", ANN))
    assert after(house, by_machine("cleo", Role.MANAGER)).managers() == {"ann", "cleo"}


def test_cashiers_alone_do_not_end_the_machines_rights() -> None:
    house = after(Staff(), *(by_machine(name, Role.CASHIER) for name in ("a", "b", "c")))
    assert after(house, by_machine("ann", Role.MANAGER)).managers() == {"ann"}


def test_roles_apply_once_another_person_has_agreed() -> None:
    """Proposer and approver differ for roles (ASVS 2.3.5)."""
    proposed = ProposeRoles("p", "cleo", (Role.SUPPORT, Role.CASHIER), ANN)
    facts = decide(proposed, two_managers(), NOW)
    assert facts == [RolesProposed("p", "cleo", (Role.CASHIER, Role.SUPPORT), ANN)]
    waiting = after(two_managers(), proposed)
    assert waiting.roles_of("cleo") == frozenset()
    agreed = decide(DecideRoles("p", True, BEN), waiting, NOW)
    assert agreed == [RolesSet("cleo", (Role.CASHIER, Role.SUPPORT), "p", ANN, BEN)]
    done = after(waiting, DecideRoles("p", True, BEN))
    assert done.roles_of("cleo") == {Role.CASHIER, Role.SUPPORT}
    assert done.proposals == {}


def test_no_one_person_agrees_to_their_own_proposal_or_roles() -> None:
    house = after(two_managers(), ProposeRoles("p", "cleo", MANAGER, ANN))
    needed = Refused(Refusal.SECOND_PERSON_NEEDED)
    assert decide(DecideRoles("p", True, ANN), house, NOW) == needed
    assert decide(DecideRoles("p", True, CLEO), house, NOW) == needed


def test_taking_a_role_away_takes_two_as_well() -> None:
    house = after(
        two_managers(), ProposeRoles("p", "ben", CASHIER, ANN), ProposeRoles("q", "cleo", (), ANN)
    )
    assert house.managers() == {"ann", "ben"}
    assert decide(DecideRoles("p", True, BEN), house, NOW) == Refused(Refusal.SECOND_PERSON_NEEDED)


def test_any_manager_may_drop_a_proposal_which_then_cannot_be_agreed_to() -> None:
    house = after(two_managers(), ProposeRoles("p", "cleo", CASHIER, ANN))
    assert decide(DecideRoles("p", False, ANN), house, NOW) == [RolesRejected("p", "cleo", ANN)]
    dropped = after(house, DecideRoles("p", False, ANN))
    for approve in (True, False):
        refused = decide(DecideRoles("p", approve, BEN), dropped, NOW)
        assert refused == Refused(Refusal.PROPOSAL_UNKNOWN, "proposal")


def test_a_newer_proposal_for_the_same_person_replaces_the_older_one() -> None:
    """An approver agrees only to the proposal that they have read."""
    house = after(
        two_managers(),
        ProposeRoles("p", "cleo", CASHIER, ANN),
        ProposeRoles("q", "cleo", MANAGER, ANN),
    )
    gone = decide(DecideRoles("p", True, BEN), house, NOW)
    assert gone == Refused(Refusal.PROPOSAL_UNKNOWN, "proposal")
    assert after(house, DecideRoles("q", True, BEN)).managers() == {"ann", "ben", "cleo"}


def test_roles_that_a_person_has_are_not_proposed_again() -> None:
    assert decide(ProposeRoles("p", "ben", MANAGER, ANN), two_managers(), NOW) == []


def test_one_manager_removes_a_person_immediately() -> None:
    house = after(
        two_managers(),
        ProposeRoles("p", "cleo", CASHIER, ANN),
        DecideRoles("p", True, BEN),
        ProposeRoles("q", "cleo", MANAGER, ANN),
    )
    assert decide(RemoveStaff("cleo", BEN), house, NOW) == [StaffRemoved("cleo", BEN)]
    left = after(house, RemoveStaff("cleo", BEN))
    assert (left.roles_of("cleo"), left.proposals) == (frozenset(), {})
    unknown = Refused(Refusal.PERSON_UNKNOWN, "name")
    assert decide(RemoveStaff("cleo", BEN), left, NOW) == unknown


def test_what_a_removed_manager_proposed_waits_no_longer() -> None:
    house = after(
        two_managers(),
        ProposeRoles("p", "cleo", MANAGER, BEN),
        ProposeRoles("q", "dan", CASHIER, ANN),
        RemoveStaff("ben", ANN),
    )
    assert [each.id for each in house.proposals.values()] == ["q"]


@pytest.mark.parametrize("by", [ANN, MACHINE])
def test_the_last_manager_stays(by: str) -> None:
    house = after(Staff(), by_machine("ann", Role.MANAGER), by_machine("ben", Role.CASHIER))
    removed = decide(RemoveStaff("ann", by), house, NOW)
    assert removed == Refused(Refusal.MANAGER_NEEDED, "name")
    changed = decide(ProposeRoles("p", "ann", CASHIER, by), house, NOW)
    assert changed == Refused(Refusal.MANAGER_NEEDED, "roles")


def test_an_agreement_that_comes_too_late_does_not_take_the_last_manager() -> None:
    house = after(
        two_managers(), ProposeRoles("p", "ben", CASHIER, "staff:dan"), RemoveStaff("ann", BEN)
    )
    late = decide(DecideRoles("p", True, CLEO), house, NOW)
    assert late == Refused(Refusal.MANAGER_NEEDED, "roles")


_names = st.sampled_from(["ann", "ben", "cleo"])
_actors = st.sampled_from([ANN, BEN, CLEO, MACHINE])
_roles = st.sets(st.sampled_from(Role)).map(tuple)
_commands = st.one_of(
    st.builds(ProposeRoles, st.sampled_from(["p", "q"]), _names, _roles, _actors),
    st.builds(DecideRoles, st.sampled_from(["p", "q"]), st.booleans(), _actors),
    st.builds(RemoveStaff, _names, _actors),
)


@given(st.lists(_commands, max_size=30))
def test_no_sequence_of_commands_breaks_the_rules(commands: list[StaffCommand]) -> None:
    """Every change of roles needs two people, or the machine and fewer than two managers."""
    staff = Staff()
    for command in commands:
        facts = decide(command, staff, NOW)
        for fact in facts if isinstance(facts, list) else []:
            before, staff = staff, evolve(staff, fact)
            if isinstance(fact, RolesSet):
                alone = fact.proposed_by == MACHINE and len(before.managers()) < 2
                two = fact.agreed_by not in {"", fact.proposed_by, actor_of(fact.name)}
                assert alone or two
            assert staff.managers() or not before.managers()
            assert all(staff.roles.values())
