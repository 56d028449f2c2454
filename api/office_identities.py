"""Members who gave the same ID card or payout account: staff decide whether they are one person.

The member is never told: the answer to a known number is that to any other (GLI-19 2.5.2d).
"""

import asyncio
from typing import Any, Final

from msgspec import Struct

from api.calls import Asked, Auth, Call, StaffAsking
from api.commanding import answered
from api.envelope import CallRefused, Done
from api.members import in_time, known, looking
from api.office_desk import kept, key_of, member_of, note, number
from api.services import Services
from api.units import PlayerId, PlayerName, Words
from engine.house import roles
from engine.players.standing_commands import DecideIdentity
from engine.refusals import Refusal


class IdentitiesAsking(StaffAsking):
    """`every` adds the pairs that are decided."""

    every: bool = False


class IdentityAsking(StaffAsking):
    """`player` gave later what `other` had given; each is a user name or a player id."""

    player: PlayerName
    other: PlayerName
    same: bool
    reason: Words


class SharedIdentity(Struct, frozen=True):
    """Two members who gave the same: `shares` is idcard, payout, or both with a blank between.

    `player` gave it later. `status` is open, while withdrawals of `player` are held, same or
    different; `excluded` says that the exclusion of `other` holds for `player`.
    """

    player: PlayerId
    username: str
    other: PlayerId
    other_username: str
    shares: str
    status: str
    excluded: bool


async def identities(asked: Asked[IdentitiesAsking]) -> Done:
    """Members whose identity another member gave before; withdrawals of open ones are held."""
    services = asked.services
    pairs: list[SharedIdentity] = []
    for player in await asyncio.to_thread(services.vault.sharing):
        pairs += await _pairs(services, player)
    return Done([each for each in pairs if asked.body.every or each.status == "open"])


async def _pairs(services: Services, player: int) -> list[SharedIdentity]:
    await known(services, player)
    view = await in_time(looking(services).player(player))
    if view is None:
        return []
    now, shown = services.clock(), []
    for other in sorted({each.other for each in view.shared}):
        mine = [each for each in view.shared if each.other == other]
        open_ = any(each.same is None for each in mine)
        same = any(each.same for each in mine)
        shown.append(
            SharedIdentity(
                player,
                await _name(services, player),
                other,
                await _name(services, other),
                " ".join(sorted(each.subject for each in mine)),
                "open" if open_ else "same" if same else "different",
                any(each.same is not False and each.carried_until > now for each in mine),
            )
        )
    return shown


async def _name(services: Services, player: int) -> str:
    member = await asyncio.to_thread(services.vault.member, player)
    return member.username if member else ""


async def decide(asked: Asked[IdentityAsking]) -> Done:
    """Two members are one person, or are not.

    One person: the later account is closed to bets and deposits for good, and its money can be
    withdrawn. Two: an exclusion that was carried over ends. Held withdrawals go on either way.
    """
    body, actor, key, services = asked.body, asked.staff, key_of(asked), asked.services
    player = (await member_of(asked, body.player)).player
    other = (await _other(asked)).player
    place = f"{number('identity', player, actor, key)}/reason"
    reason = await kept(asked, place, body.reason, player, "reason")
    command = DecideIdentity(player, other, body.same, actor, reason)
    reply = await answered(services, actor, key, command)
    note(asked, player, reply.position)
    found = [each for each in await _pairs(services, player) if each.other == other]
    return Done(found, "set")


async def _other(asked: Asked[IdentityAsking]) -> Any:
    try:
        return await member_of(asked, asked.body.other)
    except CallRefused:
        raise CallRefused(Refusal.PLAYER_UNKNOWN, "other") from None


CALLS: Final[tuple[Call[Any], ...]] = (
    Call(
        "/api/office/identities",
        IdentitiesAsking,
        list[SharedIdentity],
        identities,
        "Members who gave the same identity (staff)",
        auth=Auth.STAFF,
        roles=roles.IDENTITIES_SHOWN,
    ),
    Call(
        "/api/office/identityDecision",
        IdentityAsking,
        list[SharedIdentity],
        decide,
        "Say whether two members are one person (staff)",
        auth=Auth.STAFF,
        roles=roles.MEMBERS,
        keyed=True,
        refusals=(Refusal.PLAYER_UNKNOWN, Refusal.IDENTITY_UNKNOWN),
    ),
)
