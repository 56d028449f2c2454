"""Metrics of the engine: hooks, which `api/ops/counters.py` implements, and the unfinished rounds.

They do not affect decisions.
"""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from engine.answers import Answer
from engine.catalogue import GAMES
from engine.command_handler import Command
from engine.engine_state import EngineState
from engine.refusals import Refusal
from engine.rounds.state import EXPOSURE_CAP_MINOR, Phase


class QueuedCommand(Protocol):
    """A command that has been waiting since it `arrived`."""

    @property
    def command(self) -> Command:
        """The command itself."""

    @property
    def arrived(self) -> float:
        """The time of arrival, in seconds of the event loop's clock."""


Answered = Sequence[tuple[QueuedCommand, Answer, int]]


class Observer:
    """Hooks that do nothing unless overridden.

    They are called on the engine's event loop, between two awaits, must be quick and never raise.
    """

    def batch_answered(
        self, answered: Answered, repeated: Sequence[QueuedCommand], now: float
    ) -> None:
        """A batch is stored and all its commands are answered, `repeated` with earlier answers."""

    def rejected(self, command: Command, refusal: Refusal) -> None:
        """A command was refused undecided: the queue was full, or the command had timed out."""

    def committed(self, seconds: float) -> None:
        """Storing a batch ended after `seconds`, successfully or not."""

    def step_taken(self, command: Command, late_us: int | None) -> None:
        """The scheduler took a step, `late_us` after it was due; None if it had no due time."""


class UnfinishedRound(Struct, frozen=True):
    """An unfinished round: when its next step is due, in microseconds, and its exposure.

    `worst_minor` is the gross payout of the worst sum, which never exceeds `cap_minor`.
    """

    game: int
    due_at: int
    worst_minor: int
    cap_minor: int


def rounds_of(state: EngineState) -> tuple[UnfinishedRound, ...]:
    """Returns all unfinished rounds; to be called between two awaits."""
    return tuple(
        UnfinishedRound(
            game,
            each.closes_at if each.phase == Phase.OPEN else each.opened.draws_at,
            max(each.book.gross_minor),
            EXPOSURE_CAP_MINOR,
        )
        for game in GAMES
        for each in state.unfinished_rounds(game)
    )


def delays(rounds: tuple[UnfinishedRound, ...], now: int) -> dict[int, int]:
    """Returns by how much the oldest pending step of each game is late, in microseconds."""
    return {
        game: max((0, *(now - each.due_at for each in rounds if each.game == game)))
        for game in GAMES
    }
