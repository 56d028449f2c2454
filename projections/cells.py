"""CSV cells that a spreadsheet will not take for formulas, and that read back as they were.

A cell that begins with = + - @, a tab, a carriage return or an apostrophe gets one apostrophe in
front (OWASP, "CSV injection"); reading takes one apostrophe away. Since a cell that begins with
an apostrophe got one as well, no two cells are written alike.
"""

from decimal import Decimal

HELP = """\
CSV cells that begin with = + - @, tab, carriage return or ' carry one more ' in front, so that
no spreadsheet takes them for formulas; take one leading ' away to have them back. Whole numbers
stay as they are, also those below zero."""
_STARTS = ("=", "+", "-", "@", "\t", "\r", "'")


def escape(value: object) -> str:
    """A cell as it is written; numbers are themselves, also those below zero."""
    text = str(value)
    is_number = isinstance(value, int | Decimal)
    return f"'{text}" if text.startswith(_STARTS) and not is_number else text


def unescape(cell: str) -> str:
    """What was written."""
    return cell.removeprefix("'")
