"""The staff themselves: who they are, their roles, and the passes by which they are known."""

import re
from hashlib import sha256
from typing import Any, Final

from msgspec import Struct

from api import lines
from api.calls import Asked, Auth, Call, StaffAsking
from api.commanding import answered
from api.envelope import CallRefused, Done
from api.office_desk import EVERYBODY, key_of, note
from api.office_door import NAME
from api.units import At
from api.wire import seconds
from engine.house import roles
from engine.house.commands import (
    DecideRoles,
    EndPass,
    IssuePass,
    ProposeRoles,
    RemoveStaff,
    StaffCommand,
)
from engine.house.roles import Role, actor_of
from engine.refusals import Refusal
from projections.standings import staff
from projections.standings.staff import Pass, PassProposal, Person, Proposal

_FINGERPRINT: Final = re.compile(r"[0-9a-f]{64}")


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


class PassAsking(StaffAsking):
    """What the person of this `name` says is the fingerprint of the pass that they have made.

    The pass is 32 random bytes in base64url without padding, 43 signs, which nobody but its
    holder sees; its `fingerprint` is the SHA-256 of these signs, 64 hexadecimal digits.
    """

    name: str
    fingerprint: str


class PersonShown(Struct, frozen=True):
    """One of the staff, since when and by whom; times in seconds since 1970.

    `agreed_by` is empty where the machine set the roles alone, and `pass_agreed_by` where it
    issued the pass alone. Without a good pass `pass_until` is 0 and the rest of it is empty.
    """

    name: str
    roles: tuple[str, ...]
    at: At
    proposed_by: str
    agreed_by: str
    pass_until: At
    pass_fingerprint: str
    pass_proposed_by: str
    pass_agreed_by: str


class ProposalShown(Struct, frozen=True):
    """Roles that somebody would give to the person of this name, whole."""

    id: str
    name: str
    roles: tuple[str, ...]
    at: At
    proposed_by: str


class PassProposalShown(Struct, frozen=True):
    """A pass that is good once another manager says the same `fingerprint` for this name."""

    name: str
    fingerprint: str
    at: At
    proposed_by: str


class StaffShown(Struct, frozen=True):
    """Everybody who has a role, and the roles and passes that wait for another manager."""

    people: tuple[PersonShown, ...]
    proposals: tuple[ProposalShown, ...]
    passes: tuple[PassProposalShown, ...]


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
    return await _changed(asked, ProposeRoles(f"roles-{name}-{proposal}", name, given, actor))


async def decide(asked: Asked[RolesDecisionAsking]) -> Done:
    """Agree to roles that a colleague proposed, or drop them."""
    return await _changed(asked, DecideRoles(asked.body.id, asked.body.approve, asked.staff))


async def remove(asked: Asked[NamedAsking]) -> Done:
    """Take all roles of a person away, at once, and their pass."""
    return await _changed(asked, RemoveStaff(_about(asked), asked.staff))


async def issue_pass(asked: Asked[PassAsking]) -> Done:
    """Say which fingerprint a person's new pass has, as they told you themselves.

    Once two managers have said the same it is good for 90 days, in place of any older one. The
    machine is one of the two while fewer than two managers have a pass that has not expired, and
    does it alone while none has. A pass that a colleague ended counts until its expiry.
    """
    name, fingerprint = _about(asked), asked.body.fingerprint
    if not _FINGERPRINT.fullmatch(fingerprint):
        raise CallRefused(Refusal.REQUEST_MALFORMED, "fingerprint")
    return await _changed(asked, IssuePass(name, fingerprint, asked.staff))


async def end_pass(asked: Asked[NamedAsking]) -> Done:
    """Revoke a person's pass, and drop one that waits; their roles stay."""
    return await _changed(asked, EndPass(_about(asked), asked.staff))


def _about(asked: Asked[NamedAsking] | Asked[PassAsking]) -> str:
    """The person whom it is about, whom the line in the log names as well."""
    name = _name(asked.body.name)
    lines.about(actor_of(name))
    return name


async def _changed(asked: Asked[Any], command: StaffCommand) -> Done:
    reply = await answered(asked.services, asked.staff, key_of(asked), command)
    note(asked, EVERYBODY, reply.position)
    return Done(await _shown(asked), "set")


async def _shown(asked: Asked[Any]) -> StaffShown:
    people, held, open_, waiting = await asked.services.read_own(
        EVERYBODY,
        lambda c: (staff.people(c), staff.passes(c), staff.proposals(c), staff.pass_proposals(c)),
    )
    now = asked.services.clock()
    good = {name: each for name, each in held.items() if now < each.until}
    return StaffShown(
        tuple(_person(each, good.get(each.name)) for each in people),
        tuple(_proposal(each) for each in open_),
        tuple(_pass_proposal(each) for each in waiting),
    )


def _person(it: Person, held: Pass | None) -> PersonShown:
    roles_ = (it.name, it.roles, seconds(it.at), it.proposed_by, it.agreed_by)
    if held is None:
        return PersonShown(*roles_, 0, "", "", "")
    until = seconds(held.until)
    return PersonShown(*roles_, until, held.fingerprint, held.proposed_by, held.agreed_by)


def _proposal(it: Proposal) -> ProposalShown:
    return ProposalShown(it.id, it.name, it.roles, seconds(it.at), it.proposed_by)


def _pass_proposal(it: PassProposal) -> PassProposalShown:
    return PassProposalShown(it.name, it.fingerprint, seconds(it.at), it.proposed_by)


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
        PassAsking,
        StaffShown,
        issue_pass,
        "Say which pass is a person's (staff)",
        auth=Auth.STAFF_OR_MACHINE,
        roles=roles.STAFF,
        keyed=True,
        refusals=(
            Refusal.SECOND_PERSON_NEEDED,
            Refusal.PERSON_UNKNOWN,
            Refusal.FINGERPRINT_USED,
        ),
    ),
    Call(
        "/api/office/staffPassEnd",
        NamedAsking,
        StaffShown,
        end_pass,
        "Revoke a person's pass (staff)",
        auth=Auth.STAFF,
        roles=roles.STAFF,
        keyed=True,
        refusals=(Refusal.PERSON_UNKNOWN,),
    ),
)
