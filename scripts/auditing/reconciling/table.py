"""A reconciliation as CSV: a row for each line and each movement, one file for both sides."""

import csv
from collections.abc import Iterator, Sequence
from typing import Any, Final

from scripts.auditing.reconciling.result import Findings, Ours, Theirs

HEADER: Final = (
    *("finding", "group", "rule", "side", "line_or_position", "date", "in", "out", "currency"),
    *("channel", "reference", "counterparty"),
)
# A cell that begins so is a formula to a spreadsheet, whoever wrote it.
_FORMULAS: Final = ("=", "+", "-", "@", "\t", "\r", "\n")


def write_table(findings: Findings, file: Any) -> None:
    """Write every row; amounts in u, with a point, what came in and what went out apart."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(HEADER)
    for number, (finding, rule, told) in enumerate(_groups(findings), 1):
        for it in told:
            writer.writerow((finding, number, rule, *_cells(it)))


def harmless(text: str) -> str:
    """Text that a spreadsheet shows and does not compute (OWASP, CSV injection)."""
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULAS) else text


def _groups(found: Findings) -> Iterator[tuple[str, str, Sequence[Theirs | Ours]]]:
    for group in found.matched:
        yield "matched", str(group.rule), (*group.lines, *group.movements)
    for group in found.disputed:
        yield "disputed", "", (*group.lines, *group.movements)
    for doubt in found.ambiguous:
        yield "ambiguous", "", (*doubt.lines, *doubt.movements)
    for line in found.unmatched_lines:
        yield "unmatched", "", (line,)
    for movement in found.unmatched_movements:
        yield "unmatched", "", (movement,)
    for duplicates in found.duplicates:
        yield "duplicate", "", duplicates
    for line in found.other_currency:
        yield "other currency", "", (line,)


def _cells(told: Theirs | Ours) -> tuple[object, ...]:
    amounts = (_amount(told.amount_minor), _amount(-told.amount_minor))
    if isinstance(told, Ours):
        about = ("", told.channel, told.number, told.stream)
        return ("ours", told.position, told.day, *amounts, *map(harmless, about))
    about = (told.currency, "", told.reference, told.counterparty)
    return ("statement", told.number, told.day, *amounts, *map(harmless, about))


def _amount(minor: int) -> str:
    """Without a sign, which begins a formula; empty for what went the other way."""
    units, rest = divmod(minor, 100)
    return f"{units}.{rest:02}" if minor >= 0 else ""
