"""`scripts/audit`: what an auditor asks of a house, answered from the facts alone.

A subcommand is one module of this package, named in `COMMANDS` of `__main__.py` (in the order of
`--help`), and holds the rest of its logic in modules beside it. It has:

- `NAME`: the word on the command line; `HELP`: one line for the list of subcommands;
- `DESCRIPTION`: what `--help` says above the options, and `EXAMPLES`: the lines under them;
- `add_arguments(parser)`: its own options. `--data DIR` and `--timezone ZONE` are every
  subcommand's already, as `options.data` (Path) and `options.timezone` (ZoneInfo);
- `run(options) -> int`: does it, prints the answer on standard output, and returns `CLEAN`,
  or `FINDING` when what was found has to be looked into.

What cannot be asked or done (no such player, no house, a file that is none of ours) is raised as
`AuditError(text)`: one line on standard error, and exit status 2, which is argparse's as well.
`FindingError(text)` is the same for what is wrong with the house itself, with exit status 1.

`house.opened(options.data)` yields a read-only connection to the house in one consistent
snapshot; `facts.stream(...)` reads the log through it in pages; `progress.Progress` counts on
standard error where somebody is looking.
"""

from typing import Final

CLEAN: Final = 0
FINDING: Final = 1
COULD_NOT_RUN: Final = 2


class AuditError(Exception):
    """Something the person has to mend first; the text is one line that says what."""


class FindingError(Exception):
    """Something is wrong with the house, and nothing behind it could be looked at."""
