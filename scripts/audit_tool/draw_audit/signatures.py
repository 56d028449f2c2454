"""Signatures that are verified in other processes, while the audit reads the next facts.

Verifying one takes longer than everything else about a bet, and the library keeps the interpreter
busy meanwhile, so that threads would not help.
"""

import multiprocessing
import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from typing import Final, NamedTuple

from scripts.audit_tool.draw_audit import protocol

_CHUNK: Final = 1_000
_MAX_WAITING: Final = 64  # chunks; more would fill the memory with a long log


class Expected(NamedTuple):
    """A signature that one of these keys should have made, and what is wrong if none did."""

    keys: tuple[str, ...]
    purpose: bytes
    content: bytes
    signature: str
    position: int
    what: str


class SignatureQueue:
    """Verifies signatures in the order in which they come, chunk by chunk.

    A log with fewer signatures than a chunk is verified in this process.
    """

    def __init__(self) -> None:
        self._next: list[Expected] = []
        self._waiting: deque[Future[list[Expected]]] = deque()
        self._wrong: list[Expected] = []
        self._workers: ProcessPoolExecutor | None = None

    def expect(self, expected: Expected) -> None:
        """Verify a signature later; waits if too many are to be verified."""
        self._next.append(expected)
        if len(self._next) == _CHUNK:
            self._waiting.append(self._pool().submit(_wrong, self._next))
            self._next = []
        if len(self._waiting) > _MAX_WAITING:
            self._wrong += self._waiting.popleft().result()

    def wrong(self) -> Iterator[Expected]:
        """Verify the rest; yields every signature that no key has made."""
        for chunk in self._waiting:
            self._wrong += chunk.result()
        yield from self._wrong
        yield from _wrong(self._next)
        self.close()

    def close(self) -> None:
        """End the processes and forget what they have not verified."""
        if self._workers is not None:
            self._workers.shutdown(cancel_futures=True)
        self._next, self._wrong, self._workers = [], [], None
        self._waiting.clear()

    def _pool(self) -> ProcessPoolExecutor:
        if self._workers is None:
            # Not forked: a copy of the audit's connection must not be closed by another process.
            context = multiprocessing.get_context("spawn")
            self._workers = ProcessPoolExecutor(os.cpu_count(), context)
        return self._workers


def _wrong(chunk: Sequence[Expected]) -> list[Expected]:
    return [each for each in chunk if not _is_signed(each)]


def _is_signed(expected: Expected) -> bool:
    keys, purpose, content, signature, *_ = expected
    return any(protocol.is_signed(key, purpose, content, signature) for key in keys)
