"""What charts ask about draws: their sums, and for how many draws each bet kind has not won."""

from collections.abc import Iterable
from typing import Any, Final

from msgspec import Struct
from psycopg import Connection

from engine.games import NAMED_KINDS, wins
from projections.listing import LIMIT, CursorPage, paginate, parse_cursor, rows

_SUMS = (
    "SELECT issue, total, drawn_at, drawn_position FROM views.rounds,"
    " json_to_record(record::json) AS told (total int, drawn_at bigint)"
    " WHERE game = %(game)s AND drawn_position > 0 AND drawn_position < %(before)s"
    " AND (%(day)s::text IS NULL OR issue LIKE %(day)s || '%%')"
    " ORDER BY drawn_position DESC LIMIT %(limit)s"
)
#: Every kind but the extreme ones has nearly always won within so many draws.
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
    """The sums of a game, newest first; a ValueError for a foreign cursor.

    `day` leaves those whose issues begin with it, as in 20261121.
    """
    _, position = parse_cursor(cursor)
    found = _rows(connection, game, position, day, limit + 1)
    return paginate(found, limit, lambda row: Sum(*row), lambda it: (it.at, it.position))


def sum_before(connection: Connection[Any], game: int, position: int) -> int | None:
    """The sum that was drawn before this position of the log; None before the first draw."""
    found = _rows(connection, game, position, None, 1)
    return Sum(*found[0]).total if found else None


def omissions(connection: Connection[Any], game: int, before: int) -> dict[str, int]:
    """For how many draws each named kind has not won, of those before a position of the log.

    0 for a kind that the last of them hit; all draws there were, where none hit it.
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
    """The omissions behind each of these draws in their order, begun with the known ones."""
    steps = []
    for total in totals:
        won = hit(total)
        counts = {kind: 0 if kind in won else missed + 1 for kind, missed in counts.items()}
        steps.append(counts)
    return steps


def hit(total: int) -> tuple[str, ...]:
    """The named kinds that win on a sum."""
    return tuple(kind for kind in NAMED_KINDS if wins(kind, total))


def _rows(
    connection: Connection[Any], game: int, before: int, day: str | None, limit: int
) -> list[tuple[Any, ...]]:
    values = {"game": game, "before": before, "day": day, "limit": limit}
    return rows(connection, _SUMS, values)
