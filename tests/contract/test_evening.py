"""An evening of an old client on the server, and everything that it may rely on."""

import random
import string
import time
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, Final

import pytest

from tests.contract import entities as of
from tests.contract.client import OldClient

PASSWORD: Final = "pass-word-21"
CAND: Final = "Lottery/cand"
ISSUE_LIST: Final = "Lottery/issueList"
ROOM: Final = {"plan_id": 1, "game_id": 1}
TODAY: Final = {"begin_date": "", "end_date": ""}
WINS_ON: Final = {
    "big": range(14, 28),
    "small": range(14),
    "odd": range(1, 28, 2),
    "even": range(0, 28, 2),
}
PUBLISHED_ODDS: Final = {
    **dict.fromkeys(("big", "small", "odd", "even"), Decimal("1.98")),
    **dict.fromkeys(("small_odd", "small_even", "big_odd", "big_even"), Decimal("3.8")),
    **dict.fromkeys(("extreme_big", "extreme_small"), Decimal(11)),
}


def _time_left(heart: dict[str, Any]) -> bool:
    """Whether there is time for a few bets."""
    issue = heart["issue"]
    return heart["game_status"] == 1 and not issue["whether_close"] and issue["openTime1"] >= 4


def _open_issue(phone: OldClient) -> str:
    issue: str = phone.heart_when(_time_left, **ROOM)["issue"]["issue"]
    return issue


def _bet(phone: OldClient, issue: str, kind: str, money: Any) -> dict[str, Any]:
    """Place one bet with one call."""
    bet = phone.post("Lottery/playOrder", issue=issue, play_type=kind, money=money, **ROOM)
    found: dict[str, Any] = of.is_a(of.BET, bet)
    return found


def _balance(phone: OldClient) -> Any:
    return phone.envelope("user/userInfo")["msg"]["money"]


def _ledger(phone: OldClient, **filters: Any) -> list[dict[str, Any]]:
    """The ledger, newest first. Checks that each balance is the previous one plus the entry."""
    lines: list[dict[str, Any]] = of.are(
        of.LEDGER, phone.post("user/quantityLogList", **TODAY, **filters)
    )
    if not filters:
        before = [*(line["over"] for line in lines[1:]), 0]
        for line, balance in zip(lines, before, strict=True):
            assert line["over"] == balance + line["quantity"], line
    return lines


def test_the_home_page_has_its_configuration_and_its_winners(phone: OldClient) -> None:
    config = of.is_a(of.CONFIG, phone.get("index/index"))
    of.is_a(of.SERVICE, config["kefu"])
    heart = phone.post("Lottery/heart", **ROOM)
    of.are(of.WINNER, heart["hit_notice"])


def test_a_visitor_looks_round_and_must_register_to_bet(phone: OldClient) -> None:
    letters = "".join(random.choices(string.ascii_uppercase, k=6))
    visitor = phone.signed_in(
        "user/register",
        username=f"visitor{int(time.time())}",
        password=letters,
        group_id=2,
        inviter_id="",
    )
    of.is_a(of.USERINFO, visitor)
    assert phone.envelope("user/userInfo")["msg"]["group_id"] == 2
    issue = _open_issue(phone)
    bet = {"issue": issue, "play_type": "big", "money": 5, **ROOM}
    assert "register first" in phone.refusal("Lottery/playOrder", **bet)
    assert phone.post("user/orderList", **TODAY) == []


def test_the_games_their_halls_and_odds_are_those_of_the_house(member: OldClient) -> None:
    games = of.are(of.GAME, member.post("Lottery/index", game_id=1)["gameList"])
    assert [(game["id"], game["name"]) for game in games] == [
        (1, "Singapore"),
        (2, "New Zealand"),
        (3, "Kuala Lumpur"),
        (4, "Australia"),
    ]
    for game in games:
        of.is_a(of.GAME_ISSUE, game["issue"])
        plans = of.are(of.PLAN, game["planList"])
        assert [plan["type"] for plan in plans] == [0, 1, 2] * 3
        assert {plan["game_id"] for plan in plans} == {game["id"]}
    odds = of.is_a(of.ODDS, member.post("Lottery/oddsList", id=1, **ROOM))
    base, sums = of.are(of.ODDS_ITEM, odds["rule_base"]), of.are(of.ODDS_ITEM, odds["rule_num"])
    assert {item["class"]: item["odds"] for item in base} == PUBLISHED_ODDS
    assert len(sums) == len(odds["num_code"]) == 28
    assert all(of.number(profit) for profit in odds["num_code"].values())


@pytest.mark.parametrize("as_form", [False, True], ids=["json", "form"])
def test_a_bet_goes_from_its_placing_to_its_result(phones: Any, name: str, as_form: bool) -> None:
    phone: OldClient = phones(as_form=as_form)
    joined = phone.signed_in(
        "user/register", username=name, password=PASSWORD, group_id=1, inviter_id=""
    )
    before_bets, issue = joined["money"], _open_issue(phone)
    placed = {kind: _bet(phone, issue, kind, 10) for kind in WINS_ON}
    assert [bet["after_quantity"] for bet in placed.values()] == [
        before_bets - 10 * number for number in (1, 2, 3, 4)
    ]
    waiting = of.are(of.ORDER, phone.post("user/orderList", **TODAY))
    assert [(order["status"], order["issue"]) for order in waiting] == [(0, issue)] * 4

    phone.heart_when(lambda heart: heart["issue"].get("issue") != issue, **ROOM)
    phone.heart_when(lambda heart: heart["last_issue"]["issue_code"] >= issue, **ROOM)
    draws = of.are(of.DRAW, phone.post("Lottery/issueList", game_id=1))
    draw = next(draw for draw in draws if draw["issue_code"] == issue)
    digits = [draw["site_1"], draw["site_2"], draw["site_3"]]
    assert draw["code"] == sum(digits)

    orders = of.are(of.ORDER, phone.post("user/orderList", **TODAY))
    results = {order["play_method"].lower(): order for order in orders}
    for kind, winning in WINS_ON.items():
        order, hit = results[kind], draw["code"] in winning
        assert (order["status"], order["whether_hit"]) == (1, int(hit))
        assert order["quantity"] == 10
        assert order["profit"] == (Decimal("9.8") if hit else -10)
        assert order["lottery_code"].split() == [str(each) for each in (*digits, draw["code"])]
    profit = sum(order["profit"] for order in orders)
    assert _balance(phone) == before_bets + profit
    assert [line["type"] for line in _ledger(phone)] == [3, 3, 2, 2, 2, 2, 0]
    assert {line["type"] for line in _ledger(phone, type=3)} == {3}
    profile = of.is_a(of.PROFILE, phone.envelope("user/userInfo")["msg"])
    assert (profile["today_profit"], profile["group_id"]) == (profit, 1)


def test_betting_is_seen_to_stop_before_the_draw(member: OldClient) -> None:
    issue = _open_issue(member)
    # Polls fast at the end of a countdown: these rounds are sealed for a moment only.
    hearts = member.hearts(every_s=0.2, **ROOM)
    sealed = next(heart for heart in hearts if heart["issue"]["whether_close"])
    assert (sealed["issue"]["issue"], sealed["game_status"]) == (issue, 1)
    late = member.refusal("Lottery/playOrder", issue=issue, play_type="big", money=5, **ROOM)
    assert late == "Closed, stop buying"
    member.heart_when(lambda heart: heart["last_issue"]["issue_code"] == issue, **ROOM)


def test_every_heartbeat_has_the_fields_that_the_room_reads(member: OldClient) -> None:
    heart = of.is_a(of.HEART, member.heart_when(lambda heart: heart["message"] != [], **ROOM))
    of.is_a(of.LAST_ISSUE, heart["last_issue"])
    of.is_a(of.ISSUE, heart["issue"])
    of.is_a(of.USER_QUANTITY, heart["user_quantity"])
    for bet in of.are(of.BET, heart["message"]):
        assert bet["after_quantity"] == bet["quantity"]  # never another player's balance
    assert heart["user_quantity"]["money"] == _balance(member)


def test_each_refused_bet_has_a_reason_and_takes_nothing(member: OldClient) -> None:
    balance, issue = _balance(member), _open_issue(member)
    before = member.post("Lottery/heart", **ROOM)["last_issue"]["issue_code"]
    good = {"issue": issue, "play_type": "big", "money": 5, **ROOM}
    messages = [
        member.refusal("Lottery/playOrder", **{**good, **wrong})
        for wrong in (
            {"money": 9, "plan_id": 2},
            {"money": "0.5"},
            {"play_type": "sideways"},
            {"issue": before},
            {"money": int(balance) + 1},
        )
    ]
    assert messages == [
        "The amount is below the hall's minimum",
        "The amount must be whole units",
        "There is no such bet",
        "Closed, stop buying",
        "Insufficient balance",
    ]
    assert _balance(member) == balance
    assert member.post("user/orderList", **TODAY) == []


def test_a_recall_returns_every_bet_of_the_round_and_confirms_it(member: OldClient) -> None:
    balance, issue = _balance(member), _open_issue(member)
    _bet(member, issue, "big", 10)
    _bet(member, issue, "odd", 20)
    recalled = member.envelope("Lottery/recall", issue=issue, game_id=1)
    assert recalled["msg"] == "Cancelled successfully"
    assert recalled["data"] is not None
    assert _balance(member) == balance
    orders = of.are(of.ORDER, member.post("user/orderList", **TODAY))
    assert not {order["status"] for order in orders} & {0, 1}  # neither pending nor settled
    quantities = [line["quantity"] for line in _ledger(member)]
    assert sorted(quantities[:2]) == [10, 20]
    assert quantities[2:] == [-20, -10, balance]
    assert member.refusal("Lottery/recall", issue=issue, game_id=1)


def test_the_winner_of_two_opposite_bets_is_in_the_ticker(phones: Any, name: str) -> None:
    bets = {}
    for kind in ("big", "small"):
        bets[kind] = phones()
        fields = {"username": f"{name}{kind[0]}", "password": PASSWORD, "group_id": 1}
        bets[kind].signed_in("user/register", inviter_id="", **fields)
    issue = _open_issue(bets["big"])
    for kind, phone in bets.items():
        _bet(phone, issue, kind, 10)
    seen = bets["big"].heart_when(lambda heart: _profits(heart) != [], **ROOM)
    assert _profits(seen) == [Decimal("9.8")]
    assert all(name not in winner["nickname"] for winner in seen["hit_notice"])


def _profits(heart: dict[str, Any]) -> list[Any]:
    return [winner["profit"] for winner in of.are(of.WINNER, heart["hit_notice"])]


def test_lists_are_limited_to_the_requested_days(member: OldClient) -> None:
    _bet(member, _open_issue(member), "even", 1)
    long_ago = {"begin_date": "2018-01-01", "end_date": "2018-01-02"}
    since = {"begin_date": "2018-01-01", "end_date": _in_two_days()}
    for path, today in (("user/orderList", 1), ("user/quantityLogList", 2)):
        assert member.post(path, **long_ago) == []
        assert len(member.post(path, **since)) == today
        assert len(member.post(path, **TODAY)) == today


def _in_two_days() -> str:
    return f"{datetime.now(UTC) + timedelta(days=2):%Y-%m-%d}"


def test_candles_show_each_draws_sum(member: OldClient) -> None:
    candles = of.are(of.CANDLE, member.post(CAND, game_id=1))
    sums = {draw["issue_code"]: draw["code"] for draw in member.post(ISSUE_LIST, game_id=1)}
    assert candles
    for candle in candles:
        assert candle["cand_code"] == sums[candle["issue"]]
        assert all(0 <= each <= 27 for each in candle["cand"])


def test_the_news_page_has_topics_and_tabs_whose_articles_open(phone: OldClient) -> None:
    news = of.is_a(of.NEWS, phone.get("index/articleList"))
    of.are(of.TOP, news["tops"])
    tabs = of.are(of.ARTICLE_TAB, news["articleTabs"])
    headlines = [of.are(of.HEADLINE, tab["articles"]) for tab in tabs]
    assert len(tabs) == 3
    for headline in (each for tab in headlines for each in tab):
        article = of.is_a(of.ARTICLE, phone.post("index/articledetail", id=headline["id"]))
        assert article["title"] == headline["title"]
