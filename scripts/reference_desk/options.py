"""The options of `scripts/desk`; standard library only, as they are read before setup."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NoReturn

from scripts.devtools.console import run_module
from scripts.devtools.paths import as_typed
from scripts.devtools.setup import prepare_python

HOST: Final = "127.0.0.1"
USUAL_PORT: Final = 8101
_LAST_PORT: Final = 65_535
_EPILOGUE: Final = """\
The demo of scripts/run starts its own desk, which ends with the demo. On your own server,
FAIRDRAW_SUPPORT_SOCKET names the web socket of the real desk and FAIRDRAW_SUPPORT_PAGE its page.
The messages are described in scripts/reference_desk/protocol.py.
"""


@dataclass(frozen=True)
class Options:
    """`inherited` is the descriptor of a listening socket; the desk then ends with its starter."""

    port: int
    away: bool
    inherited: int | None


def main() -> NoReturn:
    """`scripts/desk`: an invalid option is reported before the setup."""
    read_options(sys.argv[1:])
    run_module("scripts.reference_desk", sys.argv[1:], prepare_python)


def read_options(arguments: Sequence[str]) -> Options:
    """Parse the command line; exits with 2 if it is invalid."""
    parser = argparse.ArgumentParser(
        prog=as_typed("scripts/desk"),
        description="Serve a reference desk of customer service on this machine: the live chat of "
        "the app, answered automatically, and a page.",
        epilog=as_typed(_EPILOGUE),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--port", type=_port, default=USUAL_PORT, help=f"port on {HOST} ({USUAL_PORT}); 0: any free"
    )
    parser.add_argument("--away", action="store_true", help="report that no one is at the desk")
    parser.add_argument("--inherited", type=int, metavar="FD", help=argparse.SUPPRESS)
    found = parser.parse_args(arguments)
    return Options(found.port, found.away, found.inherited)


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > _LAST_PORT:
        raise argparse.ArgumentTypeError(f"{text} is not a port")
    return int(text)
