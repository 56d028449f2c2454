"""How facts change balances, profits and statements: through their postings alone."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import astuple
from psycopg import Cursor

from engine.facts import Recorded, player_of
from engine.ledger import postings
from engine.players.facts import BetSettled, PlayerRegistered
from engine.runtime.arrays import integers
from engine.schedule import Calendar
from projections.accounts.entries import ENTRY_COLUMNS, ENTRY_TYPES, entry
from projections.columns import insert, write

PARTS: Final = ("available", "staked", "withdrawing", "bonus")

_SCHEMA = """
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
    PRIMARY KEY (player, at, position)
);
"""
_ACCOUNT_COLUMNS = (
    "player, available, staked, withdrawing, bonus, version, position, bot, member_group,"
    " registered_at"
)
_LOAD = f"SELECT {_ACCOUNT_COLUMNS} FROM accounts WHERE player = ANY(%s)"
_CHANGED = ("available", "staked", "withdrawing", "bonus", "version", "position")
_SAVE = insert(
    "accounts",
    _ACCOUNT_COLUMNS,
    then="ON CONFLICT (player) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in _CHANGED),
)
_PROFITS = insert(
    "profits",
    "player, day, profit",
    then="ON CONFLICT (player, day) DO UPDATE SET profit = profits.profit + excluded.profit",
)
_HOUSE = insert(
    "house_accounts",
    "account, bots, balance",
    then="ON CONFLICT (account, bots)"
    " DO UPDATE SET balance = house_accounts.balance + excluded.balance",
)
_ENTRIES = insert("entries", ENTRY_COLUMNS)


class Row(Struct):
    """A row of `accounts`, in minor units, as it changes along a page."""

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


class Accounts:
    """The model; profits count by the calendar days of `timezone`, an IANA name."""

    name = "accounts"
    version = 1
    tables = ("accounts", "profits", "house_accounts", "entries")
    schema = _SCHEMA

    def __init__(self, timezone: str) -> None:
        self._timezone = timezone

    def apply(self, cursor: Cursor[Any], page: Sequence[Recorded]) -> None:
        """Take in a page; a player's facts must come in the order of their versions."""
        moves = [(player_of(it.stream), it) for it in page if it.stream.startswith("player-")]
        if not moves:
            return
        work = _Page(self._timezone, _load(cursor, {player for player, _ in moves}))
        for player, recorded in moves:
            work.take(player, recorded)
        work.save(cursor)


class _Page:
    """What one page changes, gathered so that every row is written once."""

    def __init__(self, timezone: str, rows: dict[int, Row]) -> None:
        self._rows = rows
        self._entries: list[tuple[Any, ...]] = []
        self._profits: defaultdict[tuple[int, str], int] = defaultdict(int)
        self._house: defaultdict[tuple[str, int], int] = defaultdict(int)
        self._days = Calendar(timezone)

    def take(self, player: int, recorded: Recorded) -> None:
        fact = recorded.fact
        if isinstance(fact, PlayerRegistered):
            self._rows[player] = Row(
                player, bot=fact.bot, group=fact.group, registered_at=recorded.at
            )
        row = self._rows.get(player)
        if row is None or row.version != recorded.version - 1:
            raise LookupError(f"player {player} is not at version {recorded.version - 1}")
        row.version, row.position = recorded.version, recorded.position
        available, bonus = row.available, row.bonus
        self._post(row, recorded)
        if row.available != available or row.bonus != bonus:
            self._entries.append(entry(recorded, row, available, bonus))
        if isinstance(fact, BetSettled):
            day = self._days.day(recorded.at)
            self._profits[player, day] += fact.payout_minor - fact.stake_minor

    def _post(self, row: Row, recorded: Recorded) -> None:
        for posting in postings(recorded):
            owner, _, part = posting.account.rpartition(":")
            if owner.startswith("player:"):
                setattr(row, part, getattr(row, part) + posting.amount_minor)
            else:
                self._house[posting.account, row.bot] += posting.amount_minor

    def save(self, cursor: Cursor[Any]) -> None:
        write(cursor, _SAVE, "iiiiiiiiii", [astuple(row) for row in self._rows.values()])
        write(cursor, _ENTRIES, ENTRY_TYPES, self._entries)
        write(cursor, _PROFITS, "iti", _flat(self._profits))
        write(cursor, _HOUSE, "tii", _flat(self._house))


def _load(cursor: Cursor[Any], players: Iterable[int]) -> dict[int, Row]:
    rows = cursor.execute(_LOAD, (integers(sorted(players)),), prepare=True)
    return {row[0]: Row(*row) for row in rows}


def _flat(sums: dict[tuple[Any, Any], int]) -> list[tuple[Any, ...]]:
    return [(*name, amount) for name, amount in sums.items()]
