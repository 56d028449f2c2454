"""Who the staff are, as the facts tell."""

from engine.house.facts import RolesProposed, RolesRejected, RolesSet, StaffRemoved
from engine.house.roles import Role
from projections.standings import staff
from projections.standings.staff import Person, Proposal
from tests.projections.history import NOON, SECOND
from tests.projections.support import House

ANN, BEN = "staff:ann", "staff:ben"
MANAGER, CASHIER = (Role.MANAGER,), (Role.CASHIER,)


def told(house: House, *facts: RolesProposed | RolesSet | RolesRejected | StaffRemoved) -> None:
    house.history.append(*(("house", fact) for fact in facts))


def test_a_house_begins_without_staff(house: House) -> None:
    views = house.catch_up()
    assert (staff.people(views), staff.proposals(views)) == ((), ())


def test_a_person_is_shown_with_their_roles_and_who_agreed_to_them(house: House) -> None:
    told(house, RolesSet("ben", MANAGER, "p", "machine", ""))
    house.history.later(60)
    told(house, RolesSet("ann", (Role.CASHIER, Role.SUPPORT), "q", BEN, "staff:cleo"))
    told(house, RolesSet("ben", CASHIER, "r", ANN, "staff:cleo"))
    assert staff.people(house.catch_up()) == (
        Person("ann", ("cashier", "support"), NOON + 60 * SECOND, BEN, "staff:cleo"),
        Person("ben", ("cashier",), NOON + 60 * SECOND, ANN, "staff:cleo"),
    )


def test_a_proposal_waits_until_it_is_agreed_to_dropped_or_replaced(house: House) -> None:
    told(house, RolesProposed("p", "cleo", CASHIER, ANN), RolesProposed("q", "dan", CASHIER, BEN))
    told(house, RolesProposed("r", "cleo", MANAGER, BEN))
    waiting = staff.proposals(house.catch_up())
    assert waiting == (
        Proposal("cleo", "r", ("manager",), NOON, BEN),
        Proposal("dan", "q", ("cashier",), NOON, BEN),
    )
    told(house, RolesRejected("r", "cleo", ANN), RolesSet("dan", CASHIER, "q", BEN, ANN))
    assert staff.proposals(house.catch_up()) == ()


def test_with_a_person_goes_what_they_proposed_and_what_was_proposed_for_them(
    house: House,
) -> None:
    told(house, RolesSet("ben", MANAGER, "p", "machine", ""))
    told(house, RolesProposed("q", "cleo", CASHIER, BEN), RolesProposed("r", "ben", CASHIER, ANN))
    told(house, RolesProposed("s", "dan", CASHIER, ANN), StaffRemoved("ben", ANN))
    views = house.catch_up()
    assert staff.people(views) == ()
    assert [each.id for each in staff.proposals(views)] == ["s"]
