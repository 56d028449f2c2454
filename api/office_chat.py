"""How staff keep order in the halls' chat: reading along, taking messages out, muting."""

import asyncio
from hashlib import sha256
from typing import Any, Final

from msgspec import Struct

from api.calls import Asked, Auth, Call, StaffAsking
from api.commanding import answered
from api.envelope import CallRefused, Done
from api.office_desk import (
    EVERYBODY,
    kept,
    key_of,
    member_of,
    note,
    reason_place,
)
from api.units import At, Cursor, Hours, PlanId, PlayerId, PlayerName, Words
from api.wire import SECOND_US, later_seconds, seconds
from engine.answers import ChatAnswered
from engine.catalogue import PLANS
from engine.house import roles
from engine.players.chat_commands import MutePlayer, RemoveFromChat, UnmutePlayer
from engine.refusals import Refusal
from engine.runtime.vault import Vault
from projections.feed import queries as feed
from projections.feed.chat import FOR_GOOD
from projections.feed.queries import Said

_HOUR_US: Final = 3_600 * SECOND_US
_MOST_HOURS: Final = 1_000_000
_LONGEST_ID: Final = 128
_PAGE: Final = 100


class MuteAsking(StaffAsking):
    """`player` is a user name or a player id; `muted` false lets them speak again.

    Without `hours` (1 to 8,784, a year) it is for good.
    """

    player: PlayerName
    muted: bool
    reason: Words
    hours: Hours | None = None


class RemovalAsking(StaffAsking):
    """The id of a message that stands in a hall."""

    id: str
    reason: Words


class ChatAsking(StaffAsking):
    """The hall, or without it all of them; `cursor` continues the list."""

    plan_id: PlanId | None = None
    cursor: Cursor | None = None


class MuteShown(Struct, frozen=True):
    """Whether the member may say nothing; until when, in seconds, null if it is for good."""

    player: PlayerId
    muted: bool
    muted_until: At | None


class Removed(Struct, frozen=True):
    """The message that nobody is shown any more."""

    id: str
    player: PlayerId


class ChatItem(Struct, frozen=True):
    """A message and whose it is, in full; times in seconds since 1970.

    `words` are empty once the member was erased. `removed_by`, `removed_at` and `reason` are empty
    or 0 for a message that stands.
    """

    id: str
    plan_id: PlanId
    player: PlayerId
    username: str
    words: str
    createtime: At
    removed_by: str
    removed_at: At
    reason: str


async def mute(asked: Asked[MuteAsking]) -> Done:
    """Let a member say nothing, or speak again."""
    body, actor, key = asked.body, asked.staff, key_of(asked)
    span = None if body.hours is None else _span(body.hours)
    player = (await member_of(asked, body.player)).player
    place = f"player-{player}/{sha256(f'{actor}/{key}'.encode()).hexdigest()[:20]}"
    reason = await kept(asked, place, body.reason, player, "reason")
    command: MutePlayer | UnmutePlayer = UnmutePlayer(player, actor, reason)
    if body.muted:
        command = MutePlayer(player, span, actor, reason)
    reply = await answered(asked.services, actor, key, command)
    note(asked, player, reply.position)
    assert isinstance(reply.answer, ChatAnswered)
    until = reply.answer.muted_until
    ends = later_seconds(until) if body.muted and until < FOR_GOOD else None
    return Done(MuteShown(player, body.muted, ends), "set")


def _span(hours: int) -> int:
    if not 0 < hours <= _MOST_HOURS:
        raise CallRefused(Refusal.PERIOD_INVALID, "hours")
    return hours * _HOUR_US


async def remove(asked: Asked[RemovalAsking]) -> Done:
    """Take a message out of its hall."""
    body, actor, key = asked.body, asked.staff, key_of(asked)
    said = await _message(asked, body.id)
    reason = await kept(asked, reason_place(said.message), body.reason, said.player, "reason")
    command = RemoveFromChat(said.player, said.message, actor, reason)
    reply = await answered(asked.services, actor, key, command)
    note(asked, said.player, reply.position)
    return Done(Removed(said.message, said.player), "set")


async def _message(asked: Asked[RemovalAsking], wanted: str) -> Said:
    found = None
    if 0 < len(wanted) <= _LONGEST_ID and wanted.isprintable():
        services = asked.services
        found = await services.read_own(EVERYBODY, lambda c: feed.chat_message(c, wanted))
    if found is None:
        raise CallRefused(Refusal.CHAT_MESSAGE_UNKNOWN, "id")
    return found


async def chat(asked: Asked[ChatAsking]) -> Done:
    """What was said, newest first, removed messages too."""
    plan, cursor, vault = asked.body.plan_id, asked.body.cursor or None, asked.services.vault
    if plan is not None and plan not in PLANS:
        raise CallRefused(Refusal.PLAN_UNKNOWN, "plan_id")
    try:
        found = await asked.services.read_own(
            EVERYBODY, lambda c: feed.chat_behind(c, plan, cursor, _PAGE)
        )
    except ValueError:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "cursor") from None
    items = await asyncio.to_thread(lambda: _items(vault, found.items))
    return Done(items, more=found.cursor is not None, cursor=found.cursor)


def _items(vault: Vault, found: tuple[Said, ...]) -> list[ChatItem]:
    words = vault.words(name for it in found for name in (it.message, reason_place(it.message)))
    names = {player: _name(vault, player) for player in {it.player for it in found}}
    return [
        ChatItem(
            it.message,
            it.plan,
            it.player,
            names[it.player],
            words.get(it.message, ""),
            seconds(it.at),
            it.removed_by,
            seconds(it.removed_at),
            words.get(reason_place(it.message), "") if it.removed_at else "",
        )
        for it in found
    ]


def _name(vault: Vault, player: int) -> str:
    member = vault.member(player)
    return member.username if member else ""


CALLS: Final[tuple[Call[Any], ...]] = (
    Call(
        "/api/office/mute",
        MuteAsking,
        MuteShown,
        mute,
        "Mute a member in the chat, or no longer (staff)",
        auth=Auth.STAFF,
        roles=roles.CHAT,
        keyed=True,
        refusals=(Refusal.PLAYER_UNKNOWN, Refusal.PERIOD_INVALID),
    ),
    Call(
        "/api/office/chatRemove",
        RemovalAsking,
        Removed,
        remove,
        "Take a message out of the chat (staff)",
        auth=Auth.STAFF,
        roles=roles.CHAT,
        keyed=True,
        refusals=(Refusal.CHAT_MESSAGE_UNKNOWN,),
    ),
    Call(
        "/api/office/chat",
        ChatAsking,
        list[ChatItem],
        chat,
        "What was said (staff)",
        auth=Auth.STAFF,
        roles=roles.CHAT_SHOWN,
        refusals=(Refusal.PLAN_UNKNOWN,),
    ),
)
