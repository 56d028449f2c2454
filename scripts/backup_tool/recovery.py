"""A database from a backup: its files unpacked, then PostgreSQL's recovery to a target.

The archived log is opened into a folder next to the cluster, from which PostgreSQL copies it: the
secret key stays in this process.
"""

import math
import shlex
import shutil
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import psycopg
from msgspec import Struct

from engine.runtime.postgres.embedded_postgres import EmbeddedPostgres
from engine.runtime.postgres.files import PostgresError, PostgresHome, SystemAccount, adopt_record
from scripts.backup_tool import BackupError, sealing
from scripts.backup_tool.base_backup import RECORD
from scripts.backup_tool.progress import CountedStream, Progress
from scripts.backup_tool.repository import BASE, PARTIAL, SEALED, Manifest, Newest, Repository

_LOG: Final = "archived-wal"
_PASSED: Final = "before configured recovery target was reached"
_TRANSACTION: Final = "SELECT xmin::text FROM log.facts WHERE notification_id = %s"
_LAST: Final = "SELECT notification_id, at FROM log.facts ORDER BY notification_id DESC LIMIT 1"


class PassedError(BackupError):
    """The archive ends before the target."""


class Recovery(Struct, frozen=True):
    """A backup, the key that opens it, and the new data folder."""

    repository: Repository
    manifest: Manifest
    identity: sealing.Identity
    data: Path
    progress: Progress

    def prepare(self) -> None:
        """Write the embedded server's record, and open the archived log.

        Raises BackupError if the key does not open the backup.
        """
        record = sealing.open_bytes(self._folder / RECORD, self.identity)
        adopt_record(self.data, record)
        home = PostgresHome(self.data)
        open_log(self, home.folder / _LOG)
        own_all(home.folder / _LOG, home.account)

    @contextmanager
    def recovered(self, target: str = "") -> Iterator[EmbeddedPostgres]:
        """Unpack the database, recover it, and yield the server; it is stopped afterwards.

        `target` is one of PostgreSQL's recovery targets and its value. Without one the recovery
        goes as far as the log does. Raises PassedError if the log ends before the target.
        """
        home = PostgresHome(self.data)
        shutil.rmtree(home.cluster, ignore_errors=True)
        unpack_base(self, home.cluster)
        (home.cluster / "recovery.signal").touch()
        own_all(home.cluster, home.account)
        settings = [*recovery_settings(home.folder / _LOG), "hot_standby=off"]
        settings += ["recovery_target_action=promote", *([target] if target else [])]
        options = [part for each in settings for part in ("-c", each)]
        show = self.progress.show
        server = EmbeddedPostgres(self.data, show, options=options, start_s=math.inf)
        try:
            self._start(server, home.cluster)
            yield server
        finally:
            server.stop()

    def _start(self, server: EmbeddedPostgres, cluster: Path) -> None:
        try:
            server.start()
        except PostgresError:
            reason = _failure(cluster)
            if _PASSED in reason:
                raise PassedError("the archive ends before the target") from None
            raise BackupError(f"PostgreSQL did not recover: {reason}") from None

    def finish(self) -> None:
        """Remove the opened log."""
        shutil.rmtree(PostgresHome(self.data).folder / _LOG)

    @property
    def _folder(self) -> Path:
        return self.repository.folder / self.manifest.id


def transaction_of(server: EmbeddedPostgres, position: int) -> str:
    """Returns the id of the transaction that stored a fact, which must exist."""
    with psycopg.connect(server.dsn("admin")) as connection:
        row = connection.execute(_TRANSACTION, [position]).fetchone()
    assert row is not None
    return str(row[0])


def newest(server: EmbeddedPostgres) -> Newest:
    """Returns the position of the log's last fact, and when it was recorded; 0 if none."""
    with psycopg.connect(server.dsn("admin")) as connection:
        row = connection.execute(_LAST).fetchone()
    return Newest(*row) if row else Newest(0, 0)


def open_log(recovery: Recovery, folder: Path) -> None:
    """Write the archived log that continues the backup into a folder, as PostgreSQL names it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    repository, manifest = recovery.repository, recovery.manifest
    segments = repository.continues(manifest)
    for number, path in enumerate(segments, 1):
        recovery.progress.show(f"opening the archived log, {number} of {len(segments)}")
        name = path.name.removesuffix(SEALED).removesuffix(PARTIAL)
        content = zlib.decompress(sealing.open_bytes(path, recovery.identity))
        (folder / name).write_bytes(content.ljust(manifest.wal_segment_bytes, b"\0"))
    for path in repository.wal.glob(f"*.history{SEALED}"):
        content = zlib.decompress(sealing.open_bytes(path, recovery.identity))
        (folder / path.name.removesuffix(SEALED)).write_bytes(content)


def unpack_base(recovery: Recovery, cluster: Path) -> None:
    """Unpack the backup's database."""
    source = recovery.repository.folder / recovery.manifest.id / BASE
    packed = cluster.with_name("base.tar.gz")
    packed.unlink(missing_ok=True)
    cluster.mkdir(mode=0o700)
    recovery.progress.show("decrypting the database")
    sealing.open_into(source, packed, recovery.identity)
    with packed.open("rb") as file:
        counted = CountedStream(file, "unpacking the database", recovery.progress)
        with tarfile.open(fileobj=counted, mode="r|gz") as tar:
            unpack_entries(tar, cluster)
    packed.unlink()
    shutil.rmtree(cluster / "log", ignore_errors=True)  # a failure is found in the new one


def unpack_entries(tar: tarfile.TarFile, folder: Path) -> None:
    """Unpack an archive of folders and regular files, readable by their owner.

    `extractall(filter="data")` does as much only from Python 3.11.4 on.

    Raises:
        BackupError: an entry is of another kind, or would be outside the folder.
    """
    root = folder.resolve()
    for entry in tar:
        path = folder / entry.name
        source = tar.extractfile(entry) if entry.isfile() else None
        if not path.resolve().is_relative_to(root) or (source is None and not entry.isdir()):
            raise BackupError(f"the backup has {entry.name}, which is no file of a database")
        if source is None:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
        else:
            path.touch(mode=0o600)
            with path.open("wb") as target:
                shutil.copyfileobj(source, target)


def _failure(cluster: Path) -> str:
    """Returns why the recovery ended: the first fatal error that is not about our connections."""
    logs = sorted((cluster / "log").glob("*.log"))
    lines = [line for log in logs for line in log.read_text(errors="replace").splitlines()]
    fatal = [line.partition("FATAL:")[2].strip() for line in lines if "FATAL:" in line]
    found = [line for line in fatal if not line.startswith("the database system is")]
    return (found or lines or ["it logged nothing"])[0]


def recovery_settings(log: Path) -> list[str]:
    """Returns the settings with which PostgreSQL takes the log from a folder."""
    folder = shlex.quote(str(log)).replace("%", "%%")
    command = f"cp {folder}/%f %p"
    return [f"restore_command={command}", "recovery_target_timeline=latest"]


def own_all(folder: Path, account: SystemAccount) -> None:
    """Give a folder and all in it to PostgreSQL's account, and to no one else."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)
        account.own(path)
