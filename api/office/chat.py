"""Chat moderation by staff: reading the halls' chat, removing messages, muting players."""

import asyncio
from hashlib import sha256
from typing import Final

from msgspec import Struct

from api.http.call_request import CallRequest, StaffRequest
from api.http.calls import staff_command, staff_query
from api.http.commands import Commands
from api.http.db_pool import ReadModels
from api.http.envelope import CallResult
from api.http.field_types import At, Cursor, Hours, PlanId, PlayerId, PlayerName, Words
from api.http.refusals import CallRefused
from api.http.wire import SECOND_US, later_seconds, seconds
from api.office.common import (
    ALL_STAFF,
    commitment_to,
    member_of,
    reason_text_id,
    record_position,
)
from engine.answers import ChatAnswered
from engine.catalogue import PLANS
from engine.chat.commands import MutePlayer, RemoveFromChat, UnmutePlayer
from engine.refusals import Refusal
from engine.runtime.vault import Vault
from engine.staff import roles
from projections.chat import FOR_GOOD, ChatMessageRow, find_message, messages_before

_HOUR_US: Final = 3_600 * SECOND_US
_MAX_HOURS: Final = 1_000_000
_MAX_ID_LENGTH: Final = 128
_PAGE: Final = 100


class MuteRequest(StaffRequest):
    """`player` is a user name or a player id; `muted` false unmutes the player.

    `hours` is 1 to 8,784, a year; without it the player is muted permanently.
    """

    player: PlayerName
    muted: bool
    reason: Words
    hours: Hours | None = None


class MessageRemovalRequest(StaffRequest):
    """`id` is that of a visible message; `reason` says why it is removed."""

    id: str
    reason: Words


class ChatRequest(StaffRequest):
    """`plan_id` is the hall, or null for all halls; `cursor` continues the list."""

    plan_id: PlanId | None = None
    cursor: Cursor | None = None


class MuteView(Struct, frozen=True):
    """Whether the player is muted, and until when, in seconds since 1970; null if permanently."""

    player: PlayerId
    muted: bool
    muted_until: At | None


class Removed(Struct, frozen=True):
    """The removed message, which is not shown to players any more."""

    id: str
    player: PlayerId


class ChatItem(Struct, frozen=True):
    """A message with its author's full user name; times in seconds since 1970.

    `words` are empty if the player was erased. `removed_by`, `removed_at` and `reason` are empty or
    0 if the message was not removed.
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


@staff_command(
    "mute",
    "Mute or unmute a player in the chat",
    roles.CHAT,
    refusals=(Refusal.PLAYER_UNKNOWN, Refusal.PERIOD_INVALID),
)
async def mute(
    request: CallRequest, data: MuteRequest, vault: Vault, commands: Commands
) -> CallResult[MuteView]:
    """Mute a player in the chat, or unmute them; betting is not affected."""
    actor, key = request.staff, request.required_key
    span = None if data.hours is None else _span(data.hours)
    player = (await member_of(vault, data.player)).player
    text_id = f"player-{player}/{sha256(f'{actor}/{key}'.encode()).hexdigest()[:20]}"
    reason = await commitment_to(vault, text_id, data.reason, player, "reason")
    command: MutePlayer | UnmutePlayer = UnmutePlayer(player, actor, reason)
    if data.muted:
        command = MutePlayer(player, span, actor, reason)
    reply = await commands.submit(actor, key, command)
    record_position(commands, player, reply.position)
    assert isinstance(reply.answer, ChatAnswered)
    until = reply.answer.muted_until
    ends = later_seconds(until) if data.muted and until < FOR_GOOD else None
    return CallResult(MuteView(player, data.muted, ends), "set")


def _span(hours: int) -> int:
    if not 0 < hours <= _MAX_HOURS:
        raise CallRefused(Refusal.PERIOD_INVALID, "hours")
    return hours * _HOUR_US


@staff_command(
    "chatRemove",
    "Remove a message from the chat",
    roles.CHAT,
    refusals=(Refusal.CHAT_MESSAGE_UNKNOWN,),
)
async def remove(
    request: CallRequest,
    data: MessageRemovalRequest,
    vault: Vault,
    read_models: ReadModels,
    commands: Commands,
) -> CallResult[Removed]:
    """Remove a message from its hall."""
    actor, key = request.staff, request.required_key
    message = await _message(read_models, data.id)
    reason = await commitment_to(
        vault, reason_text_id(message.message), data.reason, message.player, "reason"
    )
    command = RemoveFromChat(message.player, message.message, actor, reason)
    reply = await commands.submit(actor, key, command)
    record_position(commands, message.player, reply.position)
    return CallResult(Removed(message.message, message.player), "set")


async def _message(read_models: ReadModels, message_id: str) -> ChatMessageRow:
    found = None
    if 0 < len(message_id) <= _MAX_ID_LENGTH and message_id.isprintable():
        found = await read_models.read_own(ALL_STAFF, lambda c: find_message(c, message_id))
    if found is None:
        raise CallRefused(Refusal.CHAT_MESSAGE_UNKNOWN, "id")
    return found


@staff_query("chat", "List chat messages", roles.CHAT_SHOWN, refusals=(Refusal.PLAN_UNKNOWN,))
async def chat(
    data: ChatRequest, vault: Vault, read_models: ReadModels
) -> CallResult[list[ChatItem]]:
    """Returns chat messages, including removed ones, newest first."""
    plan, cursor = data.plan_id, data.cursor or None
    if plan is not None and plan not in PLANS:
        raise CallRefused(Refusal.PLAN_UNKNOWN, "plan_id")
    try:
        found = await read_models.read_own(
            ALL_STAFF, lambda c: messages_before(c, plan, cursor, _PAGE)
        )
    except ValueError:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "cursor") from None
    items = await asyncio.to_thread(lambda: _items(vault, found.items))
    return CallResult(items, more=found.cursor is not None, cursor=found.cursor)


def _items(vault: Vault, found: tuple[ChatMessageRow, ...]) -> list[ChatItem]:
    words = vault.texts(name for it in found for name in (it.message, reason_text_id(it.message)))
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
            words.get(reason_text_id(it.message), "") if it.removed_at else "",
        )
        for it in found
    ]


def _name(vault: Vault, player: int) -> str:
    member = vault.identity(player)
    return member.username if member else ""
