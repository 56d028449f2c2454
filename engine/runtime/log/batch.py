"""What one transaction of the writer stores, column by column."""

from typing import Any

from msgspec import Struct, field

from engine.runtime.log.pg_arrays import blobs, integers, texts


class Batch(Struct):
    """Facts and outcomes that commit together or not at all.

    `epoch` is the leader's; without one (tools, tests of the store) no lease is checked.
    `first_position` is where the first fact goes; without one it goes behind the last.
    `backend` is the database process that was given the batch, noted before it is sent, so that
    it can be ended when its answer never came.
    """

    id: bytes = b""
    epoch: int | None = None
    at: int = 0
    first_position: int | None = None
    backend: int = 0
    streams: list[str] = field(default_factory=list)
    versions: list[int] = field(default_factory=list)
    topics: list[str] = field(default_factory=list)
    states: list[bytes] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    actors: list[str] = field(default_factory=list)
    outcome_actors: list[str] = field(default_factory=list)
    outcome_keys: list[str] = field(default_factory=list)
    outcome_commands: list[bytes] = field(default_factory=list)
    outcome_answers: list[bytes] = field(default_factory=list)
    outcome_refused: list[int] = field(default_factory=list)

    @property
    def last_position(self) -> int:
        """The position of the last fact, or of the one before when there is none."""
        return (self.first_position or 1) + len(self.streams) - 1

    def columns(self) -> tuple[Any, ...]:
        """The parameters of `append_batch`, in its order."""
        base = None if self.first_position is None else self.first_position - 1
        return (
            self.epoch,
            self.id,
            self.at,
            base,
            texts(self.streams),
            integers(self.versions),
            texts(self.topics),
            blobs(self.states),
            texts(self.commands),
            texts(self.actors),
            texts(self.outcome_actors),
            texts(self.outcome_keys),
            blobs(self.outcome_commands),
            blobs(self.outcome_answers),
            integers(self.outcome_refused),
        )
