"""The roles of a database that DATABASE_URL names.

The owner of DATABASE_OWNER_URL has the tables. `fairdraw_app` is the application's role, and
`fairdraw_auditor` reads all but the vault. The owner is a member of `fairdraw_app`, so that it can
hand read models over and grant them to the auditor. The opposite would undo the separation.

A superuser is not needed: a managed PostgreSQL lets its first role create others.
"""

from collections.abc import Iterable
from itertools import compress
from typing import Final

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.sql import SQL, Composable, Composed, Identifier, Literal

from engine.runtime.postgres.files import ROLE_NAMES, PostgresError

APP: Final = ROLE_NAMES["app"]
AUDITOR: Final = ROLE_NAMES["auditor"]
_APP: Final = SQL("CREATE ROLE fairdraw_app LOGIN{}")
_AUDITOR: Final = SQL("CREATE ROLE fairdraw_auditor LOGIN{}")
_MEMBER: Final = SQL("GRANT fairdraw_app TO {}")
_CONNECT: Final = SQL("GRANT CONNECT ON DATABASE {} TO fairdraw_app, fairdraw_auditor")
_EXAMPLE: Final = SQL(" PASSWORD '…'")
# USAGE and not MEMBER: the creator of a role is at first a member without its rights.
_STATE: Final = (
    "SELECT app.oid IS NOT NULL, auditor.oid IS NOT NULL,"
    " coalesce(pg_has_role(current_user, app.oid, 'USAGE'), false),"
    " coalesce(has_database_privilege(app.oid, current_database(), 'CONNECT'), false),"
    " current_user::text, current_database()::text"
    " FROM (VALUES (%s::name, %s::name)) AS named (app, auditor)"
    " LEFT JOIN pg_roles AS app ON app.rolname = named.app"
    " LEFT JOIN pg_roles AS auditor ON auditor.rolname = named.auditor"
)


def create_missing(owner: str, app: str) -> None:
    """Create the roles that are missing, as the owner.

    The application's role gets the password of the connection string `app`. The auditor gets none,
    so it cannot log in with a password before an administrator sets one.

    Raises:
        PostgresError: the owner may not create them; the message has the SQL for an administrator.
    """
    with psycopg.connect(owner) as connection:
        connection.execute("SELECT pg_advisory_xact_lock(hashtext('fairdraw roles'))")
        row = connection.execute(_STATE, (APP, AUDITOR)).fetchone()
        assert row is not None
        *done, name, dbname = row
        pending = [not each for each in done]
        passwords = _password(connection, app), SQL("")
        try:
            for statement in compress(_statements(name, dbname, *passwords), pending):
                connection.execute(statement)
        except psycopg.errors.InsufficientPrivilege:
            needed = _joined(compress(_statements(name, dbname, _EXAMPLE, _EXAMPLE), pending))
            raise PostgresError(
                f"the role {name} of DATABASE_OWNER_URL may not make the other roles."
                f" An administrator of the database can: {needed}"
            ) from None


def recipe(owner: str, dbname: str) -> str:
    """Returns the SQL that makes the other roles for this owner, in one line."""
    return _joined(_statements(owner, dbname, _EXAMPLE, _EXAMPLE))


def _statements(
    owner: str, dbname: str, app_password: Composable, auditor_password: Composable
) -> tuple[Composed, ...]:
    return (
        _APP.format(app_password),
        _AUDITOR.format(auditor_password),
        _MEMBER.format(Identifier(owner)),
        _CONNECT.format(Identifier(dbname)),
    )


def _joined(statements: Iterable[Composed]) -> str:
    return " ".join(f"{statement.as_string()};" for statement in statements)


def _password(connection: psycopg.Connection, app: str) -> Composable:
    """Returns the password clause for the application's role, hashed before it is sent."""
    parameters = conninfo_to_dict(app)
    password = parameters.get("password")
    if parameters.get("user") != APP or not password:
        return SQL("")
    hashed = connection.pgconn.encrypt_password(
        str(password).encode(), APP.encode(), b"scram-sha-256"
    )
    return SQL(" PASSWORD {}").format(Literal(hashed.decode()))
