"""The chat of the halls: messages and muted players."""

import argparse
from typing import Any
from zoneinfo import ZoneInfo

from scripts.office_cli.client import OfficeClient
from scripts.office_cli.command import Command, Run
from scripts.office_cli.options import add_id, add_player_and_reason
from scripts.office_cli.terminal import moment, table


def _add_muting(parser: argparse.ArgumentParser) -> None:
    add_player_and_reason(parser)
    parser.add_argument(
        "--hours", type=int, metavar="N", help="duration in hours (default: permanent)"
    )


def _mute(*, muted: bool) -> Run:
    def mute(client: OfficeClient, options: argparse.Namespace) -> str:
        body = {"player": options.player, "muted": muted, "reason": options.reason}
        if muted and options.hours is not None:
            body["hours"] = options.hours
        data = client.request("mute", body)["data"]
        if not data["muted"]:
            return f"player {data['player']} is not muted"
        ends = moment(data["muted_until"] or 0, client.zone)
        until = f"until {ends} {client.zone}" if ends else "permanently"
        return f"player {data['player']} is muted {until}"

    return mute


def _add_removal(parser: argparse.ArgumentParser) -> None:
    add_id(parser)
    parser.add_argument("--reason", required=True)


def _remove(client: OfficeClient, options: argparse.Namespace) -> str:
    data = client.request("chatRemove", {"id": options.id, "reason": options.reason})["data"]
    return f"{data['id']} of player {data['player']} is removed"


def _add_hall(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("plan", type=int, nargs="?", help="only this hall, 1 to 36")


def _read(client: OfficeClient, options: argparse.Namespace) -> str:
    items = client.request("chat", {"plan_id": options.plan})["data"]
    titles = (f"sent ({client.zone})", "hall", "id", "player", "text", "removed")
    return table(titles, [_row(item, client.zone) for item in items]) if items else "no messages"


def _row(item: dict[str, Any], zone: ZoneInfo) -> list[str]:
    by = item["removed_by"].removeprefix("staff:")
    return [
        moment(item["createtime"], zone),
        str(item["plan_id"]),
        item["id"],
        f"{item['username'] or '(erased)'} ({item['player']})",
        item["words"],
        f"by {by}: {item['reason']}" if by else "",
    ]


COMMANDS = (
    Command(
        "mute",
        "mute a player in the chat; betting is not affected",
        _add_muting,
        _mute(muted=True),
    ),
    Command("unmute", "unmute a player in the chat", add_player_and_reason, _mute(muted=False)),
    Command(
        "chat",
        "show the last 100 messages, newest first, removed ones included",
        _add_hall,
        _read,
    ),
    Command("chat-remove", "remove a message from the chat", _add_removal, _remove),
)
