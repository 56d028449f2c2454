"""`scripts/audit trial-balance`: every account at one moment, and whether they sum to zero."""

import argparse
from datetime import tzinfo

import msgspec

from scripts.auditing import CLEAN, FINDING, facts, moments
from scripts.auditing.amounts import units
from scripts.auditing.books import BOTS, MEMBERS, Books
from scripts.auditing.house import Connection, open_snapshot, print_status
from scripts.auditing.moments import Moment
from scripts.auditing.progress import ProgressMeter

NAME = "trial-balance"
HELP = "every account at one moment; zero in sum at every position up to it, or exit 1"
DESCRIPTION = """\
Fold every fact up to a moment into accounts, and print them: what came from outside (world:*),
the house's own (house:*), and the sums of the players' parts. Bots have a book of their own.
A balance that the house owes stands under credit, what it holds or is owed under debit.

Checked at every position on the way: all accounts sum to zero, no account of a player is below
zero, no fact moves another player's money, no position is missing. What fails is a FINDING with
its first position, and the exit status is 1."""
EXAMPLES = """\
  scripts/audit trial-balance
  scripts/audit trial-balance --at 2026-11-20            # to the end of that day
  scripts/audit trial-balance --at 2026-11-21T18:30:00+08:00 --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """When, and how it is written."""
    moments.add_argument(parser)
    parser.add_argument("--json", action="store_true", help="as one JSON object, in minor units")


def run(options: argparse.Namespace) -> int:
    """Print the trial balance, then what does not hold."""
    with open_snapshot(options.data) as connection:
        moment = moments.resolve(connection, options.at, options.timezone)
        books = folded(connection, moment)
    if options.json:
        print(as_json(books, moment, options.timezone))
    else:
        print(as_table(books, moment, options.timezone))
    return print_findings(books)


def folded(connection: Connection, moment: Moment) -> Books:
    """The books at a moment.

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
    """Say on standard error what does not hold; the exit status."""
    found = list(books.findings())
    for each in found:
        more = f" (and at {each.times - 1:,} more)" if each.times > 1 else ""
        print_status(f"FINDING {each.rule}: first at position {each.position:,}: {each.what}{more}")
    return FINDING if found else CLEAN


def as_table(books: Books, moment: Moment, zone: tzinfo) -> str:
    """For people, in u."""
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
    rows += ["", f"Owed to members: {cash} + {pending} = {units(sum(liabilities.values()))} u"]
    return "\n".join(rows)


def as_json(books: Books, moment: Moment, zone: tzinfo) -> str:
    """For programs, in minor units: below zero is a debit, above it a credit."""
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
