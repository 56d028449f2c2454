"""Every fact by its versioned topic, and the envelope in which it is recorded.

The class of a fact declares its topic. A topic names a meaning and a version, never a Python path;
once written it stays decodable forever (tests/golden pins each). A changed fact gets a new topic;
the class of the old one stays.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, get_args

import msgspec
from msgspec import Struct

from engine.cashier.facts import ApprovalFact
from engine.house.facts import HouseFact
from engine.players.facts import PlayerFact
from engine.rounds.facts import RoundFact

Fact = PlayerFact | RoundFact | HouseFact | ApprovalFact

TOPICS: Final[dict[type[Any], str]] = {kind: kind.topic for kind in get_args(Fact)}
TYPES: Final[dict[str, type[Any]]] = {topic: kind for kind, topic in TOPICS.items()}

encode: Final[Callable[[Fact], bytes]] = msgspec.json.Encoder().encode
_decoders: Final = {topic: msgspec.json.Decoder(kind) for topic, kind in TYPES.items()}


class RecordedFact(Struct, frozen=True, gc=False):
    """A fact in the log: its position, when it was recorded, for which command and by whom.

    `position` counts the whole log without gaps from 1, `version` the stream from 1; `at` is the
    writer's time in microseconds since 1970 and never decreases along the log.
    """

    position: int
    stream: str
    version: int
    at: int
    command_id: str
    actor: str
    fact: Fact


class UnknownTopicError(KeyError):
    """A topic that this program does not know: a newer one added it."""

    def __init__(self, topic: str) -> None:
        super().__init__(topic)
        self.topic = topic

    def __str__(self) -> str:
        """Says what to do about it, in a log line or to an operator."""
        return f"this version does not know {self.topic}: start the newer version that wrote it"


def decode(topic: str, state: bytes) -> Fact:
    """The fact stored under `topic`; raises UnknownTopicError if a newer program added it."""
    try:
        decoder = _decoders[topic]
    except KeyError:
        raise UnknownTopicError(topic) from None
    fact: Fact = decoder.decode(state)
    return fact


def player_stream(player_id: int) -> str:
    """The name of a player's stream, and the actor name of the player's own commands."""
    return f"player-{player_id}"


@lru_cache(1 << 14)  # called everywhere, in places once per fact
def player_of(stream: str) -> int:
    """The player whose stream this is; raises ValueError for any other stream."""
    kind, _, number = stream.partition("-")
    if kind != "player":
        message = f"{stream} is not a player's stream"
        raise ValueError(message)
    return int(number)


def round_stream(game: int, issue: str) -> str:
    """The name of a round's stream."""
    return f"round-{game}-{issue}"


def game_stream(game: int) -> str:
    """The name of the stream of a game's days."""
    return f"game-{game}"


def reference_stream(reference: str) -> str:
    """The name of the stream of a payment's reference, by its keyed hash."""
    return f"reference-{reference}"


RECEIPTS_STREAM: Final = "receipts"
HOUSE_STREAM: Final = "house"
SOLO_APPROVALS_STREAM: Final = "desk"
