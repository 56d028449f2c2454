"""How facts change requests, from being asked for until nothing more is to happen."""

from collections.abc import Iterable
from typing import Any, Final, get_args

from msgspec.structs import astuple
from psycopg import Cursor

from engine.facts import Recorded
from engine.players.money_facts import (
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
from engine.players.standing_facts import (
    AccountChangeFact,
    AccountChangeProposed,
    AccountChangeRejected,
    MemberErased,
)
from engine.runtime.arrays import integers
from projections.columns import insert, write
from projections.requests.rows import (
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
    Row,
)

#: Nobody says that money had come.
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
RequestFact = DepositFact | WithdrawalFact | GiftFact | AdjustmentFact | AccountChangeFact


_KINDS: Final = frozenset(get_args(RequestFact))


class Requests:
    """The open requests of the players of a page, as they change along it."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._open = {(row.player, row.kind, row.id): row for row in rows}
        self._changed: dict[int, Row] = {}

    def take(self, player: int, it: Recorded) -> Row | None:
        """The request that a fact is about, after it; None if it is about none.

        A LookupError for a fact about a request that is not open.
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

    def _asked(self, row: Row) -> Row:
        self._open[row.player, row.kind, row.id] = row
        return row

    def _known(self, player: int, kind: str, request: str) -> Row:
        row = self._open.get((player, kind, request))
        if row is None:
            raise LookupError(f"player {player} has no open {kind} {request}")
        return row

    def _deposit(self, player: int, it: Recorded, fact: DepositFact) -> Row:
        if isinstance(fact, DepositRequested):
            return self._asked(_deposit(player, it, fact))
        if isinstance(fact, DepositEndorsed | RepeatEndorsed):
            row = self._known(player, DEPOSIT, fact.deposit)
            row.status, row.endorsed_by = ENDORSED, fact.by
            return row
        # Staff may enter money that nobody announced: asked for and decided in one.
        row = self._open.get((player, DEPOSIT, fact.deposit)) or _deposit(player, it, fact)
        row.decided(it, "")
        if isinstance(fact, DepositApproved):
            row.ends(APPROVED)
            row.reference_commitment = fact.reference_commitment
        else:
            row.ends(REJECTED if fact.cause in _DROPPED else RETURNED)
            row.cause, row.reason_commitment = fact.cause, fact.reason_commitment
        return row

    def _withdrawal(self, player: int, it: Recorded, fact: WithdrawalFact) -> Row:
        if isinstance(fact, WithdrawalRequested):
            return self._asked(_withdrawal(player, it, fact))
        row = self._known(player, WITHDRAWAL, fact.withdrawal)
        match fact:
            case WithdrawalEndorsed(by=by):
                row.status, row.endorsed_by = ENDORSED, by
            case WithdrawalApproved(by=by):
                row.status = APPROVED
                row.decided(it, by)
            case WithdrawalPaid(channel=channel, reference_commitment=reference):
                row.ends(PAID)
                row.channel, row.reference_commitment = channel, reference
                row.paid_at, row.paid_by = it.at, it.actor
            case WithdrawalRejected(reason_commitment=reason):
                row.ends(REJECTED)
                row.decided(it, "")
                row.reason_commitment = reason
        return row

    def _adjustment(self, player: int, it: Recorded, fact: AdjustmentFact) -> Row:
        if isinstance(fact, AdjustmentProposed | CorrectionProposed):
            return self._asked(_proposal(player, it, ADJUSTMENT, fact.adjustment, fact))
        row = self._known(player, ADJUSTMENT, fact.adjustment)
        row.decided(it, fact.by)
        row.ends(REJECTED if isinstance(fact, AdjustmentRejected) else APPROVED)
        return row

    def _is_gift(self, player: int, fact: GiftFact) -> bool:
        """Whether a second person had to agree; other gifts are given and never asked for."""
        return not isinstance(fact, GiftGranted) or (player, GIFT, fact.gift) in self._open

    def _gift(self, player: int, it: Recorded, fact: GiftFact) -> Row:
        if isinstance(fact, GiftProposed):
            return self._asked(_proposal(player, it, GIFT, fact.gift, fact))
        row = self._known(player, GIFT, fact.gift)
        row.decided(it, "")
        row.ends(APPROVED if isinstance(fact, GiftGranted) else REJECTED)
        return row

    def _account_change(self, player: int, it: Recorded, fact: AccountChangeFact) -> Row:
        if isinstance(fact, AccountChangeProposed):
            row = _row(player, it, fact.kind, fact.change, 0)
            row.asked_by, row.reason_commitment = fact.by, fact.reason_commitment
            return self._asked(row)
        if isinstance(fact, AccountChangeRejected):
            kind = fact.kind
        else:
            kind = ERASURE if isinstance(fact, MemberErased) else PASSWORD_RESET
        row = self._known(player, kind, fact.change)
        row.decided(it, fact.by)
        row.ends(REJECTED if isinstance(fact, AccountChangeRejected) else APPROVED)
        return row

    def save(self, cursor: Cursor[Any]) -> None:
        """Write what changed."""
        write(cursor, _SAVE, TYPES, [astuple(row) for row in self._changed.values()])


def load(cursor: Cursor[Any], page: Iterable[tuple[int, Recorded]]) -> Requests:
    """The open requests of all players about whose requests a page tells something."""
    players = {player for player, it in page if type(it.fact) in _KINDS}
    if not players:
        return Requests(())
    rows = cursor.execute(_LOAD, (integers(sorted(players)),), prepare=True)
    return Requests(Row(*row) for row in rows)


def _deposit(
    player: int, it: Recorded, fact: DepositRequested | DepositApproved | DepositRejected
) -> Row:
    row = _row(player, it, DEPOSIT, fact.deposit, fact.amount_minor)
    row.channel = fact.channel
    if isinstance(fact, DepositRequested):
        row.reference_commitment = fact.reference_commitment
    return row


def _withdrawal(player: int, it: Recorded, fact: WithdrawalRequested) -> Row:
    row = _row(player, it, WITHDRAWAL, fact.withdrawal, fact.amount_minor)
    row.method, row.account = fact.method, fact.account
    return row


def _proposal(
    player: int,
    it: Recorded,
    kind: str,
    request: str,
    fact: AdjustmentProposed | CorrectionProposed | GiftProposed,
) -> Row:
    row = _row(player, it, kind, request, fact.amount_minor)
    row.asked_by, row.reason_commitment = fact.by, fact.reason_commitment
    return row


def _row(player: int, it: Recorded, kind: str, request: str, amount_minor: int) -> Row:
    return Row(
        player, it.position, kind, request, 1, REQUESTED, amount_minor, "", NO_METHOD, "",
        it.at, it.actor,
    )  # fmt: skip
