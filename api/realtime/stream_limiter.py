"""Limits the open event streams: per session, per address, and in all."""

from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import contextmanager

from api.http.refusals import CallRefused
from api.settings import StreamLimits
from engine.refusals import Refusal


class StreamLimiter:
    """Used from the event loop only."""

    def __init__(self, limits: StreamLimits) -> None:
        """Initially empty."""
        self._limits = limits
        self._open: Counter[Hashable] = Counter()
        self._in_all = 0

    @contextmanager
    def slot(self, session: str, address: str) -> Iterator[None]:
        """Count a stream as open while the block runs; `session` is empty without one.

        Raises CallRefused: `rate_limited` if the session or the address has reached its limit,
        `engine_busy` if the server has.
        """
        counted = [("address", address), *([("session", session)] if session else [])]
        self._check(session, address)
        self._in_all += 1
        self._open.update(counted)
        try:
            yield
        finally:
            self._in_all -= 1
            for key in counted:
                self._open[key] -= 1
                if not self._open[key]:
                    del self._open[key]

    def _check(self, session: str, address: str) -> None:
        limits = self._limits
        if self._in_all >= limits.in_all:
            raise CallRefused(Refusal.ENGINE_BUSY)
        if self._open["address", address] >= limits.per_address:
            raise CallRefused(Refusal.RATE_LIMITED)
        if session and self._open["session", session] >= limits.per_session:
            raise CallRefused(Refusal.RATE_LIMITED)
