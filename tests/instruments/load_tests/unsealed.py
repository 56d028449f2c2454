"""A house whose log is not sealed, to compare with: no fact is hashed, no checkpoint is signed.

The product has no such setting. In this process the engine gets a sealer that does nothing, and the
read models run in a process that stores no tiles. Without a witness's address nothing is cosigned.
"""

import asyncio
from collections.abc import Iterator
from contextlib import closing, contextmanager
from unittest.mock import patch

from engine.runtime import engine
from engine.runtime.child_process import ChildProcess, begin, end_with_parent
from engine.runtime.garbage_collection import freeze
from engine.runtime.log.sealer import Sealer
from projections.process import WorkerConfig
from projections.registry import read_models
from projections.runner.runner import ProjectionRunner


class IdleSealer(Sealer):
    """Seals nothing."""

    async def run(self) -> None:
        """Wait until cancelled."""
        await asyncio.Event().wait()


@contextmanager
def without_sealer() -> Iterator[None]:
    """Inside this context an engine that begins to lead has an idle sealer."""
    with patch.object(engine, "Sealer", IdleSealer):
        yield


class UnsealedWorker(ChildProcess):
    """The read models' process without its tiles."""

    def __init__(self, conninfo: str, timezone: str) -> None:
        config = WorkerConfig(conninfo, timezone)
        super().__init__("projections", "read models' process", __name__, config)


def main() -> None:
    """The child process: `projections.process` without the writer of tiles."""
    config = begin(WorkerConfig)
    with closing(ProjectionRunner(config.conninfo, read_models(config.timezone))) as runner:
        end_with_parent(runner.close)
        freeze()
        runner.run()


if __name__ == "__main__":
    main()
