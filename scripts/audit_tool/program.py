"""`scripts/audit program`: the files that run here, and those that the log recorded."""

import argparse
from datetime import tzinfo
from pathlib import Path

from engine.facts import HOUSE_STREAM
from engine.house.facts import ProgramChecked
from engine.runtime.code_manifest import engine_code_hash, manifest
from scripts.audit_tool import CLEAN, FINDING, AuditError, facts
from scripts.audit_tool.as_of import local
from scripts.audit_tool.database import open_snapshot, print_status

NAME = "program"
HELP = "hash every file that runs, with one digest over all, and list the digests in the log"
DESCRIPTION = """\
Hash every file of this checkout that runs: the engine, the API, the read models, the scripts, the
built webapp, and the lists that pin all packages by their hashes. The digest is the SHA-256 over
all paths and hashes, as canonical JSON; a day's record names the engine's own digest as its
program. Then list the digests that the server has recorded: at each start, once a day, and when
staff requested it, with the files that had changed since the start.

With --expect the exit status is 1 if the files here have another digest."""
EXAMPLES = """\
  scripts/audit program
  scripts/audit program --expect 5b1d…   # the digest of the release that was certified
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the expected digest."""
    parser.add_argument("--expect", metavar="DIGEST", help="exit 1 unless the files have it")


def run(options: argparse.Namespace) -> int:
    """Print the files and the recorded checks, and compare the digest with the expected one."""
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
