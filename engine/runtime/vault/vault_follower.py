"""Empties this process's caches of a player's sessions and name when another process changes them.

The database notifies each process of the change (migration 0006). Notifications are lost while this
process has no connection, so after each new one the caches are emptied completely.
"""

import threading
from collections.abc import Callable
from contextlib import closing
from typing import Final

import psycopg
import structlog

from engine.runtime.log.deadlines import within

_CONNECT_TIMEOUT_S: Final = 5
_CALL_TIMEOUT_S: Final = 5.0
_CHECKED_EVERY_S: Final = 0.25
_RETRY_S: Final = 0.5
_log = structlog.get_logger()


class VaultFollower:
    """Call `run` in its own thread until `close`."""

    def __init__(
        self, conninfo: str, changed: Callable[[int, bool], None], missed: Callable[[], None]
    ) -> None:
        """Both are called in the thread that runs this.

        `changed` gets a player, and whether they were erased. `missed` is called when notifications
        may have been lost.
        """
        self._conninfo = conninfo
        self._changed = changed
        self._missed = missed
        self.closing = threading.Event()

    def run(self) -> None:
        """Follow the changes until `close`; reconnects when the connection is lost."""
        is_first = True
        while not self.closing.is_set():
            try:
                self._follow(is_first=is_first)
            except psycopg.OperationalError as error:
                _log.warning("changes of the vault are not followed", error=str(error))
                self.closing.wait(_RETRY_S)
            is_first = False

    def close(self) -> None:
        """End `run`."""
        self.closing.set()

    def _follow(self, *, is_first: bool) -> None:
        connecting = psycopg.connect(
            self._conninfo, autocommit=True, connect_timeout=_CONNECT_TIMEOUT_S
        )
        with closing(connecting) as connection:
            with within(connection, _CALL_TIMEOUT_S):
                connection.execute("LISTEN vault")
            if not is_first:
                self._missed()
            while not self.closing.is_set():
                for notification in connection.notifies(timeout=_CHECKED_EVERY_S):
                    what, _, player = notification.payload.partition(" ")
                    self._changed(int(player), what == "erased")
