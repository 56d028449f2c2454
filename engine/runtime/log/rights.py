"""Checks that the application's role can change the log only by appending to it.

The check looks at the role that logs in and at every role that it may become: SET ROLE needs no
password. A right of one of those is a right of the application.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import psycopg
import structlog
from msgspec import Struct
from psycopg.sql import SQL, Identifier

from engine.runtime.postgres.files import PostgresError
from engine.runtime.postgres.roles import APP, recipe

_MAY_APPEND: Final = (
    "SELECT session_user::text, current_database()::text, EXISTS (SELECT FROM pg_proc"
    " JOIN pg_namespace ON pg_namespace.oid = pronamespace"
    " WHERE nspname = 'log' AND proname = 'append_batch'"
    " AND has_schema_privilege(pronamespace, 'USAGE')"
    " AND has_function_privilege(pg_proc.oid, 'EXECUTE'))"
)
# A superuser counts as a member of every role, so only its own row is looked at.
_EXCESS: Final = """
WITH login AS (SELECT oid, rolsuper FROM pg_roles WHERE rolname = session_user),
roles AS (
    SELECT role.* FROM pg_roles AS role, login
    WHERE role.oid = login.oid
        OR NOT login.rolsuper AND pg_has_role(login.oid, role.oid, 'MEMBER')
),
log AS (SELECT oid, nspowner FROM pg_namespace WHERE nspname = 'log'),
tables AS (
    SELECT pg_class.oid, relowner AS owner, 'log.' || relname AS name
    FROM pg_class JOIN log ON log.oid = relnamespace
    WHERE relname IN ('facts', 'outcomes', 'batches', 'purged')
),
owned AS (
    SELECT owner, name FROM tables
    UNION ALL SELECT proowner, 'log.' || proname FROM pg_proc JOIN log ON log.oid = pronamespace
    UNION ALL SELECT nspowner, 'the schema log' FROM log
    UNION ALL SELECT datdba, 'the database' FROM pg_database WHERE datname = current_database()
)
SELECT rolname::text, 'attribute', 'is a superuser' FROM roles WHERE rolsuper
UNION ALL
SELECT rolname, 'attribute', 'may create roles' FROM roles WHERE rolcreaterole AND NOT rolsuper
UNION ALL
SELECT rolname, 'owner', 'owns ' || string_agg(DISTINCT name, ', ' ORDER BY name)
FROM roles JOIN owned ON owner = roles.oid WHERE NOT rolsuper GROUP BY rolname
UNION ALL
SELECT rolname, 'privilege', string_agg(privilege, ', ' ORDER BY privilege) || ' on ' || name
FROM roles, tables, unnest(ARRAY['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER']) AS privilege
WHERE NOT rolsuper AND owner <> roles.oid AND CASE
    WHEN privilege IN ('INSERT', 'UPDATE')
    THEN has_any_column_privilege(roles.oid, tables.oid, privilege)
    ELSE has_table_privilege(roles.oid, tables.oid, privilege) END
GROUP BY rolname, name
UNION ALL
SELECT rolname, 'privilege', 'CREATE on schema log' FROM roles, log
WHERE NOT rolsuper AND nspowner <> roles.oid AND has_schema_privilege(roles.oid, log.oid, 'CREATE')
"""
_log = structlog.get_logger()


class ExcessRight(Struct, frozen=True):
    """A right over the log that the application must not have, and the role that has it.

    `kind` is `attribute`, `owner` or `privilege`.
    """

    role: str
    kind: str
    what: str

    def describe(self, login: str) -> str:
        """Returns the right as a clause whose subject is the role `login`."""
        what = f"has {self.what}" if self.kind == "privilege" else self.what
        return what if self.role == login else f"is a member of {self.role}, which {what}"


def check(conninfo: str, *, demo: bool) -> None:
    """Check the role of this connection string; a demo only logs what it has in excess.

    Raises:
        PostgresError: the role cannot append to the log, or outside demo mode can change it in
            another way. The message, one line, says how to mend that.
    """
    with psycopg.connect(conninfo) as connection:
        row = connection.execute(_MAY_APPEND).fetchone()
        assert row is not None
        login, database, may_append = row
        excess = [ExcessRight(*found) for found in connection.execute(_EXCESS.encode())]
    if not may_append:
        raise PostgresError(
            f"the role {login} of DATABASE_URL may not append to the log: the application's role is"
            f" {APP}, and DATABASE_OWNER_URL names the owner of the tables"
        )
    if not excess:
        return
    reasons = "; ".join(one.describe(login) for one in excess)
    if demo:
        _log.warning("the application's role can change the log", role=login, why=reasons)
        return
    raise PostgresError(
        f"the role {login} of DATABASE_URL can change the log: it {reasons}. Outside demo mode the"
        f" server does not start with it. {_remedy(login, database, excess)}"
    )


def _remedy(login: str, database: str, excess: Sequence[ExcessRight]) -> str:
    if login != APP:
        return (
            f"Give the application its own role: {recipe(login, database)} Then DATABASE_OWNER_URL"
            f" is the connection string of {login}, and DATABASE_URL that of {APP}"
        )
    statements = " ".join(f"{each};" for each in dict.fromkeys(_mending(login, database, excess)))
    return f"An administrator of the database can mend that: {statements}"


def _mending(login: str, database: str, excess: Sequence[ExcessRight]) -> Iterator[str]:
    """Yields the SQL that takes these rights from the application's role."""
    for one in excess:
        if one.role != login:
            yield SQL("REVOKE {} FROM fairdraw_app").format(Identifier(one.role)).as_string()
        elif one.kind == "attribute":
            yield "ALTER ROLE fairdraw_app NOSUPERUSER NOCREATEROLE"
        elif one.kind == "privilege":
            yield f"REVOKE {one.what} FROM fairdraw_app, PUBLIC"
        else:
            yield "CREATE ROLE fairdraw_owner LOGIN PASSWORD '…'"
            yield "GRANT fairdraw_app TO fairdraw_owner"
            yield (
                SQL("GRANT CREATE ON DATABASE {} TO fairdraw_owner")
                .format(Identifier(database))
                .as_string()
            )
            yield "REASSIGN OWNED BY fairdraw_app TO fairdraw_owner"
