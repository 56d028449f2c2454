"""Tests of the simulation: a seed is reproducible, and every planted fault is found."""

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import msgspec
import pytest

from engine import command_handler
from engine.answers import Answer, Refused
from engine.bets import decisions
from engine.bets.facts import BetPlaced, BetRecalled, BetSettled
from engine.bets.turnover import effective_turnover
from engine.cashier.facts import TurnoverCounted
from engine.command_handler import Command, DecisionContext
from engine.engine_state import EngineState, Overlay
from engine.house import house_state
from engine.house.facts import OfficeFact
from engine.house.house_state import HouseState, PendingProposal
from engine.players import state as player_state
from engine.players.facts import PlayerFact
from engine.players.profile import PlayerProfile
from engine.players.state import Player
from engine.rounds import decisions as round_decisions
from engine.rounds.commands import SettleRound
from engine.rounds.facts import RoundFact, RoundSettled
from engine.rounds.state import Phase, Round
from engine.runtime import garbage_collection
from engine.runtime.log.fact_log import Batch
from engine.runtime.log.idempotency import OutcomeCache
from engine.runtime.log.snapshots import Snapshot, snapshot_of
from engine.runtime.writer.commit import Committer
from engine.staff import passes
from engine.staff.passes import IssuePass, Passes, PassFact, PassIssued, PassProposed
from tests.engine.test_planted_faults import settled_twice
from tests.instruments.simulator.__main__ import main
from tests.instruments.simulator.report import show_result
from tests.instruments.simulator.simulation import RunResult, SimulationConfig, simulate

pytestmark = pytest.mark.slow
SHORT = SimulationConfig(seed=5, members=40, rounds=6)
settle, evolve = decisions.settle, player_state.evolve
issue = passes.issue
add, decide = OutcomeCache.add, command_handler.decide


def finds(fault: str) -> RunResult:
    """Simulate up to ten short days until one fails, and check that the failure names the fault."""
    for seed in range(5, 15):
        result = simulate(msgspec.structs.replace(SHORT, seed=seed))
        if result.failure:
            assert fault in result.failure, result.failure
            return result
    pytest.fail("nothing was found")


def test_the_same_seed_does_the_same_in_another_process_too() -> None:
    program = (
        "from tests.instruments.simulator.simulation import SimulationConfig, simulate;"
        f"config = SimulationConfig({SHORT.seed}, 1, {SHORT.members}, {SHORT.rounds});"
        "print(simulate(config).log_hash)"
    )
    elsewhere = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONHASHSEED": "4711", "PYTHONPATH": "."},
        capture_output=True,
        check=True,
        text=True,
    )
    here = simulate(SHORT)
    assert not here.failure
    assert elsewhere.stdout.strip() == here.log_hash
    assert simulate(msgspec.structs.replace(SHORT, seed=6)).log_hash != here.log_hash


@pytest.mark.parametrize("off_by_minor", [1, -1])
def test_a_payout_off_by_one_is_found_and_its_seed_printed(
    off_by_minor: int, capsys: pytest.CaptureFixture[str]
) -> None:
    def settle_wrong(player: Player, bet_id: str, total: int) -> list[PlayerFact]:
        return [
            msgspec.structs.replace(fact, payout_minor=fact.payout_minor + off_by_minor)
            if isinstance(fact, BetSettled) and fact.payout_minor
            else fact
            for fact in settle(player, bet_id, total)
        ]

    with patch.object(decisions, "settle", settle_wrong):
        result = finds("instead of")
    show_result(result)
    printed = capsys.readouterr().out
    assert f"seed {result.config.seed} FAILED: InvariantViolation: paid" in printed
    assert (
        f"scripts/simulate --seed {result.config.seed} --days 1 --members 40 --rounds 6" in printed
    )


def test_a_failing_seed_ends_the_program_with_its_replay_and_status_1(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    population = "--members 40 --rounds 6 --one-in 20"
    options = ["--until-failure", "--seed", "5", *population.split()]
    monkeypatch.setattr("sys.argv", ["simulate", *options])
    monkeypatch.setattr(garbage_collection, "freeze", lambda: None)
    with patch.object(Round, "has_room_for", lambda *_: True):
        assert main() == 1
    printed = capsys.readouterr().out
    failed = int(printed.split(" FAILED")[0].split("seed ")[-1])
    assert f"scripts/simulate --seed {failed} --days 1 {population}\n" in printed
    assert f"FAILED: seed {failed}" in printed.splitlines()[-1] + printed.splitlines()[-2]


def test_a_second_settlement_is_found() -> None:
    with settled_twice():
        finds("a bet is answered that does not stand")


@pytest.mark.parametrize("forgotten", [Refused, object])
def test_an_answer_without_an_outcome_is_found(forgotten: type) -> None:
    def add_others(
        self: OutcomeCache,
        batch: Batch,
        actor: str,
        key: str,
        command: Command,
        answer: Answer,
        facts: int,
    ) -> None:
        if not isinstance(answer, forgotten):
            add(self, batch, actor, key, command, answer, facts)

    with patch.object(OutcomeCache, "add", add_others):
        finds("not remembered" if forgotten is Refused else "facts without an outcome")


def test_a_refusal_that_changes_something_is_found() -> None:
    def decide_and_credit(command: Command, overlay: Overlay, context: DecisionContext) -> Answer:
        answer = decide(command, overlay, context)
        if isinstance(answer, Refused) and answer.refusal == "funds_insufficient":
            overlay.player(command.player).available += 1  # type: ignore[union-attr]
        return answer

    with patch("engine.runtime.writer.batch_decider.decide", decide_and_credit):
        finds("balance")


def test_an_answer_with_a_wrong_balance_is_found() -> None:
    def decide_with_wrong_balance(
        command: Command, overlay: Overlay, context: DecisionContext
    ) -> Answer:
        answer = decide(command, overlay, context)
        if type(answer).__name__ == "BetAccepted":
            return msgspec.structs.replace(answer, available_minor=0)
        return answer

    with patch("engine.runtime.writer.batch_decider.decide", decide_with_wrong_balance):
        finds("an answer has another balance")


@pytest.mark.parametrize(
    "sells_at",
    [
        lambda self, now: self.phase == Phase.OPEN and now <= self.closes_at,
        lambda self, now: self.phase == Phase.OPEN and now > 0,
    ],
)
def test_a_bet_after_the_close_is_found(sells_at: Callable[[Round, int], bool]) -> None:
    with patch.object(Round, "sells_at", sells_at):
        finds("after the close")


def test_a_bet_of_a_self_excluded_member_is_found() -> None:
    with patch.object(PlayerProfile, "is_blocked", lambda *_: False):
        finds("a bet where or by whom none is taken")


def test_a_bet_where_staff_have_closed_is_found() -> None:
    with patch.object(HouseState, "closed_reason", lambda *_: None):
        finds("a bet where or by whom none is taken")


def test_a_pass_that_one_manager_issued_alone_is_found() -> None:
    def issue_by_one_manager(
        command: IssuePass, staff: Passes, managers: int, seats: int, now: int
    ) -> list[PassFact] | Refused:
        without_proposals = Passes(staff.active, staff.revoked, {})
        if issue(command, without_proposals, managers, seats, now) != [
            PassProposed(*_fields(command))
        ]:
            return issue(command, staff, managers, seats, now)
        name, fingerprint, by = _fields(command)
        until = now + passes.LIFETIME_US
        return [
            PassProposed(name, fingerprint, by),
            PassIssued(name, fingerprint, until, by, by),
        ]

    with patch.object(passes, "issue", issue_by_one_manager):
        finds("one person gave a pass alone")


def test_terms_that_one_manager_set_alone_are_found() -> None:
    def agree_with_own_proposal(
        _kind: str,
        proposal: PendingProposal[Any],
        _: PendingProposal[Any] | None,
        current: object,
        proposed: Callable[[Any, str], OfficeFact],
        agreed: Callable[[Any, str], OfficeFact],
    ) -> list[OfficeFact]:
        if proposal.value == current:
            return []
        return [proposed(proposal.value, proposal.by), agreed(proposal.value, proposal.by)]

    with patch.object(house_state, "propose_or_confirm", agree_with_own_proposal):
        finds("one person set the terms alone")


def _fields(command: IssuePass) -> tuple[str, str, str]:
    return command.name, command.fingerprint, command.by


def test_turnover_counted_with_every_bet_of_a_round_is_found() -> None:
    def count_each(player: Player, bet: BetPlaced) -> list[PlayerFact]:
        if player.bot:
            return []
        here = [each for each in player.bets.values() if each.issue == bet.issue]
        bets = [each for each in here if each.game == bet.game]
        return [TurnoverCounted(bet.game, bet.issue, *effective_turnover(bets))]

    with patch.object(decisions, "_turnover", count_each):
        finds("turnover is counted twice")


def test_a_violated_exposure_cap_is_found() -> None:
    with patch.object(Round, "has_room_for", lambda *_: True):
        finds("more could be lost than the cap allows")


def test_a_recall_that_keeps_the_stake_is_found() -> None:
    def evolve_without_refund(player: Player, fact: PlayerFact, day: str) -> Player:
        available = player.available
        evolve(player, fact, day)
        if isinstance(fact, BetRecalled):
            player.available = available
        return player

    with patch.object(player_state, "evolve", evolve_without_refund):
        finds("an answer has another balance")


def test_a_round_finished_before_its_last_bet_is_found() -> None:
    """Only a crash during settlement shows which bets a restart would lose."""

    def finish_early(round_: Round) -> list[RoundFact]:
        opened = round_.opened
        totals = (round_.count, round_.stake_minor, round_.paid_minor)
        settled = RoundSettled(opened.game, round_.issue, *totals)
        return [settled] if round_.phase == Phase.DRAWN else []

    def one(command: Command, overlay: Overlay, context: DecisionContext) -> Answer:
        if isinstance(command, SettleRound):
            command = msgspec.structs.replace(command, limit=1)
        return decide(command, overlay, context)

    with (
        patch.object(round_decisions, "finish", finish_early),
        patch("engine.runtime.writer.batch_decider.decide", one),
    ):
        finds("a bet of a finished round is unanswered")


def test_a_draw_that_the_proofs_do_not_yield_is_found() -> None:
    def draw_seven(*_: object) -> tuple[int, int, int]:
        return (0, 0, 7)

    with patch.object(round_decisions, "draw_digits", draw_seven):
        finds("a draw that cannot be verified: [<Check.DIGITS")


def test_a_caught_exception_fails_the_run() -> None:
    def decide_or_raise(command: Command, overlay: Overlay, context: DecisionContext) -> Answer:
        if type(command).__name__ == "RecallBets":
            raise ZeroDivisionError
        return decide(command, overlay, context)

    with patch("engine.runtime.writer.batch_decider.decide", decide_or_raise):
        finds("decision failed")


def test_a_restart_that_forgets_the_open_bets_is_found() -> None:
    with patch.object(EngineState, "load_bets", lambda *_: None):
        finds("the engine's exposure is another")


def test_a_batch_wrongly_believed_stored_is_found() -> None:
    """If the connection fails before the commit, no client may receive an answer."""

    async def confirm(_: Committer, batch: Batch) -> bool:
        return bool(batch.id)

    with patch.object(Committer, "_was_stored", confirm):
        finds("an answer is not remembered")


def test_a_snapshot_that_differs_from_the_log_is_found() -> None:
    def save_lower_balance(player: Player) -> Snapshot:
        changed = player.fork()
        changed.available -= 1
        return snapshot_of(changed)

    with patch("engine.runtime.writer.commit.snapshot_of", save_lower_balance):
        finds("another")
