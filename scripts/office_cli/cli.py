"""`scripts/office` and `scripts/deposit`."""

import argparse
import getpass
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from scripts.office_cli import commands, options, staff_commands
from scripts.office_cli.client import (
    NoResponseError,
    OfficeClient,
    RefusedError,
    ServerUnreachableError,
)

_REFUSED, _WRONG, _NO_RESPONSE = 1, 2, 3


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line, and exit with its status."""
    typed = options.read(sys.argv[1:] if arguments is None else arguments)
    sys.exit(_run(typed))


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


def _run(typed: argparse.Namespace) -> int:
    if typed.command == staff_commands.MAKE_COMMAND:
        return _make_pass(typed.file)
    try:
        client = OfficeClient(typed.data, typed.staff, typed.key, typed.shown, typed.address)
        print(commands.run(client, typed), flush=True)
    except BrokenPipeError:
        # The reader (a pager or `head`) has closed the pipe; flushing again at exit would fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
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


def _make_pass(file: Path) -> int:
    try:
        print(staff_commands.make_pass(file), flush=True)
    except OSError as error:
        print(f"{file}: {error.strerror}", file=sys.stderr)
        return _WRONG
    except ValueError:
        print(f"{file} exists and is not a pass: name another file", file=sys.stderr)
        return _WRONG
    return 0
