"""The runner in a process of its own."""

import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing

import psutil
import pytest
from structlog.testing import capture_logs

from engine.runtime.postgres import Conninfos
from projections.process import ProjectionWorker
from projections.runner import ProjectionRunner
from tests.projections.history import History
from tests.projections.support import TIMEOUT_S, ZONE, following

Runners = Callable[..., ProjectionRunner]
_PARENT = """
import sys
from projections.process import RunnerProcess
RunnerProcess(*sys.argv[1:])
print("started", flush=True)
"""


@pytest.fixture
def installed(runner_of: Runners) -> ProjectionRunner:
    """A runner that made the tables and gave up the lead."""
    runner = runner_of()
    runner.install()
    runner.close()
    return runner


def test_it_feeds_the_read_models_and_ends_when_closed(
    installed: ProjectionRunner, stored: Conninfos, history: History
) -> None:
    with following(installed) as heard:
        process = ProjectionWorker(stored.app, ZONE)
        child = _child(process)
        history.joins(1, 2)
        heard.wait_for(2)
        process.close()

    assert not child.is_running()
    assert {it.position for it in installed.status()} == {2}


def test_one_that_is_killed_has_a_successor_that_goes_on_and_the_log_says_so(
    installed: ProjectionRunner, stored: Conninfos, history: History
) -> None:
    with (
        following(installed) as heard,
        closing(ProjectionWorker(stored.app, ZONE)) as runner,
        capture_logs() as logs,
    ):
        history.joins(1)
        heard.wait_for(1)
        _child(runner).kill()
        history.joins(2)
        heard.wait_for(2)

    assert heard.positions == [1, 2]
    assert [(it["event"], it["status"]) for it in logs] == [
        ("projections_process_ended", -signal.SIGKILL)
    ]


def test_a_successor_that_cannot_be_started_is_tried_again(
    installed: ProjectionRunner,
    stored: Conninfos,
    history: History,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    faults, start = [OSError(24, "too many open files")], ProjectionWorker._start

    def failing(process: ProjectionWorker) -> subprocess.Popen[bytes]:
        if faults:
            raise faults.pop()
        return start(process)

    with following(installed) as heard, closing(ProjectionWorker(stored.app, ZONE)) as runner:
        history.joins(1)
        heard.wait_for(1)
        monkeypatch.setattr(ProjectionWorker, "_start", failing)
        _child(runner).kill()
        history.joins(2)
        heard.wait_for(2)
    assert not faults


def test_ctrl_c_in_the_terminal_leaves_it_to_its_parent(
    installed: ProjectionRunner, stored: Conninfos, history: History
) -> None:
    with following(installed) as heard, closing(ProjectionWorker(stored.app, ZONE)) as runner:
        history.joins(1)
        heard.wait_for(1)
        _child(runner).send_signal(signal.SIGINT)
        _child(runner).terminate()
        history.joins(2)
        heard.wait_for(2)


def test_one_that_is_frozen_has_a_successor_and_does_no_harm_when_it_wakes(
    installed: ProjectionRunner, stored: Conninfos, history: History
) -> None:
    """A suspended machine keeps its sessions open, and all that they have locked."""
    with following(installed) as heard, closing(ProjectionWorker(stored.app, ZONE)) as runner:
        history.joins(1)
        heard.wait_for(1)
        frozen = _child(runner)
        frozen.send_signal(signal.SIGSTOP)
        try:
            with closing(ProjectionWorker(stored.app, ZONE)):
                history.joins(2)
                heard.wait_for(2)
                frozen.send_signal(signal.SIGCONT)
                history.joins(3)
                heard.wait_for(3)
            history.joins(4)
            heard.wait_for(4)
        finally:
            frozen.send_signal(signal.SIGCONT)
    assert heard.positions == [1, 2, 3, 4]


def test_what_it_logs_is_logged_by_its_parent(
    installed: ProjectionRunner, stored: Conninfos, history: History
) -> None:
    with capture_logs() as logs, following(installed) as heard:
        history.joins(1)
        history.deposits(2, 100)  # of nobody, so the accounts stop there
        with closing(ProjectionWorker(stored.app, ZONE)):
            heard.wait_for(2)

    failed = [it for it in logs if it["event"] == "projection_failed"]
    assert [(it["log_level"], it["model"], it["position"]) for it in failed] == [
        ("error", "accounts", 2),
        ("error", "standings", 2),
    ]
    assert "player 2 has not registered" in failed[1]["exception"]
    assert [it.position for it in installed.status()] == [1, 1, 2, 2, 2, 2]


def test_it_ends_with_a_parent_that_is_killed(stored: Conninfos) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _PARENT, stored.app, ZONE], stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"started\n"
        (child,) = psutil.Process(parent.pid).children()
        parent.kill()
        assert child.wait(TIMEOUT_S) is None


def _child(runner: ProjectionWorker) -> psutil.Process:
    """Its process, among those of every house that other tests of this run keep."""
    return psutil.Process(runner._process.pid)
