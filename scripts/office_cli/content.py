"""`scripts/office content`: articles, announcements, banners and messages."""

import argparse
import json
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from scripts.office_cli.client import OfficeClient
from scripts.office_cli.command import Command
from scripts.office_cli.options import common_parser
from scripts.office_cli.terminal import moment, table

_KINDS = ("article", "announcement", "banner", "message")
_TABS = ("original", "recommend", "wealth")
_FILE = """\
The file has the texts by language; tw or en is required, and an article's content is HTML:
  {"en": {"title": "Hello", "content": "<p>Hello.</p>"}, "zh": {"title": "...", "content": "..."}}
"""


def _add_actions(content: argparse.ArgumentParser) -> None:
    common = common_parser()
    actions = content.add_subparsers(dest="action", required=True, metavar="ACTION")
    help_text = "list all published content, newest first"
    listing = actions.add_parser("list", help=help_text, description=help_text, parents=[common])
    listing.add_argument("--kind", choices=_KINDS, default="")
    help_text = "publish content, or change published content"
    saving = actions.add_parser(
        "save",
        help=help_text,
        description=help_text,
        epilog=_FILE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[common],
    )
    _saving(saving)
    help_text = "withdraw published content"
    taking = actions.add_parser("withdraw", help=help_text, description=help_text, parents=[common])
    taking.add_argument("id")
    taking.add_argument("--message", action="store_true", help="a message to one member")
    taking.add_argument("--erase", action="store_true", help="also delete its text permanently")


def _saving(saving: argparse.ArgumentParser) -> None:
    saving.add_argument("texts", type=_texts, metavar="FILE", help="a JSON file, see below")
    saving.add_argument("--kind", choices=_KINDS, required=True)
    saving.add_argument("--id", help="the published content to replace")
    saving.add_argument("--tab", choices=_TABS, help="tab of an article")
    saving.add_argument("--top", action="store_true", help="the article is a hot topic")
    saving.add_argument("--image", help="image of a banner, a path under /vip/")
    saving.add_argument("--link", help="link of a banner, a path under /vip/ or https")
    readers = saving.add_mutually_exclusive_group()
    readers.add_argument("--player", help="recipient of a message: user name or player id")
    readers.add_argument(
        "--everybody", dest="to_all", action="store_true", help="send the message to all players"
    )


def _texts(name: str) -> Any:
    try:
        return json.loads(Path(name).read_text("utf-8"))
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{name} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{name} is not JSON: {error}") from None


def misread(options: argparse.Namespace) -> str:
    """Returns the error about a message's recipients, empty if there is none."""
    if options.command != "content" or options.action != "save":
        return ""
    names_reader = options.player is not None or options.to_all
    if options.kind == "message":
        return "" if names_reader else "a message needs a recipient: --player or --everybody"
    return "only --kind message takes --player or --everybody" if names_reader else ""


def _run(client: OfficeClient, options: argparse.Namespace) -> str:
    actions = {"list": _list, "save": _save, "withdraw": _withdraw}
    return actions[options.action](client, options)


def _list(client: OfficeClient, options: argparse.Namespace) -> str:
    answer = client.request("content", {"kind": options.kind})
    if not answer["data"]:
        return "no published content"
    titles = (f"published ({client.zone})", "id", "kind", "for", "state", "by", "title")
    more = "\n(the newest 1,000)" if answer.get("more") else ""
    return table(titles, [_row(item, client.zone) for item in answer["data"]]) + more


def _row(item: dict[str, Any], zone: ZoneInfo) -> list[str]:
    reader = f"player {item['player']}" if item["player"] else "all players"
    tab = f" ({item['tab']}{', hot' if item['top'] else ''})" if item["tab"] else ""
    text = item["texts"].get("en") or item["texts"].get("tw")
    return [
        moment(item["createtime"], zone),
        item["id"],
        item["kind"] + tab,
        reader,
        "withdrawn" if item["withdrawn"] else "shown",
        item["by"].removeprefix("staff:"),
        text["title"] if text else "",
    ]


def _save(client: OfficeClient, options: argparse.Namespace) -> str:
    if options.player is not None:
        body = {"player": options.player, "texts": options.texts}
        return _format_item(client.request("message", body)["data"])
    names = ("kind", "texts", "id", "tab", "image", "link")
    values = {name: getattr(options, name) for name in names}
    body = {name: value for name, value in values.items() if value is not None}
    body |= {"top": options.top, "everybody": options.to_all}
    return _format_item(client.request("contentSave", body)["data"])


def _withdraw(client: OfficeClient, options: argparse.Namespace) -> str:
    body = {"id": options.id, "erase": options.erase}
    call = "messageWithdraw" if options.message else "contentWithdraw"
    return _format_item(client.request(call, body)["data"])


def _format_item(item: dict[str, Any]) -> str:
    is_gone = "withdrawn" if item["withdrawn"] else "shown"
    reader = f"player {item['player']}" if item["player"] else "all players"
    return f"{item['id']}: {is_gone} ({item['kind']}, to {reader}); stored as {item['digest']}"


COMMANDS = (Command("content", "news, announcements, banners and messages", _add_actions, _run),)
