"""Messages of the payment gateway: signed, counted once, and only for the server's own orders."""

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest
from msgspec.structs import force_setattr

from scripts.reference_gateway.cli import serve
from scripts.reference_gateway.messages import Gateway, NotDeliveredError, signed
from tests.api import catalogue, conformity
from tests.api.staffing import office
from tests.api.support import SECOND_US, ApiServer, Player, new_key

ROOT = Path(__file__).resolve().parents[2]
TIMES = 50


@pytest.fixture
def gateway(house: ApiServer) -> Gateway:
    """The reference gateway, with the server's clock."""
    secret = (house.settings.keys / "gateway.key").read_bytes()
    return Gateway(house.url, secret, lambda: house.clock.now / SECOND_US)


def order(player: Player, amount: Any = "25.50", channel: str = "online") -> str:
    body = {"amount": amount, "channel": channel, "reference": f"order {new_key()}"}
    number: str = player.call("user/deposit", body, new_key())["data"]["id"]
    return number


def refused(envelope: dict[str, Any]) -> tuple[str, str]:
    catalogue.saw(envelope["reason"])
    assert conformity.mismatch("POST", "/api/gateway/notify", 200, envelope) == ""
    return envelope["reason"], envelope.get("field", "")


def test_a_paid_order_is_credited(house: ApiServer, player: Player, gateway: Gateway) -> None:
    number = order(player)
    answer = gateway.notify(number, "25.50")
    assert answer["data"] == {"order": number, "status": "approved"}
    assert player.balance() == 1025.5
    house.catch_up()
    row = player.call("user/quantityLogList", {})["data"][0]
    assert (row["type"], row["status"], row["quantity"], row["over"]) == (0, 1, 25.5, 1025.5)
    assert row["mark"] == "Online deposit"
    assert player.call("user/recharge", {})["data"]["turnover_due"] == 1025.5


def test_an_order_reported_many_times_is_credited_once(player: Player, gateway: Gateway) -> None:
    """Money commands are idempotent across retries (GLI-19 B.3.5a)."""
    number = order(player)
    with ThreadPoolExecutor(16) as threads:
        answers = list(threads.map(lambda _: gateway.notify(number, "25.5"), range(TIMES)))
    assert [answer["data"]["status"] for answer in answers] == ["approved"] * TIMES
    assert player.balance() == 1025.5


def test_one_message_counts_once_however_often_it_is_sent(player: Player, gateway: Gateway) -> None:
    """Deposit callbacks: the nonce is stored (GLI-19 4.1.5)."""
    message = gateway.message(order(player), "25.50")
    with ThreadPoolExecutor(16) as threads:
        answers = list(threads.map(lambda _: gateway.send(message), range(TIMES)))
    assert sorted(answer["code"] for answer in answers) == [0] * (TIMES - 1) + [1]
    assert {refused(each) for each in answers if not each["code"]} == {
        ("message_repeated", "nonce")
    }
    assert player.balance() == 1025.5


def test_a_nonce_serves_no_second_order(player: Player, gateway: Gateway) -> None:
    first, second = order(player), order(player)
    nonce = new_key()
    assert gateway.send(gateway.message(first, "25.50", nonce))["code"] == 1
    assert refused(gateway.send(gateway.message(second, "25.50", nonce))) == (
        "message_repeated",
        "nonce",
    )
    assert player.balance() == 1025.5


def test_a_message_that_is_not_the_gateways_is_refused(player: Player, gateway: Gateway) -> None:
    """Deposit callbacks: HMAC over timestamp and raw body (GLI-19 4.1.5)."""
    number = order(player)
    forged = Gateway(gateway.address, b"\0" * 32, gateway.clock).message(number, "25.50")
    good = gateway.message(number, "25.50")
    changed = good.body.replace(b"25.50", b"25.51")
    later = str(int(good.timestamp) + 1)
    for message in (
        forged,
        type(good)(changed, good.timestamp, good.signature),
        type(good)(good.body + b" ", good.timestamp, good.signature),
        type(good)(good.body, later, good.signature),
        type(good)(good.body, good.timestamp, ""),
        type(good)(good.body, good.timestamp, good.signature.upper()),
    ):
        assert refused(gateway.send(message)) == ("signature_wrong", "")
    assert player.balance() == 1000
    assert gateway.send(good)["code"] == 1


@pytest.mark.parametrize("seconds", [-301, 302])
def test_a_message_of_another_time_is_refused(
    player: Player, gateway: Gateway, seconds: int
) -> None:
    """Deposit callbacks: a five-minute window (GLI-19 4.1.5)."""
    number = order(player)
    away = gateway.at(gateway.clock() + seconds)
    assert refused(away.send(away.message(number, "25.50"))) == (
        "message_expired",
        "gateway-timestamp",
    )
    assert player.balance() == 1000
    near = gateway.at(gateway.clock() + seconds // 2)
    assert near.send(near.message(number, "25.50"))["code"] == 1


@pytest.mark.parametrize("timestamp", ["", "soon", "-5", "9" * 13])
def test_a_message_without_a_time_is_refused(gateway: Gateway, timestamp: str) -> None:
    body = gateway.message("deposit-1-x", "1").body
    message = signed(gateway.secret, timestamp, body)
    assert refused(gateway.send(message)) == ("message_expired", "gateway-timestamp")


def test_another_amount_than_the_order_is_refused(player: Player, gateway: Gateway) -> None:
    """Deposit callbacks: the amount is compared with our own order (GLI-19 4.1.5)."""
    number = order(player)
    for amount in ("25.51", "25.49", "2550", "0", "-25.50", "25.501", "much", "1e400"):
        assert refused(gateway.notify(number, amount)) == ("amount_mismatch", "amount"), amount
    assert player.balance() == 1000
    assert gateway.notify(number, "25.50")["code"] == 1


def test_an_unknown_order_is_refused(player: Player, gateway: Gateway) -> None:
    transfer = order(player, channel="bank")
    stranger = f"deposit-{player.id}-0123456789abcdef0123"
    for number in (transfer, stranger, "deposit-1-x", "deposit-x-1", "", "1" * 500, "a\0b"):
        assert refused(gateway.notify(number, "25.50")) == ("deposit_unknown", "order")
    assert player.balance() == 1000


def test_what_is_paid_for_an_order_that_staff_rejected_is_credited_once(
    house: ApiServer, player: Player, gateway: Gateway
) -> None:
    """The gateway has the money, so it is the player's, whatever the order's status."""
    number = order(player)
    house.catch_up()
    office(house, "depositDecision", id=number, approve=False, reason="asked to drop it")
    assert refused(gateway.notify(number, "25.51")) == ("amount_mismatch", "amount")
    for _ in range(2):
        assert gateway.notify(number, "25.50")["data"] == {"order": number, "status": "approved"}
    assert player.balance() == 1025.5


def test_an_order_that_staff_approved_is_not_credited_again(
    house: ApiServer, player: Player, gateway: Gateway
) -> None:
    number = order(player)
    house.catch_up()
    office(house, "depositDecision", id=number, approve=True)
    for _ in range(2):
        assert gateway.notify(number, "25.50")["data"] == {"order": number, "status": "approved"}
    assert refused(gateway.notify(number, "25.51")) == ("amount_mismatch", "amount")
    assert player.balance() == 1025.5


def test_unpaid_orders_block_no_deposit_and_each_is_credited_when_paid(
    house: ApiServer, player: Player, gateway: Gateway
) -> None:
    player.call("user/setLimit", {"subject": "deposit", "span": "day", "amount": 1_060})
    numbers = [order(player) for _ in range(12)]
    assert player.call("user/recharge", {})["data"]["pending"] == 25.5
    for number in (numbers[-1], numbers[3]):
        assert gateway.notify(number, "25.50")["data"]["status"] == "approved"
    over = gateway.notify(numbers[5], "25.50")["data"]
    assert (over["status"], player.balance()) == ("returned", 1051)
    house.catch_up()
    rows = player.call("user/quantityLogList", {"type": 0})["data"]
    online = [row["status"] for row in rows if row["mark"] == "Online deposit"]
    assert (online.count(1), online.count(0)) == (2, 0)
    titles = [it["title"] for it in player.call("user/messages", {})["data"]["messages"]]
    assert len([it for it in titles if "deposit" in it.lower()]) == 3, titles


def test_a_message_without_a_nonce_is_refused(player: Player, gateway: Gateway) -> None:
    body = b'{"order": "%s", "amount": "25.50"}' % order(player).encode()
    assert refused(gateway.send(gateway.sign(body))) == ("request_malformed", "nonce")


def test_a_large_payment_takes_a_member_of_staff_as_well(
    house: ApiServer, player: Player, gateway: Gateway
) -> None:
    """Proposer and approver differ above a threshold (ASVS 2.3.5)."""
    number = order(player, "5000.01")
    for _ in range(2):
        assert gateway.notify(number, "5000.01")["data"]["status"] == "endorsed"
    assert player.balance() == 1000
    house.catch_up()
    decided = office(house, "depositDecision", id=number, approve=True)["data"]
    assert (decided["status"], decided["money"]) == ("approved", 6000.01)


def test_a_gateway_whose_answer_was_lost_reports_again(
    player: Player, gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = order(player)
    lost: list[dict[str, Any]] = []
    send = Gateway.send

    def lossy(self: Gateway, message: Any) -> dict[str, Any]:
        answer = send(self, message)
        if not lost:
            lost.append(answer)
            raise ConnectionResetError
        return answer

    monkeypatch.setattr(Gateway, "send", lossy)
    monkeypatch.setattr("scripts.reference_gateway.messages._PAUSE_S", 0)
    assert gateway.notify(number, "25.50") | {"time": 0, "request_id": ""} == lost[0] | {
        "time": 0,
        "request_id": "",
    }
    assert player.balance() == 1025.5


def test_a_gateway_that_reaches_no_server_reports_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scripts.reference_gateway.messages._PAUSE_S", 0)
    with pytest.raises(NotDeliveredError):
        Gateway("http://127.0.0.1:9", b"secret").notify("deposit-1-x", "1")


def run(house: ApiServer, where: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    (house.settings.keys / "address").write_text(house.url)
    now = str(house.clock.now / SECOND_US)
    common = ["--data", str(house.settings.data), "--at", now]
    command, named = [sys.executable, str(ROOT / "scripts/gateway")], list(arguments)
    both = [*common, *named] if where == "before" else [*named, *common]
    return subprocess.run([*command, *both], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("where", ["before", "behind"])
def test_the_command_line_pays_an_order(house: ApiServer, player: Player, where: str) -> None:
    number = order(player)
    wrong = run(house, where, "pay", number, "25")
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert wrong.stderr.startswith("amount_mismatch:")
    paid = run(house, where, "pay", number, "25.50")
    assert (paid.returncode, paid.stdout) == (0, f"paid: {number} is credited\n")
    assert player.balance() == 1025.5


@pytest.fixture
def page(gateway: Gateway) -> Iterator[str]:
    with serve(gateway, 0) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        yield f"http://127.0.0.1:{server.server_port}/pay"
        server.shutdown()
        serving.join()


def test_a_member_pays_on_the_gateways_page(player: Player, page: str) -> None:
    number = order(player)
    fields = {"order": number, "amount": "25.50"}
    with urlopen(f"{page}?{urlencode(fields)}") as answer:
        shown = answer.read().decode()
    assert number in shown
    assert "25.50 u" in shown
    with urlopen(page, urlencode(fields).encode()) as answer:
        assert f"paid: {number} is credited" in answer.read().decode()
    assert player.balance() == 1025.5


def test_the_page_shows_nothing_that_a_link_put_into_it(page: str) -> None:
    fields = {"order": "<script>alert(1)</script>", "amount": '"><b>'}
    with urlopen(f"{page}?{urlencode(fields)}") as answer:
        shown = answer.read().decode()
    assert "<script>" not in shown
    assert "<b>" not in shown


@pytest.fixture
def page_of(house: ApiServer) -> Iterator[Callable[[str], None]]:
    """Configures the gateway's page until the test is over."""
    settings = house.services.settings
    page = settings.gateway_page
    yield lambda other: force_setattr(settings, "gateway_page", other)
    force_setattr(settings, "gateway_page", page)


def test_without_a_gateway_there_are_no_online_deposits(
    player: Player, page_of: Callable[[str], None]
) -> None:
    page_of("")
    assert player.call("user/recharge", {})["data"]["channels"] == ["bank", "usdt"]
    answer = player.call("user/deposit", {"amount": 5, "channel": "online"}, new_key())
    assert (answer["reason"], answer["field"]) == ("channel_unknown", "channel")


def test_a_page_with_fields_of_its_own_keeps_them(
    player: Player, page_of: Callable[[str], None]
) -> None:
    page_of("https://pay.example/?shop=7")
    order = player.call("user/deposit", {"amount": 5, "channel": "online"}, new_key())["data"]
    assert order["pay_at"] == f"https://pay.example/?shop=7&order={order['id']}&amount=5.00"
