"""The chat of the halls: what was said, who may say nothing."""

import argparse
from collections.abc import Callable
from typing import Any
from zoneinfo import ZoneInfo

from scripts.staff.house import OfficeClient
from scripts.staff.tables import moment, table

Command = Callable[[OfficeClient, argparse.Namespace], str]
Adding = Callable[[str, str], argparse.ArgumentParser]


def add_options(add: Adding) -> None:
    """What may be typed about the chat."""
    muting = add("mute", "let a member say nothing in the chat; they may bet as ever")
    _about_member(muting)
    muting.add_argument("--hours", type=int, metavar="N", help="for so long (for good)")
    _about_member(add("unmute", "let a member speak in the chat again"))
    reading = add("chat", "what was said, newest first: the last 100, removed messages too")
    reading.add_argument("plan", type=int, nargs="?", help="of this hall alone, 1 to 36")
    removing = add("chat-remove", "take a message out of the chat")
    removing.add_argument("id")
    removing.add_argument("--reason", required=True)


def _about_member(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("player", help="user name or player id")
    parser.add_argument("--reason", required=True)


def _mute(*, muted: bool) -> Command:
    def mute(client: OfficeClient, options: argparse.Namespace) -> str:
        body = {"player": options.player, "muted": muted, "reason": options.reason}
        if muted and options.hours is not None:
            body["hours"] = options.hours
        data = client.request("mute", body)["data"]
        if not data["muted"]:
            return f"player {data['player']} may speak"
        ends = moment(data["muted_until"] or 0, client.zone)
        until = f"until {ends} {client.zone}" if ends else "for good"
        return f"player {data['player']} is muted {until}"

    return mute


def _remove(client: OfficeClient, options: argparse.Namespace) -> str:
    data = client.request("chatRemove", {"id": options.id, "reason": options.reason})["data"]
    return f"{data['id']} of player {data['player']} is removed"


def _read(client: OfficeClient, options: argparse.Namespace) -> str:
    items = client.request("chat", {"plan_id": options.plan})["data"]
    titles = (f"said ({client.zone})", "hall", "id", "member", "words", "removed")
    return (
        table(titles, [_row(item, client.zone) for item in items]) if items else "nothing was said"
    )


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


COMMANDS: dict[str, Command] = {
    "mute": _mute(muted=True),
    "unmute": _mute(muted=False),
    "chat": _read,
    "chat-remove": _remove,
}
