"""The house's settings, their history, and the proposals that wait for another manager.

A proposed setting may equal the current value: that is how staff withdraw a proposal. The profiles
read model owns the tables. Times are microseconds since 1970.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, Generic, TypeVar, get_args

import msgspec
from msgspec import Struct
from psycopg import Connection, Cursor

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
    SettingFact,
    SwitchTurned,
    TermsProposed,
    TermsSet,
    proposal_id,
)
from engine.odds import OddsFrom, next_odds
from engine.staff.roles import Role, actor_of
from engine.staff.staff import RolesSet, StaffRemoved
from engine.terms import DEFAULT_TERMS, ReceivingAccounts, Terms
from projections.pagination import fetch_rows
from projections.runner.projection import execute_rows, filter_kinds, insert

SCHEMA: Final = """
CREATE TABLE settings (
    position bigint PRIMARY KEY,
    name text COLLATE "C" NOT NULL,
    value text NOT NULL,
    at bigint NOT NULL,
    changed_by text NOT NULL
);
CREATE INDEX settings_name ON settings (name, position);
CREATE TABLE settings_proposals (
    name text COLLATE "C" PRIMARY KEY,
    value text NOT NULL,
    at bigint NOT NULL,
    proposed_by text NOT NULL,
    id text COLLATE "C" NOT NULL
);
"""
_PROPOSAL_KINDS: Final = frozenset(
    {
        *(TermsProposed, TermsSet, ReceivingAccountsProposed, ReceivingAccountsSet),
        *(OddsProposed, OddsSet, ProposalRejected),
        *(RolesSet, StaffRemoved),
    }
)
_SAVE_PROPOSAL: Final = (
    "INSERT INTO settings_proposals (name, value, at, proposed_by, id) VALUES (%s, %s, %s, %s, %s)"
    " ON CONFLICT (name) DO UPDATE SET value = excluded.value, at = excluded.at,"
    " proposed_by = excluded.proposed_by, id = excluded.id"
)
_DROP: Final = "DELETE FROM settings_proposals WHERE name = %s"
_DROP_ONE: Final = "DELETE FROM settings_proposals WHERE id = %s"
_DROP_OF: Final = "DELETE FROM settings_proposals WHERE proposed_by = %s"
_encode: Final = msgspec.json.Encoder().encode
_SWITCH: Final = "switch:"
_ODDS_FROM: Final = "odds:"
_SAVE_SETTINGS: Final = insert("settings", "position, name, value, at, changed_by")
# Made at import: msgspec crashes if several threads decode a type for the first time at once.
_decode_terms: Final = msgspec.json.Decoder(Terms).decode
_decode_receiving: Final = msgspec.json.Decoder(ReceivingAccounts).decode
_decode_name: Final = msgspec.json.Decoder(str).decode
_SETTING_KINDS: Final = frozenset(get_args(SettingFact))


def apply(cursor: Cursor[Any], page: Sequence[RecordedFact]) -> None:
    """Apply a page."""
    facts = filter_kinds(page, _SETTING_KINDS)
    settings = [_setting(it, it.fact) for it in facts if isinstance(it.fact, SettingFact)]
    execute_rows(cursor, _SAVE_SETTINGS, "ittit", settings)
    _apply_proposals(cursor, page)


def _setting(it: RecordedFact, fact: SettingFact) -> tuple[Any, ...]:
    if isinstance(fact, SwitchTurned):
        name, value = f"{_SWITCH}{fact.scope}", _encode(fact.closed)
    elif isinstance(fact, ReceivingAccountsSet):
        name, value = RECEIVING, _encode(fact.accounts)
    elif isinstance(fact, OddsSet):
        name, value = f"{_ODDS_FROM}{fact.from_day}", _encode(fact.table)
    else:
        name, value = TERMS, _encode(fact.terms)
    return (it.position, name, value.decode(), it.at, fact.by or it.actor)


def _apply_proposals(cursor: Cursor[Any], page: Sequence[RecordedFact]) -> None:
    """Apply a page, fact by fact: house settings change rarely."""
    for it in filter_kinds(page, _PROPOSAL_KINDS):
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
    cursor.execute(_SAVE_PROPOSAL, (kind, text, it.at, by, proposal))


_SETTINGS = (
    "SELECT DISTINCT ON (name) name, value, at, changed_by, position FROM views.settings"
    " ORDER BY name, position DESC"
)
_PROPOSALS = "SELECT name, value, at, proposed_by, id FROM views.settings_proposals"

ValueT = TypeVar("ValueT")


class SettingChange(Struct, frozen=True, gc=False):
    """A change: `value` is JSON; `name` is terms, receiving, switch:SCOPE or odds:DAY."""

    name: str
    value: str
    at: int
    by: str
    position: int


class Switch(Struct, frozen=True, gc=False):
    """Whether a scope (product, all, game-1, plan-1) is closed, since when and by whom."""

    scope: str
    closed: bool
    at: int
    by: str


class ProposalView(Struct, Generic[ValueT], frozen=True):
    """A value that `by` proposed at `at`; it takes effect once another manager confirms it."""

    value: ValueT
    at: int
    by: str
    id: str


class HouseSettings(Struct, frozen=True):
    """The current settings, each with its author and time: "" and 0 for the defaults.

    `*_proposed` waits for a second person; `switches` are those that were ever used; `odds` are the
    tables that staff set, by their first day.
    """

    terms: Terms
    terms_at: int
    terms_by: str
    terms_proposed: ProposalView[Terms] | None
    receiving: ReceivingAccounts
    receiving_at: int
    receiving_by: str
    receiving_proposed: ProposalView[ReceivingAccounts] | None
    switches: tuple[Switch, ...]
    odds: tuple[OddsFrom, ...]
    odds_by: str
    odds_proposed: ProposalView[str] | None

    def is_closed(self, scope: str) -> bool:
        """Whether exactly this scope is closed; a wider scope may be closed as well."""
        return any(each.closed for each in self.switches if each.scope == scope)


def current_settings(connection: Connection[Any]) -> HouseSettings:
    """Returns the settings that apply, and the defaults where none was set."""
    found = {row[0]: SettingChange(*row) for row in fetch_rows(connection, _SETTINGS, ())}
    terms = found.get(TERMS, _default(TERMS, DEFAULT_TERMS))
    receiving = found.get(RECEIVING, _default(RECEIVING, ReceivingAccounts()))
    active_terms = _decode_terms(terms.value)
    active_accounts = _decode_receiving(receiving.value)
    proposed = {name: fields for name, *fields in fetch_rows(connection, _PROPOSALS, ())}
    tables = sorted((it for name, it in found.items() if name.startswith(_ODDS_FROM)), key=_name_of)
    odds = tuple(
        OddsFrom(it.name.removeprefix(_ODDS_FROM), _decode_name(it.value)) for it in tables
    )
    return HouseSettings(
        active_terms,
        terms.at,
        terms.by,
        _proposed(proposed.get(TERMS), active_terms, _decode_terms),
        active_accounts,
        receiving.at,
        receiving.by,
        _proposed(proposed.get(RECEIVING), active_accounts, _decode_receiving),
        tuple(_switch(each) for name, each in found.items() if name.startswith(_SWITCH)),
        odds,
        tables[-1].by if tables else "",
        _proposed(proposed.get(ODDS), next_odds(odds), _decode_name),
    )


def _name_of(setting: SettingChange) -> str:
    return setting.name


def _proposed(
    row: Sequence[Any] | None, active: ValueT, decode: Callable[[str], ValueT]
) -> ProposalView[ValueT] | None:
    if row is None:
        return None
    value = decode(row[0])
    return None if value == active else ProposalView(value, *row[1:])


def _default(name: str, value: object) -> SettingChange:
    return SettingChange(name, msgspec.json.encode(value).decode(), 0, "", 0)


def _switch(setting: SettingChange) -> Switch:
    scope = setting.name.removeprefix(_SWITCH)
    return Switch(scope, setting.value == "true", setting.at, setting.by)
