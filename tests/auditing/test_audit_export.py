import csv
import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.runtime.log.fact_log import ACCEPTED_WITHOUT_FACT, REFUSED, Batch, FactLog
from engine.runtime.postgres.embedded_postgres import Conninfos
from scripts.audit_tool import export_files
from scripts.audit_tool.database import snapshot
from scripts.audit_tool.export import export
from scripts.audit_tool.tables import FACTS, OUTCOMES, TABLES, ColumnType, Row, Table
from tests.auditing.conftest import Audit
from tests.auditing.evening import PLAYERS, evening
from tests.projections.history import History

Printed = pytest.CaptureFixture[str]
NewHouse = Callable[[], Conninfos]


def _append_outcomes(log: FactLog, at: int, batch: str = "") -> None:
    """Appends a batch of outcomes without facts, with unusual client keys, under epoch 0."""
    keys = ["=HYPERLINK(1)", "'quoted", 'a,"b"\r\nc', "\rd", "鍵", "-1"]
    log.append(
        Batch(
            id=b"\xff\x00=1" + batch.encode(),
            epoch=0,
            at=at,
            outcome_actors=[f"{batch}player-10001"] * len(keys),
            outcome_keys=keys,
            outcome_commands=[b'{"type":"x"}', b"\xfe", b"base64:AAAA", b"", b"=1", b"\n"],
            outcome_answers=[b"{}"] * len(keys),
            outcome_kinds=[ACCEPTED_WITHOUT_FACT, REFUSED] * 3,
        )
    )


@pytest.fixture
def full_history(history: History, log: FactLog) -> History:
    """An evening with its stored outcomes."""
    evening(history, 40)
    _append_outcomes(log, history.at)
    return history


def _contents(house: Conninfos) -> list[list[tuple[Any, ...]]]:
    with psycopg.connect(house.owner) as connection:
        return [list(table.rows(connection)) for table in TABLES]


def _hashes(folder: Path) -> dict[str, str]:
    return {name: part.sha256 for name, part in export_files.read_manifest(folder).parts.items()}


@pytest.mark.parametrize("ending", export_files.FORMATS)
def test_a_house_survives_export_and_import_to_the_last_byte(
    full_history: History, stored: Conninfos, new_house: NewHouse, audit: Audit,
    capsys: Printed, tmp_path: Path, ending: str,
) -> None:  # fmt: skip
    copy, first, again = new_house(), tmp_path / "first", tmp_path / "again"
    assert audit("export", first, "--format", ending) == 0
    assert audit("import", first, of=copy) == 0
    assert _contents(copy) == _contents(stored)
    assert audit("export", again, "--format", "csv", of=copy) == 0
    assert _hashes(again) == _hashes(first)
    assert export_files.read_manifest(again).last_position == full_history.position
    capsys.readouterr()
    audit("trial-balance")
    audit("trial-balance", of=copy)
    one, other = capsys.readouterr().out.split("Trial balance")[1:]
    assert one == other


def test_import_prints_the_hashes_and_the_trial_balance_of_export_and_house(
    full_history: History, new_house: NewHouse, audit: Audit, capsys: Printed, tmp_path: Path
) -> None:
    audit("trial-balance")
    balance = capsys.readouterr().out.strip()
    audit("export", tmp_path / "x")
    capsys.readouterr()
    audit("import", tmp_path / "x", of=new_house())
    printed = capsys.readouterr().out
    assert balance in printed
    assert f"as of position {full_history.position}" in balance
    assert all(value in printed for value in _hashes(tmp_path / "x").values())


def test_the_facts_hash_can_be_computed_independently(
    full_history: History, audit: Audit, tmp_path: Path
) -> None:
    audit("export", tmp_path / "x", "--format", "jsonl")
    digest = sha256()
    for line in (tmp_path / "x" / "facts.jsonl").read_text().splitlines():
        fact = json.loads(line)
        for name in ("position", "stream", "version", "topic", "at", "command_id", "actor"):
            value = fact[name]
            if isinstance(value, int):
                digest.update(value.to_bytes(8, "big"))
            else:
                digest.update(len(value.encode()).to_bytes(2, "big") + value.encode())
        state = fact["state"].encode()
        digest.update(len(state).to_bytes(4, "big") + state)
    whole = json.loads((tmp_path / "x" / "manifest.json").read_text())
    assert whole["parts"]["facts"]["sha256"] == digest.hexdigest()
    assert whole["parts"]["facts"]["rows"] == whole["last_position"] == full_history.position


@pytest.mark.usefixtures("full_history")
def test_no_cell_is_a_formula(audit: Audit, tmp_path: Path) -> None:
    audit("export", tmp_path / "x")
    for path in (tmp_path / "x").glob("*.csv"):
        with path.open(newline="") as file:
            found = [cell for row in csv.reader(file) for cell in row if cell]
        assert found
        assert not [cell for cell in found if cell[0] in "=+-@\t\r"]


@pytest.mark.usefixtures("full_history")
def test_personal_data_is_not_exported_and_that_is_printed(
    stored: Conninfos, audit: Audit, capsys: Printed, tmp_path: Path
) -> None:
    with psycopg.connect(stored.owner) as connection:
        connection.execute(
            "INSERT INTO vault.members (player, username, nickname, member_group, password_hash,"
            " commitment_key) VALUES (%s, 'Zanzibar', 'Zanzibar', 1, '', '')",
            (PLAYERS[0],),
        )
    audit("export", tmp_path / "x")
    printed = capsys.readouterr().out
    assert "NOT exported: the vault (personal data, keys, secrets of" in printed
    assert "log.lease" in printed
    for path in (tmp_path / "x").iterdir():
        assert b"zanzibar" not in path.read_bytes().lower()


@pytest.mark.usefixtures("full_history")
def test_a_folder_with_files_is_left_alone(audit: Audit, capsys: Printed, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    assert audit("export", tmp_path) == 2
    assert "is not empty" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.usefixtures("full_history")
def test_an_unfinished_export_leaves_no_files(
    audit: Audit, capsys: Printed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(export_files, "write_manifest", full)
    assert audit("export", tmp_path / "x") == 2
    assert "cannot be written: [Errno 28] No space left" in capsys.readouterr().err
    assert list((tmp_path / "x").iterdir()) == []


def test_an_export_of_a_running_house_is_a_consistent_snapshot(
    full_history: History, log: FactLog, stored: Conninfos, tmp_path: Path
) -> None:
    with snapshot(stored.app) as connection:
        before = full_history.position
        full_history.deposits(PLAYERS[0], 100)
        _append_outcomes(log, full_history.at, "later-")
        whole = export(connection, tmp_path, "jsonl")
    assert whole.last_position == whole.parts["facts"].rows == before
    assert (whole.parts["outcomes"].rows, whole.parts["batches"].rows) == (6, 1)


def _rows(table: Table) -> st.SearchStrategy[list[Row]]:
    text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=9)
    values: dict[ColumnType, st.SearchStrategy[Any]] = {
        ColumnType.NUMBER: st.integers(0, 2**63 - 1),
        ColumnType.TEXT: text | st.sampled_from(["=1", "'", "\r", "\r\n", '"', ","]),
        ColumnType.BYTES: st.binary(max_size=9) | text.map(str.encode),
        ColumnType.FLAG: st.booleans(),
    }
    return st.lists(st.tuples(*(values[kind] for kind in table.columns.values())), max_size=5)


@given(_rows(FACTS), _rows(OUTCOMES), st.sampled_from(export_files.FORMATS))
def test_any_row_reads_back_as_it_was(facts: list[Row], outcomes: list[Row], ending: str) -> None:
    for table, rows in ((FACTS, facts), (OUTCOMES, outcomes)):
        with TemporaryDirectory() as folder:
            path = Path(folder, f"rows.{ending}")
            export_files.write_rows(table, rows, path)
            assert list(export_files.read_rows(table, path)) == rows
