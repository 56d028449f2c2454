"""The findings of a reconciliation, in a form that can be printed or stored.

The vault's texts are not included, because a player's erasure would not reach a file. Amounts are
in minor units, above zero in and below out.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Struct

from scripts.audit_tool.bank_statements import StatementLine
from scripts.audit_tool.reconciling.items import Item, MatchOutcome, MatchTolerance, Rule
from scripts.audit_tool.reconciling.movements import Movement

_SECOND: Final = 1_000_000


class Period(Struct, frozen=True):
    """The days of the reconciliation, both included."""

    first: date
    last: date

    def around(self, day: date, days: int = 0) -> bool:
        """Whether a day is in the period or at most `days` outside it."""
        return self.first.toordinal() - days <= day.toordinal() <= self.last.toordinal() + days

    def near_edge(self, day: date, days: int) -> bool:
        """Whether a counterpart of this day may be outside the period."""
        first, last = self.first.toordinal(), self.last.toordinal()
        return day.toordinal() - days < first or day.toordinal() + days > last


class LedgerItem(Struct, frozen=True):
    """A movement as it is reported; `day` is in the operator's time zone."""

    position: int
    day: date
    at: datetime
    stream: str
    channel: str
    amount_minor: int
    number: str
    near_edge: bool


class BankItem(Struct, frozen=True):
    """A line as it is reported."""

    number: int
    day: date
    amount_minor: int
    currency: str
    reference: str
    counterparty: str
    near_edge: bool


class Group(Struct, frozen=True):
    """Lines and movements that belong, or may belong, together; `rule` says why.

    `difference_minor` is the statement's amount less the ledger's.
    """

    rule: Rule | None
    lines: tuple[BankItem, ...]
    movements: tuple[LedgerItem, ...]
    difference_minor: int


class AmbiguousMatch(Struct, frozen=True):
    """Lines and movements with several readings; `more` if not all of them are listed."""

    lines: tuple[BankItem, ...]
    movements: tuple[LedgerItem, ...]
    readings: tuple[Group, ...]
    more: bool


class Findings(Struct, frozen=True):
    """Everything in the period, by result."""

    matched: tuple[Group, ...]
    disputed: tuple[Group, ...]
    ambiguous: tuple[AmbiguousMatch, ...]
    unmatched_lines: tuple[BankItem, ...]
    unmatched_movements: tuple[LedgerItem, ...]
    unsearched_lines: tuple[int, ...]
    unsearched_movements: tuple[int, ...]
    duplicates: tuple[tuple[BankItem, ...], ...]
    other_currency: tuple[BankItem, ...]

    @property
    def reconciled(self) -> bool:
        """Whether there are matches and no differences."""
        differences = msgspec.structs.replace(self, matched=())
        return bool(self.matched) and not any(msgspec.structs.astuple(differences))


class Matched:
    """Both sides of a reconciliation, and the mapping from match keys back to them."""

    def __init__(
        self,
        lines: Sequence[StatementLine],
        movements: Sequence[Movement],
        *,
        period: Period,
        limits: MatchTolerance,
        zone: ZoneInfo,
    ) -> None:
        self._lines = {line.number: line for line in lines}
        self._movements = dict(enumerate(movements))
        self._period = period
        self._limits = limits
        self._zone = zone

    def items(self) -> tuple[list[Item], list[Item]]:
        """Returns both sides for the matching; a movement's references are its text and number."""
        lines = [
            Item(key, it.day.toordinal(), it.amount_minor, (it.reference,))
            for key, it in self._lines.items()
        ]
        movements = [
            Item(key, day_of(it, self._zone).toordinal(), it.amount_minor, _references(it))
            for key, it in self._movements.items()
        ]
        return lines, movements

    def findings(self, outcome: MatchOutcome, other_currency: Iterable[StatementLine]) -> Findings:
        """Returns the period's findings; results wholly outside it only served the matching."""
        matched = (self._group(it.rule, it.lines, it.movements) for it in outcome.matches)
        disputed = (self._group(None, (it.line,), (it.movement,)) for it in outcome.disputes)
        ambiguous = (
            AmbiguousMatch(
                self._bank_items(it.lines),
                self._ledger_items(it.movements),
                tuple(
                    self._group(each.rule, each.lines, each.movements) for each in it.alternatives
                ),
                it.more,
            )
            for it in outcome.ambiguities
        )
        unmatched = self._ledger_items(outcome.movements)
        unsearched = self._ledger_items(outcome.unsearched_movements)
        return Findings(
            matched=tuple(filter(self._touched, matched)),
            disputed=tuple(filter(self._touched, disputed)),
            ambiguous=tuple(filter(self._touched, ambiguous)),
            unmatched_lines=self._inside(self._bank_items(outcome.lines)),
            unmatched_movements=self._inside(unmatched),
            unsearched_lines=_numbers(self._inside(self._bank_items(outcome.unsearched_lines))),
            unsearched_movements=tuple(it.position for it in self._inside(unsearched)),
            duplicates=tuple(self._duplicates()),
            other_currency=self._inside(tuple(map(self._line, other_currency))),
        )

    def _duplicates(self) -> Iterable[tuple[BankItem, ...]]:
        alike: defaultdict[tuple[object, ...], list[BankItem]] = defaultdict(list)
        for line in self._inside(self._bank_items(self._lines)):
            # Without a reference, equal amounts of two payers on one day are not duplicates.
            who = line.reference or ("", line.counterparty)
            alike[line.day, line.amount_minor, line.currency, who].append(line)
        return (tuple(lines) for lines in alike.values() if len(lines) > 1)

    def _group(
        self, rule: Rule | None, lines: tuple[int, ...], movements: tuple[int, ...]
    ) -> Group:
        bank, ledger = self._bank_items(lines), self._ledger_items(movements)
        return Group(rule, bank, ledger, total(bank) - total(ledger))

    def _touched(self, group: Group | AmbiguousMatch) -> bool:
        days = [*(it.day for it in group.lines), *(it.day for it in group.movements)]
        return any(map(self._period.around, days))

    def _inside(self, items: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(it for it in items if self._period.around(it.day))

    def _bank_items(self, keys: Iterable[int]) -> tuple[BankItem, ...]:
        return tuple(self._line(self._lines[key]) for key in keys)

    def _line(self, line: StatementLine) -> BankItem:
        near_edge = self._period.near_edge(line.day, self._limits.days)
        return BankItem(
            line.number,
            line.day,
            line.amount_minor,
            line.currency,
            line.reference,
            line.counterparty,
            near_edge,
        )

    def _ledger_items(self, keys: Iterable[int]) -> tuple[LedgerItem, ...]:
        return tuple(self._movement(self._movements[key]) for key in keys)

    def _movement(self, movement: Movement) -> LedgerItem:
        day = day_of(movement, self._zone)
        return LedgerItem(
            movement.position,
            day,
            datetime.fromtimestamp(movement.at // _SECOND, self._zone),
            movement.stream,
            movement.channel,
            movement.amount_minor,
            movement.number,
            self._period.near_edge(day, self._limits.days),
        )


def total(items: Iterable[BankItem | LedgerItem]) -> int:
    """Returns the sum of the reported items, in minor units."""
    return sum(it.amount_minor for it in items)


def day_of(movement: Movement, zone: ZoneInfo) -> date:
    """Returns the calendar day on which a movement was recorded."""
    return datetime.fromtimestamp(movement.at // _SECOND, zone).date()


def _references(movement: Movement) -> tuple[str, ...]:
    return tuple(filter(None, (movement.words, movement.number)))


def _numbers(lines: Iterable[BankItem]) -> tuple[int, ...]:
    return tuple(line.number for line in lines)


class DirectionTotals(Struct, frozen=True):
    """The number of lines or movements and their totals in each direction, in minor units."""

    count: int
    in_minor: int
    out_minor: int


class Totals(Struct, frozen=True):
    """Both sides of one kind of finding, or of all."""

    lines: DirectionTotals
    movements: DirectionTotals


def totals(found: Findings) -> dict[str, Totals]:
    """Returns totals of each kind of finding, in the order of a report, and of everything.

    Duplicates have no totals of their own: each copy is counted under its result.
    """
    kinds: dict[str, tuple[list[BankItem], list[LedgerItem]]] = {
        "matched": _both(found.matched),
        "disputed": _both(found.disputed),
        "ambiguous": _both(found.ambiguous),
        "unmatched": (list(found.unmatched_lines), list(found.unmatched_movements)),
        "other_currency": (list(found.other_currency), []),
    }
    everything = (
        [line for lines, _ in kinds.values() for line in lines],
        [movement for _, movements in kinds.values() for movement in movements],
    )
    return {
        name: Totals(_sums(lines), _sums(movements))
        for name, (lines, movements) in (*kinds.items(), ("all", everything))
    }


def _both(groups: Iterable[Group | AmbiguousMatch]) -> tuple[list[BankItem], list[LedgerItem]]:
    groups = list(groups)
    lines = [line for group in groups for line in group.lines]
    return lines, [movement for group in groups for movement in group.movements]


def _sums(items: Sequence[BankItem | LedgerItem]) -> DirectionTotals:
    amounts = [it.amount_minor for it in items]
    return DirectionTotals(
        len(amounts),
        sum(amount for amount in amounts if amount > 0),
        sum(amount for amount in amounts if amount < 0),
    )


class Report(Struct, frozen=True):
    """A reconciliation as it is stored: its options, its input and its findings.

    `position` is the last fact that was read; `notes` has further information for the reader.
    """

    reconciled: bool
    statement: str
    statement_sha256: str
    statement_lines: int
    position: int
    period: Period
    timezone: str
    currency: str
    channels: tuple[str, ...]
    limits: MatchTolerance
    notes: tuple[str, ...]
    totals: dict[str, Totals]
    findings: Findings
