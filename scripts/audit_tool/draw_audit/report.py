"""The statistics of the draws as tables."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from scripts.audit_tool.draw_audit.rules import WINNING
from scripts.audit_tool.draw_audit.statistics import (
    ALL,
    MAX_Z,
    DrawStatistics,
    Return,
    Uniformity,
)

_MINOR_PER_UNIT: Final = 100
_KINDS: Final = {kind: place for place, kind in enumerate(WINNING)}
_UNLIKELY: Final = "  <"
Cells = Sequence[str]


def tables(statistics: DrawStatistics) -> Iterator[str]:
    """Yields the lines of all tables; none before the first draw."""
    if not statistics.uniformity:
        return
    yield "returns by game: what was paid for each stake, and what the odds give on average"
    yield from _table(("game", "book", *_RETURN), _books(statistics), left=2)
    yield "returns by game, bet and odds table"
    yield from _table(("game", "bet", "odds table", "book", *_RETURN), _kinds(statistics), left=4)
    yield "uniformity: chi-square, and how often chance gives this value or a higher one"
    names = ("game", "of", "draws", "chi-square", "degrees", "probability", "")
    yield from _table(names, _uniformity(statistics.uniformity), left=2)
    yield (
        f"<  outside the range of 99 %: |z| above {MAX_Z}, or a probability below 1 %. Chance marks"
        " one row in a hundred."
    )


_RETURN: Final = ("bets", "staked", "paid", "theoretical", "actual", "z", "")


def _books(statistics: DrawStatistics) -> Iterator[Cells]:
    whole: dict[str, Return] = {}
    for (_, book), found in statistics.books.items():
        whole.setdefault(book, Return()).include(found)
    for book, found in sorted(whole.items()):
        yield (ALL, book, *_return(found))
    for (game, book), found in sorted(statistics.books.items()):
        yield (str(game), book, *_return(found))


def _kinds(statistics: DrawStatistics) -> Iterator[Cells]:
    ordered = sorted(
        statistics.kinds.items(),
        key=lambda item: (item[0][0], item[0][2], item[0][3], _KINDS[item[0][1]]),
    )
    for (game, kind, table, book), found in ordered:
        yield (str(game), kind, table, book, *_return(found))


def _return(found: Return) -> Cells:
    return (
        f"{found.bets:,}",
        f"{found.stake / _MINOR_PER_UNIT:,.2f}",
        f"{found.paid / _MINOR_PER_UNIT:,.2f}",
        f"{found.theoretical:.2%}",
        f"{found.actual:.2%}",
        f"{found.z_score:+.2f}",
        _UNLIKELY if abs(found.z_score) > MAX_Z else "",
    )


def _uniformity(games: dict[int, Uniformity]) -> Iterator[Cells]:
    whole = Uniformity()
    for found in games.values():
        whole.include(found)
    named = [(ALL, whole), *((str(game), found) for game, found in sorted(games.items()))]
    for game, found in named:
        for name, test in found.tests().items():
            draws = f"{found.draws:,}"
            if test is None:
                yield (game, name, draws, "too few", "", "", "")
                continue
            yield (
                *(game, name, draws, f"{test.value:.2f}", str(test.degrees)),
                *(f"{test.probability:.4f}", _UNLIKELY if test.is_unlikely else ""),
            )


def _table(names: Cells, rows: Iterable[Cells], left: int) -> Iterator[str]:
    """Yields a table; the first `left` columns are aligned to the left."""
    lines = [names, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = (
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        yield f"  {'  '.join(cells)}".rstrip()
