"""The command line of `scripts/office`."""

import argparse
import os
import re
import secrets
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from urllib.parse import urlsplit

from scripts.devtools.paths import as_typed, data_folder
from scripts.office_cli import books, chat, content, members, odds, rounds, staff_commands
from scripts.office_cli.terminal import Adding, Parser, staff_name

#: The variable with a pass, so that the pass is in no process list.
PASS_VARIABLE = "FAIRDRAW_OFFICE_PASS"  # noqa: S105 - a name
_AMOUNT = re.compile(r"-?[0-9]+(\.[0-9]{1,2})?")
_QUEUED = ("deposit", "withdrawal", "gift", "adjustment", "password_reset", "erasure")
_CORRECTIONS = ("double_entry", "returned_payout", "chargeback", "goodwill")
_EPILOGUE = """\
examples:
  scripts/office queue --as ann
  scripts/office approve-deposit deposit-10007-0f3a... --as ann
  scripts/office enter-deposit player01 250.50 --channel bank --reference "invoice 7" --as ann
  scripts/office payout-details withdrawal-... --as ann
  scripts/office pay-withdrawal withdrawal-... --reference "transfer 4711" --as ben
  scripts/office adjust player01 -20 --kind double_entry --channel bank --reason "twice" --as ann
  scripts/office agree-adjustment adjustment-10007-81c2... --as ben
  scripts/office book fee bank -12.50 --reference "charges November" --as ann
  scripts/office switch game-2 close --as ann
  scripts/office void-round 1 20261121007 --reason "the witness's disk failed" --as ann
  scripts/office lift-code player01 --reason "showed the ID card on a call" --as ann
  scripts/office reset-password player01 --reason "showed the ID card on a call" --as ann
  scripts/office agree-change password_reset-10001-0f3c --as ben
  scripts/office mute player01 --hours 24 --reason "abuse" --as ann
  scripts/office content save hello.json --kind article --tab original --as ann
  scripts/office terms --four-eyes 10000 --cooling-hours 24 --as ann   # and as another manager
  scripts/office staff-roles cleo cashier support --pass-file ann.pass
  scripts/office queue --pass-file cleo.pass --address https://server.example

Permissions: you need a pass, from --pass-file or the variable FAIRDRAW_OFFICE_PASS, and a role for
the command. In a demo, a user who can read keys/office.key in the data folder, on the machine
itself, may run everything under any name, given by --as. Elsewhere that file only serves to set up
the first managers:
  scripts/office make-pass ann.pass       (run by ann, who keeps it and passes on its fingerprint)
  scripts/office staff-roles ann manager
  scripts/office staff-pass ann FINGERPRINT
and the same for ben, whose pass ann enters as well: two people enter a pass before it is valid.
A command that takes two people needs two names. The server must be running.

exit status: 0 success, 1 refused, 2 usage error, 3 no response (retry with --key)
"""


def read(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the command line; SystemExit if it is invalid."""
    parser = _parser()
    options = parser.parse_args(arguments)
    options.shown, options.address = _shown(parser, options), getattr(options, "address", "")
    wrong = content.misread(options)
    if wrong:
        parser.error(wrong)
    if not hasattr(options, "staff") and not options.shown and not _is_bootstrap(options):
        parser.error("name yourself with --as NAME, or use a pass: --pass-file FILE")
    if options.address and not options.shown and not _is_here(options.address):
        parser.error("a server on another machine requires a pass: --pass-file FILE")
    options.staff = getattr(options, "staff", "")
    options.data = getattr(options, "data", data_folder())
    options.key = getattr(options, "key", None) or f"office-{secrets.token_hex(16)}"
    return options


def _is_bootstrap(options: argparse.Namespace) -> bool:
    """Whether the machine's secret may run the command without a staff name."""
    return options.command in staff_commands.BOOTSTRAP_COMMANDS


def _shown(parser: argparse.ArgumentParser, options: argparse.Namespace) -> str:
    """Returns the pass, if there is one."""
    if not hasattr(options, "pass_file"):
        return os.environ.get(PASS_VARIABLE, "").strip()
    try:
        words = options.pass_file.read_text().split()
    except (OSError, UnicodeDecodeError):
        words = []
    if not words:
        parser.error(f"{options.pass_file} is not a pass")
    return str(words[0])


def _parser() -> Parser:
    common = Parser(add_help=False)
    _common(common)
    parser = Parser(
        prog=as_typed("scripts/office"),
        description="Staff commands: requests, money, switches, terms, chat, news, staff.",
        epilog=as_typed(_EPILOGUE),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _common(parser)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(name: str, help_text: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=help_text, description=help_text, parents=[common])

    _reading(add("queue", "show requests that wait for staff, oldest first"))
    _deciding(add)
    _giving(add)
    _setting(add)
    books.add_options(add, _amount)
    odds.add_options(add)
    chat.add_options(add)
    rounds.add_options(add)
    staff_commands.add_options(add)
    members.add_options(add)
    content.add_to(add("content", "news, announcements, banners and messages"), common)
    parser.commands = tuple(commands.choices)
    return parser


def _common(parser: argparse.ArgumentParser) -> None:
    missing = argparse.SUPPRESS
    parser.add_argument(
        "--as",
        dest="staff",
        type=staff_name,
        metavar="NAME",
        default=missing,
        help="your staff name",
    )
    help_text = "the server's data folder (.data)"
    parser.add_argument("--data", type=Path, metavar="FOLDER", default=missing, help=help_text)
    help_text = "file with your pass"
    parser.add_argument("--pass-file", type=Path, metavar="FILE", default=missing, help=help_text)
    help_text = "the server's address, if it is not in the data folder"
    parser.add_argument("--address", type=_address, metavar="URL", default=missing, help=help_text)
    parser.add_argument(
        "--key", default=missing, help="idempotency key: a repeated key does nothing twice"
    )


def _reading(queue: argparse.ArgumentParser) -> None:
    queue.add_argument("--kind", choices=_QUEUED, default="")
    queue.add_argument("--all", action="store_true", help="include completed ones, newest first")


def _deciding(add: Adding) -> None:
    for kind in ("deposit", "withdrawal"):
        approving = add(f"approve-{kind}", f"agree to a {kind}")
        approving.add_argument("id")
        if kind == "deposit":
            _repeating(approving)
        rejecting = add(f"reject-{kind}", f"refuse a {kind}")
        rejecting.add_argument("id")
        rejecting.add_argument("--reason", required=True)
    add("payout-details", "show the full payout account of a withdrawal").add_argument("id")
    paying = add("pay-withdrawal", "record the payment of an approved withdrawal")
    paying.add_argument("id")
    paying.add_argument("--reference", required=True, help="reference of the payment")
    add("agree-gift", "agree to a colleague's gift").add_argument("id")
    add("drop-gift", "drop a proposed gift").add_argument("id")
    add("agree-adjustment", "agree to a colleague's correction").add_argument("id")
    add("drop-adjustment", "drop a proposed correction").add_argument("id")


def _giving(add: Adding) -> None:
    entering = add("enter-deposit", "enter a received deposit")
    _about_money(entering)
    entering.add_argument("--channel", required=True, choices=("bank", "usdt"))
    entering.add_argument("--reference", required=True, help="reference of the payment")
    _repeating(entering)
    for name, help_text in (
        ("gift", "give bonus money; above the threshold another person has to agree"),
        ("adjust", "propose a correction; below zero it removes money"),
    ):
        giving = add(name, help_text)
        _about_money(giving)
        giving.add_argument("--reason", required=True)
        if name == "adjust":
            _about_accounts(giving)


def _about_accounts(adjusting: argparse.ArgumentParser) -> None:
    help_text = "purpose: each kind is booked against its own account"
    adjusting.add_argument("--kind", choices=_CORRECTIONS, required=True, help=help_text)
    help_text = "channel of the deposit that a double_entry undoes"
    channels = ("bank", "usdt", "online")
    adjusting.add_argument("--channel", choices=channels, default="", help=help_text)


def _repeating(parser: argparse.ArgumentParser) -> None:
    help_text = "a separate payment, although its reference was credited before; two people confirm"
    parser.add_argument("--again", action="store_true", help=help_text)


def _about_money(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("player", help="user name or player id")
    parser.add_argument(
        "amount", type=_amount, help="in u, at most two decimals, for example 250.50"
    )


def _setting(add: Adding) -> None:
    for name, help_text in (
        ("close-member", "close a player's gaming; withdrawals stay open"),
        ("open-member", "open a player's gaming again"),
    ):
        closing = add(name, help_text)
        closing.add_argument("player", help="user name or player id")
        closing.add_argument("--reason", required=True)
    lifting = add("lift-code", "remove a locked or forgotten security code")
    lifting.add_argument("player", help="user name or player id")
    lifting.add_argument("--reason", required=True, help="how they proved their identity")
    add("switches", "show all switches that were ever used")
    switching = add("switch", "close or open gaming; running rounds finish")
    switching.add_argument("scope", help="product, all, game-1 to game-4, or plan-1 to plan-36")
    switching.add_argument("to", choices=("open", "close"))
    _terms(
        add(
            "terms",
            "show the house terms or propose new ones (a second manager enters the same values)",
        )
    )
    receiving = add(
        "receiving-accounts",
        "show the accounts that receive deposits, or propose new ones (a second manager agrees)",
    )
    receiving.add_argument("--usdt", help="a TRC20 address")
    receiving.add_argument("--bank", help="the bank's name")
    receiving.add_argument("--number", help="the account's number")
    receiving.add_argument("--holder", help="the account's holder")


def _terms(terms: argparse.ArgumentParser) -> None:
    for name, help_text in (
        ("four-eyes", "above this amount in u two people have to agree"),
        ("least-withdrawal", "the smallest withdrawal, in u"),
        ("largest-deposit", "the largest deposit, in u"),
        ("overnight-most", "the largest overnight bonus, in u"),
    ):
        terms.add_argument(f"--{name}", help=help_text, type=_amount, metavar="U")
    for name, help_text in (
        ("cooling", "before a new payout account or security code may be used"),
        ("raise-wait", "before a player's raised limit takes effect"),
        ("bonus-wait", "before bonus money can be released"),
        ("quota", "for which a level stays reserved"),
    ):
        terms.add_argument(
            f"--{name}-hours", help=f"time {help_text}", type=_hours, metavar="HOURS"
        )
    terms.add_argument("--overnight", choices=("on", "off"), help="the overnight bonus")
    terms.add_argument(
        "--overnight-permille",
        type=int,
        metavar="N",
        help="the overnight bonus per 1,000 of a day's turnover",
    )
    terms.add_argument("--levels", metavar="U,U,...", help="turnovers that reach the levels")


def _address(text: str) -> str:
    """Strip the trailing slash; a pass is only sent over HTTPS or within this machine."""
    parts = urlsplit(text)
    here = _is_here(text) and parts.scheme == "http"
    if not parts.hostname or (parts.scheme != "https" and not here):
        raise argparse.ArgumentTypeError(f"{text} is not an address that begins with https://")
    return text.rstrip("/")


def _is_here(address: str) -> bool:
    """Whether it is this machine, where its secret is accepted like a pass."""
    return urlsplit(address).hostname in {"127.0.0.1", "::1", "localhost"}


def _amount(text: str) -> str:
    """Returns the text unchanged: the server parses it."""
    if not _AMOUNT.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text} is not an amount such as 250 or 250.50")
    return text


def _hours(text: str) -> int:
    """Parse hours into whole seconds."""
    try:
        spent = Decimal(text) * 3600
    except InvalidOperation:
        raise argparse.ArgumentTypeError(f"{text} is not a number of hours") from None
    if not spent.is_finite() or spent != spent.to_integral_value() or spent < 0:
        raise argparse.ArgumentTypeError(f"{text} is not a number of hours with whole seconds")
    return int(spent)
