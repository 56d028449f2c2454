"""The chat of a hall: /api/Lottery/joinChat and say. The heartbeat delivers others' messages.

A text is stored in the vault before the fact, under an id derived from the caller and the
idempotency key: a repetition under the same key is the same message.
"""

import asyncio
from collections.abc import Callable
from hashlib import sha256
from typing import Final

from msgspec import Raw, Struct

from api.http.call_request import ApiRequest, Auth, CallRequest, SessionUse
from api.http.calls import call
from api.http.db_pool import ReadModels
from api.http.envelope import CallResult
from api.http.field_types import At, GameId, PlanId, Words
from api.http.refusals import CallRefused
from api.http.wire import later_seconds, mask_name, seconds
from api.realtime.chat_rooms import ChatMessage
from api.realtime.heartbeat import check_room
from api.realtime.hub import Hub
from api.services import Services
from engine.answers import ChatAnswered, Refused
from engine.chat.commands import SayInChat
from engine.facts import player_stream
from engine.refusals import Refusal
from engine.runtime.vault import MAX_TEXT_LENGTH, clean_text
from projections.chat import FOR_GOOD, muted_until

SAY: Final = "/api/Lottery/say"
_HASH_LENGTH: Final = 20


class JoinChatRequest(ApiRequest):
    """The hall whose chat is joined."""

    plan_id: PlanId
    game_id: GameId


class SayRequest(ApiRequest):
    """A message for a hall: 1 to 200 characters, on one line."""

    plan_id: PlanId
    game_id: GameId
    words: Words


class ChatJoined(Struct, frozen=True):
    """The hall's newest 50 messages, oldest first, and whether the caller is muted.

    `muted_until` is in seconds since 1970; null if the caller is not muted, or permanently muted.
    """

    muted: bool
    muted_until: At | None
    messages: list[Raw | ChatMessage]


@call(
    "/api/Lottery/joinChat",
    "Join a hall's chat",
    auth=Auth.OPTIONAL,
    use=SessionUse.WATCHING,
    refusals=(Refusal.PLAN_UNKNOWN,),
)
async def join_chat(
    request: CallRequest,
    data: JoinChatRequest,
    read_models: ReadModels,
    hub: Hub,
    clock: Callable[[], int],
) -> CallResult[ChatJoined]:
    """Returns the newest messages to any client, and to a signed-in caller whether they are muted.

    Later messages come with the heartbeat and the stream.
    """
    player = request.player
    check_room(data.plan_id, data.game_id)
    until = 0
    if player:
        until = await read_models.read_own(player, lambda c: muted_until(c, player))
    muted = clock() < until
    ends = later_seconds(until) if muted and until < FOR_GOOD else None
    shown: list[Raw | ChatMessage] = [*hub.chats[data.plan_id].shown()]
    joined = ChatJoined(muted, ends, shown)
    return CallResult(joined, "joined_chat")


@call(
    SAY,
    "Send a message to a hall's chat",
    auth=Auth.PLAYER,
    idempotent=True,
    refusals=(
        Refusal.MUST_REGISTER,
        Refusal.EXCLUDED,
        Refusal.ACCOUNT_CLOSED,
        Refusal.MUTED,
        Refusal.PLAN_UNKNOWN,
        Refusal.WORDS_INVALID,
    ),
)
async def say(
    request: CallRequest, data: SayRequest, services: Services
) -> CallResult[ChatMessage]:
    """Send a message, once per idempotency key."""
    player = request.player
    async with services.commands.once.key(request, SAY) as key:
        message = _id(player, key)
        words = await _checked_words(request, data, services, message)
        save_words = services.vault.save_clean_text
        commitment = await asyncio.to_thread(lambda: save_words(message, words, player))
        command = SayInChat(player, data.plan_id, message, commitment)
        reply = await services.commands.submit_under(player, key, command)
    assert isinstance(reply.answer, ChatAnswered)
    nickname = mask_name(await services.nicknames.get(player))
    return CallResult(ChatMessage(message, nickname, words, seconds(reply.answer.at)), "submitted")


def _id(player: int, key: str) -> str:
    """Returns the id of the player's message under this key; it does not reveal the player."""
    return f"chat-{sha256(f'{player_stream(player)}/{key}'.encode()).hexdigest()[:_HASH_LENGTH]}"


async def _checked_words(
    request: CallRequest, data: SayRequest, services: Services, message: str
) -> str:
    """Returns the text as it will be shown. Raises CallRefused before anything is stored.

    A message that is already stored is a repetition: the engine gives it the first answer again.
    """
    command = SayInChat(request.player, data.plan_id, message, "")
    answer = await services.engine.dry_run(command)
    if isinstance(answer, Refused):
        stored = await asyncio.to_thread(lambda: services.vault.texts([message]))
        if not stored:
            raise CallRefused(answer.refusal, answer.field)
    check_room(data.plan_id, data.game_id)
    words = clean_text(data.words)
    if not 0 < len(words) <= MAX_TEXT_LENGTH:
        raise CallRefused(Refusal.WORDS_INVALID, "words")
    services.chat_rate_limiter.acquire(request.player, message, services.clock())
    return words
