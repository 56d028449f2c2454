"""The options of `scripts/audit reconcile`; each error names its option."""

import argparse
import codecs
from argparse import ArgumentTypeError
from datetime import date, datetime
from pathlib import Path
from typing import Final, Literal
from zoneinfo import ZoneInfo

from msgspec import Struct

from scripts.audit_tool import AuditError
from scripts.audit_tool.bank_statements import COLUMNS, NEEDED, Form, minor_units
from scripts.audit_tool.reconciling.items import MatchTolerance
from scripts.audit_tool.reconciling.movements import CHANNELS

_MAX_DAYS: Final = 60
_MAX_PARTS: Final = 8
_NAMED_DELIMITERS: Final = {"tab": "\t", "\\t": "\t", "semicolon": ";", "comma": ","}

Output = Literal["text", "json", "csv"]


class ReconcileOptions(Struct, frozen=True):
    """One reconciliation: of this file, in these days, against these channels.

    `first` and `last` are None for the statement's own days, `currency` is empty for the file's
    only one.
    """

    file: Path
    form: Form
    first: date | None
    last: date | None
    channels: tuple[str, ...]
    currency: str
    limits: MatchTolerance
    zone: ZoneInfo
    output: Output
    record: Path | None


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add all options to the parser."""
    parser.add_argument("file", type=Path, metavar="FILE", help="the statement, a CSV file")
    _add_form(parser.add_argument_group("format of the file"))
    _add_limits(parser.add_argument_group("what is matched"))
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="print everything as JSON")
    output.add_argument("--csv", action="store_true", help="print a row for each line and movement")
    parser.add_argument(
        "--record",
        type=Path,
        metavar="FILE",
        help="save the JSON in a new file; an existing file is never overwritten",
    )


def _add_form(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--columns",
        action="append",
        type=_columns,
        default=[],
        metavar="OURS=THEIRS,…",
        help=f"the file's names for {', '.join(COLUMNS)}; OURS= if it has no such column",
    )
    group.add_argument(
        "--delimiter",
        type=_delimiter,
        default=",",
        metavar="CHAR",
        help="character between cells (,)",
    )
    group.add_argument(
        "--date-format",
        type=_date_format,
        default=Form().date_format,
        metavar="FORMAT",
        help="format of Python's strptime (%%Y-%%m-%%d)",
    )
    group.add_argument(
        "--decimal-comma", action="store_true", help="amounts are written 1.234,50, not 1,234.50"
    )
    group.add_argument(
        "--encoding",
        type=_encoding,
        default=Form().encoding,
        metavar="NAME",
        help="encoding of a file without a byte order mark (utf-8)",
    )
    group.add_argument(
        "--skip", type=_count(1_000), default=0, metavar="N", help="lines above the header (0)"
    )


def _add_limits(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--channel",
        action="append",
        choices=CHANNELS,
        help=f"channel of the statement; may be repeated (all: {', '.join(CHANNELS)})",
    )
    group.add_argument("--currency", type=_currency, help="the currency to reconcile")
    group.add_argument(
        "--from",
        dest="first",
        type=_day,
        metavar="DAY",
        help="first day (default: that of the first line)",
    )
    group.add_argument(
        "--to",
        dest="last",
        type=_day,
        metavar="DAY",
        help="last day (default: that of the last line)",
    )
    group.add_argument(
        "--tolerance",
        type=_amount,
        default=0,
        metavar="AMOUNT",
        help="largest difference of amounts (0)",
    )
    days, parts = MatchTolerance().days, MatchTolerance().parts
    group.add_argument(
        "--days",
        type=_count(_MAX_DAYS),
        default=days,
        metavar="N",
        help=f"most days between a line and a movement ({days})",
    )
    group.add_argument(
        "--parts",
        type=_count(_MAX_PARTS),
        default=parts,
        metavar="N",
        help=f"most parts of a sum found without a reference; 1 disables it ({parts})",
    )


def parse_options(options: argparse.Namespace) -> ReconcileOptions:
    """Returns the options combined; raises AuditError if they contradict each other."""
    columns = {name: name for name in COLUMNS} | {
        ours: theirs for pairs in options.columns for ours, theirs in pairs.items()
    }
    if columns["currency"] is None and not options.currency:
        raise AuditError("a file without a currency column needs --currency")
    if options.first and options.last and options.first > options.last:
        raise AuditError(f"--from {options.first} is after --to {options.last}")
    return ReconcileOptions(
        file=options.file,
        form=Form(
            columns=columns,
            delimiter=options.delimiter,
            date_format=options.date_format,
            decimal_comma=options.decimal_comma,
            encoding=options.encoding,
            skip=options.skip,
        ),
        first=options.first,
        last=options.last,
        channels=tuple(name for name in CHANNELS if name in (options.channel or CHANNELS)),
        currency=options.currency or "",
        limits=MatchTolerance(options.tolerance, options.days, max(options.parts, 1)),
        zone=options.timezone,
        output="json" if options.json else "csv" if options.csv else "text",
        record=options.record,
    )


def _columns(text: str) -> dict[str, str | None]:
    pairs: dict[str, str | None] = {}
    for pair in text.split(","):
        ours, equals, theirs = (part.strip() for part in pair.partition("="))
        if not equals or ours not in COLUMNS:
            raise ArgumentTypeError(f"{pair!r} is not one of {', '.join(COLUMNS)}, = and a name")
        if not theirs and ours in NEEDED:
            raise ArgumentTypeError(f"a statement needs a column for the {ours}")
        pairs[ours] = theirs or None
    return pairs


def _delimiter(text: str) -> str:
    delimiter = _NAMED_DELIMITERS.get(text, text)
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise ArgumentTypeError(f"{text!r} is not one character, tab, semicolon or comma")
    return delimiter


def _date_format(text: str) -> str:
    """A format is valid if it contains every part of a day."""
    day = datetime(1987, 12, 31)  # noqa: DTZ001 - a day has no zone
    try:
        parsed = datetime.strptime(day.strftime(text), text)  # noqa: DTZ007
    except ValueError:
        parsed = None
    if parsed is None or parsed.date() != day.date():
        raise ArgumentTypeError(f"{text!r} has no year, month and day, as %d.%m.%Y has")
    return text


def _encoding(name: str) -> str:
    try:
        return codecs.lookup(name).name
    except LookupError:
        raise ArgumentTypeError(f"{name} is not an encoding, such as utf-8 or cp1252") from None


def _currency(text: str) -> str:
    if not text.strip():
        raise ArgumentTypeError("it is empty")
    return text.strip().upper()


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a day, such as 2026-11-21") from None


def _amount(text: str) -> int:
    try:
        amount = minor_units(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None
    if amount < 0:
        raise ArgumentTypeError("a tolerance cannot be below zero")
    return amount


class _count:  # noqa: N801 - it is used as a function, and argparse shows its name
    """A whole number from 0 to `_maximum`."""

    def __init__(self, maximum: int) -> None:
        self._maximum = maximum

    def __call__(self, text: str) -> int:
        if not (text.isascii() and text.isdigit() and int(text) <= self._maximum):
            raise ArgumentTypeError(f"{text!r} is not a whole number from 0 to {self._maximum:,}")
        return int(text)
