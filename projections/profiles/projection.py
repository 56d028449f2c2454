"""Updates profiles, limits, house settings and staff from facts.

A proposed setting of the house waits until another manager agrees. It may equal the current value:
that is how staff withdraw a proposal.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final, get_args

import msgspec
from msgspec.structs import astuple
from psycopg import Cursor

from engine.facts import RecordedFact, player_of
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
from engine.players.facts import LimitSet, PlayerRegistered
from engine.runtime.log.pg_arrays import integers
from engine.staff.roles import Role, actor_of
from engine.staff.staff import RolesSet, StaffRemoved
from projections.profiles import staff
from projections.profiles.profile_row import (
    COLUMNS,
    KINDS,
    NONE,
    SCHEMA,
    TYPES,
    Change,
    ProfileRow,
    apply_fact,
)
from projections.runner.bulk_sql import execute_rows, insert
from projections.runner.projection import filter_kinds

_PROPOSALS_SCHEMA: Final = """
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
SWITCH: Final = "switch:"
ODDS_FROM: Final = "odds:"
_LOAD = f"SELECT {COLUMNS} FROM standings WHERE player = ANY(%s)"
_LIMITS = insert(
    "limits",
    "player, subject, span, amount, from_at, before",
    then="ON CONFLICT (player, subject, span) DO UPDATE SET amount = excluded.amount,"
    " from_at = excluded.from_at, before = excluded.before",
)
_SETTINGS = insert("settings", "position, name, value, at, changed_by")
_SETTING_KINDS: Final = frozenset(get_args(SettingFact))
_LIMIT_KINDS: Final = frozenset({LimitSet})
_LimitKey = tuple[int, str, str]


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


_SAVE = insert(
    "standings",
    COLUMNS,
    then="ON CONFLICT (player) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in COLUMNS.split(", ")[1:]),
)


class ProfileProjection:
    """The read model."""

    name = "standings"
    version = 5
    tables = (
        *("standings", "limits", "settings", "settings_proposals"),
        *("staff", "staff_proposals", "staff_passes", "staff_pass_proposals"),
    )
    schema = SCHEMA + _PROPOSALS_SCHEMA + staff.SCHEMA

    def apply(self, cursor: Cursor[Any], page: Sequence[RecordedFact]) -> None:
        """Apply a page; raises LookupError for a player who never registered."""
        _apply_rows(cursor, page)
        _apply_limits(cursor, page)
        facts = filter_kinds(page, _SETTING_KINDS)
        settings = [_setting(it, it.fact) for it in facts if isinstance(it.fact, SettingFact)]
        execute_rows(cursor, _SETTINGS, "ittit", settings)
        _apply_proposals(cursor, page)
        staff.apply(cursor, page)


def _apply_rows(cursor: Cursor[Any], page: Sequence[RecordedFact]) -> None:
    moves = [(player_of(it.stream), it) for it in filter_kinds(page, KINDS)]
    if not moves:
        return
    rows = _load(cursor, {player for player, _ in moves})
    for player, it in moves:
        if isinstance(it.fact, PlayerRegistered):
            rows[player] = ProfileRow(player, it.position)
        elif isinstance(it.fact, Change):
            row = _existing_row(rows, player)
            row.position = it.position
            apply_fact(row, it.fact)
    execute_rows(cursor, _SAVE, TYPES, [astuple(row) for row in rows.values()])


def _existing_row(rows: dict[int, ProfileRow], player: int) -> ProfileRow:
    row = rows.get(player)
    if row is None:
        raise LookupError(f"player {player} has not registered")
    return row


def _load(cursor: Cursor[Any], players: Iterable[int]) -> dict[int, ProfileRow]:
    rows = cursor.execute(_LOAD, (integers(sorted(players)),), prepare=True)
    return {row[0]: ProfileRow(*row) for row in rows}


def _apply_limits(cursor: Cursor[Any], page: Sequence[RecordedFact]) -> None:
    """Save the last value of each limit in the page: one statement may update a row only once."""
    limits: dict[_LimitKey, tuple[int, int, int]] = {}
    for it in filter_kinds(page, _LIMIT_KINDS):
        if isinstance(it.fact, LimitSet):
            key = (player_of(it.stream), it.fact.subject, it.fact.span)
            amount, before = _amount(it.fact.amount_minor), _amount(it.fact.before_minor)
            limits[key] = (amount, it.fact.from_at, before)
    execute_rows(cursor, _LIMITS, "ittiii", [(*key, *limit) for key, limit in limits.items()])


def _amount(amount_minor: int | None) -> int:
    return NONE if amount_minor is None else amount_minor


def _setting(it: RecordedFact, fact: SettingFact) -> tuple[Any, ...]:
    if isinstance(fact, SwitchTurned):
        name, value = f"{SWITCH}{fact.scope}", _encode(fact.closed)
    elif isinstance(fact, ReceivingAccountsSet):
        name, value = RECEIVING, _encode(fact.accounts)
    elif isinstance(fact, OddsSet):
        name, value = f"{ODDS_FROM}{fact.from_day}", _encode(fact.table)
    else:
        name, value = TERMS, _encode(fact.terms)
    return (it.position, name, value.decode(), it.at, fact.by or it.actor)
