"""A round's life cycle: opened once and in time, closed at its close, voided only if unreleased."""

from msgspec.structs import replace

from engine.answers import Refused
from engine.fairness.merkle import EMPTY_HEAD
from engine.fairness.records import record_hash
from engine.fairness.signing import FROZEN, verify
from engine.house.game_day import track_round
from engine.refusals import Refusal
from engine.rounds import state as rounds
from engine.rounds.decisions import close_round, finish, finish_void, may_void, open_round
from engine.rounds.facts import RoundClosed, RoundOpened, RoundSettled, RoundVoided
from engine.rounds.state import record_of
from engine.schedule import SECOND_US
from tests.engine.a_round import ARound, flipped, sign
from tests.engine.fairness import parties
from tests.engine.given import a_bet, member, open_game

NOT_DUE = Refused(Refusal.ROUND_NOT_DUE)


def closing(one: ARound, now: int) -> RoundClosed:
    facts = close_round(one.round, one.game.prev, now, sign)
    assert isinstance(facts, list), facts
    (fact,) = facts
    assert isinstance(fact, RoundClosed)
    return fact


# Opening.


def test_a_round_opens_with_its_days_name_odds_and_number() -> None:
    one = ARound()
    (fact,) = open_round(one.opening(), one.game, one.place.opens_at)  # type: ignore[misc]
    assert fact == RoundOpened(
        1,
        parties.DATE,
        1,
        "20261121001",
        one.place.opens_at,
        one.place.closes_at,
        one.place.draws_at,
        "card-21.04.02",
    )


def test_a_round_opens_once() -> None:
    one = ARound().opened()
    assert open_round(one.opening(), one.game, one.place.opens_at) == []


def test_an_earlier_round_never_opens_again() -> None:
    game = ARound(5).opened().game
    assert open_round(ARound(4, game).opening(), game, ARound(4, game).place.opens_at) == []


def test_a_round_opens_from_its_opening_until_its_close() -> None:
    one = ARound()
    assert open_round(one.opening(), one.game, one.place.opens_at - 1) == NOT_DUE
    assert isinstance(open_round(one.opening(), one.game, one.place.closes_at - 1), list)
    assert open_round(one.opening(), one.game, one.place.closes_at) == NOT_DUE


# Closing.


def test_a_round_closes_at_its_close_and_not_before() -> None:
    one = ARound().opened()
    assert close_round(one.round, one.game.prev, one.place.closes_at - 1, sign) == NOT_DUE
    assert closing(one, one.place.closes_at).closes_at == one.place.closes_at
    assert closing(one, one.place.closes_at + SECOND_US).closes_at == one.place.closes_at


def test_a_closed_round_is_not_closed_again() -> None:
    one = ARound().opened().closed()
    assert close_round(one.round, one.game.prev, one.place.closes_at, sign) == []


def test_the_close_freezes_the_unrecalled_bets_in_log_order() -> None:
    one = ARound().opened()
    for number, kind in enumerate(("big", "small", "big", "13")):
        one.with_bet(a_bet(f"bet-{number}", 1_000 * (number + 1), kind=kind), member(10_000))
    one.round.book.remove("bet-0")
    one.round.book.merge()
    closed = closing(one, one.place.closes_at)
    assert (closed.count, closed.stake_minor) == (3, 9_000)
    assert closed.stakes == {"small": 2_000, "big": 3_000, "13": 4_000}
    in_another_order = ARound().opened()
    for number, kind in ((2, "big"), (1, "small"), (3, "13")):
        bet = a_bet(f"bet-{number}", 1_000 * (number + 1), kind=kind)
        in_another_order.with_bet(bet, member(10_000))
    assert closing(in_another_order, one.place.closes_at).bets != closed.bets


def test_a_kind_that_was_wholly_recalled_is_not_in_the_frozen_record() -> None:
    one = ARound().opened().with_bet(a_bet("gone"), member(1_000))
    one.round.book.remove("gone")
    assert closing(one, one.place.closes_at).stakes == {}


def test_a_round_without_bets_freezes_the_empty_head() -> None:
    closed = closing(ARound().opened(), ARound().place.closes_at)
    assert (closed.count, closed.stake_minor) == (0, 0)
    assert closed.bets == EMPTY_HEAD.hex()


def test_the_frozen_record_is_hashed_signed_and_chained_to_the_one_before() -> None:
    first = ARound().opened()
    day_hash = first.game.prev
    first.closed()
    second = ARound(2, first.game).opened().closed()
    assert first.round.closed is not None
    assert second.round.closed is not None
    assert first.round.closed.prev == day_hash
    assert second.round.closed.prev == first.round.closed.frozen
    for closed in (first.round.closed, second.round.closed):
        frozen = record_hash(record_of(closed))
        assert closed.frozen == frozen.hex()
        assert verify(parties.OPERATOR_PUBLIC, FROZEN, frozen, bytes.fromhex(closed.signature))


# Settled when no bet is left open.


def test_a_round_is_settled_when_its_last_bet_is_answered() -> None:
    one = ARound().opened().with_bet(a_bet("one"), member(1_000))
    one.with_bet(a_bet("two", 500), member(500, player=2)).closed()
    assert finish(one.round) == []
    one.drawn()
    assert finish(one.round) == []
    rounds.record_bet_result(one.round, "one", 1_000, 1_980)
    assert finish(one.round) == []
    rounds.record_bet_result(one.round, "two", 500, 0)
    (settled,) = finish(one.round)
    assert settled == RoundSettled(1, one.round.issue, 2, 1_500, 1_980)
    one.happens(settled)
    assert finish(one.round) == []
    assert one.round.finished


# Voided only before any secret is revealed.


def test_a_closed_round_is_voided_with_the_witnesss_cancellation() -> None:
    one = ARound().opened().with_bet(a_bet("one"), member(1_000)).closed()
    void = one.voiding()
    assert may_void(void, one.round, one.game) is None
    assert finish_void(void, one.round) == []
    rounds.record_bet_result(one.round, "one", 1_000, 1_000)
    (voided,) = finish_void(void, one.round)
    assert voided == RoundVoided(
        1,
        one.round.issue,
        "incident",
        1,
        1_000,
        void.witness_signature,
        one.index,
        void.operator_secret,
        void.witness_secret,
    )


def test_a_voided_round_reveals_both_links_and_no_other() -> None:
    one = ARound().opened().closed()
    void = one.voiding()
    wrong = Refused(Refusal.SECRET_WRONG)
    for field in ("operator_secret", "witness_secret"):
        forged = replace(void, **{field: flipped(getattr(void, field))})
        assert may_void(forged, one.round, one.game) == wrong
    (voided,) = finish_void(void, one.round)
    track_round(one.game, voided)
    assert one.game.revealed == (one.index, void.operator_secret, void.witness_secret)


def test_a_cancellation_of_another_round_or_day_or_by_another_key_voids_nothing() -> None:
    one = ARound(2, ARound().opened().closed().game).opened().closed()
    wrong = Refused(Refusal.SECRET_WRONG, "witness_signature")
    assert may_void(one.voiding(index=1), one.round, one.game) == wrong
    assert may_void(one.voiding(day="2026-11-22"), one.round, one.game) == wrong
    assert may_void(replace(one.voiding(), witness_signature=""), one.round, one.game) == wrong
    released = replace(one.voiding(), witness_signature=one.drawing().witness_signature)
    assert may_void(released, one.round, one.game) == wrong


def test_only_a_closed_and_undrawn_round_is_voided() -> None:
    one = ARound().opened()
    assert may_void(one.voiding(), one.round, one.game) == NOT_DUE
    one.closed().drawn()
    assert may_void(one.voiding(), one.round, one.game) == NOT_DUE


def test_the_next_days_first_round_is_chained_to_its_own_day() -> None:
    assert ARound().opened().game.prev == open_game().prev
