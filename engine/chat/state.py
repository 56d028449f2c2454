"""The writer's chat state of a player: their newest messages, and whether they are muted."""

from typing import Final, assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from engine.chat.facts import ChatFact, ChatMuted, ChatRemoved, ChatSaid, ChatUnmuted
from engine.players.profile import FOR_GOOD

MAX_MESSAGES_KEPT: Final = 200
"""So many messages of a player's in a hall can still be removed; a hall shows no older ones."""


class ChatState(Struct, frozen=True):
    """Shared by all forks of a player: each change makes a new one.

    `message_ids` are the ids of the newest messages by hall, oldest first, without those removed.
    """

    muted_until: int = 0
    message_ids: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def hall_of(self, message: str) -> int | None:
        """The hall of this message, None if it is not among the newest."""
        return next((plan for plan, ids in self.message_ids.items() if message in ids), None)


def evolve(chat: ChatState, fact: ChatFact) -> ChatState:
    """The chat state after a fact; never refuses."""
    match fact:
        case ChatSaid(message=message, plan=plan):
            ids = (*chat.message_ids.get(plan, ()), message)[-MAX_MESSAGES_KEPT:]
            return replace(chat, message_ids={**chat.message_ids, plan: ids})
        case ChatRemoved(message=message, plan=plan):
            left = tuple(each for each in chat.message_ids.get(plan, ()) if each != message)
            return replace(chat, message_ids={**chat.message_ids, plan: left})
        case ChatMuted(until=until):
            return replace(chat, muted_until=FOR_GOOD if until is None else until)
        case ChatUnmuted():
            return replace(chat, muted_until=0)
        case _ as never:
            assert_never(never)
