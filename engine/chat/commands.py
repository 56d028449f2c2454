"""What may be asked about a player and the chat of the rooms.

Spans are microseconds. New fields go to the end, with a default.
"""

from msgspec import Struct


class SayInChat(Struct, frozen=True, gc=False, array_like=True, tag="chat-say"):
    """Say something in a hall; `message` is its id, under which the vault keeps the words."""

    player: int
    plan: int
    message: str
    commitment: str


class RemoveFromChat(Struct, frozen=True, gc=False, array_like=True, tag="chat-removal"):
    """Staff take a message of this player's out of its hall."""

    player: int
    message: str
    by: str
    reason_commitment: str


class MutePlayer(Struct, frozen=True, gc=False, array_like=True, tag="mute"):
    """Staff let the player say nothing for so long from now; None is for good."""

    player: int
    span_us: int | None
    by: str
    reason_commitment: str


class UnmutePlayer(Struct, frozen=True, gc=False, array_like=True, tag="unmute"):
    """Staff let the player speak again."""

    player: int
    by: str
    reason_commitment: str


ChatCommand = SayInChat | RemoveFromChat | MutePlayer | UnmutePlayer
