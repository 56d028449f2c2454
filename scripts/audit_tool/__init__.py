"""`scripts/audit`: answers an auditor's questions about an installation from the facts alone.

A subcommand is one module of this package, named in `COMMANDS` of `__main__.py` (in the order of
`--help`); further modules have the rest of its logic. It has:

- `NAME`: the word on the command line; `HELP`: one line for the list of subcommands;
- `DESCRIPTION`: the text of `--help` above the options, and `EXAMPLES`: the lines below them;
- `add_arguments(parser)`: its own options. Every subcommand already has `--data DIR` and
  `--timezone ZONE`, as `options.data` (Path) and `options.timezone` (ZoneInfo);
- `run(options) -> int`: runs it, prints the answer on standard output, and returns `CLEAN`,
  or `FINDING` if there is something to investigate.

`AuditError(text)` reports what cannot run (unknown player, no database, not a valid file): one line
on standard error, and exit status 2, which is argparse's as well. `FindingError(text)` does the
same for an error in the audited data, with exit status 1.

`database.open_snapshot(options.data)` yields a read-only connection with one consistent snapshot.
`facts.stream(...)` reads the log through it in pages. `progress.ProgressMeter` shows progress on
standard error if that is a terminal.
"""

from typing import Final

CLEAN: Final = 0
FINDING: Final = 1
COULD_NOT_RUN: Final = 2


class AuditError(Exception):
    """The user has to correct something first; the text is one line that says what."""


class FindingError(Exception):
    """The audited data is wrong, and nothing after this point could be checked."""
