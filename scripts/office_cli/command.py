"""What a command of `scripts/office` is: name, help, arguments and function in one declaration."""

import argparse
from collections.abc import Callable
from typing import NamedTuple

from scripts.office_cli.client import OfficeClient

#: Adds the arguments of a command to its parser.
AddArguments = Callable[[argparse.ArgumentParser], None]
#: Sends the requests of a command; returns the text to print.
Run = Callable[[OfficeClient, argparse.Namespace], str]


class Command(NamedTuple):
    """A command that sends requests to the server.

    With `needs_name` false, the machine's secret may run it without a staff name: it sets up the
    first managers.
    """

    name: str
    help: str
    add_arguments: AddArguments
    run: Run
    needs_name: bool = True


class LocalCommand(NamedTuple):
    """A command that sends no request; `run` returns the text to print.

    `run` raises ArgumentError, with the text to print, if an argument cannot be used.
    """

    name: str
    help: str
    add_arguments: AddArguments
    run: Callable[[argparse.Namespace], str]
    needs_name: bool = False


class ArgumentError(Exception):
    """An argument of a local command cannot be used; the message says why."""
