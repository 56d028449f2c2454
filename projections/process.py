"""Runs the projection runner in its own process, so that it never holds the engine's GIL.

The process also hashes the facts that it reads, which spares the leader that work.
"""

from collections.abc import Callable
from contextlib import closing

from msgspec import Struct

from engine.runtime import supervision
from engine.runtime.child_process import ChildProcess, begin, end_with_parent
from engine.runtime.garbage_collection import freeze
from engine.runtime.log.tile_writer import TileWriter
from projections.registry import read_models
from projections.runner.runner import ProjectionRunner


class WorkerConfig(Struct, frozen=True):
    """The database to use, and the IANA time zone whose days count."""

    conninfo: str
    timezone: str


class ProjectionWorker(ChildProcess):
    """Keeps the read models up to date until `close`.

    A page that takes too long then is abandoned, and applied at the next start.
    """

    def __init__(self, conninfo: str, timezone: str) -> None:
        config = WorkerConfig(conninfo, timezone)
        super().__init__("projections", "read models' process", "projections.process", config)


def main() -> None:
    """The child process."""
    follow(begin(WorkerConfig), end_with_parent)


def follow(config: WorkerConfig, on_end: Callable[[Callable[[], object]], object]) -> None:
    """Keep the read models up to date until the end.

    `on_end` gets a function, and calls it at the end, in another thread.
    """
    with closing(TileWriter(config.conninfo)) as tiles:
        models = read_models(config.timezone)
        runner = ProjectionRunner(config.conninfo, models, stored=tiles.add)
        on_end(runner.close)
        supervision.thread("tiles", lambda: tiles.run(runner.closing), runner.closing)
        freeze()
        runner.run()


if __name__ == "__main__":
    main()
