"""`scripts/audit program`: which files run here, and which ones the log says have run."""

import argparse
from datetime import tzinfo
from pathlib import Path

from engine.facts import HOUSE_STREAM
from engine.house.facts import ProgramChecked
from engine.runtime.program import engine_code_hash, manifest
from scripts.auditing import CLEAN, FINDING, AuditError, facts
from scripts.auditing.house import open_snapshot, print_status
from scripts.auditing.moments import local

NAME = "program"
HELP = "a hash of every file that runs, one digest over all, and the digests that the log holds"
DESCRIPTION = """\
Hash every file of this checkout that runs: the engine, the API, the read models, the scripts, the
built webapp, and the lists that pin all packages by their hashes. The digest is the SHA-256 over
all paths and hashes, as canonical JSON; the engine's own is what a day's record names as its
program. Then list what the house has recorded of itself: at each start, once a day, and when staff
asked, which digest its files had, and what had changed since it was started.

With --expect the exit status is 1 where the files here have another digest."""
EXAMPLES = """\
  scripts/audit program
  scripts/audit program --expect 5b1d…   # the digest of the release that was certified
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the digest should be."""
    parser.add_argument("--expect", metavar="DIGEST", help="exit 1 unless the files have it")


def run(options: argparse.Namespace) -> int:
    """Print the files, then the log's record of checks, and say whether it is as expected."""
    found = manifest()
    print(f"digest  {found.digest}")
    print(f"engine  {engine_code_hash().hex()}")
    print(f"{len(found.files):,} files:")
    for path, digest in found.files.items():
        print(f"  {digest}  {path}")
    _print_recorded(options.data, options.timezone)
    if options.expect in {None, found.digest}:
        return CLEAN
    print_status(f"FINDING: the files here have the digest {found.digest}, not {options.expect}")
    return FINDING


def _print_recorded(data: Path, zone: tzinfo) -> None:
    try:
        with open_snapshot(data) as connection:
            until, _ = facts.last(connection)
            stored = list(facts.of_stream(connection, HOUSE_STREAM, until))
    except AuditError as error:
        print(f"recorded: {error}")
        return
    print("recorded:")
    for each in (it.recorded() for it in stored):
        if isinstance(each.fact, ProgramChecked):
            print(f"  {local(each.at, zone)}  position {each.position:,}  {_describe(each.fact)}")


def _describe(fact: ProgramChecked) -> str:
    state = f"CHANGED: {', '.join(fact.changed)}" if fact.changed else "intact"
    return f"{fact.digest}  {fact.files:,} files  by {fact.by}  {state}"
