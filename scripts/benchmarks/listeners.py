"""Stream clients in a few rooms: each remembers what it heard when, and comes back when cut off.

A process of its own, so that what hundreds of readers cost is not the server's.
"""

import asyncio
import random
import time
from collections import defaultdict
from contextlib import suppress

import uvloop
from msgspec import Struct

from scripts.benchmarks.figures import percentile
from scripts.benchmarks.workers import serve_worker

_BACK_AFTER_S = 0.2
_BACK_WITHIN_S = 60.0
_LAST_WITHIN_S = 10.0
_CALLED_WITHIN_S = 7.0
_UNDECIDED = (b'"engine_busy"', b'"unavailable"', b'"outcome_unknown"', b'"deadline_passed"')


class Task(Struct, frozen=True):
    """`clients` in turn in the `rooms` (game, plan, issue); bets by the owners of `tokens`."""

    port: int
    clients: int
    rooms: list[tuple[int, int, str]]
    tokens: list[str]
    per_second: float
    seconds: float
    name: str


class Result(Struct, frozen=True):
    """Bets acknowledged and what was heard of them; `wrong` says of one client what was not right.

    The lag is from a bet's acknowledgement to its delivery, for those that were told as they
    happened; what came to a client who had been cut off is counted apart.
    """

    accepted: int
    delivered: int
    wrong: str
    cut_off: int
    resumed: int
    lag_p50_ms: float
    lag_p99_ms: float
    lag_most_ms: float


class Bets:
    """What was acknowledged, in each room, and when."""

    def __init__(self) -> None:
        self.acknowledged: dict[str, float] = {}
        self.of_room: defaultdict[int, set[str]] = defaultdict(set)


class Client:
    """One reader: a connection, and another when that ends."""

    def __init__(self, port: int, room: tuple[int, int, str]) -> None:
        self._port = port
        self._game, self.plan, _ = room
        self.heard: list[tuple[str, float, bool]] = []
        self.last = ""
        self.cut_off = self.resumed = 0
        self.began_anew = False
        self.stands = asyncio.Event()

    async def listen(self) -> None:
        """Until cancelled."""
        while True:
            with suppress(OSError, asyncio.IncompleteReadError, ValueError):
                await self._read()
            if self.stands.is_set():
                self.cut_off += 1
                self.stands.clear()
            await asyncio.sleep(_BACK_AFTER_S * random.uniform(0.5, 1.5))  # noqa: S311

    async def _read(self) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            back = f"Last-Event-ID: {self.last}\r\n" if self.last else ""
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
                self.last = line[4:].decode().strip()
            elif line.startswith(b"event: "):
                name = line[7:].decode().strip()
                if first:
                    missed = name == "resumed"
                    self.resumed += missed
                    self.began_anew |= bool(self.heard) and not missed
                    first = False
                if name == "heart":
                    missed = False
                    self.stands.set()
            elif line.startswith(b"data: ") and name == "bet":
                self.heard.append((_id(line), time.perf_counter(), missed))


def _id(line: bytes) -> str:
    return line.split(b'"id":"', 1)[1].split(b'"', 1)[0].decode()


async def _bet(task: Task, bets: Bets, number: int) -> None:
    """One bet, sent again under its key until it is decided, as clients do."""
    game, plan, issue = task.rooms[number % len(task.rooms)]
    body = f'{{"issue":"{issue}","plan_id":{plan},"game_id":{game},"play_type":"big","money":1}}'
    request = (
        f"POST /api/Lottery/playOrder HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        f"token: {task.tokens[number % len(task.tokens)]}\r\n"
        f"Idempotency-Key: {task.name}-{number}\r\n\r\n{body}"
    ).encode()
    while True:
        try:
            async with asyncio.timeout(_CALLED_WITHIN_S):
                answer = await _answered(task.port, request)
        except (OSError, TimeoutError):
            answer = b""
        if b'{"code":1,' in answer:
            bet = answer.split(b'"id":"', 1)[1].split(b'"', 1)[0].decode()
            bets.acknowledged[bet] = time.perf_counter()
            bets.of_room[plan].add(bet)
            return
        if answer and not any(reason in answer for reason in _UNDECIDED):
            raise ValueError(answer[-300:])
        await asyncio.sleep(_BACK_AFTER_S)


async def _answered(port: int, request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(request)
        return await reader.read()
    finally:
        writer.close()


async def _load(task: Task) -> Result:
    clients = [
        Client(task.port, task.rooms[place % len(task.rooms)]) for place in range(task.clients)
    ]
    listening = [asyncio.create_task(client.listen()) for client in clients]
    async with asyncio.timeout(_BACK_WITHIN_S):
        await asyncio.gather(*(client.stands.wait() for client in clients))
    bets = Bets()
    async with asyncio.TaskGroup() as placing:
        for number in range(int(task.per_second * task.seconds)):
            placing.create_task(_bet(task, bets, number))
            await asyncio.sleep(1 / task.per_second)
    async with asyncio.timeout(_BACK_WITHIN_S):
        await asyncio.gather(*(client.stands.wait() for client in clients))
    await _last_heard(clients, bets)
    for each in listening:
        each.cancel()
    await asyncio.gather(*listening, return_exceptions=True)
    return _result(clients, bets)


async def _last_heard(clients: list[Client], bets: Bets) -> None:
    """Wait for what is on its way, but not for what never comes."""
    for _ in range(int(_LAST_WITHIN_S / _BACK_AFTER_S)):
        if all(len(client.heard) >= len(bets.of_room[client.plan]) for client in clients):
            return
        await asyncio.sleep(_BACK_AFTER_S)


def _result(clients: list[Client], bets: Bets) -> Result:
    lags = [
        (at - bets.acknowledged[bet]) * 1e3
        for client in clients
        for bet, at, missed in client.heard
        if not missed and bet in bets.acknowledged
    ]
    wrong = next((said for client in clients if (said := _wrong(client, clients, bets))), "")
    return Result(
        len(bets.acknowledged),
        sum(len(client.heard) for client in clients),
        wrong,
        sum(client.cut_off for client in clients),
        sum(client.resumed for client in clients),
        percentile(lags, 50),
        percentile(lags, 99),
        max(lags, default=0.0),
    )


def _wrong(client: Client, clients: list[Client], bets: Bets) -> str:
    """What this client heard amiss: nothing missing, nothing doubled, all in one order."""
    heard = [bet for bet, _, _ in client.heard]
    other = next(each for each in clients if each.plan == client.plan)
    if client.began_anew:
        return "a stream began anew"
    if len(set(heard)) != len(heard):
        return "a bet was told twice"
    if missing := bets.of_room[client.plan] - set(heard):
        return f"{len(missing)} bets were not told"
    if heard != [bet for bet, _, _ in other.heard]:
        return "two clients heard another order"
    return ""


def _work(task: Task) -> Result:
    return uvloop.run(_load(task))


if __name__ == "__main__":
    serve_worker(Task, _work)
