"""House terms and receiving accounts that one staff member proposed and no other confirmed yet.

A row may equal the current value: that is how staff withdraw a proposal.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from psycopg import Cursor

from engine.facts import RecordedFact
from engine.house.facts import (
    ODDS,
    RECEIVING,
    TERMS,
    OddsProposed,
    OddsSet,
    ProposalRejected,
    ReceivingAccountsProposed,
    ReceivingAccountsSet,
    TermsProposed,
    TermsSet,
    proposal_id,
)
from engine.staff.roles import Role, actor_of
from engine.staff.staff import RolesSet, StaffRemoved
from projections.runner.projection import filter_kinds

SCHEMA: Final = """
CREATE TABLE settings_proposals (
    name text COLLATE "C" PRIMARY KEY,
    value text NOT NULL,
    at bigint NOT NULL,
    proposed_by text NOT NULL,
    id text COLLATE "C" NOT NULL
);
"""
_KINDS: Final = frozenset(
    {
        *(TermsProposed, TermsSet, ReceivingAccountsProposed, ReceivingAccountsSet),
        *(OddsProposed, OddsSet, ProposalRejected),
        *(RolesSet, StaffRemoved),
    }
)
_SAVE: Final = (
    "INSERT INTO settings_proposals (name, value, at, proposed_by, id) VALUES (%s, %s, %s, %s, %s)"
    " ON CONFLICT (name) DO UPDATE SET value = excluded.value, at = excluded.at,"
    " proposed_by = excluded.proposed_by, id = excluded.id"
)
_DROP: Final = "DELETE FROM settings_proposals WHERE name = %s"
_DROP_ONE: Final = "DELETE FROM settings_proposals WHERE id = %s"
_DROP_OF: Final = "DELETE FROM settings_proposals WHERE proposed_by = %s"
_encode: Final = msgspec.json.Encoder().encode


def apply(cursor: Cursor[Any], page: Sequence[RecordedFact]) -> None:
    """Apply a page, fact by fact: house settings change rarely."""
    for it in filter_kinds(page, _KINDS):
        match it.fact:
            case TermsProposed(terms=terms, by=by):
                _save_proposal(cursor, it, TERMS, terms, by)
            case ReceivingAccountsProposed(accounts=accounts, by=by):
                _save_proposal(cursor, it, RECEIVING, accounts, by)
            case OddsProposed(table=table, by=by):
                _save_proposal(cursor, it, ODDS, table, by)
            case OddsSet():
                cursor.execute(_DROP, (ODDS,))
            case ProposalRejected(proposal=proposal):
                cursor.execute(_DROP_ONE, (proposal,))
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


def _save_proposal(
    cursor: Cursor[Any], it: RecordedFact, kind: str, value: object, by: str
) -> None:
    text, proposal = _encode(value).decode(), proposal_id(kind, it.version)
    cursor.execute(_SAVE, (kind, text, it.at, by, proposal))
