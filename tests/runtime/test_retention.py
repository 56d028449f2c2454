"""Expired rows are deleted in slices, and no row that is still needed."""

import psycopg
import pytest

from engine.answers import Refused
from engine.cashier.commands import ApproveDeposit, RequestDeposit
from engine.refusals import Refusal
from engine.runtime.log import retention
from engine.runtime.log.fact_log import FactLog
from engine.runtime.log.integrity import inspect
from engine.runtime.log.retention import DAY_US, SLICE, rules
from engine.runtime.postgres.embedded_postgres import Conninfos
from tests.runtime.audit import audit
from tests.runtime.house import PLAYER, EngineHarness, driven
from tests.runtime.test_log import deposits, with_outcome
from tests.runtime.vaults import Keeper

FUNDS = Refused(Refusal.FUNDS_INSUFFICIENT, "money")
NOW_US = 1_000 * DAY_US
ADD_BATCHES = (
    "INSERT INTO log.batches (batch, epoch, last_position, at)"
    " SELECT decode(lpad(to_hex(day * 10000 + row), 32, '0'), 'hex'), 1, 1000 - day,"
    " %(now)s - day * %(day)s"
    " FROM unnest(%(ages)s::bigint[]) AS day, generate_series(1, %(rows)s) AS row"
)
ADD_OUTCOMES = (
    "INSERT INTO log.outcomes (actor, key, command, answer, refused, at, without_fact)"
    " SELECT 'player-1', concat(day, ' ', row, ' ', refused), '', '', refused,"
    " %(now)s - day * %(day)s, NOT refused"
    " FROM unnest(%(ages)s::bigint[]) AS day, generate_series(1, %(rows)s) AS row,"
    " unnest(ARRAY[true, false]) AS refused"
)
WITHOUT_FACT = "SELECT key FROM log.outcomes WHERE without_fact AND actor LIKE 'player-%'"
AGES = {
    "batches": "SELECT DISTINCT (%s - at) / %s FROM log.batches ORDER BY 1",
    "answers": "SELECT DISTINCT (%s - at) / %s FROM log.outcomes WHERE NOT refused ORDER BY 1",
    "refusals": "SELECT DISTINCT (%s - at) / %s FROM log.outcomes WHERE refused ORDER BY 1",
}


def fill(database: Conninfos, *ages: int, rows: int = 1) -> None:
    """Insert batches, and outcomes without facts, of these ages in days."""
    values = {"now": NOW_US, "day": DAY_US, "ages": list(ages), "rows": rows}
    with psycopg.connect(database.owner) as connection:
        connection.execute(ADD_BATCHES, values)
        connection.execute(ADD_OUTCOMES, values)


def accept(log: FactLog, age: int, *keys: str) -> None:
    """Append acceptances of this age in days, with two facts each and one of no command between."""
    names = [name for key in keys for name in (key, "", key)]
    batch = deposits(*(f"{age} {key}" for key in names), at=NOW_US - age * DAY_US)
    batch.versions = [index + 1 for index, _ in enumerate(names)]
    batch.commands = names
    for key in keys:
        with_outcome(batch, key)
    log.append(batch)


def many(count: int) -> list[str]:
    return [f"key {number}" for number in range(count)]


def rows(database: Conninfos, query: str) -> list[tuple[object, ...]]:
    with psycopg.connect(database.owner) as connection:
        return connection.execute(query.encode()).fetchall()


def ages(database: Conninfos, kind: str) -> list[int]:
    """The ages in days of the stored rows, the youngest first."""
    with psycopg.connect(database.app) as connection:
        return [age for (age,) in connection.execute(AGES[kind].encode(), (NOW_US, DAY_US))]


def purge(database: Conninfos, answers_kept_days: int = 90, now: int = NOW_US) -> dict[str, int]:
    """Apply every rule once, as the application's role. Returns the rows deleted by each rule."""
    with psycopg.connect(database.app) as connection:
        return {rule.name: rule.purge(connection, now) for rule in rules(answers_kept_days)}


def test_each_kind_is_kept_for_its_time_and_no_longer(house_database: Conninfos) -> None:
    fill(house_database, 0, 1, 2, 30, 31, 90, 91, 400)
    assert purge(house_database) == {"refusals": 6, "answers": 2, "batches": 4, "sessions": 0}
    assert ages(house_database, "refusals") == [0, 1]
    assert ages(house_database, "answers") == [0, 1, 2, 30, 31, 90]
    assert ages(house_database, "batches") == [0, 1, 2, 30]


def test_the_operator_sets_how_long_answers_are_kept(house_database: Conninfos) -> None:
    fill(house_database, 0, 91, 400, 401)
    assert purge(house_database, 400)["answers"] == 1
    assert ages(house_database, "answers") == [0, 91, 400]


def test_many_rows_go_in_slices(house_database: Conninfos) -> None:
    fill(house_database, 0, 100, rows=2 * SLICE + 1)
    slices = [purge(house_database)["batches"] for _ in range(4)]
    assert slices == [SLICE, SLICE, 1, 0]


def test_a_wrong_clock_does_not_expire_rows_and_the_last_batch_stays(
    house_database: Conninfos,
) -> None:
    fill(house_database, 400)
    gone = purge(house_database, now=NOW_US + 5_000 * DAY_US)
    assert gone == {"refusals": 0, "answers": 0, "batches": 0, "sessions": 0}


def test_an_acceptance_is_found_through_the_log_until_the_first_that_is_young(
    house_database: Conninfos, log: FactLog
) -> None:
    for age in (400, 91, 90, 1):
        accept(log, age, f"key {age}")
    fill(house_database, 0)
    assert [purge(house_database)["answers"] for _ in range(2)] == [2, 0]
    assert ages(house_database, "answers") == [0, 1, 90]
    assert purge(house_database, 89)["answers"] == 1
    assert ages(house_database, "answers") == [0, 1]


def test_a_refusal_is_not_deleted_for_an_acceptance(
    house_database: Conninfos, log: FactLog
) -> None:
    accept(log, 100, "key")
    fill(house_database, 0)
    with psycopg.connect(house_database.owner) as connection:
        connection.execute("UPDATE log.outcomes SET refused = true")
        row = connection.execute(f"SELECT log.purge_outcomes(false, {DAY_US}, 9)").fetchone()
    assert row == (0,)


def test_acceptances_go_in_slices_with_and_without_facts(
    house_database: Conninfos, log: FactLog
) -> None:
    accept(log, 100, *many(2 * SLICE + 1))
    fill(house_database, 100, rows=3)
    fill(house_database, 0)
    slices = [purge(house_database)["answers"] for _ in range(4)]
    assert slices == [SLICE, SLICE, 4, 0]


def test_many_facts_of_no_command_do_not_end_a_purge(
    house_database: Conninfos, log: FactLog
) -> None:
    accept(log, 100, "first")
    between = deposits(*many(3_000), at=NOW_US - 100 * DAY_US)
    between.commands = [""] * 3_000
    log.append(between)
    accept(log, 99, "last")
    fill(house_database, 0)
    assert purge(house_database)["answers"] == 2


def test_an_interrupted_purge_continues_where_it_stopped(
    house_database: Conninfos, log: FactLog
) -> None:
    accept(log, 100, *many(2 * SLICE))
    fill(house_database, 0)
    position = "SELECT position FROM log.purged"
    (_, answers, *_) = rules(90)
    assert purge(house_database)["answers"] == SLICE
    reached = rows(house_database, position)
    assert reached != [(0,)]
    with psycopg.connect(house_database.app) as connection:
        assert answers.purge(connection, NOW_US) == SLICE
        connection.rollback()
    assert rows(house_database, position) == reached
    assert purge(house_database)["answers"] == SLICE
    assert ages(house_database, "answers") == [0]


def test_a_key_used_again_after_its_purge_keeps_its_new_answer(
    house_database: Conninfos, log: FactLog
) -> None:
    accept(log, 101, "key")
    fill(house_database, 10)
    assert purge(house_database)["answers"] == 1
    accept(log, 10, "key")
    with psycopg.connect(house_database.owner) as connection:
        connection.execute("UPDATE log.purged SET position = 0")
    assert purge(house_database)["answers"] == 0
    fill(house_database, -90)
    assert purge(house_database, answers_kept_days=99)["answers"] == 2
    assert ages(house_database, "answers") == [-90]


def test_a_purge_reads_no_table_as_a_whole(house_database: Conninfos, log: FactLog) -> None:
    accept(log, 100, *many(10))
    accept(log, 1, *(f"young {key}" for key in many(10)))
    fill(house_database, 0)
    with psycopg.connect(house_database.app) as connection:
        for rule in rules(90)[:2]:
            rule.purge(connection, NOW_US)
        found = connection.execute(
            "SELECT relname::text, seq_scan FROM pg_stat_xact_user_tables"
            " WHERE relname IN ('facts', 'outcomes') ORDER BY 1"
        ).fetchall()
    assert found == [("facts", 0), ("outcomes", 0)]


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT log.purge_outcomes(true, 0, 1000)",
        "SELECT log.purge_outcomes(false, -99, 1000)",
        "SELECT log.purge_batches(0, 1000)",
    ],
)
def test_the_application_cannot_purge_the_last_day(
    house_database: Conninfos, log: FactLog, statement: str
) -> None:
    accept(log, 1, "key")
    fill(house_database, 0, 1)
    with psycopg.connect(house_database.app) as connection:
        assert connection.execute(statement.encode()).fetchone() == (0,)


@pytest.mark.parametrize("table", ["outcomes", "batches", "facts", "purged"])
def test_the_application_deletes_from_the_log_in_no_other_way(
    house_database: Conninfos, table: str
) -> None:
    with (
        psycopg.connect(house_database.app) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute(f"DELETE FROM log.{table}".encode())


def test_a_session_unused_for_long_is_deleted(keeper: Keeper) -> None:
    player = keeper.join()
    old = keeper.sessions.open(player)
    keeper.clock.now += retention.SESSION_RETENTION_US
    expired = keeper.sessions.open(player)
    keeper.clock.now += 1
    fresh = keeper.sessions.open(player)
    assert purge(keeper.conninfos, now=keeper.clock.now)["sessions"] == 1
    sessions = keeper.restarted()
    for token in (old, expired, fresh):
        sessions.load(token)
    assert [sessions.recognise(token) == player for token in (old, expired, fresh)] == [
        False,
        True,
        True,
    ]


@driven
async def test_a_repeat_gets_its_first_answer_until_the_purge_and_the_log_stays_intact(
    house: EngineHarness,
) -> None:
    async with house:
        await house.join(units=1)
        bet = house.bet()
        assert await house.submit("key", bet) == FUNDS
        gift = ApproveDeposit(PLAYER, "d-1", "bank", 100_000, "")
        approved = await house.submit("gift", gift)
        house.clock.forward(24 * 3600 - 1)
        await house.submit("later", ApproveDeposit(PLAYER, "d-2", "bank", 100, ""))
        assert purge(house.conninfos)["refusals"] == 0
        await house.engine.evict_outcomes()
        assert await house.submit("key", bet) == FUNDS

        house.clock.forward(2)
        await house.submit("latest", ApproveDeposit(PLAYER, "d-3", "bank", 100, ""))
        assert purge(house.conninfos)["refusals"] == 1
        await house.engine.evict_outcomes()

        assert await house.submit("key", bet) != FUNDS
        assert await house.submit("gift", gift) == approved
        house.clock.forward(31 * 24 * 3600)
        await house.submit("month", ApproveDeposit(PLAYER, "d-4", "bank", 100, ""))
        assert purge(house.conninfos)["batches"] > 0
        audit(house.facts())
        assert not inspect(house.engine._read_log).damage


@driven
async def test_an_acceptance_that_changed_nothing_is_deleted_with_the_others(
    house: EngineHarness,
) -> None:
    """The log has no fact of it."""
    async with house:
        await house.join()
        request = RequestDeposit(PLAYER, "d-1", "bank", 10_000, "")
        for key in ("first", "again"):
            assert not isinstance(await house.submit(key, request), Refused)
        assert [each.command_id for each in house.facts()].count("again") == 0
        assert rows(house.conninfos, WITHOUT_FACT) == [("again",)]
        house.clock.forward(90 * 24 * 3600)
        await house.submit("later", ApproveDeposit(PLAYER, "d-2", "bank", 100, ""))
        assert purge(house.conninfos)["answers"] == 0
        house.clock.forward(1)
        await house.submit("latest", ApproveDeposit(PLAYER, "d-3", "bank", 100, ""))
        purge(house.conninfos)
        kept = [key for (key,) in rows(house.conninfos, "SELECT key FROM log.outcomes")]
        assert not {"first", "again"} & {*kept}
        assert {"later", "latest"} <= {*kept}


@driven
async def test_a_cut_tail_is_still_noticed_after_a_purge(house: EngineHarness) -> None:
    async with house:
        await house.join(units=1)
        house.clock.forward(31 * 24 * 3600)
        await house.submit("later", ApproveDeposit(PLAYER, "d-2", "bank", 100, ""))
        assert purge(house.conninfos)["batches"] > 0
        with psycopg.connect(house.conninfos.owner) as connection:
            connection.execute("ALTER TABLE log.facts DISABLE TRIGGER facts_append_only")
            connection.execute(
                "DELETE FROM log.facts WHERE notification_id ="
                " (SELECT max(notification_id) FROM log.facts)"
            )
        (damage,) = inspect(house.engine._read_log).damage
        assert "1 batches" in damage
