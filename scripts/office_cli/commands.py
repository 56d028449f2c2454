"""Each command: its request to the server, and the output for the response."""

import argparse
from collections.abc import Callable
from typing import Any
from zoneinfo import ZoneInfo

from scripts.office_cli import books, chat, content, members, odds, rounds, staff_commands
from scripts.office_cli.client import Command, OfficeClient
from scripts.office_cli.odds import waiting
from scripts.office_cli.terminal import hours, moment, money, table

_SUMS = ("four_eyes", "least_withdrawal", "largest_deposit", "overnight_most")
_SPANS = ("cooling", "raise_wait", "bonus_wait", "quota")
_ENTERED = ("player", "amount", "channel", "reference", "again")
_HEADS = {"terms": "term", "receiving": "account"}
_ACCOUNTS = ("usdt", "bank", "number", "holder")


def run(client: OfficeClient, options: argparse.Namespace) -> str:
    """Run the command; returns the text to print."""
    return _COMMANDS[options.command](client, options)


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


def _decide(kind: str, *, approve: bool) -> Command:
    def decide(client: OfficeClient, options: argparse.Namespace) -> str:
        body = {"id": options.id, "approve": approve}
        if not approve and kind in {"deposit", "withdrawal"}:
            body["reason"] = options.reason
        if approve and kind == "deposit":
            body["again"] = options.again
        return _outcome(client.request(f"{kind}Decision", body)["data"], kind)

    return decide


def _pay(client: OfficeClient, options: argparse.Namespace) -> str:
    body = {"id": options.id, "reference": options.reference}
    return _outcome(client.request("withdrawalPayment", body)["data"], "withdrawal")


def _enter(client: OfficeClient, options: argparse.Namespace) -> str:
    body = {name: getattr(options, name) for name in _ENTERED}
    return _outcome(client.request("deposit", body)["data"], "deposit")


def _give(call: str) -> Command:
    def give(client: OfficeClient, options: argparse.Namespace) -> str:
        body = {name: getattr(options, name) for name in ("player", "amount", "reason")}
        if call == "adjustment":
            body |= {"kind": options.kind, "channel": options.channel}
        return _outcome(client.request(call, body)["data"], call)

    return give


def _outcome(data: dict[str, Any], kind: str) -> str:
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


def _payout(client: OfficeClient, options: argparse.Namespace) -> str:
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


def _member(*, closed: bool) -> Command:
    def switch(client: OfficeClient, options: argparse.Namespace) -> str:
        body = {"player": options.player, "closed": closed, "reason": options.reason}
        data = client.request("memberSwitch", body)["data"]
        return f"player {data['player']}: gaming is {'closed' if data['closed'] else 'open'}"

    return switch


def _lift_code(client: OfficeClient, options: argparse.Namespace) -> str:
    body = {"player": options.player, "reason": options.reason}
    player = client.request("securityCodeLift", body)["data"]["player"]
    return f"player {player} has no security code now, and can set a new one"


def _switch(client: OfficeClient, options: argparse.Namespace) -> str:
    body = {"scope": options.scope, "closed": options.to == "close"}
    return _format_switches(client.request("switch", body)["data"]["switches"], client.zone)


def _switches(client: OfficeClient, _: argparse.Namespace) -> str:
    return _format_switches(client.request("settings", {})["data"]["switches"], client.zone)


def _format_switches(switches: list[dict[str, Any]], zone: ZoneInfo) -> str:
    if not switches:
        return "no switch was ever used"
    rows = [
        [it["scope"], "closed" if it["closed"] else "open", moment(it["at"], zone), it["by"]]
        for it in switches
    ]
    return table(("scope", "state", f"since ({zone})", "by"), rows)


def _terms(client: OfficeClient, options: argparse.Namespace) -> str:
    body: dict[str, Any] = {name: getattr(options, name) for name in _SUMS}
    body |= {f"{name}_s": getattr(options, f"{name}_hours") for name in _SPANS}
    body |= {
        "overnight": {"on": True, "off": False}.get(options.overnight or ""),
        "overnight_permille": options.overnight_permille,
        "levels": options.levels.split(",") if options.levels else None,
    }
    changes = {name: value for name, value in body.items() if value is not None}
    data = (
        client.request("terms", changes)["data"]
        if changes
        else client.request("settings", {})["data"]
    )
    return _format_with_proposal(data, "terms", _terms_rows, client.zone)


def _terms_rows(terms: dict[str, Any]) -> list[list[str]]:
    rows = [[name.replace("_", " "), money(terms[name]) + " u"] for name in _SUMS]
    rows += [[name.replace("_", " "), hours(terms[f"{name}_s"])] for name in _SPANS]
    rows.append(["overnight bonus", "on" if terms["overnight"] else "off"])
    rows.append(["overnight permille", str(terms["overnight_permille"])])
    rows.append(["levels", " ".join(money(level) for level in terms["levels"]) + " u"])
    return rows


def _receiving(client: OfficeClient, options: argparse.Namespace) -> str:
    values = {name: getattr(options, name) for name in _ACCOUNTS}
    body = {name: value for name, value in values.items() if value is not None}
    call = "receivingAccounts" if body else "settings"
    return _format_with_proposal(
        client.request(call, body)["data"], "receiving", _receiving_rows, client.zone
    )


def _receiving_rows(accounts: dict[str, Any]) -> list[list[str]]:
    return [[name, accounts[name] or "(none)"] for name in _ACCOUNTS]


def _format_with_proposal(
    data: dict[str, Any],
    name: str,
    rows_of: Callable[[dict[str, Any]], list[list[str]]],
    zone: ZoneInfo,
) -> str:
    """The current values and, in a second column, those that wait for a second manager."""
    rows, set_by = rows_of(data[name]), data[f"{name}_by"] or "no one: defaults"
    head = _HEADS[name]
    proposed = data[f"{name}_proposed"]
    if proposed is None:
        return table((head, "current"), rows) + f"\nset by {set_by}"
    changed = [
        [*row, new if new != row[1] else ""]
        for row, (_, new) in zip(rows, rows_of(proposed[name]), strict=True)
    ]
    shown = table((head, "current", "proposed"), changed)
    return f"{shown}\nset by {set_by}\n{waiting(proposed, zone)}"


_COMMANDS: dict[str, Command] = {
    "queue": _queue,
    "approve-deposit": _decide("deposit", approve=True),
    "reject-deposit": _decide("deposit", approve=False),
    "enter-deposit": _enter,
    "approve-withdrawal": _decide("withdrawal", approve=True),
    "reject-withdrawal": _decide("withdrawal", approve=False),
    "payout-details": _payout,
    "pay-withdrawal": _pay,
    "gift": _give("gift"),
    "agree-gift": _decide("gift", approve=True),
    "drop-gift": _decide("gift", approve=False),
    "adjust": _give("adjustment"),
    "agree-adjustment": _decide("adjustment", approve=True),
    "drop-adjustment": _decide("adjustment", approve=False),
    "switches": _switches,
    "switch": _switch,
    "terms": _terms,
    "receiving-accounts": _receiving,
    **odds.COMMANDS,
    "content": content.run,
    "close-member": _member(closed=True),
    "open-member": _member(closed=False),
    "lift-code": _lift_code,
    **books.COMMANDS,
    **chat.COMMANDS,
    **staff_commands.COMMANDS,
    **rounds.COMMANDS,
    **members.COMMANDS,
}
