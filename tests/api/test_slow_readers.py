"""Subscribers that do not read or have vanished, and the limits on open streams."""

import contextlib
import ctypes
import socket
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from msgspec.structs import replace

from api.realtime.subscribers import QUEUE_BYTES, Subscriber
from api.settings import StreamLimits
from engine.runtime.postgres.embedded_postgres import EmbeddedPostgres
from tests.api.streaming import following, ids_of, through
from tests.api.support import DEADLINE_S, ApiServer, Player
from tests.databases import new_database
from tests.ports import reserved_port

LIMITS = StreamLimits(per_session=2, per_address=4, in_all=5, silent_s=1.0)
REQUEST = (
    "GET /api/Lottery/stream?game_id=1&plan_id=1&lang=en HTTP/1.1\r\nHost: a\r\nCookie: {}\r\n\r\n"
)
_SO_ATTACH_FILTER = 26
_DROP_ALL = struct.pack("HBBI", 0x06, 0, 0, 0)  # one instruction: return 0 bytes of the packet
HEARTS = 4_000


@pytest.fixture(scope="module")
def tight(
    postgres: EmbeddedPostgres, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ApiServer]:
    """A server that allows few streams and cuts off slow readers soon."""
    data: Path = tmp_path_factory.mktemp("tight")
    with new_database(postgres) as database:
        house = ApiServer(database, data, reserved_port())
        house.settings = replace(house.settings, streams=LIMITS)
        with house:
            yield house


@pytest.fixture(autouse=True)
def empty(tight: ApiServer) -> None:
    """Wait until the streams of the previous test are gone."""
    tight.wait_until(lambda: not tight.services.stream_limiter._in_all)


@contextlib.contextmanager
def opened(
    house: ApiServer, player: Player | None = None, source: str = "127.0.0.1"
) -> Iterator[str]:
    """Open a stream from this address and yield the first bytes of the answer."""
    with _connected(house, source) as connection:
        connection.sendall(REQUEST.format(_cookie(player)).encode())
        yield connection.recv(4096).decode()


def _connected(house: ApiServer, source: str = "127.0.0.1") -> socket.socket:
    at = ("127.0.0.1", house.settings.port)
    return socket.create_connection(at, DEADLINE_S, source_address=(source, 0))


def _cookie(player: Player | None) -> str:
    return f"fairdraw_stream={player.token}" if player else ""


def refused(answer: str, status: int, reason: str) -> bool:
    head = answer.lower()
    return head.startswith(f"http/1.1 {status}") and "retry-after: 1" in head and reason in answer


def test_a_session_has_only_so_many_streams(tight: ApiServer) -> None:
    player, other = tight.register(), tight.register()
    with opened(tight, player) as one, contextlib.ExitStack() as second:
        assert one.startswith("HTTP/1.1 200")
        second.enter_context(opened(tight, player))
        with opened(tight, player) as third, opened(tight, other) as others:
            assert refused(third, 429, "rate_limited")
            assert others.startswith("HTTP/1.1 200")
        tight.wait_until(lambda: tight.services.stream_limiter._in_all == 2)
        second.close()
        tight.wait_until(lambda: tight.services.stream_limiter._in_all == 1)
        with opened(tight, player) as again:
            assert again.startswith("HTTP/1.1 200")


def test_an_address_and_the_house_have_only_so_many_streams(tight: ApiServer) -> None:
    with contextlib.ExitStack() as streams:
        here = [streams.enter_context(opened(tight)) for _ in range(LIMITS.per_address)]
        assert all(answer.startswith("HTTP/1.1 200") for answer in here)
        with opened(tight) as fifth:
            assert refused(fifth, 429, "rate_limited")
        elsewhere = streams.enter_context(opened(tight, source="127.0.0.2"))
        assert elsewhere.startswith("HTTP/1.1 200")
        with opened(tight, source="127.0.0.3") as sixth:
            assert refused(sixth, 503, "engine_busy")


def only_listener(house: ApiServer) -> Subscriber:
    house.wait_until(lambda: bool(list(house.services.hub.subscribers.in_room(1))))
    (listener,) = house.services.hub.subscribers.in_room(1)
    return listener


def flood(house: ApiServer, until: Callable[[], bool]) -> int:
    """Send heartbeats until the condition is true. Returns the most bytes queued for a reader."""
    most = 0

    async def send() -> None:
        nonlocal most
        hub = house.services.hub
        for listener in hub.subscribers.in_room(1):
            hub.send_heartbeat(listener, hub.position)
            most = max(most, listener._size)

    for _ in range(100 * HEARTS):
        if until():
            return most
        house.on_loop(send)
    raise AssertionError("no reader was cut off")


def connections(house: ApiServer) -> int:
    """The number of the kernel's TCP connections to the server."""
    return sum(
        one.laddr.port == house.settings.port and one.status != psutil.CONN_LISTEN
        for one in psutil.Process().net_connections("tcp")
    )


def test_a_reader_who_never_reads_is_cut_off_and_what_waits_is_bounded(tight: ApiServer) -> None:
    """Over a real connection, whose buffers fill first."""
    player = tight.register()
    for _ in range(50):
        player.bet("big", 1)
    tight.catch_up()
    before = connections(tight)
    with _connected(tight) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.sendall(REQUEST.format("").encode())
        listener = only_listener(tight)
        most = flood(tight, listener.ended.is_set)
        assert QUEUE_BYTES // 2 < most <= QUEUE_BYTES
        tight.wait_until(lambda: not tight.services.stream_limiter._in_all)
        assert (listener._size, list(tight.services.hub.subscribers.in_room(1))) == (0, [])
        tight.wait_until(lambda: connections(tight) <= before)


def test_a_reader_that_vanished_silently_is_disconnected(tight: ApiServer) -> None:
    """The kernel drops every packet to the reader, so none is acknowledged."""
    with opened(tight) as answer, contextlib.ExitStack() as kept:
        assert answer.startswith("HTTP/1.1 200")
        tight.wait_until(lambda: tight.services.stream_limiter._in_all == 1)
        connection = kept.enter_context(_connected(tight, "127.0.0.2"))
        connection.sendall(REQUEST.format("").encode())
        assert connection.recv(4096)
        tight.wait_until(lambda: tight.services.stream_limiter._in_all == 2)
        code = ctypes.create_string_buffer(_DROP_ALL)
        program = struct.pack("HL", 1, ctypes.addressof(code))
        connection.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, program)
        tight.register().bet("big", 10)
        tight.wait_until(lambda: tight.services.stream_limiter._in_all == 1)


def test_others_receive_everything_despite_a_reader_who_does_not_read(tight: ApiServer) -> None:
    player = tight.register()
    with _connected(tight) as deaf, following(tight) as stream:
        deaf.sendall(REQUEST.format("").encode())
        through(stream, "heart")
        bets = [player.bet("big", 10)["data"]["id"] for _ in range(20)]
        received: list[str] = []
        while len(received) < len(bets):
            received += ids_of(through(stream, "bet"), "bet")
    assert received == bets
