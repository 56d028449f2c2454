"""Checks the connection string of a database that the operator provides (DATABASE_URL)."""

from contextlib import closing
from typing import Final

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import TupleRow

from engine.runtime.postgres.files import PostgresError

_PROBES: Final = 3

# A dead host is detected in 5 s, whether the connection is idle or data is in transit.
_DEADLINES: Final = {
    "connect_timeout": 5,
    "keepalives": 1,
    "keepalives_idle": 2,
    "keepalives_interval": 1,
    "keepalives_count": 3,
    "tcp_user_timeout": 5_000,
}


def with_deadlines(conninfo: str) -> str:
    """Adds deadlines for connecting and for an unresponsive peer, where `conninfo` has none."""
    parameters = conninfo_to_dict(conninfo)
    return make_conninfo(conninfo, **{k: v for k, v in _DEADLINES.items() if k not in parameters})


def check(conninfo: str) -> None:
    """Check that the database can be used.

    Raises:
        PostgresError: the server does not answer, rejects the role, does not use UTF8, or is
            reached through a transaction pooler. The message is one line.
    """
    try:
        with closing(_connect(conninfo)) as one, closing(_connect(conninfo)) as other:
            shares = _shares_sessions(one, other)
            encoding = _value(one, "SHOW server_encoding")
    except psycopg.Error as error:
        reason = "; ".join(line.strip() for line in str(error).splitlines() if line.strip())
        raise PostgresError(f"the database of DATABASE_URL cannot be used: {reason}") from None
    if encoding != "UTF8":
        raise PostgresError(f"the database of DATABASE_URL must be in UTF8, not in {encoding}")
    if shares:
        raise PostgresError(
            "DATABASE_URL leads to a transaction pooler, which gives each transaction another"
            " session: locks, prepared statements and notifications are lost. Name PostgreSQL"
            " itself, or a pooler in session mode"
        )


def _connect(conninfo: str) -> psycopg.Connection[TupleRow]:
    return psycopg.connect(conninfo, autocommit=True)


def _shares_sessions(*connections: psycopg.Connection[TupleRow]) -> bool:
    """Whether the connections share a session, or one of them changes its session."""
    seen = [
        {_value(connection, "SELECT pg_backend_pid()") for _ in range(_PROBES)}
        for connection in connections
    ]
    return len(set().union(*seen)) != len(connections) or any(len(each) != 1 for each in seen)


def _value(connection: psycopg.Connection[TupleRow], query: str) -> object:
    row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return row[0]
