"""`scripts/audit check`: is the log valid, and do the read models match it?"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from engine.runtime.log.snapshots import SnapshotMismatch
from projections.registry import read_models
from projections.runner.projection import Projection
from scripts.audit_tool import (
    CLEAN,
    FINDING,
    AuditError,
    check_continued,
    facts,
    log_checkpoints,
)
from scripts.audit_tool.books import Violation
from scripts.audit_tool.check_continued import BalanceCheck, EarlierCheck
from scripts.audit_tool.check_facts import (
    RULES,
    ContentCheck,
    LogCheck,
    SnapshotCheck,
    batches,
    contents,
)
from scripts.audit_tool.check_models import CheckedModel, CheckOptions, RowDifference, check
from scripts.audit_tool.database import Connection, find_database, rebuild_command, snapshot
from scripts.audit_tool.draw_audit.audit import Days, DrawAudit
from scripts.audit_tool.fairness import audited_draws, print_draws
from scripts.audit_tool.log import Edge, LogAudit, is_sealed, notes_after
from scripts.audit_tool.log_checkpoints import compared_with, read_kept, remarks
from scripts.audit_tool.progress import ProgressMeter

NAME = "check"
HELP = "check the log, its snapshots and every read model row by row; exit 1 if they differ"
DESCRIPTION = """\
Read the whole log and check its rules, that each fact is the one that was sealed and that the log
fits every checkpoint (see `scripts/audit log`), and that every draw was made as promised (see
`scripts/audit fairness`). Checkpoints that were kept elsewhere (--checkpoint) also show a history
that the house rewrote and signed again. Fold every stream that has a snapshot again and compare the
two. Then rebuild every read model from the log and compare each row with the served one. The server
may keep running: the rebuilt models are temporary tables, the served ones are read in one snapshot,
and nothing is locked or changed.

A difference is a missing row, an extra row, a different value (with the expected and the found
one), a different table, a stale projection (its position is before the log's last fact at the start
of the check), or a failed projection. The end of the output lists what was not covered.

`scripts/projections rebuild MODEL` repairs differences of rows, because it rebuilds the model from
the log. The log itself is never repaired. After an import the read models do not exist yet: run
`scripts/projections rebuild all` first. Profits are counted by days: --timezone must name the
server's own zone.

With --continue a clean check keeps in a file where it ended, with the balances of all accounts, and
the next one reads only the facts after it: their rules, seals and draws. Of the read models it
compares the balances of the players who had new facts, and the house's. What it cannot notice is in
its output under "not covered": what was changed since an earlier check read it, and the other rows.
Run one without --continue from time to time, and keep the file where the operator cannot change
it."""
EXAMPLES = """\
  scripts/audit check
  scripts/audit check --checkpoint witness.txt --witness-key 450b8c…
  scripts/audit check --show 100
  scripts/audit check --continue check.json      # the next one reads only what is new
  scripts/audit check --data /srv/fairdraw --timezone Asia/Hong_Kong
"""
_MAX_FINDINGS = 20
_NEVER_COVERED = (
    "the vault (private data, logins, sealed secrets) and log.outcomes: not in the facts",
    "the witness's own list of the rounds that it released",
    "the in-memory state of a running server",
    "a rewrite of history that the house signed again, after the newest checkpoint from outside",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what to compare with, the number of rows to print, and the patience with models."""
    log_checkpoints.add_arguments(parser)
    parser.add_argument(
        "--continue",
        dest="kept",
        type=Path,
        metavar="FILE",
        help="begin where the last check with this file ended, and keep in it where this one ends",
    )
    parser.add_argument(
        "--show",
        type=_positive,
        default=20,
        metavar="N",
        help="rows printed per kind and table (20)",
    )
    parser.add_argument(
        "--patience",
        type=float,
        default=10.0,
        metavar="SECONDS",
        help="how long a read model may still catch up before it counts as stale (10)",
    )


def run(options: argparse.Namespace) -> int:
    """Check the log, then the read models; print both."""
    models = read_models(options.timezone.key)
    earlier = check_continued.read(options.kept)
    with find_database(options.data) as conninfo:
        if earlier is not None:
            check_continued.wait_for_models(conninfo, models, options.patience)
        with snapshot(conninfo) as connection:
            found = _checked_log(connection, options, earlier)
            outdated = []
            if earlier is not None:
                outdated = list(check_continued.outdated_models(connection, models, found.until))
        _print_log(found, earlier, options.show)
        if earlier is not None and found.balances is not None:
            wrong = found.wrong + _print_balances(found.balances, outdated, options.show)
            _print_uncovered(_not_repeated(earlier), found.until, found.balances.position)
            status = _verdict(wrong, [], options.data)
        else:
            status = _check_models(conninfo, models, found, options)
    if options.kept and status == CLEAN:
        check_continued.write(options.kept, found.ended(earlier))
        print(f"the next check with {options.kept} begins after position {found.until:,}")
    return status


class _CheckedLog(NamedTuple):
    """What was found in the facts up to position `until`, recorded at `at`."""

    until: int
    at: int
    log: LogCheck
    broken: list[Violation]
    published: ContentCheck
    tree: LogAudit | None
    not_ruled_out: list[str]
    draws: DrawAudit
    balances: BalanceCheck | None

    @property
    def wrong(self) -> int:
        """The number of findings."""
        tree = len(self.tree.findings) if self.tree else 0
        broken = sum(it.times for it in self.broken)
        return broken + tree + self.draws.count + len(self.published.wrong)

    def ended(self, earlier: EarlierCheck | None) -> EarlierCheck:
        """Returns where the next check begins."""
        first_day = self.draws.unfinished or (earlier.first_day if earlier else "")
        edge = self.tree.edge if self.tree else None
        edge = edge or (earlier.edge if earlier else None)
        return EarlierCheck(self.until, self.at, self.log.books.state(), first_day, edge)


def _checked_log(
    connection: Connection, options: argparse.Namespace, earlier: EarlierCheck | None
) -> _CheckedLog:
    until, at = facts.last(connection)
    after = earlier.position if earlier else 0
    log = LogCheck(earlier.before(connection, until) if earlier else None)
    balances = BalanceCheck(connection, options.timezone.key) if earlier else None
    if balances:
        balances.take(log)
    for stored in ProgressMeter("reading {} facts", until - after).over(
        facts.stream(connection, until, after)
    ):
        log.take(stored)
        if balances:
            balances.take(log)
    published = contents(connection)
    broken = [*log.end(until), *batches(connection, until, after)]
    tree, not_ruled_out = _audited_tree(connection, options, earlier.edge if earlier else None)
    days = Days(earlier.first_day) if earlier else None
    draws = audited_draws(connection, until, days, bots=frozenset(log.books.bots))
    return _CheckedLog(until, at, log, broken, published, tree, not_ruled_out, draws, balances)


def _print_log(found: _CheckedLog, earlier: EarlierCheck | None, shown: int) -> None:
    new = f"new facts after position {earlier.position:,}" if earlier else "facts"
    count = found.until - (earlier.position if earlier else 0)
    print(f"log: {count:,} {new} in {found.log.streams:,} streams checked for {RULES}")
    _print_findings(found.broken)
    _print_tree(found.tree, found.not_ruled_out)
    print_draws(found.draws, shown)
    _print_draw_findings(found.draws)
    _print_contents(found.published)


def _check_models(
    conninfo: str, models: Sequence[Projection], found: _CheckedLog, options: argparse.Namespace
) -> int:
    """Check the snapshots and every row of the read models; returns the exit status."""
    snapshots = SnapshotCheck(conninfo, options.timezone.key)
    wrong_snapshots = list(snapshots.differences())
    check_options = CheckOptions(options.show, options.patience)
    result = check(conninfo, models, check_options, _Rebuilding())
    wrong = found.wrong + _print_snapshots(snapshots, wrong_snapshots)
    wrong += _print_models([model for model in result.models if model.built])
    unbuilt = [model for model in result.models if not model.built]
    _print_models(unbuilt)
    at = min((model.position for model in result.models), default=0)
    others = (
        f"{snapshots.others:,} snapshots of other program versions, which this engine does not use"
    )
    uncovered = (*result.uncovered, *([others] if snapshots.others else []))
    _print_uncovered(uncovered, found.until, at)
    return _verdict(wrong, [model.name for model in unbuilt], options.data)


def _print_balances(balances: BalanceCheck, outdated: Sequence[RowDifference], shown: int) -> int:
    """Print what was compared of the read models; returns the number of differences."""
    print(f"balances: {balances.rows:,} compared at position {balances.position:,}")
    differences = [*outdated, *balances.differences]
    for it in differences[:shown]:
        print(f"  {it.kind}: {it.table}: {it.what}")
    if len(differences) > shown:
        print(f"  and {len(differences) - shown:,} more")
    return len(differences)


def _not_repeated(earlier: EarlierCheck) -> Sequence[str]:
    """Returns what only a check without --continue covers."""
    changed = f"the facts up to position {earlier.position:,}, which an earlier check read"
    return (
        f"{changed}: one that was changed since then",
        "the rows of the read models, other than the balances above: one that is or was made wrong",
        "the snapshots of streams, from which the engine starts",
        "(a check without --continue covers these three)",
    )


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


class _Rebuilding:
    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()

    def __call__(self, done: int, total: int) -> None:
        if self._shown:
            end = "\r\033[K" if done >= total else ""
            line = f"rebuilding the read models: {done:,} of {total:,} facts …"
            print(f"\r\033[K{line}{end}", end="", file=sys.stderr, flush=True)


def _print_findings(broken: Sequence[Violation]) -> None:
    for it in broken:
        more = f" (and {it.times - 1:,} more)" if it.times > 1 else ""
        print(f"  {it.rule}: position {it.position:,}: {it.what}{more}")


def _audited_tree(
    connection: Connection, options: argparse.Namespace, edge: Edge | None
) -> tuple[LogAudit | None, list[str]]:
    """Returns the audit of the sealed tree, and what it could not rule out.

    It begins at the `edge` where an earlier check ended. None before the log is sealed. Raises
    AuditError if there are checkpoints to compare it with.
    """
    if not is_sealed(connection):
        if options.checkpoint:
            raise AuditError("this log is not sealed: it fits no checkpoint")
        return None, []
    found = compared_with(connection, options)
    if not found.notes and not found.findings and found.operator_key is None:
        return None, []
    if edge is not None:
        last = read_kept(edge.note, str(options.kept), found.operator_key)
        found = found._replace(notes=notes_after(edge, found.notes, last))
    audit = LogAudit(found.notes, edge, found.findings)
    audit.read(connection)
    return audit, list(remarks(found, audit.fits_by, audit.last))


def _print_tree(tree: LogAudit | None, not_ruled_out: Sequence[str]) -> None:
    if tree is None:
        print("tree: the log is not sealed yet")
        return
    print(f"tree: {tree.facts:,} facts hashed, {tree.fits:,} of them fit a signed checkpoint")
    for each in not_ruled_out:
        print(f"  note: not ruled out: {each}")
    for finding in tree.findings[:_MAX_FINDINGS]:
        print(f"  {finding}")
    if len(tree.findings) > _MAX_FINDINGS:
        print(f"  and {len(tree.findings) - _MAX_FINDINGS:,} more")


def _print_draw_findings(draws: DrawAudit) -> None:
    for finding in draws.findings[:_MAX_FINDINGS]:
        print(f"  {finding}")
    if draws.count > _MAX_FINDINGS:
        print(f"  and {draws.count - _MAX_FINDINGS:,} more")


def _print_snapshots(snapshots: SnapshotCheck, wrong: Sequence[SnapshotMismatch]) -> int:
    print(f"snapshots: {snapshots.checked:,} compared with the facts of their streams")
    for it in wrong:
        print(f"  wrong snapshot: {it.stream} at version {it.version:,}: {it.found}")
    return len(wrong)


def _print_contents(published: ContentCheck) -> None:
    print(f"contents: {published.checked:,} texts compared with the hashes in their facts")
    for it in published.wrong:
        print(f"  not what was published: {it}")


def _print_models(models: Sequence[CheckedModel]) -> int:
    wrong = 0
    for model in models:
        print(f"{model.name}: {model.rows:,} rows compared at position {model.position:,}")
        kinds: dict[tuple[str, str], int] = {}
        for it in model.differences:
            print(f"  {it.kind}: {it.table}: {it.what}")
            kinds[it.kind, it.table] = it.times
        wrong += sum(kinds.values())
        listed = len(model.differences)
        if (total := sum(kinds.values())) > listed:
            print(f"  and {total - listed:,} more")
    return wrong


def _print_uncovered(uncovered: Sequence[str], until: int, at: int) -> None:
    """Print what was not checked; the read models were compared at position `at`."""
    print("not covered:")
    later = (
        f"facts recorded since the check began: the log's rules after position {until:,}, the"
        f" read models after {at:,}"
    )
    for line in (*uncovered, later, *_NEVER_COVERED):
        print(f"  {line}")


def _verdict(wrong: int, unbuilt: Sequence[str], data: Path) -> int:
    if unbuilt:
        print(f"build them from the log, then check again: {rebuild_command(data)}")
        print(f"NOT BUILT: {', '.join(unbuilt)}")
    if wrong:
        print(f"FOUND: {wrong:,} {'difference' if wrong == 1 else 'differences'}")
    if wrong or unbuilt:
        return FINDING
    print("clean: nothing differs in what was covered")
    return CLEAN
