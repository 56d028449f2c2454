"""Which references of payments were credited: of one payment there is one deposit.

A reference is known by a keyed hash over its channel and its text, never by the text. Each has a
stream of its own, `reference-<hash>`, so that the writer reads the few that a batch asks about.
"""

from collections.abc import Iterable

from msgspec import Struct

from engine.cashier.facts import ReferenceCredited
from engine.facts import RecordedFact


class Credit(Struct, frozen=True, gc=False):
    """The newest deposit with a reference; `version` 0 for one that was never credited.

    `by` approved it, at a time in microseconds since 1970.
    """

    version: int = 0
    deposit: str = ""
    by: str = ""
    at: int = 0


def evolve(credit: Credit, fact: ReferenceCredited, at: int) -> Credit:
    """What is known of the reference after a fact recorded at `at`; refuses nothing."""
    return Credit(credit.version + 1, fact.deposit, fact.by, at)


def load(
    cache: dict[str, Credit], references: Iterable[str], facts: Iterable[RecordedFact]
) -> None:
    """Add these references to those at hand, from the facts of their streams, each in order."""
    fresh = dict.fromkeys(references, Credit())
    for recorded in facts:
        fact = recorded.fact
        assert isinstance(fact, ReferenceCredited)
        fresh[fact.reference] = evolve(fresh[fact.reference], fact, recorded.at)
    cache.update(fresh)


def evict(cache: dict[str, Credit], capacity: int) -> None:
    """Drop the oldest references beyond `keep`; they come back on demand."""
    for reference in list(cache)[: max(0, len(cache) - capacity)]:
        del cache[reference]
