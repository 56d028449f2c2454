"""What `scripts/audit check` checks without the read models.

- `LogCheck`: the invariants of the log, fact by fact; two managers set every odds table, and each
  day used the table set for it.
- `SnapshotCheck`: the snapshots of long streams, from which the engine would start, against their
  facts.
- `batches`: whether the facts exist that the writer's batches recorded as stored.
- `contents`: whether the published content matches the hashes in the facts of its publication.
"""

from collections import Counter, deque
from collections.abc import Iterator
from typing import NamedTuple

from engine.facts import RecordedFact
from engine.house.facts import (
    ODDS,
    DayOpened,
    OddsProposed,
    OddsSet,
    ProposalRejected,
    proposal_id,
)
from engine.odds import OddsFrom, odds_on, with_odds
from engine.runtime.log.fact_log import FactLog, datastore
from engine.runtime.log.snapshots import SnapshotMismatch, Snapshots
from scripts.audit_tool.books import Books, Violation
from scripts.audit_tool.database import Connection
from scripts.audit_tool.facts import StoredFact, UnreadableError

_ODDS = "odds"
RULES = (
    "positions and streams without gaps, times that never decrease, postings that sum to zero,"
    " no player's account below zero at any position, odds tables that two people set"
)
_PAGE = 500
_BATCHES = "batches"
_BEYOND = (
    "SELECT count(*), min(it.last_position) FROM log.batches it WHERE NOT EXISTS"
    " (SELECT FROM log.facts WHERE notification_id = it.last_position)"
    " AND it.last_position > %s"
)
_LAST = "SELECT max(last_position) FROM log.batches"
_HAS_TEXTS = "SELECT to_regclass('content.texts') IS NOT NULL"
_CHECK = (
    "SELECT content, digest, encode(sha256(body), 'hex') = digest"
    " FROM content.texts ORDER BY content, digest"
)


class OddsCheck:
    """Reads the whole log in the order of positions; a day without a set table is not checked."""

    def __init__(self) -> None:
        """Initially empty, before the first fact."""
        self._odds: tuple[OddsFrom, ...] = ()
        self._open: tuple[str, OddsProposed] | None = None

    def take(self, recorded: RecordedFact) -> Iterator[str]:
        """Check the next fact; yields the violations."""
        match recorded.fact:
            case OddsProposed() as proposed:
                self._open = proposal_id(ODDS, recorded.version), proposed
            case ProposalRejected(proposal=dropped):
                if self._open is not None and self._open[0] == dropped:
                    self._open = None
            case OddsSet() as agreed:
                yield from self._set(agreed)
            case DayOpened(date=date, odds_table=table, game=game):
                expected = odds_on(self._odds, date)
                if expected and expected != table:
                    yield f"game {game} opened {date} at {table}, for which {expected} was set"
            case _:
                pass

    def _set(self, agreed: OddsSet) -> Iterator[str]:
        proposed = self._open[1] if self._open is not None else None
        if proposed is None or proposed.table != agreed.table:
            yield f"{agreed.table} was set without a proposal"
        elif proposed.by == agreed.by:
            yield f"{agreed.table} was set by {agreed.by} alone"
        self._odds = with_odds(self._odds, agreed.from_day, agreed.table)
        self._open = None


class BeforeCheck(NamedTuple):
    """What the rules need of the facts that an earlier check read.

    `at` is the time of the last of them, `versions` has the last version of each stream with later
    facts, `odds` are the facts about odds tables.
    """

    books: Books
    at: int
    versions: dict[str, int]
    odds: tuple[RecordedFact, ...]


class LogCheck:
    """Reads the log in the order of positions; checks the rules of `Books` and more.

    - A stream's versions count from 1 without gaps.
    - Times never decrease.
    - Every fact can be read.
    - Two people set an odds table, and its days open at it.
    """

    def __init__(self, before: BeforeCheck | None = None) -> None:
        """Initially before the first fact, or after the facts that an earlier check read."""
        before = before or BeforeCheck(Books(), 0, {}, ())
        self.books = before.books
        self._odds = OddsCheck()
        for recorded in before.odds:
            deque(self._odds.take(recorded), maxlen=0)
        self.versions = before.versions
        self._at = before.at
        self._first: dict[str, tuple[int, str]] = {}
        self._times: Counter[str] = Counter()

    def take(self, stored: StoredFact) -> None:
        """Check the next fact of the log."""
        self._place(stored)
        try:
            recorded: RecordedFact = stored.recorded()
        except UnreadableError as error:
            self._record_violation("readable", stored.position, str(error))
            # The position exists, so the next fact leaves no gap.
            self.books.position = stored.position
        else:
            self.books.apply(recorded)
            for what in self._odds.take(recorded):
                self._record_violation(_ODDS, stored.position, what)

    def end(self, position: int) -> Iterator[Violation]:
        """Yields the violations, earliest first; the log should reach `position`."""
        if self.books.position != position:
            self.books.missing(position)
        found = [
            Violation(rule, at, what, self._times[rule]) for rule, (at, what) in self._first.items()
        ]
        yield from sorted([*found, *self.books.findings()], key=lambda it: it.position)

    @property
    def streams(self) -> int:
        """The number of streams with facts that were read."""
        return len(self.versions)

    def _place(self, stored: StoredFact) -> None:
        before = self.versions.get(stored.stream, 0)
        if stored.version != before + 1:
            what = f"{stored.stream} {stored.version} follows version {before}"
            self._record_violation("gapless-stream", stored.position, what)
        self.versions[stored.stream] = stored.version
        if stored.at < self._at:
            what = f"recorded {self._at - stored.at} µs before the fact that it follows"
            self._record_violation("time-order", stored.position, what)
        self._at = max(self._at, stored.at)

    def _record_violation(self, rule: str, position: int, what: str) -> None:
        self._first.setdefault(rule, (position, what))
        self._times[rule] += 1


class SnapshotCheck:
    """Reads the snapshots; counts `checked` and `others`.

    `others` are those of other program versions, which this one can neither use nor check.
    """

    def __init__(self, conninfo: str, timezone: str) -> None:
        self.checked = 0
        self.others = 0
        self._conninfo = conninfo
        self._timezone = timezone

    def differences(self) -> Iterator[SnapshotMismatch]:
        """Yields each snapshot that differs from the fold of its stream's facts."""
        with datastore(self._conninfo) as store:
            snapshots = Snapshots(FactLog(store))
            self.others = snapshots.count_stale()
            after = ""
            while page := snapshots.page(after, _PAGE):
                for each in page:
                    self.checked += 1
                    found = snapshots.difference(each, self._timezone)
                    if found is not None:
                        yield found
                after = page[-1].stream


def batches(connection: Connection, until: int, after: int = 0) -> Iterator[Violation]:
    """Yields batches whose last fact is missing, and facts after the last batch.

    `until` is the log's last position; batches up to position `after` are not looked at. Old
    batches are deleted after their retention, so only the newest is compared with the log's end.
    """
    times, first = connection.execute(_BEYOND, (after,)).fetchone() or (0, None)
    if times:
        yield Violation(_BATCHES, first, "a batch ends at a fact that is missing", times)
    (last,) = connection.execute(_LAST).fetchone() or (None,)
    if last is not None and last < until:
        yield Violation(_BATCHES, last + 1, "no batch stored this fact or those after it", 1)


class ContentCheck(NamedTuple):
    """The number of texts compared with their hashes, and those that differ."""

    checked: int
    wrong: tuple[str, ...]


def contents(connection: Connection) -> ContentCheck:
    """Compare every stored text with its digest, by which its fact names it.

    Erased texts no longer exist.
    """
    row = connection.execute(_HAS_TEXTS).fetchone()
    if row is None or not row[0]:
        return ContentCheck(0, ())
    rows = connection.execute(_CHECK).fetchall()
    wrong = tuple(f"{name}: {digest}" for name, digest, is_right in rows if not is_right)
    return ContentCheck(len(rows), wrong)
