"""Which payment references were credited: each payment has one deposit.

A reference is identified by a keyed hash over its channel and its text, never by the text. Each has
its own stream, `reference-<hash>`, so that the writer reads only the few that a batch needs.
"""

from collections.abc import Iterable

from msgspec import Struct

from engine.cashier.facts import ReferenceCredited
from engine.facts import RecordedFact


class Credit(Struct, frozen=True, gc=False):
    """The newest deposit with a reference; `version` is 0 if it was never credited.

    `by` approved it, at a time in microseconds since 1970.
    """

    version: int = 0
    deposit: str = ""
    by: str = ""
    at: int = 0


def evolve(credit: Credit, fact: ReferenceCredited, at: int) -> Credit:
    """The reference's state after a fact recorded at `at`; never refuses."""
    return Credit(credit.version + 1, fact.deposit, fact.by, at)


def load(
    cache: dict[str, Credit], references: Iterable[str], facts: Iterable[RecordedFact]
) -> None:
    """Add these references to the cache, from the facts of their streams, each in order."""
    fresh = dict.fromkeys(references, Credit())
    for recorded in facts:
        fact = recorded.fact
        assert isinstance(fact, ReferenceCredited)
        fresh[fact.reference] = evolve(fresh[fact.reference], fact, recorded.at)
    cache.update(fresh)


def evict(cache: dict[str, Credit], capacity: int) -> None:
    """Drop the oldest references beyond `capacity`; they are reloaded on demand."""
    for reference in list(cache)[: max(0, len(cache) - capacity)]:
        del cache[reference]
