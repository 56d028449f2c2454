"""Numbers that outside parties put into their messages, so that none of these counts twice."""

from typing import Final

from psycopg import Connection
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool

_TAKE: Final = (
    "INSERT INTO vault.gateway_nonces (nonce, at) VALUES (%s, %s) ON CONFLICT DO NOTHING"
    " RETURNING nonce"
)
_DELETE_OLDER: Final = "DELETE FROM vault.gateway_nonces WHERE at < %s"


class Nonces:
    """Those of the payment gateway's messages. Every call may block."""

    def __init__(self, pool: ConnectionPool[Connection[TupleRow]]) -> None:
        """Keep them in this database."""
        self._pool = pool

    def take(self, nonce: str, at: int, oldest: int) -> bool:
        """Whether this is the first message with the nonce; durably so once it is said.

        `at` is the message's own time; those of messages from before `oldest` are forgotten.
        Both in microseconds since 1970.
        """
        with self._pool.connection() as connection:
            connection.execute(_DELETE_OLDER, (oldest,))
            return connection.execute(_TAKE, (nonce, at)).fetchone() is not None
