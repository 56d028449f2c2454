"""Reconciles a statement with a house on a real database whose deposits its engine approved."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.answers import Refused
from engine.cashier import commands as money_commands
from engine.command_handler import Command
from engine.house.bookings import Book
from engine.players import commands
from engine.runtime.postgres.embedded_postgres import Conninfos
from engine.runtime.vault import Vault
from tests.runtime.house import PLAYER, Clock, EngineHarness, NoTicks, driven
from tests.scripts.statement_files import facts, row

Reconcile = Callable[..., int]


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
    output = capsys.readouterr().out
    assert "RECONCILED: every line and every movement" in output
    assert "Matches: 1 by similar reference, 1 by amount and day, 1 by reference" in output
    assert "Matched without a reference, or not exactly (1)" in output
    assert "Note: 1 movement over demo, +7.00 in total: not part" in output
    assert facts(stored) == before


def test_differences_are_listed_on_both_sides(
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


def test_a_payout_is_matched_with_an_outgoing_line(
    stored: Conninfos,
    vault: Vault,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    reconcile: Reconcile,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("engine.runtime.engine._schedule", lambda *_: NoTicks())
    sent = vault.save_clean_text("w-1", "SALARY 77")
    submitted: tuple[Command, ...] = (
        commands.CompleteBaseInfo(PLAYER),
        commands.SetPayoutAccount(PLAYER, money_commands.BANK_CARD, "card-1", "c"),
        commands.SetSecurityCode(PLAYER),
        commands.ExcludeSelf(PLAYER, None),  # after a self-exclusion no turnover is due
        money_commands.RequestWithdrawal(PLAYER, "w-1", money_commands.BANK_CARD, 30_000),
        money_commands.DecideWithdrawal(PLAYER, "w-1", approve=True, by="mei"),
        money_commands.PayWithdrawal(PLAYER, "w-1", "lin", sent),
    )

    async def paid() -> None:
        async with EngineHarness(stored, tmp_path, Clock()) as house:
            await house.join()
            for key, command in enumerate(submitted):
                answer = await house.submit(f"{key}", command, actor="staff:mei")
                assert not isinstance(answer, Refused), answer
                house.clock.forward(13 * 3_600)  # a new card is usable after one day

    driven(paid)()
    day = "2026-11-24"
    assert (
        reconcile([row("300", "salary 77", day)]) == 1
    )  # incoming in the statement, outgoing in our books
    assert reconcile([row("-300", "salary 77", day)], "--json") == 0
    (matched,) = json.loads(capsys.readouterr().out)["findings"]["matched"]
    assert matched["movements"][0]["number"] == "w-1"


def test_a_double_entry_that_was_undone_and_booked_fees_reconcile(
    stored: Conninfos,
    vault: Vault,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    reconcile: Reconcile,
) -> None:
    """The bank has one payment, and so do the books."""
    monkeypatch.setattr("engine.runtime.engine._schedule", lambda *_: NoTicks())
    commitments = [vault.save_clean_text(each, "invoice 7") for each in ("d-1", "d-2")]
    fee = vault.save_clean_text("b-1", "charges November")
    entered = [
        money_commands.ApproveDeposit(PLAYER, f"d-{number}", "bank", 30_000, commitment)
        for number, commitment in enumerate(commitments, 1)
    ]
    undone = ("double_entry", "bank", -30_000, "staff:mei", "")
    submitted: tuple[Command, ...] = (
        *entered,
        money_commands.ProposeCorrection(PLAYER, "a-1", *undone),
        money_commands.DecideAdjustment(PLAYER, "a-1", approve=True, by="staff:ann"),
        Book("b-1", "fee", "bank", -250, "staff:mei", fee, "", again=False),
    )

    async def booked() -> None:
        async with EngineHarness(stored, tmp_path, Clock()) as house:
            await house.join()
            for key, command in enumerate(submitted):
                answer = await house.submit(f"{key}", command, actor="staff:mei")
                assert not isinstance(answer, Refused), answer

    driven(booked)()
    assert reconcile([row("300", "invoice 7"), row("-2.50", "charges November")]) == 0
    assert reconcile([row("300", "invoice 7")]) == 1


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
    output = capsys.readouterr().out
    assert "AMBIGUOUS: none was chosen (1)" in output
    assert "d-1" in output
    assert "d-2" in output
    assert "DIFFERENCES: 1 ambiguous." in output


def test_tolerances_are_as_wide_as_configured_and_no_wider(
    takes: Callable[..., None], reconcile: Reconcile, capsys: pytest.CaptureFixture[str]
) -> None:
    takes(("d-1", 10_000, "one"), days=2)
    assert reconcile([row("99.50", "one")], "--tolerance", "0.50") == 0
    output = capsys.readouterr().out
    assert "1 of the matches differ within the tolerance, by -0.50 in total" in output
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


def test_an_unrequested_channel_is_reported(
    takes: Callable[..., None], reconcile: Reconcile, capsys: pytest.CaptureFixture[str]
) -> None:
    takes(("d-1", 10_000, "one"), channel="usdt")
    assert reconcile([row("100", "one")], "--channel", "usdt") == 0
    assert reconcile([row("100", "one")], "--channel", "bank") == 1
    output = capsys.readouterr().out
    assert "Note: the ledger has no movement in this period." in output
    assert "1 movement over usdt, +100.00 in total" in output


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


def test_copied_lines_are_a_finding_even_where_their_sum_is_right(
    takes: Callable[..., None], reconcile: Reconcile, capsys: pytest.CaptureFixture[str]
) -> None:
    takes(("d-1", 10_000, "one"))
    assert reconcile([row("50", "one"), row("50", "one")]) == 1
    assert "DIFFERENCES: 1 duplicated." in capsys.readouterr().out


def test_a_foreign_line_alone_does_not_reconcile(
    takes: Callable[..., None], reconcile: Reconcile
) -> None:
    takes(("d-1", 10_000, "one"))
    assert reconcile([row("100", "one"), row("5", "", currency="EUR")], "--currency", "SGD") == 1


def test_an_empty_house_does_not_reconcile(
    reconcile: Reconcile, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reconcile([row("100", "one"), row("0", "none")]) == 1
    output = capsys.readouterr().out
    assert "the ledger has no movement in this period" in output
    assert "DIFFERENCES: 2 unmatched in the statement." in output
