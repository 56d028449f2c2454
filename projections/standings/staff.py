"""Who the staff are, and which roles are proposed for whom: derived, and asked for.

Times are microseconds since 1970.
"""

from collections.abc import Sequence
from typing import Any, Final, get_args

from msgspec import Struct
from psycopg import Connection, Cursor

from engine.facts import Recorded
from engine.house.facts import RolesProposed, RolesRejected, RolesSet, StaffFact, StaffRemoved
from engine.house.roles import Role, actor_of
from projections.listing import rows
from projections.model import of_kinds

SCHEMA: Final = """
CREATE TABLE staff (
    name text COLLATE "C" PRIMARY KEY,
    roles text NOT NULL,
    at bigint NOT NULL,
    proposed_by text NOT NULL,
    agreed_by text NOT NULL
);
CREATE TABLE staff_proposals (
    name text COLLATE "C" PRIMARY KEY,
    id text NOT NULL,
    roles text NOT NULL,
    at bigint NOT NULL,
    proposed_by text NOT NULL
);
"""
_KINDS: Final = frozenset(get_args(StaffFact))
_SET: Final = (
    "INSERT INTO staff (name, roles, at, proposed_by, agreed_by) VALUES (%s, %s, %s, %s, %s)"
    " ON CONFLICT (name) DO UPDATE SET roles = excluded.roles, at = excluded.at,"
    " proposed_by = excluded.proposed_by, agreed_by = excluded.agreed_by"
)
_PROPOSE: Final = (
    "INSERT INTO staff_proposals (name, id, roles, at, proposed_by) VALUES (%s, %s, %s, %s, %s)"
    " ON CONFLICT (name) DO UPDATE SET id = excluded.id, roles = excluded.roles,"
    " at = excluded.at, proposed_by = excluded.proposed_by"
)
_REMOVE: Final = "DELETE FROM staff WHERE name = %s"
_DROP: Final = "DELETE FROM staff_proposals WHERE name = %s"
_DROP_OF: Final = "DELETE FROM staff_proposals WHERE proposed_by = %s"
_STAFF: Final = "SELECT name, roles, at, proposed_by, agreed_by FROM views.staff ORDER BY name"
_PROPOSALS: Final = (
    "SELECT name, id, roles, at, proposed_by FROM views.staff_proposals ORDER BY name"
)


class Person(Struct, frozen=True):
    """One of the staff; `agreed_by` is empty where the machine's secret set the roles alone."""

    name: str
    roles: tuple[str, ...]
    at: int
    proposed_by: str
    agreed_by: str


class Proposal(Struct, frozen=True):
    """Roles proposed for a person, whole, to which nobody has agreed yet."""

    name: str
    id: str
    roles: tuple[str, ...]
    at: int
    proposed_by: str


def apply(cursor: Cursor[Any], page: Sequence[Recorded]) -> None:
    """Take in a page, one by one: changes of the staff are rare."""
    for it in of_kinds(page, _KINDS):
        match it.fact:
            case RolesProposed(proposal=proposal, name=name, roles=roles, by=by):
                cursor.execute(_PROPOSE, (name, proposal, " ".join(roles), it.at, by))
            case RolesRejected(name=name):
                cursor.execute(_DROP, (name,))
            case RolesSet() as fact:
                _set(cursor, fact, it.at)
            case StaffRemoved(name=name):
                cursor.execute(_REMOVE, (name,))
                _drop(cursor, name, ())
            case _:
                pass


def _set(cursor: Cursor[Any], fact: RolesSet, at: int) -> None:
    if fact.roles:
        values = (fact.name, " ".join(fact.roles), at, fact.proposed_by, fact.agreed_by)
        cursor.execute(_SET, values)
    else:
        cursor.execute(_REMOVE, (fact.name,))
    _drop(cursor, fact.name, fact.roles)


def _drop(cursor: Cursor[Any], name: str, roles: tuple[Role, ...]) -> None:
    """What was proposed for this person is done with, or by them, if they are no manager."""
    cursor.execute(_DROP, (name,))
    if Role.MANAGER not in roles:
        cursor.execute(_DROP_OF, (actor_of(name),))


def people(connection: Connection[Any]) -> tuple[Person, ...]:
    """Everybody who has a role, by name."""
    return tuple(
        Person(name, tuple(roles.split()), *others)
        for name, roles, *others in rows(connection, _STAFF, ())
    )


def proposals(connection: Connection[Any]) -> tuple[Proposal, ...]:
    """The open proposals, by name."""
    return tuple(
        Proposal(name, number, tuple(roles.split()), *others)
        for name, number, roles, *others in rows(connection, _PROPOSALS, ())
    )
