"""A reconciliation for people: a table of sums, then a list for each kind of finding."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, TypeVar

from scripts.auditing.reconciling.result import Doubt, Findings, Group, Ours, Report, Theirs

_LISTED: Final = 50
_READINGS: Final = 5
_Told = Theirs | Ours
_T = TypeVar("_T")


def as_text(report: Report, words: Mapping[int, str]) -> Iterator[str]:
    """The lines to print; `words` is what the vault keeps for a movement, by its position."""
    tell = _Teller(words)
    yield from _heading(report)
    yield from ("", *_table(report.findings))
    yield from tell.findings(report.findings)
    yield from ("", *(f"Note: {note}." for note in report.notes))
    yield _verdict(report)


def money(amount_minor: int) -> str:
    """An amount with its sign, thousands and both decimals: +1,234.50."""
    units, minor = divmod(abs(amount_minor), 100)
    return f"{'-' if amount_minor < 0 else '+'}{units:,}.{minor:02}"


def printable(text: str) -> str:
    """Text of others without what would steer a terminal."""
    return "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text
    )


def _heading(report: Report) -> Iterator[str]:
    limits = report.limits
    yield f"Statement  {report.statement}, {report.statement_lines:,} lines, {report.currency}"
    yield f"Our side   the facts up to position {report.position:,}: {', '.join(report.channels)}"
    yield f"Period     {report.period.first} to {report.period.last}, days in {report.timezone}"
    yield (
        f"Matching   within {money(limits.tolerance_minor)[1:]} and {limits.days} days,"
        f" sums of at most {limits.parts} parts"
    )


def _table(findings: Findings) -> Iterator[str]:
    yield f"{'':22}{'lines':>7}{'in':>16}{'out':>16}{'movements':>12}{'in':>16}{'out':>16}"
    for name, lines, movements in _rows(findings):
        yield f"{name:22}{_sums(lines, 7)}{_sums(movements, 12)}"


def _rows(found: Findings) -> Iterator[tuple[str, list[Theirs], list[Ours]]]:
    for name, groups in (
        ("matched", found.matched),
        ("disputed", found.disputed),
        ("ambiguous", found.ambiguous),
    ):
        lines = chain.from_iterable(group.lines for group in groups)
        yield name, list(lines), list(chain.from_iterable(group.movements for group in groups))
    yield "unmatched", list(found.unmatched_lines), list(found.unmatched_movements)
    yield "in another currency", list(found.other_currency), []


def _sums(told: Sequence[_Told], width: int) -> str:
    into = sum(it.amount_minor for it in told if it.amount_minor > 0)
    out = sum(it.amount_minor for it in told if it.amount_minor < 0)
    return f"{len(told):>{width},}{money(into):>16}{money(out) if out else '-0.00':>16}"


class _Teller:
    def __init__(self, words: Mapping[int, str]) -> None:
        self._words = words

    def findings(self, found: Findings) -> Iterator[str]:
        """A paragraph for each kind that there is, and for matches that a person may look at."""
        looked_at = [group for group in found.matched if group.rule != "reference"]
        yield from _section("Matched, not by an exact reference", looked_at, self._group)
        disputed = "DISPUTED: one reference, another amount or another time"
        yield from _section(disputed, found.disputed, self._group)
        yield from _section("AMBIGUOUS: nothing was chosen", found.ambiguous, self._doubt)
        yield from _section("UNMATCHED lines", found.unmatched_lines, self._items)
        yield from _section("UNMATCHED movements of ours", found.unmatched_movements, self._items)
        duplicates = "DUPLICATE lines: one day, one reference, one amount"
        yield from _section(duplicates, found.duplicates, lambda alike: self._items(*alike))
        yield from _section("In ANOTHER CURRENCY", found.other_currency, self._items)

    def _group(self, group: Group) -> Iterator[str]:
        apart = f", {money(group.difference_minor)} apart" if group.difference_minor else ""
        yield f"  {group.rule or 'same reference'}{apart}:"
        for line in self._items(*group.lines, *group.movements):
            yield f"  {line}"

    def _doubt(self, doubt: Doubt) -> Iterator[str]:
        yield f"  {len(doubt.lines):,} lines and {len(doubt.movements):,} movements, such as:"
        for group in doubt.readings[:_READINGS]:
            lines = ", ".join(str(line.number) for line in group.lines)
            movements = ", ".join(str(movement.position) for movement in group.movements)
            yield f"    line {lines} = position {movements}, by {group.rule}"
        if doubt.more or len(doubt.readings) > _READINGS:
            yield "    … or others"
        for told in (doubt.lines, doubt.movements):
            yield from (f"  {line}" for line in self._items(*told[:_READINGS]))
            if len(told) > _READINGS:
                yield f"    … and {len(told) - _READINGS:,} more"

    def _items(self, *told: _Told) -> Iterator[str]:
        for it in told:
            where = f"line {it.number}" if isinstance(it, Theirs) else f"position {it.position}"
            edge = " (near the period's edge)" if it.near_edge else ""
            about = printable("  ".join(filter(None, self._about(it))))
            yield f"  {where:18} {it.day} {money(it.amount_minor):>16}  {about}{edge}"

    def _about(self, told: _Told) -> tuple[str, ...]:
        if isinstance(told, Theirs):
            return told.currency, told.reference, told.counterparty
        return told.channel, told.number, told.stream, self._words.get(told.position, "")


def _section(title: str, told: Sequence[_T], tell: Callable[[_T], Iterator[str]]) -> Iterator[str]:
    if told:
        yield ""
        yield f"{title} ({len(told):,})"
    for it in told[:_LISTED]:
        yield from tell(it)
    if len(told) > _LISTED:
        yield f"  … and {len(told) - _LISTED:,} more: --json and --csv list them all"


def _verdict(report: Report) -> str:
    if report.reconciled:
        return "RECONCILED: every line and every movement of the period has its counterpart."
    found = report.findings
    counted = (
        (len(found.disputed), "disputed"),
        (len(found.ambiguous), "ambiguous"),
        (len(found.unmatched_lines), "lines unmatched"),
        (len(found.unmatched_movements), "movements unmatched"),
        (len(found.duplicates), "duplicates"),
        (len(found.other_currency), "in another currency"),
    )
    told = ", ".join(f"{count:,} {what}" for count, what in counted if count)
    return f"DIFFERENCES: {told}."
