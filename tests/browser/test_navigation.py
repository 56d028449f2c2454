"""Every page can be reached from home by visible controls."""

import re
from typing import Final

from playwright.sync_api import Page, expect

from tests.browser.conftest import Phones
from tests.browser.house import Player
from tests.browser.money import made_ready
from tests.browser.pages import PAGES, follow_link
from tests.browser.phone import await_open_round, enter_room, wait_until_started

ME = ("link: Me",)
SETTINGS = (*ME, "link: Settings")
ACCOUNT = (*ME, "link: Account info")
HALLS = ("link: VIP1",)
ROOM = (*HALLS, "button: Ordinary hall")
MENU = (*ROOM, "button: More")

OF_A_GUEST: Final = {
    "": (),
    "login": ("button: Log in",),
    "register": ("button: Register",),
    "language": ("link: Language",),
}
OF_A_MEMBER: Final = {
    "personal": ME,
    "setting": SETTINGS,
    "changeline": (*SETTINGS, "link: Change line"),
    "about": (*SETTINGS, "link: About us"),
    "lotteryExplain": (*SETTINGS, "link: About us", "link: Product explanation"),
    "statistics": (*SETTINGS, "link: About us", "link: Statistics"),
    "fairness": (*SETTINGS, "link: About us", "link: What the check shows"),
    "system": (*SETTINGS, "link: System settings"),
    "baseinfo": (*ME, "link: Personal details"),
    "defaultAvatar": (*ME, "link: Personal details", "button: Change", "System default picture"),
    "bankCardManage": (*ACCOUNT, "link: Bank card"),
    "addBankCard": (*ACCOUNT, "link: Bank card", "button: Replace bank card"),
    "addVirtualWallet": (*ACCOUNT, "link: Bind virtual wallet", "button: Add virtual wallet"),
    "setSecurityCode": (*ACCOUNT, "link: Security code"),
    "changePassword": (*ACCOUNT, "link: Change login password"),
    "actionCenter": (*ME, "link: Fair play and limits"),
    "shareFriend": (*ME, "link: Invitation code"),
    "notice": (*ME, "link: Messages and announcements"),
    "betRecord": (*ME, "link: Bet history"),
    "betDetail": (*ME, "link: Bet history", "link: Long"),
    "capitalDetail": (*ME, "link: Fund details"),
    "withdraw": (*ME, "button: Withdraw"),
    "recharge": ("link: Deposit",),
    "find": ("link: Draw charts",),
    "lottery": HALLS,
    "lotterytwo": (*HALLS, "link: VIP2"),
    "lotterythree": (*HALLS, "link: VIP3"),
    "betRoom": ROOM,
    "lotteryDetail": (*MENU, "link: Draw results"),
    "trendChart": (*MENU, "link: Trend chart"),
    "moreNews": ("link: News at a glance",),
    "aticleDetail": ("link: News at a glance", "main link: "),
}


def _press(page: Page, way: str) -> None:
    role, _, begins = way.rpartition(": ")
    name = re.compile(rf"^{begins}\b" if begins else "")
    within = page.get_by_role("main") if role.startswith("main") else page
    if role.endswith("link"):
        follow_link(page, within.get_by_role("link", name=name).first)
    elif role.endswith("button"):
        within.get_by_role("button", name=name).first.click()
    else:
        within.get_by_text(way).first.click()


def _walk(page: Page, route: str, ways: tuple[str, ...]) -> None:
    page.goto("")
    wait_until_started(page)
    for way in ways:
        _press(page, way)
    expect(page).to_have_url(re.compile(rf"/vip/{route}(\?|$)", re.IGNORECASE))


def test_every_route_is_reached_from_home_by_pressing_what_is_seen(
    phones: Phones, phone: Page, member: Player
) -> None:
    routes = {page.partition("?")[0] for page in PAGES} - {"no-such-page"}
    assert routes == {*OF_A_GUEST, *OF_A_MEMBER}
    assert len(routes) == 36
    made_ready(member)
    members = phones(member=member)
    enter_room(members, 1)
    await_open_round(members)
    member.bet(1, "big", 1)
    for route, ways in OF_A_GUEST.items():
        _walk(phone, route, ways)
    for route, ways in OF_A_MEMBER.items():
        _walk(members, route, ways)
