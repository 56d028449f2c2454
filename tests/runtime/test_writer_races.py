"""Concurrent commands: they are put in one order, and every sum stays correct."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Self

import pytest
from msgspec import structs

from engine.answers import BetAccepted, BetsRecalled, Refused, StandingChanged
from engine.bets.commands import RecallBets
from engine.command_handler import Command
from engine.players.commands import (
    MAX_EXCLUSION_US,
    MAX_TIME_OUT_US,
    PERIOD_TOLERANCE_US,
    ExcludeSelf,
    TakeTimeOut,
)
from engine.refusals import Refusal
from engine.rounds.commands import OpenRound, SettleRound
from engine.runtime.log.lease import CannotCommit
from engine.runtime.writer import writer as writer_module
from engine.runtime.writer.batch_decider import BatchDecider
from engine.runtime.writer.commit import Committer
from engine.runtime.writer.reply import Reply
from engine.schedule import slot
from tests.runtime.audit import audit, balances
from tests.runtime.house import PLAYER, EngineHarness, Gate, driven, until

FUNDS = Refused(Refusal.FUNDS_INSUFFICIENT, "money")


@driven
async def test_a_balance_for_ten_bets_accepts_ten_of_two_hundred(house: EngineHarness) -> None:
    """GLI-19 4.3.3b: the stake leaves in the transaction that accepts; never below zero."""
    async with house:
        await house.join(units=100)
        bets = [house.send(f"key-{number}", house.bet(units=10)) for number in range(200)]
        answers = [(await bet).answer for bet in bets]
        assert sum(isinstance(answer, BetAccepted) for answer in answers) == 10
        assert answers.count(FUNDS) == 190
        assert balances(house.facts())[f"player:{PLAYER}:available"] == 0
        audit(house.facts())


@driven
async def test_a_batch_decided_while_another_is_stored_knows_what_that_one_spends(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with house:
        await house.join(units=100)
        with monkeypatch.context() as patch:
            gate = Gate(patch)
            sent = [house.send(f"first-{number}", house.bet(units=10)) for number in range(6)]
            await gate.reached()
            sent += [house.send(f"then-{number}", house.bet(units=10)) for number in range(200)]
            await until(lambda: not house.engine.queued)
            gate.open()
            answers = [(await bet).answer for bet in sent]
        assert [isinstance(answer, BetAccepted) for answer in answers[:10]] == [True] * 10
        assert set(answers[10:]) == {FUNDS}
        audit(house.facts())


@driven
async def test_the_database_gets_the_next_batch_before_the_last_ones_callers_are_answered(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answering a thousand callers takes milliseconds, in which it would wait."""
    order: list[str] = []
    begin, publish = Committer._run, BatchDecider.publish

    def begin_and_note(*arguments: Any) -> Awaitable[Any]:
        order.append("sent")
        return begin(*arguments)

    def note_and_publish(*arguments: Any) -> None:
        order.append("answered")
        publish(*arguments)

    async with house:
        await house.join(units=10_000)
        with monkeypatch.context() as patch:
            gate = Gate(patch)
            sent = [house.send("first", house.bet(units=10))]
            await gate.reached()
            patch.setattr(Committer, "_run", begin_and_note)
            patch.setattr(BatchDecider, "publish", note_and_publish)
            sent += [house.send(f"then-{number}", house.bet(units=10)) for number in range(200)]
            await until(lambda: not house.engine.queued)
            gate.open()
            await asyncio.gather(*sent)
    assert order == ["sent", "answered", "answered"]


class WaitingSlice:
    """A slice of a settlement that is decided, and waits for a first bet that is being stored."""

    gate: Gate
    first: asyncio.Future[Reply]
    slice: asyncio.Future[Reply]

    @classmethod
    async def behind_a_bet(
        cls, house: EngineHarness, patch: pytest.MonkeyPatch, steps: Sequence[Command] = ()
    ) -> Self:
        """The gate keeps the bet from being stored; `steps` are decided before the slice."""
        writer, waiting = house.engine._writer, cls()
        assert writer is not None
        waiting.gate = Gate(patch)
        waiting.first = house.send("first", house.bet())
        await waiting.gate.reached()
        for step in steps:
            writer.submit_internal(step)
        waiting.slice = writer.submit_internal(SettleRound(1, house.sale().issue, 500))
        await until(lambda: not house.engine.queued)
        return waiting


async def sent_while_a_slice_waits(
    house: EngineHarness,
    monkeypatch: pytest.MonkeyPatch,
    passed_s: float,
    key: str = "key",
    send: Callable[[], Command] | None = None,
    steps: Sequence[Command] = (),
) -> tuple[Reply, Reply, list[int]]:
    """A bet sent `passed_s` after a slice was decided, which waits for a first bet to be stored.

    `send` returns another command than a bet; `steps` are decided before the slice. Returns the
    first bet's reply and its own, and how many commands each batch had.
    """
    sizes: list[int] = []
    writer = house.engine._writer
    assert writer is not None
    with monkeypatch.context() as patch:
        patch.setattr(
            writer.observer, "batch_answered", lambda answered, *_: sizes.append(len(answered))
        )
        waiting = await WaitingSlice.behind_a_bet(house, patch, steps)
        house.clock.forward(passed_s)
        bet = house.send(key, send() if send else house.bet())
        await asyncio.sleep(0)
        waiting.gate.open()
        return await waiting.first, await bet, sizes


@driven
async def test_a_bet_joins_the_batch_of_a_slice_that_waits_to_be_stored(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a round settles, a bet elsewhere waits for one batch to be stored, not for two."""
    async with house:
        await house.join()
        _, bet, sizes = await sent_while_a_slice_waits(house, monkeypatch, 0.0)
        assert isinstance(bet.answer, BetAccepted)
        assert sizes == [1, 2]
        audit(house.facts())


@driven
async def test_a_repeat_that_joins_a_batch_has_the_position_of_its_first(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader that waits for this position sees the bet."""
    async with house:
        await house.join()
        first, again, _ = await sent_while_a_slice_waits(house, monkeypatch, 0.0, "first")
        assert again.answer == first.answer
        assert again.position == first.position


@driven
async def test_a_bet_joins_no_batch_that_was_begun_before_the_end_of_a_sale(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would be decided as if the sale were still open."""
    async with house:
        await house.join()
        house.clock.now = house.sale().closes_at - 1
        _, bet, sizes = await sent_while_a_slice_waits(house, monkeypatch, 1e-6)
        assert bet.answer == Refused(Refusal.ROUND_CLOSED, "issue")
        assert sizes == [1, 1, 1]
        audit(house.facts())


@driven
async def test_a_bet_joins_no_batch_that_opened_a_sale_which_has_ended_since(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A round that is opened late, in the last moment of its sale."""
    async with house:
        await house.join()
        day = house.engine.state.games[1]
        second = slot(house.schedule, 1, day.day, 2)
        opening = OpenRound(1, 2, second.opens_at, second.closes_at, second.draws_at)
        bet = structs.replace(house.bet(), issue=day.issue_of(2))
        house.clock.now = second.closes_at - 50_000
        _, late, _ = await sent_while_a_slice_waits(
            house, monkeypatch, 0.05, send=lambda: bet, steps=[opening]
        )
        assert late.answer == Refused(Refusal.ROUND_CLOSED, "issue")


@pytest.mark.parametrize(
    "longest",
    [
        lambda now: TakeTimeOut(PLAYER, now + MAX_TIME_OUT_US + PERIOD_TOLERANCE_US),
        lambda now: ExcludeSelf(PLAYER, now + MAX_EXCLUSION_US + PERIOD_TOLERANCE_US),
    ],
    ids=["time-out", "exclusion"],
)
@driven
async def test_the_longest_block_is_accepted_while_a_slice_waits(
    longest: Callable[[int], Command], house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the time of a batch that was begun before, it would be longer than the longest."""
    async with house:
        await house.join()
        _, taken, _ = await sent_while_a_slice_waits(
            house, monkeypatch, 0.05, send=lambda: longest(house.clock.now)
        )
        assert isinstance(taken.answer, StandingChanged)


@driven
async def test_a_stored_bet_is_answered_while_the_player_of_a_later_one_is_being_read(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long history of one player delays no answer to another."""
    reading = asyncio.Event()
    read = Committer.player_history

    async def read_late(committer: Committer, players: Sequence[int]) -> Any:
        await reading.wait()
        return await read(committer, players)

    async with house:
        await house.join()
        with monkeypatch.context() as patch:
            waiting = await WaitingSlice.behind_a_bet(house, patch)
            patch.setattr(Committer, "player_history", read_late)
            stranger = house.send("stranger", structs.replace(house.bet(), player=PLAYER + 1))
            await asyncio.sleep(0)
            waiting.gate.open()
            assert isinstance((await waiting.first).answer, BetAccepted)
            assert not stranger.done()
            reading.set()
            assert (await stranger).answer == Refused(Refusal.PLAYER_UNKNOWN)


@driven
async def test_a_stored_bet_is_answered_although_the_writer_ends_before_the_next_batch(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def step_down(*_: object) -> None:
        raise CannotCommit("for this test")

    async with house:
        await house.join()
        with monkeypatch.context() as patch:
            waiting = await WaitingSlice.behind_a_bet(house, patch)
            patch.setattr(BatchDecider, "seal", step_down)
            waiting.gate.open()
            assert isinstance((await waiting.first).answer, BetAccepted)
            assert (await waiting.slice).answer == Refused(Refusal.OUTCOME_UNKNOWN)


@driven
async def test_a_bet_joins_no_batch_that_was_begun_long_before(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with house:
        await house.join()
        _, bet, _ = await sent_while_a_slice_waits(house, monkeypatch, 1.0)
        assert isinstance(bet.answer, BetAccepted)
        assert bet.answer.at == house.clock.now


@driven
async def test_a_bet_that_may_not_join_is_decided_with_the_next_slice(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a slow database no slice can be joined. No bet waits for the end of the settlement."""
    sizes: list[int] = []
    async with house:
        await house.join()
        writer = house.engine._writer
        assert writer is not None
        monkeypatch.setattr(writer_module, "MAX_JOIN_US", -1)
        monkeypatch.setattr(
            writer.observer, "batch_answered", lambda answered, *_: sizes.append(len(answered))
        )
        with monkeypatch.context() as patch:
            gate = Gate(patch)
            house.send("first", house.bet())
            await gate.reached()
            slice_of = SettleRound(1, house.sale().issue, 500)
            slices = [writer.submit_internal(slice_of) for _ in range(3)]
            await until(lambda: house.engine.queued == 2)
            bet = house.send("key", house.bet())
            gate.open()
            assert isinstance((await bet).answer, BetAccepted)
            await asyncio.gather(*slices)
        assert sizes == [1, 1, 2, 1]


@driven
async def test_a_close_racing_a_thousand_bets_freezes_exactly_the_accepted_ones(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AGCO 2.1.2: the frozen set equals the set with receipts."""
    async with house:
        await house.join(units=100_000)
        bet = house.bet()
        with monkeypatch.context() as patch:
            gate = Gate(patch)
            sent = [house.send(f"key-{number}", bet) for number in range(500)]
            await gate.reached()
            house.clock.now = house.sale().closes_at
            closing = asyncio.create_task(house.tick())
            sent += [house.send(f"late-{number}", bet) for number in range(500)]
            await asyncio.sleep(0)
            gate.open()
            accepted = [each for each in sent if isinstance((await each).answer, BetAccepted)]
        await closing
        closed = house.sale().closed
        assert closed is not None
        assert closed.count == len(accepted) == 500
        audit(house.facts())


@driven
async def test_recalls_racing_a_close_are_in_time_or_leave_the_bet_in_the_frozen_set(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GLI-19 2.8.2o: recall only while open; no stake is returned twice or lost between the two."""
    async with house:
        await house.join(units=10_000)
        placed = [house.send(f"bet-{number}", house.bet(units=10)) for number in range(200)]
        placements = [(await each).answer for each in placed]
        bets = [each.bet for each in placements if isinstance(each, BetAccepted)]
        issue = house.sale().issue
        recalls = [RecallBets(PLAYER, 1, issue, bet) for bet in bets]
        with monkeypatch.context() as patch:
            gate = Gate(patch)
            sent = [house.send(f"in-{each.bet}", each) for each in recalls[:100]]
            await gate.reached()
            house.clock.now = house.sale().closes_at
            closing = asyncio.create_task(house.tick())
            sent += [house.send(f"late-{each.bet}", each) for each in recalls]
            await asyncio.sleep(0)
            gate.open()
            answers = [(await each).answer for each in sent]
        await closing
        closed = house.sale().closed
        assert closed is not None
        recalled = [each.bets[0] for each in answers if isinstance(each, BetsRecalled)]
        assert recalled == bets[:100]
        assert closed.count == 100
        assert answers[100:] == [Refused(Refusal.ROUND_CLOSED, "issue")] * 200
        audit(house.facts())
