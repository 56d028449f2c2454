"""`scripts/office` and `scripts/deposit`."""

import argparse
import getpass
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from scripts.staff import commands, options, people
from scripts.staff.house import NoResponseError, OfficeClient, RefusedError, ServerUnreachableError

_REFUSED, _WRONG, _NO_RESPONSE = 1, 2, 3


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Do what was typed, and leave with its exit status."""
    typed = options.read(sys.argv[1:] if arguments is None else arguments)
    sys.exit(_run(typed))


def deposit() -> NoReturn:
    """`scripts/deposit`: the entering of a deposit, in the name of whoever is signed in."""
    arguments = ["enter-deposit", *sys.argv[1:]]
    names_actor = {"--as", "--pass-file"} & {each.split("=")[0] for each in arguments}
    if not names_actor and not os.environ.get(options.PASS_VARIABLE):
        arguments += ["--as", _user()]
    main(arguments)


def _user() -> str:
    """The system's user name, as a name of the staff."""
    name = re.sub(r"[^a-z0-9._-]", "-", getpass.getuser().lower())[:31]
    return name if name[:1].isalpha() else f"u{name}"


def _run(typed: argparse.Namespace) -> int:
    if typed.command == people.MAKE_COMMAND:
        return _make_pass(typed.file)
    try:
        client = OfficeClient(typed.data, typed.staff, typed.key, typed.shown, typed.address)
        print(commands.run(client, typed), flush=True)
    except BrokenPipeError:
        # Read no further by a pager or `head`; Python would flush once more, and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except RefusedError as refused:
        print(refused, file=sys.stderr)
        return _REFUSED
    except ServerUnreachableError as nobody:
        print(f"no house runs at {nobody}: nothing was done", file=sys.stderr)
        return _NO_RESPONSE
    except NoResponseError:
        print(
            "the house does not answer, and may have done it or not: repeat with"
            f" --key {typed.key}",
            file=sys.stderr,
        )
        return _NO_RESPONSE
    return 0


def _make_pass(file: Path) -> int:
    try:
        print(people.make_pass(file), flush=True)
    except OSError as error:
        print(f"{file}: {error.strerror}", file=sys.stderr)
        return _WRONG
    except ValueError:
        print(f"{file} is there and holds no pass: name another file", file=sys.stderr)
        return _WRONG
    return 0
