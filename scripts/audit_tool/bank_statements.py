"""Reads statements of a bank or a gateway from CSV. It never guesses.

A line that cannot be read makes the whole file unusable: without it, the rest could reconcile
although the line is missing.
"""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from scripts.audit_tool import AuditError

COLUMNS: Final = ("date", "reference", "amount", "currency", "counterparty")
NEEDED: Final = ("date", "amount")
_AS_OURS: Final = {name: name for name in COLUMNS}

_SHOWN: Final = 20
_MAX_DIGITS: Final = 15
_MAX_BYTES: Final = 256 << 20
_MARKS: Final = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
# Apostrophes and non-breaking spaces group thousands in some countries; accept them everywhere.
_GROUPING: Final = "'\N{RIGHT SINGLE QUOTATION MARK}\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}"
_MINUS: Final = "\N{MINUS SIGN}"


class StatementLine(Struct, frozen=True):
    """A line of a statement: `number` counts the lines of the file from 1, the header included.

    `amount_minor` is above zero for incoming and below for outgoing money.
    """

    number: int
    day: date
    reference: str
    amount_minor: int
    currency: str
    counterparty: str


class Statement(Struct, frozen=True):
    """The lines in the order of the file, none if it has only a header; `sha256` is the file's."""

    lines: tuple[StatementLine, ...]
    sha256: str


class Form(Struct, frozen=True):
    """The format of a file: `columns` maps our names to the file's, or to None without one.

    `skip` is the number of lines above the header.
    """

    columns: Mapping[str, str | None] = msgspec.field(default_factory=lambda: _AS_OURS)
    delimiter: str = ","
    date_format: str = "%Y-%m-%d"
    decimal_comma: bool = False
    encoding: str = "utf-8"
    skip: int = 0


def read_statement(path: Path, form: Form) -> Statement:
    """Returns every line of a statement.

    Raises:
        AuditError: the file cannot be read, or a line cannot; each is named with the reason.
    """
    data = _data(path)
    rows = _rows(path, data, form)
    _, header = next(rows, (0, []))
    if not header:
        raise AuditError(f"{path} is empty: it has not even a header")
    places = _places(path, header, form)
    lines, bad = [], []
    for number, row in rows:
        try:
            lines.append(_line(number, row, len(header), places, form))
        except ValueError as error:
            bad.append(f"line {number}: {error}")
    if bad:
        raise AuditError(_unreadable(path, bad))
    return Statement(tuple(lines), sha256(data).hexdigest())


def minor_units(text: str, *, decimal_comma: bool = False) -> int:
    """Returns an amount in exact minor units; raises ValueError with the reason if it is invalid.

    Thousands may be grouped, among others by the other one of comma and point. Three decimals are
    refused even if the last is 0: they look like a group of thousands.
    """
    point, comma = (",", ".") if decimal_comma else (".", ",")
    pattern = (
        rf"([+-]?)(\d+|\d{{1,3}}(?:([{comma}{_GROUPING}])\d{{3}}(?:\3\d{{3}})*))(?:\{point}(\d+))?"
    )
    found = re.fullmatch(pattern, text.strip().replace(_MINUS, "-"), re.ASCII)
    if found is None:
        raise ValueError(f"{text!r} is not an amount{_hint(text, decimal_comma=decimal_comma)}")
    sign, whole, _, decimals = found.groups(default="")
    if len(decimals.rstrip("0")) > 2 or len(decimals) == 3:  # noqa: PLR2004 - minor units are two
        raise ValueError(f"{text!r} has {len(decimals)} decimals, and money has two")
    digits = re.sub(r"\D", "", whole)
    if len(digits.lstrip("0")) > _MAX_DIGITS:
        raise ValueError(f"{text!r} is larger than any account can be")
    return int(Decimal(f"{sign}{digits}.{decimals or 0}").scaleb(2))


def _hint(text: str, *, decimal_comma: bool) -> str:
    if not decimal_comma and re.search(r",\d{1,2}\s*$", text):
        return " (with --decimal-comma it would be)"
    return ""


def _rows(path: Path, data: bytes, form: Form) -> Iterator[tuple[int, list[str]]]:
    """Yields rows with the number of the line that each begins on, without blank ones."""
    text = _text(path, data, form.encoding)
    if "\0" in text:
        raise AuditError(f"{path} is not a text file: it contains zero bytes")
    above = min(form.skip, text.count("\n"))
    table = StringIO(text.split("\n", above)[-1], newline="")
    reader = csv.reader(table, delimiter=form.delimiter, strict=True)
    begins = above + 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield begins, row
            begins = above + reader.line_num + 1
    except csv.Error as error:
        raise AuditError(f"{path}, line {begins}: {error}") from None


def _data(path: Path) -> bytes:
    try:
        if path.is_file() and path.stat().st_size > _MAX_BYTES:
            raise AuditError(f"{path} is larger than {_MAX_BYTES >> 20} MB")
        return path.read_bytes()
    except OSError as error:
        raise AuditError(f"{path} cannot be read: {error.strerror}") from None


def _text(path: Path, data: bytes, encoding: str) -> str:
    marked = next((name for mark, name in _MARKS if data.startswith(mark)), encoding)
    try:
        return data.decode(marked)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise AuditError(
            f"{path}, line {line}: this is not {marked} (name another with --encoding)"
        ) from None


def _places(path: Path, header: Sequence[str], form: Form) -> dict[str, int]:
    """Returns the index of each of our columns in a row; ignores case and surrounding spaces."""
    found = [name.strip().casefold() for name in header]
    places = {}
    faults = {}
    for ours, theirs in form.columns.items():
        if theirs is None:
            continue
        count = found.count(theirs.strip().casefold())
        if count == 1:
            places[ours] = found.index(theirs.strip().casefold())
        else:
            columns = f"{count} columns" if count else "no column"
            faults[ours] = f"{columns} named {theirs} for the {ours}"
    if faults:
        has = ", ".join(name.strip() for name in header)
        raise AuditError(
            f"{path} has {' and '.join(faults.values())};"
            f" it has: {has} ({_way_out(tuple(faults), header)})"
        )
    return places


def _way_out(missed: Sequence[str], header: Sequence[str]) -> str:
    if len(header) == 1:
        return "that is a single column: --delimiter sets the separator"
    others = ",".join(f"{ours}=NAME" for ours in missed)
    none = ",".join(f"{ours}=" for ours in missed if ours not in NEEDED)
    ways = [f"--columns {others} names another"]
    if none:
        ways.append(f"{none} means none")
    if "currency" in missed:
        ways.append("--currency sets it then")
    return ", ".join(ways)


def _line(
    number: int, row: Sequence[str], width: int, places: Mapping[str, int], form: Form
) -> StatementLine:
    if len(row) != width:
        raise ValueError(f"it has {len(row)} columns and the header {width}")
    cells = {name: row[place].strip() for name, place in places.items()}
    if "currency" in cells and not cells["currency"]:
        raise ValueError("it has no currency")
    return StatementLine(
        number,
        _day(cells["date"], form.date_format),
        cells.get("reference", ""),
        minor_units(cells["amount"], decimal_comma=form.decimal_comma),
        cells.get("currency", "").upper(),
        cells.get("counterparty", ""),
    )


def _day(text: str, date_format: str) -> date:
    try:
        return datetime.strptime(text, date_format).date()  # noqa: DTZ007 - the bank's own day
    except ValueError:
        raise ValueError(f"{text!r} is not a date of the form {date_format}") from None


def _unreadable(path: Path, bad: Sequence[str]) -> str:
    more = [f"and {len(bad) - _SHOWN:,} more"] if len(bad) > _SHOWN else []
    listing = "\n  ".join((*bad[:_SHOWN], *more))
    return (
        f"{path}: {len(bad):,} of its lines cannot be read, so nothing was reconciled:\n  {listing}"
    )
