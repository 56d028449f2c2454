"""The main program: reads the settings, opens the services, serves requests, shuts down."""

import asyncio
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, NoReturn

import psutil
import structlog
import uvloop
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.server.embed import Server
from msgspec.structs import replace

from api import keys
from api.cashier import overnight_bonus
from api.composition import open_services
from api.content import seed_content
from api.http.asgi_app import create_app
from api.ops import demo_data, jobs, request_log
from api.ops.logs import LOGS
from api.services import Services, wait_until
from api.setting_types import ServerRole, SettingsError
from api.settings import Settings, read
from api.witness.process import wait_until_listening, witness_of
from engine.runtime import restored, supervision
from engine.runtime.clock import GuardedClock
from engine.runtime.log import rights, schema
from engine.runtime.log.fact_log import datastore
from engine.runtime.port import EngineStatus
from engine.runtime.postgres.embedded_postgres import Conninfos, database, find_postmaster
from engine.runtime.postgres.files import PostgresError, find_cluster
from engine.runtime.secret_keys import OperatorKey, secret_file
from engine.runtime.vault import KeysLostError
from engine.runtime.witness.local_witness import WITNESS_FOLDER
from engine.runtime.witness.remote_witness import WitnessAddress
from engine.runtime.writer.startup import StartRefusedError
from projections.process import WorkerConfig, follow

HEADER_TIMEOUT_MS: Final = 10_000
MAX_BUFFER_BYTES: Final = 64 * 1024
_BACKLOG: Final = 1024
_MAX_OTHER_CONNECTIONS: Final = 1024
"""Connections next to those of the event streams. Further ones wait in the backlog."""
_SERVER_STOP_TIMEOUT_S: Final = 1.0
_SHUTDOWN_TIMEOUT_S: Final = 2.8
# PostgreSQL bounds its own shutdown, and nothing else cuts it short.
_POSTGRES_SHUTDOWN_TIMEOUT_S: Final = 10.0
_MAX_LOAD_FACTOR: Final = 10.0
# Longer than the lease of a server that was killed.
_LEADERSHIP_TIMEOUT_S: Final = 6.0
_SEND_BUFFER_BYTES: Final = 256 * 1024
_log = structlog.get_logger()


def main() -> NoReturn:
    """Run the server until it is stopped."""
    try:
        status = _run(sys.argv[1:])
    finally:
        LOGS.close()
    sys.exit(status)


def _run(arguments: Sequence[str]) -> int:
    signal.signal(signal.SIGTERM, _raise_interrupt)
    try:
        settings = read(arguments, os.environ)
        _check_port(settings)
        _check_database(settings)
        _make_folder(settings.data)
        if not settings.demo:
            keys.check(settings.keys, settings.role)
        if settings.role is ServerRole.WITNESS:
            _become_witness(settings)
        with (
            _witness_for(settings) as witness,  # first: it starts while the database starts
            database(
                settings.data, settings.database_url, _print, owner_url=settings.database_owner_url
            ) as conninfos,
        ):
            LOGS.set_up(settings.data, _process_name(settings))
            schema.create(conninfos.owner)
            rights.check(conninfos.app, demo=settings.demo)
            if witness is not None:
                wait_until_listening(witness)
            status = _run_role(replace(settings, witness=witness), conninfos)
            _WATCHDOG.arm(_POSTGRES_SHUTDOWN_TIMEOUT_S)
            return status
    except (SettingsError, PostgresError, KeysLostError, StartRefusedError) as error:
        print(f"fairdraw: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def _run_role(settings: Settings, conninfos: Conninfos) -> int:
    if settings.role is ServerRole.PROJECTOR:
        _print("The read models follow the log. Ctrl-C stops this process.")
        with _clock_compared(GuardedClock(), conninfos.app):
            follow(WorkerConfig(conninfos.app, settings.timezone), _on_stop_signal)
        return 0
    return uvloop.run(_serve(settings, conninfos))


@contextmanager
def _clock_compared(guard: GuardedClock, conninfo: str) -> Iterator[None]:
    """Compare the clock with the database's in a thread, which logs what it finds."""
    stopping = threading.Event()
    with closing(datastore(conninfo)) as store:
        watch = partial(guard.watch_in_thread, store, stopping)
        watching = supervision.thread("clock", watch, stopping)
        try:
            yield
        finally:
            stopping.set()
            watching.join()


def _on_stop_signal(stop: Callable[[], object]) -> None:
    """Call `stop` in another thread when this process is asked to end."""

    def handle(*_: object) -> None:
        _print("stopping")
        _WATCHDOG.arm(_SHUTDOWN_TIMEOUT_S)
        supervision.after(0.0, stop)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handle)


def _become_witness(settings: Settings) -> NoReturn:
    """Replace this process by `scripts/witness serve`, with the witness of this data folder."""
    file = settings.keys / "operator.key"
    if not file.exists():
        raise SettingsError(
            f"--role witness answers the operator whose key is {file}, which is missing: make the"
            f" keys with scripts/run --make-keys --data {settings.data}"
        )
    operator = OperatorKey(secret_file(file)).public.hex()
    folder = str((settings.keys / WITNESS_FOLDER).absolute())
    where = ("--host", settings.host, "--port", str(settings.port))
    # Named, not imported: scripts are on top of this program.
    command = ["-m", "scripts.witness_cli", "serve", "--operator", operator, "--data", folder]
    os.execv(sys.executable, [sys.executable, *command, *where])


def _witness_for(settings: Settings) -> AbstractContextManager[WitnessAddress | None]:
    """The witness of an engine; other roles start none."""
    if settings.role in {ServerRole.ALL, ServerRole.ENGINE}:
        return witness_of(settings)
    return nullcontext(settings.witness)


def _process_name(settings: Settings) -> str:
    """What distinguishes the log files of this process; empty for a house in one process."""
    if settings.role is ServerRole.ALL:
        return ""
    if settings.role is ServerRole.PROJECTOR:
        return f"-{settings.role}"
    return f"-{settings.role}-{settings.port}"


def _raise_interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _print(text: str) -> None:
    print(text, flush=True)


def _make_folder(data: Path) -> None:
    try:
        data.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = error.strerror or "it is not a folder"
        raise SettingsError(f"{data} cannot be the data folder: {why}") from None
    if restored.unfinished_file(data).exists():
        raise SettingsError(
            f"the restore into {data} was not finished: run scripts/restore again, which begins it"
            " again, or choose another folder"
        )


def _check_database(settings: Settings) -> None:
    """Raises SettingsError if the engine's database is neither named nor running here."""
    if settings.role not in {ServerRole.API, ServerRole.PROJECTOR} or settings.database_url:
        return
    cluster = find_cluster(settings.data)
    if cluster is None or find_postmaster(cluster) is None:
        raise SettingsError(
            f"--role {settings.role} uses the engine's database, and no database runs in"
            f" {settings.data}: start --role engine with this folder first, or set DATABASE_URL"
        )


def _check_port(settings: Settings) -> None:
    """Raises SettingsError if the port is in use: granian would share it silently."""
    if settings.role is ServerRole.PROJECTOR:
        return
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
    async with open_services(settings, conninfos.app, clock, clock) as services:
        server, serving = await start_server(services)
        background = [
            supervision.task(name, partial(work, services))
            for name, work in background_tasks(settings.role).items()
            if settings.demo or work is not demo_data.run
        ]
        stop_requested = supervision.owned(stop.wait())
        failed = supervision.owned(services.engine_ended.wait())
        await asyncio.wait({serving, stop_requested, failed}, return_when=asyncio.FIRST_COMPLETED)
        has_failed = failed.done() or (serving.done() and not stop_requested.done())
        _print("a part of the server has failed: see the log" if has_failed else "stopping")
        _WATCHDOG.arm(_SHUTDOWN_TIMEOUT_S)
        for task in (*background, stop_requested, failed):
            task.cancel()
        services.hub.subscribers.close()
        await stop_server(server, serving)
    # After a failure a supervisor restarts the process, and the new engine finishes pending work.
    return int(has_failed)


class ShutdownWatchdog:
    """Forces the process to exit if its shutdown hangs, for example on an unreachable database."""

    def __init__(self) -> None:
        """Initially not armed."""
        self._timer: threading.Timer | None = None

    def arm(self, seconds: float) -> None:
        """Exit after `seconds`, unless `arm` is called again or the process ends before.

        `load_factor` extends the time: a machine with more to run than cores is slow, not hung.
        """
        if self._timer is not None:
            self._timer.cancel()
        self._timer = supervision.after(seconds * load_factor(os.getloadavg()[0]), self._force_exit)

    def _force_exit(self) -> None:
        _log.warning("shutdown timed out: forced exit")
        request_log.flush()
        LOGS.drain()
        os._exit(1)


_WATCHDOG: Final = ShutdownWatchdog()


def load_factor(load: float) -> float:
    """Returns the factor by which this load average slows a process down, from 1 to 10."""
    return min(max(load / (os.cpu_count() or 1), 1.0), _MAX_LOAD_FACTOR)


async def start_server(services: Services) -> tuple[Server, asyncio.Task[None]]:
    """Serve in one process on one event loop, so that it fails as a whole and stops quickly."""
    settings = services.settings
    server = Server(
        create_app(services),
        address=settings.host,
        port=settings.port,
        interface=Interfaces.ASGI,
        websockets=False,
        log_enabled=False,
        backlog=_BACKLOG,
        # The most connections at once. Without it only as many as the backlog is long.
        backpressure=settings.streams.in_all + _MAX_OTHER_CONNECTIONS,
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(
            header_read_timeout=HEADER_TIMEOUT_MS, max_buffer_size=MAX_BUFFER_BYTES
        ),
    )
    serving = supervision.task("server", server.serve)
    silent_s = settings.streams.silent_s
    await wait_until(lambda: serving.done() or set_tcp_user_timeout(settings.port, silent_s))
    return server, serving


def set_tcp_user_timeout(port: int, after_s: float) -> bool:
    """Close connections to `port` whose client acknowledges no sent data for `after_s` seconds.

    Returns False if nothing listens on the port yet, so that nothing was set. The ASGI server
    cannot set these options; accepted connections inherit them from the listening socket.

    The client may have vanished, or may never read. Without the timeout the kernel would keep its
    stream open for a quarter of an hour, or forever.
    """
    found = False
    for connection in psutil.Process().net_connections("tcp"):
        if connection.status == psutil.CONN_LISTEN and connection.laddr.port == port:
            with socket.socket(fileno=os.dup(connection.fd)) as listening:
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER_BYTES)
                if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux
                    timeout_ms = int(after_s * 1000)
                    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, timeout_ms)
            found = True
    return found


async def stop_server(server: Server, serving: asyncio.Task[None]) -> None:
    """Accept no more requests, and give those in progress one second to be answered."""
    server.stop()  # type: ignore[no-untyped-call]  # granian has no types here
    await asyncio.wait({serving}, timeout=_SERVER_STOP_TIMEOUT_S)
    serving.cancel()
    with suppress(asyncio.CancelledError):
        await serving


async def _wait_for_leadership(services: Services) -> None:
    """Wait until this server leads; print the reason if that takes more than 6 s."""
    try:
        async with asyncio.timeout(_LEADERSHIP_TIMEOUT_S):
            return await wait_until(lambda: services.engine.ready)
    except TimeoutError:
        _print(_why_not_ready(services.engine.status()))
    return await wait_until(lambda: services.engine.ready)


def _why_not_ready(status: EngineStatus) -> str:
    if status.unreachable:
        return f"Waiting for the engine: {status.unreachable}."
    if status.clock_trouble:
        return f"Waiting to lead: the clock is wrong, {status.clock_trouble}."
    if status.unknown_topics:
        return "Waiting for the newer version to lead."
    return "Waiting to lead: another server runs on this data, or a long log is being read."


async def _print_obstacles(services: Services) -> None:
    """Print why the log does not allow this server to lead, whenever the reason changes."""
    printed: tuple[str, ...] = ()
    while True:
        await wait_until(partial(_has_other_obstacles, services, printed))
        printed = _obstacles(services.engine.status())
        if printed:
            _print("\n".join(printed))


def _has_other_obstacles(services: Services, printed: tuple[str, ...]) -> bool:
    return _obstacles(services.engine.status()) != printed


def _obstacles(status: EngineStatus) -> tuple[str, ...]:
    """Returns the lines that say why the log does not allow this server to lead."""
    lines: tuple[str, ...] = ()
    if status.unknown_topics:
        lines = (f"This server does not lead: {status.unknown_topics}.",)
    if status.damage:
        lines += (
            "This server accepts no bets, because facts are missing from its log:",
            *(f"  {missing}" for missing in status.damage),
            "Restore the whole database from one backup; then this server leads by itself.",
        )
    return lines


async def _print_ready(services: Services) -> None:
    """Print the address of the app once bets are accepted."""
    settings = services.settings
    await _wait_for_leadership(services)
    # The staff's programs read the server's address here. A standby never writes it.
    (settings.keys / "address").write_text(f"http://{settings.host}:{settings.port}")
    await wait_until(lambda: services.engine.ready and services.hub.is_open())
    _log.info("serving", address=settings.address, demo=settings.demo)
    _print(f"\nFairdraw is open at {settings.address}")
    if settings.demo:
        names = " or ".join(demo_data.MEMBERS)
        _print(
            f"Sign in as {names}, password {demo_data.PASSWORD}, or register:"
            " all money is play money."
        )
        _print("Then choose a game, bet, and see it drawn and paid. Ctrl-C stops everything.")
        _print("Staff approve deposits and withdrawals with scripts/office --help; online orders")
        _print("are paid with scripts/gateway --help.")
    else:
        _print("Ctrl-C stops everything.")


async def _print_leading(services: Services) -> None:
    """Print that this engine leads, once it does."""
    await _wait_for_leadership(services)
    _log.info("leading for other processes", demo=services.settings.demo)
    _print("The engine leads, and answers the API processes. Ctrl-C stops this process.")


_Task = Callable[[Services], Coroutine[Any, Any, None]]
#: They wait until the engine of their process leads, so that they run in one process of a house.
_LEADERS_TASKS: Final[Mapping[str, _Task]] = {
    "demo": demo_data.run,
    "first contents": seed_content.run,
    "overnight bonus": overnight_bonus.run,
    "jobs": jobs.run,
    "vault outbox": lambda services: services.players.run(),
    "damage report": _print_obstacles,
}


def background_tasks(role: ServerRole) -> Mapping[str, _Task]:
    """Returns the tasks of this role by the names of their parts."""
    if role is ServerRole.API:
        return {"welcome": _print_ready}
    welcome = _print_leading if role is ServerRole.ENGINE else _print_ready
    return {"welcome": welcome, **_LEADERS_TASKS}


if __name__ == "__main__":
    main()
