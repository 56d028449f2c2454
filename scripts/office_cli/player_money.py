"""Money that staff enter for a player: deposits, gifts and corrections."""

import argparse

from scripts.office_cli.client import OfficeClient
from scripts.office_cli.command import Command, Run
from scripts.office_cli.options import PLAYER, add_again, amount
from scripts.office_cli.requests import format_outcome

_ENTERED = ("player", "amount", "channel", "reference", "again")
_CORRECTIONS = ("double_entry", "returned_payout", "chargeback", "goodwill")


def _add_player_and_amount(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("player", help=PLAYER)
    parser.add_argument(
        "amount", type=amount, help="in u, at most two decimals, for example 250.50"
    )


def _add_deposit(parser: argparse.ArgumentParser) -> None:
    _add_player_and_amount(parser)
    parser.add_argument("--channel", required=True, choices=("bank", "usdt"))
    parser.add_argument("--reference", required=True, help="reference of the payment")
    add_again(parser)


def _enter(client: OfficeClient, options: argparse.Namespace) -> str:
    body = {name: getattr(options, name) for name in _ENTERED}
    return format_outcome(client.request("deposit", body)["data"], "deposit")


def _add_gift(parser: argparse.ArgumentParser) -> None:
    _add_player_and_amount(parser)
    parser.add_argument("--reason", required=True)


def _add_correction(parser: argparse.ArgumentParser) -> None:
    _add_gift(parser)
    help_text = "purpose: each kind is booked against its own account"
    parser.add_argument("--kind", choices=_CORRECTIONS, required=True, help=help_text)
    help_text = "channel of the deposit that a double_entry undoes"
    channels = ("bank", "usdt", "online")
    parser.add_argument("--channel", choices=channels, default="", help=help_text)


def _give(call: str) -> Run:
    def give(client: OfficeClient, options: argparse.Namespace) -> str:
        body = {name: getattr(options, name) for name in ("player", "amount", "reason")}
        if call == "adjustment":
            body |= {"kind": options.kind, "channel": options.channel}
        return format_outcome(client.request(call, body)["data"], call)

    return give


COMMANDS = (
    Command("enter-deposit", "enter a received deposit", _add_deposit, _enter),
    Command(
        "gift",
        "give bonus money; above the threshold another person has to agree",
        _add_gift,
        _give("gift"),
    ),
    Command(
        "adjust",
        "propose a correction; below zero it removes money",
        _add_correction,
        _give("adjustment"),
    ),
)
