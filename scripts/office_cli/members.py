"""One player's gaming and security code."""

import argparse

from scripts.office_cli.client import OfficeClient
from scripts.office_cli.command import Command, Run
from scripts.office_cli.options import PLAYER, add_player_and_reason


def _switch(*, closed: bool) -> Run:
    def switch(client: OfficeClient, options: argparse.Namespace) -> str:
        body = {"player": options.player, "closed": closed, "reason": options.reason}
        data = client.request("memberSwitch", body)["data"]
        return f"player {data['player']}: gaming is {'closed' if data['closed'] else 'open'}"

    return switch


def _add_lifting(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("player", help=PLAYER)
    parser.add_argument("--reason", required=True, help="how they proved their identity")


def _lift_code(client: OfficeClient, options: argparse.Namespace) -> str:
    body = {"player": options.player, "reason": options.reason}
    player = client.request("securityCodeLift", body)["data"]["player"]
    return f"player {player} has no security code now, and can set a new one"


COMMANDS = (
    Command(
        "close-member",
        "close a player's gaming; withdrawals stay open",
        add_player_and_reason,
        _switch(closed=True),
    ),
    Command(
        "open-member",
        "open a player's gaming again",
        add_player_and_reason,
        _switch(closed=False),
    ),
    Command("lift-code", "remove a locked or forgotten security code", _add_lifting, _lift_code),
)
