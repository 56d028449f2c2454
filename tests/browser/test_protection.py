"""Player protection, the player's level, and the page of rules."""

import re
from decimal import Decimal
from typing import Any

from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.conftest import Phones
from tests.browser.house import Player, RunningServer, fresh_name
from tests.browser.money import made_ready
from tests.browser.phone import await_open_round, buy, choose, enter_room, toast

LIMITS = "setting?type=3"
PROGRESS = "setting?type=3&part=progress"
MINUTE_MS = 60_000
HALF_A_CENT = Decimal("0.005")
UNTIL = r"\w+\s\d+,\s20\d\d, \d\d:\d\d\sGMT\+5:30"


def _row(phone: Page, subject: str, span: str) -> Locator:
    return phone.get_by_test_id(f"limit-{subject}-{span}")


def _set_limit(phone: Page, name: str, amount: str) -> None:
    phone.get_by_role("button", name=re.compile(f"^(Set|Change): {name}$")).click()
    sheet = phone.get_by_role("dialog", name=name)
    sheet.get_by_label("Limit in u").fill(amount)
    sheet.get_by_role("button", name="Save the limit").click()


def _shown(member: Player, subject: str, span: str) -> dict[str, Any]:
    """A limit as the server returns it."""
    limits: list[dict[str, Any]] = member.call("user/protection")["limits"]
    return next(one for one in limits if (one["subject"], one["span"]) == (subject, span))


def test_the_limits_are_two_taps_from_the_room(members_phone: Page) -> None:
    phone = members_phone
    enter_room(phone, 1)
    phone.get_by_test_id("room-menu").click()
    phone.get_by_role("link", name="Limits and breaks").click()
    expect(phone.get_by_role("heading", name="Loss limits")).to_be_visible()
    expect(phone.get_by_text("Net result")).to_be_visible()


def test_a_loss_limit_applies_immediately_and_a_higher_one_after_a_day(
    members_phone: Page, member: Player
) -> None:
    phone = members_phone
    phone.goto(LIMITS)
    _set_limit(phone, "Loss limit a day", "20")
    expect(toast(phone)).to_have_text("Set successfully")
    row = _row(phone, "loss", "day")
    expect(row).to_contain_text("20.00u")
    assert _shown(member, "loss", "day")["amount"] == 20
    enter_room(phone, 1)
    await_open_round(phone)
    choose(phone, "big")
    phone.get_by_test_id("stake-input").fill("21")
    phone.get_by_test_id("buy-submit").click()
    expect(phone.get_by_role("alert")).to_contain_text("This bet would exceed your own loss limit")
    phone.goto(LIMITS)
    _set_limit(phone, "Loss limit a day", "300")
    expect(row).to_contain_text(re.compile(f"From {UNTIL}: 300.00u"))
    expect(row).to_contain_text("20.00u")
    phone.get_by_role("button", name="Change: Loss limit a day").click()
    phone.get_by_role("button", name="Remove the limit").click()
    expect(row).to_contain_text(re.compile(f"From {UNTIL}: no limit"))
    assert _shown(member, "loss", "day")["amount"] == 20


def test_what_is_used_of_a_limit_is_shown_with_what_is_left(
    members_phone: Page, member: Player
) -> None:
    phone = members_phone
    enter_room(phone, 10)
    await_open_round(phone)
    buy(phone, 30, "odd")
    phone.goto(LIMITS)
    row = _row(phone, "loss", "month")
    expect(row).to_contain_text(re.compile(r"\d+\.\d\du used"))
    _set_limit(phone, "Loss limit a month", "100")
    expect(row).to_contain_text(re.compile(r"of 100\.00u used"))
    held = _shown(member, "loss", "month")
    assert held["left"] == 100 - held["used"]
    expect(_row(phone, "deposit", "day")).to_contain_text("1,000.00u used")


def test_an_invalid_limit_is_refused_and_the_field_shows_why(
    members_phone: Page, member: Player
) -> None:
    phone = members_phone
    phone.goto(LIMITS)
    for typed in ("", "-5", "1.234", "lots", "1000000001"):
        _set_limit(phone, "Deposit limit a week", typed)
        field = phone.get_by_label("Limit in u")
        expect(phone.get_by_role("dialog")).to_contain_text("Enter an amount from 0 to")
        expect(field).to_be_focused()
        phone.keyboard.press("Escape")
    expect(_row(phone, "deposit", "week")).to_contain_text("No limit")
    assert _shown(member, "deposit", "week")["amount"] is None


def test_a_time_out_is_shown_in_the_room_and_stops_buying(members_phone: Page) -> None:
    phone = members_phone
    phone.goto(LIMITS)
    phone.get_by_role("button", name="Take a time-out").click()
    sheet = phone.get_by_role("dialog", name="Time-out")
    sheet.get_by_text("3 days").click()
    expect(sheet).to_contain_text(re.compile(f"until {UNTIL}"))
    sheet.get_by_role("button", name="Begin now").click()
    expect(phone.get_by_test_id("break-notice")).to_contain_text("Time-out until")
    enter_room(phone, 1)
    expect(phone.get_by_test_id("break-notice")).to_contain_text("you can still withdraw")
    phone.get_by_test_id("buy-open").click()
    expect(toast(phone)).to_contain_text("Betting and deposits are paused")
    expect(phone.get_by_role("dialog")).to_have_count(0)


def test_an_account_that_staff_close_is_shown_in_the_room_and_where_money_leaves(
    members_phone: Page, member: Player, house: RunningServer
) -> None:
    phone = members_phone
    made_ready(member)
    enter_room(phone, 1)
    await_open_round(phone)
    house.office("memberSwitch", player=member.name, closed=True, reason="for the test")
    notice = phone.get_by_test_id("break-notice")
    expect(notice).to_contain_text("This account is closed for betting and deposits")
    phone.get_by_test_id("buy-open").click()
    expect(toast(phone)).to_contain_text("This account is closed")
    expect(phone.get_by_role("dialog")).to_have_count(0)
    notice.get_by_role("link", name="Withdraw").click()
    expect(phone.get_by_role("button", name="Withdraw", exact=True)).to_be_enabled()
    expect(notice).to_contain_text("you can still withdraw")
    expect(notice.get_by_role("link")).to_have_count(0)


def test_a_shorter_time_out_is_refused_in_words(members_phone: Page, member: Player) -> None:
    phone = members_phone
    phone.goto(LIMITS)
    member.house.call(
        "user/timeOut", {"token": member.token, "Idempotency-Key": "a-week"}, hours=168
    )
    phone.get_by_role("button", name="Take a time-out").click()
    phone.get_by_role("button", name="Begin now").click()
    expect(toast(phone)).to_have_text("A time-out or exclusion cannot be shortened")


def test_self_exclusion_takes_two_steps_and_leaves_withdrawals_open(
    members_phone: Page, member: Player
) -> None:
    phone = members_phone
    enter_room(phone, 2)
    await_open_round(phone)
    bet = member.bet(2, "small", 10)
    phone.goto(LIMITS)
    phone.get_by_role("button", name="Exclude myself").click()
    sheet = phone.get_by_role("dialog", name="Self-exclusion")
    sheet.get_by_text("One year").click()
    sheet.get_by_role("button", name="Next").click()
    expect(sheet).to_contain_text(re.compile(f"refused until {UNTIL}"))
    expect(sheet).to_contain_text("can be withdrawn at any time")
    sheet.get_by_role("button", name="Exclude me now").click()
    expect(sheet.get_by_role("alert")).to_have_text("Please tick the box first.")
    assert member.call("user/protection")["excluded_until"] == 0
    sheet.get_by_label("I understand that this cannot be undone.").check()
    sheet.get_by_role("button", name="Exclude me now").click()
    notice = phone.get_by_test_id("break-notice")
    expect(notice).to_contain_text("Self-excluded until")
    again = {"plan_id": 2, "game_id": 1, "issue": bet["issue"], "play_type": "big", "money": 10}
    refused = member.house.call("Lottery/playOrder", {"token": member.token}, **again)
    assert refused["reason"] == "excluded"
    enter_room(phone, 2)
    phone.get_by_test_id("buy-open").click()
    expect(toast(phone)).to_contain_text("Self-excluded")
    notice.get_by_role("link", name="Withdraw").click()
    expect(phone).to_have_url(re.compile(r"/vip/(withdraw|bankCardManage|baseinfo)"))


def test_a_reminder_comes_at_its_interval_and_leads_to_a_break(
    members_phone: Page, member: Player
) -> None:
    phone = members_phone
    phone.goto(LIMITS)
    phone.get_by_text("15 min").click()
    expect(toast(phone)).to_have_text("Set successfully")
    assert member.call("user/protection")["reality_check_minutes"] == 15
    phone.clock.install()
    phone.goto("personal")
    expect(phone.get_by_role("heading", name=member.name)).to_be_visible()
    reminder = phone.get_by_role("dialog", name="Time for a break")
    phone.clock.fast_forward(14 * MINUTE_MS)
    phone.clock.run_for(6_000)
    expect(reminder).to_have_count(0)
    phone.clock.fast_forward(MINUTE_MS)
    phone.clock.run_for(6_000)
    expect(reminder).to_contain_text("This session has lasted 15 min.")
    reminder.get_by_role("button", name="Continue").click()
    phone.clock.fast_forward(15 * MINUTE_MS)
    phone.clock.run_for(6_000)
    expect(reminder).to_contain_text("This session has lasted 30 min.")
    reminder.get_by_role("button", name="Take a break").click()
    expect(phone.get_by_role("button", name="Take a time-out")).to_be_in_viewport()


def test_a_quota_is_reserved_after_a_question_and_released_at_once(
    members_phone: Page, member: Player
) -> None:
    phone = members_phone
    phone.goto("personal")
    phone.get_by_role("link", name=re.compile("Basic financing")).click()
    expect(phone.locator("main")).to_contain_text("10,000.00u more to Senior financing")
    phone.get_by_role("button", name="Reserve a quota").click()
    phone.get_by_role("button", name="Reserve and close withdrawals").click()
    held = phone.get_by_text(re.compile(f"Senior financing is reserved until {UNTIL}"))
    expect(held).to_be_visible()
    assert member.call("user/protection")["progress"]["quota_level"] == 1
    phone.get_by_role("button", name="Release the quota").click()
    expect(phone.get_by_role("button", name="Reserve a quota")).to_be_visible()
    assert member.call("user/protection")["progress"]["quota_level"] == 0


def test_a_bonus_shows_what_it_waits_for_and_is_released_by_the_house_alone(
    members_phone: Page,
) -> None:
    phone = members_phone
    waiting = {"bonus": 30, "bonus_due": 12.5, "bonus_from": 2_000_000_000}
    phone.route("**/api/user/protection", lambda route: _with_progress(route, waiting))
    phone.goto(PROGRESS)
    expect(phone.get_by_text("12.50u of turnover is still due")).to_be_visible()
    expect(phone.get_by_text(re.compile(f"released from {UNTIL}"))).to_be_visible()
    expect(phone.get_by_role("button", name="Release the bonus")).to_have_count(0)
    phone.unroute("**/api/user/protection")
    ready = {"bonus": 30, "bonus_due": 0, "bonus_from": 0}
    phone.route("**/api/user/protection", lambda route: _with_progress(route, ready))
    phone.goto(PROGRESS)
    phone.get_by_role("button", name="Release the bonus").click()
    expect(toast(phone)).to_have_text("No bonus can be released yet")


def _with_progress(route: Route, progress: dict[str, Any]) -> None:
    """The server's answer with other figures of the bonus."""
    answer = route.fetch()
    envelope = answer.json()
    envelope["data"]["progress"].update(progress)
    route.fulfill(response=answer, json=envelope)


def test_a_visitor_learns_that_limits_need_an_account(phones: Phones, house: RunningServer) -> None:
    name = fresh_name()
    body = {"username": name, "password": "ABCDEF12", "group_id": 2, "inviter_id": ""}
    phone = phones()
    phone.goto("login")
    user = house.call("user/register", {"Idempotency-Key": name}, **body)["data"]
    user_info = user["userinfo"]
    phone.evaluate(_SIGN_IN, [str(user_info["user_id"]), user_info["token"]])
    phone.goto(LIMITS)
    expect(phone.get_by_text("A visitor can neither bet nor deposit.")).to_be_visible()
    phone.get_by_role("button", name="Register").click()
    expect(phone).to_have_url(re.compile("/vip/register$"))


_SIGN_IN = """([userId, token]) => {
  const session = {userId, id: userId, token, group_id: 2};
  sessionStorage.setItem("fairdraw.session", JSON.stringify(session));
  document.cookie = "fairdraw_signed_in=1; Path=/vip";
}"""


def test_the_rules_list_every_bet_with_the_houses_odds_and_returns(
    members_phone: Page, member: Player
) -> None:
    phone = members_phone
    phone.goto("lotteryExplain")
    odds = member.call("Lottery/oddsList", plan_id=1, game_id=1, id=1)
    for item in [*odds["rule_base"], *odds["rule_num"]]:
        row = phone.locator(f"tr[data-kind='{item['class']}']")
        expect(row.get_by_role("cell").first).to_have_text(
            f"{item['odds']:,.2f}".rstrip("0").rstrip(".")
        )
        shown = Decimal(row.get_by_role("cell").last.inner_text().removesuffix("%"))
        assert abs(shown - item["return_percent"]) <= HALF_A_CENT
    expect(phone.locator("tr[data-kind=big_odd]")).to_contain_text("15, 17 … 27")
    expect(phone.locator("tr[data-kind='13']")).to_contain_text("75 of 1,000 draws")


def test_the_rules_give_every_name_of_a_bet_and_what_else_applies(members_phone: Page) -> None:
    phone = members_phone
    phone.goto("lottery?id=0")
    phone.get_by_role("button", name="Rules").click()
    rules = phone.get_by_role("dialog", name="Rules")
    for plain, names in (
        ("Big", "Long (many)"),
        ("Odd", "Single, flat single"),
        ("Even", "Double, flat double"),
        ("Small even", "Short double, small-double"),
        ("Extreme small", "Cathode, extremely yin"),
        ("Extreme big", "Anode, extremely yang"),
        ("The exact sum", "Number bet"),
    ):
        row = rules.get_by_role("row", name=f"{plain} {names}", exact=True)
        expect(row).to_be_visible()
    for words in ("18+", "This is a game of chance", "Expert financing", "at most 88u", "Wash"):
        expect(rules).to_contain_text(words)
    rules.get_by_role("link", name="Your own turnover and level").click()
    expect(phone.get_by_role("heading", name="Turnover and level")).to_be_visible()
