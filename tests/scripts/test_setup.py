import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from scripts.devtools import console, setup
from scripts.devtools.console import SetupError
from scripts.devtools.setup import Stamp, hash_of, source_files


@dataclass
class _Making:
    """A step that makes one file from another, and counts its runs."""

    source: Path
    result: Path
    done: list[str] = field(default_factory=list)
    breaks: bool = False

    def stamp(self) -> Stamp:
        return Stamp("making", hash_of([self.source]), self.result)

    def do(self) -> None:
        self.result.write_text("half")
        if self.breaks:
            raise SetupError("broken")
        self.done.append(self.source.read_text())

    def bring_up_to_date(self) -> None:
        setup._bring_up_to_date(setup._Step(self.stamp, self.do))


@pytest.fixture
def making(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> _Making:
    monkeypatch.setattr(setup, "CACHE", tmp_path / "cache")
    making = _Making(tmp_path / "source", tmp_path / "result")
    making.source.write_text("one")
    return making


def test_a_step_is_done_once(making: _Making) -> None:
    making.bring_up_to_date()
    making.bring_up_to_date()
    assert making.done == ["one"]


def test_a_step_is_done_again_when_its_source_changes(making: _Making) -> None:
    making.bring_up_to_date()
    making.source.write_text("two")
    making.bring_up_to_date()
    assert making.done == ["one", "two"]


def test_a_step_is_done_again_when_its_result_is_gone(making: _Making) -> None:
    making.bring_up_to_date()
    making.result.unlink()
    making.bring_up_to_date()
    assert making.done == ["one", "one"]


def test_an_interrupted_step_counts_as_not_done(making: _Making) -> None:
    making.bring_up_to_date()
    making.result.unlink()
    making.breaks = True
    with pytest.raises(SetupError):
        making.bring_up_to_date()
    making.breaks = False
    making.bring_up_to_date()
    assert making.done == ["one", "one"]


def test_what_is_made_is_no_source(tmp_path: Path) -> None:
    for name in ("src/a.ts", "node_modules/b.js", "index.html"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    found = source_files(tmp_path, frozenset({"node_modules"}))
    assert [path.name for path in found] == ["index.html", "a.ts"]


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(console, "ROOT", tmp_path)
    return tmp_path / "logs" / "step.log"


def test_a_failed_step_shows_the_end_of_its_log(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [sys.executable, "-c", "print('no wheel found'); raise SystemExit(1)"]
    with pytest.raises(SetupError, match=r"installing failed.*logs/step\.log"):
        console.run_step("installing", command, log, log.parents[1])
    assert "no wheel found" in capsys.readouterr().out


def test_a_command_ends_at_its_limit(log: Path) -> None:
    command = [sys.executable, "-c", "import signal; signal.pause()"]
    status, _ = console.run_logged("waiting", command, log, folder=log.parents[1], limit_seconds=0)
    assert status != 0


def test_a_borrowed_environment_is_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lenders, borrowed = tmp_path / "lender", tmp_path / "checkout" / ".venv"
    lenders.mkdir()
    (lenders / "kept").write_text("theirs")
    borrowed.parent.mkdir()
    borrowed.symlink_to(lenders)
    for name, folder in (("CACHE", tmp_path), ("_LOGS", tmp_path), ("VENV", borrowed)):
        monkeypatch.setattr(setup, name, folder)
    monkeypatch.setattr(setup, "run_step", lambda _what, _command, _log: borrowed.mkdir())
    setup._make_venv()
    assert [path.name for path in lenders.iterdir()] == ["kept"]
    assert not borrowed.is_symlink()


def test_borrowed_node_packages_are_left_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lenders, folder = tmp_path / "lender", tmp_path / "webapp"
    lenders.mkdir()
    (lenders / "kept").write_text("theirs")
    folder.mkdir()
    borrowed = folder / "node_modules"
    borrowed.symlink_to(lenders)

    def install(_what: str, _command: object, _log: Path, place: Path) -> None:
        (place / "node_modules" / "kept").unlink(missing_ok=True)

    monkeypatch.setattr(setup, "run_step", install)
    setup._install_node_packages("node-packages", folder, "Node packages")
    assert [path.name for path in lenders.iterdir()] == ["kept"]
    assert not borrowed.is_symlink()
