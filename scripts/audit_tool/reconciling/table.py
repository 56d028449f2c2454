"""A reconciliation as CSV: a row for each line and each movement, one file for both sides."""

import csv
from collections.abc import Iterator, Sequence
from typing import Any, Final

from scripts.audit_tool.reconciling.result import BankItem, Findings, LedgerItem

HEADER: Final = (
    *("finding", "group", "rule", "side", "line_or_position", "date", "in", "out", "currency"),
    *("channel", "reference", "counterparty"),
)
# A cell that begins with one of these is a formula to a spreadsheet, whatever its origin.
_FORMULAS: Final = ("=", "+", "-", "@", "\t", "\r", "\n")


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
