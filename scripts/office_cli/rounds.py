"""Rounds whose draw is overdue, and voiding those that cannot be drawn."""

import argparse
from typing import Any
from zoneinfo import ZoneInfo

from scripts.office_cli.client import OfficeClient
from scripts.office_cli.command import Command, Run
from scripts.office_cli.options import add_id, add_nothing
from scripts.office_cli.terminal import moment, money, table

_GAMES = (1, 2, 3, 4)


def _show(client: OfficeClient, _: argparse.Namespace) -> str:
    return (
        format_rounds(client.request("undrawnRounds", {})["data"], client.zone)
        or "no overdue draws"
    )


def _add_void(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", type=int, choices=_GAMES, metavar="GAME", help="1 to 4")
    parser.add_argument("issue", metavar="ISSUE", help="the round's public number")
    parser.add_argument("--reason", required=True, help="published with the void, permanently")


def _propose(client: OfficeClient, options: argparse.Namespace) -> str:
    body = {"game_id": options.game, "issue": options.issue, "reason": options.reason}
    return (
        format_rounds(client.request("roundVoid", body)["data"], client.zone)
        or "no more overdue draws"
    )


def _decide(*, approve: bool) -> Run:
    def decide(client: OfficeClient, options: argparse.Namespace) -> str:
        body = {"id": options.id, "approve": approve}
        return (
            format_rounds(client.request("roundVoidDecision", body)["data"], client.zone)
            or "no more overdue draws"
        )

    return decide


def format_rounds(rounds: list[dict[str, Any]], zone: ZoneInfo) -> str:
    """The rounds as a table; empty if there are none."""
    if not rounds:
        return ""
    titles = (f"closed ({zone})", "game", "issue", "bets", "stakes", "state", "proposal")
    rows = [
        [
            moment(it["closed_at"], zone),
            str(it["game_id"]),
            it["issue"],
            str(it["bets"]),
            money(it["stake"]),
            _state(it, zone),
            it["void"]["id"] if it["void"] else "",
        ]
        for it in rounds
    ]
    waiting = any(it["void"] and not it["void"]["agreed_by"] for it in rounds)
    hint = "\nanother manager agrees with: scripts/office agree-void PROPOSAL" if waiting else ""
    return table(titles, rows, right=("bets", "stakes")) + hint


def _state(it: dict[str, Any], zone: ZoneInfo) -> str:
    if it["status"]:
        return f"voided as {it['status']}, stakes are being returned"
    void = it["void"]
    if void is None:
        return _waiting(it, zone)
    by = void["proposed_by"].removeprefix("staff:")
    if not void["agreed_by"]:
        return f"void proposed by {by}: {void['reason']}"
    agreed = void["agreed_by"].removeprefix("staff:")
    return (
        f"void agreed by {by} and {agreed}; without a response of the witness, at"
        f" {moment(void['earliest'], zone)} {zone}"
    )


_WAITS = {
    "awaiting_witness": "waits for its witness",
    "awaiting_beacon": "waits for the public beacon",
    "awaiting_void": "cannot be drawn",
}


def _waiting(it: dict[str, Any], zone: ZoneInfo) -> str:
    if not it["waits"]:
        return "not drawn"
    reason, since = it["waits_reason"].replace("_", " "), moment(it["waits_since"], zone)
    return f"{_WAITS.get(it['waits'], it['waits'])} ({reason}) since {since} {zone}"


COMMANDS = (
    Command(
        "undrawn",
        "show rounds whose draw is overdue, and proposals to void them",
        add_nothing,
        _show,
    ),
    Command(
        "void-round",
        "propose to void a round that cannot be drawn: all stakes are returned once another"
        " manager agrees; a round that can still be drawn is drawn",
        _add_void,
        _propose,
    ),
    Command(
        "agree-void",
        "agree to void a round that a colleague proposed to void",
        add_id,
        _decide(approve=True),
    ),
    Command("drop-void", "drop a proposal to void a round", add_id, _decide(approve=False)),
)
