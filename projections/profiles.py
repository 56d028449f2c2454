"""The read model of profiles: turnover due, payout accounts, protections and limits of each player.

It owns the tables of `house_settings.py` and `staff.py` too. A player's row changes by the same
fold as in the engine. Amounts are minor units, times microseconds since 1970; 0 is a time in the
distant past.
"""

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import Any, Final, get_args

from msgspec import Struct
from msgspec.structs import astuple
from psycopg import Connection, Cursor

from engine.cashier.facts import (
    DUPLICATE_DEPOSIT,
    CorrectionApproved,
    DepositApproved,
    GiftGranted,
    TurnoverCounted,
    WithdrawalPaid,
)
from engine.facts import RecordedFact, player_of
from engine.players.facts import (
    BaseInfoCompleted,
    ExclusionCarried,
    IdentityDecided,
    LimitSet,
    MemberErased,
    PasswordReset,
    PayoutAccountSet,
    PlayerRegistered,
    PlayerSwitched,
    QuotaReleased,
    QuotaReserved,
    RealityCheckSet,
    SecurityCodeLifted,
    SecurityCodeSet,
    SelfExcluded,
    TimeOutTaken,
)
from engine.runtime.log.pg_arrays import integers
from projections import house_settings, staff
from projections.pagination import fetch_rows
from projections.runner.projection import execute_rows, filter_kinds, insert

FOR_GOOD: Final = 1 << 62
""""Never ends", in microseconds since 1970."""
_NONE: Final = -1
"""No time or no amount: real ones are never below zero."""
_BANK_CARD: Final = 0

_MoneyChange = DepositApproved | CorrectionApproved | WithdrawalPaid | TurnoverCounted | GiftGranted
_ProfileChange = (
    BaseInfoCompleted
    | ExclusionCarried
    | IdentityDecided
    | MemberErased
    | PasswordReset
    | PayoutAccountSet
    | PlayerSwitched
    | QuotaReleased
    | QuotaReserved
    | RealityCheckSet
    | SecurityCodeLifted
    | SecurityCodeSet
    | SelfExcluded
    | TimeOutTaken
)
_Change = _MoneyChange | _ProfileChange
_KINDS: Final = frozenset({PlayerRegistered, *get_args(_Change)})
"""The facts that change or create a row."""

_SCHEMA: Final = """
CREATE TABLE standings (
    player bigint PRIMARY KEY,
    position bigint NOT NULL,
    due bigint NOT NULL,
    turnover bigint NOT NULL,
    bonus_due bigint NOT NULL,
    bonus_from bigint NOT NULL,
    base_info smallint NOT NULL,
    code_usable_at bigint NOT NULL,
    bank_account text NOT NULL,
    bank_usable_at bigint NOT NULL,
    bank_paid smallint NOT NULL,
    wallet_account text NOT NULL,
    wallet_usable_at bigint NOT NULL,
    wallet_paid smallint NOT NULL,
    quota_level bigint NOT NULL,
    quota_until bigint NOT NULL,
    time_out_until bigint NOT NULL,
    excluded_until bigint NOT NULL,
    reality_check_minutes bigint NOT NULL,
    closed smallint NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE limits (
    player bigint,
    subject text COLLATE "C",
    span text COLLATE "C",
    amount bigint NOT NULL,
    from_at bigint NOT NULL,
    before bigint NOT NULL,
    PRIMARY KEY (player, subject, span)
);
"""
_SAVE_LIMITS = insert(
    "limits",
    "player, subject, span, amount, from_at, before",
    then="ON CONFLICT (player, subject, span) DO UPDATE SET amount = excluded.amount,"
    " from_at = excluded.from_at, before = excluded.before",
)
_LIMIT_KINDS: Final = frozenset({LimitSet})
_LimitKey = tuple[int, str, str]


class ProfileRow(Struct):
    """A row of `standings`, in minor units and microseconds; it changes as a page is applied."""

    player: int
    position: int
    due: int = 0
    turnover: int = 0
    bonus_due: int = 0
    bonus_from: int = 0
    base_info: int = 0
    code_usable_at: int = _NONE
    bank_account: str = ""
    bank_usable_at: int = _NONE
    bank_paid: int = 0
    wallet_account: str = ""
    wallet_usable_at: int = _NONE
    wallet_paid: int = 0
    quota_level: int = 0
    quota_until: int = 0
    time_out_until: int = 0
    excluded_until: int = 0
    reality_check_minutes: int = 0
    closed: int = 0


_COLUMNS: Final = ProfileRow.__struct_fields__
_TYPES: Final = "".join("t" if ProfileRow.__annotations__[it] is str else "i" for it in _COLUMNS)
_LOAD: Final = f"SELECT {', '.join(_COLUMNS)} FROM standings WHERE player = ANY(%s)"
_SAVE: Final = insert(
    "standings",
    ", ".join(_COLUMNS),
    then="ON CONFLICT (player) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS[1:]),
)


class ProfileProjection:
    """The read model."""

    name = "standings"
    version = 5
    tables = (
        *("standings", "limits", "settings", "settings_proposals"),
        *("staff", "staff_proposals", "staff_passes", "staff_pass_proposals"),
    )
    schema = _SCHEMA + house_settings.SCHEMA + staff.SCHEMA

    def apply(self, cursor: Cursor[Any], page: Sequence[RecordedFact]) -> None:
        """Apply a page; raises LookupError for a player who never registered."""
        _apply_rows(cursor, page)
        _apply_limits(cursor, page)
        house_settings.apply(cursor, page)
        staff.apply(cursor, page)


def _apply_rows(cursor: Cursor[Any], page: Sequence[RecordedFact]) -> None:
    moves = [(player_of(it.stream), it) for it in filter_kinds(page, _KINDS)]
    if not moves:
        return
    rows = _load(cursor, {player for player, _ in moves})
    for player, it in moves:
        if isinstance(it.fact, PlayerRegistered):
            rows[player] = ProfileRow(player, it.position)
        elif isinstance(it.fact, _Change):
            row = _existing_row(rows, player)
            row.position = it.position
            _apply_fact(row, it.fact)
    execute_rows(cursor, _SAVE, _TYPES, [astuple(row) for row in rows.values()])


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
    execute_rows(cursor, _SAVE_LIMITS, "ittiii", [(*key, *limit) for key, limit in limits.items()])


def _amount(amount_minor: int | None) -> int:
    return _NONE if amount_minor is None else amount_minor


def _apply_fact(row: ProfileRow, fact: _Change) -> None:
    """Apply a fact to the row."""
    if isinstance(fact, _MoneyChange):
        _money(row, fact)
    else:
        _profile(row, fact)


def _money(row: ProfileRow, fact: _MoneyChange) -> None:
    match fact:
        case DepositApproved(amount_minor=amount):
            row.due += amount
        case CorrectionApproved(kind=kind, amount_minor=amount):
            row.due = max(0, row.due + amount) if kind == DUPLICATE_DEPOSIT else row.due
        case TurnoverCounted(effective_minor=effective):
            row.due = max(0, row.due - effective)
            row.bonus_due = max(0, row.bonus_due - effective)
            row.turnover += effective
        case GiftGranted(due_minor=due, usable_at=usable_at):
            row.bonus_due += due
            row.bonus_from = max(row.bonus_from, usable_at)
        case WithdrawalPaid(account=account):
            row.bank_paid |= account == row.bank_account
            row.wallet_paid |= account == row.wallet_account


def _profile(row: ProfileRow, fact: _ProfileChange) -> None:
    match fact:
        case BaseInfoCompleted():
            row.base_info = 1
        case PayoutAccountSet():
            _payout(row, fact)
        case SecurityCodeSet() | SecurityCodeLifted() | PasswordReset():
            _code(row, fact)
        case QuotaReserved(level=level, until=until):
            row.quota_level, row.quota_until = level, until
        case QuotaReleased():
            row.quota_level = row.quota_until = 0
        case TimeOutTaken(until=until):
            row.time_out_until = until
        case SelfExcluded(until=until):
            row.excluded_until = FOR_GOOD if until is None else until
        case ExclusionCarried(until=until):
            row.excluded_until = max(row.excluded_until, FOR_GOOD if until is None else until)
        case IdentityDecided(excluded_until=excluded_until):
            row.excluded_until = excluded_until
        case RealityCheckSet(minutes=minutes):
            row.reality_check_minutes = minutes
        case PlayerSwitched() | MemberErased():
            row.closed = int(isinstance(fact, MemberErased) or fact.closed)


def _code(row: ProfileRow, fact: SecurityCodeSet | SecurityCodeLifted | PasswordReset) -> None:
    if isinstance(fact, SecurityCodeSet):
        row.code_usable_at = fact.usable_at
    elif isinstance(fact, SecurityCodeLifted):
        row.code_usable_at = _NONE
    elif row.code_usable_at != _NONE:
        row.code_usable_at = max(row.code_usable_at, fact.usable_at)


def _payout(row: ProfileRow, fact: PayoutAccountSet) -> None:
    if fact.method == _BANK_CARD:
        row.bank_account, row.bank_usable_at, row.bank_paid = fact.account, fact.usable_at, 0
    else:
        row.wallet_account, row.wallet_usable_at, row.wallet_paid = fact.account, fact.usable_at, 0


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


class ProfileView(Struct, frozen=True, gc=False):
    """A player's turnover due and protections, as of the fact at `position`.

    `due` is the turnover still due before a withdrawal. `bonus_due` is the one before bonus money
    is released, not before `bonus_from`; `turnover` is the lifetime total. `*_usable_at` is None
    and an account's id empty where none was set; `*_paid` says whether money was paid to that
    account before. `quota_level` is 0 without a reservation; `excluded_until` is
    `FOR_GOOD` if permanent.
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


def profile(connection: Connection[Any], player: int) -> ProfileView | None:
    """Returns a player's profile; None before their registration is applied."""
    found = fetch_rows(connection, _PROFILE, (player,))
    return ProfileView(*found[0]) if found else None


def limits(connection: Connection[Any], player: int) -> tuple[LimitRow, ...]:
    """Returns the limits that a player ever set, removed ones included."""
    return tuple(LimitRow(*row) for row in fetch_rows(connection, _LIMITS, (player,)))


def period_totals(connection: Connection[Any], player: int, day: str) -> PeriodTotalsRow:
    """Returns a player's totals of the spans that contain `day` (yyyy-mm-dd, operator's time zone).

    Raises ValueError if `day` is not a date.
    """
    today = date.fromisoformat(day)
    week = (today - timedelta(days=today.weekday())).isoformat()
    month = today.replace(day=1).isoformat()
    values = {"player": player, "since": min(week, month), "day": day}
    found = fetch_rows(connection, _PERIOD_TOTALS, values)
    deposited, turnover, net = (
        Spans(*(sum(row[n] for row in found if row[0] >= since) for since in (day, week, month)))
        for n in (1, 2, 3)
    )
    return PeriodTotalsRow(day, deposited, net, turnover)


def with_turnover(connection: Connection[Any], day: str) -> list[int]:
    """Returns the players with turnover on a day (yyyy-mm-dd, operator's time zone)."""
    return [row[0] for row in fetch_rows(connection, _TURNED_OVER, (day,))]
