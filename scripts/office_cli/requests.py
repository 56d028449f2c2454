"""Requests that wait for staff: the queue, decisions, and payments of withdrawals."""

import argparse
from typing import Any
from zoneinfo import ZoneInfo

from scripts.office_cli import rounds
from scripts.office_cli.client import OfficeClient
from scripts.office_cli.command import Command, Run
from scripts.office_cli.options import add_again, add_id
from scripts.office_cli.terminal import moment, money, table

_QUEUED = ("deposit", "withdrawal", "gift", "adjustment", "password_reset", "erasure")


def _add_filters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kind", choices=_QUEUED, default="")
    parser.add_argument("--all", action="store_true", help="include completed ones, newest first")


def _queue(client: OfficeClient, options: argparse.Namespace) -> str:
    """The requests and, if no kind is selected, the rounds whose draw is overdue."""
    waiting = _requests(client, options)
    if options.kind or options.all:
        return waiting
    undrawn = rounds.format_rounds(client.request("undrawnRounds", {})["data"], client.zone)
    return f"{waiting}\n\n{undrawn}" if undrawn else waiting


def _requests(client: OfficeClient, options: argparse.Namespace) -> str:
    body: dict[str, Any] = {"kind": options.kind, "every": options.all}
    answer = client.request("queue", body)
    items = list(answer["data"])
    while answer.get("more") and not options.all:
        answer = client.request("queue", {**body, "cursor": answer["cursor"]})
        items += answer["data"]
    if not items:
        return "no pending requests" if not options.all else "no requests"
    actor_titles = ("agreed", "decided", "paid") if options.all else ("agreed",)
    titles = (
        f"requested ({client.zone})",
        "id",
        "status",
        "player",
        "amount",
        "channel",
        *actor_titles,
        "text",
    )
    rows = [_row(item, len(actor_titles), client.zone) for item in items]
    more = "\n(the newest 1,000)" if answer.get("more") else ""
    return table(titles, rows, right=("amount",)) + more


def _row(item: dict[str, Any], actor_count: int, zone: ZoneInfo) -> list[str]:
    by = [item[name].removeprefix("staff:") for name in ("endorsed_by", "decided_by", "paid_by")]
    refused = f"refused: {item['reason']}" if item["reason"] else ""
    return [
        moment(item["asked_at"], zone),
        item["id"],
        item["status"],
        f"{item['username'] or '(erased)'} ({item['player']})",
        money(item["amount"]),
        item["channel"],
        *by[:actor_count],
        "; ".join(filter(None, (item["words"], refused))),
    ]


def _add_approval_of_deposit(parser: argparse.ArgumentParser) -> None:
    add_id(parser)
    add_again(parser)


def _add_rejection(parser: argparse.ArgumentParser) -> None:
    add_id(parser)
    parser.add_argument("--reason", required=True)


def _decide(kind: str, *, approve: bool) -> Run:
    def decide(client: OfficeClient, options: argparse.Namespace) -> str:
        body = {"id": options.id, "approve": approve}
        if not approve and kind in {"deposit", "withdrawal"}:
            body["reason"] = options.reason
        if approve and kind == "deposit":
            body["again"] = options.again
        return format_outcome(client.request(f"{kind}Decision", body)["data"], kind)

    return decide


def _payout_details(client: OfficeClient, options: argparse.Namespace) -> str:
    data = client.request("payoutDetails", {"id": options.id})["data"]
    to = (
        [("address", data["acc"]), ("network", data["acc_name"])]
        if data["type"]
        else [("card", data["acc"]), ("holder", data["acc_name"]), ("bank", data["acc_bank"])]
    )
    who = f"{data['username']} ({data['player']})"
    rows = [("withdrawal", data["id"]), ("player", who), ("status", data["status"])]
    return "\n".join(
        f"{name:<11} {value}" for name, value in [*rows, ("amount", money(data["amount"])), *to]
    )


def _add_payment(parser: argparse.ArgumentParser) -> None:
    add_id(parser)
    parser.add_argument("--reference", required=True, help="reference of the payment")


def _pay(client: OfficeClient, options: argparse.Namespace) -> str:
    body = {"id": options.id, "reference": options.reference}
    return format_outcome(client.request("withdrawalPayment", body)["data"], "withdrawal")


def format_outcome(data: dict[str, Any], kind: str) -> str:
    """The status of a request and the player's balance, and how another person agrees."""
    status = _WAITING.get((kind, data["status"]), data["status"])
    balance = f"player {data['player']} has {money(data['money'])} u"
    bonus = f" and {money(data['score'])} u bonus" if data["score"] else ""
    text = f"{data['id']}: {status}; {balance}{bonus}"
    if data["status"] in _UNAGREED and kind in _AGREEING:
        text += f"\nanother person agrees with: scripts/office {_AGREEING[kind]} {data['id']}"
    return text


_WAITING = {
    ("deposit", "endorsed"): "PENDING, nothing is credited until a second person agrees",
    ("withdrawal", "endorsed"): "agreed; a second person has to agree as well",
    ("gift", "requested"): "proposed, nothing is given until a second person agrees",
    ("adjustment", "requested"): "proposed, nothing moves until a second person agrees",
    ("deposit", "returned"): "RETURNED: a limit or exclusion of the player forbids it,"
    " send the money back",
}
_UNAGREED = ("requested", "endorsed")
_AGREEING = {
    "deposit": "approve-deposit",
    "withdrawal": "approve-withdrawal",
    "gift": "agree-gift",
    "adjustment": "agree-adjustment",
}

COMMANDS = (
    Command("queue", "show requests that wait for staff, oldest first", _add_filters, _queue),
    Command(
        "approve-deposit",
        "agree to a deposit",
        _add_approval_of_deposit,
        _decide("deposit", approve=True),
    ),
    Command(
        "reject-deposit", "refuse a deposit", _add_rejection, _decide("deposit", approve=False)
    ),
    Command(
        "approve-withdrawal", "agree to a withdrawal", add_id, _decide("withdrawal", approve=True)
    ),
    Command(
        "reject-withdrawal",
        "refuse a withdrawal",
        _add_rejection,
        _decide("withdrawal", approve=False),
    ),
    Command(
        "payout-details",
        "show the full payout account of a withdrawal",
        add_id,
        _payout_details,
    ),
    Command("pay-withdrawal", "record the payment of an approved withdrawal", _add_payment, _pay),
    Command("agree-gift", "agree to a colleague's gift", add_id, _decide("gift", approve=True)),
    Command("drop-gift", "drop a proposed gift", add_id, _decide("gift", approve=False)),
    Command(
        "agree-adjustment",
        "agree to a colleague's correction",
        add_id,
        _decide("adjustment", approve=True),
    ),
    Command(
        "drop-adjustment",
        "drop a proposed correction",
        add_id,
        _decide("adjustment", approve=False),
    ),
)
