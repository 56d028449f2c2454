"""A statement against a house whose deposits were taken by its engine, on a real database."""

import csv
import importlib
import itertools
import json
import os
from collections.abc import Callable, Coroutine, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import psycopg
import pytest

from engine.answers import Refused
from engine.dispatch import Command
from engine.facts import TYPES, Recorded
from engine.ledger import Posting
from engine.players import money_commands, standing_commands
from engine.players.money_commands import ApproveDeposit
from engine.runtime import schema
from engine.runtime.postgres import Conninfos, EmbeddedPostgres
from engine.runtime.vault import Vault
from scripts.auditing.reconciling import movements
from scripts.auditing.reconciling.result import Findings
from scripts.auditing.reconciling.table import harmless
from tests.runtime.house import PLAYER, Clock, House, NoTicks, driven
from tests.runtime.vaults import keeper_of

Deposit = tuple[str, int, str]
Reconcile = Callable[..., int]
HEADER = "date,reference,amount,currency,counterparty\n"
_numbers = itertools.count(1)
DAY = "2026-11-21"  # the house's clock stands at 10:00 of it


@pytest.fixture(scope="session")
def _template(postgres: EmbeddedPostgres) -> Iterator[str]:
    name = f"reconcile_template_{os.getpid()}"
    postgres.create_database(name)
    schema.create(postgres.conninfos(name).owner)
    yield name
    postgres.drop_database(name)


@pytest.fixture
def stored(postgres: EmbeddedPostgres, _template: str) -> Iterator[Conninfos]:
    name = f"reconciled_{os.getpid()}_{next(_numbers)}"
    postgres.create_database(name, _template)
    yield postgres.conninfos(name)
    postgres.drop_database(name)


@pytest.fixture
def vault(stored: Conninfos) -> Iterator[Vault]:
    with keeper_of(stored) as keeper:
        yield keeper.vault


@pytest.fixture
def takes(
    stored: Conninfos, vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., None]:
    """Has an engine approve deposits: of (number, minor units, reference), a day apart if told."""
    monkeypatch.setattr("engine.runtime.engine._schedule", lambda *_: NoTicks())

    async def taken(deposits: tuple[Deposit, ...], channel: str, days: int) -> None:
        async with House(stored, tmp_path, Clock()) as house:
            await house.join(units=7)  # a gift over world:demo
            house.clock.forward(days * 86_400)
            for number, amount, words in deposits:
                commitment = vault.keep_reference(number, words)
                command = ApproveDeposit(PLAYER, number, channel, amount, commitment)
                answer = await house.ask(number, command, actor="staff:mei")
                assert not isinstance(answer, Refused)

    def take(*deposits: Deposit, channel: str = "bank", days: int = 0) -> None:
        test: Callable[[], Coroutine[Any, Any, None]] = lambda: taken(deposits, channel, days)  # noqa: E731
        driven(test)()

    return take


@pytest.fixture
def reconcile(
    stored: Conninfos,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Reconcile:
    """Asks as finance would: the rows of a statement, then options."""
    monkeypatch.setenv("DATABASE_URL", stored.app)

    def ask(rows: str | list[str], *options: str) -> int:
        capsys.readouterr()  # what the engine told, and earlier answers
        return ask_about(written(tmp_path, rows), *options)

    return ask


def written(folder: Path, rows: str | list[str]) -> Path:
    path = folder / "statement.csv"
    path.write_text(HEADER + "\n".join(rows) if isinstance(rows, list) else rows)
    return path


def ask_about(path: Path, *options: str) -> int:
    main = importlib.import_module("scripts.auditing.__main__").main
    status: int = main(["reconcile", str(path), *options])
    return status


def row(amount: str, reference: str = "", day: str = DAY, currency: str = "SGD") -> str:
    return f"{day},{reference},{amount},{currency},Tan"


def facts(stored: Conninfos) -> list[Any]:
    with psycopg.connect(stored.owner) as connection:
        return connection.execute("SELECT * FROM log.facts ORDER BY notification_id").fetchall()


def test_a_statement_with_every_deposit_reconciles_and_changes_nothing(
    takes: Callable[..., None],
    reconcile: Reconcile,
    stored: Conninfos,
    capsys: pytest.CaptureFixture[str],
) -> None:
    takes(("d-1", 50_000, "Rent 11/2026"), ("d-2", 12_345, ""), ("d-3", 20_000, "x"))
    before = facts(stored)
    rows = [row("500.00", "RENT-11-2026"), row("123.45"), row("200", "d-3")]
    assert reconcile(rows) == 0
    told = capsys.readouterr().out
    assert "RECONCILED: every line and every movement" in told
    assert "Note: 1 movement over demo, +7.00 together: no part" in told
    assert facts(stored) == before


def test_what_differs_is_named_on_both_sides(
    takes: Callable[..., None], reconcile: Reconcile, capsys: pytest.CaptureFixture[str]
) -> None:
    takes(("d-1", 50_000, "alpha"), ("d-2", 12_300, "beta"), ("d-3", 700, "gamma"))
    rows = [row("500", "alpha"), row("123.01", "beta"), row("-9.50", "fee"), row("88", "delta")]
    assert reconcile(rows, "--json") == 1
    report = json.loads(capsys.readouterr().out)
    found, totals = report["findings"], report["totals"]
    assert totals["unmatched"] == {
        "lines": {"count": 2, "in_minor": 8_800, "out_minor": -950},
        "movements": {"count": 1, "in_minor": 700, "out_minor": 0},
    }
    assert totals["all"]["lines"] == {"count": 4, "in_minor": 71_101, "out_minor": -950}
    assert totals["all"]["movements"] == {"count": 3, "in_minor": 63_000, "out_minor": 0}
    assert [each["rule"] for each in found["matched"]] == ["reference"]
    assert [each["difference_minor"] for each in found["disputed"]] == [1]
    assert [each["number"] for each in found["unmatched_lines"]] == [4, 5]
    assert [each["number"] for each in found["unmatched_movements"]] == ["d-3"]


def test_a_payout_is_found_among_what_left_the_account(
    stored: Conninfos,
    vault: Vault,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    reconcile: Reconcile,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("engine.runtime.engine._schedule", lambda *_: NoTicks())
    sent = vault.keep_words("w-1", "SALARY 77")
    commands: tuple[Command, ...] = (
        standing_commands.CompleteBaseInfo(PLAYER),
        standing_commands.SetPayoutAccount(PLAYER, money_commands.BANK_CARD, "card-1", "c"),
        standing_commands.SetSecurityCode(PLAYER),
        standing_commands.ExcludeSelf(PLAYER, None),  # who leaves owes no turnover
        money_commands.RequestWithdrawal(PLAYER, "w-1", money_commands.BANK_CARD, 30_000),
        money_commands.DecideWithdrawal(PLAYER, "w-1", approve=True, by="mei"),
        money_commands.PayWithdrawal(PLAYER, "w-1", "mei", sent),
    )

    async def paid() -> None:
        async with House(stored, tmp_path, Clock()) as house:
            await house.join()
            for key, command in enumerate(commands):
                answer = await house.ask(f"{key}", command, actor="staff:mei")
                assert not isinstance(answer, Refused), answer
                house.clock.forward(13 * 3_600)  # a new card has to wait for a day

    driven(paid)()
    day = "2026-11-24"
    assert reconcile([row("300", "salary 77", day)]) == 1  # it came in, and we have it going out
    assert reconcile([row("-300", "salary 77", day)], "--json") == 0
    (matched,) = json.loads(capsys.readouterr().out)["findings"]["matched"]
    assert matched["movements"][0]["number"] == "w-1"


def test_one_line_for_several_deposits_and_several_lines_for_one(
    takes: Callable[..., None], reconcile: Reconcile, capsys: pytest.CaptureFixture[str]
) -> None:
    takes(("d-1", 10_100, "batch 7"), ("d-2", 20_200, "batch 7"), ("d-3", 55_500, "whole"))
    rows = [row("303.00", "batch 7"), row("500.00", "part one"), row("55.00", "part two")]
    assert reconcile(rows, "--json") == 0
    matched = json.loads(capsys.readouterr().out)["findings"]["matched"]
    assert [(it["rule"], len(it["lines"]), len(it["movements"])) for it in matched] == [
        ("reference", 1, 2),
        ("sum", 2, 1),
    ]


def test_an_ambiguous_line_is_listed_with_its_candidates(
    takes: Callable[..., None], reconcile: Reconcile, capsys: pytest.CaptureFixture[str]
) -> None:
    takes(("d-1", 10_000, "one"), ("d-2", 10_000, "two"))
    assert reconcile([row("100.00")]) == 1
    told = capsys.readouterr().out
    assert "AMBIGUOUS: nothing was chosen (1)" in told
    assert "d-1" in told
    assert "d-2" in told
    assert "DIFFERENCES: 1 ambiguous." in told


def test_tolerances_are_as_wide_as_told_and_no_wider(
    takes: Callable[..., None], reconcile: Reconcile, capsys: pytest.CaptureFixture[str]
) -> None:
    takes(("d-1", 10_000, "one"), days=2)
    assert reconcile([row("99.50", "one")], "--tolerance", "0.50") == 0
    told = capsys.readouterr().out
    assert "1 of the matches differ within the tolerance, by -0.50 together" in told
    assert reconcile([row("99.50", "one")], "--tolerance", "0.49") == 1
    assert reconcile([row("100", "one")], "--days", "2") == 0
    assert reconcile([row("100", "one")], "--days", "1") == 1


def test_a_deposit_of_another_day_is_missing_only_from_a_statement_of_that_day(
    takes: Callable[..., None], reconcile: Reconcile
) -> None:
    takes(("d-1", 10_000, "one"), ("d-2", 20_000, "two"), days=2)
    assert reconcile([row("100", "one")]) == 0
    assert reconcile([row("100", "one")], "--to", "2026-11-23") == 1
    assert reconcile([row("100", "one"), row("9", day="2026-11-24")], "--to", "2026-11-22") == 0


def test_a_channel_that_was_not_asked_for_is_told_of(
    takes: Callable[..., None], reconcile: Reconcile, capsys: pytest.CaptureFixture[str]
) -> None:
    takes(("d-1", 10_000, "one"), channel="usdt")
    assert reconcile([row("100", "one")], "--channel", "usdt") == 0
    assert reconcile([row("100", "one")], "--channel", "bank") == 1
    told = capsys.readouterr().out
    assert "Note: our side has no movement in this period." in told
    assert "1 movement over usdt, +100.00 together" in told


def test_a_copied_line_and_a_foreign_one_are_findings(
    takes: Callable[..., None], reconcile: Reconcile, capsys: pytest.CaptureFixture[str]
) -> None:
    takes(("d-1", 10_000, "one"), ("d-2", 500, "two"))
    rows = [row("100", "one"), row("100", "one"), row("5", "two"), row("5", "two", currency="EUR")]
    assert reconcile(rows, "--currency", "sgd", "--json") == 1
    found = json.loads(capsys.readouterr().out)["findings"]
    assert [[it["number"] for it in each] for each in found["duplicates"]] == [[2, 3]]
    assert [it["number"] for it in found["other_currency"]] == [5]
    assert len(found["ambiguous"]) == 1


def test_a_foreign_line_alone_does_not_reconcile(
    takes: Callable[..., None], reconcile: Reconcile
) -> None:
    takes(("d-1", 10_000, "one"))
    assert reconcile([row("100", "one"), row("5", "", currency="EUR")], "--currency", "SGD") == 1


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
def test_what_cannot_be_reconciled_is_never_reconciled(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    rows: str | list[str],
    options: tuple[str, ...],
    reason: str,
) -> None:
    """Told before there is a house to ask."""
    assert ask_about(written(tmp_path, rows), *options) == 2
    told = capsys.readouterr()
    assert reason in told.err
    assert told.out == ""


def test_an_empty_house_does_not_reconcile(
    reconcile: Reconcile, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reconcile([row("100", "one"), row("0", "none")]) == 1
    told = capsys.readouterr().out
    assert "our side has no movement in this period" in told
    assert "DIFFERENCES: 2 unmatched in the statement." in told


def test_a_record_is_kept_once_and_holds_no_words_of_the_vault(
    takes: Callable[..., None],
    reconcile: Reconcile,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    takes(("d-1", 10_000, "one"), ("d-2", 20_000, "secret words"))
    record = tmp_path / "november.json"
    assert reconcile([row("100", "one")], "--record", str(record)) == 1
    assert "secret words" in capsys.readouterr().out
    kept = record.read_bytes()
    assert json.loads(kept)["findings"]["unmatched_movements"][0]["number"] == "d-2"
    assert json.loads(kept)["reconciled"] is False
    assert b"secret" not in kept
    assert record.stat().st_mode & 0o077 == 0
    assert reconcile([row("100", "one")], "--record", str(record)) == 2
    assert "never written over" in capsys.readouterr().err
    assert record.read_bytes() == kept


def test_words_that_the_fact_is_not_committed_to_match_nothing(
    takes: Callable[..., None],
    reconcile: Reconcile,
    stored: Conninfos,
    capsys: pytest.CaptureFixture[str],
) -> None:
    takes(("d-1", 10_000, "one"), ("d-2", 10_000, "two"))
    with psycopg.connect(stored.owner) as connection:
        connection.execute("UPDATE vault.words SET words = 'forged'")
    assert reconcile([row("100", "forged")]) == 1
    told = capsys.readouterr().out
    assert "what the vault keeps for 2 movements is not what the facts are committed to" in told
    assert "1 ambiguous" in told


def test_a_house_without_a_readable_vault_is_told_of(
    reconcile: Reconcile, stored: Conninfos, capsys: pytest.CaptureFixture[str]
) -> None:
    with psycopg.connect(stored.owner) as connection:
        connection.execute("REVOKE SELECT ON vault.words FROM fairdraw_app")
    assert reconcile([row("100", "one")]) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_after_an_erasure_a_deposit_still_goes_by_its_number(
    takes: Callable[..., None],
    reconcile: Reconcile,
    stored: Conninfos,
    capsys: pytest.CaptureFixture[str],
) -> None:
    takes(("d-1", 10_000, "one"), ("d-2", 10_000, "two"))
    with psycopg.connect(stored.owner) as connection:
        connection.execute("DELETE FROM vault.words")
    assert reconcile([row("100", "d-1"), row("100", "d-2")]) == 0
    assert "the vault keeps no reference for 2 movements" in capsys.readouterr().out


def test_money_that_leaves_is_below_zero_and_each_channel_is_a_movement(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    legs = {"player:1:withdrawing": -700, "world:bank": 500, "world:usdt": 200, "house:takings": 0}
    posted = tuple(Posting(account, amount) for account, amount in legs.items())
    monkeypatch.setattr(movements, "postings", lambda _: posted)
    fact = TYPES["deposit-approved.1"]("d-1", "bank", 1, "")
    moved = movements.movements_of(Recorded(9, "player-1", 1, 0, "", "", fact))
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
    assert [harmless(text) for text in ("+1", "@a", "  -2", "\tx", "a=b")] == [
        *("'+1", "'@a", "'  -2", "'\tx", "a=b"),
    ]


def test_a_statement_cannot_steer_the_terminal(
    takes: Callable[..., None], reconcile: Reconcile, capsys: pytest.CaptureFixture[str]
) -> None:
    takes(("d-1", 10_000, "one"))
    assert reconcile([row("5", "\x1b[2Jgone")]) == 1
    told = capsys.readouterr().out
    assert "\x1b" not in told
    assert "[2Jgone" in told


def test_nothing_at_all_does_not_reconcile() -> None:
    assert not Findings((), (), (), (), (), (), (), (), ()).reconciled
