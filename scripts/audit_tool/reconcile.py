"""`scripts/audit reconcile`: matches a bank's or gateway's statement with deposits and payouts.

It is read-only: the log is read in a snapshot that cannot write. Only `--record` writes a file.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec
from msgspec import Struct

from scripts.audit_tool import CLEAN, FINDING, AuditError, facts
from scripts.audit_tool.bank_statements import Statement, StatementLine, read_statement
from scripts.audit_tool.database import Connection, open_snapshot
from scripts.audit_tool.progress import ProgressMeter
from scripts.audit_tool.reconciling.items import MatchOutcome
from scripts.audit_tool.reconciling.matching import reconcile
from scripts.audit_tool.reconciling.movements import (
    Movement,
    SelectedMovements,
    select_movements,
    with_words,
)
from scripts.audit_tool.reconciling.options import ReconcileOptions, add_options, parse_options
from scripts.audit_tool.reconciling.report import (
    as_text,
    counted,
    money,
    refuse_existing,
    save_record,
    write_table,
)
from scripts.audit_tool.reconciling.result import Findings, Matched, Period, Report, day_of, totals

NAME: Final = "reconcile"
HELP: Final = "match a bank's or gateway's statement (CSV) with deposits and payouts"
DESCRIPTION: Final = """\
Match each line of a statement with the deposits and payouts in the facts: by reference, then by
amount and day, then one line with several movements or vice versa. Ambiguous matches are listed,
not chosen from. The first line of the file names its columns: date, reference, amount, currency,
counterparty; amounts above zero came in. Nothing is written unless --record names a file."""
EXAMPLES: Final = """\
  scripts/audit reconcile november.csv --channel bank
  scripts/audit reconcile november.csv --days 5 --tolerance 0.50 --record november.json
  scripts/audit reconcile umsaetze.csv --delimiter ';' --decimal-comma --date-format %d.%m.%Y \\
      --encoding cp1252 --columns date=Buchungstag,amount=Betrag,reference=Verwendungszweck \\
      --columns currency=Währung,counterparty=
exit status: 0 everything matched, 1 there are differences, 2 could not run"""

_POSITIONS: Final = 10


class _LedgerSide(Struct, frozen=True):
    """The ledger's side of the reconciliation."""

    position: int
    movements: list[Movement]
    notes: list[str]

    @property
    def words(self) -> dict[int, str]:
        """The text of each movement, by position."""
        return {it.position: it.words for it in self.movements if it.words is not None}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options, each with its help text."""
    add_options(parser)


def run(options: argparse.Namespace) -> int:
    """Print the reconciliation; returns whether there are differences.

    Raises:
        AuditError: the file cannot be used, or there is nothing in it to reconcile.
    """
    parsed = parse_options(options)
    refuse_existing(parsed.record)
    statement = read_statement(parsed.file, parsed.form)
    currency = _currency(parsed, statement)
    period = _period(parsed, statement)
    with open_snapshot(options.data, vault=True) as connection:
        ledger = _read(connection, parsed, period)
    report = _report(parsed, statement, currency, period, ledger)
    _print_report(parsed, report, ledger.words)
    return CLEAN if report.reconciled else FINDING


def _currency(options: ReconcileOptions, statement: Statement) -> str:
    found = sorted({line.currency for line in statement.lines})
    if options.currency:
        return options.currency
    if len(found) > 1:
        raise AuditError(
            f"{options.file} has several currencies ({', '.join(found)}): --currency selects one"
        )
    return found[0] if found else ""


def _period(options: ReconcileOptions, statement: Statement) -> Period:
    """Returns the period to reconcile; raises AuditError if no line is in it."""
    days = [line.day for line in statement.lines]
    if not days:
        raise AuditError(f"{options.file} has a header and no line: there is nothing to reconcile")
    period = Period(options.first or min(days), options.last or max(days))
    if not any(map(period.around, days)):
        raise AuditError(
            f"no line of {options.file} is from {period.first} to {period.last}; its days are"
            f" {min(days)} to {max(days)}"
        )
    return period


def _read(connection: Connection, options: ReconcileOptions, period: Period) -> _LedgerSide:
    until, _ = facts.last(connection)
    stored = ProgressMeter("reading {} facts", until).over(facts.stream(connection, until))

    def is_near(movement: Movement) -> bool:
        return period.around(day_of(movement, options.zone), options.limits.days)

    read = select_movements((each.recorded() for each in stored), options.channels, is_near)
    movements, contradicted = with_words(connection, read.movements)
    notes = [*_elsewhere(read), *_unworded(movements, contradicted)]
    if not any(period.around(day_of(it, options.zone)) for it in movements):
        notes.insert(0, "the ledger has no movement in this period")
    return _LedgerSide(until, movements, notes)


def _elsewhere(read: SelectedMovements) -> Iterator[str]:
    for channel, (count, amount) in sorted(read.elsewhere.items()):
        yield (
            f"{counted(count, 'movement')} over {channel}, {money(amount)} in total: not part of"
            f" this reconciliation"
        )


def _unworded(movements: list[Movement], contradicted: list[Movement]) -> Iterator[str]:
    if contradicted:
        positions = ", ".join(str(it.position) for it in contradicted[:_POSITIONS])
        yield (
            f"the vault's text of {counted(len(contradicted), 'movement')} does not match the"
            f" commitment in the facts, and was not used (position {positions}"
            f"{', …' if len(contradicted) > _POSITIONS else ''})"
        )
    unknown = sum(it.words is None for it in movements) - len(contradicted)
    if unknown:
        yield (
            f"the vault has no reference for {counted(unknown, 'movement')}; they were matched by"
            f" number, amount and day only"
        )


def _report(
    options: ReconcileOptions,
    statement: Statement,
    currency: str,
    period: Period,
    ledger: _LedgerSide,
) -> Report:
    near = [it for it in statement.lines if period.around(it.day, options.limits.days)]
    ours = [it for it in near if it.currency in {"", currency}]
    matched = Matched(
        ours, ledger.movements, period=period, limits=options.limits, zone=options.zone
    )
    outcome = reconcile(
        *matched.items(),
        options.limits,
        lambda targets: ProgressMeter("looking for sums: {}", len(targets)).over(targets),
    )
    findings = matched.findings(outcome, [it for it in near if it.currency not in {"", currency}])
    return Report(
        reconciled=findings.reconciled,
        statement=options.file.name,
        statement_sha256=statement.sha256,
        statement_lines=len(statement.lines),
        position=ledger.position,
        period=period,
        timezone=options.zone.key,
        currency=currency,
        channels=options.channels,
        limits=options.limits,
        notes=(
            *ledger.notes,
            *_left_out(statement.lines, period),
            *_tolerated(findings),
            *_unsearched(outcome),
        ),
        totals=totals(findings),
        findings=findings,
    )


def _left_out(lines: tuple[StatementLine, ...], period: Period) -> Iterator[str]:
    outside = sum(not period.around(line.day) for line in lines)
    if outside:
        yield (
            f"{counted(outside, 'line')} outside the period: listed only as the counterpart of an"
            f" item inside"
        )


def _tolerated(findings: Findings) -> Iterator[str]:
    apart = [it.difference_minor for it in findings.matched if it.difference_minor]
    if apart:
        yield (
            f"{len(apart):,} of the matches differ within the tolerance, by {money(sum(apart))}"
            f" in total"
        )


def _unsearched(outcome: MatchOutcome) -> Iterator[str]:
    count = len(outcome.unsearched_lines) + len(outcome.unsearched_movements)
    if count:
        yield (
            f"the search for sums was stopped for {count:,} unmatched items with too many possible"
            f" parts: lower --parts or --days"
        )


def _print_report(options: ReconcileOptions, report: Report, words: Mapping[int, str]) -> None:
    document = msgspec.json.format(msgspec.json.encode(report)) + b"\n"
    if options.output == "json":
        sys.stdout.write(document.decode())
    elif options.output == "csv":
        write_table(report.findings, sys.stdout)
    else:
        for line in as_text(report, words):
            print(line)
    if options.record is not None:
        save_record(options.record, document)
        print(f"recorded in {options.record}", file=sys.stderr)
