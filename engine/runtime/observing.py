"""What the engine tells whoever watches it. Watching changes nothing that is decided."""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from engine.answers import Answer
from engine.catalogue import GAMES
from engine.dispatch import Command
from engine.refusals import Refusal
from engine.rounds.state import EXPOSURE_CAP_MINOR, Phase
from engine.world import World


class Waited(Protocol):
    """A command that has waited since it `arrived`, by the event loop's clock in seconds."""

    @property
    def command(self) -> Command:
        """What was asked for."""

    @property
    def arrived(self) -> float:
        """When."""


Answered = Sequence[tuple[Waited, Answer, int]]


class Observer(Protocol):
    """Told on the engine's event loop, between two awaits: it must be quick and never raise."""

    def published(self, answered: Answered, repeated: Sequence[Waited], now: float) -> None:
        """A batch is in the log and all in it are answered, `repeated` with an earlier answer."""

    def turned_away(self, command: Command, refusal: Refusal) -> None:
        """A command was refused undecided: there was no room for it, or its time had passed."""

    def committed(self, seconds: float) -> None:
        """The log has taken a batch, or has not, after so long."""

    def stepped(self, command: Command, late_us: int | None) -> None:
        """The house took a step, so long after it was due; None for one that was due at no time."""


class Nobody:
    """Watches nothing."""

    def published(self, answered: Answered, repeated: Sequence[Waited], now: float) -> None:
        """Leave it."""

    def turned_away(self, command: Command, refusal: Refusal) -> None:
        """Leave it."""

    def committed(self, seconds: float) -> None:
        """Leave it."""

    def stepped(self, command: Command, late_us: int | None) -> None:
        """Leave it."""


class RoundView(Struct, frozen=True):
    """A round that is not finished: when its next step is due, in microseconds, and its risk.

    `worst_minor` is what the worst sum would pay out gross, which never passes `cap_minor`.
    """

    game: int
    due_at: int
    worst_minor: int
    cap_minor: int


def rounds_of(world: World) -> tuple[RoundView, ...]:
    """Every round that is owed, to be read between two awaits."""
    return tuple(
        RoundView(
            game,
            each.closes_at if each.phase == Phase.OPEN else each.opened.draws_at,
            max(each.book.gross_minor),
            EXPOSURE_CAP_MINOR,
        )
        for game in GAMES
        for each in world.owed(game)
    )
