"""Facts about a player in the chat of the halls. `plan` is a hall's number.

Texts and reasons are in the vault, under our ids; a fact has a commitment to them. Times are
microseconds since 1970.
"""

from typing import ClassVar

from msgspec import Struct


class ChatSaid(Struct, frozen=True, gc=False):
    """The player posted a message in a hall."""

    topic: ClassVar = "chat-said.1"
    message: str
    plan: int
    commitment: str


class ChatRemoved(Struct, frozen=True, gc=False):
    """Staff removed a message of the player from a hall's chat."""

    topic: ClassVar = "chat-removed.1"
    message: str
    plan: int
    by: str
    reason_commitment: str


class ChatMuted(Struct, frozen=True, gc=False):
    """Staff muted the player until a time; None is permanently."""

    topic: ClassVar = "chat-muted.1"
    until: int | None
    by: str
    reason_commitment: str


class ChatUnmuted(Struct, frozen=True, gc=False):
    """Staff unmuted the player."""

    topic: ClassVar = "chat-unmuted.1"
    by: str
    reason_commitment: str


ChatFact = ChatSaid | ChatRemoved | ChatMuted | ChatUnmuted
