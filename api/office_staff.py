"""The staff themselves: who they are, their roles, and the passes by which they are known."""

import asyncio
from hashlib import sha256
from typing import Any, Final

from msgspec import Struct

from api import lines
from api.calls import Asked, Auth, Call, StaffAsking
from api.commanding import answered
from api.envelope import CallRefused, Done
from api.members import looking
from api.office_desk import EVERYBODY, key_of, note
from api.office_door import NAME
from api.units import At
from api.wire import seconds
from engine.house import roles
from engine.house.commands import DecideRoles, ProposeRoles, RemoveStaff, StaffCommand
from engine.house.roles import MACHINE, Role, actor_of
from engine.refusals import Refusal
from engine.runtime.staff_passes import Pass
from projections.standings import staff
from projections.standings.staff import Person, Proposal


class RolesAsking(StaffAsking):
    """All that the person of this `name` is to be; what is not among `roles` is taken away."""

    name: str
    roles: list[Role]


class RolesDecisionAsking(StaffAsking):
    """`id` is a proposal's; to `approve` takes somebody who neither proposed nor gets it."""

    id: str
    approve: bool


class NamedAsking(StaffAsking):
    """The person of the staff whom it is about."""

    name: str


class PersonShown(Struct, frozen=True):
    """One of the staff, since when and by whom; times in seconds since 1970.

    `agreed_by` is empty where the machine set the roles alone. `pass_until` is 0 without a pass.
    """

    name: str
    roles: tuple[str, ...]
    at: At
    proposed_by: str
    agreed_by: str
    pass_until: At
    pass_by: str


class ProposalShown(Struct, frozen=True):
    """Roles that somebody would give to the person of this name, whole."""

    id: str
    name: str
    roles: tuple[str, ...]
    at: At
    proposed_by: str


class StaffShown(Struct, frozen=True):
    """Everybody who has a role, and the proposals that wait for another manager."""

    people: tuple[PersonShown, ...]
    proposals: tuple[ProposalShown, ...]


class PassShown(Struct, frozen=True):
    """A new pass, which is never shown again; `until` in seconds since 1970."""

    name: str
    token: str
    until: At


async def show(asked: Asked[StaffAsking]) -> Done:
    """Who the staff are."""
    return Done(await _shown(asked))


async def propose(asked: Asked[RolesAsking]) -> Done:
    """Propose all the roles of a person; the machine sets them, while it may."""
    name, actor = _name(asked.body.name), asked.staff
    if not asked.body.roles:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "roles")
    proposal = sha256(f"{actor}/{key_of(asked)}".encode()).hexdigest()[:20]
    given = tuple(dict.fromkeys(asked.body.roles))
    if actor == MACHINE:
        await _begin(asked, name)
    return await _changed(asked, ProposeRoles(f"roles-{name}-{proposal}", name, given, actor))


async def decide(asked: Asked[RolesDecisionAsking]) -> Done:
    """Agree to roles that a colleague proposed, or drop them."""
    body = asked.body
    found = looking(asked.services).office.staff.proposal(body.id)
    if found is not None and body.approve:
        await _begin(asked, found.name)
    return await _changed(asked, DecideRoles(body.id, body.approve, asked.staff))


async def remove(asked: Asked[NamedAsking]) -> Done:
    """Take all roles of a person away, at once."""
    name = _name(asked.body.name)
    await _command(asked, RemoveStaff(name, asked.staff))
    await asyncio.to_thread(asked.services.passes.end, name)
    return Done(await _shown(asked), "set")


async def issue_pass(asked: Asked[NamedAsking]) -> Done:
    """A new pass for another person, in place of their old one."""
    name, passes = _name(asked.body.name), asked.services.passes
    people = looking(asked.services).office.staff
    if not people.roles_of(name):
        raise CallRefused(Refusal.PERSON_UNKNOWN, "name")
    lines.about(actor_of(name))
    if asked.staff == actor_of(name):
        raise CallRefused(Refusal.SECOND_PERSON_NEEDED, "name")
    if asked.staff == MACHINE and not await _is_beginning(asked):
        raise CallRefused(Refusal.ROLE_MISSING)
    token, until = await asyncio.to_thread(passes.issue, name, asked.staff)
    return Done(PassShown(name, token, seconds(until)), "set")


async def end_pass(asked: Asked[NamedAsking]) -> Done:
    """Revoke a person's pass; their roles stay."""
    name = _name(asked.body.name)
    if not await asyncio.to_thread(asked.services.passes.end, name):
        raise CallRefused(Refusal.PERSON_UNKNOWN, "name")
    lines.about(actor_of(name))
    return Done(await _shown(asked), "set")


async def _is_beginning(asked: Asked[NamedAsking]) -> bool:
    """Whether the house needs the machine: without a manager's pass nobody could issue one."""
    managers = looking(asked.services).office.staff.managers()
    good = await asyncio.to_thread(asked.services.passes.good)
    return len(managers) < roles.MANAGERS_NEEDED or not managers & good.keys()


async def _begin(asked: Asked[Any], name: str) -> None:
    """Whoever comes (again) begins without a pass: a removal that was cut off leaves one."""
    if not looking(asked.services).office.staff.roles_of(name):
        await asyncio.to_thread(asked.services.passes.end, name)


async def _changed(asked: Asked[Any], command: StaffCommand) -> Done:
    await _command(asked, command)
    return Done(await _shown(asked), "set")


async def _command(asked: Asked[Any], command: StaffCommand) -> None:
    reply = await answered(asked.services, asked.staff, key_of(asked), command)
    note(asked, EVERYBODY, reply.position)


async def _shown(asked: Asked[Any]) -> StaffShown:
    found, open_ = await asked.services.read_own(
        EVERYBODY, lambda c: (staff.people(c), staff.proposals(c))
    )
    good = await asyncio.to_thread(asked.services.passes.good)
    people = tuple(_person(each, good.get(each.name)) for each in found)
    return StaffShown(people, tuple(_proposal(each) for each in open_))


def _person(it: Person, held: Pass | None) -> PersonShown:
    until, by = (seconds(held.expires_at), held.issued_by) if held else (0, "")
    since = seconds(it.at)
    return PersonShown(it.name, it.roles, since, it.proposed_by, it.agreed_by, until, by)


def _proposal(it: Proposal) -> ProposalShown:
    return ProposalShown(it.id, it.name, it.roles, seconds(it.at), it.proposed_by)


def _name(name: str) -> str:
    if not NAME.fullmatch(name):
        raise CallRefused(Refusal.REQUEST_MALFORMED, "name")
    return name


CALLS: Final[tuple[Call[Any], ...]] = (
    Call(
        "/api/office/staff",
        StaffAsking,
        StaffShown,
        show,
        "Who the staff are (staff)",
        auth=Auth.STAFF,
        roles=roles.STAFF_SHOWN,
    ),
    Call(
        "/api/office/staffRoles",
        RolesAsking,
        StaffShown,
        propose,
        "Propose a person's roles (staff)",
        auth=Auth.STAFF_OR_MACHINE,
        roles=roles.STAFF,
        keyed=True,
        refusals=(Refusal.SECOND_PERSON_NEEDED, Refusal.MANAGER_NEEDED),
    ),
    Call(
        "/api/office/staffRolesDecision",
        RolesDecisionAsking,
        StaffShown,
        decide,
        "Agree to proposed roles, or drop them (staff)",
        auth=Auth.STAFF,
        roles=roles.STAFF,
        keyed=True,
        refusals=(Refusal.SECOND_PERSON_NEEDED, Refusal.PROPOSAL_UNKNOWN, Refusal.MANAGER_NEEDED),
    ),
    Call(
        "/api/office/staffRemove",
        NamedAsking,
        StaffShown,
        remove,
        "Remove a person from the staff (staff)",
        auth=Auth.STAFF,
        roles=roles.STAFF,
        keyed=True,
        refusals=(Refusal.PERSON_UNKNOWN, Refusal.MANAGER_NEEDED),
    ),
    Call(
        "/api/office/staffPass",
        NamedAsking,
        PassShown,
        issue_pass,
        "Issue a pass for another person (staff)",
        auth=Auth.STAFF_OR_MACHINE,
        roles=roles.STAFF,
        changes=True,
        refusals=(Refusal.SECOND_PERSON_NEEDED, Refusal.PERSON_UNKNOWN),
    ),
    Call(
        "/api/office/staffPassEnd",
        NamedAsking,
        StaffShown,
        end_pass,
        "Revoke a person's pass (staff)",
        auth=Auth.STAFF,
        roles=roles.STAFF,
        changes=True,
        refusals=(Refusal.PERSON_UNKNOWN,),
    ),
)
