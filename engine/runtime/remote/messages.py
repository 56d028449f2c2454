"""The messages of the engine's port between two processes.

One WebSocket (RFC 6455) carries them as binary MessagePack. The client sends a number and a call;
the server answers with the number, whether the call succeeded, and the result, in any order. Two
versions understand each other because structs only grow at their end.
"""

from collections.abc import Callable
from typing import Final, TypeVar

import msgspec
from msgspec import Raw, Struct

from engine.answers import Answer
from engine.cashier.commands import MoneyCommand
from engine.cashier.payment_references import Credit
from engine.chat.commands import ChatCommand
from engine.house.commands import OfficeCommand, RecordProgram
from engine.house.house_state import HouseState
from engine.players.commands import PlayerCommand, ProfileCommand
from engine.runtime.port import EngineStatus
from engine.runtime.scheduler.waiting import Waiting
from engine.runtime.writer.engine_reader import PlayerView, UndrawnRound
from engine.runtime.writer.reply import ReceiptProof, Reply

MAX_MESSAGE_BYTES: Final = 64 * 1024 * 1024
SubmittedCommand = PlayerCommand | OfficeCommand | RecordProgram
"""The commands that other processes submit; steps of the scheduler stay in the engine."""
_ResultT = TypeVar("_ResultT")
Decode = Callable[[bytes], _ResultT]


class Submission(Struct, frozen=True, gc=False, array_like=True):
    """A command with its actor and idempotency key."""

    actor: str
    key: str | None
    command: SubmittedCommand


class SubmitCommands(Struct, frozen=True, array_like=True, tag="submit"):
    """Submit these commands in this order; the result has a reply to each."""

    commands: list[Submission]


class ReadStatus(Struct, frozen=True, array_like=True, tag="status"):
    """Read the engine's status."""


class DryRun(Struct, frozen=True, array_like=True, tag="dry-run"):
    """Read the answer that the command would get now."""

    command: MoneyCommand | ProfileCommand | ChatCommand


class ReadStoredAnswer(Struct, frozen=True, array_like=True, tag="stored-answer"):
    """Read the stored answer of an idempotency key."""

    actor: str
    key: str
    command: SubmittedCommand


class ReadPlayer(Struct, frozen=True, array_like=True, tag="player"):
    """Read a player."""

    player: int


class ReadHouse(Struct, frozen=True, array_like=True, tag="house"):
    """Read the house-wide settings of staff."""


class ReadCredit(Struct, frozen=True, array_like=True, tag="credit"):
    """Read the credit of a payment reference."""

    reference: str


class ReadUndrawnRounds(Struct, frozen=True, array_like=True, tag="undrawn-rounds"):
    """Read the closed rounds that are overdue or being voided."""


class ReadWaiting(Struct, frozen=True, array_like=True, tag="waiting"):
    """Read why an overdue round is not drawn."""

    game: int
    issue: str


class ReadProof(Struct, frozen=True, array_like=True, tag="proof"):
    """Read the proof of an earlier receipt."""

    player: int
    version: int


class EvictOutcomes(Struct, frozen=True, array_like=True, tag="evict-outcomes"):
    """Empty the outcome cache."""


ReadCall = (
    ReadStatus
    | DryRun
    | ReadStoredAnswer
    | ReadPlayer
    | ReadHouse
    | ReadCredit
    | ReadUndrawnRounds
    | ReadWaiting
    | ReadProof
    | EvictOutcomes
)
PortCall = SubmitCommands | ReadCall

encode: Final = msgspec.msgpack.Encoder().encode
decode_call: Final[Decode[tuple[int, PortCall]]] = msgspec.msgpack.Decoder(
    tuple[int, PortCall]
).decode
decode_result: Final[Decode[tuple[int, bool, Raw]]] = msgspec.msgpack.Decoder(
    tuple[int, bool, Raw]
).decode
decode_replies: Final[Decode[list[Reply]]] = msgspec.msgpack.Decoder(list[Reply]).decode
decode_status: Final[Decode[EngineStatus]] = msgspec.msgpack.Decoder(EngineStatus).decode
decode_answer: Final[Decode[Answer]] = msgspec.msgpack.Decoder(Answer).decode
decode_stored_answer: Final[Decode[Answer | None]] = msgspec.msgpack.Decoder(Answer | None).decode
decode_player: Final[Decode[PlayerView | None]] = msgspec.msgpack.Decoder(PlayerView | None).decode
decode_house: Final[Decode[HouseState]] = msgspec.msgpack.Decoder(HouseState).decode
decode_credit: Final[Decode[Credit | None]] = msgspec.msgpack.Decoder(Credit | None).decode
decode_undrawn: Final[Decode[list[UndrawnRound]]] = msgspec.msgpack.Decoder(
    list[UndrawnRound]
).decode
decode_waiting: Final[Decode[Waiting | None]] = msgspec.msgpack.Decoder(Waiting | None).decode
decode_proof: Final[Decode[ReceiptProof | None]] = msgspec.msgpack.Decoder(
    ReceiptProof | None
).decode
decode_nothing: Final[Decode[None]] = msgspec.msgpack.Decoder(None).decode
