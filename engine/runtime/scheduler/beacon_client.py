"""The client of a public randomness beacon: drand's JSON API over HTTP.

Rules:
- No step of the scheduler waits for a relay: rounds are fetched in threads of their own.
- Relays are not trusted. A round counts only if the beacon's network signed it, so a relay can
  withhold a round and nothing else; then the next relay is asked.
- A round that no relay returns is asked for again, without end. There is no other value.
"""

import http.client
import socket
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from hashlib import sha256
from typing import Final
from urllib.parse import urlsplit

import msgspec
import structlog
from msgspec import Struct

from engine.fairness.beacon import NETWORKS, BeaconNetwork, BeaconRound, is_signed
from engine.runtime import supervision

#: The public relays of the League of Entropy.
PUBLIC_RELAYS: Final = (
    "https://api.drand.sh",
    "https://api2.drand.sh",
    "https://api3.drand.sh",
    "https://drand.cloudflare.com",
)
TIMEOUT_S: Final = 4.0
RETRY_US: Final = 2_000_000
_THREADS: Final = 4
_MAX_ANSWER_BYTES: Final = 16_384
_ROUNDS_KEPT: Final = 64
_log = structlog.get_logger()


class _Answer(Struct):
    """A relay's answer. Its randomness is left out, because it follows from the signature."""

    round: int
    signature: str
    previous_signature: str = ""


_decode: Final = msgspec.json.Decoder(_Answer).decode


class _Attempt(Struct):
    """The latest attempt to fetch a round, and the time of the next one if it fails."""

    result: Future[BeaconRound]
    retry_at: int


class BeaconClient:
    """Fetches and verifies rounds of every network that a day may name."""

    def __init__(
        self,
        relays: Sequence[str],
        clock: Callable[[], int],
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        """`relays` are the addresses to ask in turn; `clock` returns microseconds since 1970."""
        self._relays = tuple(relays)
        self._clock = clock
        self._timeout_s = timeout_s
        self._attempts: dict[tuple[str, int], _Attempt] = {}
        self._workers = supervision.workers(_THREADS, "beacon")
        self._refused: set[tuple[str, int]] = set()

    def round_of(self, mode: str, closes_at: int) -> BeaconRound | None:
        """Returns the verified round of a draw, by its day's mode and its close in microseconds.

        Returns None, and has it fetched, until it is published and a relay has returned it.
        """
        network = NETWORKS.get(mode)
        if network is None:
            return None
        now, number = self._clock(), network.first_round(closes_at)
        if now < network.published_at(number):
            return None
        attempt = self._attempts.get((mode, number))
        if attempt is not None and (found := _result(attempt)) is not None:
            return found
        if attempt is None or (attempt.result.done() and now >= attempt.retry_at):
            self._begin(network, number, now)
        return None

    def _begin(self, network: BeaconNetwork, number: int, now: int) -> None:
        self._attempts.pop((network.chain_hash, number), None)
        while len(self._attempts) >= _ROUNDS_KEPT:
            del self._attempts[next(iter(self._attempts))]
        fetched = self._workers.submit(self.fetch, network, number)
        self._attempts[network.chain_hash, number] = _Attempt(fetched, now + RETRY_US)

    def fetch(self, network: BeaconNetwork, number: int) -> BeaconRound:
        """Returns a verified round from the first relay that has it; blocks.

        Raises OSError if none has.
        """
        for relay in self._relays:
            url = f"{relay}/{network.chain_hash}/public/{number}"
            try:
                found = _read(_get(url, self._timeout_s))
            except (OSError, http.client.HTTPException, msgspec.MsgspecError, ValueError) as error:
                _log.info("no beacon from relay", url=url, error=repr(error))
                continue
            if found.number == number and is_signed(network, found):
                return found
            self._log_refused(relay, url, number)
        raise OSError(f"no relay has round {number} of {network.name}")

    def _log_refused(self, relay: str, url: str, number: int) -> None:
        """Log a wrong signature once for each relay and round."""
        if (relay, number) not in self._refused:
            self._refused.add((relay, number))
            _log.error("beacon refused: its network did not sign it", url=url)

    def close(self) -> None:
        """Fetch no further rounds."""
        self._workers.shutdown(wait=False, cancel_futures=True)


def _result(attempt: _Attempt) -> BeaconRound | None:
    done = attempt.result.done() and not attempt.result.cancelled()
    return attempt.result.result() if done and attempt.result.exception() is None else None


def _read(content: bytes) -> BeaconRound:
    """Returns the round of an answer, not verified; its randomness is the signature's hash.

    Raises MsgspecError or ValueError for anything else.
    """
    answer = _decode(content)
    randomness = sha256(bytes.fromhex(answer.signature)).hexdigest()
    return BeaconRound(answer.round, randomness, answer.signature, answer.previous_signature)


def _get(url: str, timeout_s: float) -> bytes:
    """Returns the body of an answer with status 200 that is complete within `timeout_s`."""
    parts = urlsplit(url)
    secure = parts.scheme == "https"
    kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    connection = kind(parts.netloc, timeout=timeout_s)
    # The timeout is for each read: without a timer a slow relay could send bytes without end.
    timer = supervision.after(timeout_s, partial(_abort, connection))
    try:
        connection.request("GET", parts.path, headers={"User-Agent": "fairdraw"})
        answer = connection.getresponse()
        content = answer.read(_MAX_ANSWER_BYTES + 1)
    finally:
        timer.cancel()
        connection.close()
    if answer.status != http.client.OK or len(content) > _MAX_ANSWER_BYTES:
        raise OSError(f"status {answer.status}, {len(content)} bytes")
    return content


def _abort(connection: http.client.HTTPConnection) -> None:
    with suppress(OSError, AttributeError):
        connection.sock.shutdown(socket.SHUT_RDWR)
