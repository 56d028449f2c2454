"""Stream clients in a few rooms: each records bets with times, and reconnects when cut off.

With several ports the server has several processes. A client that is cut off reconnects to any of
those that listen, as a load balancer would let it.

Runs in its own process, so that the cost of thousands of readers is not the server's.
"""

import asyncio
import itertools
import random
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress

import uvloop
from msgspec import Struct

from tests.instruments.load_tests.statistics import percentile
from tests.instruments.load_tests.workers import serve_worker

_RETRY_DELAY_S = 0.2
_DELIVERY_TIMEOUT_S = 10.0
_REQUEST_TIMEOUT_S = 7.0
_MAX_SHOWN = 300
_UNDECIDED = (b'"engine_busy"', b'"unavailable"', b'"outcome_unknown"', b'"deadline_passed"')


class SseLoadTask(Struct, frozen=True):
    """`clients` in turn in the `rooms` (game, plan, issue); bets by the owners of `tokens`.

    Clients and bets take the `ports` in turn. All streams have to be open within `connect_s`
    seconds before the first bet, and again after the last one.
    """

    ports: list[int]
    clients: int
    rooms: list[tuple[int, int, str]]
    tokens: list[str]
    per_second: float
    seconds: float
    name: str
    connect_s: float = 40.0


class SseLoadResult(Struct, frozen=True):
    """Bets acknowledged and delivered; `fault` describes one client's delivery fault.

    The lag is from a bet's acknowledgement to its delivery, for bets delivered live. Bets that a
    reconnected client missed before are counted separately. A client resumes in the time from the
    end of its connection to its next heart, which includes the 0.1 to 0.3 s after which it tries.
    """

    accepted: int
    delivered: int
    fault: str
    cut_off: int
    resumed: int
    lag_p50_ms: float
    lag_p99_ms: float
    lag_max_ms: float
    resume_p50_ms: float
    resume_max_ms: float


class AcknowledgedBets:
    """The acknowledged bets by room, with their times; `refused` is the answer to another one."""

    def __init__(self) -> None:
        self.acknowledged: dict[str, float] = {}
        self.by_room: defaultdict[int, set[str]] = defaultdict(set)
        self.refused = ""


class StreamClient:
    """One reader, which opens a new connection when one ends."""

    def __init__(self, ports: Sequence[int], room: tuple[int, int, str]) -> None:
        """Connect to the first of the ports, and later to any of them."""
        self._ports = ports
        self._game, self.plan, _ = room
        self.received: list[tuple[str, float, bool]] = []
        self.last_event_id = ""
        self.cut_off = self.resumed = 0
        self.resume_ms: list[float] = []
        self._cut_off_at = 0.0
        self.restarted = self.went_back = False
        self.connected = asyncio.Event()

    async def listen(self) -> None:
        """Read the stream until cancelled."""
        while True:
            with suppress(OSError, asyncio.IncompleteReadError, ValueError):
                await self._read()
            if self.connected.is_set():
                self.cut_off += 1
                self._cut_off_at = time.perf_counter()
                self.connected.clear()
            await asyncio.sleep(_RETRY_DELAY_S * random.uniform(0.5, 1.5))

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect to a port that listens. Raises ConnectionRefusedError if none does."""
        ports = random.sample(self._ports, len(self._ports)) if self.cut_off else self._ports
        for port in ports:
            with suppress(ConnectionRefusedError):
                return await asyncio.open_connection("127.0.0.1", port)
        raise ConnectionRefusedError

    async def _read(self) -> None:
        reader, writer = await self._connect()
        try:
            back = f"Last-Event-ID: {self.last_event_id}\r\n" if self.last_event_id else ""
            query = f"game_id={self._game}&plan_id={self.plan}&lang=en"
            writer.write(
                f"GET /api/Lottery/stream?{query} HTTP/1.1\r\nHost: bench\r\n{back}\r\n".encode()
            )
            if b" 200 " not in await reader.readuntil(b"\r\n\r\n"):
                return
            await self._follow(reader)
        finally:
            writer.close()

    async def _follow(self, reader: asyncio.StreamReader) -> None:
        name, first, missed = "", True, False
        while line := await reader.readline():
            if line.startswith(b"id: "):
                event_id = line[4:].decode().strip()
                self.went_back |= int(event_id) < int(self.last_event_id or 0)
                self.last_event_id = event_id
            elif line.startswith(b"event: "):
                name = line[7:].decode().strip()
                if first:
                    missed = name == "resumed"
                    self.resumed += missed
                    self.restarted |= self.cut_off > 0 and not missed
                    first = False
                if name == "heart":
                    missed = False
                    self._resumed()
            elif line.startswith(b"data: ") and name == "bet":
                self.received.append((_id(line), time.perf_counter(), missed))

    def _resumed(self) -> None:
        """Note the time since the last cut, unless the client was connected already."""
        if self.cut_off and not self.connected.is_set():
            self.resume_ms.append((time.perf_counter() - self._cut_off_at) * 1e3)
        self.connected.set()


def _id(line: bytes) -> str:
    return line.split(b'"id":"', 1)[1].split(b'"', 1)[0].decode()


async def _bet(task: SseLoadTask, bets: AcknowledgedBets, number: int) -> None:
    """Place one bet, retrying with the same key until it is decided, as clients do."""
    game, plan, issue = task.rooms[number % len(task.rooms)]
    body = f'{{"issue":"{issue}","plan_id":{plan},"game_id":{game},"play_type":"big","money":1}}'
    request = (
        f"POST /api/Lottery/playOrder HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        f"token: {task.tokens[number % len(task.tokens)]}\r\n"
        f"Idempotency-Key: {task.name}-{number}\r\n\r\n{body}"
    ).encode()
    for attempt in itertools.count(number):
        try:
            async with asyncio.timeout(_REQUEST_TIMEOUT_S):
                answer = await _answered(task.ports[attempt % len(task.ports)], request)
        except (OSError, TimeoutError):
            answer = b""
        if b'{"code":1,' in answer:
            bet = answer.split(b'"id":"', 1)[1].split(b'"', 1)[0].decode()
            bets.acknowledged[bet] = time.perf_counter()
            bets.by_room[plan].add(bet)
            return
        if answer and not any(reason in answer for reason in _UNDECIDED):
            bets.refused = answer[-_MAX_SHOWN:].decode(errors="replace")
            return
        await asyncio.sleep(_RETRY_DELAY_S)


async def _answered(port: int, request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(request)
        return await reader.read()
    finally:
        writer.close()


async def _load(task: SseLoadTask) -> SseLoadResult:
    clients = [
        StreamClient(_rotated(task.ports, place), task.rooms[place % len(task.rooms)])
        for place in range(task.clients)
    ]
    listening = [asyncio.create_task(client.listen()) for client in clients]
    bets = AcknowledgedBets()
    try:
        await _wait_until_connected(clients, task.connect_s)
        if not _unconnected(clients):
            await _place_bets(task, bets)
            await _wait_until_connected(clients, task.connect_s)
            await _wait_for_deliveries(clients, bets)
        return _result(clients, bets)
    finally:
        for each in listening:
            each.cancel()
        await asyncio.gather(*listening, return_exceptions=True)


async def _place_bets(task: SseLoadTask, bets: AcknowledgedBets) -> None:
    async with asyncio.TaskGroup() as placing:
        for number in range(int(task.per_second * task.seconds)):
            placing.create_task(_bet(task, bets, number))
            await asyncio.sleep(1 / task.per_second)


def _rotated(ports: list[int], number: int) -> list[int]:
    first = number % len(ports)
    return ports[first:] + ports[:first]


async def _wait_until_connected(clients: list[StreamClient], timeout_s: float) -> None:
    """Wait until every stream is open, or until the timeout."""
    with suppress(TimeoutError):
        async with asyncio.timeout(timeout_s):
            await asyncio.gather(*(client.connected.wait() for client in clients))


def _unconnected(clients: list[StreamClient]) -> str:
    """How many streams are not open, as a fault; empty if all are."""
    closed = sum(not client.connected.is_set() for client in clients)
    if not closed:
        return ""
    return f"{closed} of {len(clients)} streams were not open in time"


async def _wait_for_deliveries(clients: list[StreamClient], bets: AcknowledgedBets) -> None:
    """Wait for bets in flight, with a timeout for lost ones."""
    for _ in range(int(_DELIVERY_TIMEOUT_S / _RETRY_DELAY_S)):
        if all(len(client.received) >= len(bets.by_room[client.plan]) for client in clients):
            return
        await asyncio.sleep(_RETRY_DELAY_S)


def _result(clients: list[StreamClient], bets: AcknowledgedBets) -> SseLoadResult:
    lags = [
        (at - bets.acknowledged[bet]) * 1e3
        for client in clients
        for bet, at, missed in client.received
        if not missed and bet in bets.acknowledged
    ]
    resumes = [each for client in clients for each in client.resume_ms]
    return SseLoadResult(
        len(bets.acknowledged),
        sum(len(client.received) for client in clients),
        _fault(clients, bets),
        sum(client.cut_off for client in clients),
        sum(client.resumed for client in clients),
        percentile(lags or [0.0], 50),
        percentile(lags or [0.0], 99),
        max(lags, default=0.0),
        percentile(resumes or [0.0], 50),
        max(resumes, default=0.0),
    )


def _fault(clients: list[StreamClient], bets: AcknowledgedBets) -> str:
    """Why there is no figure; empty if there is one."""
    if bets.refused:
        return f"a bet was refused: {bets.refused}"
    faults = (_delivery_fault(client, clients, bets) for client in clients)
    return _unconnected(clients) or next(filter(None, faults), "")


def _delivery_fault(
    client: StreamClient, clients: list[StreamClient], bets: AcknowledgedBets
) -> str:
    """The client's delivery fault: bets missing, repeated or in another order; empty if none."""
    received = [bet for bet, _, _ in client.received]
    other = next(each for each in clients if each.plan == client.plan)
    if client.restarted:
        return "a stream started again"
    if client.went_back:
        return "the ids of a stream went back"
    if len(set(received)) != len(received):
        return "a bet was delivered twice"
    if missing := bets.by_room[client.plan] - set(received):
        return f"{len(missing)} bets were not delivered"
    if received != [bet for bet, _, _ in other.received]:
        return "two clients received another order"
    return ""


def _work(task: SseLoadTask) -> SseLoadResult:
    return uvloop.run(_load(task))


if __name__ == "__main__":
    serve_worker(SseLoadTask, _work)
