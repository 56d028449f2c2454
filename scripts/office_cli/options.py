"""The options of every command, and arguments that several commands have."""

import argparse
import os
import re
import secrets
from pathlib import Path
from urllib.parse import urlsplit

from scripts.devtools.paths import data_folder
from scripts.office_cli.terminal import Parser, staff_name

#: The variable with a pass, so that the pass is in no process list.
PASS_VARIABLE = "FAIRDRAW_OFFICE_PASS"  # noqa: S105 - a name
PLAYER = "user name or player id"
_AMOUNT = re.compile(r"-?[0-9]+(\.[0-9]{1,2})?")


def add_common(parser: argparse.ArgumentParser) -> None:
    """Add the options of every command; one that is not typed is missing from the namespace."""
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


def common_parser() -> Parser:
    """A parent for the parser of a command, with the options of every command."""
    parser = Parser(add_help=False)
    add_common(parser)
    return parser


def read_pass(parser: argparse.ArgumentParser, options: argparse.Namespace) -> str:
    """Returns the pass from the file or the environment, if there is one; SystemExit if invalid."""
    if not hasattr(options, "pass_file"):
        return os.environ.get(PASS_VARIABLE, "").strip()
    try:
        words = options.pass_file.read_text().split()
    except (OSError, UnicodeDecodeError):
        words = []
    if not words:
        parser.error(f"{options.pass_file} is not a pass")
    return str(words[0])


def complete(
    parser: argparse.ArgumentParser, options: argparse.Namespace, *, needs_name: bool
) -> None:
    """Set the common options that were not typed; SystemExit if one is missing.

    `pass_token` must be set before, from `read_pass`.
    """
    options.address = getattr(options, "address", "")
    if not hasattr(options, "staff") and not options.pass_token and needs_name:
        parser.error("name yourself with --as NAME, or use a pass: --pass-file FILE")
    if options.address and not options.pass_token and not _is_here(options.address):
        parser.error("a server on another machine requires a pass: --pass-file FILE")
    options.staff = getattr(options, "staff", "")
    options.data = getattr(options, "data", data_folder())
    options.key = getattr(options, "key", None) or f"office-{secrets.token_hex(16)}"


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


def add_nothing(_: argparse.ArgumentParser) -> None:
    """A command without arguments."""


def add_id(parser: argparse.ArgumentParser) -> None:
    """The id of what the command is about."""
    parser.add_argument("id")


def add_player_and_reason(parser: argparse.ArgumentParser) -> None:
    """A player, and why the command is run."""
    parser.add_argument("player", help=PLAYER)
    parser.add_argument("--reason", required=True)


def add_again(parser: argparse.ArgumentParser) -> None:
    """The option for a payment whose reference was credited before."""
    help_text = "a separate payment, although its reference was credited before; two people confirm"
    parser.add_argument("--again", action="store_true", help=help_text)


def amount(text: str) -> str:
    """Returns the text unchanged: the server parses it."""
    if not _AMOUNT.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text} is not an amount such as 250 or 250.50")
    return text
