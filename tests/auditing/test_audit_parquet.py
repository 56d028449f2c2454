"""`scripts/audit export --parquet`: tables for analysis that agree with books and facts."""

import json
import os
import re
import signal
import subprocess
import sys
import textwrap
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.bets.facts import BetPlaced, BetRecalled, BetSettled, BetVoided
from engine.facts import TOPICS, RecordedFact, encode
from engine.ledger import postings
from engine.rounds.facts import RoundDrawn, RoundOpened
from engine.runtime.postgres.embedded_postgres import Conninfos
from scripts.audit_tool import export_files, export_parquet
from scripts.audit_tool.export import EXAMPLES
from tests.auditing.conftest import Audit
from tests.auditing.drawn_house import DrawnHouse
from tests.auditing.evening import BOT
from tests.auditing.played_log import copy_facts
from tests.projections.history import History

_F = TypeVar("_F")
Printed = pytest.CaptureFixture[str]
TIME = pa.timestamp("us", tz="UTC")
NAME = pa.dictionary(pa.int32(), pa.string())


@pytest.fixture
def played(stored: Conninfos) -> list[RecordedFact]:
    """The log of a house with every way in which a bet and a round can end, and open ones."""
    house = DrawnHouse()
    house.draws(2)
    house.bets(3)
    house.recalls()
    house.voids()
    house.bets(3)
    late = house.rules(released=False, after_us=1_800_000_000)
    house.states(late, released=False)
    house.next_day()
    house.bets(4)
    facts = list(house.sandbox.log)
    copy_facts(stored, facts)
    return facts


@pytest.fixture
def folder(played: list[RecordedFact], audit: Audit, tmp_path: Path) -> Path:
    """Where that log was exported."""
    assert played
    assert audit("export", "--parquet", tmp_path / "x") == 0
    return tmp_path / "x"


def _table(folder: Path, name: str) -> Any:
    return pq.read_table(folder / f"{name}.parquet")


def _of(facts: list[RecordedFact], kind: type[_F]) -> list[tuple[int, _F]]:
    """The facts of a kind, each with its position."""
    return [(it.position, it.fact) for it in facts if isinstance(it.fact, kind)]


def test_the_postings_sum_to_the_trial_balance_and_to_zero(
    folder: Path, audit: Audit, capsys: Printed
) -> None:
    capsys.readouterr()
    assert audit("trial-balance", "--json") == 0
    balance = {
        (line["book"] == "bots", line["account"].replace("players:", "player:")): line[
            "amount_minor"
        ]
        for line in json.loads(capsys.readouterr().out)["accounts"]
    }
    sums = _table(folder, "postings").group_by(["bot", "chart_account"])
    found = {
        (row["bot"], row["chart_account"]): row["amount_minor_sum"]
        for row in sums.aggregate([("amount_minor", "sum")]).to_pylist()
    }
    assert found == balance
    assert sum(found.values()) == 0
    assert any(found.values())


def test_every_posting_of_the_ledger_is_a_row(folder: Path, played: list[RecordedFact]) -> None:
    rows = _table(folder, "postings").to_pylist()
    assert [(row["position"], row["account"], row["amount_minor"]) for row in rows] == [
        (it.position, each.account, each.amount_minor) for it in played for each in postings(it)
    ]
    for row in rows:
        is_player = row["account"].startswith("player:")
        assert row["player"] == (int(row["account"].split(":")[1]) if is_player else None)


def test_every_fact_is_a_row_with_its_stored_text(folder: Path, played: list[RecordedFact]) -> None:
    rows = _table(folder, "facts").to_pylist()
    assert [
        (row["position"], row["stream"], row["topic"], row["fact"].encode()) for row in rows
    ] == [(it.position, it.stream, TOPICS[type(it.fact)], encode(it.fact)) for it in played]
    assert [_microseconds(row["recorded_at"]) for row in rows] == [it.at for it in played]


def _microseconds(at: Any) -> int:
    (scalar,) = pa.array([at], type=TIME).cast(pa.int64()).to_pylist()
    return int(scalar)


def test_every_bet_is_one_row_with_its_result(folder: Path, played: list[RecordedFact]) -> None:
    rows = {row["bet"]: row for row in _table(folder, "bets").to_pylist()}
    placed = _of(played, BetPlaced)
    assert len(rows) == _table(folder, "bets").num_rows == len(placed)
    for _, fact in placed:
        row = rows[fact.bet]
        assert (row["stake_minor"], row["bonus_minor"]) == (fact.stake_minor, fact.bonus_minor)
        assert (row["odds_milli"], row["kind"], row["plan"]) == (
            fact.odds_milli, fact.kind, fact.plan,
        )  # fmt: skip
        assert row["bot"] == (row["player"] == BOT)
    ended: dict[str, type[BetSettled | BetRecalled | BetVoided]] = {
        "settled": BetSettled,
        "recalled": BetRecalled,
        "voided": BetVoided,
    }
    states = Counter(row["state"] for row in rows.values())
    for state, kind in ended.items():
        assert states[state] == len(_of(played, kind)) > 0
    assert states["open"] == len(placed) - sum(states[state] for state in ended) > 0
    for position, settled in _of(played, BetSettled):
        row = rows[settled.bet]
        assert (row["total"], row["payout_minor"]) == (settled.total, settled.payout_minor)
        assert row["ended_position"] == position
    assert {row["payout_minor"] for row in rows.values() if row["state"] != "settled"} == {None}


def test_every_round_is_one_row_with_its_commitment_digits_and_end(
    folder: Path, played: list[RecordedFact]
) -> None:
    rows = {(row["game"], row["issue"]): row for row in _table(folder, "rounds").to_pylist()}
    assert len(rows) == _table(folder, "rounds").num_rows == len(_of(played, RoundOpened))
    assert {row["state"] for row in rows.values()} == {"open", "settled", "voided"}
    for _, fact in _of(played, RoundDrawn):
        row = rows[fact.game, fact.issue]
        assert (tuple(row["digits"]), row["total"]) == (fact.digits, fact.total)
        assert row["frozen"] == fact.frozen
        assert row["opens_at"] <= row["opened_at"] <= row["closed_at"] <= row["drawn_at"]
        assert row["drawn_at"] <= row["ended_at"]
    assert all(row["operator_commitment"] and row["witness_commitment"] for row in rows.values())
    voids = Counter(row["void_status"] for row in rows.values() if row["state"] == "voided")
    assert voids == {"attested": 1, "unattested": 1}
    (late,) = (row for row in rows.values() if row["void_status"] == "unattested")
    assert late["witness_statement"] == "not_released"
    assert all(row["digits"] is None for row in rows.values() if row["state"] != "settled")


def test_the_columns_have_types_that_need_no_conversion(folder: Path) -> None:
    types: dict[str, Any] = {}
    for name in ("facts", "postings", "bets", "rounds"):
        types |= {f"{name}.{field.name}": field.type for field in pq.read_schema(
            folder / f"{name}.parquet")}  # fmt: skip
    for name, kind in types.items():
        column = name.split(".")[1]
        if column.endswith("_at"):
            assert kind == TIME, name
        if column.endswith("_minor") or column in {"position", "player", "version"}:
            assert kind == pa.int64(), name
        if column in {"topic", "kind", "state", "odds_table", "chart_account", "void_status"}:
            assert kind == NAME, name
    assert types["bets.odds_milli"] == pa.int32()
    assert types["bets.bet"] == types["postings.account"] == pa.string()
    assert types["rounds.digits"] == pa.list_(pa.int8())
    assert types["postings.bot"] == pa.bool_()


def test_the_manifest_names_every_file_with_its_rows_and_hash(
    folder: Path, played: list[RecordedFact]
) -> None:
    whole = json.loads((folder / "manifest.json").read_text())
    assert whole["last_position"] == whole["parts"]["facts"]["rows"] == len(played)
    assert "the vault" in whole["left_out"][0]
    for name, part in whole["parts"].items():
        content = (folder / part["file"]).read_bytes()
        assert part["sha256"] == sha256(content).hexdigest()
        assert part["rows"] == _table(folder, name).num_rows
        assert list(part["columns"]) == _table(folder, name).column_names
    assert sorted(path.name for path in folder.iterdir()) == [
        "bets.parquet", "facts.parquet", "manifest.json", "postings.parquet", "rounds.parquet",
    ]  # fmt: skip


def test_duckdb_reads_the_files(folder: Path, played: list[RecordedFact]) -> None:
    bets = duckdb.read_parquet(str(folder / "bets.parquet"))
    query = "SELECT sum(payout_minor), typeof(any_value(placed_at)) FROM bets"
    found = duckdb.sql(query + " WHERE state = 'settled'")
    assert bets is not None
    assert found is not None
    paid = sum(fact.payout_minor for _, fact in _of(played, BetSettled))
    assert found.fetchall() == [(paid, "TIMESTAMP WITH TIME ZONE")]


_PAGE = (Path(__file__).parents[2] / "scripts" / "README.md").read_text()
_EXAMPLES = {
    "the page": re.findall(r"^import duckdb\n(?:[^`].*\n)+", _PAGE, re.MULTILINE),
    "the help": [
        textwrap.dedent(text) for text in re.findall(r" +import duckdb\n(?s:.+)", EXAMPLES)
    ],
}


@pytest.mark.parametrize("where", _EXAMPLES)
def test_the_example_prints_the_takings_of_each_day(
    folder: Path, played: list[RecordedFact], capsys: Printed, where: str
) -> None:
    (example,) = _EXAMPLES[where]
    capsys.readouterr()
    exec(re.sub(r'"tables[\w-]*/', f'"{folder}/', example), {})
    bots = f"player-{BOT}"
    takings = sum(
        each.amount_minor
        for it in played
        if it.stream != bots
        for each in postings(it)
        if each.account == "house:takings"
    )
    printed = re.findall(r"(\d{4}-\d\d-\d\d) *│ *(-?\d+\.\d+)", capsys.readouterr().out)
    assert sum(float(amount) for _, amount in printed) == pytest.approx(takings / 100)
    assert printed


def test_an_export_has_several_row_groups_and_the_same_rows(
    folder: Path, audit: Audit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export_parquet, "_ROW_GROUP", 4)
    assert audit("export", "--parquet", tmp_path / "small") == 0
    for name in ("facts", "postings", "bets", "rounds"):
        assert pq.ParquetFile(tmp_path / "small" / f"{name}.parquet").num_row_groups > 1
        small = _table(tmp_path / "small", name)
        assert small.to_pylist() == _table(folder, name).to_pylist()


def test_an_empty_log_is_exported_as_empty_tables(audit: Audit, tmp_path: Path) -> None:
    assert audit("export", "--parquet", tmp_path / "x") == 0
    assert _table(tmp_path / "x", "rounds").num_rows == 0


_KILLED = """
import os, signal, sys
from scripts.audit_tool import {module} as module
module.{place} = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
from scripts.audit_tool.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    ("module", "place", "whole"),
    [
        ("analysis_tables", "RowMaker.rest", []),
        ("export_files", "write_manifest", ["bets", "facts", "postings", "rounds"]),
    ],
)
def test_a_killed_export_is_not_taken_for_a_whole_one(
    played: list[RecordedFact], stored: Conninfos, audit: Audit, capsys: Printed, tmp_path: Path,
    module: str, place: str, whole: list[str],
) -> None:  # fmt: skip
    program = _KILLED.format(module=module, place=place)
    done = subprocess.run(
        [sys.executable, "-c", program, "export", "--parquet", str(tmp_path / "x")],
        env=os.environ | {"DATABASE_URL": stored.owner},
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    found = sorted(path.stem for path in (tmp_path / "x").glob("*.parquet"))
    assert found == whole
    for name in whole:  # a file with its name is complete, even if the export is not
        _table(tmp_path / "x", name)
    assert len(list((tmp_path / "x").iterdir())) == 4
    assert not (tmp_path / "x" / "manifest.json").exists()
    assert audit("export", "--parquet", tmp_path / "x") == 2
    assert "no complete export" in capsys.readouterr().err
    assert played


@pytest.mark.usefixtures("played")
def test_a_full_disk_leaves_no_files(
    audit: Audit, capsys: Printed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(export_files, "write_manifest", full)
    assert audit("export", "--parquet", tmp_path / "x") == 2
    assert "cannot be written: [Errno 28] No space left" in capsys.readouterr().err
    assert list((tmp_path / "x").iterdir()) == []


def test_a_bet_that_ends_twice_is_a_finding(
    history: History, audit: Audit, capsys: Printed, tmp_path: Path
) -> None:
    history.joins(10_001)
    history.append(("player-10001", BetRecalled("bet-1", 1, "20261121001", 1_000, 0)))
    assert audit("export", "--parquet", tmp_path / "x") == 1
    assert "position 2: the bet bet-1 is not open" in capsys.readouterr().err
    assert list((tmp_path / "x").iterdir()) == []


def test_without_pyarrow_one_sentence_says_what_to_install(
    audit: Audit, capsys: Printed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.delitem(sys.modules, "scripts.audit_tool.export_parquet")
    assert audit("export", "--parquet", tmp_path / "x") == 2
    assert capsys.readouterr().err == (
        "scripts/audit: --parquet needs pyarrow: pip install pyarrow\n"
    )
    assert not (tmp_path / "x").exists()


def test_no_other_command_imports_pyarrow() -> None:
    program = (
        "import sys; from scripts.audit_tool.__main__ import _parser; _parser('export'); _parser();"
        " sys.exit('pyarrow' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
