"""Commits that no standby confirmed.

With synchronous replication a commit waits for a standby. If that wait is cancelled, PostgreSQL
reports success with a warning: the transaction is visible, but a fail-over loses it.
"""

from typing import Any, Final
from weakref import ref

from psycopg import Connection, OperationalError
from psycopg.errors import Diagnostic
from psycopg.rows import DictRow

# The text of the warning is translated; the function that raises it is not.
_WAIT_FOR_STANDBY: Final = "SyncRepWaitForLSN"


class ConfirmedConnection(Connection[DictRow]):
    """A connection that remembers whether a commit ended without its standby's confirmation."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        """Takes the arguments of psycopg's connection."""
        super().__init__(*arguments, **options)
        self.is_unconfirmed = False
        this = ref(self)  # a handler that refers to its connection would keep it open

        def notice(diagnostic: Diagnostic) -> None:
            connection = this()
            if connection is not None and diagnostic.source_function == _WAIT_FOR_STANDBY:
                connection.is_unconfirmed = True

        self.add_notice_handler(notice)

    def check_confirmed(self) -> None:
        """Raises OperationalError once if a commit was not confirmed since the last call."""
        if self.is_unconfirmed:
            self.is_unconfirmed = False
            raise OperationalError("the commit was not confirmed by a standby")
