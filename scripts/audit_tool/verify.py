"""`scripts/audit verify`: checks the file that a player's app saved of a bet, round or account.

It needs no database and no network, and of other packages only `cryptography`.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from scripts.audit_tool import evidence_account, evidence_checks, evidence_fork
from scripts.audit_tool.evidence_account import Account, account_of, summary_of
from scripts.audit_tool.evidence_checking import Result, known_key
from scripts.audit_tool.evidence_checks import is_cosigned
from scripts.audit_tool.evidence_file import Evidence, EvidenceError, Part, evidence_of, read_json
from scripts.audit_tool.evidence_fork import Fork, fork_of, report_of
from scripts.audit_tool.evidence_formats import HASH_BYTES, from_hex

NAME = "verify"
HELP = "verify the evidence file of a bet, a round or an account, without database and network"
DESCRIPTION = """\
Verify the evidence file of a bet or of a round, which the player's app saves on the page of the
draw's proof, or of an account, which it saves on the page of the fund details. Everything is
computed from the file: no database, no network. The file of a round has the player's bets in it;
the file of a bet has its signed receipt and its entry in the log as well. The file of an account
has the player's entries in the log. Those that name staff or another player are proved but not
shown. If every check is ok, the entries are counted by topic, and the stakes and payouts added up.

Each check is ok, FAILED, or missing because the file lacks a part of the evidence. Below it are
what it shows and what it leaves open. The exit status is 0 if every check is ok, otherwise 1.

FILE may also have two checkpoints of the log that an app found to be of different logs. The exit
status is 0 if they prove that the operator signed both."""
EXAMPLES = """\
  scripts/audit verify fairdraw-1-20261121007-5786c93dd1efb49b765f.json
  scripts/audit verify fairdraw-account-10023-1-214.json   # entries 1 to 214 of an account
  scripts/audit verify FILE --operator-key 450b8c…   # the key that the operator announced elsewhere
"""
VERIFIED: Final = 0
NOT_VERIFIED: Final = 1
_PARTIES: Final = ("operator", "witness")
_WORDS: Final = {True: "ok", False: "FAILED", None: "missing"}
_SHOWN: Final = 64
_NOT_COSIGNED: Final = "note     No signature of the witness is on the checkpoint"
_NO_WITNESS: Final = "note     The file names no witness that signed the checkpoint"


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


class Section(NamedTuple):
    """What is printed of one subject: headings, results of its checks, and what follows them."""

    headings: list[str]
    results: list[Result]
    notes: list[str]


def run(options: argparse.Namespace) -> int:
    """Print every check; returns the exit status."""
    try:
        found = read_json(options.file)
        if found.get("format") == evidence_fork.FORMAT:
            return _run_fork(fork_of(found), options.operator_key)
        sections, keys = sections_of(found)
    except EvidenceError as error:
        print(f"NOT VERIFIED: {error}", file=sys.stderr)
        return NOT_VERIFIED
    known = {party: getattr(options, f"{party}_key") for party in _PARTIES}
    sections[0].results.extend(
        known_key(party, key, keys[party]) for party, key in known.items() if key
    )
    print("\n".join(_report(sections)))
    is_verified = all(each.passed for section in sections for each in section.results)
    return VERIFIED if is_verified else NOT_VERIFIED


def sections_of(found: dict[str, Any]) -> tuple[list[Section], dict[str, bytes | None]]:
    """Returns what was checked, and the public keys that the file names."""
    whole: Evidence | Account
    if found.get("format") == evidence_account.FORMAT:
        whole = account_of(found)
        sections = [_of_account(whole)]
    else:
        subjects = evidence_of(found)
        whole, sections = subjects[0], [_of_evidence(each) for each in subjects]
    return sections, {"operator": whole.operator_key, "witness": whole.witness_key}


def _run_fork(fork: Fork, known: bytes | None) -> int:
    if known not in {None, fork.operator_key}:
        raise EvidenceError("the operator's key is not the one that you named")
    is_proven, lines = report_of(fork)
    print("\n".join(lines))
    return VERIFIED if is_proven else NOT_VERIFIED


def _report(sections: Sequence[Section]) -> Iterator[str]:
    for headings, results, notes in sections:
        yield from headings
        for check, passed in results:
            yield f"{_WORDS[passed]:9}{check.title}"
            yield f"         shows: {check.shows}"
            yield f"         leaves open: {check.leaves_open}"
        yield from notes
    passes = [each.passed for section in sections for each in section.results]
    yield "{} ok, {} failed, {} missing".format(*(passes.count(kind) for kind in _WORDS))
    yield "verified" if all(passes) else "NOT VERIFIED"


def _of_evidence(evidence: Evidence) -> Section:
    """Returns the checks of a bet or a round; names the parties where they are checked."""
    game, issue = (_printable(each) for each in evidence.place)
    if evidence.bet is None:
        headings = [f"game {game}, round {issue}"]
    else:
        player, bet = _printable(evidence.player), _printable(evidence.receipt["bet"])
        headings = [f"bet {bet} of player {player}, game {game}, round {issue}"]
    if Part.ROUND in evidence.parts:
        headings.append(f"key of the operator {evidence.operator_key.hex()}")
        headings.append(f"key of the witness  {evidence.witness_key.hex()}")
    is_alone = Part.LOG in evidence.parts and not is_cosigned(evidence)
    notes = [_NOT_COSIGNED] if is_alone else []
    return Section(headings, evidence_checks.results_of(evidence), notes)


def _of_account(account: Account) -> Section:
    """Returns the checks of an account, and what its entries add up to if all of them are ok."""
    first, last = account.facts[0]["version"], account.facts[-1]["version"]
    headings = [
        f"entries {first:,} to {last:,} of player {account.player}",
        f"key of the operator {account.operator_key.hex()}",
    ]
    if account.witness_key is not None:
        headings.append(f"key of the witness  {account.witness_key.hex()}")
    results = evidence_account.results_of(account)
    notes = [_NO_WITNESS] if account.witness_key is None else []
    if all(each.passed for each in results):
        notes += [_printable(line) for line in summary_of(account)]
    return Section(headings, results, notes)


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
