"""A played house in a database: sealed and cosigned each hour, and rewritten by its owner."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import pairwise
from pathlib import Path

import psycopg
from msgspec.structs import replace

from engine.bets.facts import BetPlaced, BetSettled
from engine.cashier.commands import ApproveDeposit
from engine.cashier.facts import DepositApproved
from engine.facts import TOPICS, Fact, RecordedFact, encode
from engine.house.facts import DayOpened
from engine.rounds.facts import RoundClosed, RoundDrawn, RoundSettled
from engine.runtime.log.cosigners import Cosigners
from engine.runtime.log.fact_log import datastore
from engine.runtime.log.sealer import Sealer
from engine.runtime.postgres.embedded_postgres import Conninfos
from engine.runtime.secret_keys import OperatorKey
from projections.registry import read_models
from projections.runner.rebuild import rebuild
from scripts.audit_tool.draw_audit.rules import WINNING, winnings
from tests.auditing.drawn_house import DrawnHouse
from tests.auditing.evening import BOT, PLAYERS
from tests.projections.support import ZONE
from tests.runtime.witnesses import RunningWitness, running

HOURS = 4
HOUR_US = 3_600_000_000
UNIT = 100
Facts = list[RecordedFact]
Rewrite = Callable[[Facts, random.Random], Facts]
_COPY = (
    "COPY log.facts (notification_id, originator_id, originator_version, topic, state, at,"
    " command_id, actor) FROM STDIN"
)


class Clock:
    """A clock that tests set, in microseconds since 1970."""

    now = HOUR_US

    def __call__(self) -> int:
        return self.now


def played(count: int, seed: int = 3) -> DrawnHouse:
    """A house with at least so many facts: deposits, bets and draws of many days."""
    house = DrawnHouse(seed, (1,))
    while len(house.sandbox._log) < count:
        if house.sandbox.now >= house.sandbox.newest(1).closes_at:
            house.next_day()
        for player in (*PLAYERS, BOT):
            deposit = ApproveDeposit(
                player, f"deposit-{len(house.sandbox._log)}", "bank", 1_000 * UNIT, "", "staff:ann"
            )
            house.sandbox.submit(deposit, "staff:ann")
        house.draws(bets=20)
    return house


def copy_facts(house: Conninfos, facts: Sequence[RecordedFact]) -> None:
    """Store facts as the database's owner can, at their own positions."""
    with (
        psycopg.connect(house.owner) as connection,
        connection.cursor().copy(_COPY.encode()) as copy,
    ):
        for it in facts:
            state, topic = encode(it.fact), TOPICS[type(it.fact)]
            place = (it.position, it.stream, it.version)
            copy.write_row((*place, topic, state, it.at, it.command_id, it.actor))


class PlayedLog:
    """A played house's database; a witness elsewhere cosigns its log in each of four hours.

    `sizes` has the number of facts that were sealed and cosigned in each hour.
    """

    def __init__(self, house: Conninfos, folder: Path, count: int) -> None:
        """`folder` is for the witness's files, whose key is the one that the house's days name."""
        drawn = played(count)
        self.house = house
        self.facts: Facts = list(drawn.sandbox.log)
        self.key = OperatorKey(drawn.sandbox._random("operator", 32))
        self.clock = Clock()
        self.folder = folder
        folder.mkdir()
        (folder / "witness.key").write_bytes(drawn.sandbox._random("witness", 32))
        last = len(self.facts)
        self.sizes = [last * hour // HOURS for hour in range(1, HOURS + 1)]
        self.kept: list[str] = []
        with self.witness() as witness:
            self.witness_key = witness.witness.public
            self.store(self.facts, self.key, witness)
        self.cosigned = self.notes("cosigned")

    @contextmanager
    def witness(self) -> Iterator[RunningWitness]:
        """The witness, while it answers."""
        with running(self.folder, self.clock, self.key.public) as witness:
            yield witness

    def store(self, facts: Facts, key: OperatorKey, witness: RunningWitness | None = None) -> None:
        """Replace the log and seal it again in each hour, as the database's owner can.

        The witness is asked to cosign. All read models are rebuilt.
        """
        self._run(
            "ALTER TABLE log.facts DISABLE TRIGGER ALL",
            "TRUNCATE log.facts, log.tiles, log.checkpoints",
            "ALTER TABLE log.facts ENABLE TRIGGER ALL",
        )
        ends = [0, *self.sizes[:-1], len(facts)]
        for hour, (first, end) in enumerate(pairwise(ends), start=1):
            self.clock.now = hour * HOUR_US
            copy_facts(self.house, facts[first:end])
            self._seal(key, witness)
        assert rebuild(self.house.owner, read_models(ZONE), lambda _: None)

    def _run(self, *statements: str) -> None:
        with psycopg.connect(self.house.owner, autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def _seal(self, key: OperatorKey, witness: RunningWitness | None) -> None:
        with datastore(self.house.app) as store:
            sealer = Sealer(store, key, self.clock)
            sealer.catch_up()
            if witness is not None:
                with closing(Cosigners(store, sealer, [witness.address], 1, self.clock)) as all_:
                    all_.cosign()

    def notes(self, table: str) -> list[str]:
        """The notes of log.checkpoints or log.cosigned, oldest first."""
        with psycopg.connect(self.house.owner) as connection:
            rows = connection.execute(f"SELECT note FROM log.{table} ORDER BY size".encode())
            return [note for (note,) in rows]

    @contextmanager
    def without_cosigned(self) -> Iterator[None]:
        """The owner has deleted what the witness cosigned."""
        self._run("CREATE TABLE log.away AS SELECT * FROM log.cosigned", "TRUNCATE log.cosigned")
        try:
            yield
        finally:
            self._run("INSERT INTO log.cosigned SELECT * FROM log.away", "DROP TABLE log.away")

    def first_change(self, facts: Facts) -> int:
        """The first position at which another log differs."""
        pairs = zip(self.facts, facts, strict=False)
        return next(before.position for before, after in pairs if before != after)

    def interval(self, position: int) -> tuple[int, int]:
        """The positions between the cosigned checkpoints before and after a position."""
        ends = [0, *self.sizes]
        return next((first + 1, end) for first, end in pairwise(ends) if position <= end)


def _changed(facts: Facts, position: int, fact: Fact) -> None:
    facts[position - 1] = replace(facts[position - 1], fact=fact)


def _chosen(facts: Facts, rng: random.Random, kind: type[Fact]) -> RecordedFact:
    return rng.choice([it for it in facts if isinstance(it.fact, kind)])


def _settlements(facts: Facts, issue: str) -> Iterator[tuple[int, BetSettled]]:
    for it in facts:
        if isinstance(it.fact, BetSettled) and it.fact.issue == issue:
            yield it.position, it.fact


def _paid(facts: Facts, issue: str, payouts: dict[str, int], total: int | None = None) -> None:
    """Settle each bet of a round with another payout, and the round with their sum."""
    for position, fact in list(_settlements(facts, issue)):
        payout = payouts[fact.bet]
        bonus = payout * fact.bonus_minor // fact.stake_minor
        _changed(
            facts,
            position,
            replace(
                fact,
                total=fact.total if total is None else total,
                payout_minor=payout,
                payout_bonus_minor=bonus,
            ),
        )
    for it in facts:
        if isinstance(it.fact, RoundSettled) and it.fact.issue == issue:
            paid = replace(it.fact, payout_minor=sum(payouts.values()))
            _changed(facts, it.position, paid)


def a_larger_deposit(facts: Facts, rng: random.Random) -> Facts:
    """A deposit of 1,000 units becomes one of 50,000."""
    facts, found = list(facts), _chosen(facts, rng, DepositApproved)
    assert isinstance(found.fact, DepositApproved)
    _changed(facts, found.position, replace(found.fact, amount_minor=50_000 * UNIT))
    return facts


def another_draw(facts: Facts, rng: random.Random) -> Facts:
    """A round is drawn 9-9-9, and its bets are settled by that."""
    facts, found = list(facts), _chosen(facts, rng, RoundDrawn)
    drawn = found.fact
    assert isinstance(drawn, RoundDrawn)
    placed = {it.fact.bet: it.fact for it in facts if isinstance(it.fact, BetPlaced)}
    _changed(facts, found.position, replace(drawn, digits=(9, 9, 9), total=27))
    payouts = {}
    for _, fact in _settlements(facts, drawn.issue):
        bet = placed[fact.bet]
        is_won = 27 in WINNING[bet.kind]
        payouts[fact.bet] = winnings(bet.stake_minor, bet.odds_milli) if is_won else 0
    _paid(facts, drawn.issue, payouts, 27)
    return facts


def larger_payouts(facts: Facts, rng: random.Random) -> Facts:
    """Every winning bet of a round is paid ten times as much."""
    facts = list(facts)
    won = [it for it in facts if isinstance(it.fact, BetSettled) and it.fact.payout_minor]
    found = rng.choice(won).fact
    assert isinstance(found, BetSettled)
    settled = _settlements(facts, found.issue)
    _paid(facts, found.issue, {fact.bet: fact.payout_minor * 10 for _, fact in settled})
    return facts


def a_removed_bet(facts: Facts, rng: random.Random) -> Facts:
    """A losing bet was never placed: nor are there its receipt and its settlement."""
    lost = [it for it in facts if isinstance(it.fact, BetSettled) and not it.fact.payout_minor]
    settlement = rng.choice(lost)
    gone = settlement.fact
    assert isinstance(gone, BetSettled)
    placed = next(it for it in facts if isinstance(it.fact, BetPlaced) and it.fact.bet == gone.bet)
    assert isinstance(placed.fact, BetPlaced)
    facts = list(facts)
    for it in facts:
        if getattr(it.fact, "issue", "") != gone.issue:
            continue
        if isinstance(it.fact, RoundClosed):
            stakes = {**it.fact.stakes}
            stakes[placed.fact.kind] -= gone.stake_minor
            stakes = {kind: stake for kind, stake in stakes.items() if stake}
            count, stake = it.fact.count - 1, it.fact.stake_minor - gone.stake_minor
            closed = replace(it.fact, count=count, stake_minor=stake, stakes=stakes)
            _changed(facts, it.position, closed)
        elif isinstance(it.fact, RoundSettled):
            count, stake = it.fact.count - 1, it.fact.stake_minor - gone.stake_minor
            _changed(facts, it.position, replace(it.fact, count=count, stake_minor=stake))
    receipt = placed.position + 1  # the sandbox signs the receipt of each bet alone
    dropped = {placed.position, receipt, settlement.position}
    return _renumbered([it for it in facts if it.position not in dropped])


def _renumbered(facts: Sequence[RecordedFact]) -> Facts:
    versions: Counter[str] = Counter()
    found = []
    for position, it in enumerate(facts, start=1):
        versions[it.stream] += 1
        found.append(replace(it, position=position, version=versions[it.stream]))
    return found


REWRITES: tuple[Rewrite, ...] = (a_larger_deposit, another_draw, a_removed_bet, larger_payouts)


def renamed_operator(facts: Facts, key: OperatorKey) -> Facts:
    """Every day names another operator's key."""
    facts = list(facts)
    for it in facts:
        if isinstance(it.fact, DayOpened):
            _changed(facts, it.position, replace(it.fact, operator_key=key.public.hex()))
    return facts
