"""A new player's first evening from the invitation to the ledger, on the real server."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Browsers
from tests.browser.fonts import OWN
from tests.browser.house import PASSWORD, ROUND_MS, Player, RunningServer, fresh_name
from tests.browser.phone import (
    a_phone,
    amount_in,
    await_open_round,
    balance,
    buy,
    enter_room,
    painted,
    seen,
    signed,
    toast,
)

PLAN = 1
GIFT = Decimal(1000)
EVEN_MONEY = Decimal("1.98")
NAMES = {"big": "Big", "small": "Small", "odd": "Odd", "13": "13"}
STAKES = {"big": Decimal(100), "small": Decimal(100), "odd": Decimal(50)}
RECALLED = {"13": Decimal(50)}
WINNING_SUMS = {"big": "14\N{EN DASH}27", "small": "0\N{EN DASH}13", "odd": "1, 3 … 27"}


@dataclass(frozen=True)
class Evening:
    """The results as shown on the screen."""

    page: Page
    issue: str
    digits: tuple[int, int, int]
    balance_before: Decimal
    balance_after: Decimal
    banners: tuple[str, ...]

    @property
    def total(self) -> int:
        return sum(self.digits)

    def payout(self, kind: str) -> Decimal:
        """By the specification: small is 0 to 13, parity is that of the sum, each pays 1.98."""
        hits = {"big": self.total >= 14, "small": self.total <= 13, "odd": self.total % 2 == 1}
        return STAKES[kind] * EVEN_MONEY if hits[kind] else Decimal(0)

    @property
    def paid(self) -> Decimal:
        return sum((self.payout(kind) for kind in STAKES), Decimal(0))


@pytest.fixture(scope="module")
def evening(browsers: Browsers, house: RunningServer) -> Iterator[Evening]:
    browser = browsers.with_fonts(OWN)
    with a_phone(browser, house, reduced_motion="no-preference") as page:
        _register_as_invited(page, house.member())
        _walk_to_the_room(page)
        await_open_round(page, seconds=15)
        before = balance(page)
        buy(page, 100, "big", "small")
        buy(page, 50, "odd", "13")
        issue = _recall_thirteen(page)
        digits = _watch_the_draw(page, issue)
        banners = _see_the_win(page, issue)
        yield Evening(page, issue, digits, before, balance(page), banners)


def _register_as_invited(page: Page, friend: Player) -> None:
    page.goto(f"register?inviter_id={friend.user_id}")
    expect(page.get_by_label("Invitation code")).to_have_value(friend.user_id)
    page.get_by_label("Username").fill(fresh_name())
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Confirm password").fill(PASSWORD)
    with page.expect_request("**/user/register") as sent:
        page.get_by_role("button", name="Register", exact=True).click()
    assert f'"inviter_id":"{friend.user_id}"' in (sent.value.post_data or "")
    expect(toast(page)).to_have_text("Registration successful")
    expect(page).to_have_url(re.compile(r"/vip/$"))


def _walk_to_the_room(page: Page) -> None:
    expect(page.get_by_role("link", name=re.compile("^Balance"))).to_contain_text("1,000.00")
    page.get_by_role("link", name=re.compile("^VIP1")).click()
    halls = page.get_by_role("tabpanel", name="Singapore")
    halls.get_by_role("button", name=re.compile("^Ordinary hall")).click()
    expect(page).to_have_url(re.compile(rf"/betRoom\?id={PLAN}&game_id=1&"))


def _recall_thirteen(page: Page) -> str:
    """Recall the bet on 13 and return the round of this evening's bets."""
    page.get_by_test_id("recall-open").click()
    expect(page.get_by_test_id("my-bet")).to_have_count(len(STAKES) + len(RECALLED))
    page.get_by_role("button", name="Recall Sum 13, 50u").click()
    expect(toast(page)).to_have_text("Cancelled successfully")
    recalled = page.locator("[data-testid=my-bet][data-status='2']")
    expect(recalled).to_contain_text("13")
    expect(page.get_by_test_id("room-balance")).to_contain_text("750.00")
    label = page.get_by_role("region", name="My bets on round").get_attribute("aria-label")
    return (label or "").removeprefix("My bets on round ")


def _watch_the_draw(page: Page, issue: str) -> tuple[int, int, int]:
    """Wait until the three balls and their sum have stopped."""
    drawn = page.locator(f"[data-testid=last-draw][data-issue='{issue}']")
    label = re.compile(r"^(\d), (\d) and (\d), sum (\d+)$")
    expect(drawn.get_by_role("img", name=label)).to_be_visible(timeout=2 * ROUND_MS)
    words = drawn.get_by_role("img").get_attribute("aria-label") or ""
    a, b, c, total = (int(figure) for figure in re.findall(r"\d+", words))
    assert a + b + c == total
    return a, b, c


def _see_the_win(page: Page, issue: str) -> tuple[str, ...]:
    """The banner is shown once: leaving and entering the room again does not repeat it."""
    banner = page.get_by_test_id("win-banner")
    expect(banner).to_be_visible()
    with page.expect_response(
        lambda answer: (
            answer.url.endswith("orderList") and issue in (answer.request.post_data or "")
        )
    ):
        page.reload()
    painted(page)
    return tuple(seen(page, "win-banner"))


def test_the_draw_on_the_screen_is_the_houses(evening: Evening, member: Player) -> None:
    draw = member.draw(1, evening.issue)
    assert [int(draw[f"site_{place}"]) for place in (1, 2, 3)] == list(evening.digits)


def test_betting_is_seen_to_stop_before_the_draw(evening: Evening) -> None:
    notices = seen(evening.page, "room-notice")
    assert "Closed, stop buying. Your bets are placed; the draw is next." in notices
    assert "Closed" in seen(evening.page, "room-state")


def test_the_win_is_shown_once_with_what_was_paid(evening: Evening) -> None:
    (banner,) = evening.banners
    assert evening.issue in banner
    assert f"{evening.paid:,.2f}u paid out" in banner


def test_the_balance_is_right_to_the_cent(evening: Evening) -> None:
    assert evening.balance_before == GIFT
    assert evening.balance_after == GIFT - sum(STAKES.values()) + evening.paid


@pytest.mark.parametrize("kind", STAKES)
def test_history_shows_the_result_of_each_bet(evening: Evening, kind: str) -> None:
    page = evening.page
    page.goto("betRecord")
    row = page.get_by_role("link").filter(has=page.get_by_text(NAMES[kind], exact=True))
    profit = evening.payout(kind) - STAKES[kind]
    expect(row).to_contain_text("Won" if profit > 0 else "Not profitable")
    expect(row).to_contain_text(signed(profit))
    row.click()
    a, b, c = evening.digits
    expect(page.get_by_role("img", name=f"{a}, {b} and {c}, sum {evening.total}")).to_be_visible()
    expect(page.get_by_text("Order number")).to_be_visible()
    selection = page.locator("dl > div").filter(has_text="Winning sums")
    expect(selection).to_have_text(f"Winning sums{WINNING_SUMS[kind]}")
    paid = page.locator("dl > div").filter(has_text="Payout")
    expect(paid).to_contain_text(f"{evening.payout(kind):,.2f}")


def test_history_keeps_a_recalled_bet_and_marks_it(evening: Evening) -> None:
    page = evening.page
    page.goto("betRecord")
    row = page.get_by_role("link").filter(has=page.get_by_text("13", exact=True))
    expect(row).to_contain_text("Recalled")
    row.click()
    expect(page.get_by_text("You recalled this bet. The stake was returned.")).to_be_visible()


def test_the_ledger_accounts_for_the_balance_line_by_line(evening: Evening) -> None:
    page = evening.page
    page.goto("capitalDetail")
    expect(page.get_by_text("--END--")).to_be_visible()
    lines = [_line(text) for text in page.locator("main li").all_inner_texts()]
    assert lines[0].after == evening.balance_after
    assert lines[-1] == _Line("Deposit", GIFT, GIFT)
    for later, earlier in pairwise(lines):
        assert later.after == earlier.after + later.amount
    expected = [("Deposit", GIFT), ("Purchase", RECALLED["13"])]
    expected += [("Purchase", -stake) for stake in (*STAKES.values(), *RECALLED.values())]
    expected += [("Profit", paid) for kind in STAKES if (paid := evening.payout(kind))]
    assert sorted((line.kind, line.amount) for line in lines) == sorted(expected)


def test_the_ledger_can_be_filtered_by_type(evening: Evening) -> None:
    page = evening.page
    page.goto("capitalDetail")
    lines = {"Deposit": 1, "Withdraw": 0, "Purchase": 5, "Gift": 0, "All": None}
    for kind, count in lines.items():
        page.get_by_role("button", name="Filter").click()
        drawer = page.get_by_role("dialog", name="Filter")
        drawer.get_by_role("button", name=kind, exact=True).click()
        drawer.get_by_role("button", name="Confirm").click()
        expect(drawer).to_have_count(0)
        shown = page.locator("main li")
        if count is None:
            expect(shown.filter(has_text="Deposit")).to_have_count(1)
            expect(shown.filter(has_text="Purchase")).to_have_count(5)
        elif count:
            expect(shown).to_have_count(count)
            expect(shown.filter(has_text=kind)).to_have_count(count)
        else:
            expect(page.get_by_text("No entries in this period.")).to_be_visible()


@dataclass(frozen=True)
class _Line:
    kind: str
    amount: Decimal
    after: Decimal


def _line(text: str) -> _Line:
    kind, rest = text.split("\n", 1)
    change, after = rest.split("Balance after")
    return _Line(kind, amount_in(change), amount_in(after))


def test_draw_results_list_the_draw(evening: Evening) -> None:
    page = evening.page
    page.goto("lotteryDetail?game_id=1")
    row = page.get_by_role("listitem").filter(has_text=evening.issue)
    a, b, c = evening.digits
    expect(row.get_by_role("img", name=f"{a}, {b} and {c}, sum {evening.total}")).to_be_visible()
    expect(row).to_contain_text("Big" if evening.total >= 14 else "Small")


def test_a_pending_bet_keeps_its_number_and_result_back(
    members_phone: Page, member: Player
) -> None:
    phone = members_phone
    enter_room(phone, PLAN)
    await_open_round(phone)
    member.bet(PLAN, "odd", 10)
    phone.goto("betRecord")
    row = phone.get_by_role("link").filter(has_text="Odd")
    expect(row).to_contain_text("Pending")
    row.click()
    expect(phone.get_by_text("Pending")).to_be_visible()
    expect(phone.get_by_text("Draw result")).to_have_count(0)
    expect(phone.get_by_text("Order number")).to_have_count(0)
    expect(phone.get_by_text("--", exact=True)).to_be_visible()
