"""The command line for staff roles and passes, and how a command uses a pass."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.runtime.postgres.embedded_postgres import EmbeddedPostgres
from engine.staff.passes import fingerprint_of
from engine.staff.roles import Role
from scripts.office_cli import cli, options
from scripts.office_cli.client import RefusedError
from tests.api.conftest import opened
from tests.api.staffing import hire
from tests.api.support import ApiServer
from tests.databases import new_database

ROOT = Path(__file__).resolve().parents[2]
ID = re.compile(r"roles-[a-z]+-[0-9a-f]{20}")


@pytest.fixture(scope="module")
def house(
    postgres: EmbeddedPostgres, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ApiServer]:
    """A server without demo mode and without staff."""
    data = tmp_path_factory.mktemp("house")
    with new_database(postgres) as database, opened(database, data) as served:
        (served.settings.keys / "address").write_text(served.url)
        yield served


@pytest.fixture(autouse=True)
def without_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(options.PASS_VARIABLE, raising=False)


def output_of(house: ApiServer, typed: str, *more: str) -> str:
    """Run a command in this process and return its output."""
    read = cli.read([*typed.split(), *more, "--data", str(house.settings.data)])
    return cli.run(read)


def test_a_house_is_begun_and_its_staff_are_kept(house: ApiServer, tmp_path: Path) -> None:
    output_of(house, "staff-roles ann manager")
    assert "by" in output_of(house, "staff-roles ben manager")
    ann, ben = tmp_path / "ann.pass", tmp_path / "ben.pass"
    begun = output_of(house, f"staff-pass ann {made(ann)}")
    assert re.search(r"^ann   manager .* machine  2027-02-19 .* machine ", begun, re.MULTILINE)
    fingerprint = made(ben)
    waits = output_of(house, f"staff-pass ben {fingerprint} --pass-file {ann}")
    assert re.search(r"^ben +20.* ann$", waits, re.MULTILINE)
    assert "another manager enters the same" in waits
    good = output_of(house, f"staff-pass ben {fingerprint}")
    assert f"ann and machine  {fingerprint[:12]}" in good

    proposed = output_of(house, f"staff-roles cleo cashier support --pass-file {ann}")
    assert "another manager agrees with: scripts/office staff-agree ID" in proposed
    (number,) = ID.findall(proposed)
    with pytest.raises(RefusedError, match="second_person_needed"):
        output_of(house, f"staff-agree {number} --pass-file {ann}")
    agreed = output_of(house, f"staff-agree {number} --pass-file {ben}")
    (cleo,) = [line for line in agreed.splitlines() if line.startswith("cleo ")]
    assert "cashier support" in cleo
    assert "ann and ben" in cleo
    assert cleo.endswith("(none)")
    file = tmp_path / "cleo.pass"
    for hand in (ann, ben):
        output_of(house, f"staff-pass cleo {made(file)} --pass-file {hand}")
    assert output_of(house, f"queue --pass-file {file}") == "no pending requests"

    again = output_of(house, f"staff-roles cleo auditor --pass-file {ann}")
    dropped = output_of(house, f"staff-drop {ID.findall(again)[0]} --pass-file {ann}")
    assert not ID.findall(dropped)
    ended = output_of(house, f"staff-pass-end cleo --pass-file {ann}")
    assert "(none)" in next(line for line in ended.splitlines() if line.startswith("cleo "))
    assert "cleo" not in output_of(house, f"staff-remove cleo --pass-file {ben}")
    assert "machine" in output_of(house, f"staff --pass-file {ben}")


def made(file: Path) -> str:
    """The fingerprint of the pass in this file, which is created if missing."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts/office"), "make-pass", str(file)],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()[0]


def test_a_pass_is_made_once_and_read_by_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "ann.pass"
    first = made(file)
    token = file.read_text()
    assert (first, made(file)) == (fingerprint_of(token.strip()), first)
    assert (file.read_text(), file.stat().st_mode & 0o777) == (token, 0o600)


@pytest.mark.parametrize(
    ("there", "error"),
    [
        ("my diary", "exists and is not a pass: name another file"),
        ("", "exists and is not a pass: name another file"),
        (None, "No such file or directory"),
    ],
)
def test_what_is_no_pass_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], there: str | None, error: str
) -> None:
    file = tmp_path / "notes"
    if there is None:
        file = file / "deeper"
    else:
        file.write_text(there)
    with pytest.raises(SystemExit) as left:
        cli.main(["make-pass", str(file)])
    assert (left.value.code, error in capsys.readouterr().err) == (2, True)
    assert there is None or file.read_text() == there


def test_a_pass_in_the_environment_is_shown(
    house: ApiServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    token = hire(house, "dan", Role.CASHIER)
    monkeypatch.setenv(options.PASS_VARIABLE, token)
    assert output_of(house, "queue") == "no pending requests"
    with pytest.raises(RefusedError, match="staff_unknown"):
        output_of(house, "queue --as ann")
    elsewhere = [sys.executable, str(ROOT / "scripts/office"), "queue", "--address", house.url]
    done = subprocess.run(
        [*elsewhere, "--data", str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "no pending requests\n")


def test_a_deposit_is_entered_in_the_name_of_the_pass(
    house: ApiServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(options.PASS_VARIABLE, hire(house, "eve", Role.CASHIER))
    player = house.register()
    typed = f"deposit {player.id} 20 --channel bank --reference x --data {house.settings.data}"
    monkeypatch.setattr(sys, "argv", typed.split())
    with pytest.raises(SystemExit) as left:
        cli.deposit()
    assert (left.value.code, capsys.readouterr().err) == (0, "")
    assert player.balance() == 20


def test_switches_are_listed(house: ApiServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(options.PASS_VARIABLE, hire(house, "fay", Role.MANAGER))
    output_of(house, "switch plan-7 close")
    house.catch_up()
    assert [line.split()[:2] for line in output_of(house, "switches").splitlines()] == [
        ["scope", "state"],
        ["plan-7", "closed"],
    ]


@pytest.mark.parametrize(
    "typed",
    [
        "staff",
        "staff-roles ann",
        "staff-roles ann king",
        "staff-agree",
        "staff-pass ann",
        "staff-pass ann 0123",
        "make-pass",
        "queue --pass-file /nowhere",
        "queue --as ann --address https://house.example",
        "queue --address http://house.example",
        "queue --address house.example",
    ],
)
def test_what_is_wrongly_typed_changes_nothing(typed: str) -> None:
    with pytest.raises(SystemExit) as left:
        cli.read(typed.split())
    assert left.value.code == 2
