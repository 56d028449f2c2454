"""The program: reads its settings, puts everything together, serves, and stops cleanly."""

import asyncio
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, NoReturn

import structlog
import uvloop
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.server.embed import Server

from api import demo, first_contents, jobs, keys, lines, overnight
from api.given import SettingsError
from api.house import opened
from api.logs import LOGS
from api.services import Services, until
from api.settings import Settings, read
from api.sockets import give_up_on_the_silent
from api.web import web
from engine.runtime import schema, supervision
from engine.runtime.clock import GuardedClock
from engine.runtime.founding import StartRefusedError
from engine.runtime.postgres import Conninfos, database
from engine.runtime.postgres_home import PostgresError
from engine.runtime.vault import KeysLostError

HEADERS_WITHIN_MS: Final = 10_000
MOST_BUFFERED: Final = 64 * 1024
_STOPPED_WITHIN_S: Final = 1.0
_LEFT_AFTER_S: Final = 2.8
# PostgreSQL's stop has its own bounds, and is cut short by nothing else.
_SERVER_LEFT_AFTER_S: Final = 10.0
_MOST_PATIENCE: Final = 10.0
# Longer than the lease of a house that was killed.
_LEADS_WITHIN_S: Final = 6.0
_log = structlog.get_logger()


def main() -> NoReturn:
    """Run the house until it is told to stop."""
    try:
        status = _run(sys.argv[1:])
    finally:
        LOGS.close()
    sys.exit(status)


def _run(arguments: Sequence[str]) -> int:
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        settings = read(arguments, os.environ)
        _check_port(settings)
        _make_folder(settings.data)
        if not settings.demo:
            keys.check(settings.keys)
        with database(settings.data, settings.database_url, _say) as conninfos:
            LOGS.set_up(settings.data)
            schema.create(conninfos.owner)
            status = uvloop.run(_serve(settings, conninfos))
            _LAST_RESORT.begin(_SERVER_LEFT_AFTER_S)
            return status
    except (SettingsError, PostgresError, KeysLostError, StartRefusedError) as error:
        print(f"fairdraw: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _say(words: str) -> None:
    print(words, flush=True)


def _make_folder(data: Path) -> None:
    try:
        data.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = error.strerror or "it is none"
        raise SettingsError(f"{data} cannot be the data folder: {why}") from None


def _check_port(settings: Settings) -> None:
    """Say so at once when somebody listens there: granian would share the port silently."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as error:
            where = f"{settings.host}:{settings.port}"
            raise SettingsError(f"cannot listen on {where}: {error.strerror}") from None


async def _serve(settings: Settings, conninfos: Conninfos) -> int:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    clock = GuardedClock()
    async with opened(settings, conninfos.app, clock, clock) as services:
        server, serving = await served(services)
        lasting = [
            supervision.task(name, partial(work, services))
            for name, work in _LASTING.items()
            if settings.demo or work is not demo.run
        ]
        told = supervision.owned(stop.wait())
        failed = supervision.owned(services.engine.ended.wait())
        await asyncio.wait({serving, told, failed}, return_when=asyncio.FIRST_COMPLETED)
        has_failed = failed.done() or (serving.done() and not told.done())
        _say("a part of the house has failed: see the log" if has_failed else "stopping")
        _LAST_RESORT.begin(_LEFT_AFTER_S)
        for task in (*lasting, told, failed):
            task.cancel()
        services.hub.listeners.close()
        await stopped(server, serving)
    # Behind a fault a supervisor starts us anew, and the new engine completes what is owed.
    return int(has_failed)


class LastResort:
    """Whatever hangs, such as a database that is away, does not keep the terminal."""

    def __init__(self) -> None:
        """Nothing is waited for yet."""
        self._timer: threading.Timer | None = None

    def begin(self, seconds: float) -> None:
        """Leave unless the next step begins, or the program ends, within so many seconds.

        Slowness is no hanging: where more wants to run than there are cores, it is so much longer.
        """
        if self._timer is not None:
            self._timer.cancel()
        self._timer = supervision.after(seconds * patience(os.getloadavg()[0]), self._leave)

    def _leave(self) -> None:
        _log.warning("not stopped in time: left")
        lines.flush()
        LOGS.drain()
        os._exit(1)


_LAST_RESORT: Final = LastResort()


def patience(load: float) -> float:
    """How many times as long everything takes while so many want to run, bounded."""
    return min(max(load / (os.cpu_count() or 1), 1.0), _MOST_PATIENCE)


async def served(services: Services) -> tuple[Server, asyncio.Task[None]]:
    """Serve, in one process on one event loop: it dies whole, and ends in a moment."""
    settings = services.settings
    server = Server(
        web(services),
        address=settings.host,
        port=settings.port,
        interface=Interfaces.ASGI,
        websockets=False,
        log_enabled=False,
        backlog=1024,
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(
            header_read_timeout=HEADERS_WITHIN_MS, max_buffer_size=MOST_BUFFERED
        ),
    )
    serving = supervision.task("server", server.serve)
    silent_s = settings.streams.silent_s
    await until(lambda: serving.done() or give_up_on_the_silent(settings.port, silent_s))
    return server, serving


async def stopped(server: Server, serving: asyncio.Task[None]) -> None:
    """Take no more requests, and give those at hand a moment to be answered."""
    server.stop()  # type: ignore[no-untyped-call]  # granian has no types here
    await asyncio.wait({serving}, timeout=_STOPPED_WITHIN_S)
    serving.cancel()
    with suppress(asyncio.CancelledError):
        await serving


async def _lead(services: Services) -> None:
    """Wait until this house leads, and say so when that takes long."""
    try:
        async with asyncio.timeout(_LEADS_WITHIN_S):
            return await until(lambda: services.engine.ready)
    except TimeoutError:
        clock = services.engine.clock_trouble
        why = "another house runs on this data, or a long history is being read"
        _say(f"Waiting to lead: {f'the clock is wrong, {clock}' if clock else why}.")
    return await until(lambda: services.engine.ready)


async def _tell_damage(services: Services) -> None:
    """Print what is missing from the log whenever that keeps the house from leading."""
    told: tuple[str, ...] = ()
    while True:
        await until(partial(_has_other_damage, services, told))
        told = services.engine.damage
        if told:
            _say("This house takes no bets, because facts are missing from its log:")
            _say("\n".join(f"  {missing}" for missing in told))
            _say("Restore the whole database from one copy; then this house leads by itself.")


def _has_other_damage(services: Services, told: tuple[str, ...]) -> bool:
    return services.engine.damage != told


async def _welcome(services: Services) -> None:
    """Tell whoever started us where to go, once bets are taken."""
    settings = services.settings
    await _lead(services)
    # Where the programs of the staff find the house: never one that merely waits.
    (settings.keys / "address").write_text(f"http://{settings.host}:{settings.port}")
    await until(lambda: services.engine.ready and services.hub.sells())
    _log.info("serving", address=settings.address, demo=settings.demo)
    _say(f"\nFairdraw is open at {settings.address}")
    if settings.demo:
        names = " or ".join(demo.MEMBERS)
        _say(f"Sign in as {names}, password {demo.PASSWORD}, or register: all money is play money.")
        _say("Then choose a game, bet, and see it drawn and paid. Ctrl-C stops everything.")
        _say("Staff approve deposits and withdrawals with scripts/office --help; online orders")
        _say("are paid with scripts/gateway --help.")
    else:
        _say("Ctrl-C stops everything.")


_LASTING: Final[Mapping[str, Callable[[Services], Coroutine[Any, Any, None]]]] = {
    "demo": demo.run,
    "welcome": _welcome,
    "first contents": first_contents.run,
    "overnight bonus": overnight.run,
    "jobs": jobs.run,
    "damage report": _tell_damage,
}


if __name__ == "__main__":
    main()
