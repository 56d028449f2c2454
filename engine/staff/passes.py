"""Passes: the access tokens of the staff. Stream: `house`.

A pass is 256 random bits that its owner generates and never shares. The server stores its
fingerprint, the SHA-256 of it in hex, which the owner gives to two managers.

- Two managers enter the same fingerprint, and from then on the pass is valid for 90 days. So a
  manager cannot act in a colleague's name alone: what takes two people takes two.
- A manager has a seat until their newest pass would expire, also if a colleague revoked that pass
  or removed them. The machine's secret is the second of the two managers while fewer than two have
  a seat. It suffices alone while no manager has one, or while the house has only one manager. So
  only time restores the machine's authority, never one manager's command.
- A person has at most one valid pass. It ends with their roles, and any manager can revoke it
  immediately.
- A pass identifies its owner; permissions are looked up with every call.
"""

from hashlib import sha256
from typing import ClassVar, Final, assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from engine.answers import Refused
from engine.refusals import Refusal
from engine.staff.roles import MACHINE, MANAGERS_NEEDED


class IssuePass(Struct, frozen=True, array_like=True, tag="pass"):
    """`by` enters the fingerprint of the pass of the person of this name.

    It is valid once another manager has entered the same. `fingerprint` is a SHA-256 in hex.
    """

    name: str
    fingerprint: str
    by: str


class EndPass(Struct, frozen=True, array_like=True, tag="pass-end"):
    """Revoke the pass of the person of this name; their roles stay."""

    name: str
    by: str


class PassProposed(Struct, frozen=True):
    """`by` entered this fingerprint for the pass of the person of this name."""

    topic: ClassVar = "pass-proposed.1"
    name: str
    fingerprint: str
    by: str


class PassIssued(Struct, frozen=True):
    """The pass with this fingerprint is the person's, in place of any other, before `until`.

    `fingerprint` is a SHA-256 in hex, `until` in microseconds since 1970. Two entered it, or the
    machine's secret alone: `agreed_by` is empty then.
    """

    topic: ClassVar = "pass-issued.1"
    name: str
    fingerprint: str
    until: int
    proposed_by: str
    agreed_by: str


class PassEnded(Struct, frozen=True):
    """The person's pass is revoked, and so is any pending proposal of one."""

    topic: ClassVar = "pass-ended.1"
    name: str
    by: str


PassFact = PassProposed | PassIssued | PassEnded


LIFETIME_US: Final = 90 * 24 * 3600 * 1_000_000


class Pass(Struct, frozen=True):
    """The owner of a pass that is valid before `until`, in microseconds since 1970."""

    name: str
    until: int


class PendingPass(Struct, frozen=True):
    """The fingerprint of a person's pass that one manager has entered."""

    fingerprint: str
    by: str


class Passes(Struct, frozen=True):
    """The active passes by fingerprint, the revoked ones, and those that one manager proposed.

    `issued_until` is, by name, the end of the newest pass that was issued, also of a revoked one.
    """

    active: dict[str, Pass] = field(default_factory=dict)
    revoked: frozenset[str] = frozenset()
    proposed: dict[str, PendingPass] = field(default_factory=dict)
    issued_until: dict[str, int] = field(default_factory=dict)

    def holder(self, fingerprint: str, now: int) -> str | Refusal:
        """The owner of this pass, or why it is not valid."""
        if fingerprint in self.revoked:
            return Refusal.PASS_REVOKED
        found = self.active.get(fingerprint)
        if found is None:
            return Refusal.STAFF_UNKNOWN
        return found.name if now < found.until else Refusal.PASS_EXPIRED


def fingerprint_of(token: str) -> str:
    """The fingerprint under which the server stores this pass."""
    return sha256(token.encode()).hexdigest()


def evolve(passes: Passes, fact: PassFact) -> Passes:
    """The passes after a fact; never refuses."""
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
    """The passes without those of this person."""
    active = {each: it for each, it in passes.active.items() if it.name != name}
    proposed = {each: it for each, it in passes.proposed.items() if each != name}
    revoked = passes.revoked | (passes.active.keys() - active.keys())
    return replace(passes, active=active, revoked=revoked, proposed=proposed)


def without_proposals_by(passes: Passes, by: str) -> Passes:
    """The passes without this person's proposals."""
    return replace(
        passes, proposed={each: it for each, it in passes.proposed.items() if it.by != by}
    )


def issue(
    command: IssuePass, passes: Passes, managers: int, seats: int, now: int
) -> list[PassFact] | Refused:
    """One more manager enters a pass's fingerprint; the caller checks the person's roles first.

    `managers` counts the managers and those who still have a manager's seat, `seats` the latter. A
    repetition by the same manager, or of an active pass, yields no facts.
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
    """Revoke a person's pass; no facts if they have none and none is proposed."""
    has = name in passes.proposed or any(each.name == name for each in passes.active.values())
    return [PassEnded(name, by)] if has else []
