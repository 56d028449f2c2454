"""The proof of a draw, verified step by step on the phone itself."""

import json
import re
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.conftest import Phones
from tests.browser.house import ROUND_MS, Player, RunningServer, game_of
from tests.browser.pages import choose_language
from tests.browser.phone import SMALL, await_open_round, enter_room, toast
from tests.browser.test_fairness_log import proof_of, verified

PLAN = 1
STEPS = ("day", "frozen", "operator", "witness", "digits", "sum")
# Browsers withhold both from pages over plain http.
PLAIN_HTTP = """
  Object.defineProperty(crypto, "subtle", { value: undefined });
  Object.defineProperty(navigator, "clipboard", { value: undefined });
"""


def _step(page: Page, name: str) -> Locator:
    return page.get_by_test_id(f"step-{name}")


def _expect_verdicts(page: Page, **verdicts: str) -> None:
    for step in STEPS:
        wanted = verdicts.get(step, verdicts.get("rest", "right"))
        expect(_step(page, step)).to_have_attribute("data-verdict", wanted)


def _drawn_issue(house: RunningServer) -> str:
    """The last drawn round of game 1; one exists unless the server has just started."""
    draws = house.call("Lottery/issueList", {}, game_id=1)["data"]
    return str(draws[0]["issue_code"])


def test_a_bet_is_followed_from_the_sale_to_a_draw_that_checks(
    members_phone: Page, member: Player
) -> None:
    phone = members_phone
    enter_room(phone, PLAN)
    await_open_round(phone, seconds=15)
    bet = member.bet(PLAN, "big", 10)
    issue = str(bet["issue"])
    phone.goto(f"lotteryDetail?game_id={game_of(PLAN)}&name=Singapore&issue={issue}")
    sheet = phone.get_by_role("dialog", name="Proof of a draw")
    expect(sheet.get_by_test_id("verdict")).to_contain_text("What is published so far matches.")
    _expect_verdicts(phone, day="right", rest="later")
    expect(sheet.get_by_test_id("own-bet")).to_contain_text("sealed when sales close")

    verdict = sheet.get_by_test_id("verdict")
    expect(verdict).to_have_text(
        "Checked on this phone: everything matches.", timeout=2 * ROUND_MS + 10_000
    )
    _expect_verdicts(phone, rest="right")
    draw = member.draw(game_of(PLAN), issue)
    said = f"{draw['site_1']} + {draw['site_2']} + {draw['site_3']} = {draw['code']}"
    expect(_step(phone, "sum")).to_contain_text(said)
    own = sheet.get_by_test_id("own-bet")
    expect(own).to_contain_text("in the sealed list. Paid ")
    expect(sheet).to_contain_text("Self-witnessed.")
    expect(sheet).to_contain_text("What this does not prove")
    _expect_values_and_evidence(phone, sheet, bet["orderNo"], draw)
    _expect_way_from_the_bet(phone, issue)


def _expect_values_and_evidence(
    phone: Page, sheet: Locator, order: str, draw: dict[str, Any]
) -> None:
    phone.context.grant_permissions(["clipboard-read", "clipboard-write"])
    operator = _step(phone, "operator")
    operator.get_by_text("Show the values").click()
    operator.get_by_role("button", name="Copy: Secret of this round").click()
    expect(toast(phone)).to_have_text("Copied")
    copied = phone.evaluate("navigator.clipboard.readText()")
    with phone.expect_download() as saved:
        sheet.get_by_role("button", name="Download the evidence").click()
    file = Path(saved.value.path())
    evidence = json.loads(file.read_text())
    assert saved.value.suggested_filename == f"fairdraw-1-{draw['issue_code']}.json"
    assert evidence["secrets"]["operator_secret"] == copied
    assert evidence["drawn"]["digits"] == [draw["site_1"], draw["site_2"], draw["site_3"]]
    assert [each["receipt"]["bet"] for each in evidence["bets"]] == [order]
    printed = verified(file)
    assert (printed.returncode, printed.stderr) == (0, "")
    assert printed.stdout.endswith("16 ok, 0 failed, 0 missing\nverified\n")


def _expect_way_from_the_bet(phone: Page, issue: str) -> None:
    """From the bet's page to its draw's proof, and back to the bet with the back key."""
    phone.goto("betRecord")
    phone.locator("a[href*=betDetail]").first.click()
    phone.get_by_role("link", name="Check this draw").click()
    sheet = phone.get_by_role("dialog", name="Proof of a draw")
    expect(sheet).to_contain_text(f"round {issue}")
    phone.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
    expect(phone.get_by_role("heading", name="Singapore draw results")).to_be_visible()
    phone.get_by_role("button", name="Back").click()
    expect(phone.get_by_role("heading", name="Bet details")).to_be_visible()


def test_a_tampered_digit_turns_red_even_where_browsers_give_no_cryptography(
    phones: Phones, house: RunningServer, member: Player
) -> None:
    phone = phones(member=member, size=SMALL)
    phone.add_init_script(PLAIN_HTTP)
    phone.goto("lotteryDetail?game_id=1&name=Singapore")
    check = phone.get_by_role("link", name="Check the draw of round").first
    expect(check).to_be_visible(timeout=3 * ROUND_MS)
    check.click()
    sheet = phone.get_by_role("dialog", name="Proof of a draw")
    expect(sheet.get_by_test_id("verdict")).to_contain_text("everything matches")
    assert phone.evaluate("crypto.subtle") is None
    _step(phone, "sum").scroll_into_view_if_needed()
    _step(phone, "digits").get_by_text("Show the values").click()
    _step(phone, "digits").get_by_role("button", name="Copy: Digits").click()
    expect(toast(phone)).to_have_text("Copied")
    phone.go_back()
    expect(sheet).to_have_count(0)

    issue = _drawn_issue(house)
    phone.route("**/api/Lottery/proof", _with_another_digit)
    phone.goto(f"lotteryDetail?game_id=1&issue={issue}")
    expect(sheet.get_by_test_id("verdict")).to_contain_text("Something does not match.")
    _expect_verdicts(phone, digits="wrong", rest="right")
    expect(_step(phone, "digits")).to_contain_text("This does not match what was published.")
    sheet.get_by_role("button", name="Close").click()
    expect(sheet).to_have_count(0)
    assert "issue" not in phone.url


def _with_another_digit(route: Route) -> None:
    """Changes the first digit, and the sum to match."""
    answer = route.fetch()
    envelope: dict[str, Any] = answer.json()
    first, *rest = envelope["data"]["drawn"]["digits"]
    digits = [(first + 1) % 10, *rest]
    envelope["data"]["drawn"] |= {"digits": digits, "sum": sum(digits)}
    route.fulfill(response=answer, json=envelope)


def test_an_unknown_round_is_reported_and_can_be_left(members_phone: Page) -> None:
    phone = members_phone
    phone.goto("lotteryDetail?game_id=1&issue=%00<b>nonsense")
    sheet = phone.get_by_role("dialog", name="Proof of a draw")
    expect(sheet).to_contain_text("There is no such round")
    with phone.expect_response("**/api/Lottery/proof"):
        sheet.get_by_role("button", name="Reload").click()
    sheet.get_by_role("button", name="Close").click()
    expect(sheet).to_have_count(0)
    expect(phone.get_by_role("heading", name="Singapore draw results")).to_be_visible()


def test_draws_of_a_game_that_is_none_are_those_of_the_first(members_phone: Page) -> None:
    with members_phone.expect_response("**/Lottery/issueList") as answered:
        members_phone.goto("lotteryDetail?game_id=77")
    assert answered.value.json()["code"] == 1
    expect(members_phone.get_by_role("heading", name="Singapore draw results")).to_be_visible()


def test_the_proof_the_log_and_the_rules_lead_to_what_the_check_shows(
    members_phone: Page, member: Player
) -> None:
    phone = members_phone
    sheet = proof_of(phone, member.issue(PLAN))
    title = phone.get_by_role("heading", level=1, name="What the check shows")
    for link in (
        sheet.get_by_test_id("log").get_by_role("link", name="What the check shows"),
        sheet.get_by_role("link", name="What this shows, and what it does not"),
    ):
        link.click()
        expect(phone).to_have_url(re.compile("/vip/fairness$"))
        expect(title).to_be_visible()
        expect(sheet).to_have_count(0)
        phone.get_by_role("button", name="Back").click()
        expect(sheet.get_by_test_id("log")).to_have_attribute("data-verdict", "right")
    phone.goto("lotteryExplain")
    phone.get_by_role("link", name="What the check shows").click()
    expect(title).to_be_visible()


def test_anyone_can_read_what_the_check_shows_and_what_not(phones: Phones) -> None:
    phone = phones(size=SMALL)
    phone.goto("fairness")
    main = phone.get_by_role("main")
    for said in (
        "so neither party alone can know or choose them",
        "the house runs the witness too and has both secrets",
        "Your phone checks that your receipt is in the signed list",
        "the log of today must continue them",
        "The house could show two people different logs",
        "without this app and without the house",
    ):
        expect(main).to_contain_text(said)
    expect(phone.get_by_role("listitem")).to_contain_text(
        [
            "That the house pays out.",
            "That the odds are good.",
            "That house and witness do not work together.",
            "That every bet was accepted.",
            "Who the other players are.",
            "That this app is honest",
        ]
    )
    choose_language(phone, "简体中文", "zh-Hans")
    phone.goto("fairness")
    expect(phone.get_by_role("heading", level=1)).to_have_text("验证能说明什么")
    phone.get_by_role("link", name="统计").click()
    expect(phone).to_have_url(re.compile("/vip/statistics$"))
