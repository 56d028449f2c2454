"""The staff: their names, roles and passes."""

import argparse
import os
import re
import secrets
from hashlib import sha256
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from scripts.office_cli.client import OfficeClient
from scripts.office_cli.command import ArgumentError, Command, LocalCommand, Run
from scripts.office_cli.options import add_id, add_nothing
from scripts.office_cli.terminal import moment, staff_name, table

ROLES = ("cashier", "support", "editor", "manager", "auditor")
_PASS_BYTES = 32
#: This many digits of a fingerprint distinguish the passes in use.
_SHOWN = 12
_PASS = re.compile(r"[A-Za-z0-9_-]{43}")
_FINGERPRINT = re.compile(r"[0-9a-f]{64}")


def _show(client: OfficeClient, _: argparse.Namespace) -> str:
    return _format_staff(client.request("staff", {})["data"], client.zone)


def _add_roles(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", type=staff_name, help="in lower case: ann")
    parser.add_argument("roles", nargs="+", choices=ROLES, metavar="ROLE", help=", ".join(ROLES))


def _propose(client: OfficeClient, options: argparse.Namespace) -> str:
    return _format_staff(
        client.request("staffRoles", {"name": options.name, "roles": options.roles})["data"],
        client.zone,
    )


def _decide(*, approve: bool) -> Run:
    def decide(client: OfficeClient, options: argparse.Namespace) -> str:
        body = {"id": options.id, "approve": approve}
        return _format_staff(client.request("staffRolesDecision", body)["data"], client.zone)

    return decide


def _add_name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", type=staff_name)


def _about(call: str) -> Run:
    def about(client: OfficeClient, options: argparse.Namespace) -> str:
        return _format_staff(client.request(call, {"name": options.name})["data"], client.zone)

    return about


def _add_file(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="keep this file secret")


def _make_pass(options: argparse.Namespace) -> str:
    try:
        return make_pass(options.file)
    except OSError as error:
        message = f"{options.file}: {error.strerror}"
        raise ArgumentError(message) from error
    except ValueError as error:
        message = f"{options.file} exists and is not a pass: name another file"
        raise ArgumentError(message) from error


def make_pass(file: Path) -> str:
    """Make a pass in a file that only its owner can read; returns the instructions.

    A file with a pass is not changed. Raises OSError if it cannot be written or read, ValueError if
    it contains something else.
    """
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        token, found = file.read_text("ascii").strip(), "existed before"
        if not _PASS.fullmatch(token):
            raise ValueError from None
    else:
        token, found = secrets.token_urlsafe(_PASS_BYTES), "is new"
        with os.fdopen(descriptor, "w") as new:
            new.write(f"{token}\n")
    return (
        f"{sha256(token.encode()).hexdigest()}\n"
        f"This is the fingerprint of the pass in {file}, which {found}. Give it to two managers;"
        " each runs:\n  scripts/office staff-pass YOUR-NAME FINGERPRINT\n"
        "Keep the pass itself secret."
    )


def _add_fingerprint(parser: argparse.ArgumentParser) -> None:
    _add_name(parser)
    parser.add_argument(
        "fingerprint",
        type=_fingerprint,
        metavar="FINGERPRINT",
        help="as given to you by the person",
    )


def _pass(client: OfficeClient, options: argparse.Namespace) -> str:
    body = {"name": options.name, "fingerprint": options.fingerprint}
    return _format_staff(client.request("staffPass", body)["data"], client.zone)


def _fingerprint(text: str) -> str:
    if not _FINGERPRINT.fullmatch(text.lower()):
        raise argparse.ArgumentTypeError(f"{text} is not a fingerprint of 64 hexadecimal digits")
    return text.lower()


def _format_staff(data: dict[str, Any], zone: ZoneInfo) -> str:
    titles = (
        "name",
        "roles",
        f"since ({zone})",
        "by",
        f"pass until ({zone})",
        "entered by",
        "fingerprint",
    )
    people = [_person(it, zone) for it in data["people"]]
    text = table(titles, people) if people else "no one has a role yet"
    waiting = [_proposal(it, zone) for it in data["proposals"]]
    if waiting:
        text += f"\n\n{table(('proposed roles', 'for', f'at ({zone})', 'by', 'id'), waiting)}"
        text += "\nanother manager agrees with: scripts/office staff-agree ID"
    passes = [
        [it["name"], moment(it["at"], zone), _and(it["proposed_by"])] for it in data["passes"]
    ]
    if passes:
        text += f"\n\n{table(('a pass for', f'at ({zone})', 'by'), passes)}"
        text += (
            "\nanother manager enters the same, as given by the person:"
            " scripts/office staff-pass NAME FINGERPRINT"
        )
    return text


def _person(it: dict[str, Any], zone: ZoneInfo) -> list[str]:
    by = _and(it["proposed_by"], it["agreed_by"])
    pass_until = moment(it["pass_until"], zone) or "(none)"
    pass_actors = _and(it["pass_proposed_by"], it["pass_agreed_by"])
    start = it["pass_fingerprint"][:_SHOWN]
    return [
        it["name"],
        " ".join(it["roles"]),
        moment(it["at"], zone),
        by,
        pass_until,
        pass_actors,
        start,
    ]


def _proposal(it: dict[str, Any], zone: ZoneInfo) -> list[str]:
    return [
        " ".join(it["roles"]),
        it["name"],
        moment(it["at"], zone),
        _and(it["proposed_by"]),
        it["id"],
    ]


def _and(*actors: str) -> str:
    return " and ".join(each.removeprefix("staff:") for each in actors if each)


COMMANDS = (
    Command("staff", "show the staff and the proposed roles", add_nothing, _show),
    Command(
        "staff-roles",
        "propose all the roles of a person; another manager agrees",
        _add_roles,
        _propose,
        needs_name=False,
    ),
    Command(
        "staff-agree", "agree to roles that a colleague proposed", add_id, _decide(approve=True)
    ),
    Command("staff-drop", "drop proposed roles", add_id, _decide(approve=False)),
    Command(
        "staff-remove",
        "remove all roles of a person immediately",
        _add_name,
        _about("staffRemove"),
    ),
    LocalCommand(
        "make-pass",
        "make your own pass, or print the fingerprint of the one in FILE",
        _add_file,
        _make_pass,
    ),
    Command(
        "staff-pass",
        "enter the fingerprint of a person's pass; two managers have to",
        _add_fingerprint,
        _pass,
        needs_name=False,
    ),
    Command("staff-pass-end", "revoke a person's pass", _add_name, _about("staffPassEnd")),
)
