"""Updates balances, profits and statements from facts, using only their postings.

A row of a statement is written once and never changed, with one exception. A requested deposit has
a row that changes no balance. On approval that row is replaced by one at the position of the
credit, so that the balances of consecutive rows agree. The status of a request is joined to its row
at query time and never stored in it.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final, Protocol

from msgspec import Struct
from msgspec.structs import astuple
from psycopg import Cursor

from engine.bets.facts import BetPlaced, BetRecalled, BetSettled, BetVoided
from engine.cashier.facts import (
    AdjustmentApproved,
    BonusReleased,
    CorrectionApproved,
    DepositApproved,
    DepositRejected,
    DepositRequested,
    GiftGranted,
    TurnoverCounted,
    WithdrawalRejected,
    WithdrawalRequested,
)
from engine.facts import TOPICS, Fact, RecordedFact, player_of
from engine.house.bookings import Booked
from engine.ledger import postings
from engine.players.facts import MemberJoined, PlayerRegistered
from engine.runtime.log.pg_arrays import integers
from engine.schedule import Calendar
from projections.approvals.projection import ApprovalFold, load
from projections.approvals.rows import SCHEMA as REQUESTS_SCHEMA
from projections.approvals.rows import ApprovalRow as Request
from projections.runner.bulk_sql import copy, copy_rows, execute_rows, insert, unnest_select

DEPOSIT: Final = 0
WITHDRAWAL: Final = 1
PURCHASE: Final = 2
PROFIT: Final = 3
GIFT: Final = 4

_ENTRIES_SCHEMA: Final = """
CREATE TABLE entries (
    player bigint,
    at bigint,
    position bigint,
    version bigint NOT NULL,
    type smallint NOT NULL,
    amount bigint NOT NULL,
    bonus bigint NOT NULL,
    before bigint NOT NULL,
    after bigint NOT NULL,
    actor text NOT NULL,
    command_id text NOT NULL,
    topic text NOT NULL,
    game smallint NOT NULL,
    issue text NOT NULL,
    bet text NOT NULL,
    detail text NOT NULL,
    asked bigint NOT NULL,
    reference text NOT NULL,
    reason_commitment text NOT NULL,
    PRIMARY KEY (player, at, position)
);
"""
_COLUMNS: Final = (
    "player, at, position, version, type, amount, bonus, before, after, actor, command_id, topic,"
    " game, issue, bet, detail, asked, reference, reason_commitment"
)
_TYPES: Final = "iiiisiiiitttstttitt"
_COPY: Final = copy("entries", _COLUMNS)
_DELETE: Final = (
    f"DELETE FROM entries USING ({unnest_select('player, at, position')}) AS gone"
    " WHERE entries.player = gone.player AND entries.at = gone.at"
    " AND entries.position = gone.position"
)

_Mark = tuple[int, int, str, str, str]
_Key = tuple[int, int, int]
_MEMBER: Final = 1
_COUNTED: Final = frozenset({BetSettled, DepositApproved, TurnoverCounted, MemberJoined})
_SCHEMA = (
    """
CREATE TABLE accounts (
    player bigint PRIMARY KEY,
    available bigint NOT NULL CHECK (available >= 0),
    staked bigint NOT NULL CHECK (staked >= 0),
    withdrawing bigint NOT NULL CHECK (withdrawing >= 0),
    bonus bigint NOT NULL CHECK (bonus >= 0),
    version bigint NOT NULL,
    position bigint NOT NULL,
    bot bigint NOT NULL,
    member_group bigint NOT NULL,
    registered_at bigint NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE profits (
    player bigint,
    day text COLLATE "C",
    profit bigint NOT NULL,
    PRIMARY KEY (player, day)
) WITH (fillfactor = 70);
CREATE TABLE house_accounts (
    account text COLLATE "C",
    bots bigint,
    balance bigint NOT NULL,
    PRIMARY KEY (account, bots)
);
CREATE TABLE flows (
    player bigint,
    day text COLLATE "C",
    deposited bigint NOT NULL,
    turnover bigint NOT NULL,
    PRIMARY KEY (player, day)
) WITH (fillfactor = 70);
"""
    + _ENTRIES_SCHEMA
    + REQUESTS_SCHEMA
)
_ACCOUNT_COLUMNS = (
    "player, available, staked, withdrawing, bonus, version, position, bot, member_group,"
    " registered_at"
)
_LOAD = f"SELECT {_ACCOUNT_COLUMNS} FROM accounts WHERE player = ANY(%s)"
_CHANGED = ("available", "staked", "withdrawing", "bonus", "version", "position", "member_group")
_PROFITS = insert(
    "profits",
    "player, day, profit",
    then="ON CONFLICT (player, day) DO UPDATE SET profit = profits.profit + excluded.profit",
)
_FLOWS = insert(
    "flows",
    "player, day, deposited, turnover",
    then="ON CONFLICT (player, day) DO UPDATE SET"
    " deposited = flows.deposited + excluded.deposited,"
    " turnover = flows.turnover + excluded.turnover",
)
_HOUSE = insert(
    "house_accounts",
    "account, bots, balance",
    then="ON CONFLICT (account, bots)"
    " DO UPDATE SET balance = house_accounts.balance + excluded.balance",
)


class PlayerBalance(Protocol):
    """A player's money after the fact, in minor units."""

    player: int
    available: int
    bonus: int


class Entries:
    """The rows that a page adds to statements, and those that it deletes."""

    def __init__(self) -> None:
        self._added: dict[int, tuple[Any, ...]] = {}
        self._gone: list[_Key] = []

    def take(
        self, it: RecordedFact, now: PlayerBalance, was: tuple[int, int], request: Request | None
    ) -> None:
        """Apply a fact; `was` is the available and the bonus money before it."""
        moved = was != (now.available, now.bonus)
        if moved or _is_notice(it, request):
            self._added[it.position] = _entry(it, now, was, request)
        if request and isinstance(it.fact, DepositApproved) and request.position != it.position:
            self._remove((request.player, request.requested_at, request.position))

    def _remove(self, key: _Key) -> None:
        if self._added.pop(key[2], None) is None:
            self._gone.append(key)

    def save(self, cursor: Cursor[Any]) -> None:
        """Write the changes."""
        if self._gone:
            gone = [integers(values) for values in zip(*self._gone, strict=True)]
            cursor.execute(_DELETE, gone, prepare=True)
        copy_rows(cursor, _COPY, _TYPES, list(self._added.values()))


def _is_notice(it: RecordedFact, request: Request | None) -> bool:
    """Whether the fact is the first one about a deposit and credits no money."""
    first = request is not None and request.position == it.position
    return first and isinstance(it.fact, DepositRequested | DepositRejected)


def _entry(
    it: RecordedFact, now: PlayerBalance, was: tuple[int, int], request: Request | None
) -> tuple[Any, ...]:
    """The row of a fact, in the order of `_COLUMNS`."""
    kind, game, issue, bet, detail = _mark(it.fact)
    available, bonus = was
    to_bonus = now.bonus - bonus
    amount = now.available - available + to_bonus
    if request and isinstance(it.fact, DepositRequested | DepositRejected):
        amount = it.fact.amount_minor
    reference, reason = (request.id, "") if request else _reference(it.fact)
    return (
        now.player,
        it.at,
        it.position,
        it.version,
        kind,
        amount,
        to_bonus,
        available,
        now.available,
        it.actor,
        it.command_id,
        TOPICS[type(it.fact)],
        game,
        issue,
        bet,
        detail,
        request.position if request else 0,
        reference,
        reason,
    )


def _reference(fact: Fact) -> tuple[str, str]:
    return (fact.gift, fact.reason_commitment) if isinstance(fact, GiftGranted) else ("", "")


def _mark(fact: Fact) -> _Mark:
    match fact:
        case BetPlaced():
            return PURCHASE, fact.game, fact.issue, fact.bet, fact.kind
        case BetSettled():
            return PROFIT, fact.game, fact.issue, fact.bet, str(fact.total)
        case BetRecalled() | BetVoided():
            return PURCHASE, fact.game, fact.issue, fact.bet, ""
        case DepositApproved() | DepositRequested() | DepositRejected():
            return DEPOSIT, 0, "", "", fact.channel
        case WithdrawalRequested():
            return WITHDRAWAL, 0, "", "", "withdrawal"
        case WithdrawalRejected():
            return WITHDRAWAL, 0, "", "", "returned"
        case GiftGranted():
            return GIFT, 0, "", "", fact.cause
        case BonusReleased():
            return GIFT, 0, "", "", "released"
        case AdjustmentApproved() | CorrectionApproved():
            return GIFT, 0, "", "", "adjustment"
        case _:
            raise TypeError(f"{TOPICS[type(fact)]} moves money, but has no statement entry")


_SAVE = insert(
    "accounts",
    _ACCOUNT_COLUMNS,
    then="ON CONFLICT (player) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in _CHANGED),
)


class AccountRow(Struct):
    """A row of `accounts`, in minor units; it changes as a page is applied."""

    player: int
    available: int = 0
    staked: int = 0
    withdrawing: int = 0
    bonus: int = 0
    version: int = 0
    position: int = 0
    bot: int = 0
    group: int = 0
    registered_at: int = 0


class AccountProjection:
    """The read model; profits and flows count by calendar days in `timezone`, an IANA name."""

    name = "accounts"
    version = 2
    tables = ("accounts", "profits", "house_accounts", "flows", "entries", "requests")
    schema = _SCHEMA

    def __init__(self, timezone: str) -> None:
        self._timezone = timezone

    def apply(self, cursor: Cursor[Any], page: Sequence[RecordedFact]) -> None:
        """Apply a page; a player's facts must arrive in the order of their versions."""
        moves = [(player_of(it.stream), it) for it in page if it.stream.startswith("player-")]
        booked = [it for it in page if isinstance(it.fact, Booked)]
        if not moves and not booked:
            return
        rows = _load(cursor, {player for player, _ in moves})
        work = _Page(self._timezone, rows, load(cursor, moves))
        for player, recorded in moves:
            work.take(player, recorded)
        for recorded in booked:
            work.book(recorded)
        work.save(cursor)


class _Page:
    """The changes of one page, collected so that each row is written once."""

    def __init__(self, timezone: str, rows: dict[int, AccountRow], approvals: ApprovalFold) -> None:
        self._rows = rows
        self._approvals = approvals
        self._entries = Entries()
        self._profits: defaultdict[tuple[int, str], int] = defaultdict(int)
        self._deposited: defaultdict[tuple[int, str], int] = defaultdict(int)
        self._turnover: defaultdict[tuple[int, str], int] = defaultdict(int)
        self._house: defaultdict[tuple[str, int], int] = defaultdict(int)
        self._days = Calendar(timezone)

    def take(self, player: int, recorded: RecordedFact) -> None:
        fact = recorded.fact
        if isinstance(fact, PlayerRegistered):
            self._rows[player] = AccountRow(
                player, bot=fact.bot, group=fact.group, registered_at=recorded.at
            )
        row = self._rows.get(player)
        if row is None or row.version != recorded.version - 1:
            raise LookupError(f"player {player} is not at version {recorded.version - 1}")
        row.version, row.position = recorded.version, recorded.position
        available, bonus = row.available, row.bonus
        self._post(row, recorded)
        self._entries.take(
            recorded, row, (available, bonus), self._approvals.take(player, recorded)
        )
        self._count(row, recorded)

    def book(self, recorded: RecordedFact) -> None:
        """Apply a booking between `house:*` accounts; it never belongs to a bot."""
        for posting in postings(recorded):
            self._house[posting.account, 0] += posting.amount_minor

    def _count(self, row: AccountRow, recorded: RecordedFact) -> None:
        """Update daily totals and the member group, which no posting carries."""
        if type(recorded.fact) not in _COUNTED:
            return
        key = (row.player, self._days.day(recorded.at))
        match recorded.fact:
            case BetSettled(payout_minor=payout, stake_minor=stake):
                self._profits[key] += payout - stake
            case DepositApproved(amount_minor=amount):
                self._deposited[key] += amount
            case TurnoverCounted(effective_minor=effective):
                self._turnover[key] += effective
            case MemberJoined():
                row.group = _MEMBER
            case _:
                pass

    def _post(self, row: AccountRow, recorded: RecordedFact) -> None:
        for posting in postings(recorded):
            name = posting.account
            if name.startswith("player:"):
                part = name[name.rindex(":") + 1 :]
                setattr(row, part, getattr(row, part) + posting.amount_minor)
            else:
                self._house[name, row.bot] += posting.amount_minor

    def save(self, cursor: Cursor[Any]) -> None:
        execute_rows(cursor, _SAVE, "iiiiiiiiii", [astuple(row) for row in self._rows.values()])
        self._entries.save(cursor)
        self._approvals.save(cursor)
        execute_rows(cursor, _PROFITS, "iti", _flat(self._profits))
        days = self._deposited.keys() | self._turnover.keys()
        flows = [(*day, self._deposited[day], self._turnover[day]) for day in sorted(days)]
        execute_rows(cursor, _FLOWS, "itii", flows)
        execute_rows(cursor, _HOUSE, "tii", _flat(self._house))


def _load(cursor: Cursor[Any], players: Iterable[int]) -> dict[int, AccountRow]:
    rows = cursor.execute(_LOAD, (integers(sorted(players)),), prepare=True)
    return {row[0]: AccountRow(*row) for row in rows}


def _flat(sums: dict[tuple[Any, Any], int]) -> list[tuple[Any, ...]]:
    return [(*name, amount) for name, amount in sums.items()]
