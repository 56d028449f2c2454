"""The witness's rules, as pure decisions over what it has signed so far.

Rules:
- Every decision returns the record to keep. The caller stores it durably and applies it
  with `remember` before anything leaves the witness: what it cannot recall having
  signed, it must not have signed.
- One frozen set a round: of (game, draw day, index) the witness releases its link for one
  f or affirms that it never will, across all segments of the day.
- Indices only rise. A link gives away all links below it, so below the last index nothing
  can be released any more, nor affirmed as unreleased: the result could be known by then.
- A question asked again gets the answer given before, whatever the clock says now.

The condition that a checkpoint of the log, consistent with the last one, holds the round's
facts takes its place in _RELEASE_CONDITIONS once the log is sealed.
"""

from collections.abc import Callable
from typing import TypeVar

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine.fairness import signing
from engine.fairness.records import (
    CancelRecord,
    DayRecord,
    FrozenRecord,
    day_parts,
    read_record,
    record_hash,
    slot_of,
)
from engine.fairness.witness_state import (
    Answer,
    Declined,
    Objection,
    RoundCancelled,
    RoundReleased,
    Signed,
    WitnessDay,
    WitnessState,
)
from engine.schedule import issue

_R = TypeVar("_R", FrozenRecord, CancelRecord)


class Released(msgspec.Struct, frozen=True):
    """The record to keep, and the link w_i to answer with once it is kept."""

    record: RoundReleased
    link: bytes


class Cancelled(msgspec.Struct, frozen=True):
    """The record to keep, and the link w_i, which a void reveals as a draw does."""

    record: RoundCancelled
    link: bytes


class _Segment(msgspec.Struct, frozen=True):
    """A day or segment whose record the witness has signed, among the others it knows."""

    state: WitnessState
    known: WitnessDay
    opened: DayRecord

    def answer(self, index: int) -> Answer | None:
        return self.known.answers.get(index)

    def link(self, index: int) -> bytes:
        return self.known.links[index]


def release(
    state: WitnessState, request: Signed, now: int, key: Ed25519PrivateKey
) -> Released | Declined:
    """Release the witness's link for one frozen set: `request` is a FrozenRecord.

    `now` is the witness's own clock in microseconds since the epoch.
    """
    asked = _authentic(state, request, FrozenRecord, signing.FROZEN)
    if isinstance(asked, Objection):
        return Declined(asked)
    segment, frozen = asked
    f = record_hash(frozen)
    given = segment.answer(frozen.i)
    if given is not None:
        return _released_before(segment, given, f)
    for condition in _RELEASE_CONDITIONS:
        objection = condition(segment, frozen, now)
        if objection is not None:
            return Declined(objection)
    signature = signing.sign(key, signing.RELEASE, f)
    record = RoundReleased(frozen.game, frozen.day, frozen.i, f, signature)
    return Released(record, segment.link(frozen.i))


def _released_before(segment: _Segment, given: Answer, f: bytes) -> Released | Declined:
    if isinstance(given, RoundCancelled):
        return Declined(Objection.ROUND_CANCELLED)
    if given.f != f:
        return Declined(Objection.ROUND_FROZEN_OTHERWISE)
    return Released(given, segment.link(given.i))


def cancel(state: WitnessState, request: Signed, key: Ed25519PrivateKey) -> Cancelled | Declined:
    """Affirm that a round was not released and never will be: `request` is a CancelRecord.

    Only this lets the operator void a round. It may be asked before the close and after.
    """
    asked = _authentic(state, request, CancelRecord, signing.CANCEL)
    if isinstance(asked, Objection):
        return Declined(asked)
    segment, record = asked
    given = segment.answer(record.i)
    if isinstance(given, RoundCancelled):
        return Cancelled(given, segment.link(given.i))
    if given is not None:
        return Declined(Objection.ROUND_RELEASED)
    objection = _round_unknown(segment, record.i) or _index_passed(segment, record.i)
    if objection is not None:
        return Declined(objection)
    signature = signing.sign(key, signing.CANCEL, request.content)
    cancelled = RoundCancelled(record.game, record.day, record.i, signature)
    return Cancelled(cancelled, segment.link(record.i))


def _authentic(
    state: WitnessState, request: Signed, kind: type[_R], domain: bytes
) -> tuple[_Segment, _R] | Objection:
    """A request's record with the segment it is about, once the operator is known to ask."""
    try:
        record = read_record(kind, request.content)
    except ValueError:
        return Objection.RECORD_MALFORMED
    known = state.days.get((record.game, record.day))
    if known is None or known.opened is None:
        answered = state.finished.get((record.game, record.day), 0)
        return Objection.DAY_FINISHED if record.i <= answered else Objection.DAY_UNKNOWN
    operator_key = bytes.fromhex(known.opened.operator_key)
    payload = record_hash(record) if domain == signing.FROZEN else request.content
    if not signing.verify(operator_key, domain, payload, request.signature):
        return Objection.SIGNATURE_INVALID
    return _Segment(state, known, known.opened), record


def _round_unknown(segment: _Segment, index: int) -> Objection | None:
    """A segment sells from its first round on, until a later segment takes over."""
    opened = segment.opened
    _, number = day_parts(opened.day)
    if not opened.first <= index <= opened.rounds:
        return Objection.ROUND_UNKNOWN
    taken_over = any(
        other_number > number and other.first <= index
        for other_number, other, _ in segment.state.other_segments(opened)
    )
    return Objection.ROUND_UNKNOWN if taken_over else None


def _index_passed(segment: _Segment, index: int) -> Objection | None:
    return Objection.INDEX_PASSED if index <= segment.known.last else None


def _close_wrong(segment: _Segment, frozen: FrozenRecord) -> Objection | None:
    due = slot_of(segment.opened, frozen.i)
    named = issue(segment.opened.schedule, due.date, frozen.i)
    agrees = (frozen.closes_at, frozen.issue) == (due.closes_at, named)
    return None if agrees else Objection.CLOSE_WRONG


def _still_open(frozen: FrozenRecord, now: int) -> Objection | None:
    return Objection.ROUND_STILL_OPEN if now < frozen.closes_at else None


_RELEASE_CONDITIONS: tuple[Callable[[_Segment, FrozenRecord, int], Objection | None], ...] = (
    lambda segment, frozen, _: _round_unknown(segment, frozen.i),
    lambda segment, frozen, _: _close_wrong(segment, frozen),
    lambda _, frozen, now: _still_open(frozen, now),
    lambda segment, frozen, _: _index_passed(segment, frozen.i),
)
