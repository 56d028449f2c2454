"""The invariants of the log itself, checked fact by fact."""

from collections import Counter
from collections.abc import Iterator

from engine.facts import RecordedFact
from scripts.audit_tool.books import Books, Violation
from scripts.audit_tool.check_odds import RULE, OddsCheck
from scripts.audit_tool.check_rounds import RoundCheck
from scripts.audit_tool.facts import StoredFact, UnreadableError

RULES = (
    "positions and streams without gaps, times that never decrease, postings that sum to zero,"
    " no player's account below zero at any position, odds tables that two people set"
)


class LogCheck:
    """Reads the whole log in the order of positions; checks the rules of `Books` and more.

    - A stream's versions count from 1 without gaps.
    - Times never decrease.
    - Every fact can be read.
    - Two people set an odds table, and its days open at it.
    """

    def __init__(self) -> None:
        """Initially empty, before the first fact."""
        self._books = Books()
        self.rounds = RoundCheck()
        self._odds = OddsCheck()
        self._versions: dict[str, int] = {}
        self._at = 0
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
            self._books.position = stored.position
        else:
            self._books.apply(recorded)
            self.rounds.take(recorded)
            for what in self._odds.take(recorded):
                self._record_violation(RULE, stored.position, what)

    def end(self, position: int) -> Iterator[Violation]:
        """Yields the violations, earliest first; the log should reach `position`."""
        if self._books.position != position:
            self._books.missing(position)
        found = [
            Violation(rule, at, what, self._times[rule]) for rule, (at, what) in self._first.items()
        ]
        yield from sorted([*found, *self._books.findings()], key=lambda it: it.position)

    @property
    def streams(self) -> int:
        """The number of streams."""
        return len(self._versions)

    def _place(self, stored: StoredFact) -> None:
        before = self._versions.get(stored.stream, 0)
        if stored.version != before + 1:
            what = f"{stored.stream} {stored.version} follows version {before}"
            self._record_violation("gapless-stream", stored.position, what)
        self._versions[stored.stream] = stored.version
        if stored.at < self._at:
            what = f"recorded {self._at - stored.at} µs before the fact that it follows"
            self._record_violation("time-order", stored.position, what)
        self._at = max(self._at, stored.at)

    def _record_violation(self, rule: str, position: int, what: str) -> None:
        self._first.setdefault(rule, (position, what))
        self._times[rule] += 1
