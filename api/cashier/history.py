"""The player's bet history and fund ledger: /api/user/orderList and quantityLogList.

/api/user/statementCsv has the fund ledger as a CSV file.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from msgspec import Raw, Struct
from psycopg import Connection

from api.http.call_request import ApiRequest, Auth, CallRequest
from api.http.calls import call
from api.http.envelope import CallResult
from api.http.field_types import (
    At,
    Count,
    Cursor,
    Day,
    EntryStatus,
    EntryType,
    Flag,
    GameId,
    Id,
    Issue,
    Money,
    NoFilter,
    Odds,
    OrderStatus,
    PageSize,
    PlanId,
    Position,
    Version,
)
from api.http.localization import Translations
from api.http.long_lists import Encoded, ListReader, encoded
from api.http.refusals import CallRefused
from api.http.wire import encode, issue_number, money, odds, seconds
from api.realtime.hub_feed import draw_of
from api.services import Services
from api.settings import Settings
from engine.bets.facts import BetPlaced, BetRecalled, BetSettled, BetVoided
from engine.catalogue import GAMES
from engine.facts import TOPICS, player_stream
from engine.refusals import Refusal
from engine.schedule import calendar_day, day_bounds
from projections import bets, draws, statements
from projections.bets import BetRow
from projections.csv_cells import escape
from projections.draws import RoundDocument
from projections.pagination import CursorPage
from projections.statements import Entry

ORDERS: Final = "/api/user/orderList"
ENTRIES: Final = "/api/user/quantityLogList"
EARLIEST: Final = "2018-01-01"
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_SETTLED: Final = 1
_TYPES: Final = range(5)
# Values that no row has.
_NO_GAME: Final = 0
_NO_TYPE: Final = -1
_MARKS: Final = {
    TOPICS[BetPlaced]: "placed",
    TOPICS[BetRecalled]: "recalled",
    TOPICS[BetVoided]: "voided",
    TOPICS[BetSettled]: "settled",
}
MAX_CSV_ROWS: Final = 10_000
CSV_COLUMNS: Final = (
    "id",
    "time",
    "type",
    "status",
    "about",
    "amount",
    "before",
    "after",
    "handler",
)
_CSV_TYPES: Final = ("deposit", "withdrawal", "purchase", "profit", "gift")
_CSV_STATUSES: Final = ("pending", "passed", "rejected")
# Without it spreadsheets decode the text with a legacy code page.
_BYTE_ORDER_MARK: Final = "\ufeff"


class DatesRequest(ApiRequest):
    """Days in the operator's time zone, yyyy-mm-dd, today if empty; `end_date` is included."""

    begin_date: Day | None = None
    end_date: Day | None = None
    cursor: Cursor | None = None


class OrdersRequest(DatesRequest):
    """Bets, optionally of one game, round, status or result only.

    Without a `limit` there are up to 1,000. For the rate limit, every 50 rows count as one call.
    """

    game_id: GameId | NoFilter | None = None
    issue_code: Issue | None = None
    limit: PageSize | None = None
    status: OrderStatus | NoFilter | None = None
    whether_hit: Flag | NoFilter | None = None


class EntriesRequest(DatesRequest):
    """Entries, optionally of one type: 0 deposit, 1 withdraw, 2 purchase, 3 profit, 4 gift."""

    type: EntryType | NoFilter | None = None


class EntriesPageRequest(EntriesRequest):
    """Without a `limit` there are up to 1,000 entries.

    For the rate limit, every 50 rows count as one call.
    """

    limit: PageSize | None = None


class OrderItem(Struct, frozen=True, gc=False):
    """A bet; `status` is 0 accepted, 1 settled, 2 recalled, 3 voided."""

    createtime: At
    title: str
    play_method: str
    play_type: str
    plan_name: str
    game_id: GameId
    plan_id: PlanId
    status: OrderStatus
    whether_hit: Flag
    profit: Money
    payout: Money
    odds: Odds
    issue: str
    quantity: Money
    orderNo: str  # noqa: N815 - the specification's name
    lottery_code: str


class EntryItem(Struct, frozen=True, gc=False):
    """A row of the caller's statement; `over` is the available balance after it.

    `status` is 0 not passed yet, 1 passed, 2 rejected. A deposit counts once it passed. A
    withdrawal counts from its request on; returned money has a row of its own. `handler` is player,
    staff or house, and empty while the row is undecided.
    """

    id: Id
    type: EntryType
    status: EntryStatus
    mark: str
    createtime: At
    quantity: Money
    before: Money
    over: Money
    version: Version
    position: Position
    handler: str


@call(ORDERS, "The caller's bets, newest first", auth=Auth.PLAYER)
async def order_list(
    request: CallRequest,
    data: OrdersRequest,
    settings: Settings,
    clock: Callable[[], int],
    lists: ListReader,
) -> CallResult[list[OrderItem]]:
    """Returns the caller's bets of these days, newest first.

    `profit` is payout minus stake, 0 until the bet is settled.
    """
    player = request.player
    since, until = period(data, settings, clock)
    issue = issue_number(data.issue_code) if data.issue_code else None
    game = data.game_id or None
    if game is not None and game not in GAMES:
        game = _NO_GAME

    def read(connection: Connection[Any], limit: int) -> Encoded:
        found = bets.list_bets(
            connection,
            player,
            since,
            until,
            game=game,
            issue=issue,
            status=None if data.status == "" else data.status,
            paid=None if data.whether_hit in {None, ""} else data.whether_hit == 1,
            cursor=data.cursor or None,
            limit=limit,
        )
        keys = {(order.game, order.issue) for order in found.items if order.status == _SETTLED}
        rounds = draws.by_issues(connection, list(keys))
        items = [
            _order(order, rounds.get((order.game, order.issue)), request.texts)
            for order in found.items
        ]
        return encoded(found, items)

    return await lists.read_own(request, ORDERS, data.limit, read)


@call(ENTRIES, "The caller's fund ledger, newest first", auth=Auth.PLAYER)
async def quantity_log_list(
    request: CallRequest,
    data: EntriesPageRequest,
    settings: Settings,
    clock: Callable[[], int],
    lists: ListReader,
) -> CallResult[list[EntryItem]]:
    """Returns the caller's fund ledger of these days, newest first.

    Type 2 is a stake (negative) or a returned stake (positive). Type 3 is the whole payout. A
    returned withdrawal has a second row of type 1. Rows that do not count yet have status 0.
    """
    since, until = period(data, settings, clock)

    def read(connection: Connection[Any], limit: int) -> Encoded:
        found = entries(request, data, connection, since, until, limit)
        return encoded(found, [entry_item(entry, request.texts) for entry in found.items])

    return await lists.read_own(request, ENTRIES, data.limit, read)


def entries(
    request: CallRequest, data: Any, connection: Connection[Any], since: int, until: int, limit: int
) -> CursorPage[Entry]:
    """Returns up to `limit` of the caller's entries in [since, until), newest first; blocks."""
    requested = None if data.type == "" else data.type
    kind = requested if requested is None or requested in _TYPES else _NO_TYPE
    return statements.statement(
        connection,
        request.player,
        since,
        until,
        kind=kind,
        cursor=data.cursor or None,
        limit=limit,
    )


def period(data: Any, settings: Settings, clock: Callable[[], int]) -> tuple[int, int]:
    """Returns the requested days as [since, until) in microseconds."""
    timezone = settings.timezone
    today = calendar_day(timezone, clock())
    since, _ = _bounds(timezone, data.begin_date or today, "begin_date")
    _, until = _bounds(timezone, data.end_date or today, "end_date")
    return since, until


def _bounds(timezone: str, day: str, field: str) -> tuple[int, int]:
    try:
        if _DAY.fullmatch(day) and day >= EARLIEST:
            return day_bounds(timezone, day)
    except (ValueError, OverflowError):
        pass
    raise CallRefused(Refusal.REQUEST_MALFORMED, field)


def _order(order: BetRow, drawn: RoundDocument | None, texts: Translations) -> OrderItem:
    settled = order.status == _SETTLED
    draw = draw_of(drawn) if settled else None
    return OrderItem(
        createtime=seconds(order.placed_at),
        title=texts.games[order.game],
        play_method=texts.kind(order.kind),
        play_type=order.kind,
        plan_name=texts.plan(order.plan),
        game_id=order.game,
        plan_id=order.plan,
        status=order.status,
        whether_hit=int(settled and order.payout > 0),
        profit=money(order.payout - order.stake if settled else 0),
        payout=money(order.payout),
        odds=odds(order.odds),
        issue=order.issue,
        quantity=money(order.stake),
        orderNo=order.bet,
        lottery_code=draw.code if draw else "",
    )


def entry_item(entry: Entry, texts: Translations) -> EntryItem:
    """Returns a row of the statement in the caller's language."""
    return EntryItem(
        entry.id,
        entry.type,
        entry.status,
        _mark(entry, texts),
        seconds(entry.at),
        # Bonus money that becomes available has an entry with amount 0 and a negative bonus.
        money(entry.amount or -entry.bonus),
        money(entry.before),
        money(entry.after),
        entry.version,
        entry.position,
        _handler(entry),
    )


def _handler(entry: Entry) -> str:
    """Returns who handled an entry, without the names of staff."""
    if entry.handler == player_stream(entry.player):
        return "player"
    if entry.handler.startswith("staff:"):
        return "staff"
    return "house" if entry.handler else ""


def _mark(entry: Entry, texts: Translations) -> str:
    """Returns the subject of an entry: the channel of a deposit, or game, round and bet."""
    mark = _MARKS.get(entry.topic)
    if mark is None:
        return texts.marks.get(entry.detail, entry.detail)
    words = {"game": texts.games[entry.game], "issue": entry.issue}
    return texts.marks[mark].format(**words, kind=texts.kind(entry.detail))


class StatementCsv(Struct, frozen=True):
    """A file's `name` and `content`; amounts are in u, times in the operator's time zone.

    Newest first, at most 10,000 rows; `cursor` continues a longer period.
    """

    name: str
    content: str
    rows: Count


@call("/api/user/statementCsv", "The caller's fund ledger as a CSV file", auth=Auth.PLAYER)
async def statement_csv(
    request: CallRequest, data: EntriesRequest, services: Services
) -> CallResult[StatementCsv]:
    """Returns the same rows as the fund ledger, as a CSV file."""
    timezone = services.settings.timezone
    since, until = period(data, services.settings, services.clock)
    days = f"{calendar_day(timezone, since)}-to-{calendar_day(timezone, until - 1)}"

    def read(connection: Connection[Any]) -> Encoded:
        found = entries(request, data, connection, since, until, MAX_CSV_ROWS)
        items = (entry_item(entry, request.texts) for entry in found.items)
        content, rows = csv_of(items, timezone), len(found.items)
        file = StatementCsv(f"statement-{days}.csv", content, rows)
        return Encoded(Raw(encode(file)), rows, found.cursor)

    await services.read_models.wait_for_own_writes(request.player)
    return (await services.lists.read(read)).to_result()


def csv_of(items: Iterable[EntryItem], timezone: str) -> str:
    """Returns a CSV table with a header; no cell is a formula, and every amount is a number."""
    file, zone = io.StringIO(), ZoneInfo(timezone)
    file.write(_BYTE_ORDER_MARK)
    writer = csv.writer(file)
    writer.writerow(CSV_COLUMNS)
    for item in items:
        writer.writerow([escape(cell) for cell in _csv_row(item, zone)])
    return file.getvalue()


def _csv_row(item: EntryItem, zone: ZoneInfo) -> tuple[object, ...]:
    return (
        item.id,
        datetime.fromtimestamp(item.createtime, zone).isoformat(sep=" "),
        _CSV_TYPES[item.type],
        _CSV_STATUSES[item.status],
        item.mark,
        item.quantity,
        item.before,
        item.over,
        item.handler,
    )
