"""What can have happened to a player in the chat of the rooms.

Words and reasons are in the vault, by ids of ours; a fact holds a commitment to them. Times are
microseconds since 1970.
"""

from msgspec import Struct


class ChatSaid(Struct, frozen=True, gc=False):
    """The player said something in a hall."""

    message: str
    plan: int
    commitment: str


class ChatRemoved(Struct, frozen=True, gc=False):
    """Staff took a message of the player's out of a hall's chat."""

    message: str
    plan: int
    by: str
    reason_commitment: str


class ChatMuted(Struct, frozen=True, gc=False):
    """Staff let the player say nothing until a time; None is for good."""

    until: int | None
    by: str
    reason_commitment: str


class ChatUnmuted(Struct, frozen=True, gc=False):
    """Staff let the player speak again."""

    by: str
    reason_commitment: str


ChatFact = ChatSaid | ChatRemoved | ChatMuted | ChatUnmuted
