"""An operator's own database: the connection string's settings apply to every connection."""

import os
import select
import socket
import threading
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from engine.runtime.log.fact_log import datastore
from engine.runtime.postgres.embedded_postgres import EmbeddedPostgres, database
from engine.runtime.postgres.files import PostgresError
from tests.runtime.pooler import Pooler


def tcp_options(connection: psycopg.Connection[Any]) -> list[int]:
    """Keepalive, its three times, and the user timeout, read from the kernel."""
    with socket.socket(fileno=os.dup(connection.fileno())) as same:
        return [
            same.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE),
            *(
                same.getsockopt(socket.IPPROTO_TCP, option)
                for option in (
                    socket.TCP_KEEPIDLE,
                    socket.TCP_KEEPINTVL,
                    socket.TCP_KEEPCNT,
                    socket.TCP_USER_TIMEOUT,
                )
            ),
        ]


def test_a_host_that_stops_responding_is_noticed_on_every_connection(
    postgres: EmbeddedPostgres, tmp_path: Path
) -> None:
    url = postgres.dsn("app", "postgres", tcp=True)
    with (
        database(tmp_path, url) as conninfos,
        datastore(conninfos.app) as store,
        store.get_connection() as connection,
    ):
        assert tcp_options(connection) == [1, 2, 1, 3, 5_000]


def test_the_operators_own_timeouts_are_used(postgres: EmbeddedPostgres, tmp_path: Path) -> None:
    url = make_conninfo(
        postgres.dsn("app", "postgres", tcp=True), keepalives_idle=9, tcp_user_timeout=7_000
    )
    with (
        database(tmp_path, url) as conninfos,
        datastore(conninfos.app) as store,
        store.get_connection() as connection,
    ):
        assert tcp_options(connection) == [1, 9, 1, 3, 7_000]


def test_the_whole_connection_string_reaches_the_log(
    postgres: EmbeddedPostgres, tmp_path: Path
) -> None:
    """TLS, the choice among several hosts, and the server's settings for the session."""
    options = {
        "sslmode": "disable",
        "target_session_attrs": "read-write",
        "application_name": "house",
        "options": "-c work_mem=7MB",
    }
    address = conninfo_to_dict(postgres.dsn("app", "postgres", tcp=True))
    hosts = {"host": "127.0.0.1,127.0.0.1", "port": f"1,{address['port']}"}
    url = make_conninfo("", **{**address, **hosts, **options})
    with (
        database(tmp_path, url) as conninfos,
        datastore(conninfos.app) as store,
        store.get_connection() as connection,
    ):
        parameters = connection.info.get_parameters()
        assert {name: parameters[name] for name in options} == options
        assert str(connection.info.port) == address["port"]
        row = connection.execute("SHOW work_mem").fetchone()
        assert row == {"work_mem": "7MB"}


def refusal(url: str, data_dir: Path) -> str:
    """The error message for a database that the product cannot use."""
    with pytest.raises(PostgresError) as refused, database(data_dir, url):
        pass
    message = str(refused.value)
    assert "\n" not in message
    return message


def test_a_transaction_pooler_is_refused_with_the_reason(
    postgres: EmbeddedPostgres, tmp_path: Path
) -> None:
    with Pooler(postgres.dsn("app", "postgres", tcp=True)) as pooler:
        message = refusal(pooler.conninfo, tmp_path)
    assert "transaction pooler" in message
    assert "DATABASE_URL" in message


def test_a_wrong_password_is_reported_without_showing_it(
    postgres: EmbeddedPostgres, tmp_path: Path
) -> None:
    url = make_conninfo(postgres.dsn("app", "postgres", tcp=True), password="not-the-password")
    message = refusal(url, tmp_path)
    assert 'password authentication failed for user "fairdraw_app"' in message
    assert "not-the-password" not in message


def test_a_server_that_does_not_answer_is_named(tmp_path: Path) -> None:
    message = refusal("postgresql://someone@127.0.0.1:1/house", tmp_path)
    assert "DATABASE_URL" in message
    assert "127.0.0.1" in message


def test_a_call_that_waits_is_answered_as_soon_as_the_database_is_back(
    postgres: EmbeddedPostgres, tmp_path: Path
) -> None:
    """A fail-over takes seconds, and a proxy closes each connection until it ends."""
    url = postgres.dsn("app", "postgres", tcp=True)
    server_port = int(str(conninfo_to_dict(url)["port"]))
    with database(tmp_path, url) as conninfos, socket.create_server(("127.0.0.1", 0)) as proxy:
        beginning = threading.Thread(target=_relay_the_last, args=(proxy, server_port))
        beginning.start()
        through_it = make_conninfo(conninfos.app, port=proxy.getsockname()[1])
        with datastore(through_it, connections=1) as store, store.transaction() as cursor:
            assert cursor.execute("SELECT 1 AS one").fetchone() == {"one": 1}
        beginning.join()


def _relay_the_last(proxy: socket.socket, server_port: int) -> None:
    """Close the first ten connections, and relay the next until either side closes it."""
    for _ in range(10):
        proxy.accept()[0].close()
    client, _ = proxy.accept()
    with client, socket.create_connection(("127.0.0.1", server_port)) as server:
        other = {client: server, server: client}
        while True:
            for ready in select.select([client, server], [], [])[0]:
                data = ready.recv(1 << 16)
                if not data:
                    return
                other[ready].sendall(data)
