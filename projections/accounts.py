"""The read model of accounts: balances and daily totals of players, and the house's accounts.

The house's are `house:*` and `world:*`. Balances follow from the postings of the ledger, the daily
totals from the facts. It owns the tables of `statements.py` and
`approvals.py` too, so that a balance, its statement and its requests are at the same position.
Amounts are minor units, times microseconds since 1970.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import astuple
from psycopg import Connection, Cursor

from engine.bets.facts import BetSettled
from engine.cashier.facts import DepositApproved, TurnoverCounted
from engine.facts import Fact, RecordedFact, player_of
from engine.house.bookings import Booked
from engine.ledger import MOVES, postings
from engine.players.facts import MemberJoined, PlayerRegistered
from engine.runtime.log.pg_arrays import integers
from engine.schedule import Calendar
from projections import approvals, statements
from projections.pagination import fetch_rows
from projections.runner.projection import execute_rows, insert, unnest_select

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
    + statements.SCHEMA
    + approvals.SCHEMA
)
_ACCOUNT_COLUMNS = (
    "player, available, staked, withdrawing, bonus, version, position, bot, member_group,"
    " registered_at"
)
_LOAD = f"SELECT {_ACCOUNT_COLUMNS} FROM accounts WHERE player = ANY(%s)"
_CHANGED = ("available", "staked", "withdrawing", "bonus", "version", "position", "member_group")
_SAVE_PROFITS = insert(
    "profits",
    "player, day, profit",
    then="ON CONFLICT (player, day) DO UPDATE SET profit = profits.profit + excluded.profit",
)
_SAVE_FLOWS = insert(
    "flows",
    "player, day, deposited, turnover",
    then="ON CONFLICT (player, day) DO UPDATE SET"
    " deposited = flows.deposited + excluded.deposited,"
    " turnover = flows.turnover + excluded.turnover",
)
_SAVE_HOUSE = insert(
    "house_accounts",
    "account, bots, balance",
    then="ON CONFLICT (account, bots)"
    " DO UPDATE SET balance = house_accounts.balance + excluded.balance",
)
_ADD_ACCOUNTS = insert("accounts", _ACCOUNT_COLUMNS)
# A sixth cheaper than ON CONFLICT, which locks each row before it updates it.
_SAVE_ACCOUNTS = (
    f"UPDATE accounts SET {', '.join(f'{name} = changed.{name}' for name in _CHANGED)}"
    f" FROM ({unnest_select(_ACCOUNT_COLUMNS)}) AS changed WHERE accounts.player = changed.player"
)
_ACCOUNT_TYPES = "iiiiiiiiii"


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
        work = _Page(self._timezone, rows, approvals.load(cursor, moves))
        for player, recorded in moves:
            work.take(player, recorded)
        for recorded in booked:
            work.book(recorded)
        work.save(cursor)


class _Page:
    """The changes of one page, collected so that each row is written once."""

    def __init__(
        self, timezone: str, rows: dict[int, AccountRow], requests: approvals.ApprovalFold
    ) -> None:
        self._rows = rows
        self._known = frozenset(rows)
        self._requests = requests
        self._entries = statements.Entries()
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
        self._post(row, fact)
        self._entries.take(recorded, row, (available, bonus), self._requests.take(player, recorded))
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

    def _post(self, row: AccountRow, fact: Fact) -> None:
        """Add what the fact moves. Making its postings first would slow a rebuild by a tenth."""
        moves = MOVES.get(type(fact))
        if moves is None:
            return
        available, bonus, staked, withdrawing, contra = moves(fact)
        row.available += available
        row.bonus += bonus
        row.staked += staked
        row.withdrawing += withdrawing
        if given := available + bonus + staked + withdrawing:
            self._house[contra, row.bot] -= given

    def save(self, cursor: Cursor[Any]) -> None:
        known = [astuple(row) for row in self._rows.values() if row.player in self._known]
        added = [astuple(row) for row in self._rows.values() if row.player not in self._known]
        execute_rows(cursor, _SAVE_ACCOUNTS, _ACCOUNT_TYPES, known)
        execute_rows(cursor, _ADD_ACCOUNTS, _ACCOUNT_TYPES, added)
        self._entries.save(cursor)
        self._requests.save(cursor)
        execute_rows(cursor, _SAVE_PROFITS, "iti", _flat(self._profits))
        days = self._deposited.keys() | self._turnover.keys()
        flows = [(*day, self._deposited[day], self._turnover[day]) for day in sorted(days)]
        execute_rows(cursor, _SAVE_FLOWS, "itii", flows)
        execute_rows(cursor, _SAVE_HOUSE, "tii", _flat(self._house))


def _load(cursor: Cursor[Any], players: Iterable[int]) -> dict[int, AccountRow]:
    rows = cursor.execute(_LOAD, (integers(sorted(players)),), prepare=True)
    return {row[0]: AccountRow(*row) for row in rows}


def _flat(sums: dict[tuple[Any, Any], int]) -> list[tuple[Any, ...]]:
    return [(*name, amount) for name, amount in sums.items()]


_ACCOUNT = (
    "SELECT player, available, staked, withdrawing, bonus, version, position, bot <> 0,"
    " member_group FROM views.accounts WHERE player = %s"
)
_PROFITS = "SELECT day, profit FROM views.profits WHERE player = %s AND day = ANY(%s)"
_TRIAL_BALANCE = (
    "SELECT 'player:' || part, bots, sum(balance)::bigint FROM ("
    " SELECT bot <> 0 AS bots, part, balance FROM views.accounts, LATERAL (VALUES"
    " ('available', available), ('staked', staked), ('withdrawing', withdrawing),"
    " ('bonus', bonus)) AS parts (part, balance)) AS players GROUP BY part, bots"
    " UNION ALL SELECT account, bots <> 0, balance FROM views.house_accounts ORDER BY 2, 1"
)


class Account(Struct, frozen=True, gc=False):
    """A player's money; `version` is the stream's, `position` that of its last fact."""

    player: int
    available: int
    staked: int
    withdrawing: int
    bonus: int
    version: int
    position: int
    bot: bool
    group: int

    @property
    def total(self) -> int:
        """The sum of all parts."""
        return self.available + self.staked + self.withdrawing + self.bonus


class AccountTotal(Struct, frozen=True, gc=False):
    """A `house:*` or `world:*` account, or one part of all players' accounts; bots are separate."""

    account: str
    bots: bool
    balance: int


def account(connection: Connection[Any], player: int) -> Account | None:
    """Returns a player's account, or None before their registration is applied."""
    found = fetch_rows(connection, _ACCOUNT, (player,))
    return Account(*found[0]) if found else None


def profits(connection: Connection[Any], player: int, days: Sequence[str]) -> dict[str, int]:
    """Returns payout less stake of the bets settled on each of these calendar days (yyyy-mm-dd)."""
    found = dict(fetch_rows(connection, _PROFITS, (player, list(days))))
    return {day: found.get(day, 0) for day in days}


def trial_balance(connection: Connection[Any]) -> tuple[AccountTotal, ...]:
    """Returns the balance of every account.

    All balances sum to zero, as do those of bots and those of people.
    """
    return tuple(AccountTotal(*row) for row in fetch_rows(connection, _TRIAL_BALANCE, ()))
