"""The void status of a round that cannot be drawn; a round that can be drawn gets none."""

import pytest
from msgspec.structs import replace

from engine.answers import Refused
from engine.fairness import signing
from engine.fairness.witness_state import DeclineReason
from engine.house.facts import DayOpened
from engine.refusals import Refusal
from engine.rounds.commands import AnswerLate, RuleVoid
from engine.rounds.decisions import UNATTESTED_AFTER_US, answer_late, rule_void
from engine.rounds.facts import (
    RoundFact,
    StakesReturned,
    Statement,
    Status,
    VoidRuled,
    WitnessAnsweredLate,
)
from tests.engine.a_round import ARound, flipped
from tests.engine.fairness import parties

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


# What a returning witness states about a round that was voided as unattested.


def unattested(answer: str = "", index: int = 3) -> ARound:
    """A round that was voided without a statement of its witness; all stakes are returned."""
    a_round = closed(index)
    assert ruled(a_round, ruling(a_round, answer=answer)) == Status.UNATTESTED
    late = a_round.place.closes_at + UNATTESTED_AFTER_US
    (fact,) = rule_void(ruling(a_round, answer=answer), a_round.round, AGREED, late)  # type: ignore[misc]
    a_round.happens(fact)
    a_round.happens(StakesReturned(fact.game, fact.issue, 0, 0))
    return a_round


def late_answer(a_round: ARound, **answers: str) -> AnswerLate:
    """A command with what the witness answered, and nothing else."""
    nothing = dict.fromkeys(("released", "cancelled", "witness_secret", "answer"), "")
    return AnswerLate(a_round.round.opened.game, a_round.round.issue, **{**nothing, **answers})


def released_late(a_round: ARound) -> AnswerLate:
    true = a_round.drawing()
    signed = {"released": true.witness_signature, "witness_secret": true.witness_secret}
    return late_answer(a_round, **signed)


def cancelled_late(a_round: ARound) -> AnswerLate:
    true = a_round.voiding()
    signed = {"cancelled": true.witness_signature, "witness_secret": true.witness_secret}
    return late_answer(a_round, **signed)


def stated(a_round: ARound, command: AnswerLate) -> WitnessAnsweredLate:
    """Record the answer; returns its fact."""
    (fact,) = answer_late(command, a_round.round)  # type: ignore[misc]
    assert isinstance(fact, WitnessAnsweredLate)
    a_round.happens(fact)
    return fact


def test_a_returning_witness_that_had_released_the_round_states_it_with_its_link() -> None:
    a_round = unattested()
    command = released_late(a_round)
    fact = stated(a_round, command)
    assert (fact.statement, fact.answer) == (Statement.RELEASED, "")
    assert (fact.witness_signature, fact.witness_secret) == (
        command.released,
        command.witness_secret,
    )
    assert not a_round.round.awaits_statement
    assert a_round.round.finished, "the void stays"


def test_a_returning_witness_that_released_nothing_signs_that_it_never_will() -> None:
    a_round = unattested()
    command = cancelled_late(a_round)
    fact = stated(a_round, command)
    assert (fact.statement, fact.witness_signature) == (Statement.NOT_RELEASED, command.cancelled)
    assert not a_round.round.awaits_statement


@pytest.mark.parametrize(
    "answer", [DeclineReason.ROUND_FROZEN_OTHERWISE, DeclineReason.ROUND_RELEASED]
)
def test_a_witness_that_says_it_released_the_link_need_not_sign_it(answer: str) -> None:
    a_round = unattested()
    assert stated(a_round, late_answer(a_round, answer=answer)).statement == Statement.RELEASED
    assert not a_round.round.awaits_statement


def test_a_witness_without_a_record_of_the_round_says_so_once_and_may_sign_later() -> None:
    """It may be restored from a better copy. What it said first stays in the log."""
    a_round = unattested()
    unknown = late_answer(a_round, answer=DeclineReason.DAY_UNKNOWN)
    fact = stated(a_round, unknown)
    assert (fact.statement, fact.answer) == (Statement.UNKNOWN, "day_unknown")
    assert a_round.round.awaits_statement
    passed = late_answer(a_round, answer=DeclineReason.INDEX_PASSED)
    assert [answer_late(each, a_round.round) for each in (unknown, passed)] == [[], []]
    assert stated(a_round, cancelled_late(a_round)).statement == Statement.NOT_RELEASED


def test_what_the_ruling_says_already_is_not_recorded_again() -> None:
    a_round = unattested(DeclineReason.DAY_UNKNOWN)
    again = late_answer(a_round, answer=DeclineReason.DAY_UNKNOWN)
    assert answer_late(again, a_round.round) == []
    assert answer_late(late_answer(a_round), a_round.round) == []
    assert a_round.round.awaits_statement


def test_the_first_signed_statement_is_the_last() -> None:
    """A witness that contradicts it is found by its own list, see `scripts/audit fairness`."""
    a_round = unattested()
    stated(a_round, cancelled_late(a_round))
    assert answer_late(cancelled_late(a_round), a_round.round) == []
    assert answer_late(released_late(a_round), a_round.round) == []


def test_a_statement_that_the_witness_did_not_make_is_refused() -> None:
    a_round, other = unattested(), unattested(index=4)
    of_another_round = cancelled_late(other)
    true = released_late(a_round)
    frozen = bytes.fromhex(other.drawing().witness_signature)
    stranger = signing.sign(parties.OPERATOR_KEY, signing.CANCEL, frozen).hex()
    wrong_signature = Refused(Refusal.SECRET_WRONG, "witness_signature")
    for field, value, refused in (
        ("released", other.drawing().witness_signature, wrong_signature),
        ("released", flipped(true.released), wrong_signature),
        ("released", stranger, wrong_signature),
        ("witness_secret", flipped(true.witness_secret), Refused(Refusal.SECRET_WRONG)),
        ("witness_secret", of_another_round.witness_secret, Refused(Refusal.SECRET_WRONG)),
        ("witness_secret", "", Refused(Refusal.SECRET_WRONG)),
    ):
        given = {"released": true.released, "witness_secret": true.witness_secret, field: value}
        assert answer_late(late_answer(a_round, **given), a_round.round) == refused
    cancelled = {"cancelled": of_another_round.cancelled, "witness_secret": true.witness_secret}
    assert answer_late(late_answer(a_round, **cancelled), a_round.round) == wrong_signature


def test_only_an_unattested_round_awaits_a_statement() -> None:
    a_round = closed()
    assert answer_late(released_late(a_round), a_round.round) == Refused(Refusal.ROUND_NOT_DUE)
    cancellation = a_round.voiding().witness_signature
    late = a_round.place.closes_at + UNATTESTED_AFTER_US
    evidence = ruling(a_round, cancelled=cancellation)
    (fact,) = rule_void(evidence, a_round.round, AGREED, late)  # type: ignore[misc]
    a_round.happens(fact)
    assert not a_round.round.awaits_statement
    assert answer_late(released_late(a_round), a_round.round) == Refused(Refusal.ROUND_NOT_DUE)
