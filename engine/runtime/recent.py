"""The newest facts of the log, as the leader has them in memory anyway.

Whoever follows the log in the leader's own process takes them from here, and does not make the
database read and this process decode again what it wrote a moment ago.
"""

from collections import deque
from collections.abc import Sequence
from threading import Lock
from typing import Final

from engine.facts import RecordedFact
from engine.runtime.batch import Batch
from engine.world import Draft

MAX_FACTS_KEPT: Final = 20_000
"""Facts: more than read models that keep up ever lag behind, at some 600 bytes each."""


class RecentFacts:
    """Stored batches of this process, the newest `kept` facts of them; for several threads."""

    def __init__(self, max_facts: int = MAX_FACTS_KEPT) -> None:
        """Nothing is stored yet."""
        self._max_facts = max_facts
        self._batches: deque[tuple[Batch, Sequence[Draft]]] = deque()
        self._facts = 0
        self._one_at_a_time = Lock()

    def add(self, batch: Batch, drafts: Sequence[Draft]) -> None:
        """Keep a batch that is stored for certain; its drafts are the facts of its columns."""
        if not drafts:
            return
        with self._one_at_a_time:
            self._batches.append((batch, drafts))
            self._facts += len(drafts)
            while self._facts - len(self._batches[0][1]) >= self._max_facts:
                self._facts -= len(self._batches.popleft()[1])

    def page(self, after: int, limit: int) -> list[RecordedFact]:
        """The next facts behind position `after`, at most `limit`; none when they are not here.

        They are those that the log has there, without a gap.
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
