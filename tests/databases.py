"""Creates a database for one test on the server that all workers share."""

import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import sql

from engine.runtime.postgres.embedded_postgres import Conninfos, EmbeddedPostgres

_numbers = itertools.count(1)


@contextmanager
def new_database(postgres: EmbeddedPostgres, template: str = "template1") -> Iterator[Conninfos]:
    """A database with a unique name, dropped afterwards even if connections are still open."""
    name = f"test_{os.getpid()}_{next(_numbers)}"
    postgres.create_database(name, template)
    try:
        yield postgres.conninfos(name)
    finally:
        drop_database(postgres, name)


def drop_database(postgres: EmbeddedPostgres, name: str) -> None:
    """Remove a database, ending the sessions that are still in it."""
    with psycopg.connect(postgres.dsn("admin", "postgres"), autocommit=True) as connection:
        statement = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)")
        connection.execute(statement.format(sql.Identifier(name)))
