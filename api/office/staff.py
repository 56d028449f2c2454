"""Staff administration: the staff members, their roles, and their access tokens (passes)."""

import re
from collections.abc import Callable
from hashlib import sha256
from typing import Final

from msgspec import Struct

from api.http.call_request import Auth, CallRequest, StaffRequest
from api.http.calls import staff_command, staff_query
from api.http.commands import Commands
from api.http.db_pool import ReadModels
from api.http.envelope import CallResult
from api.http.field_types import At
from api.http.refusals import CallRefused
from api.http.staff_auth import NAME
from api.http.wire import seconds
from api.office.common import ALL_STAFF, record_position
from api.ops import request_log
from engine.refusals import Refusal
from engine.staff import roles
from engine.staff.passes import EndPass, IssuePass
from engine.staff.roles import Role, actor_of
from engine.staff.staff import DecideRoles, ProposeRoles, RemoveStaff, StaffCommand
from projections import staff
from projections.staff import PassProposal, PassRow, Person, RoleProposalRow

_FINGERPRINT: Final = re.compile(r"[0-9a-f]{64}")


class RolesRequest(StaffRequest):
    """All roles that the person of this `name` is to have; roles not in `roles` are removed."""

    name: str
    roles: list[Role]


class RolesDecisionRequest(StaffRequest):
    """`id` is a proposal's; neither its proposer nor the person it concerns can `approve` it."""

    id: str
    approve: bool


class StaffMemberRequest(StaffRequest):
    """The staff member whom the call concerns."""

    name: str


class PassRequest(StaffRequest):
    """The `fingerprint` of a pass that the person of this `name` has created.

    The pass is 32 random bytes in base64url without padding, 43 characters, which only its holder
    knows. Its `fingerprint` is the SHA-256 of these characters, 64 hexadecimal digits.
    """

    name: str
    fingerprint: str


class StaffMemberView(Struct, frozen=True):
    """A staff member, since when and by whom; times in seconds since 1970.

    `agreed_by` is empty if the machine set the roles alone, and `pass_agreed_by` if it issued the
    pass alone. Without a valid pass `pass_until` is 0 and the other pass fields are empty.
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


class RoleProposalView(Struct, frozen=True):
    """A proposal of all roles for the person of this name."""

    id: str
    name: str
    roles: tuple[str, ...]
    at: At
    proposed_by: str


class PassProposalView(Struct, frozen=True):
    """A pass that becomes valid when a second manager enters its `fingerprint` for this name."""

    name: str
    fingerprint: str
    at: At
    proposed_by: str


class StaffView(Struct, frozen=True):
    """All people with a role, and the proposed roles and passes that wait for a second manager."""

    people: tuple[StaffMemberView, ...]
    proposals: tuple[RoleProposalView, ...]
    passes: tuple[PassProposalView, ...]


@staff_query("staff", "List the staff", roles.STAFF_SHOWN)
async def show(read_models: ReadModels, clock: Callable[[], int]) -> CallResult[StaffView]:
    """Returns the staff members and the open proposals."""
    return CallResult(await _staff_view(read_models, clock))


@staff_command(
    "staffRoles",
    "Propose a person's roles",
    roles.STAFF,
    refusals=(Refusal.SECOND_PERSON_NEEDED, Refusal.MANAGER_NEEDED),
    auth=Auth.STAFF_OR_MACHINE,
)
async def propose(
    request: CallRequest,
    data: RolesRequest,
    read_models: ReadModels,
    clock: Callable[[], int],
    commands: Commands,
) -> CallResult[StaffView]:
    """Propose all roles of a person; the machine sets them directly while it is allowed to."""
    name, actor = _name(data.name), request.staff
    if not data.roles:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "roles")
    proposal = sha256(f"{actor}/{request.required_key}".encode()).hexdigest()[:20]
    new_roles = tuple(dict.fromkeys(data.roles))
    return await _changed(
        request,
        read_models,
        clock,
        commands,
        ProposeRoles(f"roles-{name}-{proposal}", name, new_roles, actor),
    )


@staff_command(
    "staffRolesDecision",
    "Agree to proposed roles, or reject them",
    roles.STAFF,
    refusals=(Refusal.SECOND_PERSON_NEEDED, Refusal.PROPOSAL_UNKNOWN, Refusal.MANAGER_NEEDED),
)
async def decide(
    request: CallRequest,
    data: RolesDecisionRequest,
    read_models: ReadModels,
    clock: Callable[[], int],
    commands: Commands,
) -> CallResult[StaffView]:
    """Agree to roles that a colleague proposed, or reject them."""
    return await _changed(
        request, read_models, clock, commands, DecideRoles(data.id, data.approve, request.staff)
    )


@staff_command(
    "staffRemove",
    "Remove a person from the staff",
    roles.STAFF,
    refusals=(Refusal.PERSON_UNKNOWN, Refusal.MANAGER_NEEDED),
)
async def remove(
    request: CallRequest,
    data: StaffMemberRequest,
    read_models: ReadModels,
    clock: Callable[[], int],
    commands: Commands,
) -> CallResult[StaffView]:
    """Remove all roles and the pass of a person, immediately."""
    return await _changed(
        request, read_models, clock, commands, RemoveStaff(_subject(data), request.staff)
    )


@staff_command(
    "staffPass",
    "Enter the fingerprint of a person's pass",
    roles.STAFF,
    refusals=(Refusal.SECOND_PERSON_NEEDED, Refusal.PERSON_UNKNOWN, Refusal.FINGERPRINT_USED),
    auth=Auth.STAFF_OR_MACHINE,
)
async def issue_pass(
    request: CallRequest,
    data: PassRequest,
    read_models: ReadModels,
    clock: Callable[[], int],
    commands: Commands,
) -> CallResult[StaffView]:
    """Enter the fingerprint of a person's new pass, as received from that person.

    Once two managers have entered the same fingerprint, the pass is valid for 90 days and replaces
    any older one. The machine is one of the two while fewer than two managers have an unexpired
    pass, and acts alone while none has, or while there is only one manager. A pass that a colleague
    revoked counts until its expiry.
    """
    name, fingerprint = _subject(data), data.fingerprint
    if not _FINGERPRINT.fullmatch(fingerprint):
        raise CallRefused(Refusal.REQUEST_MALFORMED, "fingerprint")
    return await _changed(
        request, read_models, clock, commands, IssuePass(name, fingerprint, request.staff)
    )


@staff_command(
    "staffPassEnd", "Revoke a person's pass", roles.STAFF, refusals=(Refusal.PERSON_UNKNOWN,)
)
async def end_pass(
    request: CallRequest,
    data: StaffMemberRequest,
    read_models: ReadModels,
    clock: Callable[[], int],
    commands: Commands,
) -> CallResult[StaffView]:
    """Revoke a person's pass, and drop a proposed one; the roles stay."""
    return await _changed(
        request, read_models, clock, commands, EndPass(_subject(data), request.staff)
    )


def _subject(data: StaffMemberRequest | PassRequest) -> str:
    """Returns the person whom the call concerns, and records them in the audit log."""
    name = _name(data.name)
    request_log.record_subject(actor_of(name))
    return name


async def _changed(
    request: CallRequest,
    read_models: ReadModels,
    clock: Callable[[], int],
    commands: Commands,
    command: StaffCommand,
) -> CallResult[StaffView]:
    reply = await commands.submit(request.staff, request.required_key, command)
    record_position(commands, ALL_STAFF, reply.position)
    return CallResult(await _staff_view(read_models, clock), "set")


async def _staff_view(read_models: ReadModels, clock: Callable[[], int]) -> StaffView:
    people, passes, open_, waiting = await read_models.read_own(
        ALL_STAFF,
        lambda c: (staff.people(c), staff.passes(c), staff.proposals(c), staff.pass_proposals(c)),
    )
    now = clock()
    valid_passes = {name: each for name, each in passes.items() if now < each.until}
    return StaffView(
        tuple(_person(each, valid_passes.get(each.name)) for each in people),
        tuple(_proposal(each) for each in open_),
        tuple(_pass_proposal(each) for each in waiting),
    )


def _person(it: Person, staff_pass: PassRow | None) -> StaffMemberView:
    roles_ = (it.name, it.roles, seconds(it.at), it.proposed_by, it.agreed_by)
    if staff_pass is None:
        return StaffMemberView(*roles_, 0, "", "", "")
    until = seconds(staff_pass.until)
    return StaffMemberView(
        *roles_, until, staff_pass.fingerprint, staff_pass.proposed_by, staff_pass.agreed_by
    )


def _proposal(it: RoleProposalRow) -> RoleProposalView:
    return RoleProposalView(it.id, it.name, it.roles, seconds(it.at), it.proposed_by)


def _pass_proposal(it: PassProposal) -> PassProposalView:
    return PassProposalView(it.name, it.fingerprint, seconds(it.at), it.proposed_by)


def _name(name: str) -> str:
    if not NAME.fullmatch(name):
        raise CallRefused(Refusal.REQUEST_MALFORMED, "name")
    return name
