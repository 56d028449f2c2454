"""What staff decide about a player: the security code, account changes, shared identities.

- A locked or forgotten security code is removed by one person.
- A reset of the password and an erasure need two people. The fact is stored first, then the vault
  changes. After a crash in between, the same call with the same key finishes the change;
  `finish_erasures` also finishes erasures.
- Of players who entered the same ID card or payout account, staff decide whether they are one
  person. The player is not informed: a known number gets the same answer as any other (GLI-19
  2.5.2d).
"""

import asyncio
from hashlib import sha256
from typing import Any, Final

from msgspec import Struct

from api.http.call_request import CallRequest, StaffRequest
from api.http.calls import staff_command, staff_query
from api.http.commands import Commands
from api.http.db_pool import ReadModels
from api.http.envelope import CallResult
from api.http.field_types import PlayerId, PlayerName, Words
from api.http.refusals import CallRefused
from api.office.common import (
    ALL_STAFF,
    commitment_to,
    derived_id,
    member_of,
    record_position,
)
from api.services import Services
from engine.answers import StandingChanged
from engine.players.commands import (
    ACCOUNT_CHANGES,
    ERASURE,
    DecideAccountChange,
    DecideIdentity,
    LiftSecurityCode,
    ProposeAccountChange,
)
from engine.refusals import Refusal
from engine.runtime.port import EnginePort
from engine.runtime.vault import Vault
from engine.staff import roles
from projections import approvals
from projections.approvals import APPROVED, ApprovalItem

_MAX_ID_LENGTH: Final = 128


class CodeLiftRequest(StaffRequest):
    """`player` is a user name or a player id; `reason` says how they proved their identity."""

    player: PlayerName
    reason: Words


class CodeLifted(Struct, frozen=True):
    """The player, who now has no security code and may set a new one."""

    player: PlayerId


@staff_command(
    "securityCodeLift",
    "Remove a player's locked or forgotten security code",
    roles.MEMBERS,
    refusals=(Refusal.PLAYER_UNKNOWN, Refusal.SECURITY_CODE_UNSET),
)
async def lift_code(
    request: CallRequest, data: CodeLiftRequest, services: Services
) -> CallResult[CodeLifted]:
    """Remove a locked or forgotten security code after the player has proved their identity.

    The player cannot withdraw until they have set a new one and its cooling time is over. They are
    notified by a message.
    """
    actor, key = request.staff, request.required_key
    player = (await member_of(services.vault, data.player)).player
    text_id = f"player-{player}/{sha256(f'{actor}/{key}'.encode()).hexdigest()[:20]}"
    reason = await commitment_to(services.vault, text_id, data.reason, player, "reason")
    command = LiftSecurityCode(player, actor, reason)
    async with services.commands.once.player_lock(player):
        member = await services.players.sync_locked(player)
        if not member.profile.code_is_set and await _is_new(request, services.engine, key, command):
            raise CallRefused(Refusal.SECURITY_CODE_UNSET, "player")
        reply = await services.commands.submit(actor, key, command)
        assert isinstance(reply.answer, StandingChanged)
        lifted_at = reply.answer.from_at
        # After the fact. A code set later stays, because this may be a repetition.
        await asyncio.to_thread(services.vault.remove_code, player, lifted_at)
    record_position(services.commands, player, reply.position)
    return CallResult(CodeLifted(player), "set")


async def _is_new(
    request: CallRequest, engine: EnginePort, key: str, command: LiftSecurityCode
) -> bool:
    """Whether there is no earlier answer under this key."""
    return await engine.stored_answer(request.staff, key, command) is None


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


@staff_command(
    "accountChange",
    "Propose to reset a player's password or to erase a player",
    roles.MEMBERS,
    refusals=(
        Refusal.PLAYER_UNKNOWN,
        Refusal.MUST_REGISTER,
        Refusal.ACCOUNT_NOT_EMPTY,
        Refusal.PROPOSAL_OPEN,
    ),
)
async def propose_change(
    request: CallRequest, data: AccountChangeRequest, vault: Vault, commands: Commands
) -> CallResult[AccountChange]:
    """Propose to reset a player's password or to erase a player; nothing changes yet."""
    actor, key = request.staff, request.required_key
    if data.kind not in ACCOUNT_CHANGES:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "kind")
    player = (await member_of(vault, data.player)).player
    change = derived_id(data.kind, player, actor, key)
    reason = await commitment_to(vault, change, data.reason, player, "reason")
    command = ProposeAccountChange(player, change, data.kind, actor, reason)
    reply = await commands.submit(actor, key, command)
    record_position(commands, player, reply.position)
    return CallResult(AccountChange(change, player, data.kind, "requested"), "submitted")


@staff_command(
    "accountChangeDecision",
    "Agree to an account change, or reject it",
    roles.MEMBERS,
    refusals=(Refusal.PROPOSAL_UNKNOWN, Refusal.ACCOUNT_NOT_EMPTY, Refusal.SECOND_PERSON_NEEDED),
)
async def decide_change(
    request: CallRequest, data: AccountChangeDecisionRequest, services: Services
) -> CallResult[AccountChange]:
    """Agree to a colleague's account change, which is then carried out immediately, or reject it.

    A reset ends all sessions of the player and delays withdrawals by the cooling time. An erasure
    permanently closes the account and destroys the personal data; facts, amounts and the marks of
    an exclusion remain.
    """
    actor, key = request.staff, request.required_key
    found = await _change_of(services.read_models, data.id)
    player = found.player
    command = DecideAccountChange(player, found.id, data.approve, actor)
    reply = await services.commands.submit(actor, key, command)
    record_position(services.commands, player, reply.position)
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


async def _change_of(read_models: ReadModels, change_id: str) -> ApprovalItem:
    """Returns the account change with this id, open or ended. Raises CallRefused if none exists."""
    found: tuple[ApprovalItem, ...] = ()
    if 0 < len(change_id) <= _MAX_ID_LENGTH and change_id.isprintable():
        found = await read_models.read_own(ALL_STAFF, lambda c: approvals.find(c, change_id))
    of_kind = [each for each in found if each.kind in ACCOUNT_CHANGES]
    if not of_kind:
        raise CallRefused(Refusal.PROPOSAL_UNKNOWN, "id")
    return of_kind[0]


async def finish_erasures(services: Services) -> int:
    """Finish approved erasures that a crash interrupted. Returns their number."""
    agreed = await services.read_models.read(lambda c: approvals.ended(c, ERASURE, APPROVED))
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


class IdentitiesRequest(StaffRequest):
    """`every` adds the decided pairs."""

    every: bool = False


class IdentityDecisionRequest(StaffRequest):
    """`player` entered later what `other` had entered; each is a user name or a player id."""

    player: PlayerName
    other: PlayerName
    same: bool
    reason: Words


class SharedIdentityView(Struct, frozen=True):
    """Two players who share an identity: `shares` is idcard, payout, or both with a space between.

    `player` entered it later. `status` is open, same or different; while it is open, withdrawals of
    `player` are blocked. If `excluded`, the exclusion of `other` also applies to `player`.
    """

    player: PlayerId
    username: str
    other: PlayerId
    other_username: str
    shares: str
    status: str
    excluded: bool


@staff_query("identities", "List players who share an identity", roles.IDENTITIES_SHOWN)
async def identities(
    data: IdentitiesRequest, services: Services
) -> CallResult[list[SharedIdentityView]]:
    """Returns players with an identity of an earlier player; open cases block their withdrawals."""
    pairs: list[SharedIdentityView] = []
    for player in await asyncio.to_thread(services.vault.sharing):
        pairs += await _pairs(services, player)
    return CallResult([each for each in pairs if data.every or each.status == "open"])


async def _pairs(services: Services, player: int) -> list[SharedIdentityView]:
    await services.players.sync(player)
    view = await services.engine.player(player)
    if view is None:
        return []
    now, shown = services.clock(), []
    for other in sorted({each.other for each in view.shared}):
        of_other = [each for each in view.shared if each.other == other]
        open_ = any(each.same is None for each in of_other)
        same = any(each.same for each in of_other)
        shown.append(
            SharedIdentityView(
                player,
                await _name(services.vault, player),
                other,
                await _name(services.vault, other),
                " ".join(sorted(each.subject for each in of_other)),
                "open" if open_ else "same" if same else "different",
                any(each.same is not False and each.carried_until > now for each in of_other),
            )
        )
    return shown


async def _name(vault: Vault, player: int) -> str:
    member = await asyncio.to_thread(vault.identity, player)
    return member.username if member else ""


@staff_command(
    "identityDecision",
    "Decide whether two players are one person",
    roles.MEMBERS,
    refusals=(Refusal.PLAYER_UNKNOWN, Refusal.IDENTITY_UNKNOWN),
)
async def decide_identity(
    request: CallRequest, data: IdentityDecisionRequest, services: Services
) -> CallResult[list[SharedIdentityView]]:
    """Decide whether two players are one person.

    If so, the later account is permanently closed to bets and deposits, and its money can be
    withdrawn. If not, an exclusion that was carried over ends. In both cases blocked withdrawals
    continue.
    """
    actor, key = request.staff, request.required_key
    player = (await member_of(services.vault, data.player)).player
    other = (await _other_of(data, services.vault)).player
    text_id = f"{derived_id('identity', player, actor, key)}/reason"
    reason = await commitment_to(services.vault, text_id, data.reason, player, "reason")
    command = DecideIdentity(player, other, data.same, actor, reason)
    reply = await services.commands.submit(actor, key, command)
    record_position(services.commands, player, reply.position)
    found = [each for each in await _pairs(services, player) if each.other == other]
    return CallResult(found, "set")


async def _other_of(data: IdentityDecisionRequest, vault: Vault) -> Any:
    try:
        return await member_of(vault, data.other)
    except CallRefused:
        raise CallRefused(Refusal.PLAYER_UNKNOWN, "other") from None
