"""The void status of a round that cannot be drawn; a round that can be drawn gets none."""

import pytest
from msgspec.structs import replace

from engine.answers import Refused
from engine.fairness.witness_state import DeclineReason
from engine.house.facts import DayOpened
from engine.refusals import Refusal
from engine.rounds.commands import RuleVoid
from engine.rounds.decisions import UNATTESTED_AFTER_US, rule_void
from engine.rounds.facts import RoundFact, Status, VoidRuled
from tests.engine.a_round import ARound, flipped

AGREED = ("the journal is lost", "staff:ann", "staff:ben")


def closed(index: int = 3) -> ARound:
    a_round = ARound(index).opened().closed()
    assert isinstance(a_round.game.opened, DayOpened)
    a_round.round.segment = a_round.game.opened
    return a_round


def ruling(a_round: ARound, **answers: str) -> RuleVoid:
    """A command with the given evidence of chains and witness, and no other."""
    nothing = dict.fromkeys(
        ("operator_secret", "witness_secret", "released", "cancelled", "answer"), ""
    )
    return RuleVoid(a_round.round.opened.game, a_round.round.issue, **{**nothing, **answers})


def ruled(
    a_round: ARound, command: RuleVoid, *, late: bool = True
) -> list[RoundFact] | Refused | str:
    """The status of the void, or its refusal."""
    now = a_round.place.draws_at if not late else a_round.place.closes_at + UNATTESTED_AFTER_US
    found = rule_void(command, a_round.round, AGREED, now)
    if isinstance(found, list) and found:
        (fact,) = found
        assert isinstance(fact, VoidRuled)
        return fact.status
    return found


def test_a_round_with_a_release_and_both_links_is_drawn_and_never_voided() -> None:
    """Otherwise the house could choose among results."""
    a_round = closed()
    true = a_round.drawing()
    evidence = ruling(
        a_round,
        operator_secret=true.operator_secret,
        witness_secret=true.witness_secret,
        released=true.witness_signature,
    )
    assert ruled(a_round, evidence) == Refused(Refusal.ROUND_DRAWABLE)
    from_witness = ruling(
        a_round, operator_secret=true.operator_secret, answer=DeclineReason.ROUND_RELEASED
    )
    assert ruled(a_round, from_witness) == Refused(Refusal.ROUND_DRAWABLE)


@pytest.mark.parametrize("lost", ["", "flipped"])
def test_a_release_without_the_operators_link_is_a_breach(lost: str) -> None:
    a_round = closed()
    true = a_round.drawing()
    evidence = ruling(
        a_round,
        operator_secret=flipped(true.operator_secret) if lost else "",
        witness_secret=true.witness_secret,
        released=true.witness_signature,
    )
    assert ruled(a_round, evidence, late=False) == Status.BREACH


def test_a_witnesss_link_without_its_valid_signature_is_a_breach() -> None:
    """The operator can compute the result, and no one else can check it."""
    a_round = closed()
    true = a_round.drawing()
    for evidence in (
        ruling(a_round, witness_secret=true.witness_secret),
        ruling(
            a_round, witness_secret=true.witness_secret, released=flipped(true.witness_signature)
        ),
        ruling(a_round, witness_secret=true.witness_secret, cancelled=true.witness_signature),
    ):
        with_both = replace(evidence, operator_secret=true.operator_secret)
        assert ruled(a_round, evidence, late=False) == Status.BREACH
        assert ruled(a_round, with_both, late=False) == Status.BREACH


@pytest.mark.parametrize("signed", [True, False])
def test_a_wrong_link_is_shown_of_a_breach_alone(signed: bool) -> None:
    a_round = closed()
    true = a_round.drawing()
    wrong = ruling(
        a_round,
        operator_secret=true.operator_secret,
        witness_secret=flipped(true.witness_secret),
        released=true.witness_signature if signed else flipped(true.witness_signature),
    )
    late = a_round.place.closes_at + UNATTESTED_AFTER_US
    (fact,) = rule_void(wrong, a_round.round, AGREED, late)  # type: ignore[misc]
    assert isinstance(fact, VoidRuled)
    shown = (fact.status, bool(fact.witness_secret))
    assert shown == ((Status.BREACH, True) if signed else (Status.UNATTESTED, False))


def test_a_witness_that_released_another_set_makes_it_a_breach() -> None:
    a_round = closed()
    answer = DeclineReason.ROUND_FROZEN_OTHERWISE
    assert ruled(a_round, ruling(a_round, answer=answer), late=False) == Status.BREACH


def test_the_witnesss_cancellation_makes_it_attested() -> None:
    a_round = closed()
    cancellation = a_round.voiding().witness_signature
    assert ruled(a_round, ruling(a_round, cancelled=cancellation), late=False) == Status.ATTESTED


@pytest.mark.parametrize("answer", ["", DeclineReason.DAY_UNKNOWN, DeclineReason.INDEX_PASSED])
def test_without_the_witnesss_cancellation_it_is_unattested_after_half_an_hour(answer: str) -> None:
    a_round = closed()
    another_cancellation = a_round.voiding(index=4).witness_signature
    nothing = ruling(a_round, answer=answer, cancelled=another_cancellation)
    assert ruled(a_round, nothing, late=False) == Refused(Refusal.VOID_TOO_EARLY)
    last = a_round.place.closes_at + UNATTESTED_AFTER_US - 1
    early = rule_void(nothing, a_round.round, AGREED, last)
    assert early == Refused(Refusal.VOID_TOO_EARLY)
    assert ruled(a_round, nothing) == Status.UNATTESTED


def test_nothing_is_voided_without_two_people_or_before_its_draw_is_due() -> None:
    a_round = closed()
    nothing, late = ruling(a_round), a_round.place.closes_at + UNATTESTED_AFTER_US
    alone = rule_void(nothing, a_round.round, None, late)
    assert alone == Refused(Refusal.SECOND_PERSON_NEEDED)
    early = rule_void(nothing, a_round.round, AGREED, a_round.place.draws_at - 1)
    assert early == Refused(Refusal.ROUND_NOT_DUE)
    drawn = closed()
    drawn.drawn()
    assert rule_void(nothing, drawn.round, AGREED, late) == Refused(Refusal.ROUND_NOT_DUE)


def test_a_round_is_ruled_once_and_never_drawn_after_that() -> None:
    a_round = closed()
    late = a_round.place.closes_at + UNATTESTED_AFTER_US
    (fact,) = rule_void(ruling(a_round), a_round.round, AGREED, late)  # type: ignore[misc]
    a_round.happens(fact)
    assert rule_void(ruling(a_round), a_round.round, AGREED, late) == []
    with pytest.raises(AssertionError):
        a_round.drawn()
