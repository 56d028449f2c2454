"""A bet on a network that loses answers. The tests move the phone's clock; nothing waits."""

import json
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Page, Request, Route, expect

from tests.browser.conftest import Phones
from tests.browser.house import PASSWORD, Player
from tests.browser.phone import await_open_round, choose, enter_room, stop_clock, toast

# Kuala Lumpur's first hall of the second level.
PLAN = 22
ATTEMPTS = 7
TIMEOUT_MS = 7_000
PAUSE_MS = 2_000
# A second press comes nine seconds later by the phone's clock. The rest is for a slow machine, on
# which the server's clock continues.
ON_SALE_SECONDS = 17
LAST_UNANSWERED_MS = ATTEMPTS * TIMEOUT_MS + (ATTEMPTS - 1) * PAUSE_MS


@dataclass
class Network:
    """Carries the phone's bets to the server, but loses the answers."""

    loses_questions: bool = False
    answers_from: int = ATTEMPTS + 1
    keys: list[str] = field(default_factory=list)
    bodies: list[object] = field(default_factory=list)

    def note(self, request: Request) -> None:
        """Runs as early as `expect_request`; the route's handler runs later."""
        if request.url.endswith("/Lottery/playOrder"):
            self.keys.append(request.headers["idempotency-key"])
            self.bodies.append(json.loads(request.post_data or ""))

    def carry(self, route: Route) -> None:
        if len(self.keys) >= self.answers_from:
            route.continue_()
        elif not self.loses_questions:
            route.fetch()


@pytest.fixture
def network() -> Network:
    return Network()


@pytest.fixture
def room(phones: Phones, member: Player, network: Network) -> Page:
    """A bet of 10u on the slip, its round on sale, and a stopped clock."""
    room = phones(member=member)
    room.clock.install()
    enter_room(room, PLAN)
    await_open_round(room, seconds=ON_SALE_SECONDS)
    choose(room, "big")
    room.get_by_test_id("stake-input").fill("10")
    stop_clock(room)
    room.on("request", network.note)
    room.route("**/Lottery/playOrder", network.carry)
    return room


def _press(room: Page) -> None:
    with room.expect_request("**/Lottery/playOrder"):
        room.get_by_test_id("buy-submit").click()


def _next_attempt(room: Page) -> None:
    """Seven seconds without an answer, then a pause of two seconds."""
    room.clock.run_for(TIMEOUT_MS)
    with room.expect_request("**/Lottery/playOrder"):
        room.clock.run_for(PAUSE_MS)


def test_the_same_bet_is_sent_again_with_the_same_key_after_nine_seconds(
    room: Page, network: Network
) -> None:
    _press(room)
    room.clock.run_for(TIMEOUT_MS + PAUSE_MS - 1)
    assert len(network.keys) == 1
    with room.expect_request("**/Lottery/playOrder"):
        room.clock.run_for(1)
    first, second = network.keys
    assert first == second
    assert network.bodies[0] == network.bodies[1]


def test_a_lost_answer_makes_one_bet_and_in_the_end_one_answer(
    room: Page, network: Network, member: Player
) -> None:
    network.answers_from = 3
    _press(room)
    _next_attempt(room)
    _next_attempt(room)
    expect(toast(room)).to_have_text("Order placed successfully: 1 bet, 10u.")
    assert len(set(network.keys)) == 1
    (order,) = member.orders()
    assert (order["play_type"], order["quantity"]) == ("big", 10)
    assert member.money() == 990


def test_a_weak_network_is_named_from_the_second_attempt_and_can_be_given_up(
    room: Page, network: Network, member: Player
) -> None:
    network.loses_questions = True
    weak = room.get_by_test_id("weak-network")
    _press(room)
    expect(weak).to_have_count(0)
    _next_attempt(room)
    expect(weak).to_contain_text("The network is weak: attempt 2 of 7. Your slip is kept.")
    _next_attempt(room)
    expect(weak).to_contain_text("attempt 3 of 7")
    weak.get_by_role("button", name="Stop trying").click()
    expect(room.get_by_test_id("buy-report")).to_contain_text("Not confirmed.")
    expect(weak).to_have_count(0)
    room.clock.run_for(LAST_UNANSWERED_MS)
    assert len(network.keys) == 3
    expect(room.get_by_test_id("odds-big")).to_have_attribute("aria-pressed", "true")
    expect(room.get_by_test_id("stake-input")).to_have_value("10")
    assert member.orders() == []


def test_a_press_after_giving_up_sends_the_same_bet_again(
    room: Page, network: Network, member: Player
) -> None:
    _press(room)
    _next_attempt(room)
    room.get_by_test_id("weak-network").get_by_role("button").click()
    expect(room.get_by_test_id("buy-report")).to_contain_text("it is never placed twice")
    network.answers_from = 3
    _press(room)
    expect(toast(room)).to_have_text("Order placed successfully: 1 bet, 10u.")
    assert len(set(network.keys)) == 1
    assert len(member.orders()) == 1


def test_seven_attempts_are_all(room: Page, network: Network) -> None:
    network.loses_questions = True
    _press(room)
    for _ in range(ATTEMPTS - 1):
        _next_attempt(room)
    room.clock.run_for(TIMEOUT_MS)
    report = room.get_by_test_id("buy-report")
    expect(report).to_contain_text("No answer from the server")
    room.clock.run_for(LAST_UNANSWERED_MS)
    assert len(network.keys) == ATTEMPTS
    assert len(set(network.keys)) == 1


def test_a_login_without_an_answer_is_sent_again_and_shows_it(phone: Page, member: Player) -> None:
    phone.clock.install()
    phone.goto("login")
    phone.get_by_label("Username").fill(member.name)
    phone.get_by_label("Password", exact=True).fill(PASSWORD)
    lost: list[Route] = []

    def carry(route: Route) -> None:
        if len(lost) < ATTEMPTS - 1:
            lost.append(route)
        else:
            route.continue_()

    phone.route("**/user/login", carry)
    stop_clock(phone)
    with phone.expect_request("**/user/login"):
        phone.get_by_role("button", name="Log in", exact=True).click()
        phone.clock.run_for(1_000)
    for attempt in range(2, ATTEMPTS + 1):
        phone.clock.run_for(TIMEOUT_MS)
        with phone.expect_request("**/user/login"):
            phone.clock.run_for(PAUSE_MS)
        if attempt < ATTEMPTS:
            expected = f"Weak network, trying again: {attempt} of {ATTEMPTS}"
            expect(phone.get_by_role("status").filter(has_text="Weak network")).to_contain_text(
                expected
            )
    expect(toast(phone)).to_have_text("Loading")
    phone.clock.run_for(1_000)
    expect(toast(phone)).to_have_text("Login successful")
