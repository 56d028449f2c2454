"""Account changes that need two people: resetting a player's password, erasing a player.

The fact is stored first, then the vault changes. After a crash in between, the same call with the
same key finishes the change; `finish_erasures` also finishes erasures.
"""

import asyncio
from typing import Final

from msgspec import Struct

from api.http.call_request import Auth, CallRequest, StaffRequest
from api.http.calls import call
from api.http.envelope import CallResult
from api.http.field_types import PlayerId, PlayerName, Words
from api.http.refusals import CallRefused
from api.office.common import (
    ALL_STAFF,
    commitment_to,
    derived_id,
    member_of,
    record_position,
    require_idempotency_key,
)
from api.services import Services
from engine.players.commands import (
    ACCOUNT_CHANGES,
    ERASURE,
    DecideAccountChange,
    ProposeAccountChange,
)
from engine.refusals import Refusal
from engine.staff import roles
from projections.approvals import queries as requests
from projections.approvals.queries import ApprovalItem
from projections.approvals.rows import APPROVED

_MAX_ID_LENGTH: Final = 128


class AccountChangeRequest(StaffRequest):
    """`player` is a user name or a player id; `kind` is password_reset or erasure.

    `reason` says what the player requested, and how they proved their identity.
    """

    player: PlayerName
    kind: str
    reason: Words


class AccountChangeDecisionRequest(StaffRequest):
    """`approve` is the second person's agreement; either person may reject."""

    id: str
    approve: bool


class AccountChange(Struct, frozen=True):
    """An account change; `status` is requested, approved or rejected.

    `password` is the temporary password if this call approved a reset. It is shown only once: it
    is empty for a repeated call, and in all other cases.
    """

    id: str
    player: PlayerId
    kind: str
    status: str
    password: str = ""


@call(
    "/api/office/accountChange",
    "Propose to reset a player's password or to erase a player (staff)",
    auth=Auth.STAFF,
    roles=roles.MEMBERS,
    idempotent=True,
    refusals=(
        Refusal.PLAYER_UNKNOWN,
        Refusal.MUST_REGISTER,
        Refusal.ACCOUNT_NOT_EMPTY,
        Refusal.PROPOSAL_OPEN,
    ),
)
async def propose(
    request: CallRequest, data: AccountChangeRequest, services: Services
) -> CallResult[AccountChange]:
    """Propose to reset a player's password or to erase a player; nothing changes yet."""
    actor, key = request.staff, require_idempotency_key(request)
    if data.kind not in ACCOUNT_CHANGES:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "kind")
    player = (await member_of(services, data.player)).player
    change = derived_id(data.kind, player, actor, key)
    reason = await commitment_to(services, change, data.reason, player, "reason")
    command = ProposeAccountChange(player, change, data.kind, actor, reason)
    reply = await services.commands.submit(actor, key, command)
    record_position(services, player, reply.position)
    return CallResult(AccountChange(change, player, data.kind, "requested"), "submitted")


@call(
    "/api/office/accountChangeDecision",
    "Agree to an account change, or reject it (staff)",
    auth=Auth.STAFF,
    roles=roles.MEMBERS,
    idempotent=True,
    refusals=(
        Refusal.PROPOSAL_UNKNOWN,
        Refusal.ACCOUNT_NOT_EMPTY,
        Refusal.SECOND_PERSON_NEEDED,
    ),
)
async def decide(
    request: CallRequest, data: AccountChangeDecisionRequest, services: Services
) -> CallResult[AccountChange]:
    """Agree to a colleague's account change, which is then carried out immediately, or reject it.

    A reset ends all sessions of the player and delays withdrawals by the cooling time. An erasure
    permanently closes the account and destroys the personal data; facts, amounts and the marks of
    an exclusion remain.
    """
    actor, key = request.staff, require_idempotency_key(request)
    found = await _change_of(services, data.id)
    player = found.player
    command = DecideAccountChange(player, found.id, data.approve, actor)
    reply = await services.commands.submit(actor, key, command)
    record_position(services, player, reply.position)
    if not data.approve:
        return CallResult(AccountChange(found.id, player, found.kind, "rejected"), "set")
    password = ""
    if found.kind == ERASURE:
        await _erase(services, player)
    else:
        password = await services.hash_pool(
            lambda: services.vault.reset_password(player, found.id, services.sessions) or ""
        )
        services.hub.subscribers.end_streams(player)
    return CallResult(AccountChange(found.id, player, found.kind, "approved", password), "set")


async def _change_of(services: Services, change_id: str) -> ApprovalItem:
    """Returns the account change with this id, open or ended. Raises CallRefused if none exists."""
    found: tuple[ApprovalItem, ...] = ()
    if 0 < len(change_id) <= _MAX_ID_LENGTH and change_id.isprintable():
        found = await services.read_own(ALL_STAFF, lambda c: requests.find(c, change_id))
    of_kind = [each for each in found if each.kind in ACCOUNT_CHANGES]
    if not of_kind:
        raise CallRefused(Refusal.PROPOSAL_UNKNOWN, "id")
    return of_kind[0]


async def finish_erasures(services: Services) -> int:
    """Finish approved erasures that a crash interrupted. Returns their number."""
    agreed = await services.read(lambda c: requests.ended(c, ERASURE, APPROVED))
    left = await asyncio.to_thread(services.vault.existing_among, agreed)
    for player in left:
        await _erase(services, player)
    return len(left)


async def _erase(services: Services, player: int) -> None:
    view = await services.players.view(player)
    excluded = view.excluded_until > services.clock()
    await asyncio.to_thread(services.sessions.revoke_all, player)
    await asyncio.to_thread(lambda: services.vault.erase(player, excluded=excluded))
    services.hub.subscribers.end_streams(player)
    services.hub.remove_messages_of(player)
    services.nicknames.put(player, "")
