from dataclasses import dataclass, field

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.fairness import signing
from engine.fairness.beacon import DEFAULT, QUICKNET, BeaconNetwork
from engine.fairness.records import CancelRecord, FrozenRecord, read_record, record_hash
from engine.fairness.witness_decisions import (
    LinkCancelled,
    LinkReleased,
    cancel,
    open_day,
    record_tail,
    release,
    w_0,
)
from engine.fairness.witness_state import (
    DaySigned,
    Declined,
    DeclineReason,
    Signed,
    TailKept,
    WitnessRecord,
    WitnessState,
    apply_record,
)
from tests.engine.fairness.beacons import TEST_NETWORK
from tests.engine.fairness.parties import (
    DATE,
    GAME,
    OPERATOR_PUBLIC,
    ROUNDS,
    STRANGER_KEY,
    WITNESS_KEY,
    WITNESS_PUBLIC,
    WITNESS_TAIL,
    by_operator,
    closes_at,
    frozen_set,
    opened_day,
    witness_chain,
)

BEFORE_SALES = closes_at(1) - 1
OTHER_BETS = b"\x01" * 32


@dataclass
class Witness:
    """A witness that stores each record before it answers, as its program does."""

    state: WitnessState = field(default_factory=WitnessState)
    records: list[WitnessRecord] = field(default_factory=list)

    def append(self, record: WitnessRecord) -> None:
        self.records.append(record)
        self.state = apply_record(self.state, record)

    def opens(self, day: str = DATE, first: int = 1, now: int = BEFORE_SALES) -> Declined | None:
        tail = record_tail(self.state, GAME, day, ROUNDS, WITNESS_TAIL)
        if isinstance(tail, TailKept):
            self.append(tail)
        return self.sign_day(by_operator(opened_day(day, first)), now)

    def sign_day(self, request: Signed, now: int = BEFORE_SALES) -> Declined | None:
        answer = open_day(self.state, request, now, WITNESS_KEY, OPERATOR_PUBLIC)
        if isinstance(answer, Declined):
            return answer
        self.append(answer)
        return None

    def releases(
        self, frozen: FrozenRecord | Signed, now: int | None = None
    ) -> LinkReleased | Declined:
        request = frozen if isinstance(frozen, Signed) else by_operator(frozen)
        due = now if now is not None else read_record(FrozenRecord, request.content).closes_at
        answer = release(self.state, request, due, WITNESS_KEY)
        if isinstance(answer, LinkReleased):
            self.append(answer.record)
        return answer

    def cancels(self, i: int, day: str = DATE) -> LinkCancelled | Declined:
        request = by_operator(CancelRecord(day, GAME, i))
        answer = cancel(self.state, request, WITNESS_KEY)
        if isinstance(answer, LinkCancelled):
            self.append(answer.record)
        return answer


@pytest.fixture
def witness() -> Witness:
    opened = Witness()
    assert opened.opens() is None
    return opened


def test_the_anchor_of_a_stored_tail_is_the_start_of_the_witnesss_chain() -> None:
    witness = Witness()
    witness.opens()
    assert w_0(witness.state, GAME, DATE) == witness_chain()[0]


def test_a_day_keeps_its_first_tail() -> None:
    witness = Witness()
    witness.opens()
    again = record_tail(witness.state, GAME, DATE, ROUNDS, bytes(32))
    assert again == TailKept(GAME, DATE, ROUNDS, WITNESS_TAIL)
    other_length = record_tail(witness.state, GAME, DATE, ROUNDS - 1, bytes(32))
    assert other_length == Declined(DeclineReason.DAY_OPENED_OTHERWISE)


@pytest.mark.parametrize(
    ("game", "day", "rounds"),
    [("5", DATE, 9), ("01", DATE, 9), (GAME, "20261121", 9), (GAME, DATE, 0), (GAME, DATE, 86_401)],
)
def test_no_tail_is_stored_for_an_invalid_day_of_a_game(game: str, day: str, rounds: int) -> None:
    answer = record_tail(WitnessState(), game, day, rounds, WITNESS_TAIL)
    assert answer == Declined(DeclineReason.RECORD_MALFORMED)


def test_a_day_is_signed_as_the_operator_signed_it(witness: Witness) -> None:
    signed = witness.records[-1]
    assert isinstance(signed, DaySigned)
    assert signed.content == by_operator(opened_day()).content
    assert signing.verify(WITNESS_PUBLIC, signing.DAY, signed.content, signed.signature)


def test_a_day_signed_once_gets_the_same_signature_however_late(witness: Witness) -> None:
    request = by_operator(opened_day())
    again = open_day(witness.state, request, closes_at(ROUNDS), WITNESS_KEY, OPERATOR_PUBLIC)
    assert again == witness.records[-1]


def test_a_day_is_signed_on_one_set_of_terms_only(witness: Witness) -> None:
    other = msgspec.structs.replace(opened_day(), rules="00" * 32)
    answer = witness.sign_day(by_operator(other))
    assert answer == Declined(DeclineReason.DAY_OPENED_OTHERWISE)


DAY = opened_day()
SHORTER = msgspec.structs.replace(DAY.schedule, rounds=100)


@pytest.mark.parametrize(
    ("change", "objection"),
    [
        ({"day": "2026-11-22"}, DeclineReason.DAY_UNKNOWN),
        ({"game": "2"}, DeclineReason.DAY_UNKNOWN),
        ({"rounds": ROUNDS - 1}, DeclineReason.DAY_WRONG),
        ({"schedule": SHORTER, "rounds": 100}, DeclineReason.DAY_WRONG),
        ({"schedule": SHORTER}, DeclineReason.DAY_WRONG),
        ({"shift": 1}, DeclineReason.DAY_WRONG),
        ({"shift": -1}, DeclineReason.DAY_WRONG),
        ({"first": 0}, DeclineReason.DAY_WRONG),
        ({"first": ROUNDS + 1}, DeclineReason.DAY_WRONG),
        ({"beacon": "on"}, DeclineReason.DAY_WRONG),
        ({"beacon": "quicknet"}, DeclineReason.DAY_WRONG),
        ({"beacon": TEST_NETWORK.chain_hash}, DeclineReason.DAY_WRONG),
        ({"operator_key": "00" * 32}, DeclineReason.PARTY_WRONG),
        ({"witness_key": "00" * 32}, DeclineReason.PARTY_WRONG),
        ({"w_0": "00" * 32}, DeclineReason.ANCHOR_WRONG),
    ],
)
def test_a_day_on_other_terms_is_declined(
    change: dict[str, object], objection: DeclineReason
) -> None:
    witness = Witness()
    witness.append(TailKept(GAME, DATE, ROUNDS, WITNESS_TAIL))
    request = by_operator(msgspec.structs.replace(DAY, **change))
    assert witness.sign_day(request) == Declined(objection)
    assert witness.sign_day(by_operator(DAY)) is None


@pytest.mark.parametrize("network", [QUICKNET, DEFAULT], ids=lambda network: network.name)
def test_a_day_may_name_a_beacon_whose_rounds_can_be_verified(network: BeaconNetwork) -> None:
    witness = Witness()
    witness.append(TailKept(GAME, DATE, ROUNDS, WITNESS_TAIL))
    with_beacon = msgspec.structs.replace(DAY, beacon=network.chain_hash)
    assert witness.sign_day(by_operator(with_beacon)) is None
    assert witness.sign_day(by_operator(DAY)) == Declined(DeclineReason.DAY_OPENED_OTHERWISE)


@pytest.mark.parametrize(("shift", "first"), [(5, 5), (5, 3), (-1, 1)])
def test_a_days_rounds_all_have_a_place_in_its_schedule(shift: int, first: int) -> None:
    rounds = ROUNDS + shift
    witness = Witness()
    witness.append(TailKept(GAME, DATE, rounds, WITNESS_TAIL))
    record = msgspec.structs.replace(
        DAY, shift=shift, first=first, rounds=rounds, w_0=w_0(witness.state, GAME, DATE).hex()
    )
    assert witness.sign_day(by_operator(record)) == Declined(DeclineReason.DAY_WRONG)
    if shift > 0:
        taken_up = msgspec.structs.replace(record, first=shift + 1)
        assert witness.sign_day(by_operator(taken_up)) is None


def test_a_day_is_declined_once_its_first_round_has_closed() -> None:
    assert Witness().opens(now=closes_at(1)) == Declined(DeclineReason.DAY_LATE)
    assert Witness().opens(now=closes_at(1) - 1) is None
    assert Witness().opens(first=2, now=closes_at(2) - 1) is None


def test_only_the_known_operator_opens_a_day() -> None:
    witness = Witness()
    witness.append(TailKept(GAME, DATE, ROUNDS, WITNESS_TAIL))
    forged = by_operator(DAY, key=STRANGER_KEY)
    assert witness.sign_day(forged) == Declined(DeclineReason.SIGNATURE_INVALID)
    assert witness.sign_day(Signed(b"{}", b"")) == Declined(DeclineReason.RECORD_MALFORMED)


def test_a_release_gives_the_rounds_link_and_a_signature_over_f(witness: Witness) -> None:
    answer = witness.releases(frozen_set(7))
    assert isinstance(answer, LinkReleased)
    assert answer.link == witness_chain()[7]
    f = record_hash(frozen_set(7))
    assert answer.record.f == f
    assert signing.verify(WITNESS_PUBLIC, signing.RELEASE, f, answer.record.signature)


def test_nothing_is_released_before_the_close_by_the_witnesss_own_clock(witness: Witness) -> None:
    early = witness.releases(frozen_set(7), now=closes_at(7) - 1)
    assert early == Declined(DeclineReason.ROUND_STILL_OPEN)
    assert isinstance(witness.releases(frozen_set(7), now=closes_at(7)), LinkReleased)


def test_a_second_set_for_a_round_is_declined(witness: Witness) -> None:
    witness.releases(frozen_set(7))
    second = witness.releases(frozen_set(7, bets=OTHER_BETS))
    assert second == Declined(DeclineReason.ROUND_FROZEN_OTHERWISE)


def test_the_same_set_sent_again_gets_the_same_answer_at_any_time(witness: Witness) -> None:
    first = witness.releases(frozen_set(7))
    witness.releases(frozen_set(9))
    assert witness.releases(frozen_set(7), now=0) == first


def test_no_index_below_the_last_is_released(witness: Witness) -> None:
    witness.releases(frozen_set(9))
    assert witness.releases(frozen_set(8)) == Declined(DeclineReason.INDEX_PASSED)
    assert isinstance(witness.releases(frozen_set(10)), LinkReleased)


def test_no_index_below_a_cancelled_one_is_released(witness: Witness) -> None:
    witness.cancels(9)
    assert witness.releases(frozen_set(8)) == Declined(DeclineReason.INDEX_PASSED)


@pytest.mark.parametrize(
    ("change", "objection"),
    [
        ({"day": "2026-11-22"}, DeclineReason.DAY_UNKNOWN),
        ({"i": 0}, DeclineReason.ROUND_UNKNOWN),
        ({"i": -1}, DeclineReason.ROUND_UNKNOWN),
        ({"i": ROUNDS + 1}, DeclineReason.ROUND_UNKNOWN),
        ({"i": 8}, DeclineReason.CLOSE_WRONG),
        ({"closes_at": closes_at(7) - 1}, DeclineReason.CLOSE_WRONG),
        ({"closes_at": closes_at(7) + 1}, DeclineReason.CLOSE_WRONG),
        ({"issue": "20261121008"}, DeclineReason.CLOSE_WRONG),
    ],
)
def test_a_set_that_does_not_fit_the_day_is_declined(
    witness: Witness, change: dict[str, object], objection: DeclineReason
) -> None:
    frozen = msgspec.structs.replace(frozen_set(7), **change)
    assert witness.releases(frozen, now=closes_at(ROUNDS)) == Declined(objection)


def test_only_the_operators_signature_over_this_set_releases(witness: Witness) -> None:
    honest, other = by_operator(frozen_set(7)), by_operator(frozen_set(7, bets=OTHER_BETS))
    for forged in (
        by_operator(frozen_set(7), key=STRANGER_KEY),
        by_operator(frozen_set(7), key=WITNESS_KEY),
        Signed(honest.content, other.signature),
        Signed(honest.content, bytes(64)),
        Signed(honest.content, b""),
    ):
        assert witness.releases(forged) == Declined(DeclineReason.SIGNATURE_INVALID)
    assert isinstance(witness.releases(honest), LinkReleased)


def test_a_set_in_any_but_its_canonical_bytes_is_declined(witness: Witness) -> None:
    content = by_operator(frozen_set(7)).content + b" "
    answer = witness.releases(Signed(content, b""), now=closes_at(7))
    assert answer == Declined(DeclineReason.RECORD_MALFORMED)


def test_nothing_is_released_for_a_day_that_was_not_signed() -> None:
    witness = Witness()
    witness.append(TailKept(GAME, DATE, ROUNDS, WITNESS_TAIL))
    assert witness.releases(frozen_set(7)) == Declined(DeclineReason.DAY_UNKNOWN)
    assert witness.cancels(7) == Declined(DeclineReason.DAY_UNKNOWN)


def test_a_cancellation_is_signed_and_reveals_the_link(witness: Witness) -> None:
    answer = witness.cancels(7)
    assert isinstance(answer, LinkCancelled)
    content = by_operator(CancelRecord(DATE, GAME, 7)).content
    assert signing.verify(WITNESS_PUBLIC, signing.CANCEL, content, answer.record.signature)
    assert answer.link == witness_chain()[7]
    assert witness.cancels(7) == answer


def test_a_cancelled_round_is_never_released(witness: Witness) -> None:
    witness.cancels(7)
    assert witness.releases(frozen_set(7)) == Declined(DeclineReason.ROUND_CANCELLED)


def test_a_released_round_is_never_cancelled(witness: Witness) -> None:
    witness.releases(frozen_set(7))
    assert witness.cancels(7) == Declined(DeclineReason.ROUND_RELEASED)


def test_no_round_whose_link_may_be_known_is_cancelled(witness: Witness) -> None:
    """w_9 reveals w_8: the result of round 8 may be known, so a void could be chosen by it."""
    witness.releases(frozen_set(9))
    assert witness.cancels(8) == Declined(DeclineReason.INDEX_PASSED)


def test_only_the_operator_cancels_and_only_rounds_of_the_day(witness: Witness) -> None:
    forged = by_operator(CancelRecord(DATE, GAME, 7), key=STRANGER_KEY)
    declined = cancel(witness.state, forged, WITNESS_KEY)
    assert declined == Declined(DeclineReason.SIGNATURE_INVALID)
    for i in (-1, 0, ROUNDS + 1):
        assert witness.cancels(i) == Declined(DeclineReason.ROUND_UNKNOWN)


def test_a_segment_takes_up_the_day_where_the_one_before_left_it(witness: Witness) -> None:
    witness.releases(frozen_set(9))
    assert witness.opens(f"{DATE}/1", first=9) == Declined(DeclineReason.SEGMENT_PASSED)
    assert witness.opens(f"{DATE}/2", first=10) is None
    assert witness.opens(f"{DATE}/1", first=11) == Declined(DeclineReason.SEGMENT_PASSED)


def test_a_round_is_released_in_one_segment_only(witness: Witness) -> None:
    witness.opens(f"{DATE}/1", first=10)
    assert isinstance(witness.releases(frozen_set(9)), LinkReleased)
    assert witness.releases(frozen_set(10)) == Declined(DeclineReason.ROUND_UNKNOWN)
    assert witness.cancels(10) == Declined(DeclineReason.ROUND_UNKNOWN)
    earlier = frozen_set(9, bets=OTHER_BETS, day=f"{DATE}/1")
    assert witness.releases(earlier) == Declined(DeclineReason.ROUND_UNKNOWN)
    assert isinstance(witness.releases(frozen_set(10, day=f"{DATE}/1")), LinkReleased)


def test_a_restarted_witness_has_the_same_state(
    witness: Witness,
) -> None:
    witness.releases(frozen_set(3))
    witness.cancels(4)
    witness.opens(f"{DATE}/1", first=5)
    restarted = WitnessState()
    for record in [one for saved in witness.records for one in (saved, saved)]:
        stored = msgspec.msgpack.encode(record)
        restarted = apply_record(restarted, msgspec.msgpack.decode(stored, type=WitnessRecord))
    assert restarted == witness.state


def test_secrets_do_not_appear_in_the_repr_of_state_and_records(witness: Witness) -> None:
    shown = repr(witness.state) + repr(witness.records)
    for secret in witness_chain()[1:]:
        assert repr(secret) not in shown
        assert secret.hex() not in shown


DAYS = (DATE, f"{DATE}/1", f"{DATE}/2")
indices = st.integers(1, 6)
kinds = st.sampled_from(["open", "release", "release other", "cancel"])
requests = st.tuples(kinds, st.sampled_from(DAYS), indices, st.integers(0, 7))


def _request(
    witness: Witness, what: str, day: str, i: int, now: int
) -> LinkReleased | LinkCancelled | Declined | None:
    match what:
        case "open":
            return witness.opens(day, i, now)
        case "cancel":
            return witness.cancels(i, day)
        case "release":
            return witness.releases(frozen_set(i, day=day), now)
        case _:
            return witness.releases(frozen_set(i, OTHER_BETS, day), now)


@given(st.lists(requests, max_size=25))
def test_for_any_requests_one_set_a_round_is_released_after_its_close_in_rising_order(
    sequence: list[tuple[str, str, int, int]],
) -> None:
    witness = Witness()
    witness.opens()
    answered: dict[int, object] = {}
    last: dict[str, int] = {}
    for what, day, i, closed in sequence:
        now = closes_at(closed) if closed else BEFORE_SALES - 1
        answer = _request(witness, what, day, i, now)
        if answer is None or isinstance(answer, Declined):
            continue
        assert isinstance(answer, LinkCancelled) or now >= closes_at(i) or i in answered
        assert answered.setdefault(i, (what, day)) == (what, day)
        assert answer.link == witness_chain(day)[i]
        assert i > last.get(day, 0) or answer.record in witness.records[:-1]
        last[day] = max(i, last.get(day, 0))
