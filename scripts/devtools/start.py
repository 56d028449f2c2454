"""`scripts/run`: sets up, then runs the server; a demo gets a customer-service desk with it.

The desk is started before the server, and ends with it. Standard library only: this runs before
anything is installed.
"""

import argparse
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Final, NoReturn

from scripts.devtools.console import exit_on_setup_error
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
from scripts.reference_desk.options import HOST, USUAL_PORT

ROLES: Final = ("all", "engine", "api", "projector", "witness")
_WITH_APP: Final = ("all", "api")
_MIN_ROUND_SECONDS, _MAX_ROUND_SECONDS = 10, 210
_LAST_PORT = 65_535
_NO_APP = """\
This copy was installed without the web app, so only the API is served. To have both, run
scripts/run once in the checkout, which builds the app, and install from it again."""
PAGE, SOCKET = "FAIRDRAW_SUPPORT_PAGE", "FAIRDRAW_SUPPORT_SOCKET"
_PATH: Final = "/chat"


def main() -> NoReturn:
    """Set up, then exec the server in this process, so that Ctrl-C reaches it directly."""
    options = _parser().parse_args()
    exit_on_setup_error(prepare_to_run if _serves_app(options) else prepare_python)
    if options.set_up:
        sys.exit(0)
    if _serves_app(options) and _has_no_app():
        print(_NO_APP)
    sys.stdout.flush()
    command = [str(PYTHON), "-m", *_program(options)]
    os.chdir(ROOT)
    os.execve(PYTHON, command, _environment(options))


def _environment(options: argparse.Namespace) -> dict[str, str]:
    is_demo = _serves_app(options) and not options.no_demo
    return with_desk(tool_environment()) if is_demo else tool_environment()


def _has_no_app() -> bool:
    """Whether the app is missing and cannot be built, because this is an installed copy."""
    return INSTALLED and not (WEBAPP / "dist" / "index.html").exists()


def _serves_app(options: argparse.Namespace) -> bool:
    is_server = not (options.make_keys or options.rotate_key or options.migrate)
    return is_server and options.role in _WITH_APP


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
    parser.add_argument(
        "--role",
        choices=ROLES,
        default=ROLES[0],
        help="the part of the house to run: all in one process (default), or one process of"
        " several, see api/README.md",
    )
    alone = parser.add_mutually_exclusive_group()
    alone.add_argument(
        "--set-up", action="store_true", help="install packages and build the app, then exit"
    )
    alone.add_argument(
        "--make-keys",
        action="store_true",
        help="create the keys required outside demo mode, then exit",
    )
    alone.add_argument(
        "--rotate-key",
        nargs="?",
        const="all",
        choices=("all", "begin"),
        help="move a stopped server's players to a new master key, then exit; with `begin` only"
        " make the key: the next --rotate-key moves the players while the server runs",
    )
    alone.add_argument(
        "--migrate",
        action="store_true",
        help="bring the database up to date with DATABASE_OWNER_URL, then exit",
    )
    return parser


def _program(options: argparse.Namespace) -> list[str]:
    if options.make_keys:
        return ["api.keys", "--data", str(options.data.absolute())]
    if options.rotate_key:
        begin = ["--begin"] if options.rotate_key == "begin" else []
        return ["api.rotation", "--data", str(options.data.absolute()), *begin]
    if options.migrate:
        return ["api.migration", "--data", str(options.data.absolute())]
    return ["api.app", *_application_options(options)]


def _application_options(options: argparse.Namespace) -> list[str]:
    arguments = ["--data", str(options.data.absolute())]
    if options.role != "projector":  # it listens on no port
        arguments = ["--port", str(options.port), *arguments]
    if options.role != ROLES[0]:
        arguments += ["--role", options.role]
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


def with_desk(environment: dict[str, str]) -> dict[str, str]:
    """Returns the environment with the addresses of a new desk; unchanged if it names one."""
    if environment.get(PAGE) or environment.get(SOCKET):
        return environment
    with _listening() as listening:
        where = f"{HOST}:{listening.getsockname()[1]}"
        _start(listening, environment)
    return environment | {PAGE: f"http://{where}/", SOCKET: f"ws://{where}{_PATH}"}


def _listening() -> socket.socket:
    """Listen on the usual port, so that a page left open finds the desk of the next run."""
    try:
        return socket.create_server((HOST, USUAL_PORT))
    except OSError:
        return socket.create_server((HOST, 0))


def _start(listening: socket.socket, environment: dict[str, str]) -> None:
    """Start a desk that reads from a pipe; the server inherits the other end and never uses it."""
    read_end, write_end = os.pipe()
    os.set_inheritable(write_end, True)  # noqa: FBT003 - as the standard library has it
    subprocess.Popen(
        [PYTHON, "-m", "scripts.reference_desk", "--inherited", str(listening.fileno())],
        cwd=ROOT,
        env=environment,
        stdin=read_end,
        pass_fds=[listening.fileno()],
    )
    os.close(read_end)
