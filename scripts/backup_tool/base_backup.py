"""One backup: a copy of the running database, and after it the keys that fit it."""

import io
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Final

import msgspec
import psycopg

from api.settings import VERSION
from engine.runtime.secret_keys import sync_folder
from scripts.backup_tool import BackupError, keys_folder, sealing
from scripts.backup_tool.progress import CountedStream, Progress
from scripts.backup_tool.repository import (
    BASE,
    FORMAT,
    KEYS,
    MANIFEST,
    UNFINISHED,
    Manifest,
    Repository,
    StoredFile,
    replace,
)
from scripts.backup_tool.source import Replication, Source, lineage

RECORD: Final = "postgres.json.age"
"""The passwords of the embedded server's roles, which the copied database knows."""
_START: Final = re.compile(r"write-ahead log start point: (\S+) on timeline (\d+)")
_END: Final = re.compile(r"write-ahead log end point: (\S+)")


def make(repository: Repository, source: Source) -> Manifest:
    """Make a backup; it has its name only when all of it is on disk.

    Raises BackupError or OSError; nothing is left then.
    """
    recipient = sealing.public_key(source.keys)
    progress = Progress()
    repository.check_writable()
    with Replication(source) as replication, repository.alone():
        house = lineage(replication.system(), source.keys)
        repository.claim(house)
        began = time.time_ns() // 1_000
        name = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(began // 1_000_000))
        if (repository.folder / name).exists():
            raise BackupError(f"{repository.folder / name} was made this second: try again")
        folder = repository.folder / f"{name}{UNFINISHED}"
        folder.mkdir(mode=0o700)
        try:
            before = source.newest().position
            replication.hold_log()
            base, wal = _copy_database(source, folder / BASE, recipient, progress)
            after = source.newest().position
            files = [base, *_seal_secrets(source, folder, recipient)]
            manifest = Manifest(
                format=FORMAT,
                id=name,
                release=VERSION,
                house=house,
                embedded=source.record is not None,
                postgres=_major(source),
                began=began,
                ended=time.time_ns() // 1_000,
                position_before=before,
                position_after=after,
                timeline=wal[1],
                wal_start=wal[0],
                wal_end=wal[2],
                wal_segment_bytes=replication.segment_bytes(),
                files=tuple(files),
            )
            content = msgspec.json.format(msgspec.json.encode(manifest)) + b"\n"
            replace(folder / MANIFEST, content)
            folder.rename(repository.folder / name)
            sync_folder(repository.folder)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        finally:
            progress.clear()
    return manifest


def _major(source: Source) -> int:
    """The major version of the server's PostgreSQL."""
    with psycopg.connect(source.reading) as connection:
        return connection.info.server_version // 10_000


def _copy_database(
    source: Source, path: Path, recipient: sealing.Recipient, progress: Progress
) -> tuple[StoredFile, tuple[str, int, str]]:
    """Seal what pg_basebackup sends.

    Returns the file, and the write-ahead log in it: its start, its timeline and its end.
    """
    with (
        tempfile.TemporaryFile() as errors,
        source.spawn(
            "pg_basebackup",
            *("--pgdata=-", "--format=tar", "--wal-method=fetch", "--checkpoint=fast"),
            *("--compress=client-gzip:1", "--no-password", "--verbose"),
            output=subprocess.PIPE,
            errors=errors,
        ) as process,
    ):
        try:
            assert process.stdout is not None
            counted = CountedStream(process.stdout, "copying the database", progress)
            sealed = sealing.seal(counted, path, recipient)
        except BaseException:
            process.kill()
            raise
        status = process.wait()
        errors.seek(0)
        output = errors.read().decode(errors="replace")
    start, end = _START.search(output), _END.search(output)
    if status != 0 or start is None or end is None:
        reason = output.strip().splitlines()[-1:] or ["pg_basebackup was ended"]
        raise BackupError(f"the database was not copied: {reason[0]}")
    stored = StoredFile(path.name, sealed.size, sealed.sha256)
    return stored, (start[1], int(start[2]), end[1])


def _seal_secrets(source: Source, folder: Path, recipient: sealing.Recipient) -> list[StoredFile]:
    """Seal the keys as they are now, and the embedded server's passwords."""
    contents = {KEYS: keys_folder.packed(source.keys)}
    if source.record is not None:
        contents[RECORD] = source.record
    found = []
    for name, content in contents.items():
        sealed = sealing.seal(io.BytesIO(content), folder / name, recipient)
        found.append(StoredFile(name, sealed.size, sealed.sha256))
    return found
