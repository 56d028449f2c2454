"""`scripts/run`: sets up, then runs the server."""

import argparse
import os
import sys
from pathlib import Path
from typing import NoReturn

from scripts.devtools.console import exit_on_setup_error
from scripts.devtools.demo_desk import with_desk
from scripts.devtools.paths import (
    INSTALLED,
    PYTHON,
    ROOT,
    WEBAPP,
    as_typed,
    data_folder,
    tool_environment,
)
from scripts.devtools.setup import prepare_python, prepare_to_run

_MIN_ROUND_SECONDS, _MAX_ROUND_SECONDS = 10, 210
_LAST_PORT = 65_535
_NO_APP = """\
This copy was installed without the web app, so only the API is served. To have both, run
scripts/run once in the checkout, which builds the app, and install from it again."""


def main() -> NoReturn:
    """Set up, then exec the server in this process, so that Ctrl-C reaches it directly."""
    options = _parser().parse_args()
    exit_on_setup_error(prepare_to_run if _serves(options) else prepare_python)
    if _serves(options) and _has_no_app():
        print(_NO_APP)
    sys.stdout.flush()
    command = [str(PYTHON), "-m", *_program(options)]
    os.chdir(ROOT)
    os.execve(PYTHON, command, _environment(options))


def _environment(options: argparse.Namespace) -> dict[str, str]:
    is_demo = _serves(options) and not options.no_demo
    return with_desk(tool_environment()) if is_demo else tool_environment()


def _has_no_app() -> bool:
    """Whether the app is missing and cannot be built, because this is an installed copy."""
    return INSTALLED and not (WEBAPP / "dist" / "index.html").exists()


def _serves(options: argparse.Namespace) -> bool:
    return not (options.make_keys or options.rotate_key)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=as_typed("scripts/run"),
        description="Set up what is missing, then serve Fairdraw on http://127.0.0.1:PORT/vip/.",
        epilog="DATABASE_URL in the environment names a PostgreSQL to use instead of the embedded "
        "one; api/README.md lists all variables. Ctrl-C stops everything; the next start continues "
        "from the same data.",
    )
    parser.add_argument("--port", type=_port, default=8000, help="port on 127.0.0.1 (8000)")
    parser.add_argument(
        "--data",
        type=Path,
        default=data_folder(),
        metavar="DIR",
        help="the server's data folder (FAIRDRAW_DATA, or .data)",
    )
    parser.add_argument("--no-demo", action="store_true", help="no demo players, deposits, bots")
    parser.add_argument(
        "--round-seconds",
        type=_round_seconds,
        metavar="N",
        help=f"length of a round, {_MIN_ROUND_SECONDS} to {_MAX_ROUND_SECONDS} (210)",
    )
    alone = parser.add_mutually_exclusive_group()
    alone.add_argument(
        "--make-keys",
        action="store_true",
        help="create the keys required outside demo mode, then exit",
    )
    alone.add_argument(
        "--rotate-key",
        action="store_true",
        help="move a stopped server's players to a new master key, then exit",
    )
    return parser


def _program(options: argparse.Namespace) -> list[str]:
    if options.make_keys:
        return ["api.keys", "--data", str(options.data.absolute())]
    if options.rotate_key:
        return ["api.rotation", "--data", str(options.data.absolute())]
    return ["api.app", *_application_options(options)]


def _application_options(options: argparse.Namespace) -> list[str]:
    arguments = ["--port", str(options.port), "--data", str(options.data.absolute())]
    if options.no_demo:
        arguments.append("--no-demo")
    if options.round_seconds is not None:
        arguments += ["--round-seconds", str(options.round_seconds)]
    return arguments


def _port(text: str) -> int:
    return _whole_number(text, 1, _LAST_PORT)


def _round_seconds(text: str) -> int:
    return _whole_number(text, _MIN_ROUND_SECONDS, _MAX_ROUND_SECONDS)


def _whole_number(text: str, lowest: int, highest: int) -> int:
    if not text.isdecimal() or not lowest <= int(text) <= highest:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number from {lowest} to {highest}")
    return int(text)
