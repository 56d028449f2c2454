"""Formatting of tables, amounts and times."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from zoneinfo import ZoneInfo


def table(titles: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[str] = ()) -> str:
    """A table; each column is as wide as its widest cell, those in `right` are right-aligned."""
    lines = [list(titles), *([_plain(cell) for cell in row] for row in rows)]
    widths = [max(len(line[n]) for line in lines) for n in range(len(titles))]
    return "\n".join(_line(line, widths, titles, right) for line in lines)


def _line(
    cells: Sequence[str], widths: Sequence[int], titles: Sequence[str], right: Sequence[str]
) -> str:
    placed = (
        cell.rjust(width) if title in right else cell.ljust(width)
        for cell, width, title in zip(cells, widths, titles, strict=True)
    )
    return "  ".join(placed).rstrip()


def _plain(words: str) -> str:
    """Untrusted text without terminal control characters."""
    return "".join(each if each.isprintable() else "?" for each in words)


def money(amount: Decimal | int) -> str:
    """An amount in u: 1,234.50."""
    return f"{Decimal(amount):,.2f}"


def moment(seconds: int, zone: ZoneInfo) -> str:
    """A time in a zone, empty for 0."""
    if not seconds:
        return ""
    return datetime.fromtimestamp(seconds, zone).strftime("%Y-%m-%d %H:%M:%S")


def hours(seconds: int) -> str:
    """A duration in hours: 24 h."""
    spent = f"{Decimal(seconds) / 3600:.4f}"
    return spent.rstrip("0").rstrip(".") + " h"
