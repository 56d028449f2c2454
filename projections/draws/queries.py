"""Queries on rounds and days."""

from collections.abc import Sequence
from typing import Any

import msgspec
from psycopg import Connection

from projections.draws.records import DayDocument, RoundDocument
from projections.pagination import LIMIT, CursorPage, paginate, parse_cursor, rows

_DRAWN = (
    "SELECT record FROM views.rounds WHERE game = %s AND drawn_position > 0"
    " AND drawn_position < %s ORDER BY drawn_position DESC LIMIT %s"
)
_BY_ISSUES = (
    "SELECT record FROM views.rounds"
    " WHERE (game, issue) IN (SELECT * FROM unnest(%s::bigint[], %s::text[]))"
)
_OPENED = "SELECT record FROM views.rounds WHERE game = %s ORDER BY opened_position DESC LIMIT %s"
_DAY = "SELECT record FROM views.days WHERE game = %s AND day = %s"


def drawn(
    connection: Connection[Any], game: int, *, cursor: str | None = None, limit: int = LIMIT
) -> CursorPage[RoundDocument]:
    """Returns the drawn rounds of a game, newest first; ValueError if the cursor is invalid."""
    _, position = parse_cursor(cursor)
    found = rows(connection, _DRAWN, (game, position, limit + 1))
    return paginate(found, limit, _round, lambda it: (it.drawn_at, it.drawn_position))


def by_issue(connection: Connection[Any], game: int, issue: str) -> RoundDocument | None:
    """Returns one round."""
    return by_issues(connection, [(game, issue)]).get((game, issue))


def by_issues(
    connection: Connection[Any], keys: Sequence[tuple[int, str]]
) -> dict[tuple[int, str], RoundDocument]:
    """Returns those of these rounds that exist, by game and issue."""
    games, issues = [game for game, _ in keys], [issue for _, issue in keys]
    found = map(_round, rows(connection, _BY_ISSUES, (games, issues)))
    return {(it.game, it.issue): it for it in found}


def opened_last(connection: Connection[Any], game: int, limit: int) -> list[RoundDocument]:
    """Returns the rounds of a game that opened last, newest first, in any phase."""
    return [_round(row) for row in rows(connection, _OPENED, (game, limit))]


def day(connection: Connection[Any], game: int, name: str) -> DayDocument | None:
    """Returns a game's day or segment, such as `2026-11-21` or `2026-11-21/1`."""
    found = rows(connection, _DAY, (game, name))
    return msgspec.json.decode(found[0][0], type=DayDocument) if found else None


def _round(row: tuple[Any, ...]) -> RoundDocument:
    return msgspec.json.decode(row[0], type=RoundDocument)
