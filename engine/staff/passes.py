"""The passes by which the staff are known. Stream: `house`.

A pass is 256 random bits that its holder makes and nobody else ever sees; the house knows its
fingerprint, the SHA-256 of it in hex, which the holder tells two managers.

- Two managers say the same fingerprint, and from then on the pass is good for 90 days. Whoever
  would act in a colleague's name needs another manager for it: what takes two people takes two.
- The machine's secret is the second of them while fewer than two managers hold a seat, and does it
  alone while no manager does, or while the house has only one manager. A manager's seat lasts as
  long as their newest pass was issued for, also if a colleague ended that pass or removed them.
  So only time brings the machine's word back, never one manager's command.
- A person has one good pass at most. It goes with their roles, and any manager ends it at once.
- A pass says who somebody is; what they may do is looked up with every call.
"""

from hashlib import sha256
from typing import Final, assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from engine.answers import Refused
from engine.refusals import Refusal
from engine.staff.roles import MACHINE, MANAGERS_NEEDED


class IssuePass(Struct, frozen=True, array_like=True, tag="pass"):
    """`by` says which fingerprint the pass of the person of this name has.

    It is good once somebody else has said the same. `fingerprint` is a SHA-256 in hex.
    """

    name: str
    fingerprint: str
    by: str


class EndPass(Struct, frozen=True, array_like=True, tag="pass-end"):
    """Let the pass of the person of this name serve no more; their roles stay."""

    name: str
    by: str


class PassProposed(Struct, frozen=True):
    """`by` says that the pass of the person of this name has this fingerprint."""

    name: str
    fingerprint: str
    by: str


class PassIssued(Struct, frozen=True):
    """The pass with this fingerprint is the person's, in place of any other, before `until`.

    `fingerprint` is a SHA-256 in hex, `until` in microseconds since 1970. Two said so, or the
    machine's secret alone: `agreed_by` is empty then.
    """

    name: str
    fingerprint: str
    until: int
    proposed_by: str
    agreed_by: str


class PassEnded(Struct, frozen=True):
    """The person's pass serves no more, and none that was said of them waits."""

    name: str
    by: str


PassFact = PassProposed | PassIssued | PassEnded


LIFETIME_US: Final = 90 * 24 * 3600 * 1_000_000


class Pass(Struct, frozen=True):
    """Whose pass is good before `until`, in microseconds since 1970."""

    name: str
    until: int


class PendingPass(Struct, frozen=True):
    """What one manager says is the fingerprint of a person's pass."""

    fingerprint: str
    by: str


class Passes(Struct, frozen=True):
    """The passes in use by fingerprint, those that were ended, and what one manager has said.

    `issued_until` is by name the end of the newest pass that was issued, also of an ended one.
    """

    active: dict[str, Pass] = field(default_factory=dict)
    revoked: frozenset[str] = frozenset()
    proposed: dict[str, PendingPass] = field(default_factory=dict)
    issued_until: dict[str, int] = field(default_factory=dict)

    def holder(self, fingerprint: str, now: int) -> str | Refusal:
        """Whose pass this is, or why it does not serve."""
        if fingerprint in self.revoked:
            return Refusal.PASS_REVOKED
        found = self.active.get(fingerprint)
        if found is None:
            return Refusal.STAFF_UNKNOWN
        return found.name if now < found.until else Refusal.PASS_EXPIRED


def fingerprint_of(token: str) -> str:
    """By what the house knows this pass."""
    return sha256(token.encode()).hexdigest()


def evolve(passes: Passes, fact: PassFact) -> Passes:
    """The passes after a fact; refuses nothing."""
    match fact:
        case PassProposed(name=name, fingerprint=fingerprint, by=by):
            return replace(passes, proposed={**passes.proposed, name: PendingPass(fingerprint, by)})
        case PassIssued(name=name, fingerprint=fingerprint, until=until):
            left = without(passes, name)
            return replace(
                left,
                active={**left.active, fingerprint: Pass(name, until)},
                issued_until={**left.issued_until, name: until},
            )
        case PassEnded(name=name):
            return without(passes, name)
        case _ as never:
            assert_never(never)


def without(passes: Passes, name: str) -> Passes:
    """The passes once this person has none."""
    active = {each: it for each, it in passes.active.items() if it.name != name}
    proposed = {each: it for each, it in passes.proposed.items() if each != name}
    revoked = passes.revoked | (passes.active.keys() - active.keys())
    return replace(passes, active=active, revoked=revoked, proposed=proposed)


def without_proposals_by(passes: Passes, by: str) -> Passes:
    """The passes once what this one said does not count."""
    return replace(
        passes, proposed={each: it for each, it in passes.proposed.items() if it.by != by}
    )


def issue(
    command: IssuePass, passes: Passes, managers: int, seats: int, now: int
) -> list[PassFact] | Refused:
    """One more says what the fingerprint of a person's pass is; who has roles is looked up before.

    `managers` counts the managers and those who still hold a manager's seat, `seats` the latter.
    The same again from the same manager, or of a pass that is in use, yields no facts.
    """
    name, fingerprint, by = command.name, command.fingerprint, command.by
    used = passes.active.get(fingerprint)
    if used is not None and used.name == name and now < used.until:
        return []
    if used is not None or fingerprint in passes.revoked:
        return Refused(Refusal.FINGERPRINT_USED, "fingerprint")
    proposed = passes.proposed.get(name)
    if proposed is not None and proposed.fingerprint == fingerprint and proposed.by != by:
        if by == MACHINE and seats >= MANAGERS_NEEDED:
            return Refused(Refusal.SECOND_PERSON_NEEDED)
        return [PassIssued(name, fingerprint, now + LIFETIME_US, proposed.by, by)]
    if by == MACHINE:
        if managers >= MANAGERS_NEEDED and seats:
            return Refused(Refusal.SECOND_PERSON_NEEDED)
        return [PassIssued(name, fingerprint, now + LIFETIME_US, MACHINE, "")]
    return [] if proposed == PendingPass(fingerprint, by) else [PassProposed(name, fingerprint, by)]


def end(name: str, by: str, passes: Passes) -> list[PassFact]:
    """A person's pass serves no more; of one who has none, and for whom none is said, no facts."""
    has = name in passes.proposed or any(each.name == name for each in passes.active.values())
    return [PassEnded(name, by)] if has else []
