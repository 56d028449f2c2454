"""Generated notifications: one row per decision on a member's money or security code."""

from typing import Any, Final

from engine.cashier.facts import (
    AdjustmentApproved,
    CorrectionApproved,
    DepositApproved,
    DepositRejected,
    GiftGranted,
    WithdrawalApproved,
    WithdrawalPaid,
    WithdrawalRejected,
)
from engine.facts import RecordedFact, player_of
from engine.players.profile_facts import PasswordReset, SecurityCodeLifted
from projections.runner.bulk_sql import insert

_REFUSED: Final = "refused"
_REPLACED: Final = "replaced"
_PLAY_MONEY: Final = "demo"
KINDS: Final = frozenset(
    {
        *(DepositApproved, DepositRejected, WithdrawalApproved, WithdrawalPaid),
        *(WithdrawalRejected, GiftGranted, AdjustmentApproved, SecurityCodeLifted),
        *(CorrectionApproved, PasswordReset),
    }
)
SCHEMA: Final = """
CREATE TABLE money_notes (
    player bigint,
    position bigint,
    at bigint NOT NULL,
    kind text NOT NULL,
    amount bigint NOT NULL,
    request text COLLATE "C" NOT NULL,
    PRIMARY KEY (player, position)
);
"""
SAVE: Final = insert("money_notes", "player, position, at, kind, amount, request")
TYPES: Final = "iiitit"


def notification_for(it: RecordedFact) -> tuple[Any, ...] | None:
    """Returns the row for this fact; None if it needs no notification.

    `amount` is in minor units, 0 where the fact has none.
    """
    fields = _fields_of(it.fact)
    return None if fields is None else (player_of(it.stream), it.position, it.at, *fields)


def _fields_of(fact: object) -> tuple[str, int, str] | None:
    match fact:
        case DepositApproved(channel=channel):
            fields = ("deposit_approved", fact.amount_minor, fact.deposit)
            return None if channel == _PLAY_MONEY else fields
        case DepositRejected(cause=cause) if cause == _REPLACED:
            return None
        case DepositRejected(cause=cause):
            kind = "deposit_rejected" if cause == _REFUSED else "deposit_returned"
            return kind, fact.amount_minor, fact.deposit
        case WithdrawalApproved():
            return "withdrawal_approved", 0, fact.withdrawal
        case WithdrawalPaid():
            return "withdrawal_paid", fact.amount_minor, fact.withdrawal
        case WithdrawalRejected():
            return "withdrawal_rejected", fact.amount_minor, fact.withdrawal
        case GiftGranted():
            return "gift_granted", fact.amount_minor, fact.gift
        case AdjustmentApproved() | CorrectionApproved():
            return "adjustment_approved", fact.amount_minor, fact.adjustment
        case SecurityCodeLifted():
            return "security_code_lifted", 0, ""
        case PasswordReset():
            return "password_reset", 0, ""
        case _:
            return None
