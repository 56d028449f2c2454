"""The engine: waits for the lease, recovers, leads while it has it, and then waits again."""

import asyncio
import math
import os
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

import structlog
from eventsourcing.persistence import PersistenceError
from msgspec import structs
from msgspec.structs import replace

from engine.answers import Answer, Refused
from engine.cashier.commands import MoneyCommand
from engine.cashier.payment_references import Credit
from engine.chat.commands import ChatCommand
from engine.command_handler import Command
from engine.engine_state import EngineState
from engine.facts import UnknownTopicError
from engine.fairness.beacon import BEACON_OFF
from engine.house.commands import FoundHouse
from engine.house.facts import Mode
from engine.house.house_state import HouseState
from engine.players.commands import ProfileCommand
from engine.refusals import Refusal
from engine.runtime import garbage_collection, restored, supervision
from engine.runtime.clock import TOLERANCE_US, GuardedClock
from engine.runtime.log.cosigners import Cosigners
from engine.runtime.log.fact_log import FactLog, datastore
from engine.runtime.log.idempotency import OutcomeCache
from engine.runtime.log.integrity import inspect, inspected_parts, unknown_topics
from engine.runtime.log.lease import EXPIRY_S, CannotCommit, Lease, LeaseLost, SteppedDown
from engine.runtime.log.reads import LogReads, RecentFacts
from engine.runtime.log.sealer import Sealer
from engine.runtime.log.snapshots import Snapshots
from engine.runtime.port import READ_TIMEOUT_S, EngineStatus, EngineUnavailableError
from engine.runtime.scheduler.beacon_client import PUBLIC_RELAYS, BeaconClient
from engine.runtime.scheduler.hash_chains import HashChainStore
from engine.runtime.scheduler.round_scheduler import RoundScheduler, SchedulerContext
from engine.runtime.scheduler.waiting import Waiting
from engine.runtime.secret_keys import MasterKey, OperatorKey, secret_file
from engine.runtime.supervision import Timers
from engine.runtime.witness.local_witness import WITNESS_FOLDER, LocalWitness
from engine.runtime.witness.remote_witness import RemoteWitness, WitnessAddress
from engine.runtime.witness.witness import Witness
from engine.runtime.writer.commit import Committer
from engine.runtime.writer.engine_reader import EngineReader, PlayerView, UndrawnRound
from engine.runtime.writer.observer import Observer, rounds_of
from engine.runtime.writer.reply import ReceiptProof, Reply
from engine.runtime.writer.startup import check_start, recover
from engine.runtime.writer.writer import Writer
from engine.schedule import Schedule

_HOUSE_ID_BYTES: Final = 16
STANDBY_S: Final = 0.5
READ_CONNECTIONS: Final = 4
TICK_S: Final = 1.0
INSPECTED_AGAIN_S: Final = 10.0
INSPECTED_FIRST: Final = 100_000
"""The newest facts, which are inspected before an engine leads. The others are inspected later, so
that the start of an old house takes no longer."""
INSPECT_OLDER_AFTER_S: Final = 10.0
"""How long after it leads the first of the others are inspected: until then the read models and the
players who come back need the database."""
INSPECTED_PAUSE: Final = 9
"""How often the time of one part's inspection passes before the next: a tenth of a core is used."""
_READ_TIMEOUT_S: Final = 600.0
"""How long recovery and inspection may take for one query of a long history."""

# Longer than the lease plus a standby's pause, so that an engine that can commit takes over.
_YIELDED_S: Final = EXPIRY_S + 2 * STANDBY_S
_log = structlog.get_logger()
ReadT = TypeVar("ReadT")


class Engine:
    """One process's engine. At most one engine leads and writes at a time."""

    def __init__(
        self,
        conninfo: str,
        keys: Path,
        schedule: Schedule,
        odds_table: str,
        clock: Callable[[], int],
        observer: Observer | None = None,
        *,
        guard: GuardedClock | None = None,
        mode: Mode = Mode.DEMO,
        witness: WitnessAddress | None = None,
        former_witnesses: Sequence[WitnessAddress] = (),
        cosigners: Sequence[WitnessAddress] = (),
        quorum: int | None = None,
        beacon: str = BEACON_OFF,
        beacon_relays: Sequence[str] = PUBLIC_RELAYS,
        address: str = "",
    ) -> None:
        """Write to the database at `conninfo`; `keys` is the folder of the secret files.

        `clock` returns microseconds since 1970. A `guard` is the same clock, to be compared with
        the database's. Without the address of a `witness` its own one runs in this process.
        `former_witnesses` still release the rounds of segments that they committed to. The
        `cosigners` are further witnesses of the log; `quorum` of all must cosign it, by default
        each one. `beacon` is the beacon mode of new days, whose rounds the `beacon_relays` return.
        `address` is where it answers other processes (host:port); empty if it answers none.
        """
        self._observer = observer
        self._mode = mode
        self._store = datastore(conninfo, connections=2)
        self._log = FactLog(self._store)
        self._read_store = datastore(conninfo, connections=READ_CONNECTIONS)
        self._read_log = FactLog(self._read_store)
        self._reads = LogReads(self._read_log)
        self._lease = Lease(datastore(conninfo, connections=2), address)
        self._clock, self._guard, self._clock_trouble = clock, guard, ""
        self._keys = keys
        self._witness_address = witness
        self._cosigner_addresses = (*((witness,) if witness else ()), *cosigners)
        self._quorum = len(self._cosigner_addresses) if quorum is None else quorum
        self._former_addresses = tuple(former_witnesses)
        self._beacon = beacon
        self._beacon_client = BeaconClient(beacon_relays, clock)
        self._key, self._context = self._read_keys(schedule, odds_table)
        self._writer: Writer | None = None
        self._sealer: Sealer | None = None
        self._cosigners: Cosigners | None = None
        self._recovering = self._has_led = self._is_inspected = False
        self._reached, self._inspect_at = 0, 0.0
        #: What is missing from the log, and what a newer version wrote; it leads only without both.
        self.damage: tuple[str, ...] = ()
        self.unknown_topics = ""
        #: Read-only access to the writer's state; None on standby.
        self.reader: EngineReader | None = None
        #: The newest facts that this process wrote.
        self.recent = RecentFacts()
        self._stopping = asyncio.Event()
        self.ended = asyncio.Event()
        self.scheduler: RoundScheduler | None = None

    def _read_keys(
        self, schedule: Schedule, odds_table: str
    ) -> tuple[OperatorKey, SchedulerContext]:
        """Reads the keys from their files."""
        keys, clock = self._keys, self._clock
        key = OperatorKey(secret_file(keys / "operator.key"))
        master = MasterKey(secret_file(keys / "master.key"))
        chains = HashChainStore(self._read_store, master, os.urandom)
        address = self._witness_address
        witness: Witness = (
            RemoteWitness(address, key.sign, clock)
            if address is not None
            else LocalWitness(keys / WITNESS_FOLDER, clock)
        )
        former = tuple(RemoteWitness(each, key.sign, clock) for each in self._former_addresses)
        return key, SchedulerContext(
            schedule,
            odds_table,
            key,
            chains,
            witness,
            clock,
            former_witnesses=former,
            beacon=self._beacon,
            beacon_round=self._beacon_client.round_of,
        )

    @property
    def ready(self) -> bool:
        """Whether this engine leads and accepts commands."""
        return self._writer is not None

    @property
    def state(self) -> EngineState:
        """The writer's state, to be read between two awaits; empty on standby."""
        return self._writer.state if self._writer else EngineState()

    @property
    def operator_key(self) -> bytes:
        """The operator's public key."""
        return self._key.public

    @property
    def queued(self) -> int:
        """Commands that wait to be decided."""
        return self._writer.queued if self._writer else 0

    @property
    def stuck_s(self) -> float:
        """For how many seconds the oldest batch has waited to be decided and stored; 0 if none."""
        return self._writer.stuck_s if self._writer else 0.0

    @property
    def clock_trouble(self) -> str:
        """Why this engine must not lead by its clock; empty if it may."""
        return _ahead(self._writer.ahead_us) if self._writer else self._clock_trouble

    @property
    def clock_jump_s(self) -> float:
        """By how many seconds the machine's clock is ahead of the corrected time."""
        return self._guard.jump_s if self._guard else 0.0

    @property
    def _witness_clock_s(self) -> float:
        """By how many seconds the clock of the witness's machine is ahead of this one."""
        witness = self._context.witness
        return witness.clock_ahead_s if isinstance(witness, RemoteWitness) else 0.0

    @property
    def recovering(self) -> bool:
        """Whether this engine has the lease and is still replaying the log."""
        return self._recovering

    def submit(self, actor: str, key: str | None, command: Command) -> asyncio.Future[Reply]:
        """Submit a command of a player or of staff; `key` is the client's idempotency key."""
        if self._writer is not None:
            return self._writer.submit(actor, key, command)
        refused: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        refused.set_result(Reply(Refused(Refusal.UNAVAILABLE)))
        return refused

    def check_start(self) -> None:
        """Raises StartRefusedError if this data belongs to another house; blocks.

        A log with topics that this program does not know is not checked: it does not lead on it.
        """
        with self._read_store.within(_READ_TIMEOUT_S), suppress(UnknownTopicError):
            check_start(self._read_log, self._mode, self._key.public)

    def is_led(self) -> bool:
        """Whether any engine leads; blocks. Raises PersistenceError if the database is away."""
        return self._lease.is_held()

    def status(self) -> EngineStatus:
        """Returns the engine's state for probes and metrics."""
        return EngineStatus(
            self.ready,
            self.recovering,
            self.damage,
            self.queued,
            self.stuck_s,
            self.clock_trouble,
            self.clock_jump_s,
            self._sealer.behind_s if self._sealer else 0.0,
            self._sealer.trouble if self._sealer else "",
            self._cosigners.behind_s if self._cosigners else 0.0,
            self._cosigners.missing if self._cosigners else (),
            rounds_of(self.state),
            unknown_topics=self.unknown_topics,
            witness_clock_s=self._witness_clock_s,
        )

    async def dry_run(self, command: MoneyCommand | ProfileCommand | ChatCommand) -> Answer:
        """Returns the answer that the command would get now."""
        return await _in_time(self._leading.dry_run(command))

    async def stored_answer(self, actor: str, key: str, command: Command) -> Answer | None:
        """Returns the stored answer of an idempotency key; None if it has none."""
        return await _in_time(self._leading.stored_answer(actor, key, command))

    async def player(self, player: int) -> PlayerView | None:
        """Returns the player; None if the log has no such player."""
        return await _in_time(self._leading.player(player))

    async def house(self) -> HouseState:
        """Returns the house-wide settings of staff, as committed."""
        return self._leading.house

    async def credit(self, reference: str) -> Credit | None:
        """Returns the credit of a payment reference; None if none is known."""
        return self._leading.credit(reference)

    async def undrawn_rounds(self) -> list[UndrawnRound]:
        """Returns the closed rounds whose draw is overdue, by game, oldest first."""
        return self._leading.undrawn()

    async def waiting(self, game: int, issue: str) -> Waiting | None:
        """Returns why an overdue round is not drawn; None if it is, or this engine is a standby."""
        return self.reader.waiting(game, issue) if self.reader else None

    async def proof(self, player: int, version: int) -> ReceiptProof | None:
        """Returns the receipt proof of an earlier bet, from the log; None if there is none."""
        return await _in_time(self._reads.proof(player, version))

    @property
    def _leading(self) -> EngineReader:
        """The writer's state. Raises EngineUnavailableError on standby."""
        if self.reader is None:
            raise EngineUnavailableError
        return self.reader

    async def run(self) -> None:
        """Lead whenever no other engine does, until stopped. A fault in the engine ends it too."""
        try:
            while not self._stopping.is_set():
                await self._wait_and_lead()
        finally:
            self.ended.set()

    async def _wait_and_lead(self) -> None:
        pause_s = STANDBY_S
        try:
            if await self._may_lead() and await asyncio.to_thread(self._lease.take):
                await self._lead()
                return
        except LeaseLost:
            _log.warning("another leader has taken over")
        except CannotCommit as error:
            _log.error("stepped down", error=str(error))
            # The next recovery must not read a former primary that commits can no longer reach.
            self._store.replace_connections()
            self._read_store.replace_connections()
            pause_s = _YIELDED_S
        except SteppedDown as error:
            _log.error("stepped down", error=str(error))
        except PersistenceError as error:
            _log.warning("database is away", error=str(error))
            # After a fail-over each connection to the former primary would cost a try of its own.
            for each in (self._store, self._read_store, self._lease):
                each.replace_connections()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), pause_s)

    async def _may_lead(self) -> bool:
        return (
            await self._knows_topics()
            and await self._is_log_complete()
            and await self._is_clock_right()
        )

    async def _knows_topics(self) -> bool:
        """Whether this program knows every topic in the log. A newer one may lead at the moment."""
        unknown = await asyncio.to_thread(unknown_topics, self._read_log)
        if unknown and unknown != self.unknown_topics:
            _log.error("a newer version wrote to the log", reason=unknown)
        self.unknown_topics = unknown
        return not unknown

    async def _is_clock_right(self) -> bool:
        """Whether this clock agrees with another machine's, and is not behind the log's last fact.

        With the database's, or with the witness's: then the database's is wrong.
        """
        if self._guard and self._guard.trouble:
            await asyncio.to_thread(self._guard.compare, self._read_store)
        trouble = self._guard.trouble if self._guard else ""
        if self._guard and self._guard.difference and await self._does_witness_agree():
            trouble = ""
        if not trouble:
            _, last = await asyncio.to_thread(self._read_log.last)
            trouble = _ahead(last - self._clock())
        if trouble and trouble != self._clock_trouble:
            _log.error("the clock is wrong", trouble=trouble)
        self._clock_trouble = trouble
        return not trouble

    async def _does_witness_agree(self) -> bool:
        """Whether a witness on another machine answers that this clock is right."""
        witness = self._context.witness
        if not isinstance(witness, RemoteWitness):
            return False
        with suppress(OSError):
            return await asyncio.to_thread(witness.agrees_on_time)
        return False

    async def _is_log_complete(self) -> bool:
        """Whether no fact is missing. Inspects at the start, and again while one is missing."""
        if self._inspect_at <= asyncio.get_running_loop().time():
            await self._inspect()
        return not self.damage

    async def _inspect(self, *, wholly: bool = False) -> None:
        """Inspect the log after the position that this engine has inspected or written.

        If much follows it, only the newest facts are inspected: the others are left for later. All
        are while something is missing, and if this engine has led without having inspected them: a
        missing fact may have ended that. Raises LogShortenedError if the log ends before that
        position.
        """
        last, _ = await asyncio.to_thread(self._read_log.last)
        after = max(self._reached, last - INSPECTED_FIRST)
        if wholly or self.damage or (self._has_led and not self._is_inspected):
            after = 0
        found = await self._read_history(partial(inspect, self._read_log, after, self._reached))
        if found.damage and found.damage != self.damage:
            _log.error("the log is damaged", missing=found.damage)
        self.damage = found.damage
        if found.damage:
            self._inspect_at = asyncio.get_running_loop().time() + INSPECTED_AGAIN_S
            return
        self._is_inspected = after == 0 or (self._is_inspected and after == self._reached)
        self._reached, self._inspect_at = max(self._reached, found.last), math.inf

    async def _inspect_older(self) -> None:
        """Inspect the facts that were left for later, and never return.

        Raises SteppedDown if one is missing.
        """
        while not (self._is_inspected or self.damage):
            await asyncio.sleep(INSPECT_OLDER_AFTER_S)
            try:
                if await self._are_parts_complete():
                    self._is_inspected = True
                else:
                    await self._inspect(wholly=True)
            except PersistenceError as error:
                _log.warning("the older facts are not inspected yet", error=str(error))
        if self.damage:
            raise SteppedDown("facts are missing from the log")
        await asyncio.get_running_loop().create_future()

    async def _are_parts_complete(self) -> bool:
        """Whether no fact is missing, with a pause after each part of the log."""
        parts = inspected_parts(self._read_log, self._reached)
        is_complete: bool | None = True
        while is_complete:
            began = time.monotonic()
            is_complete = await self._read_history(lambda: next(parts, None))
            await asyncio.sleep(INSPECTED_PAUSE * (time.monotonic() - began))
        return is_complete is None

    async def evict_outcomes(self) -> None:
        """Clear the outcome cache, because old outcomes were deleted from the log."""
        if self._writer is not None:
            self._writer.evict_outcomes()

    def stop(self) -> None:
        """Answer what has arrived, release the lease and end `run`."""
        self._stopping.set()
        if self._writer is not None:
            self._writer.stop()

    async def _lead(self) -> None:
        """Renew the lease and write, until stopped or until the lease is lost."""
        renewing = supervision.owned(self._lease.renew_periodically())
        self._recovering = True
        try:
            await self._reconnect_reads()
            await self._inspect()
            # The leader before may have written another topic after this standby looked.
            if not self.damage and await self._knows_topics():
                await self._lead_on(renewing)
        finally:
            self._recovering = False
            self._lease.stop_renewing()
            renewing.cancel()
            await asyncio.gather(renewing, return_exceptions=True)
        await asyncio.to_thread(self._lease.release)

    async def _reconnect_reads(self) -> None:
        """Replace the connections for reads: those of a standby may lead to a former primary.

        Raises CannotCommit if the database that they reach now does not have this lease.
        """
        self._read_store.replace_connections()
        if not await asyncio.to_thread(self._lease.is_in, self._read_store):
            raise CannotCommit("the database for reads is another than the lease's")

    async def _read_history(self, read: Callable[[], ReadT]) -> ReadT:
        """Read a long history in another thread, with a longer timeout."""

        def reading() -> ReadT:
            with self._read_store.within(_READ_TIMEOUT_S):
                return read()

        return await asyncio.to_thread(reading)

    async def _lead_on(self, renewing: asyncio.Task[None]) -> None:
        _log.info("leading", epoch=self._lease.epoch)
        self._has_led = True
        # A standby may have waited for days. Its files may have been restored meanwhile.
        config = self._context.schedule, self._context.odds_table
        self._key, context = await asyncio.to_thread(self._read_keys, *config)
        await asyncio.to_thread(self.check_start)
        left = await asyncio.to_thread(self._restored_segments)
        self._context = replace(context, restored_segments=left)
        state = await self._read_history(
            partial(recover, self._read_log, self._context.schedule.timezone)
        )
        parts = self._log, self._lease, Snapshots(self._read_log), self._read_log
        committer = await asyncio.to_thread(Committer, *parts)
        try:
            await self._write(state, committer, renewing)
        finally:
            self._reached = committer.next - 1
            self._inspect_at = 0.0
            committer.close()

    def _restored_segments(self) -> tuple[tuple[int, str], ...]:
        """Returns the segments that were opened before the last restore, if there was one."""
        record = restored.read(self._keys)
        if record is None:
            return ()
        _log.info("this house was restored from a backup", **structs.asdict(record))
        return tuple(restored.segments_before(self._read_log, record.restored_at))

    async def _write(
        self, state: EngineState, committer: Committer, renewing: asyncio.Task[None]
    ) -> None:
        outcomes = OutcomeCache()
        writer = Writer(
            state,
            committer,
            outcomes,
            self._key,
            self._clock,
            os.urandom,
            self.recent,
            self._observer,
        )
        self._sealer = sealer = Sealer(self._read_store, self._key, self._clock)
        context, parts = self._context, [supervision.task("sealer", sealer.run)]
        if self._cosigner_addresses:
            self._cosigners = cosigners = Cosigners(
                self._read_store,
                sealer,
                self._cosigner_addresses,
                self._quorum,
                self._clock,
                self._former_addresses,
            )
            parts.append(supervision.task("cosigners", cosigners.run))
            if self._witness_address is not None:
                context = replace(context, log_evidence=cosigners.evidence)
        self.scheduler = RoundScheduler(writer, context)
        self._writer = writer
        self._recovering = False
        self.reader = EngineReader(
            state,
            committer,
            outcomes,
            self._reads,
            self._clock,
            writer.caught_up,
            self.scheduler.waiting.of,
        )
        garbage_collection.freeze()
        if self._stopping.is_set():
            writer.stop()
        if state.house.founded is None:
            writer.submit_internal(FoundHouse(os.urandom(_HOUSE_ID_BYTES).hex(), self._mode))
        timers = _schedule(self.scheduler, self._clock)
        writing = supervision.owned(writer.run())
        try:
            await self._until_ended(writing, renewing)
        finally:
            self._writer = self.reader = self._sealer = None
            for part in parts:
                part.cancel()
            if self._cosigners is not None:
                self._cosigners.close()
                self._cosigners = None
            timers.stop()
            writing.cancel()
            await asyncio.gather(writing, return_exceptions=True)

    async def _until_ended(self, writing: asyncio.Task[None], renewing: asyncio.Task[None]) -> None:
        """Wait until either ends, and raise its error. Raises SteppedDown if facts are missing."""
        inspecting = supervision.owned(self._inspect_older())
        until = inspecting, renewing, writing
        try:
            await asyncio.wait(until, return_when=asyncio.FIRST_COMPLETED)
            await next(each for each in until if each.done())
        finally:
            if not inspecting.done():
                inspecting.cancel()
                self._read_store.end_long_calls()  # its thread would keep the process from ending
            await asyncio.gather(inspecting, return_exceptions=True)

    def close(self) -> None:
        """Close the database connections, and fetch no further beacon rounds."""
        self._beacon_client.close()
        self._reads.close()
        self._lease.close()
        self._read_store.close()
        self._store.close()


async def _in_time(reading: Awaitable[ReadT]) -> ReadT:
    """Await a read. Raises EngineUnavailableError if it takes longer than `READ_TIMEOUT_S`."""
    try:
        return await asyncio.wait_for(reading, READ_TIMEOUT_S)
    except TimeoutError:
        raise EngineUnavailableError from None


def _ahead(ahead_us: int) -> str:
    """Describes the problem of a log that is this far ahead of the clock; empty if tolerable."""
    if ahead_us <= TOLERANCE_US:
        return ""
    return f"the log's last fact is {ahead_us / 1_000_000:.0f} s ahead"


def _schedule(scheduler: RoundScheduler, clock: Callable[[], int]) -> Timers:
    """Tick when a step is due, and at least every second."""

    async def tick() -> float:
        try:
            await scheduler.tick()
        except Exception:  # noqa: BLE001 - the next tick retries after any failure
            _log.exception("tick failed")
        # The clock may jump between the two readings, so the wait is bounded both ways.
        return min(max(0.0, (scheduler.next_due() - clock()) / 1_000_000), TICK_S)

    return Timers(("rounds", tick, 0.0))
