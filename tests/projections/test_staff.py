"""The read model of the staff: roles, proposals and passes."""

from engine.staff.passes import PassEnded, PassIssued, PassProposed
from engine.staff.roles import Role
from engine.staff.staff import RolesProposed, RolesRejected, RolesSet, StaffFact, StaffRemoved
from projections import staff
from projections.staff import PassProposal, PassRow, Person, RoleProposalRow
from tests.projections.history import NOON, SECOND
from tests.projections.support import ProjectionHarness

ANN, BEN = "staff:ann", "staff:ben"
MANAGER, CASHIER = (Role.MANAGER,), (Role.CASHIER,)


def append(house: ProjectionHarness, *facts: StaffFact) -> None:
    house.history.append(*(("house", fact) for fact in facts))


def test_a_house_begins_without_staff(house: ProjectionHarness) -> None:
    views = house.catch_up()
    assert (staff.people(views), staff.proposals(views)) == ((), ())


def test_a_person_is_shown_with_their_roles_and_who_agreed_to_them(
    house: ProjectionHarness,
) -> None:
    append(house, RolesSet("ben", MANAGER, "p", "machine", ""))
    house.history.later(60)
    append(house, RolesSet("ann", (Role.CASHIER, Role.SUPPORT), "q", BEN, "staff:cleo"))
    append(house, RolesSet("ben", CASHIER, "r", ANN, "staff:cleo"))
    assert staff.people(house.catch_up()) == (
        Person("ann", ("cashier", "support"), NOON + 60 * SECOND, BEN, "staff:cleo"),
        Person("ben", ("cashier",), NOON + 60 * SECOND, ANN, "staff:cleo"),
    )


def test_a_proposal_waits_until_it_is_agreed_to_dropped_or_replaced(
    house: ProjectionHarness,
) -> None:
    append(house, RolesProposed("p", "cleo", CASHIER, ANN), RolesProposed("q", "dan", CASHIER, BEN))
    append(house, RolesProposed("r", "cleo", MANAGER, BEN))
    waiting = staff.proposals(house.catch_up())
    assert waiting == (
        RoleProposalRow("cleo", "r", ("manager",), NOON, BEN),
        RoleProposalRow("dan", "q", ("cashier",), NOON, BEN),
    )
    append(house, RolesRejected("r", "cleo", ANN), RolesSet("dan", CASHIER, "q", BEN, ANN))
    assert staff.proposals(house.catch_up()) == ()


def test_removing_a_person_removes_their_proposals_and_those_for_them(
    house: ProjectionHarness,
) -> None:
    append(house, RolesSet("ben", MANAGER, "p", "machine", ""))
    append(house, RolesProposed("q", "cleo", CASHIER, BEN), RolesProposed("r", "ben", CASHIER, ANN))
    append(house, RolesProposed("s", "dan", CASHIER, ANN), StaffRemoved("ben", ANN))
    views = house.catch_up()
    assert staff.people(views) == ()
    assert [each.id for each in staff.proposals(views)] == ["s"]


def test_a_pass_waits_for_a_second_person_and_then_replaces_the_older_one(
    house: ProjectionHarness,
) -> None:
    append(house, RolesSet("ben", MANAGER, "p", "machine", ""))
    append(house, PassIssued("ben", "old", NOON, "machine", ""), PassProposed("ben", "new", ANN))
    views = house.catch_up()
    assert staff.passes(views) == {"ben": PassRow("ben", "old", NOON, "machine", "")}
    assert staff.pass_proposals(views) == (PassProposal("ben", "new", NOON, ANN),)
    append(house, PassIssued("ben", "new", NOON + SECOND, ANN, BEN))
    views = house.catch_up()
    assert staff.passes(views) == {"ben": PassRow("ben", "new", NOON + SECOND, ANN, BEN)}
    assert staff.pass_proposals(views) == ()


def test_a_pass_is_removed_when_it_is_revoked_and_with_the_person(house: ProjectionHarness) -> None:
    for name in ("ann", "ben", "cleo"):
        append(house, RolesSet(name, MANAGER, "p", "machine", ""))
        append(house, PassIssued(name, name, NOON, "machine", ""))
    append(house, PassProposed("ann", "next", BEN), PassProposed("cleo", "next", BEN))
    append(house, PassEnded("ann", ANN))
    views = house.catch_up()
    assert set(staff.passes(views)) == {"ben", "cleo"}
    assert [it.name for it in staff.pass_proposals(views)] == ["cleo"]
    append(house, StaffRemoved("ben", ANN))
    views = house.catch_up()
    assert (set(staff.passes(views)), staff.pass_proposals(views)) == ({"cleo"}, ())
