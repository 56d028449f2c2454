"""The statistics of all draws: open to anyone, with the figures of settled bets."""

import re
from decimal import Decimal

from playwright.sync_api import Page, expect

from tests.browser.conftest import Phones
from tests.browser.house import Player
from tests.browser.pages import choose_language

CALL = "**/api/Lottery/statistics*"
NEW_HOUSE = {
    "game_id": 0,
    "draws": 0,
    "digits": [[0] * 10] * 3,
    "sums": [0] * 28,
    "uniformity": [],
    "returns": [],
}


def test_a_settled_bet_is_in_the_statistics_that_the_rules_link_to(
    members_phone: Page, member: Player
) -> None:
    phone = members_phone
    member.bet(1, "20", 7)
    phone.goto("lotteryExplain")
    member.await_settled()
    phone.get_by_role("link", name="Statistics").click()
    expect(phone).to_have_url(re.compile("/vip/statistics$"))
    expect(phone.get_by_role("banner")).to_contain_text("Play money")
    phone.get_by_role("tab", name="Singapore").click()
    row = phone.locator("[data-kind='20']")
    # The answer may be ten seconds old, and the page reads it again every half minute.
    expect(row).to_be_visible(timeout=60_000)
    texts = row.get_by_role("cell").all_inner_texts()
    assert Decimal(texts[0].rstrip("%")) == Decimal("94.97"), "36 of 1,000 draws, at 26.38"
    assert re.fullmatch(r"[+\u2212]\d+\.\d\d(\s+outside ±2\.58)?", texts[2].strip())
    expect(row).to_contain_text(re.compile(r"\d+ bets?.*7\.00u staked"))
    expect(phone.get_by_test_id("draws")).to_have_text(re.compile(r"^\d+ draws?$"))
    expect(phone.get_by_test_id("outside")).to_have_text(re.compile("outside ±2.58"))
    expect(phone.get_by_role("main")).to_contain_text("about one z-score in a hundred")
    expect(phone.get_by_role("main")).to_contain_text("What this does not show")


def test_anyone_can_open_it_in_their_language(phones: Phones) -> None:
    phone = phones()
    choose_language(phone, "简体中文", "zh-Hans")
    phone.goto("statistics")
    expect(phone.get_by_role("heading", level=1)).to_have_text("统计")
    expect(phone.get_by_role("main")).to_contain_text("这些数据不能说明什么")


def test_a_new_house_has_no_figures_yet(phones: Phones) -> None:
    phone = phones()
    envelope = {"code": 1, "msg": "", "time": 0, "data": {"games": [NEW_HOUSE]}}
    phone.route(CALL, lambda route: route.fulfill(json=envelope))
    phone.goto("statistics")
    expect(phone.get_by_role("main")).to_contain_text("No draws yet.")
    expect(phone.get_by_role("main")).to_contain_text("What this does not show")


def test_a_failure_is_shown_and_can_be_tried_again(phones: Phones) -> None:
    phone = phones()
    refusal = {"code": 0, "msg": "Try later", "time": 0, "data": None, "reason": "unavailable"}
    phone.route(CALL, lambda route: route.fulfill(json=refusal))
    phone.goto("statistics")
    expect(phone.get_by_role("main")).to_contain_text("Try later")
    phone.unroute(CALL)
    phone.get_by_role("button", name="Reload").click()
    either = phone.get_by_role("tab", name="All games").or_(phone.get_by_text("No draws yet."))
    expect(either).to_be_visible()
