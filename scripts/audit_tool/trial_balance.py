"""`scripts/audit trial-balance`: every account at one moment, and whether they sum to zero."""

import argparse
from datetime import tzinfo

import msgspec

from scripts.audit_tool import CLEAN, FINDING, as_of, facts
from scripts.audit_tool.accounts import units
from scripts.audit_tool.as_of import Moment
from scripts.audit_tool.books import BOTS, MEMBERS, Books
from scripts.audit_tool.database import Connection, open_snapshot, print_status
from scripts.audit_tool.progress import ProgressMeter

NAME = "trial-balance"
HELP = "every account at one moment; exit 1 if the accounts do not sum to zero at any position"
DESCRIPTION = """\
Fold every fact up to a moment into accounts, and print them: money from outside (world:*), the
operator's own (house:*), and the sums of the players' parts. Bots have separate books. Liabilities
are under credit, assets and receivables under debit.

Checked at every position: all accounts sum to zero, no account of a player is below zero, no fact
moves another player's money, no position is missing. A violation is a FINDING with its first
position, and the exit status is 1."""
EXAMPLES = """\
  scripts/audit trial-balance
  scripts/audit trial-balance --at 2026-11-20            # to the end of that day
  scripts/audit trial-balance --at 2026-11-21T18:30:00+08:00 --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the moment and the format."""
    as_of.add_argument(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object, in minor units")


def run(options: argparse.Namespace) -> int:
    """Print the trial balance, then the violations."""
    with open_snapshot(options.data) as connection:
        moment = as_of.resolve(connection, options.at, options.timezone)
        books = folded(connection, moment)
    if options.json:
        print(as_json(books, moment, options.timezone))
    else:
        print(as_table(books, moment, options.timezone))
    return print_findings(books)


def folded(connection: Connection, moment: Moment) -> Books:
    """Returns the books at a moment.

    Raises:
        FindingError: a fact cannot be read.
    """
    books = Books()
    stored = facts.stream(connection, moment.position)
    for each in ProgressMeter("adding up {} facts", moment.position).over(stored):
        books.apply(each.recorded())
    if books.position != moment.position:
        books.missing(moment.position)
    return books


def print_findings(books: Books) -> int:
    """Print the violations on standard error; returns the exit status."""
    found = list(books.findings())
    for each in found:
        more = f" (and at {each.times - 1:,} more)" if each.times > 1 else ""
        print_status(f"FINDING {each.rule}: first at position {each.position:,}: {each.what}{more}")
    return FINDING if found else CLEAN


def as_table(books: Books, moment: Moment, zone: tzinfo) -> str:
    """Returns a text table, in u."""
    rows = [f"Trial balance {moment.describe(zone)}; amounts in u"]
    for book in (MEMBERS, BOTS):
        rows += ["", f"{book} ({books.players(book):,} players)".ljust(32) + _columns()]
        amounts = [line for line in books.lines() if line.book == book]
        rows += [_row(line.account, line.amount_minor) for line in amounts]
        debit = -sum(line.amount_minor for line in amounts if line.amount_minor < 0)
        credit = sum(line.amount_minor for line in amounts if line.amount_minor > 0)
        rows += [f"  {'sum':<30}{units(debit):>20}{units(credit):>20}  = {units(credit - debit)}"]
    liabilities = books.liabilities()
    cash = f"balances {units(liabilities['available'])} + bonus {units(liabilities['bonus'])}"
    withdrawals = f"withdrawals {units(liabilities['withdrawing'])}"
    pending = f"open stakes {units(liabilities['staked'])} + {withdrawals}"
    rows += ["", f"Liability to players: {cash} + {pending} = {units(sum(liabilities.values()))} u"]
    return "\n".join(rows)


def as_json(books: Books, moment: Moment, zone: tzinfo) -> str:
    """Returns JSON, in minor units: below zero is a debit, above it a credit."""
    document = {
        "as_of": moment.as_dict(zone),
        "players": {book: books.players(book) for book in (MEMBERS, BOTS)},
        "accounts": books.lines(),
        "owed_to_members_minor": {
            **books.liabilities(),
            "total": sum(books.liabilities().values()),
        },
        "findings": list(books.findings()),
    }
    return msgspec.json.encode(document).decode()


def _columns() -> str:
    return f"{'debit':>20}{'credit':>20}"


def _row(account: str, amount: int) -> str:
    debit, credit = (units(-amount), "") if amount < 0 else ("", units(amount))
    return f"  {account:<30}{debit:>20}{credit:>20}".rstrip()
