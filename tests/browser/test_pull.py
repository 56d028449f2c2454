"""Pulling a page down by its top reloads its data."""

import pytest
from playwright.sync_api import CDPSession, Page, expect

from tests.browser.house import Player
from tests.browser.phone import wait_until_started

PLAN = 1
# In px. The page follows less than half of the finger's way and reloads beyond 64 px.
FAR, SHORT = 200, 80


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("personal", "1,000.00", "990.00"),
        ("capitalDetail", "Play money", "Balance after 990.00"),
        ("betRecord", "No bets", "Long (Big)"),
    ],
)
def test_a_page_that_is_pulled_down_far_enough_is_read_again(
    members_phone: Page, member: Player, path: str, before: str, after: str
) -> None:
    phone = members_phone
    phone.goto(path)
    wait_until_started(phone)
    expect(phone.get_by_text(before).first).to_be_visible()
    member.bet(PLAN, "big", 10)
    finger = phone.context.new_cdp_session(phone)
    hint = phone.get_by_text("Pull to refresh")
    _pull(finger, SHORT)
    expect(hint).to_be_visible()
    _touch(finger, "touchEnd")
    expect(hint).to_have_count(0)
    expect(phone.get_by_text(after)).to_have_count(0)
    _pull(finger, FAR)
    expect(phone.get_by_text("Release to refresh")).to_be_visible()
    _touch(finger, "touchEnd")
    expect(phone.get_by_text(after).first).to_be_visible()
    expect(phone.get_by_text("Refreshing")).to_have_count(0)


def _pull(finger: CDPSession, far: int) -> None:
    """Touch the top of the page and move down in small steps."""
    _touch(finger, "touchStart", 200)
    for way in range(10, far + 1, 10):
        _touch(finger, "touchMove", 200 + way)


def _touch(finger: CDPSession, kind: str, *at: int) -> None:
    points = [{"x": 195, "y": y} for y in at]
    finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
