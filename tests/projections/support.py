"""Helpers of these tests."""

from collections.abc import Sequence
from typing import Any

import psycopg
from psycopg import Cursor
from psycopg.sql import SQL, Identifier

from engine.facts import Recorded
from projections.model import Model
from projections.runner import Runner
from tests.projections.history import History

ZONE = "Asia/Singapore"
ALWAYS = (0, 1 << 60)


class House:
    """What happened and what the read models make of it."""

    def __init__(self, history: History, runner: Runner, views: psycopg.Connection) -> None:
        self.history = history
        self.runner = runner
        self.views = views

    def catch_up(self) -> psycopg.Connection:
        """Apply everything there is; the connection to ask."""
        catch_up(self.runner)
        return self.views


class Journal:
    """A model that notes every position, and refuses some."""

    name = "journal"
    tables = ("journal",)
    schema = "CREATE TABLE views.journal (position bigint PRIMARY KEY)"

    def __init__(self, *, refuses: int = 0, version: int = 1) -> None:
        self.version = version
        self.refuses = refuses
        self.pages: list[list[int]] = []

    def apply(self, cursor: Cursor[Any], page: Sequence[Recorded]) -> None:
        positions = [it.position for it in page]
        self.pages.append(positions)
        cursor.execute("INSERT INTO views.journal SELECT unnest(%s::bigint[])", (positions,))
        if self.refuses in positions:
            raise ValueError("a fact like no other")


def catch_up(runner: Runner) -> int:
    """Step until there is nothing left; the number of facts taken."""
    taken = 0
    while step := runner.step():
        taken += step
    return taken


def noted(connection: psycopg.Connection) -> list[int]:
    """The positions that a journal holds."""
    rows = connection.execute("SELECT position FROM views.journal ORDER BY 1").fetchall()
    return [position for (position,) in rows]


def contents(cursor: Cursor[Any], models: Sequence[Model]) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of the models' tables."""
    found = {}
    for table in (table for model in models for table in model.tables):
        rows = cursor.execute(SQL("SELECT * FROM views.{}").format(Identifier(table))).fetchall()
        found[table] = sorted(rows, key=repr)
    return found
