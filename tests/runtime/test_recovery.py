"""A new engine on the log of a crashed one: it completes unfinished rounds, exactly once."""

import asyncio
import math
from collections.abc import Sequence
from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from engine.answers import BetAccepted, MoneyAnswered, PlayerAccepted, Refused
from engine.bets.facts import BetSettled
from engine.cashier.commands import ApproveDeposit
from engine.catalogue import GAMES
from engine.fairness.canonical import canonical
from engine.fairness.witness_state import Signed
from engine.house.facts import DayOpened, RoundsSkipped
from engine.rounds.commands import CloseRound, SettleRound
from engine.rounds.facts import RoundDrawn, RoundOpened
from engine.rounds.state import Phase, record_of
from engine.runtime.log.fact_log import FactLog
from engine.runtime.scheduler import round_scheduler
from engine.runtime.witness.local_witness import LocalWitness
from engine.runtime.writer.batch_decider import BatchDecider, DecidedBatch, PendingCommand
from engine.schedule import demo, slot
from tests.runtime.audit import audit, balances, unfinished_rounds
from tests.runtime.house import PLAYER, EngineHarness, Gate, driven, until

BETS = 25
STAGES = ["on sale", "closed", "released", "drawn", "half settled", "settled"]


async def with_bets(house: EngineHarness) -> None:
    """Three players bet on the open round of game 1."""
    for player in range(PLAYER, PLAYER + 3):
        await house.join(player)
    kinds = ["big", "small", "odd", "even", "13"]
    for number in range(BETS):
        bet = house.bet(kind=kinds[number % 5], player=PLAYER + number % 3)
        await house.submit(f"key-{number}", bet)


async def step(house: EngineHarness, command: CloseRound | SettleRound) -> None:
    writer = house.engine._writer
    assert writer is not None
    assert not isinstance((await writer.submit_internal(command)).answer, Refused)


def release(house: EngineHarness) -> None:
    """The witness releases its link, and the engine does not record it."""
    closed = house.sale().closed
    assert closed is not None
    request = Signed(canonical(record_of(closed)), bytes.fromhex(closed.signature))
    house.engine._context.witness.release(request)


async def bring_to(house: EngineHarness, stage: str) -> None:
    """Take the open round through its steps, up to this stage."""
    sale = house.sale()
    steps = STAGES.index(stage)
    if steps >= STAGES.index("closed"):
        house.clock.now = sale.closes_at
        await step(house, CloseRound(1, sale.issue))
    house.clock.now = sale.opened.draws_at
    if stage == "released":
        release(house)
    if steps >= STAGES.index("drawn"):
        await house.scheduler._draw(house.sale())
    if steps >= STAGES.index("half settled"):
        await step(house, SettleRound(1, sale.issue, 7))
    if stage == "settled":
        await step(house, SettleRound(1, sale.issue, BETS))


@pytest.mark.parametrize("away_s", [0, 3_600, 86_400])
@pytest.mark.parametrize("stage", STAGES)
@driven
async def test_an_unfinished_round_is_completed_once(
    house: EngineHarness, stage: str, away_s: int
) -> None:
    """GLI-19 4.16 and 4.3.3d: an interrupted round is completed, and winnings credited once."""
    async with house:
        await with_bets(house)
        await bring_to(house, stage)
        drawn = house.facts_of(RoundDrawn)
        await house.crash()
        house.clock.forward(away_s)
        await house.start()
        facts = house.facts()
        audit(facts)
        assert len(house.facts_of(BetSettled)) == BETS
        assert house.facts_of(RoundDrawn)[: len(drawn)] == drawn
        assert unfinished_rounds(facts) == {(game, house.sale(game).issue) for game in GAMES}
        assert house.sale().sells_at(house.clock.now)


@driven
async def test_the_next_slice_of_a_settlement_is_decided_while_one_is_being_stored(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that the database and the engine both work all the time. No more than these two are."""
    decided: list[SettleRound] = []
    add = BatchDecider.add

    def note_and_add(
        decider: BatchDecider, batch: DecidedBatch, pendings: Sequence[PendingCommand]
    ) -> None:
        decided.extend(each.command for each in pendings if isinstance(each.command, SettleRound))
        add(decider, batch, pendings)

    async with house:
        await with_bets(house)
        await bring_to(house, "drawn")
        monkeypatch.setattr(round_scheduler, "SETTLE_BATCH_SIZE", 2)
        with monkeypatch.context() as patch:
            gate = Gate(patch)
            patch.setattr(BatchDecider, "add", note_and_add)
            settling = asyncio.create_task(house.scheduler._finish_rounds(1))
            await gate.reached()
            await until(lambda: len(decided) == 2)
            assert house.facts_of(BetSettled) == []
            gate.open()
            await settling
        assert len(decided) == math.ceil(BETS / 2)
        assert len(house.facts_of(BetSettled)) == BETS
        audit(house.facts())


@driven
async def test_digits_that_the_witness_released_survive_a_crash(house: EngineHarness) -> None:
    """AGCO 21.1.8."""
    async with house:
        await with_bets(house)
        await bring_to(house, "released")
        round_before = house.sale()
        secrets = house.engine._context.chains.links(1, round_before.opened.day)
        await house.crash()
        await house.start()
        drawn = house.facts_of(RoundDrawn)[0]
        assert drawn.issue == round_before.issue
        assert drawn.operator_secret == secrets[drawn.index].hex()


@driven
async def test_a_new_engine_has_the_same_player_states(house: EngineHarness) -> None:
    async with house:
        await with_bets(house)
        await bring_to(house, "half settled")
        before = {
            player: house.engine.state.players[player] for player in range(PLAYER, PLAYER + 3)
        }
        book = [entry.bet.bet for entry in house.sale().book.open_bets()]
        await house.crash()
        await house.lead()
        assert house.sale().phase == Phase.DRAWN
        assert [entry.bet.bet for entry in house.sale().book.open_bets()] == book
        for player, state in before.items():
            await house.submit(None, house.bet(player=player))
            assert house.engine.state.players[player] == state
            assert balances(house.facts())[f"player:{player}:available"] == state.available


@driven
async def test_what_one_person_approved_alone_counts_after_a_crash_and_for_a_day_only(
    house: EngineHarness,
) -> None:
    """A restart does not bypass the four-eyes rule."""
    async with house:
        await house.join()

        async def enter(number: int, units: int) -> object:
            command = ApproveDeposit(PLAYER, f"d-{number}", "bank", units * 100, "", "staff:ann")
            return await house.submit(None, command, "staff:ann")

        assert isinstance(await enter(1, 5_000), PlayerAccepted)
        desk = house.engine.state.solo_approvals
        assert [each.amount_minor for each in desk.alone] == [500_000]
        await house.crash()
        await house.lead()
        assert house.engine.state.solo_approvals == desk
        second = await enter(2, 1)
        assert isinstance(second, MoneyAnswered)
        assert second.status == "endorsed"
        await house.crash()
        house.clock.forward(24 * 3_600)
        await house.start()
        assert isinstance(await enter(3, 5_000), PlayerAccepted)
        assert house.engine.state.solo_approvals.version == 2


@driven
async def test_rounds_missed_while_away_are_one_fact(house: EngineHarness) -> None:
    async with house:
        first = house.sale().opened.index
        await house.crash()
        house.clock.forward(1_000)
        await house.start()
        skipped = sorted(house.facts_of(RoundsSkipped), key=lambda fact: fact.game)
        assert [fact.game for fact in skipped] == list(GAMES)
        assert skipped[0].first == first + 1
        assert skipped[0].last == house.sale().opened.index - 1
        await house.join()
        assert isinstance(await house.submit("key", house.bet()), BetAccepted)
        audit(house.facts())


@driven
async def test_a_second_tick_changes_nothing(house: EngineHarness) -> None:
    async with house:
        await with_bets(house)
        house.clock.now = house.sale().opened.draws_at
        await house.tick()
        facts = house.facts()
        await house.tick()
        assert house.facts() == facts


@pytest.mark.parametrize(("before", "after"), [(10, 210), (210, 10), (10, 11), (210, 210)])
@driven
async def test_other_round_lengths_on_the_same_day_use_no_issue_twice(
    house: EngineHarness, before: int, after: int
) -> None:
    house.schedule = demo(before)
    async with house:
        for seconds in (before, after, before, after):
            await house.crash()
            house.schedule = demo(seconds)
            await house.start()
            for _ in range(5):
                house.clock.now = max(house.sale(game).opened.draws_at for game in GAMES)
                await house.tick()
                await house.join()
                assert isinstance(await house.submit(None, house.bet()), BetAccepted)
        audit(house.facts())
        segments = [day.segment for day in house.facts_of(DayOpened) if day.game == 1]
        assert segments == list(range(1 if before == after else 4))


@driven
async def test_the_round_on_sale_under_the_old_length_is_finished_first(
    house: EngineHarness,
) -> None:
    async with house:
        await with_bets(house)
        old = house.sale()
        await house.crash()
        house.schedule = demo(210)
        await house.start()
        assert isinstance(await house.submit("more", house.bet()), BetAccepted)
        assert house.sale().issue == old.issue
        house.clock.now = max(house.sale(game).opened.draws_at for game in GAMES)
        await house.tick()
        opened = house.facts_of(RoundOpened)[-1]
        assert opened.closes_at - opened.opens_at > 100_000_000
        audit(house.facts())


@driven
async def test_a_day_whose_opening_was_interrupted_is_opened_by_the_next_engine(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The witness has signed a day that is in no log; the same day gets another name."""

    def cut_short(*_: object) -> list[int]:
        raise MemoryError

    async with house:
        await house.crash()
        house.clock.forward(timedelta(days=1).total_seconds())
        await house.lead()
        with monkeypatch.context() as patch:
            patch.setattr(FactLog, "append", cut_short)
            await house.tick()
            with pytest.raises(MemoryError):
                await house.running
        house.clock.forward(10)
        await house.start()
        await house.tick()
        await house.join()
        assert isinstance(await house.submit("key", house.bet()), BetAccepted)
        audit(house.facts())


@driven
async def test_a_round_that_passes_while_its_day_is_signed_causes_no_error(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine starts just before a close, and the witness signs no day for a closed round."""
    sign_day, requests = LocalWitness.sign_day, list[Signed]()

    def signed_late(witness: LocalWitness, request: Signed, key: bytes) -> bytes:
        requests.append(request)
        house.clock.now = max(house.clock.now, first_of_the_last_game.closes_at)
        return sign_day(witness, request, key)

    first_of_the_last_game = slot(house.schedule, 4, "2026-11-21", 1)
    with monkeypatch.context() as late, capture_logs() as logs:
        late.setattr(LocalWitness, "sign_day", signed_late)
        async with house:
            assert house.engine.state.newest == {}
            assert len(requests) == len(GAMES)  # another segment would be as late
            assert [entry for entry in logs if entry["log_level"] == "warning"] == []
            house.clock.now = first_of_the_last_game.draws_at
            await house.tick()
            opened = [each.opened.index for each in house.engine.state.rounds.values()]
            assert opened == [2] * len(GAMES)
