"""Charts of past draws: they show the recorded draws and promise nothing."""

import json
import re
from decimal import Decimal

from playwright.sync_api import Page, Request, expect

from tests.browser.house import ROUND_MS, Player
from tests.browser.pages import choose_language, turn_to

GAME, OTHER_GAME = 1, 3


def test_the_candles_show_issue_and_sum_to_a_finger_and_to_keys(
    members_phone: Page, member: Player
) -> None:
    phone = members_phone
    _await_two_draws(phone)
    tooltip = phone.get_by_test_id("candle-tooltip")
    expect(tooltip).to_have_text(re.compile(r"Round \d+: sum \d+"))
    shown = re.search(r"Round (\d+): sum (\d+)", tooltip.inner_text())
    assert shown is not None
    assert Decimal(shown[2]) == member.draw(GAME, shown[1])["code"]
    chart = phone.get_by_role("application")
    chart.focus()
    phone.keyboard.press("ArrowLeft")
    expect(tooltip).not_to_have_text(shown[0])
    before = re.search(r"Round (\d+): sum (\d+)", tooltip.inner_text())
    assert before is not None
    assert Decimal(before[2]) == member.draw(GAME, before[1])["code"]
    for name in ("Long", "Short", "Single", "Double"):
        expect(phone.get_by_role("term").filter(has_text=re.compile(f"^{name}$"))).to_be_visible()
    expect(phone.get_by_role("main")).to_contain_text("Past results do not affect the next draw")


def test_the_same_is_in_a_table_and_each_game_has_its_own(
    members_phone: Page, member: Player
) -> None:
    phone = members_phone
    _await_two_draws(phone)
    issue, total = phone.get_by_role("row").nth(1).get_by_role("cell").all_inner_texts()
    assert Decimal(total) == member.draw(GAME, issue)["code"]
    phone.get_by_role("tab", name="Kuala Lumpur").click()
    expect(phone).to_have_url(re.compile(f"game_id={OTHER_GAME}"))
    expect(phone.get_by_role("navigation", name="Main")).to_be_visible()


def test_the_trend_marks_what_each_draw_hit_and_counts_what_is_missing(
    members_phone: Page, member: Player
) -> None:
    phone = members_phone
    _await_two_draws(phone)
    phone.goto(f"trendChart?game_id={GAME}&name=Singapore")
    row = phone.get_by_test_id("trend-row").first
    expect(row).to_be_visible()
    issue = row.get_attribute("data-issue") or ""
    total = int(member.draw(GAME, issue)["code"])
    big, odd = total >= 14, total % 2 == 1
    for kind, hit in {"big": big, "small": not big, "odd": odd, "even": not odd}.items():
        cell = row.locator(f"[data-kind={kind}]")
        expect(cell).to_have_text(re.compile("hit" if hit else r"^\d+$"))
    kind = f"{'big' if big else 'small'}_{'odd' if odd else 'even'}"
    expect(row.locator("td", has_text="hit")).to_have_count(3)
    expect(row.locator(f"[data-kind={kind}]")).to_have_text(re.compile("hit"))
    expect(phone.get_by_test_id("trend-missing")).to_contain_text("Draws since last hit")
    _see_the_whole_head_above_scrolled_draws(phone)


def _asks_for_a_day(sent: Request) -> bool:
    """The first request of a game, which may be late, names none."""
    return sent.url.endswith("/Lottery/trend") and '"date"' in (sent.post_data or "")


def test_the_title_switches_games_and_a_day_without_draws_is_reported(
    members_phone: Page,
) -> None:
    phone = members_phone
    phone.goto(f"trendChart?game_id={GAME}&name=Singapore&status=1")
    phone.get_by_role("button", name="Trends, Singapore").click()
    phone.get_by_role("dialog").get_by_role("button", name="Kuala Lumpur").click()
    expect(phone.get_by_role("heading", name="Trends, Kuala Lumpur")).to_be_visible()
    expect(phone).to_have_url(re.compile(f"game_id={OTHER_GAME}.*status=1|status=1.*game_id="))
    day = phone.get_by_label("Draw day")
    expect(day).to_have_attribute("min", "2018-01-01")
    with phone.expect_request(_asks_for_a_day) as path:
        day.fill("2017-12-31")
    assert json.loads(path.value.post_data or "")["date"] == "2018-01-01"
    expect(phone.get_by_text("No draws on this day.")).to_be_visible()
    day.blur()
    expect(day).to_have_value("2018-01-01")


def test_the_day_is_written_in_the_apps_own_language(members_phone: Page) -> None:
    """A browser would write the date in its own language."""
    phone = members_phone
    choose_language(phone, "Русский", "ru")
    turn_to(phone, f"trendChart?game_id={GAME}")
    phone.locator("input[type=date]").fill("2018-03-01")
    expect(phone.get_by_label("1 марта 2018")).to_have_value("2018-03-01")


def _see_the_whole_head_above_scrolled_draws(phone: Page) -> None:
    """Names of two words make the head's first row higher than the others."""
    phone.set_viewport_size({"width": 390, "height": 300})
    table = phone.get_by_role("region", name="Draws of the day")
    table.evaluate("table => table.scrollTo(0, table.scrollHeight)")
    assert table.evaluate("table => table.scrollTop") > 0
    heads = phone.get_by_role("columnheader"), phone.get_by_test_id("trend-missing").locator("td")
    names, missing = (cells.last.bounding_box() for cells in heads)
    assert names is not None
    assert missing is not None
    assert missing["y"] >= names["y"] + names["height"]


def _await_two_draws(phone: Page) -> None:
    """Wait until the candle chart has added two draws by itself."""
    phone.goto(f"find?game_id={GAME}")
    table = phone.get_by_role("button", name="Show as a table")
    expect(table).to_be_visible(timeout=3 * ROUND_MS)
    table.click()
    expect(phone.get_by_role("row").nth(2)).to_be_visible(timeout=3 * ROUND_MS)
