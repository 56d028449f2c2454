"""A player's statement as a CSV file: amounts add up in a spreadsheet, and no cell is a formula."""

import csv
import io
from decimal import Decimal
from typing import Any

import pytest

from api.cashier import history
from api.cashier.history import CSV_COLUMNS, EntryItem, csv_of
from engine.schedule import calendar_day
from tests.api.support import ApiServer, Player


def table(answer: dict[str, Any]) -> list[dict[str, str]]:
    content = answer["data"]["content"]
    assert content.startswith("\ufeff")
    return list(csv.DictReader(io.StringIO(content.removeprefix("\ufeff"))))


def test_the_file_contains_what_the_ledger_shows(house: ApiServer) -> None:
    house.next_round()
    player = house.register()
    today = calendar_day(house.settings.timezone, house.clock.now)
    player.bet("big", 100)
    house.draw_round()
    answer = player.call("user/statementCsv", {})
    shown = player.call("user/quantityLogList", {})["data"]
    rows = table(answer)
    assert [(int(row["id"]), float(row["amount"]), float(row["after"])) for row in rows] == [
        (entry["id"], entry["quantity"], entry["over"]) for entry in shown
    ]
    assert [row["type"] for row in rows][-2:] == ["purchase", "deposit"]
    assert sum(Decimal(row["amount"]) for row in rows) == Decimal(str(player.balance()))
    data = answer["data"]
    assert data["name"] == f"statement-{today}-to-{today}.csv"
    assert data["rows"] == len(shown)
    assert answer["more"] is False
    assert rows[-1]["time"].startswith(f"{today} ")
    assert rows[-1]["time"].endswith("+08:00")


def test_a_long_statement_continues_with_a_cursor(
    player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        player.bet("big", 10)
    monkeypatch.setattr(history, "MAX_CSV_ROWS", 3)
    first = player.call("user/statementCsv", {})
    assert (len(table(first)), first["more"]) == (3, True)
    rest = player.call("user/statementCsv", {"cursor": first["cursor"]})
    assert (len(table(rest)), rest["more"]) == (1, False)


def test_another_players_cursor_shows_none_of_their_rows(
    house: ApiServer, player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    stranger = house.register()
    stranger.bet("big", 10)
    monkeypatch.setattr(history, "MAX_CSV_ROWS", 1)
    cursor = stranger.call("user/statementCsv", {})["cursor"]
    own = {row["id"] for row in table(player.call("user/statementCsv", {}))}
    seen = {row["id"] for row in table(player.call("user/statementCsv", {"cursor": cursor}))}
    assert seen <= own


@pytest.mark.parametrize("field", ["begin_date", "end_date", "cursor"])
def test_dates_and_cursors_are_checked(player: Player, field: str) -> None:
    answer = player.call("user/statementCsv", {field: "x"})
    assert (answer["reason"], answer["field"]) == ("request_malformed", field)


@pytest.mark.parametrize("planted", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx"])
def test_no_cell_is_a_formula_and_every_amount_a_number(planted: str) -> None:
    """ASVS 1.2.10."""
    amount = Decimal("-10.50")
    item = EntryItem(7, 2, 1, planted, 0, amount, amount, amount, 1, 1, planted)
    content = csv_of([item], "Asia/Singapore").removeprefix("\ufeff")
    (row,) = csv.reader(io.StringIO(content, newline="").readlines()[1:])
    cells = dict(zip(CSV_COLUMNS, row, strict=True))
    assert cells["about"] == cells["handler"] == f"'{planted}"
    assert cells["amount"] == "-10.50"
    assert cells["time"] == "1970-01-01 07:30:00+07:30"
