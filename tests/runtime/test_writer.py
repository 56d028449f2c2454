import asyncio
import gc
import itertools
from typing import Any

import pytest
from eventsourcing.persistence import IntegrityError
from msgspec import Struct

from engine.answers import BetAccepted, BetsRecalled, Done, Refused
from engine.bets import decisions
from engine.bets.commands import PlaceBet, RecallBets
from engine.bets.facts import BetPlaced, BetRecalled
from engine.cashier.commands import ApproveDeposit
from engine.cashier.facts import DepositApproved
from engine.command_handler import Command
from engine.engine_state import EngineState
from engine.players.commands import RegisterPlayer
from engine.players.facts import PlayerRegistered
from engine.refusals import Refusal
from engine.rounds.commands import CloseRound, ReturnStakes, SettleRound
from engine.runtime.log.idempotency import OutcomeCache
from engine.runtime.secret_keys import OperatorKey
from engine.runtime.writer import writer as writer_module
from engine.runtime.writer.writer import Writer
from tests.runtime.audit import audit
from tests.runtime.house import PLAYER, EngineHarness, Gate, driven, until

REPEATS = 50
FUNDS = Refused(Refusal.FUNDS_INSUFFICIENT, "money")

MONEY_COMMANDS: dict[str, type[Struct]] = {
    "bet": BetPlaced,
    "recall": BetRecalled,
    "deposit": DepositApproved,
    "registration": PlayerRegistered,
}


def money_command(name: str, house: EngineHarness) -> Command:
    issue = house.sale().issue
    commands: dict[str, Command] = {
        "bet": house.bet(),
        "recall": RecallBets(PLAYER, 1, issue, None),
        "deposit": ApproveDeposit(PLAYER, "d-1", "bank", 5_000, ""),
        "registration": RegisterPlayer(20_002, 1, None, "", gift_minor=1_000),
    }
    return commands[name]


# Idempotency


@pytest.mark.parametrize("name", MONEY_COMMANDS)
@driven
async def test_a_repeated_command_has_one_effect_and_one_answer(
    house: EngineHarness, name: str
) -> None:
    async with house:
        await house.join()
        await house.submit("first", house.bet())
        command = money_command(name, house)
        effects = len(house.facts_of(MONEY_COMMANDS[name])) + 1
        concurrent = await asyncio.gather(*(house.submit("key", command) for _ in range(REPEATS)))
        in_sequence = [await house.submit("key", command) for _ in range(REPEATS)]
        await house.crash()
        await house.start()
        after_restart = [await house.submit("key", command) for _ in range(REPEATS)]
        assert not isinstance(concurrent[0], Refused)
        assert {*concurrent, *in_sequence, *after_restart} == {concurrent[0]}
        assert len(house.facts_of(MONEY_COMMANDS[name])) == effects
        audit(house.facts())


@driven
async def test_concurrent_repeats_after_a_restart_get_the_first_answer(
    house: EngineHarness,
) -> None:
    async with house:
        await house.join()
        bet = house.bet()
        first = await house.submit("key", bet)
        await house.crash()
        await house.start()
        sent = [house.send(f"new-{number}", bet) for number in range(5)]
        again = await asyncio.gather(*(house.submit("key", bet) for _ in range(REPEATS)))
        others = [(await each).answer for each in sent]
        assert set(again) == {first}
        assert {type(other) for other in others} == {BetAccepted}
        assert len(house.facts_of(BetPlaced)) == 6
        audit(house.facts())


@driven
async def test_a_repeated_command_returns_the_position_of_its_effect(
    house: EngineHarness,
) -> None:
    async with house:
        await house.join()
        bet = house.bet()
        first = await house.send("key", bet)
        again = await house.send("key", bet)
        assert again.position == first.position == len(house.facts())
        await house.crash()
        await house.start()
        assert (await house.send("key", bet)).position >= first.position
        audit(house.facts())


@pytest.mark.parametrize("repeats", [1, 300])
@driven
async def test_repeats_sent_while_the_first_is_being_stored_get_its_answer(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch, repeats: int
) -> None:
    async with house:
        await house.join()
        bet = house.bet()
        with monkeypatch.context() as patch:
            gate = Gate(patch)
            first = house.send("key", bet)
            await gate.reached()
            again = [house.send("key", bet) for _ in range(repeats)]
            other = house.send("other", bet)
            await asyncio.sleep(0)
            gate.open()
            answers = [(await each).answer for each in (first, *again)]
        assert set(answers) == {answers[0]}
        assert isinstance((await other).answer, BetAccepted)
        assert len(house.facts_of(BetPlaced)) == 2
        audit(house.facts())


@driven
async def test_a_refusal_is_repeated_also_when_the_player_has_been_funded(
    house: EngineHarness,
) -> None:
    async with house:
        await house.join(units=5)
        bet = house.bet(units=10)
        first = await house.submit("key", bet)
        await house.submit("deposit", ApproveDeposit(PLAYER, "d-1", "bank", 100_000, ""))
        again = [await house.submit("key", bet) for _ in range(REPEATS)]
        await house.crash()
        await house.start()
        concurrent = await asyncio.gather(*(house.submit("key", bet) for _ in range(REPEATS)))
        assert {first, *again, *concurrent} == {FUNDS}
        assert not house.facts_of(BetPlaced)
        assert isinstance(await house.submit("another key", bet), BetAccepted)


@pytest.mark.parametrize(
    ("field", "other"),
    [("stake_minor", 2_000), ("kind", "small"), ("plan", 2), ("issue", "20261121002")],
)
@driven
async def test_a_key_with_other_content_is_refused_by_the_fields_name(
    house: EngineHarness, field: str, other: object
) -> None:
    async with house:
        await house.join()
        bet = house.bet()
        content = {name: getattr(bet, name) for name in bet.__struct_fields__} | {field: other}
        first, together = await asyncio.gather(
            house.submit("key", bet), house.submit("key", PlaceBet(**content))
        )
        later = await house.submit("key", PlaceBet(**content))
        await house.crash()
        await house.start()
        after_restart = await house.submit("key", PlaceBet(**content))
        assert {together, later, after_restart} == {Refused(Refusal.KEY_REUSED, field)}
        assert await house.submit("key", bet) == first
        assert len(house.facts_of(BetPlaced)) == 1


@driven
async def test_a_key_of_another_kind_of_command_is_refused(house: EngineHarness) -> None:
    async with house:
        await house.join()
        await house.submit("key", house.bet())
        answer = await house.submit("key", RecallBets(PLAYER, 1, house.sale().issue, None))
        assert isinstance(answer, Refused)
        assert answer.refusal == Refusal.KEY_REUSED


@driven
async def test_two_players_may_use_one_key(house: EngineHarness) -> None:
    async with house:
        await house.join()
        await house.join(PLAYER + 1)
        first, second = house.bet(), house.bet(player=PLAYER + 1)
        answers = await asyncio.gather(house.submit("key", first), house.submit("key", second))
        assert all(isinstance(answer, BetAccepted) for answer in answers)
        assert len({answer.bet for answer in answers if isinstance(answer, BetAccepted)}) == 2


@driven
async def test_one_players_key_is_new_to_another_in_every_later_batch(house: EngineHarness) -> None:
    """With outcomes from memory, and from the log after a restart."""
    async with house:
        for player in range(PLAYER, PLAYER + 3):
            await house.join(player)
        bets = [house.bet(player=player) for player in range(PLAYER, PLAYER + 3)]
        answers = [await house.submit("key", bet) for bet in bets[:2]]
        await house.crash()
        await house.start()
        answers += [await house.submit("key", bets[2])]
        placed = {answer.bet for answer in answers if isinstance(answer, BetAccepted)}
        assert len(placed) == 3


@driven
async def test_every_command_without_a_key_is_new(house: EngineHarness) -> None:
    async with house:
        await house.join()
        await asyncio.gather(*(house.submit(None, house.bet()) for _ in range(3)))
        assert len(house.facts_of(BetPlaced)) == 3


# Order


@driven
async def test_the_log_never_goes_back_in_time(house: EngineHarness) -> None:
    async with house:
        await house.join()
        house.clock.forward(-3600)
        answer = await house.submit("key", house.bet())
        assert isinstance(answer, BetAccepted)
        audit(house.facts())


@driven
async def test_ids_of_bets_differ_and_follow_the_time_of_their_batches(
    house: EngineHarness,
) -> None:
    """An index on random ids would cost more with each bet in it."""
    async with house:
        await house.join()
        batches = []
        for _ in range(3):
            house.clock.forward(1)
            answers = await asyncio.gather(*(house.submit(None, house.bet()) for _ in range(20)))
            batches.append({a.bet for a in answers if isinstance(a, BetAccepted)})
    assert [len(batch) for batch in batches] == [20, 20, 20]
    for earlier, later in itertools.pairwise(batches):
        assert max(earlier) < min(later)


@driven
async def test_a_bet_at_the_close_is_too_late(house: EngineHarness) -> None:
    """GLI-19 2.2.1: none is in the log after its round's close, whatever its request time."""
    async with house:
        await house.join()
        bet = house.bet()
        house.clock.now = house.sale().closes_at - 1
        assert isinstance(await house.submit("in time", bet), BetAccepted)
        house.clock.now += 1
        assert await house.submit("late", bet) == Refused(Refusal.ROUND_CLOSED, "issue")
        audit(house.facts())


@driven
async def test_the_proof_from_the_log_equals_the_one_in_the_reply(house: EngineHarness) -> None:
    async with house:
        await house.join()
        sent = [house.send(f"key-{number}", house.bet()) for number in range(7)]
        for reply in [await each for each in sent]:
            assert isinstance(reply.answer, BetAccepted)
            assert reply.proof is not None
            assert await house.engine.proof(PLAYER, reply.answer.version) == reply.proof


@driven
async def test_a_repeated_recall_gets_its_first_answer(house: EngineHarness) -> None:
    async with house:
        await house.join()
        for number in range(3):
            await house.submit(f"key-{number}", house.bet())
        recall = RecallBets(PLAYER, 1, house.sale().issue, None)
        first = await house.submit("recall", recall)
        assert isinstance(first, BetsRecalled)
        assert len(first.bets) == 3
        assert await house.submit("recall", recall) == first
        assert await house.submit("again", recall) == Refused(Refusal.NOTHING_TO_RECALL, "issue")


# Refusals that are not stored


@driven
async def test_a_full_queue_refuses_players_but_never_the_house(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer_module, "QUEUE_LIMIT", 20)
    async with house:
        await house.join()
        house.clock.now = house.sale().closes_at - 1
        sent = [house.send(f"key-{number}", house.bet()) for number in range(30)]
        house.clock.forward(1)
        writer = house.engine._writer
        assert writer is not None
        step = writer.submit_internal(CloseRound(1, house.sale().issue))
        answers = [(await each).answer for each in sent]
        assert answers[20:] == [Refused(Refusal.ENGINE_BUSY)] * 10
        assert Refused(Refusal.ENGINE_BUSY) not in answers[:20]
        assert (await step).answer == Done(1)


@pytest.mark.parametrize("slice_of", [SettleRound, ReturnStakes])
@driven
async def test_a_batch_has_one_slice_of_a_settlement_or_of_returned_stakes(
    house: EngineHarness,
    monkeypatch: pytest.MonkeyPatch,
    slice_of: type[SettleRound] | type[ReturnStakes],
) -> None:
    """Several games may settle at once, and no player waits for all of them."""
    async with house:
        writer = house.engine._writer
        assert writer is not None
        issue = house.sale().issue
        slices = [writer.submit_internal(slice_of(game, issue, 500)) for game in (1, 2, 3)]
        sizes: list[int] = []
        monkeypatch.setattr(
            writer.observer, "batch_answered", lambda answered, *_: sizes.append(len(answered))
        )
        await asyncio.gather(*slices)
        assert sizes == [1, 1, 1]


@driven
async def test_a_busy_answer_is_not_stored(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with house:
        await house.join()
        with monkeypatch.context() as patch:
            patch.setattr(writer_module, "QUEUE_LIMIT", 0)
            assert await house.submit("key", house.bet()) == Refused(Refusal.ENGINE_BUSY)
        assert isinstance(await house.submit("key", house.bet()), BetAccepted)


@driven
async def test_a_command_that_waited_too_long_is_refused_and_not_stored(
    house: EngineHarness,
) -> None:
    async with house:
        await house.join()
        loop = asyncio.get_running_loop()
        assert hasattr(loop, "forward")
        waiting = house.send("key", house.bet())
        loop.forward(5.1)
        assert (await waiting).answer == Refused(Refusal.DEADLINE_PASSED)
        assert isinstance(await house.submit("key", house.bet()), BetAccepted)
        assert len(house.facts_of(BetPlaced)) == 1


@driven
async def test_a_fault_in_one_decision_refuses_that_command_alone(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with house:
        await house.join()
        place_bet = decisions.place_bet

        def faulty(command: PlaceBet, *others: object) -> object:
            assert command.stake_minor != 66_600
            return place_bet(command, *others)  # type: ignore[arg-type]

        with monkeypatch.context() as patch:
            patch.setattr(decisions, "place_bet", faulty)
            units = [10, 666, 20]
            sent = [house.send(f"key-{each}", house.bet(each)) for each in units]
            answers = [(await each).answer for each in sent]
        assert answers[1] == Refused(Refusal.INTERNAL_ERROR)
        assert [type(answer) for answer in answers[::2]] == [BetAccepted, BetAccepted]
        assert isinstance(await house.submit("key-666", house.bet(666)), BetAccepted)
        audit(house.facts())


class Stuck:
    """A log that delays its only batch until the writer has ended, and then refuses it."""

    next = 1
    snapshots = None

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.ended = asyncio.Event()

    def time(self, now: int) -> int:
        return now

    async def player_history(self, _: object) -> tuple[list[Any], dict[int, Any]]:
        return [], {}

    async def store(self, _: object) -> bool:
        self.reached.set()
        await self.ended.wait()
        raise IntegrityError


@driven
async def test_a_writer_that_ends_leaves_no_unreported_failure() -> None:
    """The next leader finds the result of the last batch in the log."""
    unreported: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: unreported.append(context))
    stuck: Any = Stuck()
    key = OperatorKey(bytes(32))
    writer = Writer(EngineState(), stuck, OutcomeCache(), key, lambda: 1_795_226_400_000_000, bytes)
    running = asyncio.create_task(writer.run())
    reply = writer.submit("registration", "join", RegisterPlayer(PLAYER, 1, None, ""))
    await stuck.reached.wait()
    running.cancel()
    assert (await reply).answer == Refused(Refusal.OUTCOME_UNKNOWN)
    del running, writer
    stuck.ended.set()
    await until(lambda: len(asyncio.all_tasks()) == 1)
    gc.collect()
    assert unreported == []
