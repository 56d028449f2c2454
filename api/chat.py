"""The chat of a hall: /api/Lottery/joinChat and say. What others say comes with the heartbeat.

Words are kept in the vault before the fact, under an id that follows from the caller and the key:
said again under the same key, it is the same message.
"""

import asyncio
from hashlib import sha256
from typing import Final

from msgspec import Raw, Struct

from api.calls import Asked, Asking, Auth, Call, Use
from api.chat_rooms import ChatMessage
from api.commanding import actor_of, answered, key_of
from api.envelope import CallRefused, Done
from api.heart import check_room
from api.members import in_time, looking
from api.units import At, GameId, PlanId, Words
from api.wire import later_seconds, masked, seconds
from engine.answers import ChatAnswered, Refused
from engine.players.chat_commands import SayInChat
from engine.refusals import Refusal
from engine.runtime.vault import MOST_WORDS, clean_words
from projections.feed import queries as feed
from projections.feed.chat import FOR_GOOD

SAY: Final = "/api/Lottery/say"
_MOST_HASH: Final = 20


class JoinChatAsking(Asking):
    """The hall whose chat is joined."""

    plan_id: PlanId
    game_id: GameId


class SayAsking(Asking):
    """What to say in a hall: 1 to 200 characters, on one line."""

    plan_id: PlanId
    game_id: GameId
    words: Words


class ChatJoined(Struct, frozen=True):
    """The hall's newest 50 messages, oldest first, and whether the caller may not speak.

    `muted_until` is in seconds since 1970; null for whoever is not muted, or is for good.
    """

    muted: bool
    muted_until: At | None
    messages: list[ChatMessage]


class _Joined(Struct, frozen=True):
    muted: bool
    muted_until: int | None
    messages: list[Raw]


async def join_chat(asked: Asked[JoinChatAsking]) -> Done:
    """What was said, for anybody; whether they may speak, for whoever is signed in.

    What is said from then on comes with the heartbeat and the stream.
    """
    body, services, player = asked.body, asked.services, asked.player
    check_room(body.plan_id, body.game_id)
    until = 0
    if player:
        until = await services.read_own(player, lambda c: feed.muted_until(c, player))
    muted = services.clock() < until
    ends = later_seconds(until) if muted and until < FOR_GOOD else None
    joined = _Joined(muted, ends, services.hub.chats[body.plan_id].shown())
    return Done(joined, "joined_chat")


async def say(asked: Asked[SayAsking]) -> Done:
    """Say something, once for each key."""
    body, services, player = asked.body, asked.services, asked.player
    async with key_of(asked, SAY) as key:
        message = _id(player, key)
        words = await _sayable(asked, message)
        keep = services.vault.keep_words
        commitment = await asyncio.to_thread(lambda: keep(message, words, player))
        wanted = SayInChat(player, body.plan_id, message, commitment)
        reply = await answered(services, actor_of(player), key, wanted)
    services.seen.note(player, reply.position)
    assert isinstance(reply.answer, ChatAnswered)
    nickname = masked(await services.nickname(player))
    return Done(ChatMessage(message, nickname, words, seconds(reply.answer.at)), "submitted")


def _id(player: int, key: str) -> str:
    """The message that this player says under this key; to others it does not tell whose it is."""
    return f"chat-{sha256(f'{actor_of(player)}/{key}'.encode()).hexdigest()[:_MOST_HASH]}"


async def _sayable(asked: Asked[SayAsking], message: str) -> str:
    """The words as they will be shown; CallRefused before anything is kept of them.

    Whatever was kept before is a repetition, which the engine answers as it did the first time.
    """
    body, services = asked.body, asked.services
    wanted = SayInChat(asked.player, body.plan_id, message, "")
    answer = await in_time(looking(services).foresee(wanted))
    if isinstance(answer, Refused):
        known = await asyncio.to_thread(lambda: services.vault.words([message]))
        if not known:
            raise CallRefused(answer.refusal, answer.field)
    check_room(body.plan_id, body.game_id)
    words = clean_words(body.words)
    if not 0 < len(words) <= MOST_WORDS:
        raise CallRefused(Refusal.WORDS_INVALID, "words")
    services.pace.take(asked.player, message, services.clock())
    return words


CALLS: Final = (
    Call(
        "/api/Lottery/joinChat",
        JoinChatAsking,
        ChatJoined,
        join_chat,
        "Join a hall's chat",
        auth=Auth.ANYBODY,
        use=Use.WATCHING,
        refusals=(Refusal.PLAN_UNKNOWN,),
    ),
    Call(
        SAY,
        SayAsking,
        ChatMessage,
        say,
        "Say something in a hall's chat",
        auth=Auth.PLAYER,
        keyed=True,
        refusals=(
            Refusal.MUST_REGISTER,
            Refusal.EXCLUDED,
            Refusal.ACCOUNT_CLOSED,
            Refusal.MUTED,
            Refusal.PLAN_UNKNOWN,
            Refusal.WORDS_INVALID,
        ),
    ),
)
