"""The odds table of future days, and decisions on a colleague's proposals for the house."""

import argparse
from typing import Any
from zoneinfo import ZoneInfo

from scripts.office_cli.client import OfficeClient
from scripts.office_cli.command import Command, Run
from scripts.office_cli.terminal import moment, table


def waiting(proposed: dict[str, Any], zone: ZoneInfo) -> str:
    """Returns who proposed it, and how another manager decides."""
    by = f"{proposed['by'].removeprefix('staff:')}, {moment(proposed['at'], zone)} {zone}"
    return (
        f"proposed by {by}; another manager agrees with: scripts/office agree-setting"
        f" {proposed['id']} (or reject-setting)"
    )


def _add_table(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", nargs="?", help="id of an odds table; without it all are shown")


def _odds(client: OfficeClient, options: argparse.Namespace) -> str:
    if options.table is None:
        return _shown(client, client.request("settings", {})["data"]["odds"])
    odds = client.request("odds", {"table": options.table})["data"]["odds"]
    return _shown(client, odds) + "".join(
        f"\nwarning: {it}" for it in _warnings(odds, options.table)
    )


def _add_proposal(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", help="id of the proposal, for example terms-12")


def _decide(*, approve: bool) -> Run:
    def decide(client: OfficeClient, options: argparse.Namespace) -> str:
        client.request("settingDecision", {"id": options.id, "approve": approve})
        return f"{options.id}: {'agreed' if approve else 'rejected'}"

    return decide


def _shown(client: OfficeClient, odds: dict[str, Any]) -> str:
    tables = {it["table"]: {bet["class"]: bet for bet in it["bets"]} for it in odds["tables"]}
    kinds = dict.fromkeys(kind for bets in tables.values() for kind in bets)
    rows = [[kind, *(_bet(bets.get(kind)) for bets in tables.values())] for kind in kinds]
    shown = table(("bet", *tables), rows)
    shown += "\nodds and average return; ! is above 100 % or below 75 %"
    shown += f"\ntoday: {odds['table']}"
    for it in odds["next"]:
        shown += f"\nfrom {it['day']}: {it['table']}"
    proposed = odds["proposed"]
    if proposed is not None:
        shown += f"\n{proposed['table']} {waiting(proposed, client.zone)}"
    return shown


def _warnings(odds: dict[str, Any], table: str) -> list[str]:
    """The bets of a table whose average return is above 100 % or below 75 %."""
    (bets,) = [it["bets"] for it in odds["tables"] if it["table"] == table]
    return [
        f"{it['class']} returns {it['return_percent']:.2f} %, outside 75 to 100 %"
        for it in bets
        if it["warning"]
    ]


def _bet(it: dict[str, Any] | None) -> str:
    if it is None:
        return "not sold"
    return f"{it['odds']} {it['return_percent']:.2f} %{' !' if it['warning'] else ''}"


COMMANDS = (
    Command(
        "odds",
        "show the odds and their returns, or propose a table from the next day",
        _add_table,
        _odds,
    ),
    Command(
        "agree-setting",
        "agree to proposed terms, receiving accounts or odds",
        _add_proposal,
        _decide(approve=True),
    ),
    Command(
        "reject-setting",
        "reject proposed terms, receiving accounts or odds",
        _add_proposal,
        _decide(approve=False),
    ),
)
