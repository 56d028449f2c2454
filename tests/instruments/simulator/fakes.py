"""In-memory fakes of the engine's edges: log, lease, vault, witness, threads, clock, entropy.

The rules are the real ones; only code that uses a disk, a database or a thread is replaced.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from enum import Enum, auto
from hashlib import sha256
from itertools import takewhile
from threading import Lock
from typing import Any, Final, TypeVar

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from eventsourcing.persistence import IntegrityError, OperationalError
from psycopg import Error

from engine.facts import RecordedFact, decode, player_stream
from engine.fairness import signing
from engine.fairness.draw import OPERATOR, chain
from engine.fairness.witness_state import Declined, WitnessRecord, WitnessState, apply_record
from engine.players.state import Player
from engine.runtime.log.fact_log import LEASE_LOST, LOG_MOVED, REFUSED, Batch, FactLog
from engine.runtime.log.idempotency import StoredOutcome
from engine.runtime.log.lease import Lease, LeaseLost
from engine.runtime.log.snapshots import Snapshot, Snapshots
from engine.runtime.scheduler.hash_chains import ChainLost, HashChainStore
from engine.runtime.witness.local_witness import LocalWitness
from engine.runtime.witness.witness import WitnessDeclined
from engine.runtime.writer.commit import Committer

decode_player: Final = msgspec.msgpack.Decoder(Player).decode
_Kept = TypeVar("_Kept", bound=WitnessRecord)
_T = TypeVar("_T")


class FakeClock:
    """The time in microseconds since 1970, as set by its owner."""

    def __init__(self, now: int) -> None:
        """Begin at `now`."""
        self.now = now

    def __call__(self) -> int:
        """The current time."""
        return self.now


class SeededBytes:
    """Pseudorandom bytes that are the same in every run with the same seed."""

    def __init__(self, seed: int) -> None:
        """All bytes follow from `seed`."""
        self._seed = seed
        self._drawn = 0

    def __call__(self, size: int) -> bytes:
        """The next `size` bytes."""
        blocks = b""
        while len(blocks) < size:
            self._drawn += 1
            blocks += sha256(b"%d/%d" % (self._seed, self._drawn)).digest()
        return blocks[:size]


class InlineExecutor(ThreadPoolExecutor):
    """No threads: a submitted call has run when `submit` returns."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        """The completed future of this call."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - passed to the waiting caller, as by a thread
            future.set_exception(error)
        return future


class _LogMovedError(Error):
    """What the database's own check of the log's end raises."""

    sqlstate = LOG_MOVED


class _LeasePassedError(Error):
    """What the database's own check of the lease raises."""

    sqlstate = LEASE_LOST


class StoreFault(Enum):
    """A fault of the next batch, before or after it is stored."""

    LOST_BEFORE_COMMIT = auto()
    LOST_AFTER_COMMIT = auto()
    LEADER_DIES_BEFORE_COMMIT = auto()
    LEADER_DIES_AFTER_COMMIT = auto()


class MemoryLog(FactLog):
    """The log's rules without a database: versions and outcomes are unique, positions gapless.

    `epoch` is the newest leader's; a batch of an older one is refused, as by the database.
    """

    def __init__(self) -> None:
        """The log is empty, and there is no leader."""
        self.facts: list[RecordedFact] = []
        self.states: list[tuple[str, bytes]] = []
        self.outcomes: dict[tuple[str, str], tuple[bytes, bytes]] = {}
        self.batches: set[bytes] = set()
        self.fault: StoreFault | None = None
        self.epoch = 0
        self._refused: dict[tuple[str, str], int] = {}
        self._streams: dict[str, list[RecordedFact]] = {}

    def append(self, batch: Batch) -> int:
        """Store a batch, or raise the fault that was set for it."""
        fault, self.fault = self.fault, None
        if fault is StoreFault.LEADER_DIES_BEFORE_COMMIT:
            raise LeaseLost
        if fault is StoreFault.LOST_BEFORE_COMMIT:
            raise OperationalError
        base = self.store(batch)
        if fault is StoreFault.LEADER_DIES_AFTER_COMMIT:
            raise LeaseLost
        if fault is StoreFault.LOST_AFTER_COMMIT:
            raise OperationalError
        return base

    def store(self, batch: Batch) -> int:
        """The transaction itself: the whole batch, or an exception and nothing stored."""
        if batch.epoch is not None and batch.epoch != self.epoch:
            raise OperationalError from _LeasePassedError()
        if batch.first_position != len(self.facts) + 1:
            raise OperationalError from _LogMovedError()
        self._refuse_conflicts(batch)
        base = len(self.facts)
        self._store(batch)
        return base

    def _refuse_conflicts(self, batch: Batch) -> None:
        keys = list(zip(batch.outcome_actors, batch.outcome_keys, strict=True))
        places = list(zip(batch.streams, batch.versions, strict=True))
        unique = len(set(keys)) == len(keys) and len(set(places)) == len(places)
        taken = any(version <= self.version(stream) for stream, version in places)
        if taken or not unique or self.outcomes.keys() & keys:
            raise IntegrityError

    def _store(self, batch: Batch) -> None:
        columns = (
            batch.streams, batch.versions, batch.commands, batch.actors, batch.topics, batch.states
        )  # fmt: skip
        for stream, version, command, actor, topic, state in zip(*columns, strict=True):
            position = len(self.facts) + 1
            fact = decode(topic, state)
            recorded = RecordedFact(position, stream, version, batch.at, command, actor, fact)
            self.facts.append(recorded)
            self.states.append((topic, state))
            self._streams.setdefault(stream, []).append(recorded)
        keys = list(zip(batch.outcome_actors, batch.outcome_keys, strict=True))
        outcomes = zip(batch.outcome_commands, batch.outcome_answers, strict=True)
        self.outcomes.update(zip(keys, outcomes, strict=True))
        kinds = zip(keys, batch.outcome_kinds, strict=True)
        self._refused.update((key, batch.at) for key, kind in kinds if kind == REFUSED)
        self.batches.add(batch.id)

    def refused_before(self, before: int) -> list[tuple[str, str]]:
        """The owners and keys of refusals stored before this time, in microseconds."""
        return list(takewhile(lambda key: self._refused[key] < before, self._refused))

    def delete_refusals(self, before: int) -> None:
        """Delete the refusals stored before this time, in microseconds."""
        for key in self.refused_before(before):
            del self._refused[key], self.outcomes[key]

    def page(self, after: int, limit: int) -> list[RecordedFact]:
        """The next facts after position `after`."""
        return self.facts[after : after + limit]

    def streams(self, names: Sequence[str]) -> list[RecordedFact]:
        """Every fact of these streams, each stream in order."""
        return [fact for name in sorted(set(names)) for fact in self._streams.get(name, [])]

    def stream_since(self, name: str, at: int) -> list[RecordedFact]:
        """The facts of this stream recorded after a time in microseconds."""
        return [fact for fact in self._streams.get(name, []) if fact.at > at]

    def streams_after(self, versions: Mapping[str, int]) -> list[RecordedFact]:
        """The facts of these streams after a version of each, each stream in order."""
        names = sorted(versions)
        return [fact for name in names for fact in self._streams.get(name, [])[versions[name] :]]

    def streams_between(self, first: str, last: str) -> list[RecordedFact]:
        """Every fact of the streams whose names lie from `first` to `last`."""
        return self.streams([name for name in self._streams if first <= name <= last])

    def topics_after(self, after: int, topics: Sequence[str]) -> list[RecordedFact]:
        """The facts of these topics after position `after`."""
        places = range(after, len(self.facts))
        return [self.facts[place] for place in places if self.states[place][0] in topics]

    def batch_facts(self, fact: RecordedFact, topic: str, last: str) -> list[RecordedFact]:
        """The facts of a topic in the batch of `fact`, then the one of topic `last`."""
        batch = [place for place, it in enumerate(self.facts) if it.at == fact.at]
        ends = [place for place in batch if self.states[place][0] == last]
        end = next((place for place in ends if place >= fact.position), None)
        if end is None:
            return []
        begin = max((place for place in ends if place < fact.position), default=-1)
        kept = [it for it in batch if begin < it <= end and self.states[it][0] in {topic, last}]
        return [self.facts[place] for place in kept]

    def fact(self, stream: str, version: int) -> RecordedFact | None:
        """One fact of a stream."""
        facts = (fact for fact in self._streams.get(stream, []) if fact.version == version)
        return next(facts, None)

    def version(self, stream: str) -> int:
        """The version of the stream's last fact, 0 if it has none."""
        return len(self._streams.get(stream, ()))

    def last(self) -> tuple[int, int]:
        """The last fact's position and time, or zeros."""
        return (self.facts[-1].position, self.facts[-1].at) if self.facts else (0, 0)


class MemoryLease(Lease):
    """The lease of a log in memory; its owner is the last one that took it."""

    def __init__(self, log: MemoryLog) -> None:
        """Take the lease of this log from its owner."""
        self._log = log
        log.epoch += 1
        self.epoch = log.epoch

    def renew(self) -> None:
        """Renew the lease. Raises LeaseLost if another process leads."""
        if self.epoch != self._log.epoch:
            raise LeaseLost

    def bump(self, epoch: int) -> int:
        """Start and return a new epoch. Raises LeaseLost if `epoch` is over."""
        if epoch != self._log.epoch:
            raise LeaseLost
        self._log.epoch += 1
        self.epoch = self._log.epoch
        return self.epoch


class MemorySnapshots(Snapshots):
    """Snapshots in memory: encoded when they are saved, decoded when they are read."""

    def __init__(self, log: MemoryLog, every: int) -> None:
        """Save a player of `log` again after this many facts."""
        super().__init__(log, every=every)
        self.stored: dict[str, Snapshot] = {}

    def save(self, snapshots: Sequence[Snapshot]) -> None:
        """Save these snapshots."""
        self.stored.update((each.stream, each) for each in snapshots)

    def read(self, players: Sequence[int]) -> dict[int, Player]:
        """The states of those players who have a snapshot."""
        stored = (self.stored.get(player_stream(player)) for player in players)
        found = (decode_player(each.state) for each in stored if each is not None)
        return {player.id: player for player in found}


class MemoryCommitter(Committer):
    """The real committer on a log in memory; only its SQL is replaced."""

    def __init__(self, log: MemoryLog, snapshots: Snapshots | None = None) -> None:
        """Append to `log`, with a lease that is taken here."""
        super().__init__(log, MemoryLease(log), snapshots)
        self._memory = log
        self._thread = self._reading = self._background = InlineExecutor()

    def _run(self, work: Callable[[], _T], thread: Executor | None = None) -> Awaitable[_T]:
        """Without connection deadlines, which a log in memory does not have."""
        return asyncio.get_running_loop().run_in_executor(thread or self._thread, work)

    def _look_up(self, batch: Batch) -> bool:
        assert batch.epoch is not None
        batch.epoch = self._lease.bump(batch.epoch)
        return batch.id in self._memory.batches

    async def outcomes(self, keys: Sequence[tuple[str, str]]) -> list[StoredOutcome]:
        """The stored outcomes of these actors and keys."""
        stored = self._memory.outcomes
        return await self._read(lambda: [(*key, *stored[key]) for key in keys if key in stored])


class MemoryChains(HashChainStore):
    """The operator's chains in memory; their tails come from `entropy`."""

    def __init__(self, entropy: Callable[[int], bytes]) -> None:
        """Initially without days."""
        self._entropy = entropy
        self._created: dict[tuple[int, str], tuple[bytes, ...]] = {}

    def create(self, game: int, day: str, rounds: int) -> tuple[bytes, ...]:
        """Create the links of a day; an existing day keeps its tail."""
        if (game, day) not in self._created:
            tail = self._entropy(32)
            self._created[game, day] = chain(OPERATOR, str(game), day, tail, rounds)
        return self.links(game, day)

    def links(self, game: int, day: str) -> tuple[bytes, ...]:
        """The links of an existing day. Raises ChainLost for any other."""
        if (game, day) not in self._created:
            raise ChainLost((game, day))
        return self._created[game, day]


class MemoryWitness(LocalWitness):
    """The real witness without its file."""

    def __init__(self, clock: Callable[[], int], entropy: Callable[[int], bytes]) -> None:
        """`clock` is its own, in microseconds since 1970; its tails come from `entropy`."""
        self._key = Ed25519PrivateKey.from_private_bytes(sha256(b"witness").digest())
        self._clock = clock
        self._entropy = entropy
        self._witness_state = WitnessState()
        self._one_at_a_time = Lock()
        self.public = signing.public_bytes(self._key)
        self._origin = ""  # the simulated log has no tree

    def _state(self) -> WitnessState:
        return self._witness_state

    def _compact(self) -> None:
        """Nothing is written."""

    def _tail(self) -> bytes:
        return self._entropy(32)

    def _store(self, record: _Kept | Declined) -> _Kept:
        if isinstance(record, Declined):
            raise WitnessDeclined(record)
        self._witness_state = apply_record(self._witness_state, record)
        return record
