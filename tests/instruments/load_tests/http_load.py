"""The HTTP load: keep-alive connections with one outstanding request each.

Runs in its own process, so that its cost is not the server's. Requests are encoded before they are
due, and only the code of an answer is read.
"""

import asyncio
import gc
import itertools
import time
from collections.abc import Callable, Iterator
from typing import Literal, cast

import uvloop
from msgspec import Struct

from api.game.bets import MAX_BETS_A_SLIP
from tests.instruments.load_tests.bet_mix import FIRST_HALL, kind_of
from tests.instruments.load_tests.statistics import percentile
from tests.instruments.load_tests.workers import serve_worker

LoadKind = Literal["bets", "slips", "heart", "statement", "receipt", "static"]
_ACCEPTED = (b'{"code":1,', b'{"status":')
_MAX_SHOWN = 300
_MAX_PER_SECOND = 12_000  # of one server process
_END_OF_HEAD = b"\r\n\r\n"
_HEART = "/api/Lottery/heart"
_ORDER = "/api/Lottery/playOrder"
_SLIP = "/api/Lottery/playOrders"
_HOST = "127.0.0.1"
_STATEMENT = "/api/user/quantityLogList"
_STATEMENT_ROWS = 20
_RECEIPT = "/api/fair/entry"
_REFUSED_BET = b'"code":0,'


class HttpLoadTask(Struct, frozen=True):
    """What to request from which ports, for at most `seconds` and `max_requests`.

    The connections are spread evenly over the ports. `bets` has a bet for each token, for receipts.
    """

    ports: list[int]
    kind: LoadKind
    connections: int
    seconds: float
    tokens: list[str] = []
    issues: dict[int, str] = {}
    name: str = ""
    max_requests: int = 1_000_000
    bets: list[str] = []


class HttpLoadResult(Struct, frozen=True):
    """Requests accepted within `seconds`; the number of other answers, and an example."""

    accepted: int
    failed: int
    failure: str
    seconds: float
    p50_ms: float
    p99_ms: float


class Connection(asyncio.Protocol):
    """Sends a request, reads the answer, and sends the next request."""

    def __init__(self, load: "HttpLoad") -> None:
        self._load = load
        self._received = b""
        self._sent_at = 0.0
        self.ended = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the first request."""
        self._transport = cast("asyncio.Transport", transport)
        self._next()

    def _next(self) -> None:
        request = self._load.next()
        if request is None:
            self._transport.close()
            return
        self._sent_at = time.perf_counter()
        self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        """Read until the answer is complete."""
        self._received += data
        body = whole_body(self._received)
        if body is not None:
            self._load.record(body, time.perf_counter() - self._sent_at)
            self._received = b""
            self._next()

    def connection_lost(self, error: Exception | None) -> None:
        """The server closed the connection; its last request has no answer."""
        if not self.ended.done():
            self.ended.set_result(error)


def whole_body(received: bytes) -> bytes | None:
    """The body once it is complete, by its length or its last chunk; otherwise None."""
    end = received.find(_END_OF_HEAD)
    if end < 0:
        return None
    head = received[:end].lower()
    body = received[end + len(_END_OF_HEAD) :]
    place = head.find(b"content-length: ")
    if place >= 0:
        length = int(head[place + 16 :].split(b"\r\n", 1)[0])
        return body if len(body) >= length else None
    if b"transfer-encoding: chunked" not in head:
        raise ValueError(f"an answer of unknown length: {head!r}")
    return body.split(b"\r\n", 1)[1] if body.endswith(b"0\r\n\r\n") else None


class HttpLoad:
    """The requests and their results."""

    def __init__(self, task: HttpLoadTask, requests: Iterator[bytes]) -> None:
        self._max_requests = task.max_requests
        self._are_slips = task.kind == "slips"
        self._requests = requests
        self._until = time.perf_counter() + task.seconds
        self.latencies: list[float] = []
        self.failed = 0
        self.failure = ""
        self.sent = 0

    def next(self) -> bytes | None:
        """The next request; None at the end of the load."""
        if self.sent >= self._max_requests or time.perf_counter() >= self._until:
            return None
        self.sent += 1
        return next(self._requests)

    def record(self, body: bytes, seconds: float) -> None:
        """Record an answer."""
        if body.startswith(_ACCEPTED) and not (self._are_slips and _REFUSED_BET in body):
            self.latencies.append(seconds)
        else:
            self.failed += 1
            self.failure = self.failure or body[:_MAX_SHOWN].decode(errors="replace")


def _static(_: HttpLoadTask) -> Iterator[bytes]:
    request = f"GET /healthz HTTP/1.1\r\nHost: {_HOST}\r\n\r\n".encode()
    return itertools.repeat(request)


def _heart(task: HttpLoadTask) -> Iterator[bytes]:
    """All players in turn, in the rooms of all games."""
    rooms = itertools.cycle(FIRST_HALL.items())
    return itertools.cycle(
        [
            _post(_HEART, token, "", f'{{"plan_id":{plan},"game_id":{game}}}')
            for token, (game, plan) in zip(task.tokens, rooms, strict=False)
        ]
    )


def _statements(task: HttpLoadTask) -> Iterator[bytes]:
    """A page of the fund ledger of years, by all players in turn."""
    body = f'{{"begin_date":"2020-01-01","limit":{_STATEMENT_ROWS}}}'
    return itertools.cycle([_post(_STATEMENT, token, "", body) for token in task.tokens])


def _receipts(task: HttpLoadTask) -> Iterator[bytes]:
    """The log entry of one bet of each player, with the proof of its receipt, by all in turn."""
    return itertools.cycle(
        [
            _post(_RECEIPT, token, "", f'{{"bet":"{bet}"}}')
            for token, bet in zip(task.tokens, task.bets, strict=True)
        ]
    )


def _bets(task: HttpLoadTask) -> Iterator[bytes]:
    """All players in turn; each lap starts one game later."""
    games = tuple(task.issues.items())
    for number in itertools.count():
        lap, place = divmod(number, len(task.tokens))
        game, issue = games[(place + lap) % len(games)]
        body = (
            f'{{"issue":"{issue}","plan_id":{FIRST_HALL[game]},"game_id":{game},'
            f'"play_type":"{kind_of(number)}","money":1}}'
        )
        yield _post(_ORDER, task.tokens[place], f"{task.name}-{number}", body)


def _slips(task: HttpLoadTask) -> Iterator[bytes]:
    """The longest slips of all players in turn; each lap starts one game later."""
    games = tuple(task.issues.items())
    for number in itertools.count():
        lap, place = divmod(number, len(task.tokens))
        game, issue = games[(place + lap) % len(games)]
        bets = ",".join(
            f'{{"key":"{task.name}-{each}","play_type":"{kind_of(each)}","money":1}}'
            for each in range(number * MAX_BETS_A_SLIP, (number + 1) * MAX_BETS_A_SLIP)
        )
        body = (
            f'{{"issue":"{issue}","plan_id":{FIRST_HALL[game]},"game_id":{game},"bets":[{bets}]}}'
        )
        yield _post(_SLIP, task.tokens[place], "", body)


def _post(path: str, token: str, key: str, body: str) -> bytes:
    keyed = f"Idempotency-Key: {key}\r\n" if key else ""
    head = (
        f"POST {path} HTTP/1.1\r\nHost: {_HOST}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        f"token: {token}\r\n{keyed}\r\n"
    )
    return (head + body).encode()


_REQUESTS: dict[LoadKind, Callable[[HttpLoadTask], Iterator[bytes]]] = {
    "bets": _bets,
    "slips": _slips,
    "heart": _heart,
    "statement": _statements,
    "receipt": _receipts,
    "static": _static,
}


def _work(task: HttpLoadTask) -> HttpLoadResult:
    gc.disable()
    return uvloop.run(_load(task))


async def _load(task: HttpLoadTask) -> HttpLoadResult:
    loop = asyncio.get_running_loop()
    load = HttpLoad(task, _ready(task))
    began = time.perf_counter()
    opened = [
        loop.create_connection(lambda: Connection(load), _HOST, port)
        for port in itertools.islice(itertools.cycle(task.ports), task.connections)
    ]
    connections = [connection for _, connection in await asyncio.gather(*opened)]
    await asyncio.gather(*(connection.ended for connection in connections))
    seconds = time.perf_counter() - began
    answered = len(load.latencies) + load.failed
    return HttpLoadResult(
        len(load.latencies),
        load.failed + load.sent - answered,
        load.failure or ("no answer" if load.sent > answered else ""),
        seconds,
        percentile(load.latencies, 50) * 1e3,
        percentile(load.latencies, 99) * 1e3,
    )


def _ready(task: HttpLoadTask) -> Iterator[bytes]:
    """As many requests as the load can need, encoded before its clock starts."""
    requests = _REQUESTS[task.kind](task)
    if task.kind != "bets":
        return requests
    return itertools.chain(list(itertools.islice(requests, _prepared(task))), requests)


def _prepared(task: HttpLoadTask) -> int:
    """More than the server can answer in this time; further ones are made when due."""
    return min(task.max_requests, int(_MAX_PER_SECOND * len(task.ports) * task.seconds))


if __name__ == "__main__":
    serve_worker(HttpLoadTask, _work)
