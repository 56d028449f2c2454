"""`scripts/projections status` and `scripts/projections rebuild MODEL|all`.

A rebuild replays the log into new tables next to the served ones and swaps them at the end. The
server may keep running. Interrupting a rebuild changes nothing. One that was killed is continued by
the next one of the same models by the same program.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import psycopg

from engine.runtime.code_manifest import manifest
from engine.runtime.postgres.embedded_postgres import database
from engine.runtime.postgres.files import PostgresError, find_cluster
from engine.schedule import DEFAULT_TIMEZONE
from projections.registry import read_models
from projections.runner.rebuild import RebuildError, rebuild
from projections.runner.runner import ProjectionRunner
from projections.runner.tables import ModelStatus, unfinished_rebuild


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Returns 1 if a model was not rebuilt to the log's end, 2 if there is no database.
    """
    options = _parser().parse_args(arguments)
    url = os.environ.get("DATABASE_URL")
    if not url and find_cluster(options.data) is None:
        # Opening it would create an empty database.
        print(
            f"there is no database in {options.data}: name its folder with --data", file=sys.stderr
        )
        return 2
    try:
        return _run(options, url)
    except (PostgresError, psycopg.Error) as error:
        why = str(error).strip().partition("\n")[0]
        print(f"the database cannot be used: {why}", file=sys.stderr)
        return 1


def _run(options: argparse.Namespace, url: str | None) -> int:
    models = read_models(options.timezone)
    if options.command == "rebuild" and options.model != "all":
        models = tuple(model for model in models if model.name == options.model)
    with database(options.data, url, print) as conninfos:
        try:
            done = options.command != "rebuild" or rebuild(
                conninfos.app, models, print, setup=_setup(options)
            )
        except (RebuildError, psycopg.Error) as error:
            print(
                f"the rebuild stopped early; the served tables are unchanged: {error}",
                file=sys.stderr,
            )
            return 1
        with closing(ProjectionRunner(conninfos.app, models)) as runner:
            status = runner.status()
        unfinished = unfinished_rebuild(conninfos.app)
    for model in status:
        print(_line(model))
    for name, position in unfinished.items():
        print(f"{name} is at {position:,} in a rebuild that runs, or that the next one continues")
    return 0 if done else 1


def _setup(options: argparse.Namespace) -> str:
    """Returns what the rows depend on. A model may be mended, and rebuilt, in the same version."""
    return f"{options.timezone} {manifest().digest}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="scripts/projections", description=__doc__)
    # The common options are accepted before and after the command. SUPPRESS keeps an option that is
    # absent in one place from overriding the other.
    common = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    _add_common(common)
    _add_common(parser)
    parser.set_defaults(
        data=Path(os.environ.get("FAIRDRAW_DATA") or ".data"),
        timezone=os.environ.get("FAIRDRAW_TIMEZONE") or DEFAULT_TIMEZONE,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("status", help="show the position of each read model", parents=[common])
    help_text = "rebuild a read model from the log"
    again = commands.add_parser("rebuild", help=help_text, parents=[common])
    names = [model.name for model in read_models(DEFAULT_TIMEZONE)]
    again.add_argument("model", choices=[*names, "all"])
    return parser


def _add_common(parser: argparse.ArgumentParser) -> None:
    help_text = "the server's data folder (FAIRDRAW_DATA, or .data)"
    parser.add_argument("--data", "--data-dir", type=Path, help=help_text)
    help_text = f"the time zone of daily totals (FAIRDRAW_TIMEZONE, or {DEFAULT_TIMEZONE})"
    parser.add_argument("--timezone", help=help_text)


def _line(model: ModelStatus) -> str:
    line = f"{model.name:10} {model.position:>12,} {model.lag_facts:>10,} facts behind"
    if model.failed is None:
        return line
    failed = model.failed
    return f"{line}  FAILED at {failed.position} {failed.stream} {failed.topic}: {failed.error}"


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("interrupted: the served tables are unchanged", file=sys.stderr)
        sys.exit(130)
