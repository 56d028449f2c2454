"""CSV cells that a spreadsheet does not evaluate as formulas, and that read back unchanged.

A cell that begins with = + - @, a tab, a carriage return or an apostrophe gets one apostrophe in
front (OWASP, "CSV injection"); reading removes one apostrophe. Because a cell that begins with an
apostrophe gets one as well, the escaping is unambiguous.
"""

from decimal import Decimal

HELP = """\
CSV cells that begin with = + - @, tab, carriage return or ' get one more ' in front, so that no
spreadsheet evaluates them as formulas; remove one leading ' to restore them. Whole numbers are not
escaped, negative ones included."""
_STARTS = ("=", "+", "-", "@", "\t", "\r", "'")


def escape(value: object) -> str:
    """Returns the escaped cell; numbers are not escaped, negative ones included."""
    text = str(value)
    is_number = isinstance(value, int | Decimal)
    return f"'{text}" if text.startswith(_STARTS) and not is_number else text


def unescape(cell: str) -> str:
    """Returns the original cell."""
    return cell.removeprefix("'")
