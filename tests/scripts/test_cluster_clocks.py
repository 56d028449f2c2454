"""A node's clock and disk, which can go wrong: on real programs and a real file system."""

import errno
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest

from scripts.cluster_tool import clocks, cluster, disks
from scripts.cluster_tool.cluster import Cluster, ClusterError, Settings
from scripts.cluster_tool.topology import DEFAULT_NETWORK
from tests.journeys.program import until

_SETTINGS = Settings(
    "t", DEFAULT_NETWORK, fast=False, round_seconds=60, passwords={}, clocks=True, small_disks=True
)
_SHOW_CLOCKS = (
    "import time\n"
    "while input():\n"
    "    boot = time.clock_gettime(time.CLOCK_BOOTTIME)\n"
    "    print(time.time(), time.monotonic(), boot, flush=True)\n"
)


@pytest.fixture
def made(tmp_path: Path) -> Cluster:
    with cluster.locked(tmp_path / "c", make=True):
        return cluster.create(tmp_path / "c", _SETTINGS)


def _plain(folder: Path) -> Cluster:
    with cluster.locked(folder, make=True):
        return cluster.create(
            folder, Settings("t", DEFAULT_NETWORK, fast=False, round_seconds=60, passwords={})
        )


@pytest.mark.skipif(clocks.library() is None, reason=f"needs {clocks.PACKAGE}")
def test_a_node_has_another_time_of_day_and_the_true_durations(made: Cluster) -> None:
    node = made.topology.named("engine1")
    clocks.prepare(made)
    command = clocks.command_on(made, node, [sys.executable, "-c", _SHOW_CLOCKS])
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:

        def ahead_s() -> list[float]:
            assert program.stdin is not None
            assert program.stdout is not None
            program.stdin.write(b"now\n")
            program.stdin.flush()
            shown = [float(value) for value in program.stdout.readline().split()]
            boot = time.clock_gettime(time.CLOCK_BOOTTIME)
            own = (time.time(), time.monotonic(), boot)
            return [round(there - here) for there, here in zip(shown, own, strict=True)]

        def is_ahead(seconds: int) -> bool:
            return ahead_s() == [seconds, 0, 0]

        assert is_ahead(0)
        for seconds in (3_600, -86_400):
            clocks.shift(made, node, seconds=seconds)
            until(partial(is_ahead, seconds))
        clocks.correct(made, node)
        until(partial(is_ahead, 0))
        program.communicate(b"\n")


@pytest.mark.skipif(clocks.library() is None, reason=f"needs {clocks.PACKAGE}")
def test_a_program_on_a_nodes_clock_sleeps(made: Cluster) -> None:
    clocks.prepare(made)
    script = "import time, engine; before = time.monotonic(); time.sleep(0.05);"
    script += " print(time.monotonic() - before >= 0.05)"
    node = made.topology.named("engine1")
    command = clocks.command_on(made, node, [sys.executable, "-c", script])
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("True\n", "")


@pytest.mark.skipif(clocks.library() is None, reason=f"needs {clocks.PACKAGE}")
def test_a_killed_program_leaves_no_shared_memory_after_down(made: Cluster) -> None:
    clocks.prepare(made)
    script = "import time; print(time.time(), flush=True); input()"
    command = clocks.command_on(
        made, made.topology.named("engine1"), [sys.executable, "-c", script]
    )
    start = partial(subprocess.Popen, command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with start() as killed, start() as running:
        for program in (killed, running):
            assert program.stdout is not None
            program.stdout.readline()
        killed.kill()
        killed.wait()
        assert _shared_by(killed.pid)
        clocks.remove_leftovers()
        assert not _shared_by(killed.pid)
        assert _shared_by(running.pid)
        running.kill()
    clocks.remove_leftovers()


def _shared_by(pid: int) -> list[Path]:
    return list(Path("/dev/shm").glob(f"*faketime_*_{pid}"))


def test_a_cluster_without_such_clocks_names_the_option(tmp_path: Path) -> None:
    plain = _plain(tmp_path / "c")
    node = plain.topology.named("engine1")
    command: Sequence[str] = ["date"]
    assert clocks.command_on(plain, node, command) == command
    with pytest.raises(ClusterError, match="up --clocks"):
        clocks.shift(plain, node, seconds=60)
    clocks.correct(plain, node)


def test_a_node_that_uses_durations_only_has_no_clock(made: Cluster) -> None:
    with pytest.raises(ClusterError, match="etcd1 has no clock of its own"):
        clocks.shift(made, made.topology.named("etcd1"), seconds=60)


@pytest.fixture
def with_disk(made: Cluster) -> Iterator[Cluster]:
    node = made.topology.named("api1")
    made.data(node).mkdir()
    disks.mount(made, node)
    try:
        yield made
    finally:
        disks.unmount(made)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to mount a file system")
def test_a_full_disk_takes_no_byte_until_there_is_room(with_disk: Cluster) -> None:
    node = with_disk.topology.named("api1")
    file, other = (with_disk.data(node) / name for name in ("file", "other"))
    for each in (file, other):
        each.write_bytes(b"x" * 100_000)
    disks.fill(with_disk, node)
    assert disks.free_bytes(with_disk, node) == 0
    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
        (with_disk.data(node) / "more").write_bytes(b"x" * 10_000)
    assert file.read_bytes() == b"x" * 100_000
    other.unlink()  # what a program deletes does not make it free for long
    disks.fill(with_disk, node)
    assert disks.free_bytes(with_disk, node) == 0
    disks.make_room(with_disk, node)
    (with_disk.data(node) / "more").write_bytes(b"x" * 10_000)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to mount a file system")
def test_disks_are_removed_with_the_cluster(with_disk: Cluster) -> None:
    disks.unmount(with_disk)
    assert not os.path.ismount(with_disk.data(with_disk.topology.named("api1")))
    with_disk.forget(keep_logs=False)
    assert not with_disk.folder.exists()


def test_a_node_on_the_machines_disk_cannot_be_filled(tmp_path: Path) -> None:
    plain = _plain(tmp_path / "c")
    node = plain.topology.named("api1")
    plain.data(node).mkdir()
    with pytest.raises(ClusterError, match="up --small-disks"):
        disks.fill(plain, node)
    disks.make_room(plain, node)
