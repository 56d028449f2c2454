"""The audit program; `scripts/audit` prepares Python first. `__init__.py` has the conventions."""

import argparse
import importlib
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NoReturn
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import psycopg

from engine.runtime.postgres.files import PostgresError
from engine.schedule import DEFAULT_TIMEZONE
from scripts.audit_tool import COULD_NOT_RUN, FINDING, AuditError, FindingError
from scripts.devtools.paths import as_typed, data_folder

#: The module of each command.
COMMANDS: Final = {
    "replay": "replay",
    "trial-balance": "trial_balance",
    "check": "check",
    "fairness": "fairness",
    "log": "log",
    "verify": "verify",
    "reconcile": "reconcile",
    "export": "export",
    "import": "import_log",
    "program": "program",
}

_INTERRUPTED = 130  # the shell's status for Ctrl-C
_TERMINATED = 141  # the reader has closed the pipe, as `head` does
_EPILOG = """\
Exit status: 0 clean, 1 findings, 2 could not run (the reason is on standard error).
DATABASE_URL in the environment names a PostgreSQL to use instead of the embedded one.
scripts/audit COMMAND --help has details and examples."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand; returns the exit status, with one line on standard error if it is 2."""
    arguments = sys.argv[1:] if arguments is None else arguments
    options = _parser(*arguments[:1]).parse_args(arguments)
    try:
        status: int = options.run(options)
        sys.stdout.flush()
    except FindingError as error:
        print(f"FINDING: {error}", file=sys.stderr)
        return FINDING
    except AuditError as error:
        return _could_not_run(error)
    except (PostgresError, psycopg.Error) as error:
        return _could_not_run(f"the database cannot be used: {error}")
    except BrokenPipeError:
        # Python flushes standard output again at exit, which would fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _TERMINATED
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return _INTERRUPTED
    return status


def _could_not_run(reason: object) -> int:
    print(f"{as_typed('scripts/audit')}: {str(reason).strip()}", file=sys.stderr)
    return COULD_NOT_RUN


def _parser(named: str = "") -> argparse.ArgumentParser:
    """The parser of the named command; of all, if there is none of this name.

    To import all takes longer than a daily audit that continues the one before.
    """
    parser = argparse.ArgumentParser(
        prog=as_typed("scripts/audit"),
        description="Answer audit questions from the facts alone, never from the read models.",
        epilog=as_typed(_EPILOG),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in [COMMANDS[named]] if named in COMMANDS else COMMANDS.values():
        _add(commands, importlib.import_module(f"scripts.audit_tool.{module}"))
    return parser


def _add(commands: Any, module: Any) -> None:
    parser = commands.add_parser(
        module.NAME,
        help=module.HELP,
        description=as_typed(module.DESCRIPTION),
        epilog=as_typed(f"examples:\n{module.EXAMPLES.rstrip()}"),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    module.add_arguments(parser)
    parser.add_argument(
        "--data",
        type=Path,
        default=data_folder(),
        metavar="DIR",
        help="the server's data folder (FAIRDRAW_DATA, or .data)",
    )
    parser.add_argument(
        "--timezone",
        type=_zone,
        default=os.environ.get("FAIRDRAW_TIMEZONE") or DEFAULT_TIMEZONE,
        metavar="ZONE",
        help="time zone of times without one, and of the output"
        f" (FAIRDRAW_TIMEZONE, or {DEFAULT_TIMEZONE})",
    )
    parser.set_defaults(run=module.run)


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise argparse.ArgumentTypeError(
            f"{name} is not a time zone, such as {DEFAULT_TIMEZONE}"
        ) from None


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _interrupt)
    sys.exit(main())
