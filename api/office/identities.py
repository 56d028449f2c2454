"""Players who entered the same ID card or payout account; staff decide if they are one person.

The player is not informed: a known number gets the same answer as any other (GLI-19 2.5.2d).
"""

import asyncio
from typing import Any

from msgspec import Struct

from api.http.call_request import Auth, CallRequest, StaffRequest
from api.http.calls import call
from api.http.envelope import CallResult
from api.http.field_types import PlayerId, PlayerName, Words
from api.http.refusals import CallRefused
from api.office.common import (
    commitment_to,
    derived_id,
    member_of,
    record_position,
    require_idempotency_key,
)
from api.services import Services
from engine.players.commands import DecideIdentity
from engine.refusals import Refusal
from engine.staff import roles


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


@call(
    "/api/office/identities",
    "List players who share an identity (staff)",
    auth=Auth.STAFF,
    roles=roles.IDENTITIES_SHOWN,
)
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
                await _name(services, player),
                other,
                await _name(services, other),
                " ".join(sorted(each.subject for each in of_other)),
                "open" if open_ else "same" if same else "different",
                any(each.same is not False and each.carried_until > now for each in of_other),
            )
        )
    return shown


async def _name(services: Services, player: int) -> str:
    member = await asyncio.to_thread(services.vault.identity, player)
    return member.username if member else ""


@call(
    "/api/office/identityDecision",
    "Decide whether two players are one person (staff)",
    auth=Auth.STAFF,
    roles=roles.MEMBERS,
    idempotent=True,
    refusals=(Refusal.PLAYER_UNKNOWN, Refusal.IDENTITY_UNKNOWN),
)
async def decide(
    request: CallRequest, data: IdentityDecisionRequest, services: Services
) -> CallResult[list[SharedIdentityView]]:
    """Decide whether two players are one person.

    If so, the later account is permanently closed to bets and deposits, and its money can be
    withdrawn. If not, an exclusion that was carried over ends. In both cases blocked withdrawals
    continue.
    """
    actor, key = request.staff, require_idempotency_key(request)
    player = (await member_of(services, data.player)).player
    other = (await _other(data, services)).player
    text_id = f"{derived_id('identity', player, actor, key)}/reason"
    reason = await commitment_to(services, text_id, data.reason, player, "reason")
    command = DecideIdentity(player, other, data.same, actor, reason)
    reply = await services.commands.submit(actor, key, command)
    record_position(services, player, reply.position)
    found = [each for each in await _pairs(services, player) if each.other == other]
    return CallResult(found, "set")


async def _other(data: IdentityDecisionRequest, services: Services) -> Any:
    try:
        return await member_of(services, data.other)
    except CallRefused:
        raise CallRefused(Refusal.PLAYER_UNKNOWN, "other") from None
