"""Staff, their passes and the open proposals about them: the tables and their queries.

The profiles read model owns the tables. Times are microseconds since 1970.
"""

from collections.abc import Sequence
from typing import Any, Final, get_args

from msgspec import Struct
from psycopg import Connection, Cursor

from engine.facts import RecordedFact
from engine.staff.passes import PassEnded, PassIssued, PassProposed
from engine.staff.roles import Role, actor_of
from engine.staff.staff import RolesProposed, RolesRejected, RolesSet, StaffFact, StaffRemoved
from projections.pagination import fetch_rows
from projections.runner.projection import filter_kinds

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
CREATE TABLE staff_passes (
    name text COLLATE "C" PRIMARY KEY,
    fingerprint text NOT NULL,
    until bigint NOT NULL,
    proposed_by text NOT NULL,
    agreed_by text NOT NULL
);
CREATE TABLE staff_pass_proposals (
    name text COLLATE "C" PRIMARY KEY,
    fingerprint text NOT NULL,
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
_ISSUE: Final = (
    "INSERT INTO staff_passes (name, fingerprint, until, proposed_by, agreed_by)"
    " VALUES (%s, %s, %s, %s, %s)"
)
_INSERT_PROPOSAL: Final = (
    "INSERT INTO staff_pass_proposals (name, fingerprint, at, proposed_by)"
    " VALUES (%s, %s, %s, %s) ON CONFLICT (name) DO UPDATE SET"
    " fingerprint = excluded.fingerprint, at = excluded.at, proposed_by = excluded.proposed_by"
)
_END: Final = "DELETE FROM staff_passes WHERE name = %s"
_DELETE_PROPOSAL: Final = "DELETE FROM staff_pass_proposals WHERE name = %s"
_DELETE_PROPOSALS_OF: Final = "DELETE FROM staff_pass_proposals WHERE proposed_by = %s"
_STAFF: Final = "SELECT name, roles, at, proposed_by, agreed_by FROM views.staff ORDER BY name"
_PASSES: Final = "SELECT name, fingerprint, until, proposed_by, agreed_by FROM views.staff_passes"
_SELECT_PROPOSALS: Final = (
    "SELECT name, fingerprint, at, proposed_by FROM views.staff_pass_proposals ORDER BY name"
)
_PROPOSALS: Final = (
    "SELECT name, id, roles, at, proposed_by FROM views.staff_proposals ORDER BY name"
)


class Person(Struct, frozen=True):
    """A staff member; `agreed_by` is empty if the machine's secret alone set the roles."""

    name: str
    roles: tuple[str, ...]
    at: int
    proposed_by: str
    agreed_by: str


class RoleProposalRow(Struct, frozen=True):
    """All roles proposed for a person, not yet confirmed."""

    name: str
    id: str
    roles: tuple[str, ...]
    at: int
    proposed_by: str


class PassRow(Struct, frozen=True):
    """A person's newest pass; `agreed_by` is empty if the machine's secret alone issued it."""

    name: str
    fingerprint: str
    until: int
    proposed_by: str
    agreed_by: str


class PassProposal(Struct, frozen=True):
    """The fingerprint of a person's pass as one manager entered it, not yet confirmed."""

    name: str
    fingerprint: str
    at: int
    proposed_by: str


def apply(cursor: Cursor[Any], page: Sequence[RecordedFact]) -> None:
    """Apply a page, fact by fact: changes of staff are rare."""
    for it in filter_kinds(page, _KINDS):
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
                _end(cursor, name)
            case PassProposed(name=name, fingerprint=fingerprint, by=by):
                cursor.execute(_INSERT_PROPOSAL, (name, fingerprint, it.at, by))
            case PassIssued(name=name, fingerprint=fingerprint, until=until) as fact:
                _end(cursor, name)
                approvers = (fact.proposed_by, fact.agreed_by)
                cursor.execute(_ISSUE, (name, fingerprint, until, *approvers))
            case PassEnded(name=name):
                _end(cursor, name)
            case _:
                pass


def _set(cursor: Cursor[Any], fact: RolesSet, at: int) -> None:
    if fact.roles:
        values = (fact.name, " ".join(fact.roles), at, fact.proposed_by, fact.agreed_by)
        cursor.execute(_SET, values)
    else:
        cursor.execute(_REMOVE, (fact.name,))
        _end(cursor, fact.name)
    _drop(cursor, fact.name, fact.roles)


def _drop(cursor: Cursor[Any], name: str, roles: tuple[Role, ...]) -> None:
    """Delete the proposals for this person, and those by them unless they are a manager."""
    cursor.execute(_DROP, (name,))
    if Role.MANAGER not in roles:
        cursor.execute(_DROP_OF, (actor_of(name),))
        cursor.execute(_DELETE_PROPOSALS_OF, (actor_of(name),))


def _end(cursor: Cursor[Any], name: str) -> None:
    cursor.execute(_END, (name,))
    cursor.execute(_DELETE_PROPOSAL, (name,))


def people(connection: Connection[Any]) -> tuple[Person, ...]:
    """Returns everyone who has a role, by name."""
    return tuple(
        Person(name, tuple(roles.split()), *others)
        for name, roles, *others in fetch_rows(connection, _STAFF, ())
    )


def proposals(connection: Connection[Any]) -> tuple[RoleProposalRow, ...]:
    """Returns the open proposals, by name."""
    return tuple(
        RoleProposalRow(name, number, tuple(roles.split()), *others)
        for name, number, roles, *others in fetch_rows(connection, _PROPOSALS, ())
    )


def passes(connection: Connection[Any]) -> dict[str, PassRow]:
    """Returns each person's newest pass by name, valid or expired, but not revoked."""
    return {name: PassRow(name, *others) for name, *others in fetch_rows(connection, _PASSES, ())}


def pass_proposals(connection: Connection[Any]) -> tuple[PassProposal, ...]:
    """Returns the passes that another manager has to confirm, by name."""
    return tuple(PassProposal(*row) for row in fetch_rows(connection, _SELECT_PROPOSALS, ()))
