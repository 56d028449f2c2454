"""Watches the log for rounds: when each draw was due, and when it was seen, by the true clock."""

import threading
import time
from contextlib import suppress
from typing import Final

import psycopg

from engine import facts
from engine.rounds.facts import RoundDrawn, RoundOpened, RoundVoided
from scripts.cluster_tool.drill.measure import Draw

_POLL_S: Final = 0.2
_TIMEOUT_S: Final = 2
_SECOND_US: Final = 1_000_000
_TOPICS: Final = [RoundOpened.topic, RoundDrawn.topic, RoundVoided.topic]
_LAST: Final = "SELECT coalesce(max(notification_id), 0) FROM log.facts"
_NEW: Final = (
    "SELECT notification_id, topic, state FROM log.facts"
    " WHERE notification_id > %s AND topic = ANY(%s) ORDER BY notification_id"
)


class RoundBook:
    """The rounds that were opened since the watch began. Times are monotonic seconds."""

    def __init__(self, monotonic_of_epoch: float) -> None:
        """`monotonic_of_epoch` is the monotonic time of 1970, by this machine's true clock."""
        self._epoch = monotonic_of_epoch
        self._rounds: dict[tuple[int, str], Draw] = {}

    def apply(self, fact: facts.Fact, seen_at: float) -> None:
        """Note a fact that was first seen at this time."""
        match fact:
            case RoundOpened():
                due = self._epoch + fact.draws_at / _SECOND_US
                self._rounds[fact.game, fact.issue] = Draw(fact.game, fact.issue, due)
            case RoundDrawn() | RoundVoided():
                key = fact.game, fact.issue
                if (opened := self._rounds.get(key)) is not None and opened.done is None:
                    self._rounds[key] = Draw(opened.game, opened.issue, opened.due, seen_at)
            case _:
                pass

    def draws(self, since: float, until: float) -> list[Draw]:
        """The rounds whose draw was due or seen between these times, or is overdue."""
        return [
            draw
            for draw in list(self._rounds.values())
            if draw.due < until or (draw.done is not None and draw.done < until)
            if draw.done is None or draw.done >= since
        ]


class DrawWatch:
    """A thread that reads the primary's log, through the proxy."""

    def __init__(self, conninfo: str) -> None:
        """The facts from the first answer of the database on are read."""
        self.book = RoundBook(time.monotonic() - time.time())
        self._conninfo = conninfo
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._position: int | None = None

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(_POLL_S):
            with suppress(psycopg.Error), self._connect() as connection:
                while not self._stop.wait(_POLL_S):
                    self._read(connection)

    def _read(self, connection: psycopg.Connection) -> None:
        if self._position is None:
            ((self._position,),) = connection.execute(_LAST).fetchall()
        rows = connection.execute(_NEW, (self._position, _TOPICS)).fetchall()
        seen_at = time.monotonic()
        for position, topic, state in rows:
            self.book.apply(facts.decode(topic, state), seen_at)
            self._position = position

    def _connect(self) -> psycopg.Connection:
        return psycopg.connect(
            self._conninfo,
            autocommit=True,
            connect_timeout=_TIMEOUT_S,
            tcp_user_timeout=_TIMEOUT_S * 1_000,
            keepalives_idle=1,
            keepalives_interval=1,
            keepalives_count=2,
            options=f"-c statement_timeout={_TIMEOUT_S}s",
        )
