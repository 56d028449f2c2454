"""`scripts/audit trial-balance`: every account at one moment, and whether they sum to zero."""

import argparse
from datetime import tzinfo

import msgspec

from scripts.auditing import CLEAN, FINDING, facts, moments
from scripts.auditing.amounts import units
from scripts.auditing.books import BOTS, MEMBERS, Books
from scripts.auditing.house import Connection, opened, say
from scripts.auditing.moments import Moment
from scripts.auditing.progress import Progress

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
    with opened(options.data) as connection:
        moment = moments.resolve(connection, options.at, options.timezone)
        books = folded(connection, moment)
    if options.json:
        print(as_json(books, moment, options.timezone))
    else:
        print(as_table(books, moment, options.timezone))
    return tell_findings(books)


def folded(connection: Connection, moment: Moment) -> Books:
    """The books at a moment.

    Raises:
        FindingError: a fact cannot be read.
    """
    books = Books()
    stored = facts.stream(connection, moment.position)
    for each in Progress("adding up {} facts", moment.position).over(stored):
        books.apply(each.recorded())
    if books.position != moment.position:
        books.missing(moment.position)
    return books


def tell_findings(books: Books) -> int:
    """Say on standard error what does not hold; the exit status."""
    found = list(books.findings())
    for each in found:
        more = f" (and at {each.times - 1:,} more)" if each.times > 1 else ""
        say(f"FINDING {each.rule}: first at position {each.position:,}: {each.what}{more}")
    return FINDING if found else CLEAN


def as_table(books: Books, moment: Moment, zone: tzinfo) -> str:
    """For people, in u."""
    told = [f"Trial balance {moment.words(zone)}; amounts in u"]
    for book in (MEMBERS, BOTS):
        told += ["", f"{book} ({books.players(book):,} players)".ljust(32) + _columns()]
        amounts = [line for line in books.lines() if line.book == book]
        told += [_row(line.account, line.amount_minor) for line in amounts]
        debit = -sum(line.amount_minor for line in amounts if line.amount_minor < 0)
        credit = sum(line.amount_minor for line in amounts if line.amount_minor > 0)
        told += [f"  {'sum':<30}{units(debit):>20}{units(credit):>20}  = {units(credit - debit)}"]
    owed = books.owed()
    cash = f"balances {units(owed['available'])} + bonus {units(owed['bonus'])}"
    held = f"open stakes {units(owed['staked'])} + withdrawals {units(owed['withdrawing'])}"
    told += ["", f"Owed to members: {cash} + {held} = {units(sum(owed.values()))} u"]
    return "\n".join(told)


def as_json(books: Books, moment: Moment, zone: tzinfo) -> str:
    """For programs, in minor units: below zero is a debit, above it a credit."""
    told = {
        "as_of": moment.record(zone),
        "players": {book: books.players(book) for book in (MEMBERS, BOTS)},
        "accounts": books.lines(),
        "owed_to_members_minor": {**books.owed(), "total": sum(books.owed().values())},
        "findings": list(books.findings()),
    }
    return msgspec.json.encode(told).decode()


def _columns() -> str:
    return f"{'debit':>20}{'credit':>20}"


def _row(account: str, amount: int) -> str:
    debit, credit = (units(-amount), "") if amount < 0 else ("", units(amount))
    return f"  {account:<30}{debit:>20}{credit:>20}".rstrip()
