"""A follower goes on once there are file descriptors again: rooms would stand still without it."""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from engine.facts import RecordedFact
from engine.runtime import supervision
from engine.runtime.postgres import Conninfos
from projections.follower import FactNotifier
from projections.models import read_models
from projections.runner import ProjectionRunner
from tests.projections.history import History
from tests.projections.support import ZONE

PATIENCE_S: Final = 60.0
Runners = Callable[..., ProjectionRunner]


def test_a_follower_that_ran_out_of_descriptors_tells_of_what_happened_meanwhile(
    runner_of: Runners, stored: Conninfos, history: History
) -> None:
    """The follower has a process of its own, because the limit is a process's."""
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
        said = (line.rstrip() for line in child.stdout)
        assert "without descriptors" in said
        history.joins(1)
        while runner.step():
            pass
        child.stdin.write("descriptors\n")
        child.stdin.flush()
        assert "told of 1" in said
    assert child.returncode == 0


def follow(conninfo: str) -> None:
    """Follow, run out of descriptors until the parent says so, and go on."""
    told = list[int]()

    def listen(page: Sequence[RecordedFact]) -> None:
        told.extend(fact.position for fact in page)

    follower = FactNotifier(conninfo, read_models(ZONE))
    follower.step()
    follower.listeners.append(listen)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    # All below the limit are taken: a selector for the next wait has none.
    held = [os.open(os.devnull, os.O_RDONLY) for _ in range(3)]
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(held) + 1, most))
    supervision.thread("follower", follower.run, follower.closing)
    until(lambda: supervision.RESTARTS["follower"] > 0)
    print("without descriptors", flush=True)
    sys.stdin.readline()
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    until(lambda: bool(told))
    print("told of", *told, flush=True)
    follower.close()


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(0.01)


if __name__ == "__main__":
    try:
        follow(sys.argv[1])
    except TimeoutError:
        # Threads of connection pools would keep the process, and with it the test.
        os._exit(1)
