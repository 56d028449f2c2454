"""What a reconciliation refuses, prints and records."""

import csv
import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import psycopg
import pytest

from engine.facts import TYPES, RecordedFact
from engine.ledger import Posting
from engine.runtime.postgres.embedded_postgres import Conninfos
from scripts.audit_tool import AuditError
from scripts.audit_tool.reconciling import movements
from scripts.audit_tool.reconciling.report import escape_formula, save_record
from scripts.audit_tool.reconciling.result import Findings
from tests.scripts.statement_files import HEADER, row, run_reconcile, written

Reconcile = Callable[..., int]


@pytest.mark.parametrize(
    ("rows", "options", "reason"),
    [
        ("", (), "is empty"),
        (HEADER, (), "has a header and no line: there is nothing to reconcile"),
        ([row("1"), row("2", currency="EUR")], (), "several currencies (EUR, SGD)"),
        ([row("1"), row("0,5")], (), "line 3: it has 6 columns"),
        ([row("1")], ("--from", "2026-12-01", "--to", "2026-12-31"), "no line of"),
        ([row("1")], ("--from", "2026-12-31", "--to", "2026-12-01"), "is after"),
        ([row("1")], ("--columns", "currency="), "needs --currency"),
    ],
)
def test_an_unusable_statement_is_refused(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    rows: str | list[str],
    options: tuple[str, ...],
    reason: str,
) -> None:
    """The statement is checked before a database is needed."""
    assert run_reconcile(written(tmp_path, rows), *options) == 2
    printed = capsys.readouterr()
    assert reason in printed.err
    assert printed.out == ""


def test_a_record_is_written_once_and_contains_no_text_of_the_vault(
    takes: Callable[..., None],
    reconcile: Reconcile,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    takes(("d-1", 10_000, "one"), ("d-2", 20_000, "secret words"))
    record = tmp_path / "november.json"
    assert reconcile([row("100", "one")], "--record", str(record)) == 1
    assert "secret words" in capsys.readouterr().out
    written_record = record.read_bytes()
    assert json.loads(written_record)["findings"]["unmatched_movements"][0]["number"] == "d-2"
    assert json.loads(written_record)["reconciled"] is False
    assert b"secret" not in written_record
    assert record.stat().st_mode & 0o077 == 0
    assert reconcile([row("100", "one")], "--record", str(record)) == 2
    printed = capsys.readouterr()
    assert "never overwritten" in printed.err
    assert printed.out == ""  # refused before any work
    assert record.read_bytes() == written_record


def test_a_text_without_a_commitment_in_the_fact_matches_nothing(
    takes: Callable[..., None],
    reconcile: Reconcile,
    stored: Conninfos,
    capsys: pytest.CaptureFixture[str],
) -> None:
    takes(("d-1", 10_000, "one"), ("d-2", 10_000, "two"))
    with psycopg.connect(stored.owner) as connection:
        connection.execute("UPDATE vault.words SET words = 'forged'")
    assert reconcile([row("100", "forged")]) == 1
    printed = capsys.readouterr().out
    assert "the vault's text of 2 movements does not match the commitment in the facts" in printed
    assert "1 ambiguous" in printed


def test_a_house_without_a_readable_vault_is_reported(
    reconcile: Reconcile, stored: Conninfos, capsys: pytest.CaptureFixture[str]
) -> None:
    with psycopg.connect(stored.owner) as connection:
        connection.execute("REVOKE SELECT ON vault.words FROM fairdraw_app")
    assert reconcile([row("100", "one")]) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_after_an_erasure_a_deposit_is_matched_by_its_number(
    takes: Callable[..., None],
    reconcile: Reconcile,
    stored: Conninfos,
    capsys: pytest.CaptureFixture[str],
) -> None:
    takes(("d-1", 10_000, "one"), ("d-2", 10_000, "two"))
    with psycopg.connect(stored.owner) as connection:
        connection.execute("DELETE FROM vault.words")
    assert reconcile([row("100", "d-1"), row("100", "d-2")]) == 0
    assert "the vault has no reference for 2 movements" in capsys.readouterr().out


def test_money_that_leaves_is_below_zero_and_each_channel_is_a_movement(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    legs = {"player:1:withdrawing": -700, "world:bank": 500, "world:usdt": 200, "house:takings": 0}
    posted = tuple(Posting(account, amount) for account, amount in legs.items())
    monkeypatch.setattr(movements, "postings", lambda _: posted)
    fact = TYPES["deposit-approved.1"]("d-1", "bank", 1, "")
    moved = movements.movements_of(RecordedFact(9, "player-1", 1, 0, "", "", fact))
    assert [(it.channel, it.amount_minor, it.number) for it in moved] == [
        ("bank", -500, "d-1"),
        ("usdt", -200, "d-1"),
    ]


def test_a_spreadsheet_is_given_no_formula(
    takes: Callable[..., None], reconcile: Reconcile, capsys: pytest.CaptureFixture[str]
) -> None:
    takes(("d-1", 10_000, "one"))
    rows = [row("100", "one"), row("-5", "=HYPERLINK(1)")]
    assert reconcile(rows, "--csv") == 1
    table = list(csv.DictReader(StringIO(capsys.readouterr().out)))
    assert [(it["finding"], it["side"], it["in"], it["out"]) for it in table] == [
        ("matched", "statement", "100.00", ""),
        ("matched", "ours", "100.00", ""),
        ("unmatched", "statement", "", "5.00"),
    ]
    assert not [cell for it in table for cell in it.values() if cell.startswith(tuple("=+-@"))]
    assert table[2]["reference"] == "'=HYPERLINK(1)"
    assert [escape_formula(text) for text in ("+1", "@a", "  -2", "\tx", "a=b")] == [
        *("'+1", "'@a", "'  -2", "'\tx", "a=b"),
    ]


def test_a_statement_cannot_steer_the_terminal(
    takes: Callable[..., None], reconcile: Reconcile, capsys: pytest.CaptureFixture[str]
) -> None:
    takes(("d-1", 10_000, "one"))
    assert reconcile([row("5", "\x1b[2Jgone")]) == 1
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert "[2Jgone" in printed


def test_empty_findings_do_not_reconcile() -> None:
    assert not Findings((), (), (), (), (), (), (), (), ()).reconciled


def test_a_record_that_appeared_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    record = tmp_path / "november.json"
    record.write_text("another record")
    with pytest.raises(AuditError, match="exists by now"):
        save_record(record, b"{}")
    assert record.read_text() == "another record"
