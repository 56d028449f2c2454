"""The passes of the staff: two people behind each, and nobody who acts in a colleague's name."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.answers import Refused
from engine.house.commands import EndPass, IssuePass, ProposeRoles, RemoveStaff, StaffCommand
from engine.house.facts import PassEnded, PassIssued, PassProposed
from engine.house.passes import LIFETIME_US, fingerprint_of
from engine.house.roles import MACHINE, MANAGERS_NEEDED, Role
from engine.house.staff import Staff, decide, evolve
from engine.refusals import Refusal

ANN, BEN, CLEO = "staff:ann", "staff:ben", "staff:cleo"
NOW = 1_800_000_000_000_000
UNTIL = NOW + LIFETIME_US
A, B, C = (fingerprint_of(each) for each in "abc")
ALONE = Refused(Refusal.SECOND_PERSON_NEEDED)
_numbers = itertools.count(1)


def after(staff: Staff, *commands: StaffCommand, now: int = NOW) -> Staff:
    """The staff once these were done, none of which may be refused."""
    for command in commands:
        facts = decide(command, staff, now)
        assert not isinstance(facts, Refused), facts
        for fact in facts:
            staff = evolve(staff, fact)
    return staff


def by_machine(name: str, *roles: Role) -> ProposeRoles:
    return ProposeRoles(f"p-{next(_numbers)}", name, roles, MACHINE)


def hired() -> Staff:
    """Two managers and a cashier, none of whom has a pass."""
    return after(
        Staff(),
        by_machine("cleo", Role.CASHIER),
        by_machine("ann", Role.MANAGER),
        by_machine("ben", Role.MANAGER),
    )


def at_work() -> Staff:
    """The same once the managers have passes: the machine began with ann's."""
    return after(
        hired(),
        IssuePass("ann", A, MACHINE),
        IssuePass("ben", B, ANN),
        IssuePass("ben", B, MACHINE),
    )


def test_a_pass_is_good_once_two_managers_have_said_its_fingerprint() -> None:
    house = at_work()
    assert decide(IssuePass("cleo", C, ANN), house, NOW) == [PassProposed("cleo", C, ANN)]
    said = after(house, IssuePass("cleo", C, ANN))
    assert said.passes.holder(C, NOW) is Refusal.STAFF_UNKNOWN
    assert decide(IssuePass("cleo", C, ANN), said, NOW) == []
    agreed = decide(IssuePass("cleo", C, BEN), said, NOW)
    assert agreed == [PassIssued("cleo", C, UNTIL, ANN, BEN)]
    done = after(said, IssuePass("cleo", C, BEN))
    assert (done.passes.holder(C, UNTIL - 1), done.passes.said) == ("cleo", {})
    assert done.passes.holder(C, UNTIL) is Refusal.PASS_EXPIRED


def test_one_manager_gives_nobody_a_pass_whatever_they_say() -> None:
    """Whoever held a colleague's pass could agree to what they proposed (ASVS 2.3.5)."""
    house = at_work()
    for name, fingerprint in itertools.product(("ann", "ben", "cleo"), (C, fingerprint_of("d"))):
        said = IssuePass(name, fingerprint, ANN)
        house = after(house, said, said)
        assert house.passes.holder(fingerprint, NOW) is Refusal.STAFF_UNKNOWN
    assert house.passes.held == at_work().passes.held


def test_another_fingerprint_takes_the_place_of_the_one_that_waits() -> None:
    said = after(at_work(), IssuePass("cleo", C, ANN))
    other = fingerprint_of("other")
    assert decide(IssuePass("cleo", other, BEN), said, NOW) == [PassProposed("cleo", other, BEN)]
    newer = after(said, IssuePass("cleo", other, BEN))
    assert decide(IssuePass("cleo", C, BEN), newer, NOW) == [PassProposed("cleo", C, BEN)]


def test_a_managers_own_pass_takes_another_manager_and_theirs_may_be_one_of_the_two() -> None:
    renewed = after(at_work(), IssuePass("ann", C, ANN), IssuePass("ann", C, BEN))
    assert renewed.passes.holder(C, NOW) == "ann"
    assert renewed.passes.holder(A, NOW) is Refusal.PASS_REVOKED


def test_the_machine_begins_alone_and_then_is_one_of_two() -> None:
    house = hired()
    first = decide(IssuePass("ann", A, MACHINE), house, NOW)
    assert first == [PassIssued("ann", A, UNTIL, MACHINE, "")]
    begun = after(house, IssuePass("ann", A, MACHINE))
    assert decide(IssuePass("ben", B, MACHINE), begun, NOW) == ALONE
    said = after(begun, IssuePass("ben", B, ANN))
    assert decide(IssuePass("ben", C, MACHINE), said, NOW) == ALONE
    second = decide(IssuePass("ben", B, MACHINE), said, NOW)
    assert second == [PassIssued("ben", B, UNTIL, ANN, MACHINE)]


def test_once_two_managers_have_passes_the_machine_has_no_word() -> None:
    house = after(at_work(), IssuePass("cleo", C, ANN))
    assert decide(IssuePass("cleo", C, MACHINE), house, NOW) == ALONE
    assert decide(IssuePass("ann", C, MACHINE), house, NOW) == ALONE


def test_a_house_whose_passes_have_expired_is_helped_by_the_machine() -> None:
    """Nobody's money is trapped because passes were lost."""
    house = at_work()
    assert decide(IssuePass("ann", C, MACHINE), house, UNTIL - 1) == ALONE
    helped = decide(IssuePass("ann", C, MACHINE), house, UNTIL)
    assert helped == [PassIssued("ann", C, UNTIL + LIFETIME_US, MACHINE, "")]


@pytest.mark.parametrize("name", ["ann", "ben", "cleo"])
def test_a_fingerprint_is_one_persons_once(name: str) -> None:
    used = Refused(Refusal.FINGERPRINT_USED, "fingerprint")
    house = after(at_work(), IssuePass("cleo", C, ANN), IssuePass("cleo", C, BEN))
    ended = after(house, EndPass("cleo", ANN))
    for by in (ANN, BEN):
        assert decide(IssuePass(name, C, by), ended, NOW) == used
        again = decide(IssuePass(name, C, by), house, NOW)
        assert again == ([] if name == "cleo" else used)
    assert decide(IssuePass("cleo", C, ANN), house, UNTIL) == used


def test_a_pass_is_ended_by_one_manager_and_what_was_said_goes_with_it() -> None:
    house = after(
        at_work(),
        IssuePass("cleo", C, ANN),
        IssuePass("cleo", C, BEN),
        IssuePass("cleo", fingerprint_of("next"), ANN),
    )
    assert decide(EndPass("cleo", ANN), house, NOW) == [PassEnded("cleo", ANN)]
    ended = after(house, EndPass("cleo", ANN))
    assert ended.passes.holder(C, NOW) is Refusal.PASS_REVOKED
    assert ended.passes.said == {}
    assert ended.roles_of("cleo") == {Role.CASHIER}
    assert decide(EndPass("cleo", ANN), ended, NOW) == []


def test_a_pass_goes_with_the_roles_and_is_for_people_who_have_some() -> None:
    house = after(at_work(), IssuePass("cleo", C, ANN), IssuePass("cleo", C, BEN))
    left = after(house, RemoveStaff("cleo", ANN))
    assert left.passes.holder(C, NOW) is Refusal.PASS_REVOKED
    unknown = Refused(Refusal.PERSON_UNKNOWN, "name")
    assert decide(IssuePass("cleo", fingerprint_of("next"), ANN), left, NOW) == unknown
    assert decide(EndPass("cleo", ANN), left, NOW) == unknown


def test_what_a_manager_said_who_is_none_any_more_does_not_count() -> None:
    house = after(at_work(), IssuePass("cleo", C, BEN), RemoveStaff("ben", ANN))
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
def test_no_sequence_of_wishes_gives_anybody_a_pass_by_one_hand(
    wishes: list[tuple[StaffCommand, int]],
) -> None:
    """Two people behind each pass, or the machine in a house that has nobody else."""
    staff, now = hired(), NOW
    for command, waited in wishes:
        now += waited
        facts = decide(command, staff, now)
        for fact in () if isinstance(facts, Refused) else facts:
            before, staff = staff, evolve(staff, fact)
            if isinstance(fact, PassIssued):
                good = before.managers() & before.passes.good(now)
                assert fact.proposed_by != fact.agreed_by
                if not fact.agreed_by:
                    assert fact.proposed_by == MACHINE
                    assert not good or len(before.managers()) < MANAGERS_NEEDED
                if fact.agreed_by == MACHINE:
                    assert len(good) < MANAGERS_NEEDED
                assert staff.passes.holder(fact.fingerprint, now) == fact.name
            held = [each.name for each in staff.passes.held.values()]
            assert len(held) == len(set(held))
            assert set(held) | staff.passes.said.keys() <= staff.roles.keys()
            assert not staff.passes.ended & staff.passes.held.keys()
