"""Settings of the whole house that take two managers: one proposes, another agrees. Pure.

- One proposal of a kind is open at most: a colleague's is agreed to or rejected, never replaced.
  Its proposer may change it, which gives it another id.
- Its id is its kind and its version in the house's stream: see `facts.proposal_id`.
- A manager agrees by the id, or by proposing the same.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

from msgspec import Struct

from engine.answers import Refused
from engine.refusals import Refusal

ValueT = TypeVar("ValueT")
FactT = TypeVar("FactT")


class Said(Struct, Generic[ValueT], frozen=True):
    """What `by` proposes, not yet agreed to by another."""

    value: ValueT
    by: str
    id: str = ""


def heard(
    kind: str,
    says: Said[ValueT],
    before: Said[ValueT] | None,
    holds: ValueT,
    proposed: Callable[[ValueT, str], FactT],
    agreed: Callable[[ValueT, str], FactT],
) -> list[FactT] | Refused:
    """Propose, or agree where a colleague proposed the same; a repetition yields no facts."""
    if before is None:
        return [] if says.value == holds else [proposed(says.value, says.by)]
    if before.by == says.by:
        return [] if says.value == before.value else [proposed(says.value, says.by)]
    if says.value != before.value:
        return Refused(Refusal.PROPOSAL_OPEN, kind)
    return [agreed(says.value, says.by)]


def unless_by(said: Said[ValueT] | None, by: str) -> Said[ValueT] | None:
    """The proposal, None if this person made it."""
    return None if said is None or said.by == by else said
