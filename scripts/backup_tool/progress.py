"""What a long operation is doing, in one line on standard error if that is a terminal."""

import io
import sys
import time
from typing import IO, Final

_EVERY_S: Final = 0.2
_MEGABYTE: Final = 1_000_000


class Progress:
    """One line that is written over."""

    def __init__(self) -> None:
        """Nothing is shown yet."""
        self._shows = sys.stderr.isatty()
        self._shown_at = 0.0

    def show(self, text: str, *, at_once: bool = True) -> None:
        """Show what is being done; unless `at_once`, at most five times a second."""
        if self._shows and (at_once or time.monotonic() > self._shown_at + _EVERY_S):
            self._shown_at = time.monotonic()
            print(f"\r\033[K{text} …", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Remove the line."""
        if self._shows:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


class CountedStream(io.BufferedIOBase):
    """A stream whose bytes are counted while they are read."""

    def __init__(self, stream: IO[bytes], text: str, progress: Progress) -> None:
        """`text` is shown with the number of megabytes."""
        self._stream = stream
        self._text = text
        self._progress = progress
        self._size = 0

    def read(self, size: int | None = -1, /) -> bytes:
        """Returns at most `size` bytes."""
        data = self._stream.read(-1 if size is None else size)
        self._size += len(data)
        text = f"{self._text}, {self._size / _MEGABYTE:,.0f} MB"
        self._progress.show(text, at_once=False)
        return data
