"""Players' identities: shared identities, forgotten passwords, erasure."""

import argparse
from typing import Any

from scripts.office_cli.client import OfficeClient
from scripts.office_cli.command import AddArguments, Command, Run
from scripts.office_cli.options import PLAYER
from scripts.office_cli.terminal import table

RESETTING = (
    "give a player who forgot the password a temporary one, once a colleague agrees; all their"
    " sessions end, and withdrawals wait for the cooling time"
)
ERASING = (
    "erase a player permanently, once a colleague agrees: the account closes, names, documents,"
    " payout details and texts are deleted, open bonus money lapses; bets, amounts and the mark of"
    " an exclusion stay; refused while the account has money or pending payments"
)
_UNKNOWN = (
    "A player without an ID card and a payout account cannot be compared: an excluded person may be"
    " using such an account."
)


def _add_player(why: str) -> AddArguments:
    """A player, and a reason that says `why`."""

    def add(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("player", help=PLAYER)
        parser.add_argument("--reason", required=True, help=why)

    return add


def _propose(kind: str) -> Run:
    def propose(client: OfficeClient, options: argparse.Namespace) -> str:
        body = {"player": options.player, "kind": kind, "reason": options.reason}
        change = client.request("accountChange", body)["data"]
        effects = RESETTING if kind == "password_reset" else ERASING
        return (
            f"proposed for player {change['player']}: {effects}\n"
            f"a colleague agrees with: scripts/office agree-change {change['id']}"
        )

    return propose


def _add_proposal(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", help="id of the proposal")


def _decide_change(*, approve: bool) -> Run:
    def decide(client: OfficeClient, options: argparse.Namespace) -> str:
        body = {"id": options.id, "approve": approve}
        change = client.request("accountChangeDecision", body)["data"]
        return _format_change(change)

    return decide


def _format_change(change: dict[str, Any]) -> str:
    player = f"player {change['player']}"
    if change["status"] == "rejected":
        return f"{player}: rejected, nothing was changed"
    if change["kind"] == "erasure":
        return f"{player} is erased"
    if not change["password"]:
        return (
            f"{player}: this reset was done before, and its password is shown only once;"
            " if it was lost, reset the password again"
        )
    return (
        f"{player} has the temporary password {change['password']}\n"
        "It is valid for 24 hours, and for ten minutes from its first use. Give it only to the"
        " player; it is not shown again."
    )


def _add_filter(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="include decided ones")


def _identities(client: OfficeClient, options: argparse.Namespace) -> str:
    return _pairs(client.request("identities", {"every": options.all})["data"])


def _add_pair(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("player", help=f"the later player: {PLAYER}")
    parser.add_argument("other", help=f"the earlier player: {PLAYER}")
    parser.add_argument("--reason", required=True, help="the evidence")


def _decide(*, same: bool) -> Run:
    def decide(client: OfficeClient, options: argparse.Namespace) -> str:
        body = {"player": options.player, "other": options.other, "same": same}
        return _pairs(
            client.request("identityDecision", {**body, "reason": options.reason})["data"]
        )

    return decide


def _pairs(pairs: list[dict[str, Any]]) -> str:
    if not pairs:
        return f"no players share an identity\n{_UNKNOWN}"
    titles = ("player", "earlier player", "shares", "status", "exclusion")
    rows = [
        [
            f"{it['username'] or '(erased)'} ({it['player']})",
            f"{it['other_username'] or '(erased)'} ({it['other']})",
            it["shares"],
            "OPEN: withdrawals are blocked" if it["status"] == "open" else it["status"],
            "carried over" if it["excluded"] else "",
        ]
        for it in pairs
    ]
    text = table(titles, rows)
    if any(it["status"] == "open" for it in pairs):
        text += (
            "\ndecide with: scripts/office same-person PLAYER OTHER --reason TEXT, or"
            " different-people"
        )
    return f"{text}\n{_UNKNOWN}"


COMMANDS = (
    Command(
        "identities",
        "players who share an ID card or payout account with another one",
        _add_filter,
        _identities,
    ),
    Command(
        "same-person",
        "two players are one person: the later account takes no more bets; blocked withdrawals"
        " continue",
        _add_pair,
        _decide(same=True),
    ),
    Command(
        "different-people",
        "two players are two people, although they share it; blocked withdrawals continue",
        _add_pair,
        _decide(same=False),
    ),
    Command(
        "reset-password",
        RESETTING,
        _add_player("how they proved their identity"),
        _propose("password_reset"),
    ),
    Command(
        "erase-member",
        ERASING,
        _add_player("who requested it, and how they proved their identity"),
        _propose("erasure"),
    ),
    Command(
        "agree-change",
        "agree to a colleague's password reset or erasure: it is done immediately",
        _add_proposal,
        _decide_change(approve=True),
    ),
    Command(
        "reject-change",
        "reject a proposed password reset or erasure",
        _add_proposal,
        _decide_change(approve=False),
    ),
)
