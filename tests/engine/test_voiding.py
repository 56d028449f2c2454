"""Which void a round that cannot be drawn gets, and that one that can be drawn gets none."""

import pytest

from engine.answers import Refused
from engine.fairness.witness_state import DeclineReason
from engine.house.facts import DayOpened
from engine.refusals import Refusal
from engine.rounds.commands import RuleVoid
from engine.rounds.facts import RoundFact, Status, VoidRuled
from engine.rounds.voiding import UNATTESTED_AFTER_US, rule_void
from tests.engine.a_round import ARound, flipped

AGREED = ("the journal is lost", "staff:ann", "staff:ben")


def closed(index: int = 3) -> ARound:
    at_hand = ARound(index).opened().closed()
    assert isinstance(at_hand.game.opened, DayOpened)
    at_hand.round.segment = at_hand.game.opened
    return at_hand


def ruling(at_hand: ARound, **answers: str) -> RuleVoid:
    """What the chains and the witness say, which is nothing but what is named."""
    nothing = dict.fromkeys(
        ("operator_secret", "witness_secret", "released", "cancelled", "answer"), ""
    )
    return RuleVoid(at_hand.round.opened.game, at_hand.round.issue, **{**nothing, **answers})


def ruled(
    at_hand: ARound, command: RuleVoid, *, late: bool = True
) -> list[RoundFact] | Refused | str:
    """The status of the void, or why there is none."""
    now = at_hand.place.draws_at if not late else at_hand.place.closes_at + UNATTESTED_AFTER_US
    found = rule_void(command, at_hand.round, AGREED, now)
    if isinstance(found, list) and found:
        (fact,) = found
        assert isinstance(fact, VoidRuled)
        return fact.status
    return found


def test_a_round_with_a_release_and_both_links_is_drawn_and_never_voided() -> None:
    """No way to choose among results."""
    at_hand = closed()
    true = at_hand.drawing()
    known = ruling(
        at_hand,
        operator_secret=true.operator_secret,
        witness_secret=true.witness_secret,
        released=true.witness_signature,
    )
    assert ruled(at_hand, known) == Refused(Refusal.ROUND_DRAWABLE)
    asked_again = ruling(
        at_hand, operator_secret=true.operator_secret, answer=DeclineReason.ROUND_RELEASED
    )
    assert ruled(at_hand, asked_again) == Refused(Refusal.ROUND_DRAWABLE)


@pytest.mark.parametrize("lost", ["", "flipped"])
def test_a_release_without_the_operators_link_is_a_breach(lost: str) -> None:
    at_hand = closed()
    true = at_hand.drawing()
    known = ruling(
        at_hand,
        operator_secret=flipped(true.operator_secret) if lost else "",
        witness_secret=true.witness_secret,
        released=true.witness_signature,
    )
    assert ruled(at_hand, known, late=False) == Status.BREACH


def test_a_witness_that_released_another_set_makes_it_a_breach() -> None:
    at_hand = closed()
    answer = DeclineReason.ROUND_FROZEN_OTHERWISE
    assert ruled(at_hand, ruling(at_hand, answer=answer), late=False) == Status.BREACH


def test_the_witnesss_word_that_nothing_was_released_makes_it_attested() -> None:
    at_hand = closed()
    word = at_hand.voiding().witness_signature
    assert ruled(at_hand, ruling(at_hand, cancelled=word), late=False) == Status.ATTESTED


@pytest.mark.parametrize("answer", ["", DeclineReason.DAY_UNKNOWN, DeclineReason.INDEX_PASSED])
def test_without_any_word_of_the_witness_it_is_unattested_after_half_an_hour(answer: str) -> None:
    at_hand = closed()
    word_for_another = at_hand.voiding(index=4).witness_signature
    nothing = ruling(at_hand, answer=answer, cancelled=word_for_another)
    assert ruled(at_hand, nothing, late=False) == Refused(Refusal.VOID_TOO_EARLY)
    last = at_hand.place.closes_at + UNATTESTED_AFTER_US - 1
    early = rule_void(nothing, at_hand.round, AGREED, last)
    assert early == Refused(Refusal.VOID_TOO_EARLY)
    assert ruled(at_hand, nothing) == Status.UNATTESTED


def test_nothing_is_voided_without_two_people_or_before_its_draw_is_due() -> None:
    at_hand = closed()
    nothing, late = ruling(at_hand), at_hand.place.closes_at + UNATTESTED_AFTER_US
    alone = rule_void(nothing, at_hand.round, None, late)
    assert alone == Refused(Refusal.SECOND_PERSON_NEEDED)
    early = rule_void(nothing, at_hand.round, AGREED, at_hand.place.draws_at - 1)
    assert early == Refused(Refusal.ROUND_NOT_DUE)
    drawn = closed()
    drawn.drawn()
    assert rule_void(nothing, drawn.round, AGREED, late) == Refused(Refusal.ROUND_NOT_DUE)


def test_a_round_is_ruled_once_and_never_drawn_after_that() -> None:
    at_hand = closed()
    late = at_hand.place.closes_at + UNATTESTED_AFTER_US
    (fact,) = rule_void(ruling(at_hand), at_hand.round, AGREED, late)  # type: ignore[misc]
    at_hand.happens(fact)
    assert rule_void(ruling(at_hand), at_hand.round, AGREED, late) == []
    with pytest.raises(AssertionError):
        at_hand.drawn()
