"""Log files: lines are appended completely or not at all, and full files are rotated."""

import os
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

Rotate = Callable[[Path], None]
"""Renames a full file, so that the next one gets its name."""


class LogFile:
    """A file that one thread appends to; the first `append` opens it."""

    def __init__(self, path: Path, max_bytes: int, rotate: Rotate, *, synced: bool = False) -> None:
        """Start a new file before one would exceed `max_bytes`.

        A `synced` file is on the disk when `append` returns.
        """
        self._path = path
        self._max_bytes = max_bytes
        self._rotate = rotate
        self._synced = synced
        self._descriptor = -1

    def append(self, lines: bytes) -> None:
        """Append whole lines. Raises OSError if the disk is full; then none of them is stored."""
        try:
            size = self._size()
            if size and size + len(lines) > self._max_bytes:
                self.close()
                self._rotate(self._path)
                size = self._size()
            self._append(lines, size)
        except OSError:
            self.close()
            raise

    def _size(self) -> int:
        if self._descriptor < 0:
            self._open()
        return os.fstat(self._descriptor).st_size

    def _append(self, lines: bytes, size: int) -> None:
        try:
            self._write(lines)
        except OSError:
            # The lines are written again later, so no part of them may remain.
            with suppress(OSError):
                os.ftruncate(self._descriptor, size)
            raise

    def _write(self, lines: bytes) -> None:
        while lines:
            lines = lines[os.write(self._descriptor, lines) :]
        if self._synced:
            os.fsync(self._descriptor)

    def _open(self) -> None:
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        self._descriptor = os.open(self._path, flags, 0o666)
        size = os.fstat(self._descriptor).st_size
        if size and os.pread(self._descriptor, 1, size - 1) != b"\n":
            # The process ended, or the disk was full, in the middle of a line.
            self._write(b"\n")

    def close(self) -> None:
        """Close the file; the next lines open it again."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def retain_newest(files: int) -> Rotate:
    """Keep this number of files: `.1` is the newest full one, and the oldest is overwritten."""

    def rotate(path: Path) -> None:
        for number in range(files - 1, 0, -1):
            source = path.with_name(f"{path.name}.{number - 1}") if number > 1 else path
            with suppress(FileNotFoundError):
                source.replace(path.with_name(f"{path.name}.{number}"))

    return rotate


def retain_all(path: Path) -> None:
    """Append the time to the full file's name, and never overwrite a file."""
    while (target := path.with_name(f"{path.name}.{_time()}")).exists():
        pass
    path.rename(target)


def _time() -> str:
    return datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%f")
