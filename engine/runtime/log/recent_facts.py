"""The tail of the log in memory: the newest facts that the leader wrote.

Log consumers in the leader's process read them from here. This saves the database a read, and this
process the decoding of what it has just written.
"""

from collections import deque
from collections.abc import Sequence
from threading import Lock
from typing import Final

from engine.engine_state import Draft
from engine.facts import RecordedFact
from engine.runtime.log.batch import Batch

MAX_FACTS_KEPT: Final = 20_000
"""A number of facts, at some 600 bytes each. Read models that keep up never lag as far behind."""


class RecentFacts:
    """The newest batches that this process stored, up to `max_facts` facts. Thread-safe."""

    def __init__(self, max_facts: int = MAX_FACTS_KEPT) -> None:
        """Initially empty."""
        self._max_facts = max_facts
        self._batches: deque[tuple[Batch, Sequence[Draft]]] = deque()
        self._facts = 0
        self._one_at_a_time = Lock()

    def add(self, batch: Batch, drafts: Sequence[Draft]) -> None:
        """Add a batch that is certainly stored; `drafts` are the facts of its columns."""
        if not drafts:
            return
        with self._one_at_a_time:
            self._batches.append((batch, drafts))
            self._facts += len(drafts)
            while self._facts - len(self._batches[0][1]) >= self._max_facts:
                self._facts -= len(self._batches.popleft()[1])

    def page(self, after: int, limit: int) -> list[RecordedFact]:
        """Returns the next facts after position `after`, at most `limit`; none if not in memory.

        They are the same as in the log, without a gap.
        """
        batches: deque[tuple[Batch, Sequence[Draft]]] = deque()
        with self._one_at_a_time:
            for stored in reversed(self._batches):
                batches.appendleft(stored)
                if _first(stored[0]) <= after + 1:
                    break
        page: list[RecordedFact] = []
        for batch, drafts in batches:
            skipped = after + 1 + len(page) - _first(batch)
            if skipped < 0:
                break
            page += _recorded(batch, drafts, skipped, limit - len(page))
        return page


def _first(batch: Batch) -> int:
    assert batch.first_position is not None
    return batch.first_position


def _recorded(
    batch: Batch, drafts: Sequence[Draft], skipped: int, limit: int
) -> list[RecordedFact]:
    some = slice(skipped, skipped + limit)
    columns = zip(drafts[some], batch.commands[some], batch.actors[some], strict=True)
    position, at = _first(batch) + skipped, batch.at
    return [
        RecordedFact(position + place, draft.stream, draft.version, at, command, actor, draft.fact)
        for place, (draft, command, actor) in enumerate(columns)
    ]
