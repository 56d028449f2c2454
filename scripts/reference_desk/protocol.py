"""The messages between the app and a customer-service desk: JSON text frames on one web socket.

The app opens the socket that `FAIRDRAW_SUPPORT_SOCKET` names, with the subprotocol `SUBPROTOCOL`,
and sends `hello` first. The desk answers with `state`, then with its messages after the one named
by `after`. The app sends `message`, and repeats it with the same id after a reconnect; the desk
acknowledges each with `received` or `refused`, and handles an id of a visit once.

`visit` is random and known only to the app and the desk: a client that has it can read the
conversation. Both sides ignore unknown fields. The app ignores unknown message types; the desk
closes with 1008 on anything that is not one of `FromApp`.
"""

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

SUBPROTOCOL: Final = "fairdraw.service.v1"
MAX_TEXT_LENGTH: Final = 1_000
#: Bytes per frame: the longest text with every character escaped as two UTF-16 units.
MAX_FRAME_BYTES: Final = 16_384

Id = Annotated[str, Meta(max_length=40)]
Visit = Annotated[str, Meta(pattern=r"\A[0-9A-Za-z-]{16,64}\Z")]


class Hello(Struct, frozen=True, tag="hello"):
    """The app opens or resumes a conversation; `language` is one of the app's codes."""

    visit: Visit
    language: Annotated[str, Meta(max_length=16)] = "en"
    after: Id = ""


class Message(Struct, frozen=True, tag="message"):
    """A text in either direction; `id` is unique among those of its sender in a visit."""

    id: Id
    text: str


class State(Struct, frozen=True, tag="state"):
    """Whether staff are at the desk now."""

    state: Literal["here", "away"]


class Received(Struct, frozen=True, tag="received"):
    """The desk has the message of this id."""

    id: Id


class Refused(Struct, frozen=True, tag="refused"):
    """The desk refuses the message of this id; the same text is accepted under a new one."""

    id: Id
    reason: Literal["empty", "too_long", "too_fast"]


FromApp = Hello | Message
FromDesk = State | Received | Refused | Message
