"""Queries on accounts. Amounts are minor units, times microseconds since 1970."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from psycopg import Connection

from projections.pagination import LIMIT, CursorPage, paginate, parse_cursor, rows

_ACCOUNT = (
    "SELECT player, available, staked, withdrawing, bonus, version, position, bot <> 0,"
    " member_group, registered_at FROM views.accounts WHERE player = %s"
)
_PROFITS = "SELECT day, profit FROM views.profits WHERE player = %s AND day = ANY(%s)"
# A deposit keeps one id from its notice on; a withdrawal's return is a separate row.
_STATEMENT = (
    "SELECT CASE WHEN type = 0 AND asked > 0 THEN asked ELSE position END, player, type,"
    " CASE WHEN request IS NULL OR (type = 1 AND position <> asked) THEN 1 WHEN open = 1 THEN 0"
    " WHEN request_status IN ('approved', 'paid') THEN 1 ELSE 2 END,"
    " amount, bonus, before, after, version, at,"
    " CASE WHEN type = 0 AND asked > 0 THEN asked_at ELSE at END, actor,"
    " position, command_id, topic, game, issue, bet, detail, reference,"
    " CASE WHEN request IS NULL THEN actor ELSE coalesce(nullif(paid_by, ''), decided_by) END,"
    " CASE WHEN kind IN ('adjustment', 'gift') THEN asked_by ELSE coalesce(endorsed_by, '') END,"
    " coalesce(nullif(reason, ''), reason_commitment)"
    " FROM (SELECT * FROM views.entries WHERE player = %(player)s"
    " AND at >= %(since)s AND at < %(until)s AND (at, position) < (%(at)s, %(position)s)"
    " AND (%(kind)s::int IS NULL OR type = %(kind)s)"
    " ORDER BY at DESC, position DESC LIMIT %(limit)s) AS page"
    " LEFT JOIN (SELECT player AS whose, position AS request, kind, open,"
    " status AS request_status, asked_at, asked_by, endorsed_by, decided_by, paid_by,"
    " reason_commitment AS reason FROM views.requests) AS requests"
    " ON asked > 0 AND whose = player AND request = asked"
    " ORDER BY page.at DESC, page.position DESC"
)
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
    registered_at: int

    @property
    def total(self) -> int:
        """The sum of all parts."""
        return self.available + self.staked + self.withdrawing + self.bonus


class Entry(Struct, frozen=True, gc=False):
    """A row of a statement: a change of a player's money, or a requested deposit.

    `type` is 0 deposit, 1 withdrawal, 2 purchase, 3 profit, 4 gift; `status` 0 pending, 1 passed, 2
    rejected. In rows that change money `after = before + amount - bonus`, all available money;
    `bonus` is the part of `amount` that is bonus money. A deposit changes nothing (`before` is
    `after`) until it has passed. A withdrawal changes the balance when it is requested; if it is
    rejected, a positive row returns the amount. The `amount` of released bonus money is 0.

    `at` is when the row took effect, `recorded_at` when it was first requested. `detail` is a
    deposit's channel, a purchase's kind or the sum drawn. `reference` is the id of the deposit,
    withdrawal, gift or adjustment. `actor` caused the row; `handler` decided or paid last ("" if no
    one has yet); `endorsed_by` is the other of two approvers. `reason` is the commitment to their
    text.
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
    reference: str
    handler: str
    endorsed_by: str
    reason: str

    @property
    def moved(self) -> int:
        """The change of the player's money; these sum to available plus bonus."""
        return self.after - self.before + self.bonus


class AccountTotal(Struct, frozen=True, gc=False):
    """A `house:*` or `world:*` account, or one part of all players' accounts; bots are separate."""

    account: str
    bots: bool
    balance: int


def account(connection: Connection[Any], player: int) -> Account | None:
    """Returns a player's account, or None before their registration is applied."""
    found = rows(connection, _ACCOUNT, (player,))
    return Account(*found[0]) if found else None


def profits(connection: Connection[Any], player: int, days: Sequence[str]) -> dict[str, int]:
    """Returns payout less stake of the bets settled on each of these calendar days (yyyy-mm-dd)."""
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
) -> CursorPage[Entry]:
    """Returns a player's entries in [since, until), newest first.

    Raises ValueError if the cursor is invalid.
    """
    at, position = parse_cursor(cursor)
    values = {"player": player, "since": since, "until": until, "kind": kind}
    values |= {"at": at, "position": position, "limit": limit + 1}
    found = rows(connection, _STATEMENT, values)
    return paginate(found, limit, lambda row: Entry(*row), lambda it: (it.at, it.position))


def trial_balance(connection: Connection[Any]) -> tuple[AccountTotal, ...]:
    """Returns the balance of every account.

    All balances sum to zero, as do those of bots and those of people.
    """
    return tuple(AccountTotal(*row) for row in rows(connection, _TRIAL_BALANCE, ()))
