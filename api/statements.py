"""The caller's statement as a file: /api/user/statementCsv."""

import asyncio
import csv
import io
from collections.abc import Iterable
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from msgspec import Struct

from api.calls import Asked, Auth, Call
from api.envelope import Done
from api.history import EntriesAsking, EntryItem, entries, entry_item, period
from api.units import Count
from engine.schedule import calendar_day
from projections.cells import written

MOST_ROWS: Final = 10_000
COLUMNS: Final = ("id", "time", "type", "status", "about", "amount", "before", "after", "handler")
_TYPES: Final = ("deposit", "withdrawal", "purchase", "profit", "gift")
_STATUSES: Final = ("pending", "passed", "rejected")
# Without it spreadsheets take the text for one in an old code page.
_BYTE_ORDER_MARK: Final = "\ufeff"


class StatementCsv(Struct, frozen=True):
    """A file's `name` and `content`; amounts are in u, times in the operator's zone.

    Newest first, at most 10,000 rows; a longer period goes on with `cursor`.
    """

    name: str
    content: str
    rows: Count


async def statement_csv(asked: Asked[EntriesAsking]) -> Done:
    """The same rows as the fund ledger's."""
    timezone = asked.services.settings.timezone
    since, until = period(asked)
    found = await entries(asked, since, until, MOST_ROWS)
    items = (entry_item(entry, asked.texts) for entry in found.items)
    content = await asyncio.to_thread(csv_of, items, timezone)
    days = f"{calendar_day(timezone, since)}-to-{calendar_day(timezone, until - 1)}"
    return Done(
        StatementCsv(f"statement-{days}.csv", content, len(found.items)),
        more=found.cursor is not None,
        cursor=found.cursor,
    )


def csv_of(items: Iterable[EntryItem], timezone: str) -> str:
    """A table with a head, in which no cell is a formula and every amount a number."""
    file, zone = io.StringIO(), ZoneInfo(timezone)
    file.write(_BYTE_ORDER_MARK)
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    for item in items:
        writer.writerow([written(cell) for cell in _row(item, zone)])
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


CALLS: Final = (
    Call(
        "/api/user/statementCsv",
        EntriesAsking,
        StatementCsv,
        statement_csv,
        "The caller's fund ledger as a CSV file",
        auth=Auth.PLAYER,
    ),
)
