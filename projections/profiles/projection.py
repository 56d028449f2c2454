"""Updates profiles, limits, house settings and staff from facts."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, get_args

import msgspec
from msgspec.structs import astuple
from psycopg import Cursor

from engine.facts import RecordedFact, player_of
from engine.house.facts import (
    RECEIVING,
    TERMS,
    OddsSet,
    ReceivingAccountsSet,
    SettingFact,
    SwitchTurned,
)
from engine.players.facts import PlayerRegistered
from engine.players.profile_facts import LimitSet
from engine.runtime.log.pg_arrays import integers
from projections.profiles import proposed_settings, staff
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

SWITCH: Final = "switch:"
ODDS_FROM: Final = "odds:"

_LOAD = f"SELECT {COLUMNS} FROM standings WHERE player = ANY(%s)"
_SAVE = insert(
    "standings",
    COLUMNS,
    then="ON CONFLICT (player) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in COLUMNS.split(", ")[1:]),
)
_LIMITS = insert(
    "limits",
    "player, subject, span, amount, from_at, before",
    then="ON CONFLICT (player, subject, span) DO UPDATE SET amount = excluded.amount,"
    " from_at = excluded.from_at, before = excluded.before",
)
_SETTINGS = insert("settings", "position, name, value, at, changed_by")
_SETTING_KINDS: Final = frozenset(get_args(SettingFact))
_LIMIT_KINDS: Final = frozenset({LimitSet})
_encode: Final = msgspec.json.Encoder().encode

_LimitKey = tuple[int, str, str]


class ProfileProjection:
    """The read model."""

    name = "standings"
    version = 5
    tables = (
        *("standings", "limits", "settings", "settings_proposals"),
        *("staff", "staff_proposals", "staff_passes", "staff_pass_proposals"),
    )
    schema = SCHEMA + proposed_settings.SCHEMA + staff.SCHEMA

    def apply(self, cursor: Cursor[Any], page: Sequence[RecordedFact]) -> None:
        """Apply a page; raises LookupError for a player who never registered."""
        _apply_rows(cursor, page)
        _apply_limits(cursor, page)
        facts = filter_kinds(page, _SETTING_KINDS)
        settings = [_setting(it, it.fact) for it in facts if isinstance(it.fact, SettingFact)]
        execute_rows(cursor, _SETTINGS, "ittit", settings)
        proposed_settings.apply(cursor, page)
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
