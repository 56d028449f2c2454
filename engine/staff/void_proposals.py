"""Proposals to void a round that cannot be drawn. Stream: `house`.

- One manager proposes, with a reason; another agrees. Any manager may drop it until then.
- A proposal is dropped when its proposer stops being a manager.
- An agreement is not yet a void: the chains and the witness's answer decide whether and how the
  round is voided (`rule_void`). A round that can be drawn after all is drawn.
"""

from typing import ClassVar, assert_never

from msgspec import Struct
from msgspec.structs import replace

from engine.answers import Refused
from engine.refusals import Refusal


class ProposeVoid(Struct, frozen=True, array_like=True, tag="void"):
    """Void a closed round that has not been drawn, once another manager has agreed."""

    proposal: str
    game: int
    issue: str
    reason: str
    by: str


class DecideVoid(Struct, frozen=True, array_like=True, tag="void-decision"):
    """Agree to a proposed void, or drop it."""

    proposal: str
    approve: bool
    by: str


VoidCommand = ProposeVoid | DecideVoid


class VoidProposed(Struct, frozen=True):
    """`by` proposes to void this round, which has not been drawn; it replaces an older proposal."""

    topic: ClassVar = "void-proposed.1"
    proposal: str
    game: int
    issue: str
    reason: str
    by: str


class VoidAgreed(Struct, frozen=True):
    """A second manager agreed: the round is voided as soon as it is certain that it must be."""

    topic: ClassVar = "void-agreed.1"
    proposal: str
    game: int
    issue: str
    by: str


class VoidDropped(Struct, frozen=True):
    """`by` dropped the proposal to void this round."""

    topic: ClassVar = "void-dropped.1"
    proposal: str
    game: int
    issue: str
    by: str


VoidFact = VoidProposed | VoidAgreed | VoidDropped


class VoidProposal(Struct, frozen=True):
    """Who proposed to void a round, why, and who agreed; `agreed_by` is empty before that."""

    id: str
    game: int
    issue: str
    reason: str
    by: str
    agreed_by: str = ""


Voids = dict[tuple[int, str], VoidProposal]
"""The newest proposal for each round."""


def find(voids: Voids, proposal: str) -> VoidProposal | None:
    """The proposal with this id."""
    return next((each for each in voids.values() if each.id == proposal), None)


def evolve(voids: Voids, fact: VoidFact) -> Voids:
    """The proposals after a fact; never refuses."""
    key = (fact.game, fact.issue)
    match fact:
        case VoidProposed(proposal=proposal, game=game, issue=issue, reason=reason, by=by):
            return {**voids, key: VoidProposal(proposal, game, issue, reason, by)}
        case VoidAgreed(by=by):
            return {**voids, key: replace(voids[key], agreed_by=by)}
        case VoidDropped():
            return {each: it for each, it in voids.items() if each != key}
        case _ as never:
            assert_never(never)


def without_proposals_by(voids: Voids, by: str) -> Voids:
    """The proposals without those that only this person made."""
    return {key: it for key, it in voids.items() if it.agreed_by or it.by != by}


def decide(command: VoidCommand, voids: Voids, *, undrawn: bool) -> list[VoidFact] | Refused:
    """Returns the facts of the command; `undrawn` is whether the draw is overdue."""
    if isinstance(command, ProposeVoid):
        return _propose(command, voids, undrawn=undrawn)
    proposal = find(voids, command.proposal)
    if proposal is None:
        return Refused(Refusal.VOID_UNKNOWN, "proposal")
    if proposal.agreed_by:
        return [] if command.approve else Refused(Refusal.VOID_UNKNOWN, "proposal")
    facts = (proposal.id, proposal.game, proposal.issue, command.by)
    if not command.approve:
        return [VoidDropped(*facts)]
    if command.by == proposal.by:
        return Refused(Refusal.SECOND_PERSON_NEEDED)
    if not undrawn:
        return Refused(Refusal.ROUND_NOT_DUE, "proposal")
    return [VoidAgreed(*facts)]


def _propose(command: ProposeVoid, voids: Voids, *, undrawn: bool) -> list[VoidFact] | Refused:
    if not undrawn:
        return Refused(Refusal.ROUND_NOT_DUE, "issue")
    before = voids.get((command.game, command.issue))
    if before is not None and before.agreed_by:
        return []
    return [VoidProposed(command.proposal, command.game, command.issue, command.reason, command.by)]
