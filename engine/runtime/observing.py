"""What the engine tells whoever watches it. Watching changes nothing that is decided."""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from engine.answers import Answer
from engine.catalogue import GAMES
from engine.dispatch import Command
from engine.refusals import Refusal
from engine.rounds.state import EXPOSURE_CAP_MINOR, Phase
from engine.world import EngineState


class QueuedCommand(Protocol):
    """A command that has waited since it `arrived`, by the event loop's clock in seconds."""

    @property
    def command(self) -> Command:
        """What was asked for."""

    @property
    def arrived(self) -> float:
        """When."""


Answered = Sequence[tuple[QueuedCommand, Answer, int]]


class Observer(Protocol):
    """Told on the engine's event loop, between two awaits: it must be quick and never raise."""

    def batch_answered(
        self, answered: Answered, repeated: Sequence[QueuedCommand], now: float
    ) -> None:
        """A batch is in the log and all in it are answered, `repeated` with an earlier answer."""

    def rejected(self, command: Command, refusal: Refusal) -> None:
        """A command was refused undecided: there was no room for it, or its time had passed."""

    def committed(self, seconds: float) -> None:
        """The log has taken a batch, or has not, after so long."""

    def step_taken(self, command: Command, late_us: int | None) -> None:
        """The house took a step, so long after it was due; None for one that was due at no time."""


class NullObserver:
    """Watches nothing."""

    def batch_answered(
        self, answered: Answered, repeated: Sequence[QueuedCommand], now: float
    ) -> None:
        """Leave it."""

    def rejected(self, command: Command, refusal: Refusal) -> None:
        """Leave it."""

    def committed(self, seconds: float) -> None:
        """Leave it."""

    def step_taken(self, command: Command, late_us: int | None) -> None:
        """Leave it."""


class UnfinishedRound(Struct, frozen=True):
    """A round that is not finished: when its next step is due, in microseconds, and its risk.

    `worst_minor` is what the worst sum would pay out gross, which never passes `cap_minor`.
    """

    game: int
    due_at: int
    worst_minor: int
    cap_minor: int


def rounds_of(state: EngineState) -> tuple[UnfinishedRound, ...]:
    """Every round that is owed, to be read between two awaits."""
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
