"""The `house:*` accounts, and bookings between them."""

import argparse
from typing import Any

from scripts.office_cli.client import OfficeClient
from scripts.office_cli.command import Command, Run
from scripts.office_cli.options import add_again, add_id, add_nothing, amount
from scripts.office_cli.terminal import money, table

_KINDS = ("fee", "capital", "returned_payout", "chargeback", "adjustment")


def _show(client: OfficeClient, _: argparse.Namespace) -> str:
    data = client.request("books", {})["data"]
    rows = [
        [it["title"], it["account"], it["type"], money(it["balance"])] for it in data["accounts"]
    ]
    shown = table(("account", "ledger account", "type", "balance"), rows, right=("balance",))
    if not data["waiting"]:
        return shown
    waiting = [
        [it["id"], it["kind"], it["channel"], money(it["amount"]), it["by"].removeprefix("staff:")]
        for it in data["waiting"]
    ]
    titles = ("needs a second person", "kind", "channel", "amount", "by")
    return f"{shown}\n\n{table(titles, waiting, right=('amount',))}"


def _add_booking(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", choices=_KINDS, help="purpose: each has its own account")
    parser.add_argument(
        "channel", choices=("bank", "usdt", "online"), help="the channel of the payment"
    )
    parser.add_argument("amount", type=amount, help="in u: 1000 came in, -2.50 went out")
    parser.add_argument("--reference", required=True, help="reference of the payment")
    add_again(parser)


def _book(client: OfficeClient, options: argparse.Namespace) -> str:
    names = ("kind", "channel", "amount", "reference", "again")
    return _format_booking(
        client.request("booking", {name: getattr(options, name) for name in names})["data"]
    )


def _decide(*, approve: bool) -> Run:
    def decide(client: OfficeClient, options: argparse.Namespace) -> str:
        body = {"id": options.id, "approve": approve}
        return _format_booking(client.request("bookingDecision", body)["data"])

    return decide


def _format_booking(data: dict[str, Any]) -> str:
    number, status = data["id"], data["status"]
    if status != "requested":
        return f"{number}: {status}"
    return (
        f"{number}: proposed, nothing is booked until a second person agrees"
        f"\nanother person agrees with: scripts/office agree-booking {number}"
    )


COMMANDS = (
    Command(
        "books",
        "show every account with its balance, and bookings that need a second person",
        add_nothing,
        _show,
    ),
    Command(
        "book",
        "book the operator's own money: above zero came in, below zero went out",
        _add_booking,
        _book,
    ),
    Command("agree-booking", "agree to a colleague's booking", add_id, _decide(approve=True)),
    Command("drop-booking", "drop a proposed booking", add_id, _decide(approve=False)),
)
