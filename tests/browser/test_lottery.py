"""The halls of a level: required balance, admission, the rules, and discontinued games."""

import json
import re
from typing import Any

from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Phones
from tests.browser.house import ROUND_SECONDS, Player, RunningServer
from tests.browser.phone import await_open_round, choose, enter_room, painted, toast

# Minimum stake and minimum balance of the ordinary, mid-level and high-level hall, in u.
LIMITS = {
    "lottery?id=0": [("1.00", "none"), ("10.00", "500.00"), ("50.00", "2,000.00")],
    "lotterytwo": [("1.00", "none"), ("10.00", "5,000.00"), ("50.00", "20,000.00")],
    "lotterythree": [("1.00", "none"), ("10.00", "50,000.00"), ("50.00", "200,000.00")],
}
TIERS = ("Ordinary hall", "Mid-level hall", "High-level hall")
LATE = "The product has been discontinued."


def test_each_level_shows_its_halls_with_their_requirements(members_phone: Page) -> None:
    phone = members_phone
    for level, (path, limits) in enumerate(LIMITS.items()):
        phone.goto(path)
        expect(phone.get_by_role("heading", level=1)).to_have_text(f"VIP{level + 1} halls")
        halls = phone.get_by_role("tabpanel", name="Singapore").get_by_role("button")
        for at, (tier, (stake, entry)) in enumerate(zip(TIERS, limits, strict=True)):
            expect(halls.nth(at)).to_contain_text(f"{tier}Minimum bet {stake}Minimum entry {entry}")
            assert halls.nth(at).locator("svg").count() == 2


def test_a_balance_below_the_entry_is_refused_and_enough_goes_in(members_phone: Page) -> None:
    phone = members_phone
    phone.goto("lottery?id=0&game_id=2")
    halls = phone.get_by_role("tabpanel", name="New Zealand")
    halls.get_by_role("button", name=re.compile("^High-level hall")).click()
    expect(toast(phone)).to_have_text("Assets insufficient, please deposit")
    expect(phone).to_have_url(re.compile(r"/lottery\?id=0&game_id=2$"))
    halls.get_by_role("button", name=re.compile("^Mid-level hall")).click()
    room = r"/betRoom\?id=11&game_id=2&name=New\+Zealand&title=Mid-level\+hall&status=0$"
    expect(phone).to_have_url(re.compile(room))
    expect(phone.get_by_role("region", name="VIP1 · Mid-level hall")).to_be_visible()


def test_a_hall_above_ones_means_is_not_entered_by_its_address_either(members_phone: Page) -> None:
    phone = members_phone
    phone.goto("betRoom?id=12&game_id=2")
    expect(toast(phone)).to_have_text("Assets insufficient, please deposit")
    expect(phone).to_have_url(re.compile(r"/lottery\?id=0&game_id=2$"))
    expect(phone.get_by_role("tab", name="New Zealand")).to_have_attribute("aria-selected", "true")


def test_who_was_let_in_stays_in_though_bets_lower_the_balance(
    members_phone: Page, member: Player
) -> None:
    phone = members_phone
    enter_room(phone, 11)
    phone.wait_for_function(
        "Object.keys(sessionStorage).some((key) => key.startsWith('fairdraw.entered.'))"
    )
    await_open_round(phone)
    member.bet(11, "big", 600)
    expect(phone.get_by_test_id("room-balance")).to_contain_text("400.00")
    with phone.expect_response("**/Lottery/index"), phone.expect_response("**/user/userInfo"):
        phone.reload()
    expect(phone.get_by_test_id("room-balance")).to_contain_text("400.00")
    painted(phone)
    expect(phone.get_by_role("region", name="VIP1 · Mid-level hall")).to_be_visible()


def test_a_balance_that_is_not_known_yet_is_read_before_a_member_is_refused(
    phones: Phones, member: Player
) -> None:
    """The first request for the account is never answered."""
    phone = phones(member=member)
    phone.route("**/user/userInfo", lambda _: None, times=1)
    phone.goto("lottery?id=0")
    halls = phone.get_by_role("tabpanel", name="Singapore")
    halls.get_by_role("button", name=re.compile("^Mid-level hall")).click()
    expect(phone).to_have_url(re.compile(r"/betRoom\?id=2&"))


def test_a_swipe_turns_to_the_next_game_and_a_tab_back(members_phone: Page) -> None:
    phone = members_phone
    phone.goto("lotterytwo")
    first, second = (phone.get_by_role("tab", name=name) for name in ("Singapore", "New Zealand"))
    expect(first).to_have_attribute("aria-selected", "true")
    panel = phone.get_by_role("tabpanel", name="Singapore")
    panel.evaluate("panel => panel.parentElement.scrollBy({left: panel.clientWidth})")
    expect(second).to_have_attribute("aria-selected", "true")
    expect(phone.get_by_role("tabpanel", name="New Zealand")).to_be_in_viewport(ratio=0.9)
    first.click()
    expect(panel).to_be_in_viewport(ratio=0.9)


def test_the_rules_open_from_the_head_with_odds_and_returns(members_phone: Page) -> None:
    phone = members_phone
    phone.goto("lottery?id=1")
    phone.get_by_role("button", name="Rules").click()
    rules = phone.get_by_role("dialog", name="Rules")
    for bet in (r"Big odd .* 3\.8 87\.78", r"Extreme big .* 11 61\.60"):
        expect(rules.get_by_role("row", name=re.compile(f"^{bet} ?%$"))).to_be_visible()
    expect(rules).to_contain_text(
        f"A round lasts {ROUND_SECONDS} seconds. Sales run round the clock."
    )
    phone.keyboard.press("Escape")
    expect(rules).to_have_count(0)


def test_a_coming_odds_table_is_announced_with_the_bets_that_it_changes(
    members_phone: Page,
) -> None:
    phone = members_phone

    def announcing(route: Route) -> None:
        answer: Any = route.fetch().json()
        (bet,) = [it for it in answer["data"]["rule_base"] if it["class"] == "big_even"]
        changed = [{**bet, "odds": 3.6, "return_percent": 96.84}]
        coming = {"day": "2031-05-06", "odds_table": "balanced", "changed": changed}
        answer["data"]["next"] = [coming]
        route.fulfill(json=answer)

    phone.route("**/api/Lottery/oddsList", announcing)
    phone.goto("lottery?id=1")
    phone.get_by_role("button", name="Rules").click()
    rules = phone.get_by_role("dialog", name="Rules")
    expect(rules.get_by_test_id("odds-table")).to_have_text("Odds table: card-21.04.02")
    coming = rules.get_by_test_id("odds-next")
    expect(coming).to_contain_text("From 2031-05-06, these bets pay different odds")
    expect(coming.get_by_role("row")).to_have_count(2)
    expect(coming).to_contain_text("96.84%")


def _closing(route: Route) -> None:
    """The server's answer with everything closed by staff."""
    answer = route.fetch()
    envelope: Any = answer.json()
    for game in envelope["data"].get("gameList", []):
        game["status"] = 0
        for hall in game["planList"]:
            hall["status"] = 0
    if "game_status" in envelope["data"]:
        envelope["data"]["game_status"] = 0
    route.fulfill(response=answer, body=json.dumps(envelope))


def test_a_discontinued_product_is_named_in_the_lists_and_in_the_room(
    members_phone: Page,
) -> None:
    phone = members_phone
    phone.route("**/Lottery/index", _closing)
    phone.route("**/Lottery/heart", _closing)
    phone.route("**/Lottery/stream*", lambda route: route.fulfill(status=204))
    phone.goto("lottery?id=0")
    expect(phone.get_by_role("main")).to_contain_text(LATE)
    expect(phone.get_by_test_id("hall-1")).to_contain_text("Closed")
    enter_room(phone, 1)
    expect(phone.get_by_test_id("room-state")).to_have_text("Game closed")
    expect(phone.get_by_test_id("room-notice")).to_have_text(LATE)
    phone.get_by_test_id("buy-open").click()
    expect(toast(phone)).to_have_text(LATE)
    expect(phone.get_by_role("dialog")).to_have_count(0)


def test_a_product_discontinued_behind_the_open_panel_is_named_there(members_phone: Page) -> None:
    phone = members_phone
    phone.route("**/Lottery/stream*", lambda route: route.fulfill(status=204))
    enter_room(phone, 1)
    await_open_round(phone)
    choose(phone, "big")
    phone.route("**/Lottery/index", _closing)
    phone.route("**/Lottery/heart", _closing)
    submit = phone.get_by_test_id("buy-submit")
    expect(submit).to_have_text(LATE)
    submit.click()
    expect(toast(phone)).to_have_text(LATE)


def test_a_hall_that_staff_closed_has_no_countdown(
    members_phone: Page, house: RunningServer
) -> None:
    """The game's round continues for its other halls."""
    phone, plan = members_phone, 29
    enter_room(phone, plan)
    await_open_round(phone)
    house.office("switch", scope=f"plan-{plan}", closed=True)
    try:
        timer = phone.get_by_role("timer", name=re.compile(r"^Closed \D+$"))
        expect(timer).to_be_visible()
        expect(timer.locator("circle:visible")).to_have_count(1)
    finally:
        house.office("switch", scope=f"plan-{plan}", closed=False)
    await_open_round(phone)


def test_a_discontinued_product_is_named_at_home_with_what_remains(
    members_phone: Page, house: RunningServer
) -> None:
    phone = members_phone
    house.office("switch", scope="product", closed=True)
    try:
        for path in ("", "personal", "lotterytwo"):
            phone.goto(path)
            notice = phone.get_by_test_id("discontinued")
            expect(notice).to_contain_text("The product has been discontinued.")
            expect(notice).to_contain_text("You can withdraw your money at any time.")
            expect(notice).to_have_attribute("href", "/vip/withdraw")
    finally:
        house.office("switch", scope="product", closed=False)
    phone.goto("")
    expect(phone.get_by_role("link", name="VIP1")).to_be_visible()
    expect(phone.get_by_test_id("discontinued")).to_have_count(0)
