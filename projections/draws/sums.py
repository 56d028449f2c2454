"""Chart data: the sums drawn, and for how many draws each bet kind has not won."""

from collections.abc import Iterable
from typing import Any, Final

from msgspec import Struct
from psycopg import Connection

from engine.games import NAMED_KINDS, wins
from projections.pagination import LIMIT, CursorPage, paginate, parse_cursor, rows

_SUMS = (
    "SELECT issue, total, drawn_at, drawn_position FROM views.rounds,"
    " json_to_record(record::json) AS document (total int, drawn_at bigint)"
    " WHERE game = %(game)s AND drawn_position > 0 AND drawn_position < %(before)s"
    " AND (%(day)s::text IS NULL OR issue LIKE %(day)s || '%%')"
    " ORDER BY drawn_position DESC LIMIT %(limit)s"
)
#: Except for the extreme kinds, every kind has nearly always won within this many draws.
_DRAWS_PER_QUERY: Final = 100


class Sum(Struct, frozen=True, gc=False):
    """A draw's sum, drawn at `at` microseconds."""

    issue: str
    total: int
    at: int
    position: int


def sums(
    connection: Connection[Any],
    game: int,
    *,
    day: str | None = None,
    cursor: str | None = None,
    limit: int = LIMIT,
) -> CursorPage[Sum]:
    """Returns the sums of a game, newest first; raises ValueError if the cursor is invalid.

    `day` selects those whose issues begin with it, as in 20261121.
    """
    _, position = parse_cursor(cursor)
    found = _rows(connection, game, position, day, limit + 1)
    return paginate(found, limit, lambda row: Sum(*row), lambda it: (it.at, it.position))


def sum_before(connection: Connection[Any], game: int, position: int) -> int | None:
    """Returns the sum drawn before this log position; None before the first draw."""
    found = _rows(connection, game, position, None, 1)
    return Sum(*found[0]).total if found else None


def omissions(connection: Connection[Any], game: int, before: int) -> dict[str, int]:
    """Returns for how many draws before a log position each named kind has not won.

    It is 0 for a kind that won the last draw, and the number of all draws if it never won.
    """
    found: dict[str, int] = {}
    passed, full = 0, True
    while full and len(found) < len(NAMED_KINDS):
        drawn = [Sum(*row) for row in _rows(connection, game, before, None, _DRAWS_PER_QUERY)]
        for each in drawn:
            for kind in hit(each.total):
                found.setdefault(kind, passed)
            passed += 1
            before = each.position
        full = len(drawn) == _DRAWS_PER_QUERY
    return {kind: found.get(kind, passed) for kind in NAMED_KINDS}


def omissions_after(counts: dict[str, int], totals: Iterable[int]) -> list[dict[str, int]]:
    """Returns the omissions after each of these draws in order, starting from `counts`."""
    steps = []
    for total in totals:
        won = hit(total)
        counts = {kind: 0 if kind in won else missed + 1 for kind, missed in counts.items()}
        steps.append(counts)
    return steps


def hit(total: int) -> tuple[str, ...]:
    """Returns the named kinds that win on a sum."""
    return tuple(kind for kind in NAMED_KINDS if wins(kind, total))


def _rows(
    connection: Connection[Any], game: int, before: int, day: str | None, limit: int
) -> list[tuple[Any, ...]]:
    values = {"game": game, "before": before, "day": day, "limit": limit}
    return rows(connection, _SUMS, values)
