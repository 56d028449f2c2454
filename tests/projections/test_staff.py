"""Who the staff are, as the facts tell."""

from engine.house.facts import (
    PassEnded,
    PassIssued,
    PassProposed,
    RolesProposed,
    RolesRejected,
    RolesSet,
    StaffFact,
    StaffRemoved,
)
from engine.house.roles import Role
from projections.standings import staff
from projections.standings.staff import Pass, PassProposal, Person, Proposal
from tests.projections.history import NOON, SECOND
from tests.projections.support import House

ANN, BEN = "staff:ann", "staff:ben"
MANAGER, CASHIER = (Role.MANAGER,), (Role.CASHIER,)


def told(house: House, *facts: StaffFact) -> None:
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


def test_a_pass_waits_for_a_second_word_and_then_takes_the_older_ones_place(house: House) -> None:
    told(house, RolesSet("ben", MANAGER, "p", "machine", ""))
    told(house, PassIssued("ben", "old", NOON, "machine", ""), PassProposed("ben", "new", ANN))
    views = house.catch_up()
    assert staff.passes(views) == {"ben": Pass("ben", "old", NOON, "machine", "")}
    assert staff.pass_proposals(views) == (PassProposal("ben", "new", NOON, ANN),)
    told(house, PassIssued("ben", "new", NOON + SECOND, ANN, BEN))
    views = house.catch_up()
    assert staff.passes(views) == {"ben": Pass("ben", "new", NOON + SECOND, ANN, BEN)}
    assert staff.pass_proposals(views) == ()


def test_a_pass_goes_when_it_is_ended_and_with_the_person(house: House) -> None:
    for name in ("ann", "ben", "cleo"):
        told(house, RolesSet(name, MANAGER, "p", "machine", ""))
        told(house, PassIssued(name, name, NOON, "machine", ""))
    told(house, PassProposed("ann", "next", BEN), PassProposed("cleo", "next", BEN))
    told(house, PassEnded("ann", ANN))
    views = house.catch_up()
    assert set(staff.passes(views)) == {"ben", "cleo"}
    assert [it.name for it in staff.pass_proposals(views)] == ["cleo"]
    told(house, StaffRemoved("ben", ANN))
    views = house.catch_up()
    assert (set(staff.passes(views)), staff.pass_proposals(views)) == ({"cleo"}, ())
