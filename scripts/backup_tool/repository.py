"""The folder of backups: what is in it, and what makes a backup whole.

    house.json             which house's backups these are
    20261127T120000Z/      a backup: manifest.json, base.tar.gz.age, keys.tar.gz.age
    wal/                   the archive of the write-ahead log, sealed segment by segment
    *.unfinished           a backup that is being made, or whose making was interrupted

A folder has the backups of one house only. A restored house is another one: its log continues
otherwise, so its backups need a folder of their own.
"""

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from engine.runtime.secret_keys import sync_folder
from scripts.backup_tool import BackupError, DamagedError

FORMAT: Final = 1
BASE: Final = "base.tar.gz.age"
KEYS: Final = "keys.tar.gz.age"
MANIFEST: Final = "manifest.json"
NEWEST: Final = "newest.json"
UNFINISHED: Final = ".unfinished"
SEALED: Final = ".age"
PARTIAL: Final = ".partial"
_HOUSE: Final = "house.json"
_LOCK: Final = ".lock"
_NAMED: Final = re.compile(r"\d{8}T\d{6}Z")
_SEGMENT: Final = re.compile(r"[0-9A-F]{24}")
_BLOCK: Final = 1 << 20
_LOG_BYTES: Final = 1 << 32


class StoredFile(Struct, frozen=True):
    """A file of a backup, as it was written."""

    name: str
    size: int
    sha256: str


class Manifest(Struct, frozen=True):
    """What a backup is of. Times are in microseconds since 1970.

    The backup has every fact up to `position_before` and none after `position_after`. The
    write-ahead log from `wal_start` to `wal_end` is in it. `embedded` is whether the database was
    the one in the data folder.
    """

    format: int
    id: str
    release: str
    house: str
    embedded: bool
    postgres: int
    began: int
    ended: int
    position_before: int
    position_after: int
    timeline: int
    wal_start: str
    wal_end: str
    wal_segment_bytes: int
    files: tuple[StoredFile, ...]

    @property
    def first_segment(self) -> int:
        """The number of the first segment of the write-ahead log that a recovery reads."""
        return log_position(self.wal_start) // self.wal_segment_bytes

    @property
    def last_segment(self) -> int:
        """The number of the last segment that the backup has."""
        return log_position(self.wal_end) // self.wal_segment_bytes


class Newest(Struct, frozen=True):
    """How far a house had come: the position of its log's last fact, and when."""

    position: int
    at: int


class _House(Struct, frozen=True):
    house: str


class Repository:
    """One folder of backups."""

    def __init__(self, folder: Path) -> None:
        """Nothing is created. Raises BackupError if it is not a folder that can be used."""
        self.folder = folder
        self.wal = folder / "wal"
        if not folder.is_dir():
            raise BackupError(f"{folder} is not a folder: create it first, on another disk")

    def check_writable(self) -> None:
        """Raises BackupError if no file can be made in it."""
        if not os.access(self.folder, os.W_OK | os.X_OK):
            raise BackupError(f"{self.folder} cannot be written")

    def claim(self, house: str) -> None:
        """Note whose backups these are. Raises BackupError if they are those of another house."""
        path = self.folder / _HOUSE
        if not path.exists():
            if self.backups():
                raise BackupError(f"{path} is missing")
            replace(path, msgspec.json.encode(_House(house)) + b"\n")
        if msgspec.json.decode(path.read_bytes(), type=_House).house != house:
            raise BackupError(
                f"{self.folder} has the backups of another house, or of this one before it was"
                " restored: name a new folder"
            )

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """One backup at a time; removes what interrupted ones left."""
        with (self.folder / _LOCK).open("wb") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise BackupError(f"another backup into {self.folder} is running") from None
            for left in self.folder.glob(f"*{UNFINISHED}"):
                shutil.rmtree(left)
            yield

    def backups(self) -> list[Manifest]:
        """Returns the finished backups, oldest first. Raises DamagedError for a bad manifest."""
        named = (each for each in self.folder.iterdir() if _NAMED.fullmatch(each.name))
        return [self.manifest(each.name) for each in sorted(named)]

    def manifest(self, name: str) -> Manifest:
        """Returns a backup's manifest. Raises DamagedError if it is missing or unreadable."""
        path = self.folder / name / MANIFEST
        try:
            content = path.read_bytes()
            found = msgspec.json.decode(content, type=dict[str, object])
            if found.get("format") != FORMAT:
                raise BackupError(
                    f"{path} has format {found.get('format')}, and this release reads {FORMAT}:"
                    " use the release that made the backup"
                )
            manifest = msgspec.json.decode(content, type=Manifest)
        except FileNotFoundError:
            raise DamagedError(f"{path} is missing") from None
        except msgspec.DecodeError as error:
            raise DamagedError(f"{path} is damaged: {error}") from None
        if manifest.id != name:
            raise DamagedError(f"{path} is that of {manifest.id}: the folder was renamed")
        return manifest

    def check(self, manifest: Manifest) -> None:
        """Raises DamagedError if a file is missing, was cut off, or has another content."""
        for stored in manifest.files:
            path = self.folder / manifest.id / stored.name
            try:
                size, digest = path.stat().st_size, _digest(path)
            except OSError as error:
                raise DamagedError(f"{path} cannot be read: {error.strerror}") from None
            if size != stored.size:
                raise DamagedError(
                    f"{path} has {size:,} bytes, and was stored with {stored.size:,}"
                )
            if digest != stored.sha256:
                raise DamagedError(f"{path} is damaged: its SHA-256 is not that of the manifest")

    def segments(self, segment_bytes: int) -> dict[int, Path]:
        """Returns the archived segments by number; of one in several states, the newest state."""
        found: dict[int, tuple[tuple[bool, str], Path]] = {}
        for path in self.wal.glob(f"*{SEALED}"):
            name = path.name.removesuffix(SEALED)
            is_whole = not name.endswith(PARTIAL)
            name = name.removesuffix(PARTIAL)
            if _SEGMENT.fullmatch(name):
                rank = (is_whole, name)
                number = segment_number(name, segment_bytes)
                if number not in found or found[number][0] < rank:
                    found[number] = (rank, path)
        return {number: path for number, (_, path) in sorted(found.items())}

    def continues(self, manifest: Manifest) -> list[Path]:
        """Returns the archived segments that continue a backup without a gap."""
        segments = self.segments(manifest.wal_segment_bytes)
        found, number = [], manifest.last_segment
        while number in segments:
            found.append(segments[number])
            number += 1
        return found

    def gap_after(self, manifest: Manifest) -> bool:
        """Whether the archive has segments after a backup that do not continue it."""
        segments = self.segments(manifest.wal_segment_bytes)
        later = sum(number >= manifest.last_segment for number in segments)
        return later > len(self.continues(manifest))

    def newest(self) -> Newest | None:
        """Returns how far the house had come when it was last archived; None if it never was."""
        try:
            content = (self.wal / NEWEST).read_bytes()
        except FileNotFoundError:
            return None
        return msgspec.json.decode(content, type=Newest)

    def newest_keys(self, manifest: Manifest) -> Path:
        """Returns the newest copy of the keys: they fit every earlier state of the database."""
        archived = self.newest()
        is_newer = archived is not None and archived.at > manifest.ended
        return self.wal / KEYS if is_newer else self.folder / manifest.id / KEYS

    def keep(self, count: int) -> list[str]:
        """Delete all but the newest `count` backups, and the archive that only they needed."""
        backups = self.backups()
        old, kept = backups[:-count], backups[-count:]
        for manifest in old:
            folder = self.folder / manifest.id
            gone = folder.with_name(f"{manifest.id}{UNFINISHED}")
            folder.rename(gone)  # an interrupted deletion leaves no half of a backup
            shutil.rmtree(gone)
        for number, path in self.segments(kept[0].wal_segment_bytes).items():
            if number < kept[0].first_segment:
                path.unlink()
        return [manifest.id for manifest in old]


def replace(path: Path, content: bytes) -> None:
    """Replace a file durably; a reader sees the old content or the new one."""
    fresh = path.with_name(f"{path.name}.new")
    with fresh.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    fresh.rename(path)
    sync_folder(path.parent)


def log_position(text: str) -> int:
    """Parses a position of the write-ahead log, such as 0/4000158."""
    high, low = text.split("/")
    return (int(high, 16) << 32) + int(low, 16)


def segment_number(name: str, segment_bytes: int) -> int:
    """The number of a segment of the write-ahead log, from its file's name."""
    return int(name[8:16], 16) * (_LOG_BYTES // segment_bytes) + int(name[16:24], 16)


def text_of(at: int) -> str:
    """A time in microseconds since 1970, as text in UTC with seconds."""
    return datetime.fromtimestamp(at / 1_000_000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def choose(backups: Sequence[Manifest], name: str) -> Manifest:
    """Returns the backup of this name, or the newest. Raises BackupError if there is none."""
    found = [each for each in backups if not name or each.id == name]
    if not found:
        raise BackupError(
            f"there is no backup {name}".rstrip() + ": scripts/backup list names them"
        )
    return found[-1]


def _digest(path: Path) -> str:
    found = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            found.update(block)
    return found.hexdigest()
