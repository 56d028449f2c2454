"""The server is killed with `kill -9` while a bet is in flight, and comes back."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.house import RunningServer
from tests.browser.phone import (
    a_phone,
    await_open_round,
    choose,
    enter_room,
    stop_clock,
    toast,
)
from tests.journeys.program import Program

PLAN = 2
PAUSE_MS = 2_000
# Long enough for a server restart, so that the bet still finds its round on sale.
ROUND_SECONDS = 90
ON_SALE_SECONDS = 45


@pytest.fixture
def program(data_dir: Path) -> Iterator[Program]:
    with Program(data_dir, ROUND_SECONDS) as running:
        running.start()
        yield running


def test_a_bet_survives_the_death_of_the_house_and_is_placed_once(
    browser: Browser, program: Program
) -> None:
    house = RunningServer(f"{program.address}/vip/", program.http, program.data)
    member = house.member()
    with a_phone(browser, house, member=member, may_complain=True) as room:
        room.clock.install()
        enter_room(room, PLAN)
        await_open_round(room, seconds=ON_SALE_SECONDS, of=ROUND_SECONDS)
        choose(room, "big")
        room.get_by_test_id("stake-input").fill("10")
        stop_clock(room)
        _die_with_the_bet(room, program)
        room.clock.run_for(PAUSE_MS)
        weak = room.get_by_test_id("weak-network")
        expect(weak).to_contain_text("attempt 2 of 7. Your slip is kept.")
        expect(room.get_by_test_id("odds-big")).to_have_attribute("aria-pressed", "true")
        program.start()
        room.clock.run_for(PAUSE_MS)
        expect(toast(room)).to_have_text("Order placed successfully: 1 bet, 10u.")
        expect(weak).to_have_count(0)
        (order,) = member.orders()
        assert (order["play_type"], order["quantity"]) == ("big", 10)
        assert member.money() == 990


def _die_with_the_bet(room: Page, program: Program) -> None:
    """Stop the server before the bet arrives, so that no answer is sent before the kill."""
    program.process.send_signal(signal.SIGSTOP)
    with room.expect_request("**/Lottery/playOrder"):
        room.get_by_test_id("buy-submit").click()
    with room.expect_event("requestfailed", lambda failed: "playOrder" in failed.url):
        program.kill(postgres=False)
    # A round trip to the page: it has noticed the failure, and its timeout has started.
    room.evaluate("0")
