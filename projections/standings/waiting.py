"""What one of the staff has said of the house's figures and accounts, and no other yet.

A row may say what holds already: so staff take back what they proposed.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from psycopg import Cursor

from engine.facts import Recorded
from engine.house.facts import (
    ReceivingAccountsProposed,
    ReceivingAccountsSet,
    RolesSet,
    StaffRemoved,
    TermsProposed,
    TermsSet,
)
from engine.house.roles import Role, actor_of
from projections.model import of_kinds

TERMS: Final = "terms"
RECEIVING: Final = "receiving"
SCHEMA: Final = """
CREATE TABLE settings_proposals (
    name text COLLATE "C" PRIMARY KEY,
    value text NOT NULL,
    at bigint NOT NULL,
    proposed_by text NOT NULL
);
"""
_KINDS: Final = frozenset(
    {
        *(TermsProposed, TermsSet, ReceivingAccountsProposed, ReceivingAccountsSet),
        *(RolesSet, StaffRemoved),
    }
)
_SAY: Final = (
    "INSERT INTO settings_proposals (name, value, at, proposed_by) VALUES (%s, %s, %s, %s)"
    " ON CONFLICT (name) DO UPDATE SET value = excluded.value, at = excluded.at,"
    " proposed_by = excluded.proposed_by"
)
_DROP: Final = "DELETE FROM settings_proposals WHERE name = %s"
_DROP_OF: Final = "DELETE FROM settings_proposals WHERE proposed_by = %s"
_encode: Final = msgspec.json.Encoder().encode


def apply(cursor: Cursor[Any], page: Sequence[Recorded]) -> None:
    """Take in a page, one by one: staff seldom change what holds for the house."""
    for it in of_kinds(page, _KINDS):
        match it.fact:
            case TermsProposed(terms=terms, by=by):
                cursor.execute(_SAY, (TERMS, _encode(terms).decode(), it.at, by))
            case ReceivingAccountsProposed(accounts=accounts, by=by):
                cursor.execute(_SAY, (RECEIVING, _encode(accounts).decode(), it.at, by))
            case TermsSet():
                cursor.execute(_DROP, (TERMS,))
            case ReceivingAccountsSet():
                cursor.execute(_DROP, (RECEIVING,))
            case StaffRemoved(name=name):
                cursor.execute(_DROP_OF, (actor_of(name),))
            case RolesSet(name=name, roles=roles) if Role.MANAGER not in roles:
                cursor.execute(_DROP_OF, (actor_of(name),))
            case _:
                pass
