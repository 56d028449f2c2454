"""Tests of the state machine: each of these faults, planted in the engine, makes it fail."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from unittest.mock import patch

import hypothesis
import msgspec
import pytest
from hypothesis.stateful import run_state_machine_as_test

from engine.answers import Answer, Refused
from engine.bets import decisions
from engine.bets.facts import BetRecalled, BetSettled
from engine.command_handler import Command
from engine.players import state as player_state
from engine.players.facts import PlayerFact
from engine.players.state import Player
from engine.rounds import state as round_state
from engine.rounds.state import Phase, Round
from engine.runtime.log.fact_log import Batch
from engine.runtime.log.idempotency import OutcomeCache
from tests.engine.driven_house import DrivenEngine
from tests.engine.house_machine import HouseMachine

settle, evolve, record_result = decisions.settle, player_state.evolve, round_state.record_bet_result


def play() -> None:
    """A short run of the machine that stops at the first failure without shrinking."""
    run_state_machine_as_test(
        HouseMachine,
        settings=hypothesis.settings(
            max_examples=60,
            stateful_step_count=30,
            phases=[hypothesis.Phase.generate],
            report_multiple_bugs=False,
            database=None,
        ),
    )


def is_caught(reason: str) -> None:
    with pytest.raises(AssertionError, match=reason):
        play()


def test_without_a_fault_the_short_run_passes() -> None:
    play()


@pytest.mark.parametrize("off_by_minor", [1, -1, 100])
def test_a_payout_off_by_one_unit_is_caught(off_by_minor: int) -> None:
    def settle_wrong(player: Player, bet_id: str, total: int) -> list[PlayerFact]:
        return [_paying(fact, off_by_minor) for fact in settle(player, bet_id, total)]

    with patch.object(decisions, "settle", settle_wrong):
        is_caught("paid")


def _paying(fact: PlayerFact, more_minor: int) -> PlayerFact:
    if not isinstance(fact, BetSettled) or not fact.payout_minor:
        return fact
    return msgspec.structs.replace(fact, payout_minor=fact.payout_minor + more_minor)


def _sells_until_it_is_closed(self: Round, now: int) -> bool:
    return self.phase == Phase.OPEN and now > 0


def _sells_until_a_second_later(self: Round, now: int) -> bool:
    return self.phase == Phase.OPEN and now < self.closes_at + 1_000_000


def _sells_at_its_close(self: Round, now: int) -> bool:
    return self.phase == Phase.OPEN and now <= self.closes_at


def _sells_though_it_is_closed(self: Round, now: int) -> bool:
    return now < self.closes_at + 1_000_000


@pytest.mark.parametrize(
    "sells_at",
    [
        _sells_until_it_is_closed,
        _sells_until_a_second_later,
        _sells_at_its_close,
        _sells_though_it_is_closed,
    ],
)
def test_a_missing_close_check_is_caught(sells_at: Callable[[Round, int], bool]) -> None:
    with patch.object(Round, "sells_at", sells_at):
        is_caught("round_closed")


@contextmanager
def settled_twice() -> Iterator[None]:
    """The engine does not check that the bet is still open, and pays twice."""

    def settle_twice(player: Player, bet_id: str, total: int) -> list[PlayerFact]:
        facts = settle(player, bet_id, total)
        return [*facts, *facts[-1:]]

    def evolve_again(player: Player, fact: PlayerFact, day: str) -> Player:
        if isinstance(fact, BetSettled) and fact.bet not in player.bets:
            player.version += 1
            player.available += fact.payout_minor
            return player
        return evolve(player, fact, day)

    def record_result_once(open_round: Round, bet_id: str, stake_minor: int, payout: int) -> None:
        if any(entry.bet.bet == bet_id for entry in open_round.book.open_bets()):
            record_result(open_round, bet_id, stake_minor, payout)

    with (
        patch.object(decisions, "settle", settle_twice),
        patch.object(player_state, "evolve", evolve_again),
        patch.object(round_state, "record_bet_result", record_result_once),
    ):
        yield


def test_a_second_settlement_is_caught() -> None:
    with settled_twice():
        is_caught("bet settled before is settled|round-settled|bet-settled.* instead of")


def test_a_recall_that_keeps_the_stake_is_caught() -> None:
    def evolve_without_refund(player: Player, fact: PlayerFact, day: str) -> Player:
        available = player.available
        evolve(player, fact, day)
        if isinstance(fact, BetRecalled):
            player.available = available
        return player

    with patch.object(player_state, "evolve", evolve_without_refund):
        is_caught("'recalled'")


def test_a_recall_that_returns_too_little_is_caught() -> None:
    def recall_less(*args: object) -> Sequence[PlayerFact] | Refused:
        facts = recall(*args)  # type: ignore[arg-type]
        if isinstance(facts, Refused):
            return facts
        return [msgspec.structs.replace(fact, stake_minor=100) for fact in facts]

    recall = decisions.recall
    with patch.object(decisions, "recall", recall_less):
        is_caught("instead of")


def _adds_no_refusals(
    self: OutcomeCache,
    batch: Batch,
    actor: str,
    key: str,
    command: Command,
    answer: Answer,
    facts: int,
) -> None:
    if not isinstance(answer, Refused):
        add(self, batch, actor, key, command, answer, facts)


add = OutcomeCache.add


def test_a_refusal_without_an_outcome_is_caught_in_the_log() -> None:
    with patch.object(OutcomeCache, "add", _adds_no_refusals):
        is_caught("an outcome is not stored")


def test_a_refusal_without_an_outcome_is_caught_by_its_second_answer() -> None:
    """After a refusal for lack of funds and a deposit, the same command must not be accepted."""
    with (
        patch.object(OutcomeCache, "add", _adds_no_refusals),
        patch.object(DrivenEngine, "_check_outcomes_stored"),
    ):
        is_caught("answered|unexpected fact")


def test_an_acceptance_lost_at_a_restart_is_caught() -> None:
    def add_refusals_only(
        self: OutcomeCache,
        batch: Batch,
        actor: str,
        key: str,
        command: Command,
        answer: Answer,
        facts: int,
    ) -> None:
        if isinstance(answer, Refused):
            add(self, batch, actor, key, command, answer, facts)

    with (
        patch.object(OutcomeCache, "add", add_refusals_only),
        patch.object(DrivenEngine, "_check_outcomes_stored"),
    ):
        is_caught("answered|unexpected fact")
