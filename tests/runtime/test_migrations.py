"""The schema's migrations on a real server: what is applied, adopted and refused."""

import shutil
import subprocess
import threading
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from engine.runtime.log import schema
from engine.runtime.log.fact_log import FactLog, datastore
from engine.runtime.postgres.embedded_postgres import Conninfos, EmbeddedPostgres
from engine.runtime.postgres.files import PostgresError
from tests.databases import new_database
from tests.runtime.test_log import deposits, with_outcome

RELEASED = sorted(schema._MIGRATIONS.glob("*.sql"))
NEXT = len(RELEASED) + 1
UNNUMBERED = Path(__file__).with_name("unnumbered_schema.sql")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the released migrations, which a test may change."""
    copy = tmp_path / "migrations"
    shutil.copytree(schema._MIGRATIONS, copy)
    monkeypatch.setattr(schema, "_MIGRATIONS", copy)
    return copy


def add(folder: Path, number: int, sql: str) -> Path:
    file = folder / f"{number:04}_test.sql"
    file.write_text(sql)
    return file


def rows(conninfo: str, query: str) -> list[tuple[object, ...]]:
    with psycopg.connect(conninfo) as connection:
        return connection.execute(query.encode()).fetchall()


def applied(conninfo: str) -> list[tuple[object, ...]]:
    return rows(conninfo, "SELECT number, name, sha256 FROM log.migrations ORDER BY number")


def released() -> list[tuple[object, ...]]:
    return [
        (number, file.name, sha256(file.read_bytes()).hexdigest())
        for number, file in enumerate(RELEASED, 1)
    ]


def create_unnumbered(conninfo: str) -> None:
    """What the last program without numbered migrations did at every start."""
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA IF NOT EXISTS log")
        with datastore(conninfo) as store:
            FactLog(store).create_table()
        connection.execute(UNNUMBERED.read_bytes())


def create_up_to(conninfo: str, last: int) -> None:
    """What an earlier program did at its first start, with an append function of its own."""
    with psycopg.connect(conninfo, autocommit=True) as connection, datastore(conninfo) as store:
        connection.execute(schema._TABLE)
        FactLog(store).create_table()
        connection.execute("DROP FUNCTION log.append_batch")
        connection.execute(
            "CREATE FUNCTION log.append_batch("
            " new_epoch bigint, new_batch bytea, now_at bigint, base bigint,"
            " streams text[], versions bigint[], topics text[], states bytea[],"
            " commands text[], actors text[],"
            " outcome_actors text[], outcome_keys text[], outcome_commands bytea[],"
            " outcome_answers bytea[], outcome_refused bigint[])"
            " RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT 0'"
        )
        for number, file in enumerate(RELEASED[:last], 1):
            connection.execute(file.read_bytes())
            connection.execute(schema._RECORD, (number, file.name, schema._hash(file)))
        connection.execute("GRANT USAGE ON SCHEMA log TO fairdraw_app")
        connection.execute("GRANT SELECT ON log.migrations TO fairdraw_app")


def dump(postgres: EmbeddedPostgres, conninfo: str) -> str:
    """Every object of the database with its owner and grants, as pg_dump writes them."""
    return subprocess.run(
        [postgres.bin("pg_dump"), "--schema-only", "--restrict-key=test", conninfo],
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_a_fresh_database_records_each_migration(database: Conninfos) -> None:
    schema.create(database.owner)
    assert applied(database.owner) == released()


def test_the_files_are_numbered_without_gaps() -> None:
    assert [int(file.name.partition("_")[0]) for file in RELEASED] == list(range(1, NEXT))


def test_a_second_start_applies_nothing(database: Conninfos) -> None:
    query = "SELECT number, applied_at FROM log.migrations"
    schema.create(database.owner)
    first = rows(database.owner, query)
    schema.create(database.owner)
    assert rows(database.owner, query) == first


@pytest.mark.parametrize("lock", ["ROW EXCLUSIVE", "SHARE UPDATE EXCLUSIVE"])
def test_a_start_waits_for_no_append_and_no_vacuum(database: Conninfos, lock: str) -> None:
    schema.create(database.owner)
    impatient = make_conninfo(database.owner, options="-c lock_timeout=500")
    with psycopg.connect(database.owner) as other:
        other.execute(f"LOCK TABLE log.facts IN {lock} MODE".encode())
        schema.create(impatient)


def test_a_database_from_before_the_numbers_is_adopted_with_its_rows(database: Conninfos) -> None:
    create_unnumbered(database.owner)
    with datastore(database.app) as store:
        FactLog(store).append(deposits("player-1"))
    tables = ("log.facts", "log.outcomes", "log.batches", "log.lease")
    before = [rows(database.owner, f"SELECT row::text FROM {table} AS row") for table in tables]
    schema.create(database.owner)
    assert applied(database.owner) == released()
    after = [rows(database.owner, f"SELECT row::text FROM {table} AS row") for table in tables]
    assert after == before
    assert before[0]


def test_an_adopted_database_has_the_schema_of_a_fresh_one(
    postgres: EmbeddedPostgres, database: Conninfos
) -> None:
    create_unnumbered(database.owner)
    schema.create(database.owner)
    with new_database(postgres) as fresh:
        schema.create(fresh.owner)
        assert dump(postgres, database.owner) == dump(postgres, fresh.owner)


def test_a_database_of_the_program_before_is_migrated_to_the_schema_of_a_fresh_one(
    postgres: EmbeddedPostgres, database: Conninfos
) -> None:
    create_up_to(database.owner, 4)
    pending = ", ".join(file.name for file in RELEASED[4:])
    assert f"{pending}, log.append_batch must be applied" in refusal(database.app)
    schema.create(database.owner)
    with datastore(database.app) as store:
        FactLog(store).append(with_outcome(deposits("player-1"), "key"))
    with new_database(postgres) as fresh:
        schema.create(fresh.owner)
        assert dump(postgres, database.owner) == dump(postgres, fresh.owner)


KEPT = "SELECT key FROM log.outcomes ORDER BY 1"
# Facts of days 1 to 5, acceptances since day 3; "alone" recorded no fact, nor did the
# second acceptance of "again", whose first one has been purged.
OLD_FACTS = (
    "INSERT INTO log.facts SELECT 'stream', n, '', '', n, n * 86400000000, key, 'clerk'"
    " FROM unnest(ARRAY['', '', 'old', 'again', 'young']) WITH ORDINALITY AS facts (key, n)"
)
OLD_OUTCOMES = (
    "INSERT INTO log.outcomes SELECT 'clerk', key, '', '', refused, n * 86400000000 FROM (VALUES"
    " ('old', 3, false), ('alone', 3, false), ('again', 5, false), ('young', 5, false),"
    " ('refused', 1, true)) AS outcomes (key, n, refused)"
)


def test_a_purge_after_the_migration_finds_the_acceptances_of_the_program_before(
    database: Conninfos,
) -> None:
    create_up_to(database.owner, 4)
    with psycopg.connect(database.owner) as connection:
        connection.execute(OLD_FACTS)
        connection.execute(OLD_OUTCOMES)
    schema.create(database.owner)
    without_fact = "SELECT key FROM log.outcomes WHERE without_fact ORDER BY 1"
    assert rows(database.owner, without_fact) == [("again",), ("alone",)]
    assert rows(database.owner, "SELECT position FROM log.purged") == [(2,)]
    purge_at(database, 4.5)
    assert rows(database.owner, KEPT) == [("again",), ("refused",), ("young",)]
    purge_at(database, 6.5)
    assert rows(database.owner, KEPT) == [("refused",)]


def purge_at(database: Conninfos, days: float) -> None:
    """Delete the acceptances that are older than a day."""
    with psycopg.connect(database.owner) as connection:
        connection.execute(
            "INSERT INTO log.batches VALUES (%s, 0, 0, %s * 86400000000)", (str(days), days)
        )
    rows(database.app, "SELECT log.purge_outcomes(false, 0, 100)")


@pytest.mark.parametrize("facts", [0, 5])
def test_a_database_without_acceptances_is_purged_from_its_last_fact(
    database: Conninfos, facts: int
) -> None:
    create_up_to(database.owner, 4)
    with psycopg.connect(database.owner) as connection:
        connection.execute(f"{OLD_FACTS} LIMIT {facts}".encode())
    schema.create(database.owner)
    assert rows(database.owner, "SELECT position FROM log.purged") == [(facts,)]


def test_the_topics_of_an_older_log_are_listed_with_their_first_positions(
    database: Conninfos,
) -> None:
    create_up_to(database.owner, 6)
    with psycopg.connect(database.owner) as connection:
        connection.execute(
            "INSERT INTO log.facts SELECT 'stream', n, topic, '', n, 0, '', ''"
            " FROM unnest(ARRAY['a.1', 'b.1', 'a.1', 'a.2', 'b.1'])"
            " WITH ORDINALITY AS new (topic, n)"
        )
    schema.create(database.owner)
    listed = rows(database.app, "SELECT topic, first_position FROM log.topics ORDER BY 1")
    assert listed == [("a.1", 1), ("a.2", 4), ("b.1", 2)]


def test_a_new_migration_is_applied_once(database: Conninfos, folder: Path) -> None:
    schema.create(database.owner)
    add(folder, NEXT, "CREATE TABLE vault.added (); INSERT INTO vault.added DEFAULT VALUES")
    schema.create(database.owner)
    schema.create(database.owner)
    assert rows(database.app, "SELECT count(*) FROM vault.added") == [(1,)]


def test_migrations_run_in_the_order_of_their_numbers(database: Conninfos, folder: Path) -> None:
    add(folder, NEXT + 1, "INSERT INTO vault.added VALUES (1)")
    add(folder, NEXT, "CREATE TABLE vault.added (id int)")
    schema.create(database.owner)
    assert rows(database.owner, "SELECT id FROM vault.added") == [(1,)]


def test_a_failed_migration_leaves_nothing_and_is_tried_again(
    database: Conninfos, folder: Path
) -> None:
    file = add(folder, NEXT, "CREATE TABLE vault.added (); SELECT 1 / 0")
    with pytest.raises(psycopg.errors.DivisionByZero):
        schema.create(database.owner)
    assert applied(database.owner) == released()
    file.write_text("CREATE TABLE vault.added ()")
    schema.create(database.owner)
    assert len(applied(database.owner)) == NEXT


def test_a_migration_of_a_newer_program_is_refused(database: Conninfos, folder: Path) -> None:
    file = add(folder, NEXT, "CREATE TABLE vault.added ()")
    schema.create(database.owner)
    file.unlink()
    with pytest.raises(PostgresError, match=rf"{file.name}.* start the newer program"):
        schema.create(database.owner)


def test_a_changed_file_is_refused(database: Conninfos, folder: Path) -> None:
    schema.create(database.owner)
    file = folder / RELEASED[0].name
    file.write_text(file.read_text() + "-- changed\n")
    with pytest.raises(PostgresError, match=rf"{file.name} has changed .* put the released file"):
        schema.create(database.owner)


def test_a_refused_start_changes_nothing(
    postgres: EmbeddedPostgres, database: Conninfos, folder: Path
) -> None:
    file = add(folder, NEXT, "CREATE TABLE vault.newer ()")
    schema.create(database.owner)
    with psycopg.connect(database.owner) as connection:
        connection.execute("ALTER FUNCTION log.append_batch COST 7")
    file.unlink()
    add(folder, NEXT + 1, "CREATE TABLE vault.added ()")
    before = dump(postgres, database.owner)
    with pytest.raises(PostgresError):
        schema.create(database.owner)
    assert dump(postgres, database.owner) == before


def test_a_role_that_does_not_own_the_log_starts_if_nothing_is_pending(
    postgres: EmbeddedPostgres, database: Conninfos
) -> None:
    schema.create(database.owner)
    before = dump(postgres, database.owner)
    schema.create(database.app)
    assert dump(postgres, database.owner) == before


def refusal(conninfo: str) -> str:
    with pytest.raises(PostgresError) as refused:
        schema.create(conninfo)
    message = str(refused.value)
    assert "the role fairdraw_app cannot bring the database up to date" in message
    assert "with the owner of the tables in DATABASE_OWNER_URL" in message
    return message


def test_a_pending_migration_needs_the_owner(database: Conninfos, folder: Path) -> None:
    schema.create(database.owner)
    file = add(folder, NEXT, "CREATE TABLE vault.added ()")
    assert f"({file.name} must be applied)" in refusal(database.app)
    schema.create(database.owner)
    schema.create(database.app)


@pytest.mark.parametrize(
    "change",
    [
        "ALTER FUNCTION log.append_batch SECURITY INVOKER",
        "DROP FUNCTION log.append_batch",
        "UPDATE pg_proc SET prosrc = 'another' WHERE proname = 'append_batch'",
    ],
)
def test_the_append_function_of_another_program_needs_the_owner(
    postgres: EmbeddedPostgres, database: Conninfos, change: str
) -> None:
    schema.create(database.owner)
    name = str(conninfo_to_dict(database.owner)["dbname"])
    with psycopg.connect(postgres.dsn("admin", name)) as connection:
        connection.execute(change.encode())
    assert "(log.append_batch must be applied)" in refusal(database.app)


def test_a_new_database_needs_the_owner(database: Conninfos) -> None:
    assert "permission denied for database" in refusal(database.app)


def test_a_database_from_before_the_numbers_needs_the_owner(database: Conninfos) -> None:
    create_unnumbered(database.owner)
    assert ", ".join(file.name for file in RELEASED) in refusal(database.app)


@pytest.mark.parametrize("prepare", [lambda _: None, create_unnumbered])
def test_two_starts_at_once_apply_each_migration_once(
    database: Conninfos, folder: Path, prepare: Callable[[str], None]
) -> None:
    prepare(database.owner)
    add(folder, NEXT, "CREATE TABLE vault.added (); INSERT INTO vault.added DEFAULT VALUES")
    failures = list[Exception]()
    barrier = threading.Barrier(4)

    def start() -> None:
        try:
            barrier.wait()
            schema.create(database.owner)
        except Exception as error:  # noqa: BLE001 - asserted below, in the test's own thread
            failures.append(error)

    starts = [threading.Thread(target=start) for _ in range(barrier.parties)]
    for each in starts:
        each.start()
    for each in starts:
        each.join()
    assert not failures
    assert rows(database.owner, "SELECT count(*) FROM vault.added") == [(1,)]
