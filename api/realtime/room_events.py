"""Builds the events of a room's stream."""

from collections.abc import Iterable

from msgspec import Raw, Struct

from api.http.field_types import Position
from api.http.localization import TRANSLATED
from api.http.wire import encode
from api.realtime import rooms
from api.realtime.replay_buffer import RoomEvent
from api.realtime.result_cache import CachedResult
from api.realtime.rooms import Draw, RecallMessage, RoomBet
from api.realtime.subscribers import event


class Resumed(Struct, frozen=True, gc=False):
    """The stream continues after this log position, with nothing missing."""

    after: Position


def resumed(after: int) -> bytes:
    """Returns the first event of a stream that replays all that its client missed."""
    return event("resumed", after, encode(Resumed(after)))


def placed(room_bet: RoomBet) -> RoomEvent:
    """A player has placed a bet."""
    return RoomEvent(room_bet.bet.position, "bet", room_bet.wire)


def recalled(bet: str, position: int) -> RoomEvent:
    """A player has recalled a bet."""
    message = Raw(encode(RecallMessage((bet,))))
    return RoomEvent(position, "recall", lambda _: message)


def drawn(draw: Draw) -> RoomEvent:
    """The game's round has been drawn."""
    messages = {
        name: Raw(encode(rooms.draw_message(draw, texts))) for name, texts in TRANSLATED.items()
    }
    return RoomEvent(draw.position, "draw", lambda texts: messages[texts.name])


def won(results: Iterable[CachedResult]) -> list[RoomEvent]:
    """A player's rounds have been settled; only that player receives these events."""
    return [_won(result) for result in results]


def _won(result: CachedResult) -> RoomEvent:
    encoded = Raw(result.encoded)
    return RoomEvent(result.position, "win", lambda _: encoded)
