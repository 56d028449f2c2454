"""`scripts/audit fairness`: was every draw made as it was promised?

The code here and in `draw_audit` is the auditor's own: it imports none of the engine's rules.
"""

import argparse
import json
import time
from datetime import date
from pathlib import Path

from scripts.audit_tool import CLEAN, FINDING, AuditError
from scripts.audit_tool.database import Connection, open_snapshot, print_status
from scripts.audit_tool.draw_audit import stored
from scripts.audit_tool.draw_audit.audit import Days, DrawAudit
from scripts.audit_tool.draw_audit.report import tables
from scripts.audit_tool.draw_audit.witness_list import WitnessList
from scripts.audit_tool.progress import ProgressMeter

NAME = "fairness"
HELP = "verify every draw, from the commitments to the payouts, with statistics over all draws"
DESCRIPTION = """\
Verify every draw from the facts alone:

- both parties signed each day, and every published link of both chains leads to its commitments;
- every index was drawn, voided or skipped, and every round has one frozen record of its bets;
- each frozen record contains every accepted bet that was not recalled before the close, follows
  the record before it, and is signed by the operator; every receipt was signed as well;
- the witness signed the release of each drawn round, and no released round was voided;
- the digits are those that the two links, the frozen record and the beacon, if there is one, give,
  and were drawn once;
- every bet was settled by these digits at its own odds, and the totals are those of the ledger.

What is wrong is a FINDING with its position. Voids, what a witness stated about one afterwards,
abandoned segments and undrawn rounds are published facts: they are listed, and are no findings.

The statistics compare the returns with those that the odds give on average, and test the digits
and sums for uniformity. The house's bots have rows of their own. A mark in these tables is no
finding: chance marks one row in a hundred.

With --witness-list the witness's own list of the rounds that it released or cancelled is compared
as well, for the days that it contains and up to its last round of each: print it before the audit.
Of a finished day it has only the root over the releases, which is computed again from the log. The
list has a JSON object a line, as in the witness's journal; leave out the lines with tails, because
these are secrets.

With --continue a clean run keeps in a file from which day on facts may still be added, and the next
run begins there. Its statistics are those of the days that it has read.

This does not show whether a fact was changed after it was published: `scripts/audit log` does. With
--day, facts that were added after all rounds of the day were finished are not read."""
EXAMPLES = """\
  scripts/audit fairness
  scripts/audit fairness --day 2026-11-21
  scripts/audit fairness --continue draws.json   # the next run begins where this one ends
  scripts/audit fairness --witness-list from-the-witness.jsonl
"""
_SHOWN = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the days, the witness's list, and the number of lines to print."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--continue",
        dest="kept",
        type=Path,
        metavar="FILE",
        help="begin where the last run with this file ended, and keep in it where this one ends",
    )
    which.add_argument(
        "--day",
        type=_day,
        metavar="DATE",
        help="only the rounds of this draw day, up to the facts that finish them",
    )
    parser.add_argument(
        "--witness-list",
        type=Path,
        metavar="FILE",
        help="the rounds that the witness released or cancelled, by itself",
    )
    parser.add_argument(
        "--show",
        type=_count,
        default=_SHOWN,
        metavar="N",
        help=f"how many findings and how many notes to print ({_SHOWN})",
    )


def run(options: argparse.Namespace) -> int:
    """Print the findings on standard error, then a summary and the statistics."""
    witness = _witness_list(options.witness_list)
    began = time.monotonic()
    with open_snapshot(options.data) as connection:
        until = stored.last_position(connection)
        audit = audited_draws(connection, until, _days(options), witness)
    if options.day and not audit.days:
        raise AuditError(f"no game opened {options.day}")
    for finding in audit.findings[: options.show]:
        print_status(f"FINDING {finding}")
    if audit.count > options.show:
        print_status(f"… and {audit.count - options.show:,} more")
    print_draws(audit, options.show)
    for line in tables(audit.statistics):
        print(line)
    seconds = max(time.monotonic() - began, 0.001)
    print(f"{audit.drawn / seconds:,.0f} rounds a second")
    found = f"{audit.count:,} {'finding' if audit.count == 1 else 'findings'}"
    print(found if audit.count else "clean")
    if options.kept and audit.unfinished and not audit.count:
        _keep(options.kept, audit.unfinished)
    return FINDING if audit.count else CLEAN


def audited_draws(
    connection: Connection,
    until: int,
    days: Days | None = None,
    witness: WitnessList | None = None,
    bots: frozenset[str] | None = None,
) -> DrawAudit:
    """Returns the audit of all draws up to position `until`, or of some days'.

    `bots` are the streams of the house's bots; without them the log is searched for them.
    """
    after = stored.position_before(connection, days.first) if days and days.first else 0
    if bots is None:
        bots = stored.bots(connection)
    audit = DrawAudit(bots, days, witness)
    meter = ProgressMeter("verifying {} facts", stored.count(connection, after, until))
    audit.read(meter.over(stored.rows(connection, after, until)))
    return audit


def print_draws(audit: DrawAudit, shown: int) -> None:
    """Print what was verified, and the rounds that were not drawn."""
    print(
        f"draws: {audit.drawn:,} drawn and {audit.voided:,} voided rounds of {audit.days:,} days"
        f" and segments, {audit.bets:,} bets, {audit.batches:,} signed batches of receipts"
    )
    for note in audit.notes[max(0, len(audit.notes) - shown) :]:
        print(f"  note: {note}")
    if len(audit.notes) > shown:
        print(f"  and {len(audit.notes) - shown:,} earlier notes")


def _days(options: argparse.Namespace) -> Days:
    if options.day:
        return Days(options.day, options.day)
    if options.kept is None or not options.kept.exists():
        return Days()
    try:
        return Days(_day(str(json.loads(options.kept.read_text())["first"])))
    except (OSError, ValueError, KeyError, TypeError, argparse.ArgumentTypeError):
        raise AuditError(f"{options.kept} is not the file of an earlier run") from None


def _keep(file: Path, first: str) -> None:
    fresh = file.with_name(file.name + ".new")
    fresh.write_text(json.dumps({"first": first}) + "\n")
    fresh.replace(file)


def _witness_list(file: Path | None) -> WitnessList | None:
    if file is None:
        return None
    try:
        return WitnessList(file.read_text().splitlines())
    except (OSError, ValueError) as error:
        raise AuditError(f"{file} cannot be read: {error}") from None


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text} is not a number of lines")
    return int(text)


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is not a day such as 2026-11-21") from None
