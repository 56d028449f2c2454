"""Settings of the house: switches, terms, and the accounts that receive deposits."""

import argparse
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any
from zoneinfo import ZoneInfo

from scripts.office_cli.client import OfficeClient
from scripts.office_cli.command import Command
from scripts.office_cli.odds import waiting
from scripts.office_cli.options import add_nothing, amount
from scripts.office_cli.terminal import hours, moment, money, table

_SUMS = {
    "four_eyes": "above this amount in u two people have to agree",
    "least_withdrawal": "the smallest withdrawal, in u",
    "largest_deposit": "the largest deposit, in u",
    "overnight_most": "the largest overnight bonus, in u",
}
_SPANS = {
    "cooling": "before a new payout account or security code may be used",
    "raise_wait": "before a player's raised limit takes effect",
    "bonus_wait": "before bonus money can be released",
    "quota": "for which a level stays reserved",
}
_HEADS = {"terms": "term", "receiving": "account"}
_ACCOUNTS = {
    "usdt": "a TRC20 address",
    "bank": "the bank's name",
    "number": "the account's number",
    "holder": "the account's holder",
}


def _switches(client: OfficeClient, _: argparse.Namespace) -> str:
    return _format_switches(client.request("settings", {})["data"]["switches"], client.zone)


def _add_switch(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scope", help="product, all, game-1 to game-4, or plan-1 to plan-36")
    parser.add_argument("to", choices=("open", "close"))


def _switch(client: OfficeClient, options: argparse.Namespace) -> str:
    body = {"scope": options.scope, "closed": options.to == "close"}
    return _format_switches(client.request("switch", body)["data"]["switches"], client.zone)


def _format_switches(switches: list[dict[str, Any]], zone: ZoneInfo) -> str:
    if not switches:
        return "no switch was ever used"
    rows = [
        [it["scope"], "closed" if it["closed"] else "open", moment(it["at"], zone), it["by"]]
        for it in switches
    ]
    return table(("scope", "state", f"since ({zone})", "by"), rows)


def _add_terms(parser: argparse.ArgumentParser) -> None:
    for name, help_text in _SUMS.items():
        option = f"--{name.replace('_', '-')}"
        parser.add_argument(option, help=help_text, type=amount, metavar="U")
    for name, help_text in _SPANS.items():
        option = f"--{name.replace('_', '-')}-hours"
        parser.add_argument(option, help=f"time {help_text}", type=_hours, metavar="HOURS")
    parser.add_argument("--overnight", choices=("on", "off"), help="the overnight bonus")
    parser.add_argument(
        "--overnight-permille",
        type=int,
        metavar="N",
        help="the overnight bonus per 1,000 of a day's turnover",
    )
    parser.add_argument("--levels", metavar="U,U,...", help="turnovers that reach the levels")


def _hours(text: str) -> int:
    """Parse hours into whole seconds."""
    try:
        spent = Decimal(text) * 3600
    except InvalidOperation:
        raise argparse.ArgumentTypeError(f"{text} is not a number of hours") from None
    if not spent.is_finite() or spent != spent.to_integral_value() or spent < 0:
        raise argparse.ArgumentTypeError(f"{text} is not a number of hours with whole seconds")
    return int(spent)


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


def _add_accounts(parser: argparse.ArgumentParser) -> None:
    for name, help_text in _ACCOUNTS.items():
        parser.add_argument(f"--{name}", help=help_text)


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


COMMANDS = (
    Command("switches", "show all switches that were ever used", add_nothing, _switches),
    Command("switch", "close or open gaming; running rounds finish", _add_switch, _switch),
    Command(
        "terms",
        "show the house terms or propose new ones (a second manager enters the same values)",
        _add_terms,
        _terms,
    ),
    Command(
        "receiving-accounts",
        "show the accounts that receive deposits, or propose new ones (a second manager agrees)",
        _add_accounts,
        _receiving,
    ),
)
