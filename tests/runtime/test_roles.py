"""A managed PostgreSQL at DATABASE_URL: its first role owns the database and is no superuser."""

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg.errors import InsufficientPrivilege

from engine.runtime.log import rights, schema
from engine.runtime.log.fact_log import FactLog, datastore
from engine.runtime.postgres.embedded_postgres import EmbeddedPostgres
from engine.runtime.postgres.embedded_postgres import database as open_database
from engine.runtime.postgres.files import PostgresError
from engine.schedule import DEFAULT_TIMEZONE
from projections.registry import read_models
from projections.runner.rebuild import rebuild
from projections.runner.runner import ProjectionRunner
from tests.projections.history import History

PASSWORD = "it's a password"
_QUOTED = PASSWORD.replace("'", "''")


@pytest.fixture
def server(data_dir: Path) -> Iterator[EmbeddedPostgres]:
    """A server that has none of our roles but the embedded server's own owner."""
    with EmbeddedPostgres(data_dir) as server:
        for role in ("fairdraw_app", "fairdraw_auditor"):
            execute(server.dsn("admin"), f"DROP OWNED BY {role}", f"DROP ROLE {role}")
        execute(
            server.dsn("admin"),
            f"CREATE ROLE house LOGIN CREATEROLE PASSWORD '{_QUOTED}'",
            "ALTER DATABASE fairdraw OWNER TO house",
        )
        yield server


def execute(conninfo: str, *statements: str) -> None:
    with psycopg.connect(conninfo, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def url(server: EmbeddedPostgres, role: str) -> str:
    return make_conninfo(
        server.dsn("admin", tcp=True), dbname="fairdraw", user=role, password=PASSWORD
    )


def run_as_one_role(conninfo: str) -> None:
    """A house whose only role appended a fact and built its read models."""
    schema.create(conninfo)
    with datastore(conninfo) as store:
        History(FactLog(store)).joins(1)
    with closing(ProjectionRunner(conninfo, read_models(DEFAULT_TIMEZONE))) as runner:
        runner.step()


def start(app: str, owner: str | None = None) -> None:
    """What the server does with its database outside demo mode."""
    with open_database(Path(), app, owner_url=owner) as conninfos:
        schema.create(conninfos.owner)
        rights.check(conninfos.app, demo=False)


def refusal(app: str, owner: str | None = None) -> str:
    with pytest.raises(PostgresError) as refused:
        start(app, owner)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_a_house_of_one_role_gets_the_others_and_keeps_its_log_and_read_models(
    server: EmbeddedPostgres,
) -> None:
    owner, app = url(server, "house"), url(server, "fairdraw_app")
    run_as_one_role(owner)
    assert "the role house of DATABASE_URL can change the log: it may create roles" in refusal(
        owner
    )
    models = read_models(DEFAULT_TIMEZONE)
    for _ in range(2):
        start(app, owner)
    with datastore(app) as store:
        log = FactLog(store)
        History(log).joins(2)
        assert log.last()[0] == 2
    with closing(ProjectionRunner(app, models)) as runner:
        runner.step()
        assert {model.position for model in runner.status()} == {2}
    assert rebuild(app, models, lambda _: None)
    with psycopg.connect(app) as connection, pytest.raises(InsufficientPrivilege):
        connection.execute("INSERT INTO log.facts SELECT * FROM log.facts")
    execute(owner, f"ALTER ROLE fairdraw_auditor PASSWORD '{_QUOTED}'")
    execute(url(server, "fairdraw_auditor"), "SELECT FROM views.positions", "SELECT FROM log.facts")
    start(app)  # the server need not have the owner's password


def test_an_owner_that_may_create_no_roles_gets_the_sql(server: EmbeddedPostgres) -> None:
    execute(server.dsn("admin"), "ALTER ROLE house NOCREATEROLE")
    owner, app = url(server, "house"), url(server, "fairdraw_app")
    run_as_one_role(owner)
    message = refusal(app, owner)
    assert "the role house of DATABASE_OWNER_URL may not make the other roles" in message
    _, _, recipe = message.partition("An administrator of the database can: ")
    execute(server.dsn("admin"), *re.findall("[^;]+;", recipe.replace("…", _QUOTED)))
    start(app, owner)
    execute(url(server, "fairdraw_auditor"), "SELECT FROM views.positions")
    execute(server.dsn("admin"), "REVOKE fairdraw_app FROM house")
    assert refusal(app, owner).endswith('can: GRANT fairdraw_app TO "house";')


def test_an_application_that_owned_the_log_gets_an_owner_by_the_message(
    server: EmbeddedPostgres,
) -> None:
    execute(
        server.dsn("admin"),
        f"CREATE ROLE fairdraw_app LOGIN PASSWORD '{_QUOTED}'",
        "CREATE ROLE fairdraw_auditor",
        "ALTER DATABASE fairdraw OWNER TO fairdraw_app",
        "DROP OWNED BY fairdraw_owner",
        "DROP ROLE fairdraw_owner",
    )
    app = url(server, "fairdraw_app")
    run_as_one_role(app)
    message = refusal(app)
    _, _, recipe = message.partition("can mend that: ")
    execute(server.dsn("admin"), *re.findall("[^;]+;", recipe.replace("…", _QUOTED)))
    start(app, url(server, "fairdraw_owner"))
    with closing(ProjectionRunner(app, read_models(DEFAULT_TIMEZONE))) as runner:
        runner.step()
        assert {model.position for model in runner.status()} == {1}


def test_an_owner_without_an_application_is_refused() -> None:
    message = refusal("", "postgresql://owner@db/house")
    assert message == "DATABASE_OWNER_URL is set without DATABASE_URL: set both or none"
