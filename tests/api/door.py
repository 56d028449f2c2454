"""The front of the test server: production rate limits, and raw bytes over a socket."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from api.http.middleware.rate_limiter import RateLimiter
from tests.api.support import DEADLINE_S, ApiServer


class Stopwatch:
    """A clock in seconds that only a test moves."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@contextmanager
def counting(house: ApiServer, patch: pytest.MonkeyPatch) -> Iterator[Stopwatch]:
    """Use fresh counters with the production rate limits and a clock that only the test moves."""
    watch, served = Stopwatch(), house.services.rate_limiter
    fresh = RateLimiter(1, watch)
    with patch.context() as strict:
        for name, value in vars(fresh).items():
            strict.setattr(served, name, value)
        yield watch


def raw_exchange(house: ApiServer, sent: bytes) -> bytes:
    """Send these bytes and return what the server answers until it closes the connection."""
    received = b""
    with socket.create_connection(("127.0.0.1", house.settings.port), DEADLINE_S) as line:
        line.sendall(sent)
        while part := line.recv(65_536):
            received += part
    return received
