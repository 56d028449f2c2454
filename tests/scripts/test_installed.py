"""What `pip install .` installs: every command runs from a copy of exactly these files."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from scripts.devtools import paths, setup, start
from scripts.devtools.paths import ROOT
from tests.architecture.imports import imported_names
from tests.architecture.sources import files, is_within, python

_PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
_COMMANDS: dict[str, str] = _PROJECT["project"]["scripts"]
_WHEEL: dict[str, list[str]] = _PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
_APP = "webapp/dist"
_FOLDERS = tuple(folder for folder in _WHEEL["only-include"] if folder != _APP)
_RUN = """
import importlib, sys
module, function = sys.argv[1].split(":")
sys.argv = sys.argv[2:]
getattr(importlib.import_module(module), function)()
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of the wheel, as in site-packages; the web app was not built."""
    folder = tmp_path_factory.mktemp("site-packages")
    for name in files():
        if name.startswith(tuple(f"{each}/" for each in _FOLDERS)):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    return folder


def run(
    installed: Path, folder: Path, command: str, *arguments: str
) -> subprocess.CompletedProcess[str]:
    """Runs a command as its entry point does, in a folder."""
    return subprocess.run(
        [sys.executable, "-P", "-c", _RUN, _COMMANDS[command], command, *arguments],
        cwd=folder,
        env={"PYTHONPATH": str(installed), "PYTHONDONTWRITEBYTECODE": "1", "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("command", _COMMANDS)
def test_every_command_starts_from_the_installed_files_and_makes_none(
    command: str, installed: Path, tmp_path: Path
) -> None:
    process = run(installed, tmp_path, command, "--help")
    assert process.returncode == 0, process.stderr
    assert process.stdout.startswith(("usage: fairdraw-", "usage: scripts/projections"))
    assert {path.name for path in installed.iterdir()} == {each.split("/")[0] for each in _FOLDERS}
    assert not list(tmp_path.iterdir())


def test_a_command_finds_its_data_in_the_folder_in_which_it_is_run(
    installed: Path, tmp_path: Path
) -> None:
    office = run(installed, tmp_path, "fairdraw-office", "queue", "--as", "ann")
    assert office.stderr == (
        "no server has been started on .data: start it with fairdraw-run,"
        " or name another folder with --data\n"
    )
    audit = run(installed, tmp_path, "fairdraw-audit", "check")
    assert audit.stderr.startswith("fairdraw-audit: there is no database in .data")


def test_a_module_of_the_caller_s_folder_hides_none_of_the_installed_ones(
    installed: Path, tmp_path: Path
) -> None:
    for package in ("engine", "scripts", "projections"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text("raise SystemExit('the wrong package')")
    for command in ("fairdraw-audit", "fairdraw-projections", "fairdraw-desk"):
        process = run(installed, tmp_path, command, "--help")
        assert process.returncode == 0, process.stderr


def test_the_engine_decides_from_the_installed_files(installed: Path, tmp_path: Path) -> None:
    front_page = (ROOT / "README.md").read_text()
    (block,) = re.findall(r"^```python\n(.*?)^```", front_page, re.DOTALL | re.MULTILINE)
    code = f"{block}\nimport engine\nprint(engine.__file__)"
    process = subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(installed), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.stdout == f"{installed / 'engine' / '__init__.py'}\n", process.stderr


def test_the_commands_are_those_of_everyone_but_developers() -> None:
    table = (ROOT / "scripts" / "README.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| ([\w, ]+) \| .+ \|$", table, re.MULTILINE)
    named = {f"fairdraw-{name}" for name, audience in rows if audience != "developers"}
    assert named == set(_COMMANDS)


def test_installed_scripts_import_only_installed_ones() -> None:
    packages = tuple(folder.replace("/", ".") for folder in _FOLDERS)
    missing = [
        (source.path, name)
        for source in python(*packages)
        for _, name in imported_names(source)
        if name.split(".")[0] in {"scripts", "tests"}
        if not any(is_within(name, package) for package in packages)
    ]
    assert missing == []


def test_every_file_of_the_product_is_installed_and_the_web_app_if_it_was_built() -> None:
    assert {"engine", "projections", "api"} <= set(_FOLDERS)
    assert set(_WHEEL) == {"only-include", "artifacts"}  # nothing is excluded
    assert _APP in _WHEEL["only-include"]
    assert _WHEEL["artifacts"] == [f"/{_APP}"]
    assert f"/{_APP}/" in (ROOT / ".gitignore").read_text().splitlines()


def test_a_copy_without_the_web_app_says_so_and_a_checkout_builds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start, "WEBAPP", tmp_path)
    assert not start._has_no_app()
    monkeypatch.setattr(start, "INSTALLED", True)
    assert start._has_no_app()
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist" / "index.html").touch()
    assert not start._has_no_app()


def test_an_installed_copy_sets_nothing_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise AssertionError("a step was taken")

    monkeypatch.setattr(setup, "INSTALLED", True)
    monkeypatch.setattr(setup, "_alone", fail)
    setup.prepare_to_run()
    setup.prepare_python()


def test_only_the_names_of_commands_change_in_a_text(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "scripts/office queue, see scripts/reference_desk/protocol.py and scripts/running"
    assert paths.as_typed(text) == text
    monkeypatch.setattr(paths, "INSTALLED", True)
    assert paths.as_typed(text) == text.replace("scripts/office", "fairdraw-office")
