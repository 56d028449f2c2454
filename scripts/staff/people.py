"""The staff themselves: who they are, their roles, their passes."""

import argparse
from collections.abc import Callable
from typing import Any

from scripts.staff.house import House
from scripts.staff.reading import staff_name
from scripts.staff.tables import moment, table

Command = Callable[[House, argparse.Namespace], str]
Adding = Callable[[str, str], argparse.ArgumentParser]
ROLES = ("cashier", "support", "editor", "manager", "auditor")
#: What the machine's secret does in nobody's name, to begin a house.
BEGINNING = frozenset({"staff-roles", "staff-pass"})


def add_options(add: Adding) -> None:
    """What may be typed about the staff."""
    add("staff", "who the staff are, and which roles are proposed")
    proposing = add("staff-roles", "propose all the roles of a person; another manager agrees")
    proposing.add_argument("name", type=staff_name, help="in small letters: ann")
    proposing.add_argument("roles", nargs="+", choices=ROLES, metavar="ROLE", help=", ".join(ROLES))
    add("staff-agree", "agree to roles that a colleague proposed").add_argument("id")
    add("staff-drop", "drop proposed roles").add_argument("id")
    add("staff-remove", "take all roles of a person away, at once").add_argument(
        "name", type=staff_name
    )
    add("staff-pass", "a new pass for somebody else, shown once").add_argument(
        "name", type=staff_name
    )
    add("staff-pass-end", "revoke a person's pass").add_argument("name", type=staff_name)


def _show(house: House, _: argparse.Namespace) -> str:
    return _told(house.ask("staff", {})["data"])


def _propose(house: House, options: argparse.Namespace) -> str:
    return _told(house.ask("staffRoles", {"name": options.name, "roles": options.roles})["data"])


def _decide(*, approve: bool) -> Command:
    def decide(house: House, options: argparse.Namespace) -> str:
        body = {"id": options.id, "approve": approve}
        return _told(house.ask("staffRolesDecision", body)["data"])

    return decide


def _about(call: str) -> Command:
    def about(house: House, options: argparse.Namespace) -> str:
        return _told(house.ask(call, {"name": options.name})["data"])

    return about


def _pass(house: House, options: argparse.Namespace) -> str:
    data = house.ask("staffPass", {"name": options.name})["data"]
    until = moment(data["until"])
    told = f"This is {data['name']}'s pass until {until} UTC; it is not shown again."
    return f"{data['token']}\n{told}"


def _told(data: dict[str, Any]) -> str:
    titles = ("name", "roles", "since (UTC)", "by", "pass until (UTC)")
    people = [_person(it) for it in data["people"]]
    told = table(titles, people) if people else "nobody has a role yet"
    waiting = [_proposal(it) for it in data["proposals"]]
    if waiting:
        titles = ("proposed roles", "for", "at (UTC)", "by", "id")
        told += f"\n\n{table(titles, waiting)}"
        told += "\nanother manager agrees with: scripts/office staff-agree ID"
    return told


def _person(it: dict[str, Any]) -> list[str]:
    by = _and(it["proposed_by"], it["agreed_by"])
    held = moment(it["pass_until"]) or "(none)"
    return [it["name"], " ".join(it["roles"]), moment(it["at"]), by, held]


def _proposal(it: dict[str, Any]) -> list[str]:
    return [" ".join(it["roles"]), it["name"], moment(it["at"]), _and(it["proposed_by"]), it["id"]]


def _and(*actors: str) -> str:
    return " and ".join(each.removeprefix("staff:") for each in actors if each)


COMMANDS: dict[str, Command] = {
    "staff": _show,
    "staff-roles": _propose,
    "staff-agree": _decide(approve=True),
    "staff-drop": _decide(approve=False),
    "staff-remove": _about("staffRemove"),
    "staff-pass": _pass,
    "staff-pass-end": _about("staffPassEnd"),
}
