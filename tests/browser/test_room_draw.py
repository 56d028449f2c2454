"""A draw in the room: the win and its signals, a late recall, and earlier draws."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from api.http.static_files import DIST
from tests.browser.conftest import Phones
from tests.browser.house import ROUND_MS, Player
from tests.browser.phone import await_open_round, choose, enter_room, painted, seen, stop_clock

# Kuala Lumpur's mid-level hall of the first level, without bots.
PLAN = 20
GAME = 3
# Longer than three balls and their sum take to stop.
ALL_SHOWN_MS = 4_000

# Counts the phone's vibrations and sounds.
_LISTEN = """
window.buzzes = 0;
window.notes = 0;
navigator.vibrate = () => { window.buzzes += 1; return true; };
const start = AudioScheduledSourceNode.prototype.start;
AudioScheduledSourceNode.prototype.start = function (...when) {
  window.notes += 1;
  return start.apply(this, when);
};
"""


class Winner:
    """Once it wins, every heartbeat has a win in the round that was then the last one."""

    def __init__(self) -> None:
        self.wins = False
        self.issue = ""

    def carry(self, route: Route) -> None:
        answer = route.fetch()
        envelope: Any = answer.json()
        last = envelope["data"]["last_issue"]
        if self.wins and last:
            self.issue = self.issue or str(last["issue_code"])
            won = {"payout": 19.8, "profit": 9.8}
            bet = {"orderNo": "1", "play_type": "big", "quantity": 10, "whether_hit": 1, **won}
            about = {"issue": self.issue, "game_id": GAME, "stake": 10}
            envelope["data"]["win"] = {**about, **won, "bets": [bet]}
        route.fulfill(response=answer, body=json.dumps(envelope))


@pytest.mark.parametrize("enabled", [True, False], ids=["enabled", "by_default"])
def test_a_win_is_shown_once_with_vibration_and_sound_if_enabled(
    phones: Phones, member: Player, *, enabled: bool
) -> None:
    phone = phones(member=member)
    winner = Winner()
    phone.add_init_script(_LISTEN)
    if enabled:
        chosen = json.dumps({"vibration": True, "sound": True})
        phone.add_init_script(f"localStorage['fairdraw.settings'] ??= {json.dumps(chosen)}")
    # Without the stream the room polls.
    phone.route("**/Lottery/stream*", lambda route: route.fulfill(status=204))
    phone.route("**/Lottery/heart", winner.carry)
    enter_room(phone, PLAN)
    phone.get_by_test_id("room-balance").click()
    winner.wins = True
    banner = phone.get_by_test_id("win-banner")
    expect(banner).to_contain_text("19.80u paid out", timeout=2 * ROUND_MS)
    expect(banner).to_contain_text("+9.80u after your stakes")
    assert phone.evaluate("[buzzes, notes]") == ([1, 3] if enabled else [0, 0])
    link = banner.get_by_role("link")
    expect(link).to_have_attribute("href", re.compile(f"/lotteryDetail.*issue={winner.issue}$"))
    phone.reload()
    label = re.compile(r"^\d, \d and \d, sum \d+$")
    expect(phone.get_by_test_id("last-draw").get_by_role("img", name=label)).to_be_visible()
    painted(phone)
    assert len(seen(phone, "win-banner")) == 1


class Absent:
    """A player who missed two draws; no draw has followed since the return.

    Every heartbeat has a win in the round `issue`.
    """

    before_last, earlier = "20200101002", "20200101001"

    def __init__(self) -> None:
        self.issue = ""
        self.last: Any = None

    def draws(self, route: Route) -> None:
        answer = route.fetch()
        envelope: Any = answer.json()
        newest, *rest = envelope["data"]
        missed = [newest | {"issue_code": issue} for issue in (self.before_last, self.earlier)]
        route.fulfill(response=answer, json=envelope | {"data": [newest, *missed, *rest]})

    def carry(self, route: Route) -> None:
        answer = route.fetch()
        envelope: Any = answer.json()
        self.last = self.last or envelope["data"]["last_issue"]
        won = {"payout": 19.8, "profit": 9.8}
        bet = {"orderNo": "1", "play_type": "big", "quantity": 10, "whether_hit": 1, **won}
        win = {"issue": self.issue, "game_id": GAME, "stake": 10, **won, "bets": [bet]}
        envelope["data"] |= {"last_issue": self.last, "win": win}
        route.fulfill(response=answer, json=envelope)


def test_a_missed_win_is_shown_for_the_round_before_and_no_older_one(
    members_phone: Page,
) -> None:
    phone, absent = members_phone, Absent()
    enter_room(phone, PLAN)
    label = re.compile(r"^\d, \d and \d, sum \d+$")
    last_draw = phone.get_by_test_id("last-draw").get_by_role("img", name=label)
    expect(last_draw).to_be_visible(timeout=2 * ROUND_MS)
    phone.route("**/Lottery/stream*", lambda route: route.fulfill(status=204))
    phone.route("**/Lottery/heart", absent.carry)
    phone.route("**/Lottery/issueList", absent.draws)
    absent.issue = absent.earlier
    enter_room(phone, PLAN)
    phone.get_by_test_id("earlier-open").click()
    sheet = phone.get_by_role("dialog", name="Earlier draws")
    expect(sheet.get_by_role("listitem").filter(has_text=absent.earlier)).to_be_visible()
    painted(phone)
    absent.issue = absent.before_last
    expected = f"A win on round {absent.before_last}"
    expect(phone.get_by_test_id("win-banner")).to_contain_text(expected)
    assert len(seen(phone, "win-banner")) == 1


def test_a_recall_that_comes_too_late_is_reported_and_the_bets_are_settled(
    members_phone: Page, member: Player
) -> None:
    """The press is in time, but the network delivers it only after the close."""
    room = members_phone
    enter_room(room, PLAN)
    await_open_round(room)
    issue = member.bet(PLAN, "big", 10)["issue"]
    member.bet(PLAN, "small", 10)
    room.get_by_test_id("recall-open").click()
    bets = room.get_by_role("region", name=f"My bets on round {issue}")
    expect(bets.get_by_test_id("my-bet")).to_have_count(2)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    room.route("**/Lottery/recall", hold)
    expect(room.get_by_role("timer", name=re.compile(" 0:0[1-4]$"))).to_be_visible(timeout=ROUND_MS)
    with room.expect_request("**/Lottery/recall"):
        room.get_by_test_id("recall-all").click()
    expect(bets).to_have_count(0)
    held[0].continue_()
    expect(room.locator("[popover=manual]:popover-open")).to_have_text(
        "Too late to recall: the round has closed. Your bet is placed."
    )
    # Big and small with the same stake pay 1.98 for one of them in every draw.
    expect(room.get_by_test_id("room-balance")).to_contain_text("999.80")
    assert [order["status"] for order in member.orders()] == [1, 1]


def test_the_earlier_draws_are_listed_and_lead_to_their_proofs(
    members_phone: Page, member: Player
) -> None:
    phone = members_phone
    enter_room(phone, PLAN)
    label = re.compile(r"^\d, \d and \d, sum \d+$")
    expect(phone.get_by_test_id("last-draw").get_by_role("img", name=label)).to_be_visible(
        timeout=2 * ROUND_MS
    )
    phone.get_by_test_id("earlier-open").click()
    rows = phone.get_by_role("dialog", name="Earlier draws").get_by_role("listitem")
    expect(rows.first).to_be_visible()
    issue = rows.first.inner_text().split()[0]
    # The next draw becomes the first of the list.
    row = rows.filter(has_text=issue)
    draw = member.draw(GAME, issue)
    sites = "{site_1}, {site_2} and {site_3}, sum {code}".format(**draw)
    expect(row.get_by_role("img", name=sites)).to_be_visible()
    link = row.get_by_role("link")
    expect(link).to_have_attribute("href", re.compile(f"lotteryDetail.*issue={issue}$"))


def test_the_menu_leads_on_with_what_the_room_knows_and_hides_two_entries(
    members_phone: Page,
) -> None:
    phone = members_phone
    phone.goto(f"betRoom?id={PLAN}&game_id={GAME}&name=x&title=y&status=0")
    await_open_round(phone, seconds=3)
    phone.get_by_test_id("room-menu").click()
    menu = phone.get_by_role("navigation", name="More")
    hrefs = {
        "Draw results": rf"/lotteryDetail\?id={PLAN}&game_id={GAME}&name=Kuala\+Lumpur$",
        "Trend chart": rf"/trendChart\?game_id={GAME}&name=Kuala\+Lumpur&status=0$",
        "Bet history": rf"/betRecord\?id={PLAN}&game_id={GAME}&issue_code=\d+$",
    }
    for name, href in hrefs.items():
        expect(menu.get_by_role("link", name=name)).to_have_attribute("href", re.compile(href))
    for hidden in ("Product explanation", "Clear cache"):
        expect(menu.get_by_text(hidden)).to_be_hidden()
        expect(menu.get_by_text(hidden)).to_have_count(1)


def test_a_rounds_bet_history_is_marked_so_and_leads_to_all_bets(
    members_phone: Page, member: Player
) -> None:
    phone = members_phone
    enter_room(phone, PLAN)
    await_open_round(phone)
    member.bet(PLAN, "big", 10)
    phone.goto(f"betRecord?id={PLAN}&game_id={GAME}&issue_code=20200101001")
    expect(phone.get_by_text("Kuala Lumpur · Round 20200101001")).to_be_visible()
    expect(phone.get_by_text("You have no bets on this round.")).to_be_visible()
    phone.get_by_role("link", name="All bets").click()
    expect(phone.get_by_role("link").filter(has_text="Big")).to_be_visible()
    expect(phone.get_by_text("Round 20200101001")).to_have_count(0)
    expect(phone).to_have_url(re.compile("/betRecord$"))


def test_bet_history_is_filtered_by_what_became_of_the_bets(
    members_phone: Page, member: Player
) -> None:
    phone = members_phone
    enter_room(phone, PLAN)
    await_open_round(phone)
    member.bet(PLAN, "big", 10)
    member.recall(PLAN, member.bet(PLAN, "odd", 15)["orderNo"])
    phone.goto("betRecord")
    rows = phone.get_by_role("link").filter(has_text=re.compile("Long|Single"))
    expect(rows).to_have_count(2)

    def choose_status(name: str) -> None:
        phone.get_by_role("button", name="Filter").click()
        statuses = phone.get_by_role("group", name="Status")
        statuses.get_by_role("button", name=name, exact=True).click()
        phone.get_by_role("button", name="Confirm").click()

    choose_status("Recalled")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("Single")
    choose_status("Voided")
    expect(phone.get_by_text("No bets of this kind on these days.")).to_be_visible()
    choose_status("All")
    expect(rows).to_have_count(2)


@pytest.fixture(scope="module")
def menus_code() -> str:
    scripts = (DIST / "assets").glob("*.js")
    return next(at.name for at in scripts if "/lotteryExplain`,hidden" in at.read_text())


def test_a_menu_pressed_before_it_has_come_opens_when_it_comes(
    members_phone: Page, menus_code: str
) -> None:
    phone = members_phone
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    phone.route(f"**/assets/{menus_code}", hold)
    with phone.expect_request(f"**/assets/{menus_code}"):
        enter_room(phone, PLAN)
    phone.get_by_test_id("room-menu").click()
    held[0].continue_()
    expect(phone.get_by_role("navigation", name="More")).to_be_visible()


def test_a_menu_pressed_as_it_comes_opens_too(members_phone: Page, menus_code: str) -> None:
    phone = members_phone
    phone.clock.install()
    phone.add_init_script("window.idle = new Promise((done) => { window.rest = done; });")
    phone.add_init_script("window.requestIdleCallback = (then) => { window.idle.then(then); };")
    phone.goto(f"betRoom?id={PLAN}&game_id={GAME}&name=x&title=y&status=0")
    await_open_round(phone)
    # A chunk that arrives late is shown a moment later or by a press.
    stop_clock(phone)
    with phone.expect_request_finished(lambda request: menus_code in request.url):
        phone.evaluate("window.rest()")
    phone.evaluate("async code => { await import(code) }", f"/vip/assets/{menus_code}")
    phone.get_by_test_id("room-menu").click()
    phone.clock.run_for(1_000)
    expect(phone.get_by_role("navigation", name="More")).to_be_visible()


def test_the_buy_panel_shows_no_sum_while_its_balls_turn(phones: Phones, member: Player) -> None:
    room = phones(member=member, reduced_motion="no-preference")
    room.clock.install()
    enter_room(room, PLAN)
    await_open_round(room)
    choose(room, "big")
    last = room.get_by_role("dialog").get_by_text("Last draw")
    stop_clock(room)
    expect(last).to_have_text("Last draw …", timeout=2 * ROUND_MS)
    room.clock.run_for(ALL_SHOWN_MS)
    newest, *_ = member.call("Lottery/issueList", game_id=GAME)
    expect(last).to_have_text(f"Last draw {newest['code']}")


def test_my_bets_are_those_on_the_round_whose_balls_roll(phones: Phones, member: Player) -> None:
    room = phones(member=member, reduced_motion="no-preference")
    room.clock.install()
    enter_room(room, PLAN)
    await_open_round(room)
    issue = member.bet(PLAN, "big", 10)["issue"]
    room.get_by_test_id("recall-open").click()
    bets = room.get_by_role("region", name=f"My bets on round {issue}")
    expect(bets.get_by_test_id("my-bet")).to_have_count(1)
    stop_clock(room)
    last_draw = room.get_by_test_id("last-draw")
    expect(last_draw).to_have_attribute("data-issue", issue, timeout=2 * ROUND_MS)
    expect(last_draw).to_contain_text("Drawing")
    # The next round is on sale before the balls have stopped.
    expect(room.get_by_role("timer", name=re.compile("^Closes in"))).to_be_visible()
    expect(bets).to_contain_text("1 bet · 10u")
    expect(bets).to_contain_text("Accepted")
    expect(room.get_by_role("tab", name="My bets")).to_have_text("My bets (1)")
    room.clock.run_for(ALL_SHOWN_MS)
    expect(bets).to_have_count(0)
    expect(room.get_by_role("region", name="My bets on round")).to_contain_text("0 bets")


def test_nothing_looks_recallable_once_the_round_has_closed(
    members_phone: Page, member: Player
) -> None:
    """The phone's clock is set ahead: the server would draw a second after the close."""
    room = members_phone
    room.clock.install()
    enter_room(room, PLAN)
    await_open_round(room)
    expect(room.get_by_test_id("recall-open")).to_be_disabled()
    member.bet(PLAN, "big", 10)
    recall = room.get_by_role("button", name=re.compile("^Recall"))
    room.get_by_test_id("recall-open").click()
    expect(recall).to_have_count(3)
    room.clock.fast_forward(ROUND_MS)
    expect(room.get_by_test_id("room-notice")).to_contain_text("Closed, stop buying")
    for button in recall.all():
        expect(button).to_be_disabled()
        assert float(button.evaluate("button => getComputedStyle(button).opacity")) < 1
