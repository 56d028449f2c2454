"""Missing facts, removed while a leader runs or before an engine starts; and a newer version's."""

import asyncio
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from structlog.testing import capture_logs

from engine import facts
from engine.answers import Answer, BetAccepted, Refused
from engine.house.facts import HouseFounded
from engine.refusals import NEVER_STORED
from engine.runtime.engine import READ_CONNECTIONS, Engine
from engine.runtime.log.deadlines import Store
from engine.runtime.log.fact_log import Batch, FactLog, datastore
from engine.runtime.log.integrity import (
    LogShortenedError,
    inspected_parts,
    unknown_topics,
)
from engine.runtime.log.lease import RENEWAL_S, Lease
from engine.runtime.postgres.embedded_postgres import Conninfos, EmbeddedPostgres
from tests.databases import new_database
from tests.runtime.audit import audit
from tests.runtime.house import EngineHarness, driven, until

Cut = Callable[[psycopg.Connection], None]


def change(house: EngineHarness, cut: Cut) -> None:
    """Change the log in a way that no role of the product may."""
    with psycopg.connect(house.conninfos.owner) as connection:
        connection.execute("ALTER TABLE log.facts DISABLE TRIGGER facts_append_only")
        cut(connection)
        connection.execute("ALTER TABLE log.facts ENABLE TRIGGER facts_append_only")


def cut_tail(connection: psycopg.Connection) -> None:
    connection.execute(
        "DELETE FROM log.facts WHERE notification_id > (SELECT max(notification_id) FROM log.facts)"
        " - 6"
    )


def cut_tail_with_its_batches(connection: psycopg.Connection) -> None:
    """The state of a replica that lagged behind: everything up to some transaction."""
    connection.execute(
        "WITH kept AS (SELECT last_position AS position FROM log.batches"
        " ORDER BY last_position DESC OFFSET 3 LIMIT 1),"
        " batches AS (DELETE FROM log.batches WHERE last_position > (SELECT position FROM kept)"
        " RETURNING at),"
        " outcomes AS (DELETE FROM log.outcomes WHERE at >= (SELECT min(at) FROM batches))"
        " DELETE FROM log.facts WHERE notification_id > (SELECT position FROM kept)"
    )


def cut_middle(connection: psycopg.Connection) -> None:
    connection.execute("DELETE FROM log.facts WHERE notification_id BETWEEN 4 AND 6")


def cut_version(connection: psycopg.Connection) -> None:
    """Remove a player's fact, and move the later facts up by one position."""
    row = connection.execute(
        "DELETE FROM log.facts WHERE notification_id = (SELECT max(notification_id) FROM log.facts"
        " WHERE originator_id = 'player-10001') - 4 RETURNING notification_id, originator_id"
    ).fetchone()
    assert row is not None
    connection.execute(
        "UPDATE log.facts SET notification_id = -notification_id WHERE notification_id > %s",
        [row[0]],
    )
    connection.execute(
        "UPDATE log.facts SET notification_id = -notification_id - 1 WHERE notification_id < 0"
    )
    connection.execute("UPDATE log.batches SET last_position = last_position - 1")


def add_snapshot(connection: psycopg.Connection) -> None:
    connection.execute("INSERT INTO log.snapshots VALUES ('player-10001', 5000, 'program', '')")


def remove_snapshot(connection: psycopg.Connection) -> None:
    connection.execute("DELETE FROM log.snapshots WHERE stream = 'player-10001' AND version = 5000")


def assert_not_done(answer: Answer) -> None:
    """The answer is a refusal after which the command may be sent again."""
    assert isinstance(answer, Refused)
    assert answer.refusal in NEVER_STORED


async def with_bets(house: EngineHarness) -> None:
    """One player and ten bets, each in its own batch."""
    await house.join()
    for number in range(10):
        house.clock.forward(0.01)
        assert isinstance(await house.submit(f"bet-{number}", house.bet()), BetAccepted)


@driven
async def test_a_leader_whose_log_lost_its_last_facts_adds_none(house: EngineHarness) -> None:
    async with house:
        await with_bets(house)
        bet = house.bet()
        change(house, cut_tail)
        left = house.facts()
        assert_not_done(await house.submit("after the cut", bet))
        assert house.facts() == left
        await until(lambda: bool(house.engine.damage))
        assert not house.engine.ready


@driven
async def test_outcomes_without_facts_are_not_added_after_a_cut_either(
    house: EngineHarness,
) -> None:
    async with house:
        await with_bets(house)
        too_much = house.bet(units=1_000_000)
        change(house, cut_tail)
        assert_not_done(await house.submit("refused", too_much))


@pytest.mark.parametrize(
    ("cut", "named"),
    [
        (cut_tail, ["the log ends at position ", "batches"]),
        (cut_middle, ["positions 4 to 6 are missing"]),
        (cut_version, ["stream player-10001 lacks version "]),
        (add_snapshot, ["snapshot of player-10001 is of version 5000"]),
    ],
)
@driven
async def test_an_engine_reports_what_is_missing_and_does_not_lead(
    house: EngineHarness, cut: Cut, named: list[str]
) -> None:
    async with house:
        await with_bets(house)
        await house.crash()
        change(house, cut)
        left = house.facts()
        with capture_logs() as logs:
            await house.begin()
            await until(lambda: bool(house.engine.damage) or house.running.done())
        assert not house.engine.ready
        assert not house.running.done()
        damage = " ".join(house.engine.damage)
        assert all(text in damage for text in named), damage
        assert [line["event"] for line in logs if line["log_level"] == "error"] == [
            "the log is damaged"
        ]
        assert house.facts() == left


@driven
async def test_an_engine_leads_once_the_missing_facts_are_back(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.runtime.engine.INSPECTED_AGAIN_S", 0.0)
    async with house:
        await with_bets(house)
        await house.crash()
        change(house, add_snapshot)
        await house.begin()
        await until(lambda: bool(house.engine.damage))
        change(house, remove_snapshot)
        await until(lambda: house.engine.ready)
        assert house.engine.damage == ()


@driven
async def test_a_standby_that_finds_the_damage_as_it_takes_the_lease_leads_once_it_is_mended(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.runtime.engine.INSPECTED_AGAIN_S", 0.0)
    async with house:
        await with_bets(house)
        leader, leading = house.engine, house.running
        house.stand_by()
        await until(lambda: house.engine._reached > 0)  # it has inspected the log while it waits
        change(house, add_snapshot)
        leader.stop()
        await leading
        await until(lambda: bool(house.engine.damage))
        change(house, remove_snapshot)
        await until(lambda: house.engine.ready)
        assert house.engine.damage == ()


def keep(connection: psycopg.Connection) -> None:
    connection.execute("CREATE TABLE kept AS SELECT * FROM log.facts")


def put_back(connection: psycopg.Connection) -> None:
    connection.execute(
        "INSERT INTO log.facts SELECT * FROM kept WHERE notification_id BETWEEN 4 AND 6"
    )


@pytest.mark.parametrize("cut", [cut_middle, cut_version])
@pytest.mark.parametrize("at_once", [1, 2, 5, 1_000])
@driven
async def test_what_is_missing_is_noticed_however_many_facts_are_inspected_at_once(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch, cut: Cut, at_once: int
) -> None:
    monkeypatch.setattr("engine.runtime.log.integrity.INSPECTED_AT_ONCE", at_once)
    async with house:
        await with_bets(house)
        await house.crash()
        with datastore(house.conninfos.owner) as store:
            log = FactLog(store)
            assert all(inspected_parts(log, log.last()[0]))
            change(house, cut)
            assert not all(inspected_parts(log, log.last()[0]))


@pytest.mark.parametrize("at_once", [3, 1_000])
@driven
async def test_an_engine_that_finds_an_old_fact_missing_after_its_start_leads_until_then_only(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    """Of a long log only the newest facts are inspected before it leads."""
    monkeypatch.setattr("engine.runtime.engine.INSPECTED_FIRST", 10)
    monkeypatch.setattr("engine.runtime.log.integrity.INSPECTED_AT_ONCE", at_once)
    monkeypatch.setattr("engine.runtime.engine.INSPECT_OLDER_AFTER_S", 0.0)
    monkeypatch.setattr("engine.runtime.engine.INSPECTED_AGAIN_S", 0.0)
    async with house:
        await with_bets(house)
        bet = house.bet()
        await house.crash()
        change(house, keep)
        change(house, cut_middle)
        with capture_logs() as logs:
            await house.begin()
            await until(lambda: bool(house.engine.damage))
        assert "positions 4 to 6 are missing" in " ".join(house.engine.damage)
        assert not house.running.done()
        await until(lambda: not house.engine.ready)
        assert "leading" in [line["event"] for line in logs]
        assert_not_done(await house.submit("bet-10", bet))
        change(house, put_back)
        await until(lambda: house.engine.ready)
        assert house.engine.damage == ()
        assert isinstance(await house.submit("bet-10", bet), BetAccepted)


def lose_the_lease(connection: psycopg.Connection) -> None:
    connection.execute("UPDATE log.lease SET epoch = epoch + 1, renewed_at = '-infinity'")


async def nothing(_: Engine) -> None:
    await asyncio.get_running_loop().create_future()


@driven
async def test_an_engine_that_lost_the_lease_inspects_old_facts_before_it_leads_again(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is missing may be the reason, and would end its leading again and again."""
    monkeypatch.setattr("engine.runtime.engine.INSPECTED_FIRST", 10)
    monkeypatch.setattr(Engine, "_inspect_older", nothing)
    async with house:
        await with_bets(house)
        await house.crash()
        change(house, cut_middle)
        await house.lead()  # without a tick, whose step may meet the missing facts and end it
        assert house.engine.ready
        change(house, lose_the_lease)
        await until(lambda: bool(house.engine.damage))
        assert not house.engine.ready


@driven
async def test_a_stop_does_not_wait_for_an_inspection_of_old_facts(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.runtime.engine.INSPECTED_FIRST", 10)
    monkeypatch.setattr("engine.runtime.engine.INSPECT_OLDER_AFTER_S", 0.0)
    began, ended, reading = threading.Event(), threading.Event(), threading.Event()

    def endless(log: FactLog, _: int) -> Iterator[bool]:
        try:
            with log.datastore.transaction() as cursor:
                began.set()
                cursor.execute("SELECT pg_sleep(100)")
        finally:
            ended.set()
        yield True

    def other_read() -> None:
        with house.engine._read_store.transaction() as cursor:
            reading.set()
            assert ended.wait(60)
            cursor.execute("SELECT 1")  # fails if it was cut off too

    async with house:
        await with_bets(house)
        await house.crash()
        monkeypatch.setattr("engine.runtime.engine.inspected_parts", endless)
        await house.start()
        await until(began.is_set)
        read = asyncio.create_task(asyncio.to_thread(other_read))
        await until(reading.is_set)
        with capture_logs() as logs:
            house.engine.stop()
            await house.running
            await until(ended.is_set)
        await read
        assert not [line for line in logs if line["log_level"] != "info"]


@driven
async def test_an_engine_leads_on_a_log_restored_from_an_older_copy(house: EngineHarness) -> None:
    async with house:
        await with_bets(house)
        await house.crash()
        change(house, cut_tail_with_its_batches)
        left = house.facts()
        await house.start()
        assert house.engine.ready
        assert isinstance(await house.submit("bet-9", house.bet()), BetAccepted)
        assert house.facts()[: len(left)] == left
        audit(house.facts())


@driven
async def test_a_process_that_has_read_more_than_the_log_contains_ends(
    house: EngineHarness,
) -> None:
    """Its rooms, balances and cached answers come from facts that no longer exist: it restarts."""
    await house.start()
    await with_bets(house)
    bet = house.bet()
    change(house, cut_tail_with_its_batches)
    left = house.facts()
    assert_not_done(await house.submit("after the cut", bet))
    with pytest.raises(LogShortenedError, match="restart the server"):
        await house.running
    house.engine.close()
    assert house.facts() == left


@driven
async def test_no_read_uses_the_connections_on_which_the_writer_commits(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A read of years would delay the first bets, and a slow one each commit behind it."""
    stores: list[Store] = []
    rows = FactLog._rows

    def watched(log: FactLog, *query: Any) -> Any:
        stores.append(log.datastore)
        return rows(log, *query)

    monkeypatch.setattr(FactLog, "_rows", watched)
    async with house:
        await with_bets(house)
        await house.crash()
        await house.start()
        assert isinstance(await house.submit("bet-9", house.bet()), BetAccepted)
        assert stores
        assert all(store is not house.engine._store for store in stores)


@driven
async def test_an_engine_whose_reads_reach_a_former_primary_does_not_lead(
    house: EngineHarness,
    postgres: EmbeddedPostgres,
    template: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its log lacks what others stored since, and so would the state that is recovered from it."""
    with new_database(postgres, template) as former:
        async with house:
            await with_bets(house)
            await house.stop()
            left = house.facts()

            def misled(conninfo: str, *, connections: int = 1) -> Store:
                is_for_reads = connections == READ_CONNECTIONS
                return datastore(former.app if is_for_reads else conninfo, connections=connections)

            monkeypatch.setattr("engine.runtime.engine.datastore", misled)
            with capture_logs() as logs:
                house.stand_by()
                await until(lambda: any(it["event"] == "stepped down" for it in logs))
            assert "leading" not in [it["event"] for it in logs]
            assert house.facts() == left


# Facts of a newer version

TOPIC = "round-boosted.1"
STREAMS = ["player-10001", "house", "game-1", "receipts", "desk", "round-1-20261121001"]
TAKE_FROM_ANY = (
    "UPDATE log.lease SET epoch = epoch + 1, renewed_at = clock_timestamp() RETURNING epoch"
)


@contextmanager
def renewed(lease: Lease) -> Iterator[None]:
    """Renew the lease until the end of the context, as a leader does."""
    ended = threading.Event()

    def renew() -> None:
        while not ended.wait(RENEWAL_S):
            lease.renew()

    renewing = threading.Thread(target=renew)
    renewing.start()
    try:
        yield
    finally:
        ended.set()
        renewing.join()


@contextmanager
def newer_version_leads(conninfos: Conninfos) -> Iterator[Callable[[str], int]]:
    """A newer version leads until the end of the context.

    Yields what stores a fact that this version does not know, and returns its position.
    """
    with datastore(conninfos.app) as store:
        lease, log = Lease(store), FactLog(store)
        with psycopg.connect(conninfos.owner) as connection:
            (row,) = connection.execute(TAKE_FROM_ANY)
        lease.epoch = row[0]

        def write(stream: str) -> int:
            last, at = log.last()
            batch = Batch(os.urandom(16), lease.epoch, at, last + 1)
            batch.streams, batch.versions = [stream], [log.version(stream) + 1]
            batch.topics, batch.states, batch.commands, batch.actors = [TOPIC], [b"{}"], [""], [""]
            log.append(batch)
            return last + 1

        with renewed(lease):
            yield write
        lease.release()


def epoch(house: EngineHarness) -> int:
    """The number of times that an engine took the lease."""
    with psycopg.connect(house.conninfos.app) as connection:
        row = connection.execute("SELECT epoch FROM log.lease").fetchone()
    assert row is not None
    return int(row[0])


@pytest.mark.parametrize("stream", STREAMS)
@driven
async def test_an_engine_that_does_not_know_a_topic_never_leads_and_says_why(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch, stream: str
) -> None:
    monkeypatch.setattr("engine.runtime.engine.STANDBY_S", 0.01)
    async with house:
        await with_bets(house)
        await house.stop()
        with newer_version_leads(house.conninfos) as write:
            position = write(stream)
        taken = epoch(house)
        with capture_logs() as logs:
            house.stand_by()
            house.engine.check_start()
            await until(lambda: bool(house.engine.status().unknown_topics) or house.running.done())
            await looked_again(house)
        assert not house.running.done()
        why = house.engine.status().unknown_topics
        assert why == (
            f"this version does not know {TOPIC} (from position {position}):"
            " start the newer version that wrote it"
        )
        assert [(it["event"], it["reason"]) for it in logs if it["log_level"] == "error"] == [
            ("a newer version wrote to the log", why)
        ]
        assert not house.engine.ready
        assert epoch(house) == taken
        assert not house.engine.is_led()


async def looked_again(house: EngineHarness) -> None:
    """Return once the standby has looked at the log twice more."""
    looks = 0

    def looking(log: FactLog) -> str:
        nonlocal looks
        looks += 1
        return unknown_topics(log)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("engine.runtime.engine.unknown_topics", looking)
        await until(lambda: looks >= 3 or house.running.done())


@driven
async def test_a_standby_does_not_take_over_from_a_newer_leader_and_the_newer_version_does(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.runtime.engine.STANDBY_S", 0.01)
    async with house:
        await with_bets(house)
        bet = house.bet()
        placed = await house.submit("kept", bet)
        await house.stop()
        with newer_version_leads(house.conninfos) as write:
            house.stand_by()
            await looked_again(house)
            assert house.engine.status().unknown_topics == ""
            write("unread")
            await until(lambda: bool(house.engine.status().unknown_topics))
        taken = epoch(house)
        await looked_again(house)
        assert epoch(house) == taken
        await house.crash()
        # From here on this is the newer version.
        monkeypatch.setitem(facts.TYPES, TOPIC, HouseFounded)
        await house.lead()
        assert house.engine.status().unknown_topics == ""
        assert await house.submit("kept", bet) == placed


@driven
async def test_a_topic_stored_between_the_look_and_the_lease_is_noticed(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with house:
        await with_bets(house)
        await house.stop()
        taken, take = list[int](), Lease.take

        def late(lease: Lease) -> bool:
            if not taken:
                taken.append(0)
                with newer_version_leads(house.conninfos) as write:
                    write("house")
            return take(lease)

        monkeypatch.setattr(Lease, "take", late)
        house.stand_by()
        await until(lambda: bool(house.engine.status().unknown_topics) or house.engine.ready)
        assert not house.engine.ready
        await until(lambda: not house.engine.is_led())
        assert house.engine.scheduler is None
