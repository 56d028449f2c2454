"""The folder of a cluster: what was started, written down so that all of it can be ended.

`cluster.json` is written before the first thing is made on the machine and removed after the last
one is gone. A process counts as ours only with its recorded start time, since the machine's boot.
"""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from scripts.cluster_tool.databases import FAST, NORMAL, Timing
from scripts.cluster_tool.topology import Node, Topology, topology_of

DEFAULT_FOLDER: Final = Path("/var/lib/fairdraw-cluster")
_FILE: Final = "cluster.json"
_LOCK: Final = "lock"
_BOOT: Final = Path("/proc/sys/kernel/random/boot_id")
_START_FIELD: Final = (
    19  # of /proc/PID/stat after the name: the 22nd in all, in ticks since the boot
)


class ClusterError(Exception):
    """The user has to do something; the message is one line that says what."""


class ProcessRecord(msgspec.Struct, frozen=True):
    """A process and when it started, in clock ticks since the machine's boot."""

    pid: int
    started: int

    def is_alive(self) -> bool:
        """Whether the process still runs, and its number was not given to another one."""
        return start_of(self.pid) == self.started


class Settings(msgspec.Struct, frozen=True):
    """What `up` was started with, and the passwords of the database's roles."""

    prefix: str
    network: str
    fast: bool
    round_seconds: int
    passwords: dict[str, str]
    #: Whether each node has a clock, and a disk, that can go wrong.
    clocks: bool = False
    small_disks: bool = False


class Record(msgspec.Struct):
    """The content of cluster.json."""

    settings: Settings
    boot: str
    processes: dict[str, ProcessRecord] = {}
    #: Whether `up` has finished.
    complete: bool = False


_decode: Final = msgspec.json.Decoder(Record).decode


@dataclass
class Cluster:
    """One cluster: its folder, its topology and its record."""

    folder: Path
    topology: Topology
    record: Record

    @property
    def timing(self) -> Timing:
        """How fast a lost primary is noticed."""
        return FAST if self.record.settings.fast else NORMAL

    def data(self, node: Node) -> Path:
        """The folder of what a node keeps."""
        return self.folder / node.name

    def log(self, node: Node) -> Path:
        """The file with a node's output."""
        return self.folder / "logs" / f"{node.name}.log"

    def config(self, node: Node) -> Path:
        """The node's configuration file."""
        return self.folder / "config" / f"{node.name}.conf"

    def save(self) -> None:
        """Write cluster.json, whole or not at all."""
        unfinished = self.folder / f"{_FILE}.new"
        unfinished.touch(mode=0o600)
        unfinished.write_bytes(msgspec.json.encode(self.record))
        unfinished.replace(self.folder / _FILE)

    def living(self) -> list[ProcessRecord]:
        """The recorded processes that still run."""
        if self.record.boot != boot():
            return []
        return [process for process in self.record.processes.values() if process.is_alive()]

    def forget(self, *, keep_logs: bool) -> None:
        """Delete the folder, cluster.json after all others; with `keep_logs` the logs stay."""
        kept = {_FILE, _LOCK, *(("logs",) if keep_logs else ())}
        for path in self.folder.iterdir():
            if path.name not in kept:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        (self.folder / _FILE).unlink()
        if not keep_logs:
            (self.folder / _LOCK).unlink()
            self.folder.rmdir()


def boot() -> str:
    """The id of the machine's current boot."""
    return _BOOT.read_text().strip()


def start_of(pid: int) -> int | None:
    """When a process started, in ticks since the boot; None if it does not run."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    is_zombie = fields[0] == "Z"
    return None if is_zombie else int(fields[_START_FIELD])


def is_stopped(pid: int) -> bool:
    """Whether a process is stopped by a signal."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"
    except OSError:
        return False


def record_of(pid: int) -> ProcessRecord:
    """Returns the record of a process that was just started."""
    started = start_of(pid)
    return ProcessRecord(pid, -1 if started is None else started)


def read(folder: Path) -> Cluster:
    """Returns the cluster in a folder. Raises ClusterError if there is none."""
    try:
        record = _decode((folder / _FILE).read_bytes())
    except FileNotFoundError:
        raise ClusterError(f"no cluster in {folder}: scripts/cluster up starts one") from None
    except (OSError, msgspec.DecodeError) as error:
        raise ClusterError(f"{folder / _FILE} cannot be read: {error}") from None
    return Cluster(folder, topology_of(record.settings.prefix, record.settings.network), record)


def create(folder: Path, settings: Settings) -> Cluster:
    """Write the record of a new cluster; its lock must be held.

    Raises:
        ClusterError: a cluster is in the folder, or files of someone else.
    """
    if (folder / _FILE).exists():
        raise ClusterError(_already(read(folder)))
    others = sorted(path.name for path in folder.iterdir() if path.name not in {_LOCK, "logs"})
    if others:
        raise ClusterError(f"{folder} has other files ({others[0]}): name an empty folder (--dir)")
    shutil.rmtree(folder / "logs", ignore_errors=True)
    topology = topology_of(settings.prefix, settings.network)
    cluster = Cluster(folder, topology, Record(settings, boot()))
    for name in ("logs", "config"):
        (folder / name).mkdir(mode=0o755)
    cluster.save()
    return cluster


def _already(cluster: Cluster) -> str:
    if cluster.living():
        return (
            f"a cluster runs in {cluster.folder}: scripts/cluster status shows it,"
            " scripts/cluster down ends it"
        )
    return (
        f"{cluster.folder} has what a cluster left that was not ended properly:"
        " scripts/cluster down removes it"
    )


@contextmanager
def locked(folder: Path, *, make: bool = False) -> Iterator[None]:
    """Holds the folder's lock. Raises ClusterError if another command has it, or without a folder.

    With `make` the folder is made, open to other accounts: the databases' account enters it.
    """
    try:
        if make:
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(0o755)
        file = (folder / _LOCK).open("ab")
    except FileNotFoundError:
        raise ClusterError(f"no cluster in {folder}: scripts/cluster up starts one") from None
    except OSError as error:
        raise ClusterError(f"{folder} cannot be used: {error.strerror}") from None
    with file:
        os.set_inheritable(file.fileno(), False)  # noqa: FBT003 - as the standard library has it
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ClusterError(
                f"another scripts/cluster command is changing the cluster in {folder}"
            ) from None
        yield
