"""The witness's rules, as pure decisions over what it has signed so far.

Rules:
- Every decision returns the record to store. The caller stores it durably and applies it with
  `apply_record` before the witness sends anything: the witness must never sign something of which
  it has no record.
- The tail of a day is stored before w_0 is sent, and the day's record is signed only once: every
  round of the day is checked against the schedule, the parties and both anchors in it.
- One frozen set a round: for (game, draw day, index) the witness releases its link for one f, or
  affirms that it never will, across all segments of the day.
- Indices only rise. A link reveals all links below it. So for an index below the last one the
  witness neither releases a link nor affirms one as unreleased: the result could be known by then.
- A repeated request gets the earlier answer, whatever the time is now.

A witness that cosigns the house's log has one more condition for a release, in
`engine.runtime.witness.log_evidence`: a checkpoint that it cosigned contains the round's facts.
"""

from collections.abc import Callable
from typing import TypeVar

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine.catalogue import GAMES
from engine.fairness import merkle, signing
from engine.fairness.beacon import is_beacon_mode
from engine.fairness.canonical import canonical
from engine.fairness.records import (
    MAX_ROUNDS,
    CancelRecord,
    DayRecord,
    FinishedRecord,
    FrozenRecord,
    day_parts,
    read_record,
    record_hash,
    slot_of,
)
from engine.fairness.witness_state import (
    DayFinished,
    DaySigned,
    Declined,
    DeclineReason,
    FinishedDay,
    ReleasesSummed,
    RoundCancelled,
    RoundReleased,
    Signed,
    TailKept,
    WitnessAnswer,
    WitnessDay,
    WitnessState,
)
from engine.schedule import issue, rounds_on

MAX_DATES_KEPT = 2
_R = TypeVar("_R", FrozenRecord, CancelRecord)


def record_tail(
    state: WitnessState, game: str, day: str, rounds: int, tail: bytes
) -> TailKept | Declined:
    """The tail to store for a day; once it is stored, `w_0(state, game, day)` may be sent.

    `tail` is 32 fresh random bytes, ignored if the day already has a tail: the first w_0 sent stays
    the day's.
    """
    if not _is_day_of_a_game(game, day) or not 1 <= rounds <= MAX_ROUNDS:
        return Declined(DeclineReason.RECORD_MALFORMED)
    if state.is_finished(game, day_parts(day)[0]):
        return Declined(DeclineReason.DAY_FINISHED)
    witness_day = state.days.get((game, day))
    if witness_day is not None and witness_day.rounds != rounds:
        return Declined(DeclineReason.DAY_OPENED_OTHERWISE)
    return TailKept(game, day, rounds, tail if witness_day is None else witness_day.links[-1])


def _is_day_of_a_game(game: str, day: str) -> bool:
    try:
        day_parts(day)
    except ValueError:
        return False
    return game in {str(each) for each in GAMES}


def finish_days(state: WitnessState, key: Ed25519PrivateKey) -> list[FinishedDay]:
    """The short records of the days about which no request is expected any more.

    These are all but the newest dates of each game for which it has signed a day: a round that was
    released and not drawn may still be requested when the next day opens. A signed day keeps the
    root over its releases.
    """
    signed: dict[str, set[str]] = {}
    for (game, day), witness_day in state.days.items():
        if witness_day.opened is not None:
            signed.setdefault(game, set()).add(day_parts(day)[0])
    oldest = {game: sorted(dates)[-MAX_DATES_KEPT:][0] for game, dates in signed.items()}
    return [
        _finished(game, day, witness_day, key)
        for (game, day), witness_day in state.days.items()
        if day_parts(day)[0] < oldest.get(game, "")
    ]


def _finished(game: str, day: str, witness_day: WitnessDay, key: Ed25519PrivateKey) -> FinishedDay:
    if witness_day.opened is None:
        return DayFinished(game, day, witness_day.last)
    released = sorted(
        (each.i, each.f) for each in witness_day.answers.values() if isinstance(each, RoundReleased)
    )
    entries = [record_hash(witness_day.opened), *(i.to_bytes(4, "big") + f for i, f in released)]
    root = merkle.tree_head([merkle.leaf_hash(entry) for entry in entries])
    record = FinishedRecord(day, game, len(released), root.hex())
    signature = signing.sign(key, signing.FINISHED, canonical(record))
    return ReleasesSummed(game, day, witness_day.last, len(released), root, signature)


def w_0(state: WitnessState, game: str, day: str) -> bytes:
    """The anchor of the witness's chain; raises KeyError for a day without a tail."""
    return state.days[game, day].links[0]


def open_day(
    state: WitnessState,
    request: Signed,
    now: int,
    key: Ed25519PrivateKey,
    operator_key: bytes,
) -> DaySigned | Declined:
    """Sign DayOpened: `request` is a DayRecord by the operator whose raw key is known.

    `now` is the witness's own clock in microseconds since the epoch.
    """
    try:
        record = read_record(DayRecord, request.content)
    except ValueError:
        return Declined(DeclineReason.RECORD_MALFORMED)
    witness_day = state.days.get((record.game, record.day))
    if witness_day is None:
        return Declined(DeclineReason.DAY_UNKNOWN)
    if not signing.verify(operator_key, signing.DAY, request.content, request.signature):
        return Declined(DeclineReason.SIGNATURE_INVALID)
    if witness_day.signed is not None:
        same = witness_day.signed.content == request.content
        return witness_day.signed if same else Declined(DeclineReason.DAY_OPENED_OTHERWISE)
    parties = (operator_key.hex(), signing.public_bytes(key).hex())
    reason = _decline_reason(state, witness_day, record, now, parties)
    if reason is not None:
        return Declined(reason)
    return DaySigned(request.content, signing.sign(key, signing.DAY, request.content))


def _decline_reason(
    state: WitnessState,
    witness_day: WitnessDay,
    record: DayRecord,
    now: int,
    parties: tuple[str, str],
) -> DeclineReason | None:
    if not _is_day_of_its_schedule(record) or record.rounds != witness_day.rounds:
        return DeclineReason.DAY_WRONG
    if (record.operator_key, record.witness_key) != parties:
        return DeclineReason.PARTY_WRONG
    if record.w_0 != witness_day.links[0].hex():
        return DeclineReason.ANCHOR_WRONG
    if not _follows_other_segments(state, record):
        return DeclineReason.SEGMENT_PASSED
    if now >= slot_of(record, record.first).closes_at:
        return DeclineReason.DAY_LATE
    return None


def _is_day_of_its_schedule(record: DayRecord) -> bool:
    draw_day, _ = day_parts(record.day)
    return (
        is_beacon_mode(record.beacon)
        and record.shift >= 0
        and record.rounds == record.shift + rounds_on(record.schedule, draw_day)
        and record.shift < record.first <= record.rounds
    )


def _follows_other_segments(state: WitnessState, record: DayRecord) -> bool:
    """Whether a record continues its draw day where all other segments have stopped.

    Otherwise a round released in one segment could be drawn again in another.
    """
    _, segment = day_parts(record.day)
    return all(
        other_segment < segment and witness_day.last < record.first
        for other_segment, _, witness_day in state.other_segments(record)
    )


class LinkReleased(msgspec.Struct, frozen=True):
    """The record to store, and the link w_i to answer with once it is stored."""

    record: RoundReleased
    link: bytes


class LinkCancelled(msgspec.Struct, frozen=True):
    """The record to store, and the link w_i: a void reveals it, as a draw does."""

    record: RoundCancelled
    link: bytes


class _Segment(msgspec.Struct, frozen=True):
    """A day or segment whose record the witness has signed, and its number among the others."""

    state: WitnessState
    witness_day: WitnessDay
    opened: DayRecord

    def answer(self, index: int) -> WitnessAnswer | None:
        return self.witness_day.answers.get(index)

    def link(self, index: int) -> bytes:
        return self.witness_day.links[index]


def release(
    state: WitnessState, request: Signed, now: int, key: Ed25519PrivateKey
) -> LinkReleased | Declined:
    """Release the witness's link for one frozen set: `request` is a FrozenRecord.

    `now` is the witness's own clock in microseconds since the epoch.
    """
    result = _authentic(state, request, FrozenRecord, signing.FROZEN)
    if isinstance(result, DeclineReason):
        return Declined(result)
    segment, frozen = result
    f = record_hash(frozen)
    existing = segment.answer(frozen.i)
    if existing is not None:
        return _released_before(segment, existing, f)
    for condition in _RELEASE_CONDITIONS:
        reason = condition(segment, frozen, now)
        if reason is not None:
            return Declined(reason)
    signature = signing.sign(key, signing.RELEASE, f)
    record = RoundReleased(frozen.game, frozen.day, frozen.i, f, signature)
    return LinkReleased(record, segment.link(frozen.i))


def _released_before(
    segment: _Segment, existing: WitnessAnswer, f: bytes
) -> LinkReleased | Declined:
    if isinstance(existing, RoundCancelled):
        return Declined(DeclineReason.ROUND_CANCELLED)
    if existing.f != f:
        return Declined(DeclineReason.ROUND_FROZEN_OTHERWISE)
    return LinkReleased(existing, segment.link(existing.i))


def cancel(
    state: WitnessState, request: Signed, key: Ed25519PrivateKey
) -> LinkCancelled | Declined:
    """Affirm that a round was not released and never will be: `request` is a CancelRecord.

    Without this the operator cannot void a round as attested. It may be requested before the close
    and after.
    """
    result = _authentic(state, request, CancelRecord, signing.CANCEL)
    if isinstance(result, DeclineReason):
        return Declined(result)
    segment, record = result
    existing = segment.answer(record.i)
    if isinstance(existing, RoundCancelled):
        return LinkCancelled(existing, segment.link(existing.i))
    if existing is not None:
        return Declined(DeclineReason.ROUND_RELEASED)
    reason = _round_unknown(segment, record.i) or _index_passed(segment, record.i)
    if reason is not None:
        return Declined(reason)
    signature = signing.sign(key, signing.CANCEL, request.content)
    cancelled = RoundCancelled(record.game, record.day, record.i, signature)
    return LinkCancelled(cancelled, segment.link(record.i))


def _authentic(
    state: WitnessState, request: Signed, kind: type[_R], domain: bytes
) -> tuple[_Segment, _R] | DeclineReason:
    """A request's record with its segment, once the operator's signature is verified."""
    try:
        record = read_record(kind, request.content)
    except ValueError:
        return DeclineReason.RECORD_MALFORMED
    witness_day = state.days.get((record.game, record.day))
    if witness_day is None or witness_day.opened is None:
        finished = state.finished.get((record.game, record.day))
        is_past = finished is not None and record.i <= finished.last
        return DeclineReason.DAY_FINISHED if is_past else DeclineReason.DAY_UNKNOWN
    operator_key = bytes.fromhex(witness_day.opened.operator_key)
    payload = record_hash(record) if domain == signing.FROZEN else request.content
    if not signing.verify(operator_key, domain, payload, request.signature):
        return DeclineReason.SIGNATURE_INVALID
    return _Segment(state, witness_day, witness_day.opened), record


def _round_unknown(segment: _Segment, index: int) -> DeclineReason | None:
    """A segment sells from its first round on, until a later segment replaces it."""
    opened = segment.opened
    _, number = day_parts(opened.day)
    if not opened.first <= index <= opened.rounds:
        return DeclineReason.ROUND_UNKNOWN
    taken_over = any(
        other_number > number and other.first <= index
        for other_number, other, _ in segment.state.other_segments(opened)
    )
    return DeclineReason.ROUND_UNKNOWN if taken_over else None


def _index_passed(segment: _Segment, index: int) -> DeclineReason | None:
    return DeclineReason.INDEX_PASSED if index <= segment.witness_day.last else None


def _close_wrong(segment: _Segment, frozen: FrozenRecord) -> DeclineReason | None:
    due = slot_of(segment.opened, frozen.i)
    named = issue(segment.opened.schedule, due.date, frozen.i)
    agrees = (frozen.closes_at, frozen.issue) == (due.closes_at, named)
    return None if agrees else DeclineReason.CLOSE_WRONG


def _still_open(frozen: FrozenRecord, now: int) -> DeclineReason | None:
    return DeclineReason.ROUND_STILL_OPEN if now < frozen.closes_at else None


_RELEASE_CONDITIONS: tuple[Callable[[_Segment, FrozenRecord, int], DeclineReason | None], ...] = (
    lambda segment, frozen, _: _round_unknown(segment, frozen.i),
    lambda segment, frozen, _: _close_wrong(segment, frozen),
    lambda _, frozen, now: _still_open(frozen, now),
    lambda segment, frozen, _: _index_passed(segment, frozen.i),
)
