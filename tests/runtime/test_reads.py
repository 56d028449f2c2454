"""Reads in parallel with the writer: players' queries never delay what the house stores."""

import asyncio
import threading
from contextlib import ExitStack, nullcontext

import psycopg
import pytest
from psycopg import Connection
from psycopg.rows import DictRow

from engine.answers import BetAccepted
from engine.cashier.commands import RequestWithdrawal
from engine.facts import RecordedFact, player_stream
from engine.players.commands import SetSecurityCode
from engine.runtime.log.fact_log import FactLog
from engine.runtime.log.idempotency import StoredOutcome
from engine.runtime.log.reads import THREADS, LogReads
from engine.runtime.log.snapshots import Snapshots
from engine.runtime.port import READ_TIMEOUT_S, EngineUnavailableError
from engine.runtime.writer.engine_reader import EngineReader
from engine.runtime.writer.reply import proof_of
from tests.runtime.house import PLAYER, EngineHarness, Gate, driven, until
from tests.runtime.test_log import deposits

OTHER = PLAYER + 1
_DEADLINE_S = 20
COMMAND = RequestWithdrawal(OTHER, "withdrawal-1", 1, 100)


def reader(house: EngineHarness) -> EngineReader:
    assert house.engine.reader is not None
    return house.engine.reader


async def read_everything(house: EngineHarness) -> None:
    """Run every query that a player can make, for a player who is not in memory."""
    view = await reader(house).player(OTHER)
    assert view is not None
    assert view.available_minor == 100_000
    assert await reader(house).dry_run(COMMAND) is not None
    assert await reader(house).stored_answer("player-x", "unknown", COMMAND) is None
    assert await house.engine.proof(OTHER, 1) is None


@driven
async def test_players_can_read_while_a_batch_is_being_appended(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with house:
        await house.join()
        await house.join(OTHER)
        house.engine.state.players.pop(OTHER)
        gate = Gate(monkeypatch)
        bet = house.send("bet", house.bet())
        await gate.reached()
        await read_everything(house)
        assert not bet.done()
        gate.open()
        await bet


@driven
async def test_a_stored_answer_is_returned_once_the_state_shows_it(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = asyncio.Event()
    outcomes = LogReads.outcomes

    async def recorded(reads: LogReads, keys: list[tuple[str, str]]) -> list[StoredOutcome]:
        found = await outcomes(reads, keys)
        if found:
            read.set()
        return found

    async def usable_at() -> int | None:
        command = SetSecurityCode(PLAYER)
        assert await reader(house).stored_answer(f"player-{PLAYER}", "code", command) is not None
        view = await reader(house).player(PLAYER)
        assert view is not None
        return view.code_usable_at

    async with house:
        await house.join()
        gate = Gate(monkeypatch, after=True)
        reply = house.send("code", SetSecurityCode(PLAYER))
        await gate.reached()
        monkeypatch.setattr(LogReads, "outcomes", recorded)
        seen = asyncio.create_task(usable_at())
        await read.wait()
        # A reader that does not wait for the state would have read it by now.
        for _ in range(10):
            await asyncio.sleep(0)
        gate.open()
        assert await seen is not None
        await reply


@driven
async def test_reads_use_connections_that_commits_never_use(house: EngineHarness) -> None:
    async with house:
        await house.join()
        await house.join(OTHER)
        house.engine.state.players.pop(OTHER)
        store = house.engine._store
        with ExitStack() as stack:
            for _ in range(store.pool.max_size):
                stack.enter_context(store.get_connection())
            await read_everything(house)


@driven
async def test_the_writer_loads_a_player_over_another_connection_than_it_commits_on(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    backends: set[int] = set()
    read = FactLog.streams

    def recorded(log: FactLog, names: list[str]) -> list[RecordedFact]:
        if player_stream(OTHER) in names:
            with log.datastore.get_connection() as connection:
                backends.add(connection.info.backend_pid)
        return read(log, names)

    async with house:
        await house.join()
        await house.join(OTHER)
        house.engine.state.players.pop(OTHER)
        monkeypatch.setattr(FactLog, "streams", recorded)
        await house.submit("bet", house.bet(player=OTHER))
        with ExitStack() as stack:
            store = house.engine._store
            connections = [
                stack.enter_context(store.get_connection()) for _ in range(store.pool.max_size)
            ]
            assert backends
            assert not backends & {each.info.backend_pid for each in connections}


@driven
async def test_a_read_that_waited_too_long_for_a_thread_is_not_made(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its caller is about to give up: made late, it would only make the following ones late."""
    now, free, made = 0.0, threading.Event(), list[int]()
    monkeypatch.setattr("engine.runtime.log.reads.monotonic", lambda: now, raising=False)

    def proof(_log: FactLog, player: int, _version: int) -> None:
        made.append(player)
        free.wait(_DEADLINE_S)

    monkeypatch.setattr("engine.runtime.log.reads.proof_of", proof)
    async with house:
        players = range(THREADS + 1)
        asked = [asyncio.create_task(house.engine.proof(player, 1)) for player in players]
        await until(lambda: len(made) == THREADS)
        now = READ_TIMEOUT_S
        free.set()
        answers = await asyncio.gather(*asked, return_exceptions=True)
    assert made == [*range(THREADS)]
    assert answers[:THREADS] == [None] * THREADS
    assert isinstance(answers[THREADS], EngineUnavailableError)


def test_facts_after_a_snapshot_are_read_without_those_before_it(
    log: FactLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    streams = ["player-1", "player-2"]
    for stream in streams:
        batch = deposits(*[stream] * 4_000)
        batch.versions = list(range(1, 4_001))
        log.append(batch)
    with log.datastore.get_connection() as session, session.transaction():
        monkeypatch.setattr(log.datastore, "get_connection", lambda: nullcontext(session))
        # Often enough for PostgreSQL to switch to a generic plan.
        for _ in range(8):
            before = rows_read(session)
            assert len(log.streams_after(dict.fromkeys(streams, 3_990))) == 20
            assert rows_read(session) - before == 20


@driven
async def test_a_receipt_given_again_reads_the_facts_of_its_batch_and_not_the_log(
    house: EngineHarness, log: FactLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with house:
        await house.join()
        for number in range(60):
            await house.join(OTHER + number)
        house.clock.forward(1)
        replies = [await house.send(f"bet-{number}", house.bet(units=1)) for number in range(200)]
    with log.datastore.get_connection() as session, session.transaction():
        monkeypatch.setattr(log.datastore, "get_connection", lambda: nullcontext(session))
        # So short a log would be read whole.
        session.execute("SET enable_seqscan = off")
        # The first, the last and those between; often enough for a generic plan.
        for reply in (replies[0], *replies[20::20], replies[-1]):
            assert isinstance(reply.answer, BetAccepted)
            before = rows_read(session)
            assert proof_of(log, PLAYER, reply.answer.version) == reply.proof
            assert 3 <= rows_read(session) - before <= 100


def rows_read(session: Connection[DictRow]) -> int:
    """The number of facts that the session's transaction has read from the table so far."""
    row = session.execute(
        "SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) AS read FROM pg_stat_xact_user_tables"
        " WHERE schemaname = 'log' AND relname = 'facts'"
    ).fetchone()
    assert row is not None
    return int(row["read"])


@driven
async def test_a_long_history_is_read_whole_only_once(house: EngineHarness, log: FactLog) -> None:
    async with house:
        await house.join()
        with psycopg.connect(house.conninfos.owner) as connection:
            connection.execute("DELETE FROM log.snapshots")
        snapshots = Snapshots(log)
        for number in range(snapshots.every):
            await house.submit(f"bet-{number}", house.bet(units=1))
        # The writer saves one in the background; a late one would be taken for the one below.
        await until(lambda: bool(snapshots.read([PLAYER])))
        with psycopg.connect(house.conninfos.owner) as connection:
            connection.execute("DELETE FROM log.snapshots")
        house.engine.state.players.pop(PLAYER)
        seen = await reader(house).player(PLAYER)
        assert seen is not None
        while not snapshots.read([PLAYER]):
            await reader(house).player(PLAYER)
        saved = snapshots.read([PLAYER])[PLAYER]
        assert (saved.version, saved.available) == (seen.version, seen.available_minor)
        assert snapshots.difference(snapshots.page("", 1)[0], "Asia/Singapore") is None
