"""Updates requests from facts, from the request until it is closed."""

from collections.abc import Iterable
from typing import Any, Final, get_args

from msgspec.structs import astuple
from psycopg import Cursor

from engine.cashier.facts import (
    AdjustmentApproved,
    AdjustmentProposed,
    AdjustmentRejected,
    CorrectionApproved,
    CorrectionProposed,
    DepositApproved,
    DepositEndorsed,
    DepositRejected,
    DepositRequested,
    GiftGranted,
    GiftProposed,
    GiftRejected,
    RepeatEndorsed,
    WithdrawalApproved,
    WithdrawalEndorsed,
    WithdrawalPaid,
    WithdrawalRejected,
    WithdrawalRequested,
)
from engine.facts import RecordedFact
from engine.players.facts import (
    AccountChangeFact,
    AccountChangeProposed,
    AccountChangeRejected,
    MemberErased,
)
from engine.runtime.log.pg_arrays import integers
from projections.approvals.rows import (
    ADJUSTMENT,
    APPROVED,
    COLUMNS,
    DEPOSIT,
    ENDORSED,
    ERASURE,
    GIFT,
    NO_METHOD,
    PAID,
    PASSWORD_RESET,
    REJECTED,
    REQUESTED,
    RETURNED,
    TYPES,
    WITHDRAWAL,
    ApprovalRow,
)
from projections.runner.bulk_sql import execute_rows, insert

#: Causes for which no money has arrived.
_DROPPED: Final = frozenset({"refused", "replaced"})
_LOAD: Final = f"SELECT {COLUMNS} FROM requests WHERE open = 1 AND player = ANY(%s)"
_CHANGED: Final = (
    *("open", "status", "channel", "endorsed_by", "decided_at", "decided_by", "paid_at"),
    *("paid_by", "cause", "reason_commitment", "reference_commitment"),
)
_SAVE: Final = insert(
    "requests",
    COLUMNS,
    then="ON CONFLICT (player, position) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in _CHANGED),
)

DepositFact = (
    DepositRequested | DepositEndorsed | RepeatEndorsed | DepositApproved | DepositRejected
)
WithdrawalFact = (
    WithdrawalRequested
    | WithdrawalEndorsed
    | WithdrawalApproved
    | WithdrawalPaid
    | WithdrawalRejected
)
AdjustmentFact = (
    AdjustmentProposed
    | AdjustmentApproved
    | CorrectionProposed
    | CorrectionApproved
    | AdjustmentRejected
)
GiftFact = GiftProposed | GiftRejected | GiftGranted
ApprovalFact = DepositFact | WithdrawalFact | GiftFact | AdjustmentFact | AccountChangeFact


_KINDS: Final = frozenset(get_args(ApprovalFact))


class ApprovalFold:
    """The open requests of the players of a page; they change as the page is applied."""

    def __init__(self, rows: Iterable[ApprovalRow]) -> None:
        self._open = {(row.player, row.kind, row.id): row for row in rows}
        self._changed: dict[int, ApprovalRow] = {}

    def take(self, player: int, it: RecordedFact) -> ApprovalRow | None:
        """Returns the request that a fact is about, as it is after the fact; None if there is none.

        Raises LookupError if the request is not open.
        """
        fact = it.fact
        if type(fact) not in _KINDS:
            return None
        if isinstance(fact, DepositFact):
            row = self._deposit(player, it, fact)
        elif isinstance(fact, WithdrawalFact):
            row = self._withdrawal(player, it, fact)
        elif isinstance(fact, AdjustmentFact):
            row = self._adjustment(player, it, fact)
        elif isinstance(fact, AccountChangeFact):
            row = self._account_change(player, it, fact)
        elif isinstance(fact, GiftFact) and self._is_gift(player, fact):
            row = self._gift(player, it, fact)
        else:
            return None
        self._changed[row.position] = row
        if not row.open:
            self._open.pop((row.player, row.kind, row.id), None)
        return row

    def _add_open(self, row: ApprovalRow) -> ApprovalRow:
        self._open[row.player, row.kind, row.id] = row
        return row

    def _find_open(self, player: int, kind: str, request: str) -> ApprovalRow:
        row = self._open.get((player, kind, request))
        if row is None:
            raise LookupError(f"player {player} has no open {kind} {request}")
        return row

    def _deposit(self, player: int, it: RecordedFact, fact: DepositFact) -> ApprovalRow:
        if isinstance(fact, DepositRequested):
            return self._add_open(_deposit(player, it, fact))
        if isinstance(fact, DepositEndorsed | RepeatEndorsed):
            row = self._find_open(player, DEPOSIT, fact.deposit)
            row.status, row.endorsed_by = ENDORSED, fact.by
            return row
        # Staff may enter money that was not announced: it is requested and decided in one step.
        row = self._open.get((player, DEPOSIT, fact.deposit)) or _deposit(player, it, fact)
        row.record_decision(it, "")
        if isinstance(fact, DepositApproved):
            row.close(APPROVED)
            row.reference_commitment = fact.reference_commitment
        else:
            row.close(REJECTED if fact.cause in _DROPPED else RETURNED)
            row.cause, row.reason_commitment = fact.cause, fact.reason_commitment
        return row

    def _withdrawal(self, player: int, it: RecordedFact, fact: WithdrawalFact) -> ApprovalRow:
        if isinstance(fact, WithdrawalRequested):
            return self._add_open(_withdrawal(player, it, fact))
        row = self._find_open(player, WITHDRAWAL, fact.withdrawal)
        match fact:
            case WithdrawalEndorsed(by=by):
                row.status, row.endorsed_by = ENDORSED, by
            case WithdrawalApproved(by=by):
                row.status = APPROVED
                row.record_decision(it, by)
            case WithdrawalPaid(channel=channel, reference_commitment=reference):
                row.close(PAID)
                row.channel, row.reference_commitment = channel, reference
                row.paid_at, row.paid_by = it.at, it.actor
            case WithdrawalRejected(reason_commitment=reason):
                row.close(REJECTED)
                row.record_decision(it, "")
                row.reason_commitment = reason
        return row

    def _adjustment(self, player: int, it: RecordedFact, fact: AdjustmentFact) -> ApprovalRow:
        if isinstance(fact, AdjustmentProposed | CorrectionProposed):
            return self._add_open(_proposal(player, it, ADJUSTMENT, fact.adjustment, fact))
        row = self._find_open(player, ADJUSTMENT, fact.adjustment)
        row.record_decision(it, fact.by)
        row.close(REJECTED if isinstance(fact, AdjustmentRejected) else APPROVED)
        return row

    def _is_gift(self, player: int, fact: GiftFact) -> bool:
        """Whether a second approver was needed; other gifts are granted without a request."""
        return not isinstance(fact, GiftGranted) or (player, GIFT, fact.gift) in self._open

    def _gift(self, player: int, it: RecordedFact, fact: GiftFact) -> ApprovalRow:
        if isinstance(fact, GiftProposed):
            return self._add_open(_proposal(player, it, GIFT, fact.gift, fact))
        row = self._find_open(player, GIFT, fact.gift)
        row.record_decision(it, "")
        row.close(APPROVED if isinstance(fact, GiftGranted) else REJECTED)
        return row

    def _account_change(
        self, player: int, it: RecordedFact, fact: AccountChangeFact
    ) -> ApprovalRow:
        if isinstance(fact, AccountChangeProposed):
            row = _row(player, it, fact.kind, fact.change, 0)
            row.requested_by, row.reason_commitment = fact.by, fact.reason_commitment
            return self._add_open(row)
        if isinstance(fact, AccountChangeRejected):
            kind = fact.kind
        else:
            kind = ERASURE if isinstance(fact, MemberErased) else PASSWORD_RESET
        row = self._find_open(player, kind, fact.change)
        row.record_decision(it, fact.by)
        row.close(REJECTED if isinstance(fact, AccountChangeRejected) else APPROVED)
        return row

    def save(self, cursor: Cursor[Any]) -> None:
        """Write the changes."""
        execute_rows(cursor, _SAVE, TYPES, [astuple(row) for row in self._changed.values()])


def load(cursor: Cursor[Any], page: Iterable[tuple[int, RecordedFact]]) -> ApprovalFold:
    """Load the open requests of all players who have facts about requests in the page."""
    players = {player for player, it in page if type(it.fact) in _KINDS}
    if not players:
        return ApprovalFold(())
    rows = cursor.execute(_LOAD, (integers(sorted(players)),), prepare=True)
    return ApprovalFold(ApprovalRow(*row) for row in rows)


def _deposit(
    player: int, it: RecordedFact, fact: DepositRequested | DepositApproved | DepositRejected
) -> ApprovalRow:
    row = _row(player, it, DEPOSIT, fact.deposit, fact.amount_minor)
    row.channel = fact.channel
    if isinstance(fact, DepositRequested):
        row.reference_commitment = fact.reference_commitment
    return row


def _withdrawal(player: int, it: RecordedFact, fact: WithdrawalRequested) -> ApprovalRow:
    row = _row(player, it, WITHDRAWAL, fact.withdrawal, fact.amount_minor)
    row.method, row.account = fact.method, fact.account
    return row


def _proposal(
    player: int,
    it: RecordedFact,
    kind: str,
    request: str,
    fact: AdjustmentProposed | CorrectionProposed | GiftProposed,
) -> ApprovalRow:
    row = _row(player, it, kind, request, fact.amount_minor)
    row.requested_by, row.reason_commitment = fact.by, fact.reason_commitment
    return row


def _row(player: int, it: RecordedFact, kind: str, request: str, amount_minor: int) -> ApprovalRow:
    return ApprovalRow(
        player, it.position, kind, request, 1, REQUESTED, amount_minor, "", NO_METHOD, "",
        it.at, it.actor,
    )  # fmt: skip
