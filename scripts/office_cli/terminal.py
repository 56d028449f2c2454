"""The terminal of `scripts/office`: parsing of the command line, formatting of the output.

An error on the command line is two lines, and names are in the server's form.
"""

import argparse
import difflib
import re
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import NoReturn
from zoneinfo import ZoneInfo

_NAME = re.compile(r"[a-z][a-z0-9._-]{0,31}")
_CHOSEN = re.compile(r"argument COMMAND: invalid choice: '([^']*)'")


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


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors refer to --help instead of listing all options."""

    #: The valid commands; empty in the parsers of single commands.
    commands: tuple[str, ...] = ()

    def error(self, message: str) -> NoReturn:
        """Print the error, and exit with 2."""
        chosen = _CHOSEN.match(message)
        if chosen is not None:
            close = difflib.get_close_matches(chosen[1], self.commands, 1)
            meant = f"; did you mean {close[0]}?" if close else ""
            message = f"there is no command {chosen[1]}{meant}"
        self.exit(2, f"{self.prog}: {message}\nsee {self.prog} --help\n")


def staff_name(text: str) -> str:
    """Parse the name of a staff member."""
    if not _NAME.fullmatch(text):
        raise argparse.ArgumentTypeError(
            f"{text} is not a staff name: use lower case, for example ann"
        )
    return text
