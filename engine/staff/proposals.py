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


class PendingProposal(Struct, Generic[ValueT], frozen=True):
    """What `by` proposes, not yet agreed to by another."""

    value: ValueT
    by: str
    id: str = ""


def propose_or_confirm(
    kind: str,
    proposal: PendingProposal[ValueT],
    pending: PendingProposal[ValueT] | None,
    current: ValueT,
    proposed: Callable[[ValueT, str], FactT],
    agreed: Callable[[ValueT, str], FactT],
) -> list[FactT] | Refused:
    """Propose, or agree if a colleague proposed the same; a repetition yields no facts."""
    if pending is None:
        return [] if proposal.value == current else [proposed(proposal.value, proposal.by)]
    if pending.by == proposal.by:
        return [] if proposal.value == pending.value else [proposed(proposal.value, proposal.by)]
    if proposal.value != pending.value:
        return Refused(Refusal.PROPOSAL_OPEN, kind)
    return [agreed(proposal.value, proposal.by)]


def drop_if_proposed_by(
    pending: PendingProposal[ValueT] | None, by: str
) -> PendingProposal[ValueT] | None:
    """The proposal, None if this person made it."""
    return None if pending is None or pending.by == by else pending
