"""The result of a bet when PostgreSQL or its connection fails while the bet is being stored."""

import asyncio
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from engine.answers import Answer, BetAccepted, Refused
from engine.bets.facts import BetPlaced
from engine.facts import RecordedFact
from engine.refusals import NEVER_STORED
from engine.runtime.log import schema
from engine.runtime.postgres.embedded_postgres import Conninfos, EmbeddedPostgres
from tests.runtime.audit import audit
from tests.runtime.house import Clock, EngineHarness, NoTicks, driven, until
from tests.runtime.proxy import SILENT, Loss, Proxy

CLIENTS = 8
BETS_A_CLIENT = 40
APPEND_CONNECTIONS = 2


@pytest.fixture
def keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The keys folder of an engine whose ticks the test calls."""
    monkeypatch.setattr("engine.runtime.engine._schedule", lambda *_: NoTicks())
    return tmp_path


def placed(facts: list[RecordedFact]) -> list[str]:
    """The keys of the bets in the log."""
    return [recorded.command_id for recorded in facts if isinstance(recorded.fact, BetPlaced)]


@pytest.mark.parametrize("others", [0, 30, 300])
@pytest.mark.parametrize("loss", sorted(set(Loss) - SILENT, key=str))
@driven
async def test_a_lost_commit_ends_in_one_bet_and_one_answer(
    postgres: EmbeddedPostgres, house_database: Conninfos, keys: Path, loss: Loss, others: int
) -> None:
    with Proxy(postgres.port, loss, b"the-lost-one") as proxy:
        address = make_conninfo(house_database.app, host="127.0.0.1", port=proxy.port)
        async with EngineHarness(Conninfos(house_database.owner, address), keys, Clock()) as house:
            await house.join()
            names = ["the-lost-one", *(f"other-{number}" for number in range(others))]
            sent = [house.send(name, house.bet(units=1)) for name in names]
            answers = [(await each).answer for each in sent]
            assert proxy.lost.is_set()
            assert {type(answer) for answer in answers} == {BetAccepted}
            assert await house.submit("the-lost-one", house.bet(units=1)) == answers[0]
            assert isinstance(await house.submit("a later one", house.bet()), BetAccepted)
            assert sorted(placed(house.facts())) == sorted([*names, "a later one"])
            assert house.engine.recent.page(0, 10_000) == house.facts()
            audit(house.facts())


@driven
async def test_a_new_lease_holder_keeps_the_lease(
    postgres: EmbeddedPostgres, house_database: Conninfos, keys: Path
) -> None:
    """A leader that loses an acknowledgement and then its lease leaves the outcome unknown."""

    def take_over() -> None:
        with psycopg.connect(house_database.app) as connection:
            connection.execute("UPDATE log.lease SET epoch = epoch + 100")

    with Proxy(postgres.port, Loss.COMMIT, b"the-lost-one") as proxy:
        address = make_conninfo(house_database.app, host="127.0.0.1", port=proxy.port)
        async with EngineHarness(Conninfos(house_database.owner, address), keys, Clock()) as house:
            await house.join()
            take_over()
            answer = await house.submit("the-lost-one", house.bet())
            assert isinstance(answer, Refused)
            assert answer.refusal in NEVER_STORED
            assert placed(house.facts()) == []


async def bet_with_retries(house: EngineHarness, client: int) -> list[Answer]:
    """A client as specified: it resends each bet under its idempotency key until it is decided."""
    answers: list[Answer] = []
    bet = house.bet(units=1)
    for number in range(BETS_A_CLIENT):
        while True:
            answer = await house.submit(f"{client}-{number}", bet)
            if not isinstance(answer, Refused) or answer.refusal not in NEVER_STORED:
                break
            await asyncio.sleep(0.1)
        answers.append(answer)
    return answers


async def crash_and_return(server: EmbeddedPostgres, house: EngineHarness) -> None:
    """Kill PostgreSQL in the middle of the load, and start it again."""
    await until(lambda: len(placed(house.facts())) > CLIENTS * BETS_A_CLIENT // 4)
    postmaster = server.postmaster()
    assert postmaster is not None
    psutil.Process(postmaster.pid).kill()
    await asyncio.to_thread(server.start)


@driven
async def test_bets_survive_a_killed_server_and_resume_automatically(
    data_dir: Path, keys: Path
) -> None:
    with EmbeddedPostgres(data_dir) as server:
        conninfos = Conninfos(server.dsn("owner", tcp=True), server.dsn("app", tcp=True))
        schema.create(conninfos.owner)
        async with EngineHarness(conninfos, keys, Clock()) as house:
            await house.join()
            clients = [bet_with_retries(house, client) for client in range(CLIENTS)]
            *answers, _ = await asyncio.gather(*clients, crash_and_return(server, house))
            assert all(
                isinstance(each, BetAccepted)
                for client_answers in answers
                for each in client_answers or []
            )
            expected = [f"{c}-{n}" for c in range(CLIENTS) for n in range(BETS_A_CLIENT)]
            assert sorted(placed(house.facts())) == sorted(expected)
            audit(house.facts())


def require_standby(admin: psycopg.Connection[Any], name: str) -> None:
    """Let every commit wait for this standby; for none if the name is empty."""
    admin.execute(f"ALTER SYSTEM SET synchronous_standby_names = '{name}'")
    admin.execute("SELECT pg_reload_conf()")


def awaiting_standby(admin: psycopg.Connection[Any], call: str) -> list[int]:
    """The backends that wait for a standby with a query that contains `call`."""
    waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query LIKE %s"
    return [pid for (pid,) in admin.execute(waiting, (f"%{call}%",))]


async def until_commits_wait(server: EmbeddedPostgres, admin: psycopg.Connection[Any]) -> None:
    """PostgreSQL applies a changed setting a moment later: commit until a commit waits."""
    call = "pg_logical_emit_message"
    probing = await psycopg.AsyncConnection.connect(server.dsn("admin"), autocommit=True)
    async with probing:
        waiting: list[int] = []
        while not waiting:
            commit = asyncio.create_task(probing.execute(f"SELECT {call}(true, '', '')"))
            await until(lambda: commit.done() or bool(awaiting_standby(admin, call)))  # noqa: B023
            waiting = awaiting_standby(admin, call)
            for pid in waiting:
                admin.execute("SELECT pg_cancel_backend(%s)", (pid,))
            await commit


@driven
async def test_a_commit_whose_wait_for_the_standby_was_cancelled_is_not_acknowledged(
    data_dir: Path, keys: Path
) -> None:
    """PostgreSQL calls it a success, but after a fail-over the bet may be gone."""
    with EmbeddedPostgres(data_dir) as server:
        schema.create(server.dsn("owner"))
        async with EngineHarness(server.conninfos(), keys, Clock()) as house:
            await house.join()
            with psycopg.connect(server.dsn("admin"), autocommit=True) as admin:
                require_standby(admin, "cut_off")
                await until_commits_wait(server, admin)
                bet = house.bet(units=1)
                sent = house.send("unconfirmed", bet)
                await until(lambda: bool(awaiting_standby(admin, "append_batch")))
                for pid in awaiting_standby(admin, "append_batch"):
                    admin.execute("SELECT pg_cancel_backend(%s)", (pid,))
                answer = (await sent).answer
                assert isinstance(answer, Refused)
                assert answer.refusal in NEVER_STORED
                assert placed(house.facts()) == ["unconfirmed"]
                require_standby(admin, "")
            await until(lambda: not house.engine.ready)
            await until(lambda: house.engine.ready)
            assert isinstance(await house.submit("unconfirmed", bet), BetAccepted)
            assert placed(house.facts()) == ["unconfirmed"]
            audit(house.facts())


@pytest.mark.parametrize("loss", sorted(SILENT, key=str))
@driven
async def test_a_leader_that_cannot_commit_steps_down_and_the_bet_is_looked_up(
    postgres: EmbeddedPostgres, house_database: Conninfos, keys: Path, loss: Loss
) -> None:
    """The commit's connection stops responding, while another still renews the lease."""
    with Proxy(postgres.port, loss, b"the-lost-one") as proxy:
        address = make_conninfo(house_database.app, host="127.0.0.1", port=proxy.port)
        async with EngineHarness(Conninfos(house_database.owner, address), keys, Clock()) as house:
            await house.join()
            bet = house.bet(units=1)
            answer = await house.submit("the-lost-one", bet)
            assert proxy.lost.is_set()
            assert isinstance(answer, Refused)
            assert answer.refusal in NEVER_STORED
            await until(lambda: not house.engine.ready)
            await until(lambda: house.engine.ready)
            answers = [await house.submit("the-lost-one", bet) for _ in range(2)]
            assert {type(answer) for answer in answers} == {BetAccepted}
            assert placed(house.facts()) == ["the-lost-one"]
            audit(house.facts())


def appending(database: Conninfos) -> list[psutil.Process]:
    """The backends that have executed an append."""
    with psycopg.connect(database.owner) as connection:
        found = connection.execute(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid() AND query LIKE '%append_batch%'"
        ).fetchall()
    return [psutil.Process(pid) for (pid,) in found]


@driven
async def test_a_leader_whose_appending_backends_freeze_leads_again_while_they_are_frozen(
    house_database: Conninfos, keys: Path
) -> None:
    """No step of the next lead waits for a connection that no longer answers."""
    async with EngineHarness(house_database, keys, Clock()) as house:
        await house.join()
        bet = house.bet(units=1)
        for number in range(2 * APPEND_CONNECTIONS):
            await house.submit(f"before-{number}", bet)
        frozen = appending(house_database)
        assert len(frozen) >= APPEND_CONNECTIONS
        try:
            for process in frozen:
                process.suspend()
            house.send("while they are frozen", bet)
            await until(lambda: not house.engine.ready)
            await until(lambda: house.engine.ready)
            assert isinstance(await house.submit("a later one", bet), BetAccepted)
        finally:
            for process in frozen:
                process.resume()
        audit(house.facts())
