import csv
import json
import shutil
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import psycopg
import pytest

from engine.answers import Refused
from engine.bets.commands import PlaceBet
from engine.facts import player_stream
from engine.players.commands import RegisterPlayer
from engine.players.facts import PlayerRegistered
from engine.runtime.log.fact_log import FactLog
from engine.runtime.postgres.embedded_postgres import Conninfos
from projections.__main__ import main as projections
from scripts.audit_tool import export_files
from scripts.audit_tool.export_files import RowHasher
from scripts.audit_tool.tables import FACTS, TABLES
from tests.auditing.conftest import Audit
from tests.auditing.drawn_house import drawn_evening
from tests.auditing.evening import PLAYERS, evening
from tests.projections.history import History, bet
from tests.runtime.house import PLAYER, Clock, EngineHarness, NoTicks, driven
from tests.runtime.test_log import deposits, with_outcome

Printed = pytest.CaptureFixture[str]
NewHouse = Callable[[], Conninfos]
Forgery = Callable[[list[dict[str, Any]]], None]


@pytest.fixture
def folder(history: History, audit: Audit, tmp_path: Path) -> Path:
    """An export of a small evening, as JSON lines."""
    history.replays(drawn_evening().sandbox.log)
    assert audit("export", tmp_path / "x", "--format", "jsonl") == 0
    return tmp_path / "x"


@pytest.fixture
def copy(new_house: NewHouse) -> Conninfos:
    """An empty database, which imports the export."""
    return new_house()


def _is_empty(house: Conninfos) -> bool:
    with psycopg.connect(house.owner) as connection:
        return all(table.count(connection) == 0 for table in TABLES)


def _forge(folder: Path, forgery: Forgery, *, hashes: bool) -> None:
    """Change the facts and adapt the manifest: the file's hash, or with `hashes` all its fields."""
    path = folder / "facts.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    forgery(rows)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    fields = json.loads((folder / export_files.MANIFEST).read_text())
    part = fields["parts"]["facts"]
    part["file_sha256"] = sha256(path.read_bytes()).hexdigest()
    if hashes:
        hashed = RowHasher(FACTS)
        for row in rows:
            hashed.add((*(row[name] for name in list(FACTS.columns)[:-1]), row["state"].encode()))
        part |= {"rows": len(rows), "sha256": hashed.hex()}
        fields |= {"last_position": rows[-1]["position"], "last_at": rows[-1]["at"]}
    (folder / export_files.MANIFEST).write_text(json.dumps(fields))


def _swap_amount(rows: list[dict[str, Any]]) -> None:
    row = next(row for row in rows if row["topic"] == "deposit-approved.1")
    row["state"] = row["state"].replace("100000", "900000")


def _leave_out(position: int, rows: list[dict[str, Any]]) -> None:
    del rows[position - 1 if position > 0 else position]


def _skip_version(rows: list[dict[str, Any]]) -> None:
    rows[-1]["version"] += 1


def _go_back_in_time(rows: list[dict[str, Any]]) -> None:
    rows[-1]["at"] = rows[0]["at"] - 1


def _unknown(rows: list[dict[str, Any]]) -> None:
    rows[-1]["topic"] = "gold-found.1"


def _negative(rows: list[dict[str, Any]]) -> None:
    rows[-1]["at"] = -1


def _remove_actor(rows: list[dict[str, Any]]) -> None:
    del rows[3]["actor"]


def _write_time_as_text(rows: list[dict[str, Any]]) -> None:
    rows[3]["at"] = "now"


FORGERIES: tuple[tuple[Forgery, bool, str], ...] = (
    (_swap_amount, False, "the hash of facts.jsonl is"),
    (partial(_leave_out, 5), True, "position 6 follows position 4"),
    (partial(_leave_out, 1), True, "position 2 follows position 0"),
    (partial(_leave_out, -1), False, "the number of rows of facts.jsonl is"),
    (_skip_version, True, " goes from version "),
    (_go_back_in_time, True, "was recorded before the one before it"),
    (_unknown, True, "has no readable gold-found.1"),
    (_negative, False, "is invalid: "),
    (_remove_actor, False, "row 4 of"),
    (_write_time_as_text, False, "row 4 of"),
)


def test_a_forged_export_is_refused_as_a_whole(
    folder: Path, copy: Conninfos, audit: Audit, capsys: Printed, tmp_path: Path
) -> None:
    for number, (forgery, hashes, message) in enumerate(FORGERIES):
        forged = shutil.copytree(folder, tmp_path / str(number))
        _forge(forged, forgery, hashes=hashes)
        assert audit("import", forged, of=copy) == 1
        assert message in capsys.readouterr().err
        assert _is_empty(copy)


def test_an_incomplete_export_is_refused(
    folder: Path, copy: Conninfos, audit: Audit, capsys: Printed
) -> None:
    path = folder / "outcomes.jsonl"
    path.write_text(path.read_text() + "\n")
    assert audit("import", folder, of=copy) == 1
    assert "outcomes.jsonl is not the file that was exported" in capsys.readouterr().err
    path.unlink()
    assert audit("import", folder, of=copy) == 2
    assert "cannot be read" in capsys.readouterr().err
    (folder / export_files.MANIFEST).unlink()
    assert audit("import", folder, of=copy) == 2
    assert "is not a complete export" in capsys.readouterr().err
    assert _is_empty(copy)


def test_a_cut_tail_is_detected_by_the_manifest(
    folder: Path, copy: Conninfos, audit: Audit, capsys: Printed
) -> None:
    last = export_files.read_manifest(folder).last_position
    _forge(folder, partial(_leave_out, last), hashes=True)
    fields = json.loads((folder / export_files.MANIFEST).read_text()) | {"last_position": last}
    (folder / export_files.MANIFEST).write_text(json.dumps(fields))
    assert audit("import", folder, of=copy) == 1
    wrong = f"the last position is {last - 1}, but the manifest has {last}"
    assert wrong in capsys.readouterr().err
    assert _is_empty(copy)


def test_a_history_is_never_overwritten(folder: Path, audit: Audit, capsys: Printed) -> None:
    assert audit("import", folder) == 2
    assert "this database has a history (log.facts is not empty)" in capsys.readouterr().err


def test_a_running_house_is_left_alone(
    folder: Path, copy: Conninfos, audit: Audit, capsys: Printed
) -> None:
    with psycopg.connect(copy.owner) as connection:
        connection.execute("UPDATE log.lease SET renewed_at = clock_timestamp()")
    assert audit("import", folder, of=copy) == 2
    assert "a server is running on this database" in capsys.readouterr().err
    assert _is_empty(copy)


def test_an_imported_log_is_as_append_only_as_any(
    folder: Path, copy: Conninfos, audit: Audit
) -> None:
    audit("import", folder, of=copy)
    with (
        psycopg.connect(copy.owner) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute("UPDATE log.facts SET at = 0")


def test_a_new_player_of_the_copy_gets_an_id_of_their_own(
    folder: Path, copy: Conninfos, audit: Audit
) -> None:
    audit("import", folder, of=copy)
    with psycopg.connect(copy.app) as connection:
        row = connection.execute("SELECT nextval('vault.player_ids')").fetchone()
    assert row == (10_005,)


def test_the_purge_of_a_copy_begins_at_the_oldest_acceptance(
    history: History, log: FactLog, copy: Conninfos, audit: Audit, tmp_path: Path
) -> None:
    evening(history, 1)
    for key, at in (("with", history.at + 1), ("without", history.at + 2)):
        batch = deposits(*(["player-99"] if key == "with" else []), at=at)
        batch.commands = [key] * len(batch.streams)
        log.append(with_outcome(batch, key))
    audit("export", tmp_path / "x")
    audit("import", tmp_path / "x", of=copy)
    with psycopg.connect(copy.owner) as connection:
        found = connection.execute("SELECT key FROM log.outcomes WHERE without_fact").fetchall()
        purged = connection.execute("SELECT position FROM log.purged").fetchall()
    assert (found, purged) == ([("without",)], [(history.position,)])


def test_an_imbalance_is_imported_as_it_is_and_reported(
    history: History, copy: Conninfos, audit: Audit, capsys: Printed, tmp_path: Path
) -> None:
    evening(history, 1)
    history.recalls(PLAYERS[0], bet(9))
    audit("export", tmp_path / "x")
    assert audit("import", tmp_path / "x", of=copy) == 1
    assert f"FINDING never-negative: first at position {history.position}" in (
        capsys.readouterr().err
    )
    assert not _is_empty(copy)


@driven
async def _house(house: EngineHarness, results: list[Any]) -> None:
    """A player joins and sends a command that is refused."""
    await house.lead()
    results.append(await house.submit("join", RegisterPlayer(PLAYER, 1, None, "c", gift_minor=500)))
    results.append(await house.submit("again", PlaceBet(PLAYER, 1, 1, "20261121001", "big", 100)))
    results.append(len(house.facts_of(PlayerRegistered)))
    results.append(house.engine._lease.epoch)
    await house.stop()


def test_a_command_repeated_to_the_copy_gets_its_first_answer_and_is_not_done_twice(
    stored: Conninfos, copy: Conninfos, audit: Audit, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr("engine.runtime.engine._schedule", lambda *_: NoTicks())
    first: list[Any] = []
    _house(EngineHarness(stored, tmp_path / "keys", Clock()), first)
    audit("export", tmp_path / "x")
    audit("import", tmp_path / "x", of=copy)
    again: list[Any] = []
    _house(EngineHarness(copy, tmp_path / "keys", Clock()), again)
    assert isinstance(first[1], Refused)
    assert again[:3] == first[:3]
    assert again[2] == 1
    assert again[3] > first[3]


def test_csv_edited_in_a_spreadsheet_is_noticed(
    history: History, copy: Conninfos, audit: Audit, capsys: Printed, tmp_path: Path
) -> None:
    history.joins(PLAYERS[0])
    audit("export", tmp_path / "x")
    path = tmp_path / "x" / "facts.csv"
    with path.open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[1][1] == player_stream(PLAYERS[0])
    path.write_text("\n".join(";".join(row) for row in rows))
    assert audit("import", tmp_path / "x", of=copy) == 1
    assert "is not the file that was exported" in capsys.readouterr().err


def test_a_check_of_a_copy_names_the_rebuild_instead_of_differences(
    folder: Path, copy: Conninfos, audit: Audit, capsys: Printed, tmp_path: Path
) -> None:
    assert audit("import", folder, "--data", tmp_path, of=copy) == 0
    rebuild = ["--data", str(tmp_path), "rebuild", "all"]
    command = f"scripts/projections {' '.join(rebuild)}"
    assert command in capsys.readouterr().out
    assert audit("check", "--data", tmp_path, of=copy) == 1
    *_, hint, verdict = capsys.readouterr().out.splitlines()
    assert hint == f"build them from the log, then check again: {command}"
    assert verdict == "NOT BUILT: accounts, standings, bets, draws, feed, contents"
    assert projections(rebuild) == 0
    capsys.readouterr()
    assert audit("check", "--data", tmp_path, of=copy) == 0
