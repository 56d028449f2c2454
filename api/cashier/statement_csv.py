"""The caller's statement as a CSV file: /api/user/statementCsv."""

import csv
import io
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from msgspec import Raw, Struct
from psycopg import Connection

from api.cashier.history import EntriesRequest, EntryItem, entries, entry_item, period
from api.http.call_request import Auth, CallRequest
from api.http.calls import call
from api.http.envelope import CallResult
from api.http.field_types import Count
from api.http.long_lists import Encoded
from api.http.wire import encode
from api.services import Services
from engine.schedule import calendar_day
from projections.csv_cells import escape

MAX_ROWS: Final = 10_000
COLUMNS: Final = ("id", "time", "type", "status", "about", "amount", "before", "after", "handler")
_TYPES: Final = ("deposit", "withdrawal", "purchase", "profit", "gift")
_STATUSES: Final = ("pending", "passed", "rejected")
# Without it spreadsheets decode the text with a legacy code page.
_BYTE_ORDER_MARK: Final = "\ufeff"


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
    since, until = period(data, services)
    days = f"{calendar_day(timezone, since)}-to-{calendar_day(timezone, until - 1)}"

    def read(connection: Connection[Any]) -> Encoded:
        found = entries(request, data, connection, since, until, MAX_ROWS)
        items = (entry_item(entry, request.texts) for entry in found.items)
        content, rows = csv_of(items, timezone), len(found.items)
        file = StatementCsv(f"statement-{days}.csv", content, rows)
        return Encoded(Raw(encode(file)), rows, found.cursor)

    await services.wait_for_own_writes(request.player)
    return (await services.lists.read(read)).to_result()


def csv_of(items: Iterable[EntryItem], timezone: str) -> str:
    """Returns a CSV table with a header; no cell is a formula, and every amount is a number."""
    file, zone = io.StringIO(), ZoneInfo(timezone)
    file.write(_BYTE_ORDER_MARK)
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    for item in items:
        writer.writerow([escape(cell) for cell in _row(item, zone)])
    return file.getvalue()


def _row(item: EntryItem, zone: ZoneInfo) -> tuple[object, ...]:
    return (
        item.id,
        datetime.fromtimestamp(item.createtime, zone).isoformat(sep=" "),
        _TYPES[item.type],
        _STATUSES[item.status],
        item.mark,
        item.quantity,
        item.before,
        item.over,
        item.handler,
    )
