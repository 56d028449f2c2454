"""The shared connection pool, when the database cuts connections or the server closes."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack

import psycopg
import pytest
from psycopg import sql
from psycopg_pool import PoolClosed

from api.http.db_pool import Pool, open_pool
from engine.runtime.postgres.embedded_postgres import Conninfos, EmbeddedPostgres

DEADLINE_S = 20


@pytest.fixture
def pool(database: Conninfos) -> Iterator[Pool]:
    opened = open_pool(database.app)
    yield opened
    opened.close()


def _fill(pool: Pool, connections: int) -> str:
    """Open this many idle connections and return the name of their database."""
    with ExitStack() as used:
        taken = [used.enter_context(pool.connection()) for _ in range(connections)]
        return taken[0].info.dbname


def _cut(postgres: EmbeddedPostgres, name: str) -> None:
    """End all connections to the database, including new ones, until none is left."""
    sessions = "FROM pg_stat_activity WHERE datname = %s"
    with psycopg.connect(postgres.dsn("admin"), autocommit=True) as admin:
        while admin.execute(f"SELECT pg_terminate_backend(pid, 5000) {sessions}", [name]).rowcount:
            pass


def _query(pool: Pool, answers: list[object]) -> None:
    try:
        with pool.connection() as connection:
            answers.append(connection.execute("SELECT 1").fetchone())
    except psycopg.OperationalError as error:
        answers.append(type(error))


def test_a_query_after_a_cut_of_all_connections_is_answered(
    pool: Pool, postgres: EmbeddedPostgres
) -> None:
    _cut(postgres, _fill(pool, 10))
    answers: list[object] = []
    querying = [threading.Thread(target=_query, args=(pool, answers)) for _ in range(20)]
    for thread in querying:
        thread.start()
    for thread in querying:
        thread.join(DEADLINE_S)
    assert answers == [(1,)] * 20


def test_a_query_that_waits_for_the_database_ends_when_the_server_closes(
    pool: Pool, postgres: EmbeddedPostgres
) -> None:
    name = _fill(pool, 2)
    with psycopg.connect(postgres.dsn("admin"), autocommit=True) as admin:
        admin.execute(
            sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS false").format(sql.Identifier(name))
        )
    _cut(postgres, name)
    answers: list[object] = []
    querying = threading.Thread(target=_query, args=(pool, answers))
    querying.start()
    while len(pool._pool):  # until the pool has found both of them cut
        assert querying.is_alive()
    pool.close(timeout=0)
    querying.join(DEADLINE_S)
    assert answers == [PoolClosed]
