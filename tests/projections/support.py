"""Helpers for the tests of the read models."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

import psycopg
from psycopg import Cursor
from psycopg.sql import SQL, Identifier

from engine.chat.facts import ChatMuted, ChatRemoved, ChatSaid, ChatUnmuted
from engine.facts import RecordedFact
from projections.registry import read_models
from projections.runner.fact_notifier import FactNotifier
from projections.runner.projection import Projection
from projections.runner.runner import ProjectionRunner
from tests.projections.history import History, bet

ZONE = "Asia/Singapore"
ALWAYS = (0, 1 << 60)
TIMEOUT_S = 30


class ProjectionHarness:
    """A history, the runner that applies it, and a connection to the read models."""

    def __init__(
        self, history: History, runner: ProjectionRunner, views: psycopg.Connection
    ) -> None:
        self.history = history
        self.runner = runner
        self.views = views

    def catch_up(self) -> psycopg.Connection:
        """Apply all stored facts. Returns the connection to query."""
        catch_up(self.runner)
        return self.views


class PositionListener:
    """A listener that records the positions it receives, and can wait for one."""

    def __init__(self) -> None:
        self.positions: list[int] = []
        self._changed = threading.Condition()

    def __call__(self, page: Sequence[RecordedFact]) -> None:
        with self._changed:
            self.positions += [it.position for it in page]
            self._changed.notify_all()

    def wait_for(self, position: int) -> None:
        with self._changed:
            reached = self._changed.wait_for(
                lambda: bool(self.positions) and self.positions[-1] >= position, TIMEOUT_S
            )
        assert reached


@contextmanager
def running(runner: ProjectionRunner) -> Iterator[PositionListener]:
    """Runs the runner in a thread and a follower in another; yields the follower's listener."""
    runner.install()
    with following(runner) as listener, _thread_of(runner):
        yield listener


@contextmanager
def following(runner: ProjectionRunner) -> Iterator[PositionListener]:
    """Runs a follower of the runner's models in a thread; yields its listener."""
    with followed(runner) as (follower, listener), _thread_of(follower):
        yield listener


@contextmanager
def followed(runner: ProjectionRunner) -> Iterator[tuple[FactNotifier, PositionListener]]:
    """A follower of the runner's models from their current positions, and its listener."""
    listener = PositionListener()
    with closing(FactNotifier(runner.conninfo, runner.models)) as follower:
        follower.listeners.append(listener)
        follower.step()
        yield follower, listener


@contextmanager
def _thread_of(it: ProjectionRunner | FactNotifier) -> Iterator[None]:
    thread = threading.Thread(target=it.run)
    thread.start()
    try:
        yield
    finally:
        it.close()
        thread.join(TIMEOUT_S)
        assert not thread.is_alive()


class Journal:
    """A model that records every position, and fails at one."""

    name = "journal"
    tables = ("journal",)
    schema = "CREATE TABLE journal (position bigint PRIMARY KEY)"

    def __init__(self, *, refuses: int = 0, version: int = 1) -> None:
        self.version = version
        self.refuses = refuses
        self.pages: list[list[int]] = []

    def apply(self, cursor: Cursor[Any], page: Sequence[RecordedFact]) -> None:
        positions = [it.position for it in page]
        self.pages.append(positions)
        cursor.execute("INSERT INTO journal SELECT unnest(%s::bigint[])", (positions,))
        if self.refuses in positions:
            raise ValueError("a fact like no other")


def catch_up(runner: ProjectionRunner | FactNotifier) -> int:
    """Step until there is nothing left. Returns the number of facts processed."""
    taken = 0
    while step := runner.step():
        taken += step
    return taken


def journal_positions(connection: psycopg.Connection) -> list[int]:
    """The positions stored in the journal."""
    rows = connection.execute("SELECT position FROM views.journal ORDER BY 1").fetchall()
    return [position for (position,) in rows]


def contents(cursor: Cursor[Any], models: Sequence[Projection]) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of the models' tables."""
    found = {}
    for table in (table for model in models for table in model.tables):
        rows = cursor.execute(SQL("SELECT * FROM views.{}").format(Identifier(table))).fetchall()
        found[table] = sorted(rows, key=repr)
    return found


def an_evening(history: History) -> None:
    """Two players and a bot, three rounds, every kind of bet result, and chat messages."""
    history.joins(1, 2)
    history.joins(3, bot=True)
    for player in (1, 2, 3):
        history.deposits(player, 100_000)
    a_talk(history)
    for number, issue in ((1, "20261121001"), (2, "20261121002"), (3, "20261121003")):
        history.opens(1, issue)
        placed = [bet(10 * number + player, 1_000, issue=issue) for player in (1, 2, 3)]
        for player, made in enumerate(placed, start=1):
            history.bets(player, made)
        history.recalls(2, placed[1])
        history.later(195)
        history.closes(1, issue, count=2, stake=2_000)
        history.draws((9, 9, 1), 1, issue)
        history.settles(1, placed[0], 19, 1_980)
        history.settles(3, placed[2], 19, 1_980)
        history.ends(1, issue, 2, 2_000, 3_960)


def a_talk(history: History) -> None:
    """Two players write messages; one is muted, and one of their messages is removed."""
    for number in (1, 2, 3):
        history.append_for(1, ChatSaid(f"chat-1-{number}", 1, ""))
        history.append_for(2, ChatSaid(f"chat-2-{number}", number, ""))
    history.append_for(
        1, ChatRemoved("chat-1-2", 1, "staff:ann", ""), ChatMuted(None, "staff:ann", "")
    )
    history.append_for(2, ChatMuted(history.at + 1, "staff:ann", ""), ChatUnmuted("staff:bob", ""))


def leftover_tables(views: psycopg.Connection) -> list[str]:
    """The tables built next to the served ones."""
    query = "SELECT tablename FROM pg_tables WHERE schemaname = 'views_next'"
    return [name for (name,) in views.execute(query)]


def applied(
    cursor: psycopg.Cursor[object], pages: Sequence[Sequence[RecordedFact]]
) -> dict[str, list[tuple[object, ...]]]:
    """The rows that every model writes for these pages, rolled back afterwards."""
    models = read_models(ZONE)
    with cursor.connection.transaction(force_rollback=True):
        for page in pages:
            for model in models:
                model.apply(cursor, page)
        return contents(cursor, models)
