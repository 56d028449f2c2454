"""The witness at the opening of a day: first its tail, then its signature under DayOpened.

The tail is stored before w_0 is sent, and the day's record is signed only once: every round of the
day is checked against the schedule, the parties and both anchors in it.
"""

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine.catalogue import GAMES
from engine.fairness import signing
from engine.fairness.records import (
    BEACON_OFF,
    MAX_ROUNDS,
    DayRecord,
    day_parts,
    read_record,
    slot_of,
)
from engine.fairness.witness_state import (
    DayFinished,
    DaySigned,
    Declined,
    DeclineReason,
    Signed,
    TailKept,
    WitnessDay,
    WitnessState,
)
from engine.schedule import rounds_on

MAX_DATES_KEPT = 2


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


def finish_days(state: WitnessState) -> list[DayFinished]:
    """The short records of the days about which no request is expected any more.

    Those are all but the newest dates of each game for which it has signed a day: a round that was
    released and not drawn may still be requested when the next day opens.
    """
    signed: dict[str, set[str]] = {}
    for (game, day), witness_day in state.days.items():
        if witness_day.opened is not None:
            signed.setdefault(game, set()).add(day_parts(day)[0])
    oldest = {game: sorted(dates)[-MAX_DATES_KEPT:][0] for game, dates in signed.items()}
    return [
        DayFinished(game, day, witness_day.last)
        for (game, day), witness_day in state.days.items()
        if day_parts(day)[0] < oldest.get(game, "")
    ]


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
        record.beacon == BEACON_OFF
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
