"""The projection runner in its own process."""

import itertools
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing

import psutil
import pytest
from structlog.testing import capture_logs

from engine.runtime.log.deadlines import Store
from engine.runtime.log.fact_log import datastore
from engine.runtime.log.sealer import Sealer, StoredTree
from engine.runtime.postgres.embedded_postgres import Conninfos
from engine.runtime.secret_keys import OperatorKey
from projections.process import ProjectionWorker
from projections.runner.runner import ProjectionRunner
from tests.projections.history import History
from tests.projections.support import TIMEOUT_S, ZONE, following

Runners = Callable[..., ProjectionRunner]
_PARENT = """
import sys
from projections.process import ProjectionWorker
ProjectionWorker(*sys.argv[1:])
print("started", flush=True)
"""


@pytest.fixture
def installed(runner_of: Runners) -> ProjectionRunner:
    """A closed runner that has created the tables and released the leader lock."""
    runner = runner_of()
    runner.install()
    runner.close()
    return runner


def test_it_feeds_the_read_models_and_ends_when_closed(
    installed: ProjectionRunner, stored: Conninfos, history: History
) -> None:
    with following(installed) as received:
        process = ProjectionWorker(stored.app, ZONE)
        child = _child(process)
        history.joins(1, 2)
        received.wait_for(2)
        process.close()

    assert not child.is_running()
    assert {it.position for it in installed.status()} == {2}


def test_it_hashes_the_facts_that_it_reads_for_the_leader(
    installed: ProjectionRunner, stored: Conninfos, history: History
) -> None:
    players = itertools.count(1)
    ends = time.monotonic() + TIMEOUT_S
    with (
        following(installed) as received,
        closing(ProjectionWorker(stored.app, ZONE)),
        closing(datastore(stored.app)) as store,
    ):
        sealer = Sealer(store, OperatorKey(bytes(32)), lambda: 0)
        # Its first look at the tree comes a second after its start; the leader hashes until then.
        while _hashed(store) <= sealer.size and time.monotonic() < ends:
            sealer.catch_up()
            for player in itertools.islice(players, 300):
                history.joins(player)
                received.wait_for(player)
                if _hashed(store) > sealer.size:
                    break
        assert _hashed(store) > sealer.size


def _hashed(store: Store) -> int:
    with store.get_connection() as connection, connection.transaction():
        return StoredTree(connection).hashed_size()


def test_a_killed_worker_is_logged_and_replaced_by_one_that_continues(
    installed: ProjectionRunner, stored: Conninfos, history: History
) -> None:
    with (
        following(installed) as received,
        closing(ProjectionWorker(stored.app, ZONE)) as runner,
        capture_logs() as logs,
    ):
        history.joins(1)
        received.wait_for(1)
        _child(runner).kill()
        history.joins(2)
        received.wait_for(2)

    assert received.positions == [1, 2]
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

    with following(installed) as received, closing(ProjectionWorker(stored.app, ZONE)) as runner:
        history.joins(1)
        received.wait_for(1)
        monkeypatch.setattr(ProjectionWorker, "_start", failing)
        _child(runner).kill()
        history.joins(2)
        received.wait_for(2)
    assert not faults


def test_the_worker_ignores_ctrl_c_in_the_terminal(
    installed: ProjectionRunner, stored: Conninfos, history: History
) -> None:
    with following(installed) as received, closing(ProjectionWorker(stored.app, ZONE)) as runner:
        history.joins(1)
        received.wait_for(1)
        _child(runner).send_signal(signal.SIGINT)
        _child(runner).terminate()
        history.joins(2)
        received.wait_for(2)


def test_a_frozen_worker_is_replaced_and_does_no_harm_when_it_resumes(
    installed: ProjectionRunner, stored: Conninfos, history: History
) -> None:
    """A suspended process keeps its database sessions open, with all their locks."""
    with following(installed) as received, closing(ProjectionWorker(stored.app, ZONE)) as runner:
        history.joins(1)
        received.wait_for(1)
        frozen = _child(runner)
        frozen.send_signal(signal.SIGSTOP)
        try:
            with closing(ProjectionWorker(stored.app, ZONE)):
                history.joins(2)
                received.wait_for(2)
                frozen.send_signal(signal.SIGCONT)
                history.joins(3)
                received.wait_for(3)
            history.joins(4)
            received.wait_for(4)
        finally:
            frozen.send_signal(signal.SIGCONT)
    assert received.positions == [1, 2, 3, 4]


def test_what_it_logs_is_logged_by_its_parent(
    installed: ProjectionRunner, stored: Conninfos, history: History
) -> None:
    with capture_logs() as logs, following(installed) as received:
        history.joins(1)
        history.deposits(2, 100)  # an unknown player, so the accounts stop there
        with closing(ProjectionWorker(stored.app, ZONE)):
            received.wait_for(2)

    failed = [it for it in logs if it["event"] == "projection_failed"]
    assert [(it["log_level"], it["model"], it["position"]) for it in failed] == [
        ("error", "accounts", 2),
        ("error", "standings", 2),
    ]
    assert "player 2 has not registered" in failed[1]["exception"]
    behind = {it.name: it.position for it in installed.status() if it.position < 2}
    assert behind == {"accounts": 1, "standings": 1}


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
    """The worker's process. Other tests of this run may have workers of their own."""
    return psutil.Process(runner._process.pid)
