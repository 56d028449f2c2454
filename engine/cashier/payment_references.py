"""Payment references that were credited, by a deposit or by a booking of the house. Pure.

A payment reference is identified by a keyed hash over its channel and its text, never by the text.
Each has its own stream, `reference-<hash>`, so that the writer reads only the few that a batch
needs. `deposits.py` and `house/bookings.py` refuse a reference that was credited before, unless two
members of staff say that it is another payment.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from engine.cashier.commands import AgreeDeposit, EnterDeposit, MoneyCommand
from engine.cashier.facts import DepositApproved, ReferenceCredited
from engine.facts import RecordedFact
from engine.players.facts import PlayerFact
from engine.players.state import Player


def reference_credited(
    command: MoneyCommand, player: Player, facts: Sequence[PlayerFact]
) -> ReferenceCredited | None:
    """The payment reference that was credited, None if there was none."""
    if not isinstance(command, EnterDeposit | AgreeDeposit) or not command.reference:
        return None
    fact = facts[-1] if facts else None
    if not isinstance(fact, DepositApproved):
        return None
    return ReferenceCredited(command.reference, fact.channel, fact.deposit, player.id, command.by)


class Credit(Struct, frozen=True, gc=False):
    """The newest deposit or booking with a reference; `version` is 0 if it was never credited.

    `by` approved it, at a time in microseconds since 1970.
    """

    version: int = 0
    deposit: str = ""
    by: str = ""
    at: int = 0


def evolve_credit(credit: Credit, fact: ReferenceCredited, at: int) -> Credit:
    """The reference's state after a fact recorded at `at`; never refuses."""
    return Credit(credit.version + 1, fact.deposit, fact.by, at)


def load_credits(
    cache: dict[str, Credit], references: Iterable[str], facts: Iterable[RecordedFact]
) -> None:
    """Add these references to the cache, from the facts of their streams, each in order."""
    fresh = dict.fromkeys(references, Credit())
    for recorded in facts:
        fact = recorded.fact
        assert isinstance(fact, ReferenceCredited)
        fresh[fact.reference] = evolve_credit(fresh[fact.reference], fact, recorded.at)
    cache.update(fresh)


def evict_credits(cache: dict[str, Credit], capacity: int) -> None:
    """Drop the oldest references beyond `capacity`; they are reloaded on demand."""
    for reference in list(cache)[: max(0, len(cache) - capacity)]:
        del cache[reference]
