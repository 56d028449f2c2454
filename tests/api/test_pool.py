"""The connections that the calls share, when the database cuts them or the house closes."""

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
    """So many connections lie idle; the name of their database."""
    with ExitStack() as used:
        taken = [used.enter_context(pool.connection()) for _ in range(connections)]
        return taken[0].info.dbname


def _cut(postgres: EmbeddedPostgres, name: str) -> None:
    """End all that is connected, and what was about to be."""
    sessions = "FROM pg_stat_activity WHERE datname = %s"
    with psycopg.connect(postgres.dsn("admin"), autocommit=True) as admin:
        while admin.execute(f"SELECT pg_terminate_backend(pid, 5000) {sessions}", [name]).rowcount:
            pass


def _ask(pool: Pool, answers: list[object]) -> None:
    try:
        with pool.connection() as connection:
            answers.append(connection.execute("SELECT 1").fetchone())
    except psycopg.OperationalError as error:
        answers.append(type(error))


def test_who_asks_behind_a_cut_of_all_connections_is_answered(
    pool: Pool, postgres: EmbeddedPostgres
) -> None:
    _cut(postgres, _fill(pool, 10))
    answers: list[object] = []
    asking = [threading.Thread(target=_ask, args=(pool, answers)) for _ in range(20)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join(DEADLINE_S)
    assert answers == [(1,)] * 20


def test_who_waits_for_a_database_that_is_away_hears_that_the_house_closes(
    pool: Pool, postgres: EmbeddedPostgres
) -> None:
    name = _fill(pool, 2)
    with psycopg.connect(postgres.dsn("admin"), autocommit=True) as admin:
        admin.execute(
            sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS false").format(sql.Identifier(name))
        )
    _cut(postgres, name)
    answers: list[object] = []
    asking = threading.Thread(target=_ask, args=(pool, answers))
    asking.start()
    while len(pool._pool):  # until it has found both of them cut
        assert asking.is_alive()
    pool.close(timeout=0)
    asking.join(DEADLINE_S)
    assert answers == [PoolClosed]
