"""What the application's role and the auditor's can do, and which role the server refuses."""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from psycopg.errors import InsufficientPrivilege
from structlog.testing import capture_logs

from engine.runtime.log import rights, schema
from engine.runtime.log.fact_log import FactLog, datastore
from engine.runtime.postgres.embedded_postgres import Conninfos, EmbeddedPostgres
from engine.runtime.postgres.files import PostgresError
from engine.schedule import DEFAULT_TIMEZONE
from projections.registry import read_models
from projections.runner.rebuild import rebuild
from projections.runner.runner import ProjectionRunner
from tests.projections.history import History
from tests.runtime.test_log import deposits
from tests.runtime.test_migrations import create_unnumbered

APPEND = "SELECT log.append_batch(NULL, '', 0, NULL, {}, {})".format(
    "'{player-1}', '{1}', '{topic}', '{state}', '{key}', '{clerk}'", ", ".join(["'{}'"] * 5)
)
GROUP = f"group_{os.getpid()}"  # roles belong to the server that all workers share
Execute = Callable[[str], None]


@pytest.fixture
def admin(postgres: EmbeddedPostgres, house_database: Conninfos) -> Iterator[Execute]:
    """Executes statements as a superuser; a group of the test's own is dropped afterwards."""
    name = str(conninfo_to_dict(house_database.app)["dbname"])
    with psycopg.connect(postgres.dsn("admin", name), autocommit=True) as connection:

        def execute(statement: str) -> None:
            connection.execute(statement.encode())

        execute(f"CREATE ROLE {GROUP}")
        yield execute
        execute(f"REASSIGN OWNED BY {GROUP} TO fairdraw_owner")
        execute(f"DROP OWNED BY {GROUP}")
        execute(f"DROP ROLE {GROUP}")


def refusal(conninfo: str) -> str:
    """The error message for a role outside demo mode."""
    with pytest.raises(PostgresError) as refused:
        rights.check(conninfo, demo=False)
    message = str(refused.value)
    assert "\n" not in message
    return message


# The application's role


def test_the_applications_role_has_no_right_in_excess(house_database: Conninfos) -> None:
    with capture_logs() as logs:
        rights.check(house_database.app, demo=False)
        rights.check(house_database.app, demo=True)
    assert logs == []


@pytest.mark.parametrize(
    ("grants", "named"),
    [
        (["GRANT INSERT ON log.facts TO fairdraw_app"], "has INSERT on log.facts"),
        (["GRANT INSERT ON log.facts TO PUBLIC"], "has INSERT on log.facts"),
        (["GRANT INSERT (state) ON log.facts TO fairdraw_app"], "has INSERT on log.facts"),
        (["GRANT UPDATE (at) ON log.facts TO fairdraw_app"], "has UPDATE on log.facts"),
        (
            ["GRANT DELETE, TRUNCATE, TRIGGER ON log.facts TO fairdraw_app"],
            "has DELETE, TRIGGER, TRUNCATE on log.facts",
        ),
        (["GRANT INSERT ON log.outcomes TO fairdraw_app"], "has INSERT on log.outcomes"),
        (["GRANT UPDATE ON log.purged TO fairdraw_app"], "has UPDATE on log.purged"),
        (["GRANT CREATE ON SCHEMA log TO fairdraw_app"], "has CREATE on schema log"),
        (
            ["GRANT INSERT ON log.facts TO A_GROUP", "GRANT A_GROUP TO fairdraw_app"],
            "is a member of A_GROUP, which has INSERT on log.facts",
        ),
        (
            [
                "GRANT DELETE ON log.facts TO A_GROUP",
                "GRANT A_GROUP TO fairdraw_app WITH INHERIT FALSE",
            ],
            "is a member of A_GROUP, which has DELETE on log.facts",
        ),
        (
            ["ALTER TABLE log.facts OWNER TO A_GROUP", "GRANT A_GROUP TO fairdraw_app"],
            "is a member of A_GROUP, which owns log.facts",
        ),
        (
            ["ALTER FUNCTION log.append_batch OWNER TO A_GROUP", "GRANT A_GROUP TO fairdraw_app"],
            "is a member of A_GROUP, which owns log.append_batch",
        ),
        (
            ["ALTER SCHEMA log OWNER TO A_GROUP", "GRANT A_GROUP TO fairdraw_app"],
            "is a member of A_GROUP, which owns the schema log",
        ),
    ],
)
def test_a_right_in_excess_is_named_and_the_message_mends_it(
    house_database: Conninfos, admin: Execute, grants: list[str], named: str
) -> None:
    for statement in grants:
        admin(statement.replace("A_GROUP", GROUP))
    message = refusal(house_database.app)
    assert "the role fairdraw_app of DATABASE_URL can change the log: it " in message
    assert named.replace("A_GROUP", GROUP) in message
    for statement in re.findall(r"REVOKE [^;]+;", message):
        admin(statement)
    rights.check(house_database.app, demo=False)


def test_a_group_without_rights_over_the_log_is_left_alone(
    house_database: Conninfos, admin: Execute
) -> None:
    admin(f"GRANT SELECT ON log.facts TO {GROUP}")
    admin(f"GRANT {GROUP} TO fairdraw_app")
    rights.check(house_database.app, demo=False)


def test_the_owner_is_refused_and_the_message_says_how_to_make_the_roles(
    house_database: Conninfos,
) -> None:
    message = refusal(house_database.owner)
    assert "the role fairdraw_owner of DATABASE_URL can change the log: it owns" in message
    assert "log.facts" in message
    assert "CREATE ROLE fairdraw_app LOGIN PASSWORD '…';" in message
    assert 'GRANT fairdraw_app TO "fairdraw_owner";' in message
    assert "DATABASE_OWNER_URL is the connection string of fairdraw_owner" in message


def test_a_superuser_is_refused(postgres: EmbeddedPostgres, house_database: Conninfos) -> None:
    name = str(conninfo_to_dict(house_database.app)["dbname"])
    assert "it is a superuser. Outside demo mode" in refusal(postgres.dsn("admin", name))


def test_a_role_that_may_create_roles_is_refused(
    postgres: EmbeddedPostgres, house_database: Conninfos, admin: Execute
) -> None:
    """Before PostgreSQL 16 it can make itself a member of the owner's role."""
    admin(f"ALTER ROLE {GROUP} LOGIN CREATEROLE PASSWORD 'x'")
    admin(f"GRANT fairdraw_app TO {GROUP}")
    name = str(conninfo_to_dict(house_database.app)["dbname"])
    login = psycopg.conninfo.make_conninfo(postgres.dsn("app", name), user=GROUP, password="x")
    assert f"the role {GROUP} of DATABASE_URL can change the log: it may create roles" in refusal(
        login
    )


def test_a_demo_starts_with_such_a_role_and_logs_one_warning(house_database: Conninfos) -> None:
    with capture_logs() as logs:
        rights.check(house_database.owner, demo=True)
    (warning,) = logs
    assert (warning["log_level"], warning["role"]) == ("warning", "fairdraw_owner")
    assert "log.facts" in warning["why"]


@pytest.mark.parametrize("demo", [True, False])
def test_a_role_that_cannot_append_is_refused(house_database: Conninfos, *, demo: bool) -> None:
    assert house_database.auditor
    with pytest.raises(PostgresError, match="fairdraw_auditor of DATABASE_URL may not append"):
        rights.check(house_database.auditor, demo=demo)


def test_a_house_of_an_earlier_program_gets_the_rights_at_the_next_start(
    database: Conninfos,
) -> None:
    create_unnumbered(database.owner)
    with psycopg.connect(database.owner) as connection:
        connection.execute("ALTER FUNCTION log.append_batch SECURITY INVOKER")
        connection.execute("ALTER FUNCTION log.append_batch RESET ALL")
    assert "has INSERT on log.facts" in refusal(database.app)
    with datastore(database.app) as store:
        log = FactLog(store)
        log.append(deposits("player-1"))
        schema.create(database.owner)
        rights.check(database.app, demo=False)
        log.append(deposits("player-2"))
        assert log.last() == (2, 1_000)


# Other roles


def test_only_the_owner_and_the_application_may_append(house_database: Conninfos) -> None:
    granted = (
        "SELECT proname::text, array_agg(coalesce(rolname::text, 'PUBLIC') ORDER BY rolname)"
        " FROM pg_proc"
        " LEFT JOIN aclexplode(coalesce(proacl, acldefault('f', proowner))) ON true"
        " LEFT JOIN pg_roles ON pg_roles.oid = grantee"
        " WHERE prosecdef AND pronamespace::regnamespace::text !~ '^pg_|^information_schema$'"
        " GROUP BY 1 ORDER BY 1"
    )
    roles = ["fairdraw_app", "fairdraw_owner"]
    with psycopg.connect(house_database.owner) as connection:
        found = connection.execute(granted.encode()).fetchall()
    # Each of these has its owner's rights, so another one could be a second way into the log.
    assert found == [
        ("append_batch", roles),
        ("purge_batches", roles),
        ("purge_outcomes", roles),
    ]


def test_a_role_without_grants_neither_appends_nor_reads(
    postgres: EmbeddedPostgres, house_database: Conninfos, admin: Execute
) -> None:
    admin(f"ALTER ROLE {GROUP} LOGIN PASSWORD 'x'")
    name = str(conninfo_to_dict(house_database.app)["dbname"])
    admin(f"GRANT CONNECT ON DATABASE {name} TO {GROUP}")
    login = psycopg.conninfo.make_conninfo(postgres.dsn("app", name), user=GROUP, password="x")
    with psycopg.connect(login, autocommit=True) as connection:
        for statement in (*FORBIDDEN, "SELECT FROM log.facts", "SELECT FROM views.positions"):
            with pytest.raises(InsufficientPrivilege):
                connection.execute(statement.encode())


# The auditor's role


@pytest.fixture
def audited(database: Conninfos) -> str:
    """The auditor's connection to a house with a fact and its read models, one of them rebuilt."""
    schema.create(database.owner)
    models = read_models(DEFAULT_TIMEZONE)
    with datastore(database.app) as store:
        History(FactLog(store)).joins(1)
    with closing(ProjectionRunner(database.app, models)) as runner:
        runner.step()
    assert rebuild(database.app, models[:1], lambda _: None)
    assert database.auditor
    return database.auditor


def test_the_auditor_reads_all_tables_but_the_vault(audited: str) -> None:
    query = (
        "SELECT schemaname::text, count(*) FILTER (WHERE NOT has_table_privilege("
        "format('%I.%I', schemaname, tablename), 'SELECT')) FROM pg_tables"
        " WHERE schemaname IN ('log', 'content', 'views') GROUP BY 1 ORDER BY 1"
    )
    with psycopg.connect(audited) as connection:
        assert connection.execute(query).fetchall() == [("content", 0), ("log", 0), ("views", 0)]


FORBIDDEN = [
    "SELECT FROM vault.members",
    "SELECT FROM vault.member_keys",
    "INSERT INTO log.facts SELECT * FROM log.facts",
    "UPDATE log.facts SET at = 0",
    "DELETE FROM log.facts",
    "TRUNCATE log.facts",
    "UPDATE log.lease SET epoch = epoch + 1",
    "DELETE FROM log.checkpoints",
    "SELECT log.purge_batches(0, 1000)",
    APPEND,
    "DELETE FROM views.positions",
    "CREATE TABLE views.mine ()",
    "CREATE TABLE log.mine ()",
    "DELETE FROM content.texts",
    "SET ROLE fairdraw_app",
    "SET ROLE fairdraw_owner",
]


def test_the_auditor_writes_nothing_and_does_not_read_the_vault(audited: str) -> None:
    with psycopg.connect(audited, autocommit=True) as connection:
        for statement in FORBIDDEN:
            with pytest.raises(InsufficientPrivilege):
                connection.execute(statement.encode())


def test_the_passwords_of_an_earlier_program_get_the_auditors(data_dir: Path) -> None:
    with EmbeddedPostgres(data_dir) as server:
        before = server.conninfos()
    record = data_dir / "postgres.json"
    record.write_text(re.sub(r',\s*"auditor_password": "[^"]+"', "", record.read_text()))
    assert "auditor" not in record.read_text()
    with EmbeddedPostgres(data_dir) as server:
        after = server.conninfos()
        with psycopg.connect(server.dsn("admin")) as connection:
            connection.execute("DROP OWNED BY fairdraw_auditor")
            connection.execute("DROP ROLE fairdraw_auditor")
    assert (after.owner, after.app) == (before.owner, before.app)
    with EmbeddedPostgres(data_dir) as server:
        assert server.conninfos() == after
        assert after.auditor
        psycopg.connect(after.auditor).close()
