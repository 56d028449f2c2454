"""Candlesticks and trends, compared with the list of draws."""

from typing import Any

import pytest

from engine.catalogue import NAMED_KINDS, wins
from tests.api.support import ApiServer

NONE_YET = dict.fromkeys(NAMED_KINDS, 0)


def draws(house: ApiServer) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = house.call("Lottery/issueList", {"game_id": 1})["data"]
    return found


def test_a_candle_opens_at_the_sum_before_and_closes_at_its_own(house: ApiServer) -> None:
    house.draw_round()
    house.draw_round()
    drawn = draws(house)
    candles = house.call("Lottery/cand", {"game_id": 1})["data"]
    assert [candle["issue"] for candle in candles] == [draw["issue_code"] for draw in drawn]
    assert [candle["cand_code"] for candle in candles] == [draw["code"] for draw in drawn]
    sums = [draw["code"] for draw in drawn]
    before = [*sums[1:], sums[-1]]
    assert [candle["cand"] for candle in candles] == [
        [start, end, min(start, end), max(start, end)]
        for start, end in zip(before, sums, strict=True)
    ]


def test_a_trend_names_what_each_draw_hit_and_what_has_missed_since(house: ApiServer) -> None:
    house.draw_round()
    house.draw_round()
    trend = house.call("Lottery/trend", {"game_id": 1})["data"]
    assert trend["draws"][0]["issue_code"] == draws(house)[0]["issue_code"]
    missed = NONE_YET
    for draw in reversed(trend["draws"]):
        won = [kind for kind in NAMED_KINDS if wins(kind, draw["code"])]
        missed = {kind: 0 if kind in won else missed[kind] + 1 for kind in NAMED_KINDS}
        assert (draw["marks"], draw["omissions"]) == (won, missed)
    assert trend["current"] == missed


def test_a_trend_is_of_one_draw_day(house: ApiServer) -> None:
    house.draw_round()
    today = house.call("Lottery/trend", {"game_id": 1})["data"]
    issue = today["draws"][0]["issue_code"]
    assert today["date"].replace("-", "") == issue[:8]
    same = house.call("Lottery/trend", {"game_id": 1, "date": today["date"]})["data"]
    assert same == today
    past = house.call("Lottery/trend", {"game_id": 1, "date": "2020-02-29"})["data"]
    assert (past["date"], past["draws"], past["current"]) == ("2020-02-29", [], today["current"])


@pytest.mark.parametrize("call", ["cand", "trend"])
def test_a_game_that_is_none_is_refused(house: ApiServer, call: str) -> None:
    answer = house.call(f"Lottery/{call}", {"game_id": 9})
    assert (answer["reason"], answer["field"]) == ("plan_unknown", "game_id")


@pytest.mark.parametrize("day", ["yesterday", "2026-02-30", "20261121", "2026-W01-1", "%"])
def test_a_day_that_is_none_is_refused(house: ApiServer, day: str) -> None:
    answer = house.call("Lottery/trend", {"game_id": 1, "date": day})
    assert (answer["reason"], answer["field"]) == ("request_malformed", "date")


@pytest.mark.parametrize("call", ["cand", "trend"])
def test_a_foreign_cursor_is_refused(house: ApiServer, call: str) -> None:
    answer = house.call(f"Lottery/{call}", {"game_id": 1, "cursor": "x"})
    assert (answer["reason"], answer["field"]) == ("request_malformed", "cursor")


def test_both_continue_behind_a_cursor(house: ApiServer) -> None:
    house.draw_round()
    drawn = house.services.hub.games[1].draw
    assert drawn is not None
    house.draw_round()
    assert draws(house)[1]["issue_code"] == drawn.issue
    body = {"game_id": 1, "cursor": f"0-{drawn.position + 1}"}
    candles = house.call("Lottery/cand", body)["data"]
    assert candles == house.call("Lottery/cand", {"game_id": 1})["data"][1:]
    trend = house.call("Lottery/trend", body)["data"]
    assert trend["draws"] == house.call("Lottery/trend", {"game_id": 1})["data"]["draws"][1:]
