"""The real writer, scheduler and witness on in-memory stores, compared with the model.

Every command goes through `play`: its answer and every fact that it adds to the log must equal what
the model (`model.py`, `model_log.py`) computes without the engine.
"""

import asyncio
import json
from collections import Counter, deque
from collections.abc import Awaitable, Sequence
from contextlib import ExitStack
from hashlib import sha256
from typing import Any, NamedTuple, TypeVar
from unittest.mock import patch

import msgspec

from engine import answers
from engine.bets.commands import PlaceBet, RecallBets
from engine.command_handler import Command
from engine.engine_state import EngineState
from engine.facts import player_stream
from engine.fairness.merkle import root_from_path
from engine.ledger import postings
from engine.players.commands import RegisterPlayer
from engine.rounds.state import Round
from engine.runtime.log import idempotency
from engine.runtime.log.idempotency import OutcomeCache
from engine.runtime.scheduler.round_scheduler import RoundScheduler, SchedulerContext
from engine.runtime.secret_keys import OperatorKey
from engine.runtime.writer import writer as writer_module
from engine.runtime.writer.reply import Reply, proof_of
from engine.runtime.writer.startup import recover
from engine.schedule import Schedule
from tests.engine import model_rules as rules
from tests.engine.model import LogRecord, Plain, ReferenceModel
from tests.engine.model_log import apply
from tests.instruments.simulator.fakes import (
    FakeClock,
    InlineExecutor,
    MemoryChains,
    MemoryCommitter,
    MemoryLog,
    MemoryWitness,
    SeededBytes,
)

SCHEDULE = Schedule(
    rounds=rules.ROUNDS,
    round_us=rules.ROUND_S * rules.SECOND,
    close_us=rules.CLOSE_S * rules.SECOND,
    stagger_us=rules.STAGGER_S * rules.SECOND,
    opens_minute_of_day=600,
    day_us=rules.DAY_LENGTH_S * rules.SECOND,
    timezone="Asia/Singapore",
)
KEY = OperatorKey(sha256(b"operator").digest())
_T = TypeVar("_T")


class SentCommand(NamedTuple):
    """A submitted command; without an idempotency key its answer is not stored."""

    actor: str
    key: str | None
    command: Command


def plain(value: msgspec.Struct) -> Plain:
    """A command or an answer as plain JSON, with its tag under "type"."""
    fields: Plain = json.loads(msgspec.json.encode(msgspec.structs.asdict(value)))
    return {"type": value.__struct_config__.tag, **fields}


class DrivenEngine:
    def __init__(self, seed: int, *, pipelined: bool, small_caches: bool) -> None:
        """With `pipelined`, batches are tiny, and each is decided while the last is stored.

        With `small_caches`, most players and outcomes must be read from the log again.
        """
        self.loop = asyncio.new_event_loop()
        self.loop.set_default_executor(InlineExecutor())
        self.clock, self.entropy = FakeClock(rules.FIRST_START), SeededBytes(seed)
        self.log = MemoryLog()
        self.witness = MemoryWitness(self.clock, self.entropy)
        self.chains = MemoryChains(self.entropy)
        self.model = ReferenceModel()
        self.accounts: Counter[str] = Counter()
        self._posted = 0
        self._sent_count = 0
        self._patches = ExitStack()
        if pipelined:
            self._patches.enter_context(patch.object(writer_module, "BATCH_LIMIT", 2))
            self._patches.enter_context(patch.object(writer_module, "MIN_PIPELINED_BATCH", 1))
        if small_caches:
            self._patches.enter_context(patch.object(writer_module, "PLAYER_CACHE_SIZE", 1))
            self._patches.enter_context(patch.object(idempotency, "IN_MEMORY", 10))
        self.start()

    def start(self) -> None:
        """Recover from the log alone, and start the writer."""
        self.latest = self.log.last()[1]
        self.writer = self.loop.run_until_complete(self._writer())
        self._writing = self.loop.create_task(self.writer.run())
        context = SchedulerContext(
            SCHEDULE, rules.ODDS_TABLE, KEY, self.chains, self.witness, self.clock
        )
        self.scheduler = RoundScheduler(self.writer, context)

    async def _writer(self) -> writer_module.Writer:
        state, committer = recover(self.log), MemoryCommitter(self.log)
        return writer_module.Writer(state, committer, OutcomeCache(), KEY, self.clock, self.entropy)

    def stop(self) -> None:
        """End the writer, unless it has ended by itself."""
        self.writer.stop()
        self.loop.run_until_complete(asyncio.wait({self._writing}, timeout=5))
        if self._writing.done() and not self._writing.cancelled():
            self._writing.exception()

    def close(self) -> None:
        """Stop the writer and close the event loop."""
        self.stop()
        self._patches.close()
        self.loop.close()

    def run(self, work: Awaitable[_T]) -> _T:
        """Wait for the engine. Raises AssertionError if no answer comes, instead of hanging."""

        async def with_timeout() -> _T:
            future = asyncio.ensure_future(work)
            done, _ = await asyncio.wait({future, self._writing}, return_when="FIRST_COMPLETED")
            if not done or future not in done:
                await asyncio.wait({future}, timeout=1)
            if not future.done():
                future.cancel()
                stopped = self._writing.exception() if self._writing.done() else None
                raise AssertionError("no answer came") from stopped
            return future.result()

        return self.loop.run_until_complete(with_timeout())

    @property
    def now(self) -> int:
        """The time of decisions: the clock's, but never before the last stored fact."""
        return max(self.clock.now, self.latest)

    def sent_command(self, command: Command, *, keyed: bool = True) -> SentCommand:
        """A command under a new key, with the actor it comes from."""
        self._sent_count += 1
        match command:
            case PlaceBet(player=player) | RecallBets(player=player):
                actor = f"player-{player}"
            case RegisterPlayer():
                actor = "registration"
            case _:
                actor = "clerk"
        return SentCommand(actor, f"key-{self._sent_count}" if keyed else None, command)

    def play(self, *sent: SentCommand, step: Command | None = None) -> list[Reply]:
        """Decide the commands together, after a `step` of the house, and check the results."""
        house = [SentCommand("house", None, step)] if step is not None else []
        batches = len(self.log.batches)
        replies = self.submit(sent, house)
        self.check([*house, *sent], replies)
        if len(self.log.batches) > batches:
            self.latest = self.now
        return replies

    def submit(self, sent: Sequence[SentCommand], house: Sequence[SentCommand] = ()) -> list[Reply]:
        """The unchecked answers, those of the house first."""

        async def submitting() -> list[Reply]:
            replies = [self.writer.submit(*each) for each in sent]
            steps = [self.writer.submit_internal(each.command) for each in house]
            return await asyncio.gather(*steps, *replies)

        return self.run(submitting())

    def new_records(self) -> deque[LogRecord]:
        """The facts that the model has not applied yet."""
        position = self.model.position
        stored = zip(self.log.facts[position:], self.log.states[position:], strict=True)
        return deque(
            LogRecord(
                each.position,
                each.stream,
                each.version,
                each.at,
                each.command_id,
                each.actor,
                topic,
                json.loads(state),
            )
            for each, (topic, state) in stored
        )

    def check(self, sent: Sequence[SentCommand], replies: Sequence[Reply]) -> None:
        """Compare answers, and the facts stored with them, with the model."""
        records = self.new_records()
        for each, reply in zip(sent, replies, strict=True):
            self._check_one(each, reply, records)
        self.apply_signatures(records)
        assert not records, f"unexpected fact {records[0]}"
        assert not self.model.unsigned, "a bet was accepted without a signed receipt"

    def _check_one(self, sent: SentCommand, reply: Reply, records: deque[LogRecord]) -> None:
        is_new = (sent.actor, sent.key) not in self.model.answers
        expected = self.expect(sent, records)
        _compare(plain(reply.answer), expected)
        if is_new and expected["type"] == "bet":
            self._check_proof(reply, expected["bet"], expected["version"])

    def expect(self, sent: SentCommand, records: deque[LogRecord]) -> Plain:
        """The expected answer, after checking and applying its expected facts."""
        command = plain(sent.command)
        expected, facts = self.model.expect(sent.actor, sent.key, command, self.now)
        self.apply_signatures(records)
        for topic, fields in facts:
            assert records, f"{topic} is missing"
            record = records.popleft()
            assert (record.topic, record.at) == (topic, self.now), f"{record} instead of {topic}"
            assert (record.actor, record.key) == (sent.actor, sent.key or "")
            apply(self.model, record)
            assert fields.items() <= record.fact.items(), f"{record.fact} instead of {fields}"
            if topic == "bet-placed.1":
                expected = {**expected, "bet": record.fact["bet"]}
        self.model.record_answer(sent.actor, sent.key, command, expected)
        return expected

    def _check_proof(self, reply: Reply, bet: str, version: int) -> None:
        """The receipt is at the index in the reply, and a later proof from the log is the same."""
        proof, placed = reply.proof, self.model.bets[bet]
        assert proof is not None
        assert proof.receipt == placed.receipt
        leaf = sha256(b"\0" + placed.receipt).digest()
        assert root_from_path(leaf, proof.index, proof.size, proof.path) == proof.head
        assert proof_of(self.log, placed.player, version) == proof

    def apply_signatures(self, records: deque[LogRecord]) -> None:
        """A batch with bets ends with the signature under their receipts."""
        while records and records[0].topic == "receipts-signed.1":
            apply(self.model, records.popleft())

    def check_state(self) -> None:
        """Check that the engine's players, rounds and accounts equal the model's."""
        state, model = self.writer.state, self.model
        open_bets = model.open_bets()
        for number, player in state.players.items():
            member = model.members.get(number)
            assert (member.facts if member else 0) == player.version
            if member is not None:
                balances = (player.available, player.staked, player.bonus)
                assert balances == (member.available, member.staked, member.bonus)
                counted = (player.payments.due_minor, player.payments.turnover_minor)
                assert counted == (member.due, member.turnover)
                assert set(player.bets) == open_bets[number]
        for key, round_ in state.rounds.items():
            assert round_.phase.name.lower() == model.rounds[key].phase
            assert list(round_.book.bets) == [bet.id for bet in model.rounds[key].open_bets()]
            if round_.drawn is None:
                assert max(round_.book.gross_minor) == model.rounds[key].worst_payout()
        self._check_postings()
        self._check_outcomes_stored()

    def _check_outcomes_stored(self) -> None:
        """Check that the answer of every command with a key is stored, refusals too."""
        assert self.log.outcomes.keys() == self.model.answers.keys(), "an outcome is not stored"

    def _check_postings(self) -> None:
        """Check that the ledger's postings add up to the model's accounts."""
        for recorded in self.log.facts[self._posted :]:
            legs = postings(recorded)
            assert sum(leg.amount_minor for leg in legs) == 0
            for leg in legs:
                self.accounts[leg.account] += leg.amount_minor
        self._posted = len(self.log.facts)
        assert +self.accounts == +self.model.accounts
        assert -self.accounts == -self.model.accounts

    def check_replay(self) -> None:
        """Check that a replay of the whole log leads to the writer's state."""
        running, fresh = self.writer.state, recover(self.log)
        player_ids = list(running.players)
        fresh.load_players(
            player_ids, self.log.streams([player_stream(each) for each in player_ids])
        )
        for name in EngineState.__struct_fields__:
            replayed, current = (
                _without_ends(getattr(fresh, name)),
                _without_ends(getattr(running, name)),
            )
            assert replayed == current, f"{name}: the log leads to {replayed}, not to {current}"

    def check_stored_answers(self) -> None:
        """Check that the stored answer of each command with a key is its first answer."""
        for key, (_, answer) in self.log.outcomes.items():
            assert key in self.model.answers, "an unexpected outcome"
            _compare(plain(answers.decode(answer)), self.model.answers[key][1])


def _compare(actual: Plain, expected: Plain) -> None:
    """Answers are equal. Of refusals, the field is compared only for `key_reused`."""
    blamed = expected["field"] if expected.get("refusal") == "key_reused" else None
    if expected["type"] == "refused" and blamed is None:
        actual, expected = {**actual, "field": ""}, {**expected, "field": ""}
    assert actual == expected, f"answered {actual} instead of {expected}"


def _without_ends(part: Any) -> Any:
    """Rounds with the order of their bets; finished rounds without the sums of their bets."""
    if not isinstance(part, dict):
        return part
    return {key: _end(value) if isinstance(value, Round) else value for key, value in part.items()}


def _end(round_: Round) -> Any:
    if round_.finished:
        return round_.opened, round_.version, round_.phase, round_.closed, round_.drawn
    return round_, list(round_.book.bets)
