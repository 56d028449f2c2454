"""The data that one transaction of the writer stores, in columns."""

from typing import Any

from msgspec import Struct, field

from engine.runtime.log.pg_arrays import blobs, integers, texts


class Batch(Struct):
    """Facts and outcomes that commit atomically.

    `epoch` is the leader's; without one (tools, tests of the store) no lease is checked.
    `first_position` is the position of the first fact; without one it follows the log's last fact.
    `backend` is the process id of the database backend that executes the batch. It is recorded
    before sending, so that the backend can be terminated if its answer never arrives.
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
        """The position of the last fact, or of the fact before the batch if it has none."""
        return (self.first_position or 1) + len(self.streams) - 1

    def columns(self) -> tuple[Any, ...]:
        """Returns the parameters of `append_batch`, in its order."""
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
