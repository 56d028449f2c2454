"""A player's row, and how facts change it: the same fold as in the engine."""

from typing import Final, get_args

from msgspec import Struct

from engine.cashier.facts import (
    DOUBLE_ENTRY,
    CorrectionApproved,
    DepositApproved,
    GiftGranted,
    TurnoverCounted,
    WithdrawalPaid,
)
from engine.players.facts import (
    BaseInfoCompleted,
    ExclusionCarried,
    IdentityDecided,
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

FOR_GOOD: Final = 1 << 62
""""Never ends", in microseconds since 1970."""
NONE: Final = -1
"""No time or no amount: real ones are never below zero."""
BANK_CARD: Final = 0

MoneyChange = DepositApproved | CorrectionApproved | WithdrawalPaid | TurnoverCounted | GiftGranted
ProfileChange = (
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
Change = MoneyChange | ProfileChange
KINDS: Final = frozenset({PlayerRegistered, *get_args(Change)})
"""The facts that change or create a row."""

SCHEMA: Final = """
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
CREATE TABLE settings (
    position bigint PRIMARY KEY,
    name text COLLATE "C" NOT NULL,
    value text NOT NULL,
    at bigint NOT NULL,
    changed_by text NOT NULL
);
CREATE INDEX settings_name ON settings (name, position);
"""
COLUMNS: Final = (
    "player, position, due, turnover, bonus_due, bonus_from, base_info, code_usable_at,"
    " bank_account, bank_usable_at, bank_paid, wallet_account, wallet_usable_at, wallet_paid,"
    " quota_level, quota_until, time_out_until, excluded_until, reality_check_minutes, closed"
)
TYPES: Final = "iiiiiiiitiitiiiiiiii"


class ProfileRow(Struct):
    """A row of `standings`, in minor units and microseconds; it changes as a page is applied."""

    player: int
    position: int
    due: int = 0
    turnover: int = 0
    bonus_due: int = 0
    bonus_from: int = 0
    base_info: int = 0
    code_usable_at: int = NONE
    bank_account: str = ""
    bank_usable_at: int = NONE
    bank_paid: int = 0
    wallet_account: str = ""
    wallet_usable_at: int = NONE
    wallet_paid: int = 0
    quota_level: int = 0
    quota_until: int = 0
    time_out_until: int = 0
    excluded_until: int = 0
    reality_check_minutes: int = 0
    closed: int = 0


def apply_fact(row: ProfileRow, fact: Change) -> None:
    """Apply a fact to the row."""
    if isinstance(fact, MoneyChange):
        _money(row, fact)
    else:
        _profile(row, fact)


def _money(row: ProfileRow, fact: MoneyChange) -> None:
    match fact:
        case DepositApproved(amount_minor=amount):
            row.due += amount
        case CorrectionApproved(kind=kind, amount_minor=amount):
            row.due = max(0, row.due + amount) if kind == DOUBLE_ENTRY else row.due
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


def _profile(row: ProfileRow, fact: ProfileChange) -> None:
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
        row.code_usable_at = NONE
    elif row.code_usable_at != NONE:
        row.code_usable_at = max(row.code_usable_at, fact.usable_at)


def _payout(row: ProfileRow, fact: PayoutAccountSet) -> None:
    if fact.method == BANK_CARD:
        row.bank_account, row.bank_usable_at, row.bank_paid = fact.account, fact.usable_at, 0
    else:
        row.wallet_account, row.wallet_usable_at, row.wallet_paid = fact.account, fact.usable_at, 0
