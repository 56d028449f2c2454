"""Commands about a player and the chat of the rooms.

Spans are microseconds. New fields go to the end, with a default.
"""

from msgspec import Struct


class SayInChat(Struct, frozen=True, gc=False, array_like=True, tag="chat-say"):
    """Post a message in a hall; the vault stores the text under the id `message`."""

    player: int
    plan: int
    message: str
    commitment: str


class RemoveFromChat(Struct, frozen=True, gc=False, array_like=True, tag="chat-removal"):
    """Staff remove a message of this player from the hall in which it was posted."""

    player: int
    message: str
    by: str
    reason_commitment: str


class MutePlayer(Struct, frozen=True, gc=False, array_like=True, tag="mute"):
    """Staff mute the player for a given time from now, or with None for good."""

    player: int
    span_us: int | None
    by: str
    reason_commitment: str


class UnmutePlayer(Struct, frozen=True, gc=False, array_like=True, tag="unmute"):
    """Staff unmute the player."""

    player: int
    by: str
    reason_commitment: str


ChatCommand = SayInChat | RemoveFromChat | MutePlayer | UnmutePlayer
