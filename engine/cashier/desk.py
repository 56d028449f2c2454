"""What each person approved alone within a day; it counts toward their next approval.

Splitting one large entry into many small ones must not avoid the four-eyes rule. So the threshold
applies to two sums: what one person approved alone for all members, and what single persons
approved alone for one member.
"""

from collections.abc import Sequence

from msgspec import Struct

from engine.cashier.facts import ApprovedAlone
from engine.facts import RecordedFact
from engine.terms import DAY_US

WINDOW_US = DAY_US


class Approval(Struct, frozen=True, gc=False):
    """What `by` approved alone for a player, at a time in microseconds since 1970."""

    player: int
    by: str
    amount_minor: int
    at: int


class Desk(Struct, frozen=True):
    """`version` is that of the stream; `alone` has the approvals of the last day, oldest first."""

    version: int = 0
    alone: tuple[Approval, ...] = ()

    def alone_minor(self, by: str, player: int, now: int) -> int:
        """The larger of the person's and the member's sum of the day before `now`."""
        counted = [each for each in self.alone if now - each.at < WINDOW_US]
        persons = sum(each.amount_minor for each in counted if each.by == by)
        members = sum(each.amount_minor for each in counted if each.player == player)
        return max(persons, members)


def evolve(desk: Desk, fact: ApprovedAlone, at: int) -> Desk:
    """The desk after a fact recorded at `at`; never refuses."""
    approval = Approval(fact.player, fact.by, fact.amount_minor, at)
    recent = (each for each in desk.alone if at - each.at < WINDOW_US)
    return Desk(desk.version + 1, (*recent, approval))


def restore(version: int, facts: Sequence[RecordedFact]) -> Desk:
    """The desk from the last facts of its stream, which has `version`."""
    desk = Desk(version - len(facts))
    for recorded in facts:
        assert isinstance(recorded.fact, ApprovedAlone)
        desk = evolve(desk, recorded.fact, recorded.at)
    return desk
