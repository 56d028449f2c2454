"""The staff: which roles they have, and who may change that. Stream: `house`.

Their passes are in `passes.py`.

- Roles are proposed by one person and apply once another has agreed, who is neither the proposer
  nor the one they are for.
- The machine's secret sets roles alone while there are fewer than two managers. A removed manager
  counts until their newest pass would have expired: see `passes.py`.
- One manager removes a person, immediately; never the last manager.
- A proposal is dropped when its proposer stops being a manager, or when the roles of the person it
  is for change.
"""

from collections.abc import Iterable, Sequence
from typing import ClassVar, assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from engine.answers import Refused
from engine.refusals import Refusal
from engine.staff import passes
from engine.staff.passes import (
    EndPass,
    IssuePass,
    Passes,
    PassFact,
)
from engine.staff.roles import MACHINE, MANAGERS_NEEDED, Role, actor_of


class ProposeRoles(Struct, frozen=True, array_like=True, tag="roles"):
    """Give the person of this name exactly these roles, once another manager has agreed.

    `proposal` is an id that the server makes. If the machine proposes, they apply immediately or
    not at all.
    """

    proposal: str
    name: str
    roles: tuple[Role, ...]
    by: str


class DecideRoles(Struct, frozen=True, array_like=True, tag="roles-decision"):
    """Agree to proposed roles, or drop them."""

    proposal: str
    approve: bool
    by: str


class RemoveStaff(Struct, frozen=True, array_like=True, tag="staff-removal"):
    """Remove all roles of the person of this name."""

    name: str
    by: str


StaffCommand = ProposeRoles | DecideRoles | RemoveStaff | IssuePass | EndPass


class RolesProposed(Struct, frozen=True):
    """`by` proposes exactly these roles for the person of this name; an older proposal is void."""

    topic: ClassVar = "roles-proposed.1"
    proposal: str
    name: str
    roles: tuple[Role, ...]
    by: str


class RolesSet(Struct, frozen=True):
    """The person of this name has exactly these roles from now on.

    Two people agreed on it, or the machine's secret set them alone: `agreed_by` is empty then.
    """

    topic: ClassVar = "roles-set.1"
    name: str
    roles: tuple[Role, ...]
    proposal: str
    proposed_by: str
    agreed_by: str


class RolesRejected(Struct, frozen=True):
    """`by` dropped the roles proposed for the person of this name."""

    topic: ClassVar = "roles-rejected.1"
    proposal: str
    name: str
    by: str


class StaffRemoved(Struct, frozen=True):
    """The person of this name has no role any more."""

    topic: ClassVar = "staff-removed.1"
    name: str
    by: str


RoleFact = RolesProposed | RolesSet | RolesRejected | StaffRemoved


StaffFact = RoleFact | PassFact


class RoleProposal(Struct, frozen=True):
    """The full set of roles that `by` proposes for a person, not yet agreed to."""

    id: str
    name: str
    roles: tuple[Role, ...]
    by: str


class Staff(Struct, frozen=True):
    """The roles by name, the newest open proposal for each name, and the passes.

    `removed` are the managers whom one colleague removed.
    """

    roles: dict[str, frozenset[Role]] = field(default_factory=dict)
    proposals: dict[str, RoleProposal] = field(default_factory=dict)
    passes: Passes = Passes()
    removed: frozenset[str] = frozenset()

    def roles_of(self, name: str) -> frozenset[Role]:
        """The roles of a person; empty for a person who is not staff."""
        return self.roles.get(name, frozenset())

    def managers(self) -> frozenset[str]:
        """The names of the managers."""
        return frozenset(name for name, roles in self.roles.items() if Role.MANAGER in roles)

    def seats(self, now: int) -> frozenset[str]:
        """The managers whose newest pass has not expired yet, even if it was revoked."""
        until = self.passes.issued_until
        people = self.managers() | self.removed
        return frozenset(name for name in people if now < until.get(name, 0))

    def proposal(self, proposal_id: str) -> RoleProposal | None:
        """The open proposal with this id."""
        return next((each for each in self.proposals.values() if each.id == proposal_id), None)


def in_order(roles: Iterable[Role]) -> tuple[Role, ...]:
    """Each of these roles once, in the order of the list of roles."""
    requested = set(roles)
    return tuple(role for role in Role if role in requested)


def evolve(staff: Staff, fact: StaffFact) -> Staff:
    """The staff after a fact; never refuses."""
    match fact:
        case RolesProposed(proposal=proposal, name=name, roles=roles, by=by):
            proposed = RoleProposal(proposal, name, roles, by)
            return replace(staff, proposals={**staff.proposals, name: proposed})
        case RolesRejected(name=name):
            return replace(staff, proposals=_without(staff.proposals, name))
        case RolesSet(name=name, roles=roles):
            changed = _with_roles(staff, name, frozenset(roles))
            return replace(changed, removed=staff.removed - {name})
        case StaffRemoved(name=name):
            managers = staff.managers() & {name}
            changed = _with_roles(staff, name, frozenset())
            return replace(changed, removed=staff.removed | managers)
        case _ if isinstance(fact, PassFact):
            return replace(staff, passes=passes.evolve(staff.passes, fact))
        case _ as never:
            assert_never(never)


def _with_roles(staff: Staff, name: str, roles: frozenset[Role]) -> Staff:
    others = {each: existing for each, existing in staff.roles.items() if each != name}
    proposals, current_passes = _without(staff.proposals, name), staff.passes
    if Role.MANAGER not in roles:
        by = actor_of(name)
        proposals = {each: open_ for each, open_ in proposals.items() if open_.by != by}
        current_passes = passes.without_proposals_by(current_passes, by)
    if roles:
        return replace(
            staff, roles={**others, name: roles}, proposals=proposals, passes=current_passes
        )
    current_passes = passes.without(current_passes, name)
    return replace(staff, roles=others, proposals=proposals, passes=current_passes)


def _without(proposals: dict[str, RoleProposal], name: str) -> dict[str, RoleProposal]:
    return {each: open_ for each, open_ in proposals.items() if each != name}


def decide(command: StaffCommand, staff: Staff, now: int) -> Sequence[StaffFact] | Refused:
    """Returns the facts of a change of the staff; one that changes nothing yields no facts."""
    match command:
        case ProposeRoles():
            return _propose(command, staff, now)
        case DecideRoles():
            return _decide(command, staff)
        case RemoveStaff(name=name, by=by):
            if name not in staff.roles:
                return Refused(Refusal.PERSON_UNKNOWN, "name")
            if _is_last_manager(staff, name):
                return Refused(Refusal.MANAGER_NEEDED, "name")
            return [StaffRemoved(name, by)]
        case IssuePass(name=name) | EndPass(name=name) if name not in staff.roles:
            return Refused(Refusal.PERSON_UNKNOWN, "name")
        case IssuePass():
            seats = staff.seats(now)
            managers = len(staff.managers() | seats)
            return passes.issue(command, staff.passes, managers, len(seats), now)
        case EndPass(name=name, by=by):
            return passes.end(name, by, staff.passes)
        case _ as never:
            assert_never(never)


def _propose(command: ProposeRoles, staff: Staff, now: int) -> list[StaffFact] | Refused:
    name, roles, by = command.name, in_order(command.roles), command.by
    if by == MACHINE and len(staff.managers() | staff.seats(now)) >= MANAGERS_NEEDED:
        return Refused(Refusal.SECOND_PERSON_NEEDED)
    if _takes_last_manager(staff, name, roles):
        return Refused(Refusal.MANAGER_NEEDED, "roles")
    if frozenset(roles) == staff.roles_of(name):
        return []
    if by == MACHINE:
        return [RolesSet(name, roles, command.proposal, MACHINE, "")]
    return [RolesProposed(command.proposal, name, roles, by)]


def _decide(command: DecideRoles, staff: Staff) -> list[StaffFact] | Refused:
    found = staff.proposal(command.proposal)
    if found is None:
        return Refused(Refusal.PROPOSAL_UNKNOWN, "proposal")
    if not command.approve:
        return [RolesRejected(found.id, found.name, command.by)]
    if command.by in {MACHINE, found.by, actor_of(found.name)}:
        return Refused(Refusal.SECOND_PERSON_NEEDED)
    if _takes_last_manager(staff, found.name, found.roles):
        return Refused(Refusal.MANAGER_NEEDED, "roles")
    return [RolesSet(found.name, found.roles, found.id, found.by, command.by)]


def _takes_last_manager(staff: Staff, name: str, roles: tuple[Role, ...]) -> bool:
    return Role.MANAGER not in roles and _is_last_manager(staff, name)


def _is_last_manager(staff: Staff, name: str) -> bool:
    return staff.managers() == {name}
