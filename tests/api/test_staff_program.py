"""How staff are kept from the command line, and how a pass is shown there."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from engine.house.roles import Role
from engine.runtime.postgres import EmbeddedPostgres
from scripts.staff import commands, entry, options
from scripts.staff.house import House as Desk
from scripts.staff.house import RefusedError
from tests.api.conftest import free_port
from tests.api.staffing import hire
from tests.api.support import House

ROOT = Path(__file__).resolve().parents[2]
ID = re.compile(r"roles-[a-z]+-[0-9a-f]{20}")


@pytest.fixture(scope="module")
def house(postgres: EmbeddedPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One that is no demo and has no staff yet."""
    name = f"staff_program_{os.getpid()}"
    postgres.create_database(name)
    served = House(postgres.conninfos(name), tmp_path_factory.mktemp("house"), free_port())
    served.settings = msgspec.structs.replace(served.settings, demo=False)
    with served:
        (served.settings.keys / "address").write_text(served.url)
        yield served
    postgres.drop_database(name)


@pytest.fixture(autouse=True)
def without_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(options.PASS_VARIABLE, raising=False)


def told(house: House, typed: str, *more: str) -> str:
    """What a command says that is done in this process."""
    read = options.read([*typed.split(), *more, "--data", str(house.settings.data)])
    return commands.run(Desk(read.data, read.staff, read.key, read.shown, read.address), read)


def test_a_house_is_begun_and_its_staff_are_kept(house: House, tmp_path: Path) -> None:
    told(house, "staff-roles ann manager")
    assert "by" in told(house, "staff-roles ben manager")
    token, says = told(house, "staff-pass ann").splitlines()
    assert says.startswith("This is ann's pass until 2027-02-19 ")
    ann, ben = tmp_path / "ann.pass", tmp_path / "ben.pass"
    ann.write_text(f"{token}\n{says}\n")
    ben.write_text(told(house, f"staff-pass ben --pass-file {ann}"))

    proposed = told(house, f"staff-roles cleo cashier support --pass-file {ann}")
    assert "another manager agrees with: scripts/office staff-agree ID" in proposed
    (number,) = ID.findall(proposed)
    with pytest.raises(RefusedError, match="second_person_needed"):
        told(house, f"staff-agree {number} --pass-file {ann}")
    agreed = told(house, f"staff-agree {number} --pass-file {ben}")
    (cleo,) = [line for line in agreed.splitlines() if line.startswith("cleo ")]
    assert "cashier support" in cleo
    assert "ann and ben" in cleo
    assert cleo.endswith("(none)")

    again = told(house, f"staff-roles cleo auditor --pass-file {ann}")
    dropped = told(house, f"staff-drop {ID.findall(again)[0]} --pass-file {ann}")
    assert not ID.findall(dropped)
    told(house, f"staff-pass cleo --pass-file {ann}")
    ended = told(house, f"staff-pass-end cleo --pass-file {ann}")
    assert "(none)" in next(line for line in ended.splitlines() if line.startswith("cleo "))
    assert "cleo" not in told(house, f"staff-remove cleo --pass-file {ben}")
    assert "machine" in told(house, f"staff --pass-file {ben}")


def test_a_pass_in_the_environment_is_shown(
    house: House, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    token = hire(house, "dan", Role.CASHIER)
    monkeypatch.setenv(options.PASS_VARIABLE, token)
    assert told(house, "queue") == "nothing waits"
    with pytest.raises(RefusedError, match="staff_unknown"):
        told(house, "queue --as ann")
    elsewhere = [sys.executable, str(ROOT / "scripts/office"), "queue", "--address", house.url]
    done = subprocess.run(
        [*elsewhere, "--data", str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "nothing waits\n")


def test_a_deposit_is_entered_in_the_name_of_the_pass(
    house: House, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(options.PASS_VARIABLE, hire(house, "eve", Role.CASHIER))
    player = house.register()
    typed = f"deposit {player.id} 20 --channel bank --reference x --data {house.settings.data}"
    monkeypatch.setattr(sys, "argv", typed.split())
    with pytest.raises(SystemExit) as left:
        entry.deposit()
    assert (left.value.code, capsys.readouterr().err) == (0, "")
    assert player.balance() == 20


def test_switches_are_listed(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(options.PASS_VARIABLE, hire(house, "fay", Role.MANAGER))
    told(house, "switch plan-7 close")
    house.catch_up()
    assert [line.split()[:2] for line in told(house, "switches").splitlines()] == [
        ["scope", "is"],
        ["plan-7", "closed"],
    ]


@pytest.mark.parametrize(
    "typed",
    [
        "staff",
        "staff-roles ann",
        "staff-roles ann king",
        "staff-agree",
        "queue --pass-file /nowhere",
        "queue --as ann --address https://house.example",
        "queue --address http://house.example",
        "queue --address house.example",
    ],
)
def test_what_is_wrongly_typed_changes_nothing(typed: str) -> None:
    with pytest.raises(SystemExit) as left:
        options.read(typed.split())
    assert left.value.code == 2
