"""The round scheduler: opens days and rounds, and closes, draws and settles rounds when due.

A tick compares the clock with the writer's state and takes the steps that are due. Ticks are
idempotent: a step that was taken before yields no facts. The next tick takes the steps that were
missed, also after a crash.
"""

import asyncio
import math
from collections import deque
from collections.abc import Callable
from typing import Final

import structlog
from msgspec import Struct
from msgspec.structs import replace

from engine.answers import Done, Refused
from engine.catalogue import GAMES
from engine.command_handler import Command
from engine.fairness.beacon import BEACON_OFF, BeaconRound
from engine.fairness.witness_state import DeclineReason
from engine.house.commands import LeaveSegment, OpenDay, SkipRounds
from engine.house.game_day import Cause, GameDay
from engine.odds import odds_on
from engine.refusals import Refusal
from engine.rounds.commands import (
    AnswerLate,
    CloseRound,
    OpenRound,
    ReturnStakes,
    RoundCommand,
    RuleVoid,
    SettleRound,
    VoidRound,
)
from engine.rounds.state import Phase, Round
from engine.runtime.scheduler import drawing
from engine.runtime.scheduler.day_opener import Agreement, DayOpener
from engine.runtime.scheduler.hash_chains import HashChainStore
from engine.runtime.scheduler.late_answers import LateAnswers
from engine.runtime.scheduler.waiting import WaitingRounds
from engine.runtime.secret_keys import OperatorKey
from engine.runtime.witness.log_evidence import LogEvidence
from engine.runtime.witness.witness import Witness, WitnessDeclined
from engine.runtime.writer.reply import Reply
from engine.runtime.writer.writer import Writer
from engine.schedule import Schedule, Slot, current

SETTLE_BATCH_SIZE: Final = 350
"""Bets settled in a batch. More are faster, and let other players wait longer.

On two cores a bet elsewhere takes 50 ms at the 99th percentile, 60 ms with 500 in a batch.
"""
SLICES_SUBMITTED: Final = 2
"""One slice is being stored and one is decided. Another game's steps wait for these."""
BEACON_AWAITED_US: Final = 24 * 3600 * 1_000_000
"""How long after the close a round awaits its beacon before two managers may void it.

It is long, because a house could keep the beacon away in order to choose between draw and void.
"""
Step = RoundCommand | OpenDay | SkipRounds | LeaveSegment
_log = structlog.get_logger()


def no_evidence(_: Round) -> None:
    """Returns nothing: a witness in the engine's own process needs no proof from the log."""


def no_beacon(_mode: str, _closes_at: int) -> None:
    """Returns no round: nothing fetches one, so a round that needs a beacon waits."""


class SchedulerContext(Struct, frozen=True):
    """The dependencies of the scheduler; `clock` returns microseconds since 1970.

    `beacon` is the beacon mode of the days that it opens. No round is sold in `restored_segments`,
    by game and name: they were opened before the house was restored.
    """

    schedule: Schedule
    odds_table: str
    key: OperatorKey
    chains: HashChainStore
    witness: Witness
    clock: Callable[[], int]
    log_evidence: Callable[[Round], LogEvidence | None] = no_evidence
    former_witnesses: tuple[Witness, ...] = ()
    beacon: str = BEACON_OFF
    beacon_round: Callable[[str, int], BeaconRound | None] = no_beacon
    restored_segments: tuple[tuple[int, str], ...] = ()


class StepRefused(Exception):  # noqa: N818 - the writer's answer; the next tick tries again
    """The writer refused a step; `refused` has the reason."""

    def __init__(self, command: Command, refused: Refused) -> None:
        """Name the step and the reason."""
        super().__init__(f"{type(command).__name__}: {refused.refusal}")
        self.refused = refused


class RoundScheduler:
    """Takes the steps that are due, game by game."""

    def __init__(self, writer: Writer, context: SchedulerContext) -> None:
        """Steps are submitted to `writer`, whose state shows which are due.

        `waiting` are the rounds that could not be drawn when they were due.
        """
        self._writer = writer
        self._context = context
        self._day_opener = DayOpener(context.key, context.chains, context.witness)
        self._agreement = Agreement(context.chains, context.witness)
        for game, day in context.restored_segments:
            self._agreement.leave(game, day, Cause.RESTORED)
        self._late_answers = LateAnswers(context, context.clock, self._record_late)
        self.waiting = WaitingRounds()
        self._busy = {game: asyncio.Lock() for game in GAMES}

    async def tick(self) -> None:
        """Take every step that is due now. A game whose last tick still runs is skipped."""
        await asyncio.gather(*(self._tick(game) for game in GAMES))

    def next_due(self) -> int:
        """Returns when the next step is due, in microseconds; at most a second ahead.

        A step that was due before and failed is retried after that second.
        """
        now = self._context.clock()
        times = [now + 1_000_000]
        for game in GAMES:
            slot = current(self._context.schedule, game, now)
            if slot is not None:
                times += [slot.closes_at, slot.draws_at]
        return min(time for time in times if time > now)

    async def _tick(self, game: int) -> None:
        if self._busy[game].locked():
            return
        async with self._busy[game]:
            try:
                await self._close_due(game)
                await self._finish_rounds(game)
                await self._late_answers.ask_due(self._writer.state.awaiting_statement(game))
                await self._close_due(game)  # a slow witness may have taken until the next close
                await self._open_current(game)
            except StepRefused as refused:
                # A stopping writer takes no more steps. The next engine takes the steps due.
                if refused.refused.refusal is not Refusal.UNAVAILABLE:
                    _log.warning("step refused", game=game, step=str(refused))
            except (WitnessDeclined, OSError) as error:
                _log.warning("awaiting witness", game=game, error=repr(error))

    async def _close_due(self, game: int) -> None:
        for round_ in self._writer.state.unfinished_rounds(game):
            if round_.phase == Phase.OPEN and self._context.clock() >= round_.closes_at:
                await self._step(CloseRound(game, round_.issue), round_.closes_at)

    async def _finish_rounds(self, game: int) -> None:
        """Draw and settle in order. A round that waits blocks the later draws of its segment.

        The later links would reveal its own. It does not block sales: its result is unknown to
        everyone, so no bet can depend on it.
        """
        blocked: dict[str, Round] = {}
        for round_ in self._writer.state.unfinished_rounds(game):
            day, key, now = round_.opened.day, (game, round_.issue), self._context.clock()
            if day not in blocked and not await self._advance(game, round_.issue):
                blocked[day] = round_
            elif day in blocked and round_.is_undrawn_at(now):
                self.waiting.block(key, (game, blocked[day].issue), now)

    async def _advance(self, game: int, issue: str) -> bool:
        """Advance a closed round as far as the clock allows. False if it remains undrawn."""
        round_ = self._round(game, issue)
        if round_.is_undrawn_at(self._context.clock()):
            await self._draw(round_)
        while self._is_in_phase(game, issue, Phase.DRAWN):
            settle = SettleRound(game, issue, SETTLE_BATCH_SIZE)
            await self._take_slices(settle, self._round(game, issue), round_.opened.draws_at)
        while self._is_ruled(game, issue):
            give_back = ReturnStakes(game, issue, SETTLE_BATCH_SIZE)
            await self._take_slices(give_back, self._round(game, issue))
        if self._is_in_phase(game, issue, Phase.CLOSED):
            return False
        self.waiting.remove((game, issue))
        return True

    def _round(self, game: int, issue: str) -> Round:
        return self._writer.state.rounds[game, issue]

    def _is_in_phase(self, game: int, issue: str, phase: Phase) -> bool:
        """Whether the round is in this phase; a finished one may have been evicted."""
        round_ = self._writer.state.rounds.get((game, issue))
        return round_ is not None and round_.phase == phase

    def _is_ruled(self, game: int, issue: str) -> bool:
        round_ = self._writer.state.rounds.get((game, issue))
        return round_ is not None and round_.ruled is not None and not round_.finished

    async def _draw(self, round_: Round) -> None:
        """Draw with both parties' links; or, if two managers approved it, rule how it is voided."""
        key = (round_.opened.game, round_.issue)
        proposal = self._writer.state.house.voids.get(key)
        voiding = proposal is not None and bool(proposal.agreed_by)
        overdue = self._context.clock() >= round_.closes_at + BEACON_AWAITED_US
        day = self._writer.state.games[round_.opened.game]
        revealed = day.revealed[0] if day.day == round_.opened.day else 0
        away = not await self._is_settled_before(round_.opened.game, round_.opened.day)
        answers = await drawing.request_links(
            self._context, round_, revealed, voiding=voiding, overdue=overdue, away=away
        )
        if answers.witness_behind:
            self._agreement.leave(day.game, day.day, Cause.WITNESS_BEHIND)
        if answers.complete:
            try:
                await self._step(answers.draw(round_), round_.opened.draws_at)
            except StepRefused as refused:
                # The operator's link and the beacon are verified, so it is the witness's release.
                if refused.refused.refusal is not Refusal.SECRET_WRONG:
                    raise
                answers.contradicts = True
            else:
                return
        self._record_waiting(round_, answers)
        if voiding and not answers.awaits_beacon:
            await self._rule(answers.void(round_))

    def _record_waiting(self, round_: Round, answers: drawing.Answers) -> None:
        """Record why a round waits. With an obstacle, its segment is left."""
        opened, now = round_.opened, self._context.clock()
        self.waiting.add((opened.game, round_.issue), *answers.waits_for, now)
        if answers.obstacle:
            self._agreement.leave(opened.game, opened.day, answers.obstacle)

    async def _is_settled_before(self, game: int, day: str) -> bool:
        """Whether a link of this segment may be revealed: see `LateAnswers`."""
        awaiting = self._writer.state.awaiting_statement(game)
        return await self._late_answers.settled(it for it in awaiting if it.opened.day == day)

    async def _record_late(self, command: AnswerLate) -> None:
        try:
            await self._step(command)
        except StepRefused as refused:
            # It signed with another key, or its link is not of its chain: that is no statement.
            if refused.refused.refusal is not Refusal.SECRET_WRONG:
                raise
            _log.warning("statement refused", game=command.game, issue=command.issue)
            if command.released:  # it said that it had released its link, whatever it sent
                said = DeclineReason.ROUND_RELEASED
                await self._step(replace(command, released="", witness_secret="", answer=said))

    async def _rule(self, command: RuleVoid) -> None:
        try:
            await self._step(command)
        except StepRefused as refused:
            # Until half an hour after the close the witness may still answer.
            if refused.refused.refusal is not Refusal.VOID_TOO_EARLY:
                raise

    async def void(self, game: int, issue: str, reason: str) -> None:
        """Return all stakes of a closed round; the witness signs that its link was not released.

        Only tests and the simulator call it (`VoidRound`).
        """
        round_ = self._round(game, issue)
        day, index = round_.opened.day, round_.opened.index
        witness = drawing.witness_of(self._context, round_)
        witness_link, signature = await self._cancelled(witness, day, game, index)
        operator_link = drawing.operator_link(self._context.chains, round_)
        command = VoidRound(
            game,
            issue,
            reason,
            signature.hex(),
            operator_link.hex(),
            witness_link.hex(),
            SETTLE_BATCH_SIZE,
        )
        while self._is_in_phase(game, issue, Phase.CLOSED):
            await self._step(command)

    async def _cancelled(
        self, witness: Witness, day: str, game: int, index: int
    ) -> tuple[bytes, bytes]:
        return await asyncio.to_thread(drawing.cancel, self._context, witness, day, game, index)

    async def _open_current(self, game: int) -> None:
        now = self._context.clock()
        slot = current(self._context.schedule, game, now)
        if slot is None or now >= slot.closes_at:
            return
        await self._leave_if_needed(game, slot)
        day = self._writer.state.games[game]
        config = self._day_config(slot.date)
        if not self._day_opener.covers(day, slot, config):
            if any(
                _blocks_opening(each, day, slot)
                for each in self._writer.state.unfinished_rounds(game)
            ):
                return
            try:
                opening = await self._day_opener.command(day, slot, config)
            except WitnessDeclined:
                if self._context.clock() < slot.closes_at:
                    raise
                # The slot passed while its day was being signed. The next slot opens its own.
                return
            await self._step(opening)
            day = self._writer.state.games[game]
            self._agreement.opened(day)
        assert day.opened is not None
        await self._open(day, slot, slot.index + day.opened.shift)

    def _day_config(self, date: str) -> SchedulerContext:
        """Returns the configuration of a date, with the odds table that staff set, if any."""
        table = odds_on(self._writer.state.house.odds, date)
        return replace(self._context, odds_table=table) if table else self._context

    async def _leave_if_needed(self, game: int, slot: Slot) -> None:
        """Leave the open segment if the log, the chains and the witness disagree about it."""
        day = self._writer.state.games[game]
        if self._day_opener.covers(day, slot, self._day_config(slot.date)):
            cause = await self._agreement.cause_to_leave(day, slot)
        else:
            # Its next segment opens only once its rounds are drawn, or can never be.
            cause = self._agreement.obstacle(day)
        if cause:
            _log.warning("segment left", game=game, day=day.day, cause=cause)
            await self._step(LeaveSegment(game, day.day, cause))

    async def _open(self, day: GameDay, slot: Slot, index: int) -> None:
        if index <= day.last_index:
            return
        if index > day.last_index + 1:
            if any(
                each.opened.day == day.day
                for each in self._writer.state.unfinished_rounds(day.game)
            ) or not await self._is_settled_before(day.game, day.day):
                return
            try:
                await self._skip(day, index - 1)
            except WitnessDeclined as declined:
                # The witness has rounds that the log lacks: the next tick opens a new segment.
                self._agreement.leave(day.game, day.day, declined.declined.reason)
                return
            except StepRefused as refused:
                if refused.refused.refusal is not Refusal.SECRET_WRONG:
                    raise
                self._agreement.leave(day.game, day.day, Cause.WITNESS_CONTRADICTS)
                return
        times = (slot.opens_at, slot.closes_at, slot.draws_at)
        try:
            await self._step(OpenRound(day.game, index, *times))
        except StepRefused as refused:
            if refused.refused.refusal is not Refusal.ROUND_NOT_DUE:
                raise
            # The slot passed while the step waited, for example on a suspended machine. The next
            # round opens at its time, and this one is skipped.
            _log.info("round passed unopened", game=day.game, index=index)

    async def _skip(self, day: GameDay, last: int) -> None:
        """Skip rounds that passed without a leader, by revealing the links of the last one."""
        witness = self._context.witness
        witness_link, _ = await self._cancelled(witness, day.day, day.game, last)
        operator_link = self._context.chains.links(day.game, day.day)[last]
        await self._step(SkipRounds(day.game, last, operator_link.hex(), witness_link.hex()))

    async def _take_slices(
        self, command: SettleRound | ReturnStakes, round_: Round, due: int | None = None
    ) -> None:
        """Take a step for all open bets of the round, a slice at a time.

        The next slice is submitted early, so that it is decided while one is being stored.
        """
        open_bets = sum(1 for _ in round_.book.open_bets())
        replies: deque[asyncio.Future[Reply]] = deque()
        for _ in range(max(1, math.ceil(open_bets / command.limit))):
            replies.append(self._writer.submit_internal(command))
            if len(replies) == SLICES_SUBMITTED:
                self._taken(command, await replies.popleft(), due)
        for reply in replies:
            self._taken(command, await reply, due)

    async def _step(self, command: Step, due: int | None = None) -> Done:
        """Take a step; `due` is when it was due in microseconds, None if at no set time."""
        return self._taken(command, await self._writer.submit_internal(command), due)

    def _taken(self, command: Step, reply: Reply, due: int | None) -> Done:
        """Count and log a step that was taken. Raises StepRefused."""
        if isinstance(reply.answer, Refused):
            raise StepRefused(command, reply.answer)
        assert isinstance(reply.answer, Done)
        late_us = None if due is None else max(0, self._context.clock() - due)
        self._writer.observer.step_taken(command, late_us)
        _log.info(
            "step",
            step=type(command).__name__,
            game=command.game,
            issue=getattr(command, "issue", None),
            index=getattr(command, "index", None),
            position=reply.position,
            late_us=late_us,
        )
        return reply.answer


def _blocks_opening(round_: Round, day: GameDay, slot: Slot) -> bool:
    """Whether the next segment must wait for this round, because it is on sale or unfinished.

    An unfinished round of another day, or of a segment that was left, does not block it.
    """
    if round_.phase == Phase.OPEN:
        return True
    is_of_today = day.opened is not None and day.opened.date == slot.date
    return is_of_today and round_.opened.day == day.day and not day.left_cause
