"""Two addresses of one server: chosen, measured, and offered when the other one fails.

The page loads from line 1, which is a relay that a test can cut. Line 2 is another site, so that
the stream's cookie is not sent to it.
"""

import json
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Request, Route, expect

from api.http.static_files import DIST
from tests.browser.house import ROUND_MS, Player, RunningServer, running_house
from tests.browser.phone import (
    a_phone,
    await_open_round,
    buy,
    choose,
    enter_room,
    stop_clock,
    toast,
)
from tests.browser.relay import Relay
from tests.browser.test_fairness_log import checkpoint_of, forked_checkpoint, proof_of, verified
from tests.ports import reserved_port

# Australia's first hall of the second level.
PLAN = 31
ATTEMPTS = 7
PAUSE_MS = 2_000
ANSWERS = re.compile(r"^Answers in \d+ ms$")


@dataclass(frozen=True)
class Lines:
    """The server's two lines; `house` uses the first."""

    house: RunningServer
    first: Relay
    two: str


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[RunningServer, int, int]]:
    """The server, and the ports of both lines."""
    first, second = reserved_port(), reserved_port()
    lines = {
        "FAIRDRAW_LINE_1": f"http://127.0.0.1:{first}",
        "FAIRDRAW_LINE_2": f"http://localhost:{second}",
    }
    with tempfile.TemporaryDirectory(prefix="fairdraw-lines-") as folder:
        # The database server's own account needs to traverse this folder.
        Path(folder).chmod(0o711)
        with running_house(Path(folder, "data"), second, **lines) as house:
            yield replace(house, address=f"{lines['FAIRDRAW_LINE_1']}/vip/"), first, second


@pytest.fixture
def lines(served: tuple[RunningServer, int, int]) -> Iterator[Lines]:
    house, first, second = served
    with Relay(first, second) as relay:
        yield Lines(house, relay, f"http://localhost:{second}")


@pytest.fixture
def member(lines: Lines) -> Player:
    return lines.house.member()


def _calls(page: Page) -> list[str]:
    """The URLs of the API calls that the page makes from now on."""
    urls: list[str] = []

    def note(request: Request) -> None:
        if urlsplit(request.url).path.startswith("/api/"):
            urls.append(request.url)

    page.on("request", note)
    return urls


def test_on_line_two_a_bet_is_placed_settled_and_shown(
    browser: Browser, lines: Lines, member: Player
) -> None:
    with a_phone(browser, lines.house, member=member) as phone:
        phone.goto("setting?type=1")
        phone.get_by_role("link", name="Change line").click()
        rows = phone.get_by_role("listitem")
        for row in (rows.first, rows.last):
            expect(row.get_by_role("status")).to_have_text(ANSWERS)
        expect(rows.last).to_contain_text(urlsplit(lines.two).netloc)
        rows.last.get_by_role("button", name="Start investing").click()
        expect(toast(phone)).to_have_text("Switched to line 2")
        urls = _calls(phone)
        # Line 2 does not get the stream's cookie, so the room leaves the stream and polls.
        with phone.expect_event("requestfailed", lambda left: "Lottery/stream" in left.url):
            enter_room(phone, PLAN)
        await_open_round(phone)
        buy(phone, 10, "big", "small")
        expect(phone.get_by_test_id("win-banner")).to_contain_text(
            "19.80u paid out", timeout=2 * ROUND_MS
        )
        expect(phone.get_by_test_id("room-balance")).to_contain_text("999.80")
        assert {urlsplit(url)[:2] for url in urls} == {urlsplit(lines.two)[:2]}
        assert [order["status"] for order in member.orders()] == [1, 1]
        _expect_next_start_on(lines.two, phone)


def _expect_next_start_on(line: str, phone: Page) -> None:
    """A new tab shares only stored settings with this one, and has received no data yet."""
    tab = phone.context.new_page()
    with tab.expect_request("**/api/**") as first:
        tab.goto("")
    assert first.value.url.startswith(f"{line}/api/")


def test_where_line_one_is_gone_the_player_is_notified_and_takes_line_two(
    browser: Browser, lines: Lines, member: Player
) -> None:
    with a_phone(browser, lines.house, member=member, may_complain=True) as room:
        room.clock.install()
        enter_room(room, PLAN)
        room.wait_for_function("localStorage['fairdraw.settings']?.includes('localhost')")
        await_open_round(room)
        choose(room, "big")
        room.get_by_test_id("stake-input").fill("10")
        urls = _calls(room)
        keys: list[str] = []
        room.on("request", lambda sent: keys.extend(_key(sent)))
        stop_clock(room)
        lines.first.cut()
        with _failing(room):
            _press(room)
        for _ in range(ATTEMPTS - 1):
            with _failing(room):
                room.clock.run_for(PAUSE_MS)
        offer = room.get_by_role("dialog", name="Line 1 is not responding")
        expect(offer).to_contain_text("Use line 2?")
        room.clock.resume()
        expect(offer.get_by_role("status")).to_have_text(re.compile(r"^Line 2Answers in \d+ ms$"))
        assert not [url for url in urls if url.startswith(lines.two)]
        offer.get_by_role("button", name="Use line 2").click()
        expect(toast(room)).to_have_text("Switched to line 2")
        expect(offer).to_have_count(0)
        await_open_round(room)
        _press(room)
        expect(toast(room)).to_have_text("Order placed successfully: 1 bet, 10u.")
        assert urls[-1].startswith(lines.two)
        assert len(set(keys[: ATTEMPTS + 1])) == 1
        assert len(keys) > ATTEMPTS
        (order,) = member.orders()
        assert (order["play_type"], order["quantity"]) == ("big", 10)


def _key(sent: Request) -> list[str]:
    return [sent.headers["idempotency-key"]] if sent.url.endswith("/playOrder") else []


def _press(room: Page) -> None:
    with room.expect_request("**/Lottery/playOrder"):
        room.get_by_test_id("buy-submit").click()


@contextmanager
def _failing(room: Page) -> Iterator[None]:
    """Wait until the page has noticed that its bet failed, so that its pause has started."""
    with room.expect_event("requestfailed", lambda failed: "playOrder" in failed.url):
        yield
    # A round trip to the page: it has noticed the failure.
    room.evaluate("0")


def _step_up_chunk() -> str:
    """The chunk with the password dialog; file names are content hashes."""
    found = (DIST / "assets").glob("*.js")
    return next(file.name for file in found if "user/stepUp" in file.read_text())


def test_a_line_without_an_answer_is_shown_and_probed_again(
    browser: Browser, lines: Lines, member: Player
) -> None:
    with a_phone(browser, lines.house, member=member, may_complain=True) as phone:
        # The page does not depend on this chunk, which it loads later.
        chunk = _step_up_chunk()
        phone.route(f"**/assets/{chunk}", lambda route: route.abort())
        with phone.expect_event("requestfailed", lambda failed: chunk in failed.url):
            phone.goto("changeline")
        states = phone.get_by_role("listitem").get_by_role("status")
        expect(states).to_have_text([ANSWERS, ANSWERS])
        again = phone.get_by_role("button", name="Check again")
        lines.first.cut()
        again.click()
        expect(states).to_have_text(["Not responding", ANSWERS])
        lines.first.open()
        again.click()
        expect(states).to_have_text([ANSWERS, ANSWERS])


def test_both_lines_show_one_log_and_one_that_does_not_answer_is_not_held_against_it(
    browser: Browser, lines: Lines, member: Player
) -> None:
    from_two = replace(lines.house, address=f"{lines.two}/vip/")
    with a_phone(browser, from_two, member=member, may_complain=True) as phone:
        phone.goto("setting?type=1")
        phone.get_by_role("link", name="Change line").click()
        phone.get_by_role("listitem").last.get_by_role("button", name="Start investing").click()
        expect(toast(phone)).to_have_text("Switched to line 2")
        log = proof_of(phone, member.issue(1)).get_by_test_id("log")
        expect(log).to_contain_text("Line 1 shows the same log.")
        expect(log).to_have_attribute("data-verdict", "right")
        lines.first.cut()
        phone.reload()
        expect(log).to_contain_text(
            "Line 1 cannot be reached at the moment, so its log was not compared."
        )
        expect(log).to_contain_text("It continues the log that this phone saw on")
        expect(log).to_have_attribute("data-verdict", "right")
        lines.first.open()
        phone.reload()
        expect(log).to_contain_text("Line 1 shows the same log.")


def test_a_house_that_shows_another_log_over_its_other_line_is_found_out(
    browser: Browser, lines: Lines, member: Player, tmp_path: Path
) -> None:
    issue, shown = member.issue(1), checkpoint_of(lines.house)
    forked = forked_checkpoint(lines.house, shown)
    one = lines.house.address.removesuffix("/vip/")
    with a_phone(browser, lines.house, member=member) as phone:
        _show(phone, one, one, shown)
        _show(phone, lines.two, one, forked)
        sheet = proof_of(phone, issue)
        log = sheet.get_by_test_id("log")
        expect(log).to_contain_text("Line 2 shows another log than the line that you use.")
        expect(log).to_have_attribute("data-verdict", "wrong")
        expect(sheet.get_by_test_id("verdict")).to_have_attribute("data-verdict", "wrong")
        alarm = log.get_by_test_id("log-alarm")
        expect(alarm).to_contain_text("Alarm: the house has changed its history")
        expect(alarm.get_by_role("figure")).to_contain_text(
            ["The checkpoint that line 1 shows", "The checkpoint that line 2 shows"]
        )
        with phone.expect_download() as saved:
            alarm.get_by_role("button", name="Save both checkpoints").click()
        file = tmp_path / "fork.json"
        saved.value.save_as(file)
        assert json.loads(file.read_text())["checkpoints"] == [shown, forked]
        assert verified(file).stdout.endswith("verified: the operator forked its log\n")
        assert phone.evaluate("localStorage['fairdraw.checkpoints']") is None


def _show(phone: Page, line: str, page: str, note: str) -> None:
    """The line shows the phone, whose page came from `page`, a checkpoint of its choice."""
    headers = {"content-type": "text/plain; charset=utf-8", "access-control-allow-origin": page}

    def answer(route: Route) -> None:
        route.fulfill(status=200, headers=headers, body=note)

    phone.route(f"{line}/api/fair/checkpoint", answer)
