"""What may be asked about accounts. Amounts are minor units, times microseconds since 1970."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from psycopg import Connection

from projections.listing import LIMIT, Listing, after, cut, rows

_ACCOUNT = (
    "SELECT player, available, staked, withdrawing, bonus, version, position, bot <> 0,"
    " member_group, registered_at FROM views.accounts WHERE player = %s"
)
_PROFITS = "SELECT day, profit FROM views.profits WHERE player = %s AND day = ANY(%s)"
_STATEMENT = (
    "SELECT position, player, type, 1, amount, bonus, before, after, version, at, at, actor,"
    " position, command_id, topic, game, issue, bet, detail FROM views.entries"
    " WHERE player = %(player)s AND at >= %(since)s AND at < %(until)s"
    " AND (at, position) < (%(at)s, %(position)s)"
    " AND (%(kind)s::int IS NULL OR type = %(kind)s)"
    " ORDER BY at DESC, position DESC LIMIT %(limit)s"
)
_TRIAL_BALANCE = (
    "SELECT 'player:' || part, bots, sum(balance)::bigint FROM ("
    " SELECT bot <> 0 AS bots, part, balance FROM views.accounts, LATERAL (VALUES"
    " ('available', available), ('staked', staked), ('withdrawing', withdrawing),"
    " ('bonus', bonus)) AS parts (part, balance)) AS players GROUP BY part, bots"
    " UNION ALL SELECT account, bots <> 0, balance FROM views.house_accounts ORDER BY 2, 1"
)
_LIABILITY = (
    "SELECT coalesce(sum(available + staked + withdrawing + bonus), 0)::bigint"
    " FROM views.accounts WHERE bot = 0"
)


class Account(Struct, frozen=True, gc=False):
    """A player's money; `version` is their stream's, `position` that of its last fact."""

    player: int
    available: int
    staked: int
    withdrawing: int
    bonus: int
    version: int
    position: int
    bot: bool
    group: int
    registered_at: int

    @property
    def total(self) -> int:
        """Everything that is the player's."""
        return self.available + self.staked + self.withdrawing + self.bonus


class Entry(Struct, frozen=True, gc=False):
    """One change of a player's money: `after = before + amount - bonus`, all available money.

    `type` is 0 deposit, 1 withdrawal, 2 purchase, 3 profit, 4 gift; `bonus` the part of
    `amount` that is bonus money; `detail` a deposit's channel, a purchase's kind or the sum drawn.
    """

    id: int
    player: int
    type: int
    status: int
    amount: int
    bonus: int
    before: int
    after: int
    version: int
    at: int
    recorded_at: int
    actor: str
    position: int
    command_id: str
    topic: str
    game: int
    issue: str
    bet: str
    detail: str


class AccountTotal(Struct, frozen=True, gc=False):
    """An account of the house or the world, or one part of all players'; bots' apart."""

    account: str
    bots: bool
    balance: int


def account(connection: Connection[Any], player: int) -> Account | None:
    """A player's account; None before their registration is applied."""
    found = rows(connection, _ACCOUNT, (player,))
    return Account(*found[0]) if found else None


def profits(connection: Connection[Any], player: int, days: Sequence[str]) -> dict[str, int]:
    """Payout less stake of the bets settled on each of these calendar days (yyyy-mm-dd)."""
    found = dict(rows(connection, _PROFITS, (player, list(days))))
    return {day: found.get(day, 0) for day in days}


def statement(
    connection: Connection[Any],
    player: int,
    since: int,
    until: int,
    *,
    kind: int | None = None,
    cursor: str | None = None,
    limit: int = LIMIT,
) -> Listing[Entry]:
    """A player's entries in [since, until), newest first; a ValueError for a foreign cursor."""
    at, position = after(cursor)
    values = {"player": player, "since": since, "until": until, "kind": kind}
    values |= {"at": at, "position": position, "limit": limit + 1}
    found = rows(connection, _STATEMENT, values)
    return cut(found, limit, lambda row: Entry(*row), lambda it: (it.at, it.position))


def trial_balance(connection: Connection[Any]) -> tuple[AccountTotal, ...]:
    """Every account's balance; they sum to zero, those of bots and of people each as well."""
    return tuple(AccountTotal(*row) for row in rows(connection, _TRIAL_BALANCE, ()))


def liability(connection: Connection[Any]) -> int:
    """What the house owes its members and guests."""
    total: int = rows(connection, _LIABILITY, ())[0][0]
    return total
