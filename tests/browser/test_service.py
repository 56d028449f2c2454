"""Customer service: a live chat with the reference desk, over any page with the bottom tabs."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.house import ROOT, RunningServer, running_house
from tests.browser.looking import AT_REST, OUT_OF_PLACE
from tests.browser.phone import SMALL, a_phone, wait_until_started
from tests.ports import reserved_port
from tests.service_desk import running_desk

_AXE = (ROOT / "webapp/node_modules/axe-core/axe.min.js").read_text()
_AXE_FAULTS = """async () => {
  const { violations } = await axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag22aa"] });
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}"""
# Whether the page's policy permits a connection to an address.
_MAY_REACH = """(address) => new Promise((done) => {
  addEventListener("securitypolicyviolation", () => done(false), { once: true });
  const socket = new WebSocket(address);
  socket.onopen = () => done(true);
  socket.onclose = () => setTimeout(() => done(true));
})"""


@pytest.fixture(scope="module")
def port() -> int:
    """The port of the desk, which is the same each time it runs."""
    return reserved_port()


@pytest.fixture(scope="module")
def house(port: int) -> Iterator[RunningServer]:
    desk = {
        "FAIRDRAW_SUPPORT_SOCKET": f"ws://127.0.0.1:{port}/chat",
        "FAIRDRAW_SUPPORT_PAGE": f"http://127.0.0.1:{port}/",
    }
    with tempfile.TemporaryDirectory(prefix="fairdraw-service-") as folder:
        # The database server's own account needs to traverse this folder.
        Path(folder).chmod(0o711)
        with running_house(Path(folder, "data"), None, **desk) as running:
            yield running


@pytest.fixture
def phone(browser: Browser, house: RunningServer) -> Iterator[Page]:
    """A small phone. Its console logs that the desk is gone."""
    with a_phone(browser, house, member=house.member(), size=SMALL, may_complain=True) as phone:
        phone.goto("")
        wait_until_started(phone)
        yield phone


def _opened(phone: Page) -> Locator:
    phone.get_by_role("button", name="Service").click()
    return phone.get_by_role("dialog", name="Customer service")


def _write(panel: Locator, text: str) -> None:
    field = panel.get_by_role("textbox", name="Your message")
    field.fill(text)
    field.press("Enter")


def _closed(panel: Locator) -> None:
    panel.get_by_role("button", name="Close").click()
    expect(panel).to_have_count(0)


def test_a_question_is_answered_and_an_answer_missed_meanwhile_is_marked(
    phone: Page, port: int
) -> None:
    sockets: list[str] = []
    phone.on("websocket", lambda socket: sockets.append(socket.url))
    with running_desk(port=port):
        panel = _opened(phone)
        state, log = panel.get_by_role("status").first, panel.get_by_role("log")
        expect(state).to_have_text("Connected")
        expect(log).to_contain_text("Hello! How can we help you?")
        assert sockets == [f"ws://127.0.0.1:{port}/chat"]
        _write(panel, "Where is <b>my deposit</b>?")
        expect(log).to_contain_text("Where is <b>my deposit</b>?")
        expect(log).to_contain_text("This is the demo desk")
        expect(log.get_by_text("Sent", exact=True)).to_have_count(1)
    expect(state).to_have_text("Connection lost. Trying again…")
    _write(panel, "Are you there?")
    expect(log.get_by_text("Sending…")).to_have_count(1)
    _closed(panel)
    with running_desk(port=port):
        tab = phone.get_by_role("button", name="Service")
        expect(tab).to_contain_text("unread message", timeout=60_000)
        panel = _opened(phone)
        expect(panel.get_by_role("log").get_by_text("This is the demo desk")).to_have_count(2)
        expect(tab).not_to_contain_text("unread message")
        phone.reload()
        panel = _opened(phone)
        expect(panel.get_by_role("log")).to_contain_text("Are you there?")
        expect(panel.get_by_role("log").get_by_text("Sent", exact=True)).to_have_count(2)


def test_an_absent_desk_is_reported_and_a_message_has_a_length(phone: Page, port: int) -> None:
    with running_desk("--away", port=port):
        panel = _opened(phone)
        state = panel.get_by_role("status").first
        expect(state).to_have_text("No one is available right now. You can write anyway.")
        field = panel.get_by_role("textbox")
        field.fill("x" * 1_001)
        expect(panel).to_contain_text("A message can have 1,000 characters at most. 1,001 of 1,000")
        expect(panel.get_by_role("button", name="Send")).to_be_disabled()
        field.fill("x" * 1_000)
        field.press("Enter")
        expect(panel.get_by_role("log").get_by_text("Sent", exact=True)).to_be_visible()
        phone.wait_for_function(AT_REST)
        assert phone.evaluate(OUT_OF_PLACE) == []
        phone.evaluate(_AXE)
        assert phone.evaluate(_AXE_FAULTS) == []
        phone.context.set_offline(True)
        expect(state).to_have_text("You are offline. Messages are sent once the network is back.")
        phone.context.set_offline(False)
        expect(state).to_have_text("No one is available right now. You can write anyway.")


def test_the_page_reaches_the_desk_and_no_other_address(phone: Page, port: int) -> None:
    with running_desk(port=port):
        assert phone.evaluate(_MAY_REACH, f"ws://127.0.0.1:{port}/chat")
        assert not phone.evaluate(_MAY_REACH, f"ws://127.0.0.1:{port}/other")
        assert not phone.evaluate(_MAY_REACH, f"ws://127.0.0.1:{port + 1}/chat")
        assert not phone.evaluate(_MAY_REACH, f"ws://localhost:{port}/chat")
