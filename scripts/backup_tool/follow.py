"""`scripts/backup follow`: archives the write-ahead log while the house runs.

pg_receivewal writes what the server sends into a folder of the data folder. Every few seconds this
program seals it into the folder of backups: whole segments once, the newest one again and again.
The server keeps what was not received yet (a replication slot), so nothing is missing after a stop
of either side. The keys are sealed again whenever one of them, or the witness's state, has changed.
"""

import ctypes
import signal
import subprocess
import sys
import threading
import time
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
import psycopg

from engine.runtime.postgres.files import PostgresError
from scripts.backup_tool import BackupError, UnreachableError, keys_folder, sealing
from scripts.backup_tool.repository import (
    KEYS,
    NEWEST,
    PARTIAL,
    SEALED,
    Newest,
    Repository,
    replace,
    text_of,
)
from scripts.backup_tool.source import Replication, Source, lineage, running

SLOT: Final = "fairdraw_archive"
_SPOOL: Final = "wal-spool"
_RETRY_S: Final = 1.0
_STOP_S: Final = 5.0
_PR_SET_PDEATHSIG: Final = 1


def follow(repository: Repository, data: Path, every_s: float, stop: threading.Event) -> None:
    """Archive until `stop`; waits while the database is away.

    Raises BackupError if it cannot begin: there is no key, or the folder is another house's.
    """
    archive = Archive(repository, data)
    while not stop.is_set():
        source = running(data)
        if source is None:
            archive.report("the database does not run; waiting for it")
        else:
            try:
                archive.receive(source, every_s, stop)
            except (UnreachableError, psycopg.Error, PostgresError, OSError) as error:
                archive.report(f"interrupted: {' '.join(str(error).split())}")
        stop.wait(_RETRY_S)


class Archive:
    """The state of one archive."""

    def __init__(self, repository: Repository, data: Path) -> None:
        """The received log waits in a folder of `data` until it is sealed."""
        repository.check_writable()
        self._repository = repository
        self._recipient = sealing.public_key(data / "keys")
        self._spool = data / _SPOOL
        self._spool.mkdir(mode=0o700, exist_ok=True)
        self._sealed: dict[Path, int] = {}
        self._keys: object = None
        self._said = ""

    def report(self, text: str) -> None:
        """Print a line with the time, unless it was the last one."""
        if text != self._said:
            self._said = text
            print(f"{text_of(time.time_ns() // 1_000)}: {text}", file=sys.stderr, flush=True)

    def receive(self, source: Source, every_s: float, stop: threading.Event) -> None:
        """Receive and seal until the connection ends or `stop`."""
        with Replication(source) as replication:
            self._repository.claim(lineage(replication.system(), source.keys))
            self._repository.wal.mkdir(mode=0o700, exist_ok=True)
            if not replication.ensure_slot(SLOT):
                self.report("the archive has a gap, because it was not followed: make a backup now")
        log = self._spool / "receive.log"
        with log.open("wb") as output:
            process = source.spawn(
                "pg_receivewal",
                *("--directory", str(self._spool), "--slot", SLOT),
                *("--no-loop", "--no-password", "--status-interval=1"),
                output=output,
                errors=output,
                before=_end_with_parent,
            )
        try:
            self.report(f"archiving into {self._repository.wal}")
            while process.poll() is None and not stop.wait(every_s):
                self.seal(source)
        finally:
            process.terminate()
            try:
                process.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            self._seal_log()
        if not stop.is_set():
            lines = log.read_text(errors="replace").strip().splitlines()[-1:]
            self.report(f"interrupted: {lines[0] if lines else 'pg_receivewal ended'}")

    def seal(self, source: Source) -> None:
        """Seal everything that is new."""
        newest = Newest(source.newest().position, time.time_ns() // 1_000)
        self._seal_log()
        state = keys_folder.state(source.keys)
        if state != self._keys:
            content = keys_folder.packed(source.keys)
            sealing.seal_bytes(content, self._repository.wal / KEYS, self._recipient)
            self._keys = state
        replace(self._repository.wal / NEWEST, msgspec.json.encode(newest) + b"\n")

    def _seal_log(self) -> None:
        """Seal the segments; whole ones, and the history of timelines, leave the spool."""
        for path in sorted(self._spool.iterdir()):
            try:
                content = path.read_bytes().rstrip(b"\0")
            except FileNotFoundError:  # renamed, because it has just become a whole segment
                continue
            if path.name.endswith(PARTIAL):
                digest = zlib.crc32(content)
                if self._sealed.get(path) != digest:
                    self._seal(path.name, content)
                    self._sealed = {path: digest}
            elif path.name.endswith(".history") or "." not in path.name:
                self._seal(path.name, content)
                path.unlink()
                partial = self._repository.wal / f"{path.name}{PARTIAL}{SEALED}"
                partial.unlink(missing_ok=True)

    def _seal(self, name: str, content: bytes) -> None:
        target = self._repository.wal / f"{name}{SEALED}"
        sealing.seal_bytes(zlib.compress(content, 1), target, self._recipient)


def stop_on_signals() -> threading.Event:
    """Returns an event that Ctrl-C and SIGTERM set."""
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    return stop


def end(data: Path) -> bool:
    """Have the database keep nothing for the archive any more; False if it kept nothing.

    Raises BackupError if the database does not run, or the archive is being followed.
    """
    source = running(data)
    if source is None:
        raise BackupError(f"the database of {data} does not run: start the house first")
    with Replication(source) as replication:
        return replication.drop_slot(SLOT)


def _end_with_parent() -> None:
    """In the child: end when this program does, even if it is killed (Linux)."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
