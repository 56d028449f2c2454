"""What can happen in a room, as its streams tell it."""

from collections.abc import Iterable

from msgspec import Raw, Struct

from api import rooms
from api.journal import RoomEvent
from api.listeners import event
from api.results import CachedResult
from api.rooms import Draw, RecallMessage, RoomBet
from api.texts import TRANSLATED
from api.units import Position
from api.wire import encode


class Resumed(Struct, frozen=True, gc=False):
    """A stream goes on behind this position of the log, with nothing missing."""

    after: Position


def resumed(after: int) -> bytes:
    """The first event of a stream whose reader is told all that they missed."""
    return event("resumed", after, encode(Resumed(after)))


def placed(room_bet: RoomBet) -> RoomEvent:
    """Somebody has bet."""
    return RoomEvent(room_bet.bet.position, "bet", room_bet.wire)


def recalled(bet: str, position: int) -> RoomEvent:
    """Somebody has taken a bet back."""
    message = Raw(encode(RecallMessage((bet,))))
    return RoomEvent(position, "recall", lambda _: message)


def drawn(draw: Draw) -> RoomEvent:
    """The game's round has been drawn."""
    messages = {
        name: Raw(encode(rooms.draw_message(draw, texts))) for name, texts in TRANSLATED.items()
    }
    return RoomEvent(draw.position, "draw", lambda texts: messages[texts.name])


def won(results: Iterable[CachedResult]) -> list[RoomEvent]:
    """A player's rounds have been settled, which only that player hears."""
    return [_won(result) for result in results]


def _won(result: CachedResult) -> RoomEvent:
    encoded = Raw(result.encoded)
    return RoomEvent(result.position, "win", lambda _: encoded)
