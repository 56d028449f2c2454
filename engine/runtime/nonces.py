"""Nonces of signed messages from outside parties, so that no message is accepted twice."""

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
    """Nonces of the payment gateway's messages. Every call may block."""

    def __init__(self, pool: ConnectionPool[Connection[TupleRow]]) -> None:
        """Store them in this database."""
        self._pool = pool

    def take(self, nonce: str, at: int, oldest: int) -> bool:
        """Returns whether this is the first message with the nonce; it is durable by then.

        `at` is the message's own time. Nonces of messages from before `oldest` are deleted.
        Both times are in microseconds since 1970.
        """
        with self._pool.connection() as connection:
            connection.execute(_DELETE_OLDER, (oldest,))
            return connection.execute(_TAKE, (nonce, at)).fetchone() is not None
