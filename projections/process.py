"""Runs the projection runner in its own process, so that it never holds the engine's GIL."""

from msgspec import Struct

from engine.runtime.child_process import ChildProcess, begin, end_with_parent
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
    config = begin(WorkerConfig)
    runner = ProjectionRunner(config.conninfo, read_models(config.timezone))
    end_with_parent(runner.close)
    runner.run()


if __name__ == "__main__":
    main()
