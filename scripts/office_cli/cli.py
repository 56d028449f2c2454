"""`scripts/office` and `scripts/deposit`: the registry of the commands, and how one is run."""

import argparse
import getpass
import os
import re
import sys
from collections.abc import Sequence
from typing import Final, NoReturn

from scripts.devtools.paths import as_typed
from scripts.office_cli import (
    books,
    chat,
    content,
    house_settings,
    identities,
    members,
    odds,
    options,
    player_money,
    requests,
    rounds,
    staff_commands,
)
from scripts.office_cli.client import (
    NoResponseError,
    OfficeClient,
    RefusedError,
    ServerUnreachableError,
)
from scripts.office_cli.command import ArgumentError, Command, LocalCommand
from scripts.office_cli.terminal import Parser

_REFUSED, _WRONG, _NO_RESPONSE = 1, 2, 3
#: In the order of --help.
_COMMANDS: Final[tuple[Command | LocalCommand, ...]] = (
    *requests.COMMANDS,
    *player_money.COMMANDS,
    *members.COMMANDS,
    *house_settings.COMMANDS,
    *books.COMMANDS,
    *odds.COMMANDS,
    *chat.COMMANDS,
    *rounds.COMMANDS,
    *staff_commands.COMMANDS,
    *identities.COMMANDS,
    *content.COMMANDS,
)
_BY_NAME: Final = {command.name: command for command in _COMMANDS}
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


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line, and exit with its status."""
    typed = read(sys.argv[1:] if arguments is None else arguments)
    sys.exit(_print_output(typed))


def deposit() -> NoReturn:
    """`scripts/deposit`: enters a deposit in the name of the system's current user."""
    arguments = ["enter-deposit", *sys.argv[1:]]
    names_actor = {"--as", "--pass-file"} & {each.split("=")[0] for each in arguments}
    if not names_actor and not os.environ.get(options.PASS_VARIABLE):
        arguments += ["--as", _user()]
    main(arguments)


def _user() -> str:
    """Returns the system's user name as a staff name."""
    name = re.sub(r"[^a-z0-9._-]", "-", getpass.getuser().lower())[:31]
    return name if name[:1].isalpha() else f"u{name}"


def read(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the command line; SystemExit if it is invalid."""
    parser = _parser()
    typed = parser.parse_args(arguments)
    typed.pass_token = options.read_pass(parser, typed)
    wrong = content.misread(typed)
    if wrong:
        parser.error(wrong)
    options.complete(parser, typed, needs_name=_BY_NAME[typed.command].needs_name)
    return typed


def _parser() -> Parser:
    parser = Parser(
        prog=as_typed("scripts/office"),
        description="Staff commands: requests, money, switches, terms, chat, news, staff.",
        epilog=as_typed(_EPILOGUE),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    options.add_common(parser)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    common = options.common_parser()
    for command in _COMMANDS:
        command.add_arguments(
            commands.add_parser(
                command.name, help=command.help, description=command.help, parents=[common]
            )
        )
    parser.commands = tuple(_BY_NAME)
    return parser


def _print_output(typed: argparse.Namespace) -> int:
    """Run the command and print its output or why there is none; returns the exit status."""
    try:
        print(run(typed), flush=True)
    except BrokenPipeError:
        # The reader (a pager or `head`) has closed the pipe; flushing again at exit would fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except ArgumentError as wrong:
        print(wrong, file=sys.stderr)
        return _WRONG
    except RefusedError as refused:
        print(refused, file=sys.stderr)
        return _REFUSED
    except ServerUnreachableError as unreachable:
        print(f"no server is running at {unreachable}; nothing was changed", file=sys.stderr)
        return _NO_RESPONSE
    except NoResponseError:
        print(
            f"no response; the command may have been applied, retry with --key {typed.key}",
            file=sys.stderr,
        )
        return _NO_RESPONSE
    return 0


def run(typed: argparse.Namespace) -> str:
    """Run a command that was read; returns the text to print."""
    command = _BY_NAME[typed.command]
    if isinstance(command, LocalCommand):
        return command.run(typed)
    client = OfficeClient(typed.data, typed.staff, typed.key, typed.pass_token, typed.address)
    return command.run(client, typed)
