"""`scripts/audit verify`: checks a bet or a round by the file that a player's app has saved.

It needs no database and no network, and of other packages only `cryptography`.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from scripts.audit_tool import evidence_fork
from scripts.audit_tool.evidence_checks import Result, is_cosigned, known_key, results_of
from scripts.audit_tool.evidence_file import Evidence, EvidenceError, Part, evidence_of, read_json
from scripts.audit_tool.evidence_fork import Fork, fork_of, report_of
from scripts.audit_tool.evidence_formats import HASH_BYTES, from_hex

NAME = "verify"
HELP = "verify the evidence file of a bet or a round, without database and network"
DESCRIPTION = """\
Verify the evidence file of a bet or of a round, which the player's app saves on the page of the
draw's proof. Everything is computed from the file: no database, no network. The file of a round has
the player's bets in it; the file of a bet has its signed receipt and its entry in the log as well.

Each check is ok, FAILED, or missing because the file lacks a part of the evidence. Below it are
what it shows and what it leaves open. The exit status is 0 if every check is ok, otherwise 1.

FILE may also have two checkpoints of the log that an app found to be of different logs. The exit
status is 0 if they prove that the operator signed both."""
EXAMPLES = """\
  scripts/audit verify fairdraw-1-20261121007-5786c93dd1efb49b765f.json
  scripts/audit verify FILE --operator-key 450b8c…   # the key that the operator announced elsewhere
"""
VERIFIED: Final = 0
NOT_VERIFIED: Final = 1
_PARTIES: Final = ("operator", "witness")
_WORDS: Final = {True: "ok", False: "FAILED", None: "missing"}
_SHOWN: Final = 64


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the file, and the keys that the reader knows from elsewhere."""
    parser.add_argument("file", type=Path, metavar="FILE", help="the evidence file")
    for party in _PARTIES:
        parser.add_argument(
            f"--{party}-key",
            type=_key,
            metavar="HEX",
            help=f"the {party}'s public key, if you know it from elsewhere",
        )


def run(options: argparse.Namespace) -> int:
    """Print every check; returns the exit status."""
    try:
        found = read_json(options.file)
        if found.get("format") == evidence_fork.FORMAT:
            return _run_fork(fork_of(found), options.operator_key)
        subjects = evidence_of(found)
    except EvidenceError as error:
        print(f"NOT VERIFIED: {error}", file=sys.stderr)
        return NOT_VERIFIED
    known = {party: getattr(options, f"{party}_key") for party in _PARTIES}
    checked = [(each, results_of(each)) for each in subjects]
    whole, results = checked[0]
    results += [known_key(party, key, whole) for party, key in known.items() if key]
    print("\n".join(_report(checked)))
    is_verified = all(each.passed for _, results in checked for each in results)
    return VERIFIED if is_verified else NOT_VERIFIED


def _run_fork(fork: Fork, known: bytes | None) -> int:
    if known not in {None, fork.operator_key}:
        raise EvidenceError("the operator's key is not the one that you named")
    is_proven, lines = report_of(fork)
    print("\n".join(lines))
    return VERIFIED if is_proven else NOT_VERIFIED


def _report(checked: Sequence[tuple[Evidence, list[Result]]]) -> Iterator[str]:
    for evidence, results in checked:
        yield from _headings(evidence)
        for check, passed in results:
            yield f"{_WORDS[passed]:9}{check.title}"
            yield f"         shows: {check.shows}"
            yield f"         leaves open: {check.leaves_open}"
        if Part.LOG in evidence.parts and not is_cosigned(evidence):
            yield "note     No signature of the witness is on the checkpoint"
    passes = [each.passed for _, results in checked for each in results]
    yield "{} ok, {} failed, {} missing".format(*(passes.count(kind) for kind in _WORDS))
    yield "verified" if all(passes) else "NOT VERIFIED"


def _headings(evidence: Evidence) -> Iterator[str]:
    """Names what is checked, and the parties where they are."""
    game, issue = (_printable(each) for each in evidence.place)
    if evidence.bet is None:
        yield f"game {game}, round {issue}"
    else:
        player, bet = _printable(evidence.player), _printable(evidence.receipt["bet"])
        yield f"bet {bet} of player {player}, game {game}, round {issue}"
    if Part.ROUND in evidence.parts:
        yield f"key of the operator {evidence.operator_key.hex()}"
        yield f"key of the witness  {evidence.witness_key.hex()}"


def _printable(text: str) -> str:
    """Returns a text of the file without control characters, cut."""
    return "".join(each if each.isprintable() else "?" for each in text[:_SHOWN])


def _key(text: str) -> bytes:
    try:
        return from_hex(text.lower(), HASH_BYTES)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is not a public key of 64 hex digits") from None


def main() -> int:
    """Run without the other subcommands, which need more packages."""
    parser = argparse.ArgumentParser(
        description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_arguments(parser)
    return run(parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
