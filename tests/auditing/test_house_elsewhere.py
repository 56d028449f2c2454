"""A house whose PostgreSQL cluster is outside a data folder that only its owner may enter."""

import json
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict

from engine.runtime.log import schema
from engine.runtime.postgres.embedded_postgres import EmbeddedPostgres
from projections.__main__ import main as projections
from scripts.audit_tool.__main__ import main as audit
from scripts.audit_tool.database import find_database, open_snapshot

Printed = pytest.CaptureFixture[str]


@pytest.fixture
def house(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of a house that was never started, with its cluster in the next folder."""
    monkeypatch.delenv("DATABASE_URL", raising=False)
    with EmbeddedPostgres(data_dir):
        pass
    elsewhere = data_dir.with_name(f"{data_dir.name}-elsewhere")
    record = data_dir / "postgres.json"
    fields = json.loads(record.read_bytes())
    if fields["home"] is None:
        (data_dir / "postgres").rename(elsewhere)
        record.write_text(json.dumps(fields | {"home": str(elsewhere)}))
    return data_dir


def test_the_audit_finds_it_by_its_record(house: Path, capsys: Printed) -> None:
    assert audit(["trial-balance", "--data", str(house)]) == 2
    assert "no server has been started on this database" in capsys.readouterr().err


def test_the_audit_reads_it_with_the_auditors_role_once_that_may_read(house: Path) -> None:
    with find_database(house) as before:
        assert conninfo_to_dict(before)["user"] == "fairdraw_app"
    with EmbeddedPostgres(house) as server:
        schema.create(server.conninfos().owner)
    with find_database(house) as after, open_snapshot(house) as connection:
        assert conninfo_to_dict(after)["user"] == "fairdraw_auditor"
        assert connection.info.user == "fairdraw_auditor"
    with open_snapshot(house, vault=True) as connection:
        assert connection.info.user == "fairdraw_app"


def test_the_rebuild_finds_it_by_its_record(house: Path, capsys: Printed) -> None:
    assert projections(["--data", str(house), "status"]) == 1
    assert "there is no database in" not in capsys.readouterr().err


def test_a_record_without_its_cluster_is_no_house(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    data_dir.mkdir()
    gone = data_dir / "gone"
    fields = {"home": str(gone), "port": 1, "passwords": {}}
    (data_dir / "postgres.json").write_text(json.dumps(fields))
    assert audit(["trial-balance", "--data", str(data_dir)]) == 2
    assert projections(["--data", str(data_dir), "status"]) == 2
    assert capsys.readouterr().err.count("there is no database in") == 2
    assert not gone.exists()
