"""A follower recovers when file descriptors are available again; else the rooms would freeze."""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from engine.facts import RecordedFact
from engine.runtime import supervision
from engine.runtime.postgres.embedded_postgres import Conninfos
from projections.registry import read_models
from projections.runner.fact_notifier import FactNotifier
from projections.runner.runner import ProjectionRunner
from tests.projections.history import History
from tests.projections.support import ZONE

TIMEOUT_S: Final = 60.0
Runners = Callable[..., ProjectionRunner]


def test_a_follower_that_ran_out_of_descriptors_sends_the_facts_it_missed(
    runner_of: Runners, stored: Conninfos, history: History
) -> None:
    """The follower runs in its own process, because the limit applies to a process."""
    runner = runner_of()
    runner.install()
    with subprocess.Popen(
        [sys.executable, "-m", __name__, stored.app],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        output = (line.rstrip() for line in child.stdout)
        assert "without descriptors" in output
        history.joins(1)
        while runner.step():
            pass
        child.stdin.write("descriptors\n")
        child.stdin.flush()
        assert "received 1" in output
    assert child.returncode == 0


def follow(conninfo: str) -> None:
    """Follow, run out of descriptors until the parent sends a line, then recover and print."""
    positions = list[int]()

    def listen(page: Sequence[RecordedFact]) -> None:
        positions.extend(fact.position for fact in page)

    follower = FactNotifier(conninfo, read_models(ZONE))
    follower.step()
    follower.listeners.append(listen)
    _, max_files = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (os.open(os.devnull, os.O_RDONLY) + 1, max_files))

    def has_failed() -> bool:
        # Use all descriptors below the limit, also one that another thread closed meanwhile: the
        # next wait cannot create its selector.
        with suppress(OSError):
            while True:
                os.open(os.devnull, os.O_RDONLY)
        return supervision.RESTARTS["follower"] > 0

    supervision.thread("follower", follower.run, follower.closing)
    until(has_failed)
    print("without descriptors", flush=True)
    sys.stdin.readline()
    resource.setrlimit(resource.RLIMIT_NOFILE, (max_files, max_files))
    until(lambda: bool(positions))
    print("received", *positions, flush=True)
    follower.close()


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(0.01)


if __name__ == "__main__":
    try:
        follow(sys.argv[1])
    except TimeoutError:
        # The threads of connection pools would keep the process alive, and block the test.
        os._exit(1)
