"""A witness that cannot be reached: its round waits, and the house continues to open rounds."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from engine.fairness.witness_state import Declined, DeclineReason
from engine.house.game_day import DATES_ASKED
from engine.rounds.facts import (
    RoundClosed,
    RoundDrawn,
    RoundFact,
    RoundOpened,
    Status,
    VoidRuled,
    WitnessAnsweredLate,
)
from engine.rounds.state import Round
from engine.runtime.scheduler import drawing
from engine.runtime.scheduler.waiting import Awaiting, Waiting
from engine.runtime.witness.witness import WitnessDeclined
from engine.staff.void_proposals import DecideVoid, ProposeVoid
from tests.engine.driven_house import DrivenEngine, SentCommand

GAME = 1


@pytest.fixture
def house() -> Iterator[DrivenEngine]:
    house = DrivenEngine(1, pipelined=False, small_caches=False)
    yield house
    house.close()


def tick_at(house: DrivenEngine, time: int) -> None:
    house.clock.now = time
    house.run(house.scheduler.tick())


def test_rounds_continue_while_one_awaits_its_witness_and_are_drawn_in_order_later(
    house: DrivenEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(*_: object) -> tuple[bytes, bytes]:
        raise OSError

    house.run(house.scheduler.tick())
    with monkeypatch.context() as away:
        away.setattr(house.witness, "release", unreachable)
        for _ in range(2):
            opened = house.writer.state.rounds[house.writer.state.newest[GAME]].opened
            tick_at(house, opened.closes_at)
            tick_at(house, opened.draws_at)
    facts = [each.fact for each in house.log.facts if each.stream.startswith(f"round-{GAME}-")]
    assert [type(fact) for fact in facts] == [
        RoundOpened,
        RoundClosed,
        RoundOpened,
        RoundClosed,
        RoundOpened,
    ]
    house.run(house.scheduler.tick())
    drawn = [each.fact for each in house.log.facts if isinstance(each.fact, RoundDrawn)]
    indices = [fact.index for fact in drawn if fact.game == GAME]
    assert len(indices) == 2
    assert indices == sorted(indices)


SECOND_US = 1_000_000
DAY_US = 86_400 * SECOND_US
HALF_AN_HOUR_US = 30 * 60 * SECOND_US


@contextmanager
def away(house: DrivenEngine) -> Iterator[list[int]]:
    """The witness answers neither of its requests; yields when it is asked to cancel."""
    asked: list[int] = []

    def no_release(*_: object) -> tuple[bytes, bytes]:
        raise OSError

    def no_cancel(*_: object) -> tuple[bytes, bytes]:
        asked.append(house.clock.now)
        raise OSError

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(house.witness, "release", no_release)
        patched.setattr(house.witness, "cancel", no_cancel)
        yield asked


@contextmanager
def no_statement() -> Iterator[None]:
    """The witness draws rounds, but does not answer about those that were voided."""

    def no_answer(*_: object) -> tuple[bytes, bytes]:
        raise OSError

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(drawing, "late_answer", no_answer)
        yield


def newest(house: DrivenEngine) -> Round:
    return house.writer.state.rounds[house.writer.state.newest[GAME]]


def rounds_close(house: DrivenEngine, count: int) -> Round:
    """Let rounds of the game close and their draws fall due; returns the first."""
    first = newest(house)
    for _ in range(count):
        opened = newest(house).opened
        tick_at(house, opened.closes_at)
        tick_at(house, opened.draws_at)
    return first


def voided(house: DrivenEngine, round_: Round) -> None:
    """Two managers void the round half an hour after its close."""
    proposal = f"void-{round_.issue}"
    propose = ProposeVoid(proposal, GAME, round_.issue, "no answer", "staff:ann")
    decide = DecideVoid(proposal, True, "staff:ben")
    house.submit([SentCommand("staff:ann", f"propose {proposal}", propose)])
    house.submit([SentCommand("staff:ben", f"decide {proposal}", decide)])
    tick_at(house, round_.closes_at + HALF_AN_HOUR_US)
    *_, ruled = (each.fact for each in house.log.facts if isinstance(each.fact, VoidRuled))
    assert (ruled.issue, ruled.status) == (round_.issue, Status.UNATTESTED)


def late(house: DrivenEngine) -> list[str]:
    """What the witness stated after the void."""
    facts = (each.fact for each in house.log.facts)
    return [fact.statement for fact in facts if isinstance(fact, WitnessAnsweredLate)]


def rounds_facts(house: DrivenEngine) -> list[RoundFact]:
    facts = (each.fact for each in house.log.facts if isinstance(each.fact, RoundFact))
    return [fact for fact in facts if fact.game == GAME]


def test_an_overdue_round_shows_what_it_waits_for_and_since_when(house: DrivenEngine) -> None:
    house.run(house.scheduler.tick())
    with away(house):
        first = rounds_close(house, 2)
        second = house.writer.state.unfinished_rounds(GAME)[1]
        waiting = house.scheduler.waiting
        since = first.opened.draws_at
        assert waiting.of(GAME, first.issue) == Waiting(Awaiting.WITNESS, "no_answer", since)
        since = second.opened.draws_at
        blocked = Waiting(Awaiting.WITNESS, "earlier_round", since)
        assert waiting.of(GAME, second.issue) == blocked
        assert waiting.of(GAME, newest(house).issue) is None
    house.run(house.scheduler.tick())
    assert [waiting.of(GAME, each.issue) for each in (first, second)] == [None, None]


def test_a_round_that_the_witness_declines_waits_for_a_void(
    house: DrivenEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def declined(*_: object) -> tuple[bytes, bytes]:
        raise WitnessDeclined(Declined(DeclineReason.DAY_UNKNOWN))

    house.run(house.scheduler.tick())
    monkeypatch.setattr(house.witness, "release", declined)
    first = rounds_close(house, 1)
    expected = Waiting(Awaiting.VOID, "day_unknown", first.opened.draws_at)
    assert house.scheduler.waiting.of(GAME, first.issue) == expected


def test_a_returning_witness_states_what_was_true_before_a_later_link_is_revealed(
    house: DrivenEngine,
) -> None:
    """With a later link it could no longer sign that it never released the earlier one."""
    house.run(house.scheduler.tick())
    with away(house):
        first = rounds_close(house, 3)
        voided(house, first)
        house.run(house.scheduler.tick())
        assert late(house) == []
    house.run(house.scheduler.tick())
    kinds = (RoundDrawn, WitnessAnsweredLate)
    order = [type(fact) for fact in rounds_facts(house) if isinstance(fact, kinds)]
    assert order == [WitnessAnsweredLate, *[RoundDrawn] * 3]
    assert late(house) == ["not_released"]


def test_a_witness_whose_release_was_lost_states_it_also_after_a_restart_of_the_house(
    house: DrivenEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.run(house.scheduler.tick())
    release = house.witness.release

    def lost(*request: object) -> tuple[bytes, bytes]:
        release(*request)  # type: ignore[arg-type]
        raise OSError

    with monkeypatch.context() as cut:
        cut.setattr(house.witness, "release", lost)
        first = rounds_close(house, 1)
    with away(house):
        voided(house, first)
    house.clock.now += 86_400 * SECOND_US
    house.stop()
    house.start()
    house.run(house.scheduler.tick())
    assert late(house) == ["released"]
    house.stop()
    house.start()
    for _ in range(3):
        house.clock.now += 3600 * SECOND_US
        house.run(house.scheduler.tick())
    assert late(house) == ["released"]
    assert (GAME, first.issue) not in house.writer.state.rounds


def test_a_witness_that_stays_away_is_asked_at_growing_intervals(house: DrivenEngine) -> None:
    house.run(house.scheduler.tick())
    with away(house):
        voided(house, rounds_close(house, 1))
        house.clock.now += 86_400 * SECOND_US  # no later round of its segment waits
        house.stop()
        house.start()
    with away(house) as asked:
        for _ in range(200):
            awaiting = house.writer.state.awaiting_statement(GAME)
            house.run(house.scheduler._late_answers.ask_due(awaiting))
            house.clock.now += 60 * SECOND_US
    minutes = [(later - sooner) // (60 * SECOND_US) for sooner, later in itertools.pairwise(asked)]
    assert minutes == [1, 2, 4, 8, 16, 32, 60, 60]


def test_a_silent_witness_costs_a_tick_one_request_and_is_asked_in_the_order_of_the_links(
    house: DrivenEngine,
) -> None:
    """Each request may take a timeout, in which the game closes, draws and opens nothing."""
    house.run(house.scheduler.tick())
    with away(house):
        rounds_close(house, 3)
        first, second, *_ = house.writer.state.unfinished_rounds(GAME)
        voided(house, first)
        voided(house, second)
        house.clock.now += 86_400 * SECOND_US  # no later round of their segment waits
        house.stop()
        house.start()
    awaiting = house.writer.state.awaiting_statement(GAME)
    assert [each.issue for each in awaiting] == [first.issue, second.issue]
    with away(house) as asked:
        for _ in range(2):
            house.run(house.scheduler._late_answers.ask_due(awaiting))
        assert len(asked) == 1
        house.clock.now += 60 * SECOND_US
        house.run(house.scheduler._late_answers.ask_due(awaiting))
        assert len(asked) == 2
    house.clock.now += 120 * SECOND_US
    house.run(house.scheduler._late_answers.ask_due(awaiting))
    answers = [it for it in rounds_facts(house) if isinstance(it, WitnessAnsweredLate)]
    assert [it.issue for it in answers] == [first.issue, second.issue]
    assert [it.statement for it in answers] == ["not_released"] * 2


def test_a_witness_that_never_comes_back_is_asked_for_thirty_dates_also_after_a_restart(
    house: DrivenEngine,
) -> None:
    house.run(house.scheduler.tick())
    opened_at = house.clock.now
    with away(house):
        first = rounds_close(house, 1)
        voided(house, first)
    key = (GAME, first.issue)
    with no_statement():
        for date in range(1, DATES_ASKED):
            tick_at(house, opened_at + date * DAY_US)
        for _ in range(2):
            assert house.writer.state.awaiting_statement(GAME) == [house.writer.state.rounds[key]]
            house.stop()
            house.start()
        tick_at(house, opened_at + DATES_ASKED * DAY_US)
        for _ in range(2):
            assert house.writer.state.awaiting_statement(GAME) == []
            assert key not in house.writer.state.rounds
            house.stop()
            house.start()
    house.run(house.scheduler.tick())
    assert late(house) == []
