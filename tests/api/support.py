"""A server for tests: real PostgreSQL, real HTTP, and a clock that only a test moves."""

import asyncio
import itertools
import json
import socket
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

import httpx
import psycopg
import uvloop

from api.app import start_server, stop_server
from api.composition import open_services
from api.services import Services, wait_until
from api.settings import Settings
from engine import schedule
from engine.catalogue import GAMES
from engine.rounds.facts import RoundOpened
from engine.rounds.state import Phase
from engine.runtime.engine import Engine
from engine.runtime.log import schema
from engine.runtime.postgres.embedded_postgres import Conninfos
from tests.api import catalogue, conformity

MORNING_US = 1_795_226_700_000_000  # 2026-11-21 10:05 in Singapore
SECOND_US = 1_000_000
PASSWORD = "secret-enough-1"
OPERATOR = {
    "FAIRDRAW_OPERATOR_NAME": "Example Ltd",
    "FAIRDRAW_OPERATOR_LICENCE": "000-12345",
    "FAIRDRAW_OPERATOR_JURISDICTION": "Malta",
    "FAIRDRAW_OPERATOR_MINIMUM_AGE": "21",
}
LINES = ("https://line1.example", "https://line2.example")
DEADLINE_S = 20.0
# A connection for each request: the server closes an idle one after a while, even while a request
# begins on it.
LIMITS = httpx.Limits(max_keepalive_connections=0)
POLL_S = 0.01
ResultT = TypeVar("ResultT")
_numbers = itertools.count(1)


class Clock:
    """A clock in microseconds since 1970. It moves only when a test sets `now`."""

    def __init__(self) -> None:
        self.now = MORNING_US

    def __call__(self) -> int:
        return self.now


@dataclass(frozen=True)
class Player:
    """A signed-in player."""

    house: "ApiServer"
    id: int
    username: str
    token: str

    def call(self, path: str, body: dict[str, Any], key: str | None = None) -> dict[str, Any]:
        """Returns the envelope of a call by this player."""
        return self.house.call(path, body, token=self.token, key=key)

    def bet(self, kind: str = "big", money: Any = 10, key: str | None = None) -> dict[str, Any]:
        """Returns the envelope of a bet on game 1's open round in its first hall."""
        body = self.house.order(kind, money)
        return self.call("Lottery/playOrder", body, key or new_key())

    def balance(self) -> float:
        """The available balance in u."""
        money: float = self.call("user/userInfo", {})["data"]["money"]
        return money


class ApiServer:
    """A running server in its own thread."""

    def __init__(self, conninfos: Conninfos, data: Path, port: int) -> None:
        self.clock = Clock()
        #: Staff passes by name, without demo mode.
        self.passes: dict[str, str] = {}
        self.conninfos = conninfos
        page = "http://127.0.0.1:8100/pay"
        self.settings = Settings(
            schedule.demo(),
            data,
            demo=True,
            port=port,
            gateway_page=page,
            rate_factor=1_000_000,
            lines=LINES,
        )
        self.url = f"http://127.0.0.1:{port}"
        self._clients: list[httpx.Client] = []
        self._of_thread = threading.local()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._services: Services | None = None
        self._up: Future[None] = Future()
        self._thread = threading.Thread(target=lambda: uvloop.run(self._serve()))

    def __enter__(self) -> Self:
        schema.create(self.conninfos.owner)
        self._thread.start()
        self._up.result(DEADLINE_S)
        self.next_round()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._loop is not None
        assert self._stop is not None
        for client in self._clients:
            client.close()
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(DEADLINE_S)

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        try:
            async with open_services(self.settings, self.conninfos.app, self.clock) as services:
                self._services = services
                server, serving = await start_server(services)
                await wait_until(lambda: services.engine.ready)
                self._up.set_result(None)
                await self._stop.wait()
                services.hub.subscribers.close()
                await stop_server(server, serving)
        except BaseException as error:
            if not self._up.done():
                self._up.set_exception(error)
            raise

    @property
    def services(self) -> Services:
        assert self._services is not None
        return self._services

    @property
    def engine(self) -> Engine:
        assert isinstance(self.services.engine, Engine)
        return self.services.engine

    def on_loop(self, work: Callable[[], Coroutine[Any, Any, ResultT]]) -> ResultT:
        """Run a coroutine on the server's event loop and return its result."""
        assert self._loop is not None
        return asyncio.run_coroutine_threadsafe(work(), self._loop).result(DEADLINE_S)

    def wait_until(self, true: Callable[[], bool]) -> None:
        """Wait on the server's event loop until the condition is true."""
        self.on_loop(lambda: wait_until(true))

    def move_to(self, at: int) -> None:
        """Move the clock forward, run the due steps, and wait for the read models."""
        self.clock.now = max(self.clock.now, at)
        self.on_loop(self._do_what_is_due)
        self.catch_up()

    async def _do_what_is_due(self) -> None:
        """Run the scheduler's due steps. It may run them itself as well; no step runs twice."""
        scheduler = self.engine.scheduler
        assert scheduler is not None
        await scheduler.tick()
        while any(self._is_due(game) for game in GAMES):
            await asyncio.sleep(POLL_S)
            await scheduler.tick()

    def _is_due(self, game: int) -> bool:
        """Whether a round of the game is due to be closed, drawn, settled or opened."""
        now, unfinished = self.clock.now, self.engine.state.unfinished_rounds(game)
        times: dict[Phase, Callable[[RoundOpened], int]] = {
            Phase.OPEN: lambda at: at.closes_at,
            Phase.CLOSED: lambda at: at.draws_at,
        }
        if any(
            each.phase not in times or times[each.phase](each.opened) <= now for each in unfinished
        ):
            return True
        place = schedule.current(self.settings.operator_schedule, game, now)
        on_sale = {each.opened.draws_at for each in unfinished}
        return place is not None and now < place.closes_at and place.draws_at not in on_sale

    def catch_up(self) -> None:
        """Wait until the read models have applied the whole log."""
        with psycopg.connect(self.conninfos.app) as connection:
            row = connection.execute("SELECT max(notification_id) FROM log.facts").fetchone()
        end = row[0] if row else 0
        self.on_loop(lambda: self.services.hub.wait_for(end or 0, DEADLINE_S))
        assert self.services.hub.position >= (end or 0)

    def next_round(self) -> str:
        """Draw the current round of game 1 and return the issue of the next one."""
        opened_round = self.services.hub.games[1].opened
        self.move_to(self.clock.now if opened_round is None else opened_round.draws_at)
        self.move_to(self.clock.now)
        return self.issue

    def draw_round(self) -> None:
        """Close, draw and settle game 1's round. The next round is open afterwards."""
        opened_round = self.services.hub.games[1].opened
        assert opened_round is not None
        self.move_to(opened_round.closes_at)
        self.next_round()

    @property
    def issue(self) -> str:
        """The issue of game 1's round that is on sale."""
        opened_round = self.services.hub.games[1].opened
        assert opened_round is not None
        return opened_round.issue

    def order(self, kind: Any = "big", money: Any = 10) -> dict[str, Any]:
        """The body of a bet in game 1's first hall."""
        return {
            "issue": self.issue,
            "plan_id": 1,
            "game_id": 1,
            "play_type": kind,
            "money": money,
        }

    @property
    def client(self) -> httpx.Client:
        """This thread's client: a shared one may close the connection of another thread's request.

        See issue 1110 of encode/httpcore.
        """
        client: httpx.Client | None = getattr(self._of_thread, "client", None)
        if client is None:
            client = httpx.Client(base_url=self.url, timeout=DEADLINE_S, limits=LIMITS)
            client.event_hooks["response"].append(catalogue.record_refusal)
            self._of_thread.client = client
            self._clients.append(client)
        return client

    def call(
        self,
        path: str,
        body: dict[str, Any],
        *,
        token: str | None = None,
        key: str | None = None,
    ) -> dict[str, Any]:
        """Returns the envelope of a call."""
        headers = {"token": token or "", "Idempotency-Key": key or ""}
        sent = {name: value for name, value in headers.items() if value}
        answer: dict[str, Any] = self.client.post(f"/api/{path}", json=body, headers=sent).json()
        return answer

    def register(self, **fields: Any) -> Player:
        """Register a player, who gets the demo's gift."""
        name = f"member{next(_numbers)}"
        body = {"username": name, "password": PASSWORD, "group_id": 1, "inviter_id": "", **fields}
        info = self.call("user/register", body)["data"]["userinfo"]
        return Player(self, info["user_id"], info["username"], info["token"])


def call_again_after_a_cut(
    house: ApiServer, player: Player, path: str, content: dict[str, Any]
) -> dict[str, Any]:
    """Cut a call's connection before its answer can be read, and repeat it as an old client does.

    Returns the answer to the second call.
    """
    body = json.dumps(content).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        f"token: {player.token}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    calls = house.services.commands.once._retries._calls
    with psycopg.connect(house.conninfos.owner) as holding:
        # While nothing can be appended, no command can be answered.
        holding.execute("LOCK TABLE log.facts IN EXCLUSIVE MODE")
        with socket.create_connection(("127.0.0.1", house.settings.port)) as broken:
            broken.sendall(head.encode() + body)
            house.wait_until(lambda: len(calls) == 1)
        house.wait_until(lambda: all(call.abandoned_at is not None for call in calls.values()))
    again = house.client.post(path, content=body, headers={"token": player.token})
    answer: dict[str, Any] = again.json()
    return answer


def new_key() -> str:
    """An idempotency key that is unique within the run."""
    return f"key-{next(_numbers)}"


def events(lines: Any) -> Any:
    """The events of a stream as (name, data) without pings. Fails if an event takes too long."""
    name, waited_since = "", time.monotonic()
    for line in lines:
        assert time.monotonic() - waited_since < DEADLINE_S, "nothing but pings"
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            data = json.loads(line.removeprefix("data: "))
            conformity.check_event(name, data)
            yield name, data
            waited_since = time.monotonic()
