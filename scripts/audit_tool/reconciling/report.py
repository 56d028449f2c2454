"""A reconciliation as text, as a table in CSV, and as a record.

The text is a table of totals, then a list for each kind of finding. The CSV has a row for each line
and each movement, one file for both sides. The record is written once: atomically, and never over
an existing file.
"""

import contextlib
import csv
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from scripts.audit_tool import AuditError
from scripts.audit_tool.reconciling.items import Rule
from scripts.audit_tool.reconciling.result import (
    AmbiguousMatch,
    BankItem,
    DirectionTotals,
    Findings,
    Group,
    LedgerItem,
    Report,
    Totals,
)

_MAX_LISTED: Final = 50
_MAX_READINGS: Final = 5
_WITHOUT: Final[tuple[Rule, ...]] = ("amount and day", "sum")
_Item = BankItem | LedgerItem
_T = TypeVar("_T")
HEADER: Final = (
    *("finding", "group", "rule", "side", "line_or_position", "date", "in", "out", "currency"),
    *("channel", "reference", "counterparty"),
)
# A cell that begins with one of these is a formula to a spreadsheet, whatever its origin.
_FORMULAS: Final = ("=", "+", "-", "@", "\t", "\r", "\n")


def as_text(report: Report, words: Mapping[int, str]) -> Iterator[str]:
    """Yields the lines to print; `words` is the vault's text of a movement, by its position."""
    printer = _ReportPrinter(words)
    yield from _heading(report)
    yield from ("", *_table(report.totals))
    yield from _rules(report.findings)
    yield from printer.findings(report.findings)
    yield from ("", *(f"Note: {note}." for note in report.notes))
    yield _verdict(report)


def money(amount_minor: int) -> str:
    """An amount with its sign, thousands and both decimals: +1,234.50."""
    units, minor = divmod(abs(amount_minor), 100)
    sign = "-" if amount_minor < 0 else "+" if amount_minor else ""
    return f"{sign}{units:,}.{minor:02}"


def counted(count: int, what: str) -> str:
    """A count with its noun: 1 line, 2 lines."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def printable(text: str) -> str:
    """Replaces characters that could control a terminal."""
    return "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text
    )


def _heading(report: Report) -> Iterator[str]:
    limits, lines = report.limits, counted(report.statement_lines, "line")
    tolerance = money(limits.tolerance_minor).lstrip("+")
    yield f"Statement  {report.statement}, {lines}, {report.currency}"
    yield f"Ledger     the facts up to position {report.position:,}: {', '.join(report.channels)}"
    yield f"Period     {report.period.first} to {report.period.last}, days in {report.timezone}"
    yield (
        f"Matching   within {tolerance} and {counted(limits.days, 'day')},"
        f" sums of at most {counted(limits.parts, 'part')}"
    )


def _table(totals: Mapping[str, Totals]) -> Iterator[str]:
    yield f"{'':16}{'lines':>9}{'in':>18}{'out':>18}{'movements':>12}{'in':>18}{'out':>18}"
    for name, both in totals.items():
        lines, movements = _sums(both.lines, 9), _sums(both.movements, 12)
        yield f"{name.replace('_', ' '):16}{lines}{movements}"


def _sums(sums: DirectionTotals, width: int) -> str:
    return f"{sums.count:>{width},}{money(sums.in_minor):>18}{money(sums.out_minor):>18}"


def _rules(found: Findings) -> Iterator[str]:
    counts = Counter(group.rule for group in found.matched)
    if counts:
        text = ", ".join(f"{count:,} by {rule}" for rule, count in counts.most_common())
        yield ""
        yield f"Matches: {text}"


class _ReportPrinter:
    def __init__(self, words: Mapping[int, str]) -> None:
        self._words = words

    def findings(self, found: Findings) -> Iterator[str]:
        """Yields a section for each kind of finding, and for matches that need a review."""
        unsure = [it for it in found.matched if it.difference_minor or it.rule in _WITHOUT]
        yield from _section("Matched without a reference, or not exactly", unsure, self._group)
        disputed = "DISPUTED: same reference, different amount or time"
        yield from _section(disputed, found.disputed, self._group)
        yield from _section("AMBIGUOUS: none was chosen", found.ambiguous, self._ambiguity)
        yield from _section("UNMATCHED lines", found.unmatched_lines, self._unmatched)
        yield from _section(
            "UNMATCHED movements of the ledger", found.unmatched_movements, self._unmatched
        )
        duplicates = "DUPLICATE lines: same day, reference and amount"
        yield from _section(duplicates, found.duplicates, lambda alike: self._items(*alike))
        yield from _section("In ANOTHER CURRENCY", found.other_currency, self._items)

    def _group(self, group: Group) -> Iterator[str]:
        apart = f", {money(group.difference_minor)} apart" if group.difference_minor else ""
        yield f"  {group.rule or 'same reference'}{apart}:"
        for line in self._items(*group.lines, *group.movements):
            yield f"  {line}"

    def _ambiguity(self, ambiguity: AmbiguousMatch) -> Iterator[str]:
        lines, movements = len(ambiguity.lines), len(ambiguity.movements)
        yield f"  {counted(lines, 'line')} and {counted(movements, 'movement')}, such as:"
        for group in ambiguity.readings[:_MAX_READINGS]:
            numbers = ", ".join(str(line.number) for line in group.lines)
            positions = ", ".join(str(movement.position) for movement in group.movements)
            yield f"    line {numbers} = position {positions}, by {group.rule}"
        if ambiguity.more or len(ambiguity.readings) > _MAX_READINGS:
            yield "    … or others"
        for items in (ambiguity.lines, ambiguity.movements):
            yield from (f"  {line}" for line in self._items(*items[:_MAX_READINGS]))
            if len(items) > _MAX_READINGS:
                yield f"    … and {len(items) - _MAX_READINGS:,} more"

    def _items(self, *items: _Item) -> Iterator[str]:
        for it in items:
            where = f"line {it.number}" if isinstance(it, BankItem) else f"position {it.position}"
            about = printable("  ".join(filter(None, self._about(it))))
            yield f"  {where:18} {it.day} {money(it.amount_minor):>16}  {about}"

    def _unmatched(self, item: _Item) -> Iterator[str]:
        edge = "  [at the period's edge]" if item.near_edge else ""
        yield from (f"{line}{edge}" for line in self._items(item))

    def _about(self, item: _Item) -> tuple[str, ...]:
        if isinstance(item, BankItem):
            return item.currency, item.reference, item.counterparty
        return item.channel, item.number, item.stream, self._words.get(item.position, "")


def _section(
    title: str, items: Sequence[_T], lines_of: Callable[[_T], Iterator[str]]
) -> Iterator[str]:
    if items:
        yield ""
        yield f"{title} ({len(items):,})"
    for it in items[:_MAX_LISTED]:
        yield from lines_of(it)
    if len(items) > _MAX_LISTED:
        yield f"  … and {len(items) - _MAX_LISTED:,} more: --json and --csv list them all"


def _verdict(report: Report) -> str:
    if report.reconciled:
        return "RECONCILED: every line and every movement of the period is matched."
    found = report.findings
    kinds = (
        (len(found.disputed), "disputed"),
        (len(found.ambiguous), "ambiguous"),
        (len(found.unmatched_lines), "unmatched in the statement"),
        (len(found.unmatched_movements), "unmatched in the ledger"),
        (len(found.duplicates), "duplicated"),
        (len(found.other_currency), "in another currency"),
    )
    summary = ", ".join(f"{count:,} {what}" for count, what in kinds if count)
    return f"DIFFERENCES: {summary}."


def write_table(findings: Findings, file: Any) -> None:
    """Write every row; amounts in u with a decimal point, in and out in separate columns."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(HEADER)
    for number, (finding, rule, items) in enumerate(_groups(findings), 1):
        for it in items:
            writer.writerow((finding, number, rule, *_cells(it)))


def escape_formula(text: str) -> str:
    """Returns text that a spreadsheet shows and does not evaluate (OWASP, CSV injection)."""
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULAS) else text


def _groups(found: Findings) -> Iterator[tuple[str, str, Sequence[BankItem | LedgerItem]]]:
    for group in found.matched:
        yield "matched", str(group.rule), (*group.lines, *group.movements)
    for group in found.disputed:
        yield "disputed", "", (*group.lines, *group.movements)
    for ambiguity in found.ambiguous:
        yield "ambiguous", "", (*ambiguity.lines, *ambiguity.movements)
    for line in found.unmatched_lines:
        yield "unmatched", "", (line,)
    for movement in found.unmatched_movements:
        yield "unmatched", "", (movement,)
    for duplicates in found.duplicates:
        yield "duplicate", "", duplicates
    for line in found.other_currency:
        yield "other currency", "", (line,)


def _cells(item: BankItem | LedgerItem) -> tuple[object, ...]:
    amounts = (_amount(item.amount_minor), _amount(-item.amount_minor))
    if isinstance(item, LedgerItem):
        about = ("", item.channel, item.number, item.stream)
        return ("ours", item.position, item.day, *amounts, *map(escape_formula, about))
    about = (item.currency, "", item.reference, item.counterparty)
    return ("statement", item.number, item.day, *amounts, *map(escape_formula, about))


def _amount(minor: int) -> str:
    """Without a sign, which begins a formula; empty for the other direction."""
    units, rest = divmod(minor, 100)
    return f"{units}.{rest:02}" if minor >= 0 else ""


def refuse_existing(path: Path | None) -> None:
    """Check early that a record can be written; raises AuditError if not."""
    if path is None:
        return
    if path.exists() or path.is_symlink():
        raise AuditError(f"{path} exists, and a record is never overwritten: name another file")
    if not path.absolute().parent.is_dir():
        raise AuditError(f"there is no folder {path.absolute().parent} to record in")


def save_record(path: Path, document: bytes) -> None:
    """Write a new file that only its owner can read; raises AuditError if it already exists."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise AuditError(f"{path} exists by now, and a record is never overwritten") from None
    except OSError as error:
        raise AuditError(f"{path} cannot be written: {error.strerror}") from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(document)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        with contextlib.suppress(OSError):
            path.unlink()
        raise AuditError(f"{path} cannot be written: {error.strerror}") from None
