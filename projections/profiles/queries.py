"""Queries on profiles and house settings.

Amounts are minor units, times microseconds since 1970; 0 is a time in the distant past.
"""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct
from psycopg import Connection

from engine.house.facts import ODDS, RECEIVING, TERMS
from engine.odds import OddsFrom, next_odds
from engine.terms import DEFAULT_TERMS, ReceivingAccounts, Terms
from projections.pagination import rows
from projections.profiles.projection import ODDS_FROM, SWITCH

_PROFILE = (
    "SELECT player, position, due, turnover, bonus_due, bonus_from, base_info <> 0,"
    " nullif(code_usable_at, -1), bank_account, nullif(bank_usable_at, -1), bank_paid <> 0,"
    " wallet_account, nullif(wallet_usable_at, -1), wallet_paid <> 0, quota_level, quota_until,"
    " time_out_until, excluded_until, reality_check_minutes, closed <> 0"
    " FROM views.standings WHERE player = %s"
)
_LIMITS = (
    "SELECT player, subject, span, nullif(amount, -1), from_at, nullif(before, -1)"
    " FROM views.limits WHERE player = %s ORDER BY subject, span"
)
_PERIOD_TOTALS = (
    "SELECT day, deposited, turnover, 0 FROM views.flows"
    " WHERE player = %(player)s AND day BETWEEN %(since)s AND %(day)s"
    " UNION ALL SELECT day, 0, 0, profit FROM views.profits"
    " WHERE player = %(player)s AND day BETWEEN %(since)s AND %(day)s"
)
_TURNED_OVER = "SELECT player FROM views.flows WHERE day = %s AND turnover > 0 ORDER BY player"
_SETTINGS = (
    "SELECT DISTINCT ON (name) name, value, at, changed_by, position FROM views.settings"
    " ORDER BY name, position DESC"
)
_PROPOSALS = "SELECT name, value, at, proposed_by, id FROM views.settings_proposals"


ValueT = TypeVar("ValueT")


class ProfileView(Struct, frozen=True, gc=False):
    """A player's turnover due and protections, as of the fact at `position`.

    `due` is the turnover still due before a withdrawal. `bonus_due` is the one before bonus money
    is released, not before `bonus_from`; `turnover` is the lifetime total. `*_usable_at` is None
    and an account's id empty where none was set; `*_paid` says whether money was paid to that
    account before. `quota_level` is 0 without a reservation; `excluded_until` is
    `profile_row.FOR_GOOD` if permanent.
    """

    player: int
    position: int
    due: int
    turnover: int
    bonus_due: int
    bonus_from: int
    base_info: bool
    code_usable_at: int | None
    bank_account: str
    bank_usable_at: int | None
    bank_paid: bool
    wallet_account: str
    wallet_usable_at: int | None
    wallet_paid: bool
    quota_level: int
    quota_until: int
    time_out_until: int
    excluded_until: int
    reality_check_minutes: int
    closed: bool

    def is_blocked(self, now: int) -> bool:
        """Whether the player has excluded themselves from bets and deposits."""
        return now < self.time_out_until or now < self.excluded_until


class LimitRow(Struct, frozen=True, gc=False):
    """`subject` is deposit or loss, `span` is day, week or month; None is no limit.

    `amount` applies from `from_at` on, `before` until then.
    """

    player: int
    subject: str
    span: str
    amount: int | None
    from_at: int
    before: int | None

    def at(self, now: int) -> int | None:
        """Returns the limit that applies at a time."""
        return self.amount if now >= self.from_at else self.before


class Spans(Struct, frozen=True, gc=False):
    """Totals of a day, of its ISO week and of its month, up to that day."""

    day: int
    week: int
    month: int


class PeriodTotalsRow(Struct, frozen=True, gc=False):
    """Money deposited, won (`net`: payouts less stakes settled) and turned over."""

    day: str
    deposited: Spans
    net: Spans
    turnover: Spans


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


def profile(connection: Connection[Any], player: int) -> ProfileView | None:
    """Returns a player's profile; None before their registration is applied."""
    found = rows(connection, _PROFILE, (player,))
    return ProfileView(*found[0]) if found else None


def limits(connection: Connection[Any], player: int) -> tuple[LimitRow, ...]:
    """Returns the limits that a player ever set, removed ones included."""
    return tuple(LimitRow(*row) for row in rows(connection, _LIMITS, (player,)))


def period_totals(connection: Connection[Any], player: int, day: str) -> PeriodTotalsRow:
    """Returns a player's totals of the spans that contain `day` (yyyy-mm-dd, operator's time zone).

    Raises ValueError if `day` is not a date.
    """
    today = date.fromisoformat(day)
    week = (today - timedelta(days=today.weekday())).isoformat()
    month = today.replace(day=1).isoformat()
    values = {"player": player, "since": min(week, month), "day": day}
    found = rows(connection, _PERIOD_TOTALS, values)
    deposited, turnover, net = (
        Spans(*(sum(row[n] for row in found if row[0] >= since) for since in (day, week, month)))
        for n in (1, 2, 3)
    )
    return PeriodTotalsRow(day, deposited, net, turnover)


def with_turnover(connection: Connection[Any], day: str) -> list[int]:
    """Returns the players with turnover on a day (yyyy-mm-dd, operator's time zone)."""
    return [row[0] for row in rows(connection, _TURNED_OVER, (day,))]


def house_settings(connection: Connection[Any]) -> HouseSettings:
    """Returns the house settings, or the defaults."""
    found = {row[0]: SettingChange(*row) for row in rows(connection, _SETTINGS, ())}
    terms = found.get(TERMS, _default(TERMS, DEFAULT_TERMS))
    receiving = found.get(RECEIVING, _default(RECEIVING, ReceivingAccounts()))
    active_terms = msgspec.json.decode(terms.value, type=Terms)
    active_accounts = msgspec.json.decode(receiving.value, type=ReceivingAccounts)
    proposed = {name: fields for name, *fields in rows(connection, _PROPOSALS, ())}
    tables = sorted((it for name, it in found.items() if name.startswith(ODDS_FROM)), key=_name_of)
    odds = tuple(
        OddsFrom(it.name.removeprefix(ODDS_FROM), msgspec.json.decode(it.value, type=str))
        for it in tables
    )
    return HouseSettings(
        active_terms,
        terms.at,
        terms.by,
        _proposed(proposed.get(TERMS), active_terms),
        active_accounts,
        receiving.at,
        receiving.by,
        _proposed(proposed.get(RECEIVING), active_accounts),
        tuple(_switch(each) for name, each in found.items() if name.startswith(SWITCH)),
        odds,
        tables[-1].by if tables else "",
        _proposed(proposed.get(ODDS), next_odds(odds)),
    )


def _name_of(setting: SettingChange) -> str:
    return setting.name


def _proposed(row: Sequence[Any] | None, active: ValueT) -> ProposalView[ValueT] | None:
    if row is None:
        return None
    value = msgspec.json.decode(row[0], type=type(active))
    return None if value == active else ProposalView(value, *row[1:])


def _default(name: str, value: object) -> SettingChange:
    return SettingChange(name, msgspec.json.encode(value).decode(), 0, "", 0)


def _switch(setting: SettingChange) -> Switch:
    scope = setting.name.removeprefix(SWITCH)
    return Switch(scope, setting.value == "true", setting.at, setting.by)
