import json
from typing import Any

import psycopg
import pytest

from engine import ledger
from engine.cashier.facts import GiftGranted, WithdrawalRequested
from engine.facts import RecordedFact, player_stream
from engine.ledger import Posting
from engine.runtime.postgres.embedded_postgres import Conninfos
from scripts.audit_tool import accounts
from tests.auditing.conftest import Audit
from tests.auditing.evening import BOT, PLAYERS, evening
from tests.projections.history import History, bet

ALICE, BOB = PLAYERS[:2]
Printed = pytest.CaptureFixture[str]


def _accounts(printed: Printed) -> tuple[dict[str, Any], dict[tuple[str, str], int]]:
    balance = json.loads(printed.readouterr().out)
    lines = balance["accounts"]
    return balance, {(line["book"], line["account"]): line["amount_minor"] for line in lines}


def test_members_and_bots_have_books_of_their_own(
    history: History, audit: Audit, capsys: Printed
) -> None:
    history.joins(ALICE, BOB)
    history.joins(BOT, bot=True)
    history.deposits(ALICE, 5_000)
    history.deposits(BOT, 9_000, "demo")
    history.opens()
    history.bets(ALICE, bet(1, 1_000), bet(2, 500))
    history.bets(BOT, bet(3, 2_000))
    history.settles(ALICE, bet(1, 1_000), 14, 0)
    history.settles(BOT, bet(3, 2_000), 14, 3_960)
    assert audit("trial-balance", "--json") == 0
    balance, amounts = _accounts(capsys)
    assert amounts == {
        ("members", "house:takings"): 1_000,
        ("members", "players:available"): 3_500,
        ("members", "players:staked"): 500,
        ("members", "world:bank"): -5_000,
        ("bots", "house:takings"): -1_960,
        ("bots", "players:available"): 10_960,
        ("bots", "players:staked"): 0,
        ("bots", "world:demo"): -9_000,
    }
    assert balance["players"] == {"members": 2, "bots": 1}
    assert balance["owed_to_members_minor"]["total"] == 4_000
    assert balance["owed_to_members_minor"]["staked"] == 500


def test_liabilities_to_members_include_stakes_withdrawals_and_bonuses(
    history: History, audit: Audit, capsys: Printed
) -> None:
    history.joins(ALICE)
    history.deposits(ALICE, 50_000)
    history.append(
        (player_stream(ALICE), WithdrawalRequested("w1", 1, "a1", 20_000)),
        (player_stream(ALICE), GiftGranted("g1", "staff", 300, 300, 0, "")),
    )
    history.opens()
    history.bets(ALICE, bet(1, 1_000))
    assert audit("trial-balance", "--json") == 0
    balance, amounts = _accounts(capsys)
    assert balance["owed_to_members_minor"] == {
        "available": 29_000, "bonus": 300, "staked": 1_000, "withdrawing": 20_000,
        "total": 50_300,
    }  # fmt: skip
    assert amounts["members", "house:promotions"] == -300


def test_the_text_output_has_debit_and_credit_columns(
    history: History, audit: Audit, capsys: Printed
) -> None:
    history.joins(ALICE)
    history.deposits(ALICE, 123_456)
    assert audit("trial-balance") == 0
    printed = capsys.readouterr().out
    lines = [line.split() for line in printed.splitlines()]
    assert ["world:bank", "1,234.56"] in lines
    assert ["players:available", "1,234.56"] in lines
    assert ["sum", "1,234.56", "1,234.56", "=", "0.00"] in lines
    assert printed.startswith("Trial balance as of position 2, the log's end")
    assert "Liability to players: balances 1,234.56" in printed


def test_the_past_has_its_own_trial_balance(
    history: History, audit: Audit, capsys: Printed
) -> None:
    history.joins(ALICE)
    history.deposits(ALICE, 1_000)
    history.later(1)
    history.deposits(ALICE, 500)
    assert audit("trial-balance", "--json", "--at", "2026-11-21T12:00:00.999999") == 0
    balance, amounts = _accounts(capsys)
    assert amounts["members", "world:bank"] == -1_000
    assert balance["as_of"]["position"] == 2


def test_every_position_of_an_evening_balances(
    history: History, audit: Audit, capsys: Printed
) -> None:
    evening(history, 300)
    assert audit("trial-balance", "--json") == 0
    _, amounts = _accounts(capsys)
    assert sum(amounts.values()) == 0


def test_the_first_position_that_does_not_sum_to_zero_is_named(
    history: History, audit: Audit, capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    history.joins(ALICE)
    history.deposits(ALICE, 1_000)
    history.deposits(ALICE, 2_000)
    history.deposits(ALICE, 3_000)

    def lopsided(recorded: RecordedFact) -> tuple[Posting, ...]:
        legs = ledger.postings(recorded)
        return legs[1:] if recorded.position >= 3 else legs

    monkeypatch.setattr(accounts, "postings", lopsided)
    assert audit("trial-balance") == 1
    assert (
        "FINDING zero-sum: first at position 3: the postings of position 3 do not sum to zero"
        " (and at 1 more)"
    ) in capsys.readouterr().err


def test_a_ledger_rule_that_raises_is_a_finding_at_its_position(
    history: History, audit: Audit, capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(_: RecordedFact) -> tuple[Posting, ...]:
        raise AssertionError

    history.joins(ALICE)
    monkeypatch.setattr(accounts, "postings", failing)
    assert audit("trial-balance") == 1
    assert "first at position 1" in capsys.readouterr().err


def test_a_player_below_zero_at_any_position_is_a_finding(
    history: History, audit: Audit, capsys: Printed
) -> None:
    history.joins(ALICE)
    history.bets(ALICE, bet(1, 1_000))
    history.deposits(ALICE, 1_000)
    assert audit("trial-balance") == 1
    assert (
        "FINDING never-negative: first at position 2:"
        " player:10001:available is at -1000 minor units"
    ) in capsys.readouterr().err


def test_a_fact_that_moves_another_player_s_money_is_a_finding(
    history: History, audit: Audit, capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    history.joins(ALICE, BOB)
    history.deposits(ALICE, 1_000)
    legs = (Posting("world:bank", -1_000), Posting(f"player:{BOB}:available", 1_000))
    monkeypatch.setattr(accounts, "postings", lambda it: legs if it.position == 3 else ())
    assert audit("trial-balance") == 1
    assert (
        "FINDING own-money: first at position 3: a fact of player-10001 moves"
        " player:10002:available"
    ) in capsys.readouterr().err


@pytest.mark.parametrize("cut", [2, 3])
def test_a_missing_position_is_a_finding(
    history: History, stored: Conninfos, audit: Audit, capsys: Printed, cut: int
) -> None:
    history.joins(ALICE)
    history.deposits(ALICE, 1_000)
    history.opens()
    history.deposits(ALICE, 1_000)
    _forge(stored, f"DELETE FROM log.facts WHERE notification_id = {cut}")
    assert audit("trial-balance") == 1
    finding = f"FINDING gapless: first at position {cut + 1}: it follows position {cut - 1}"
    assert finding in capsys.readouterr().err


def test_a_fact_that_cannot_be_read_is_named(
    history: History, stored: Conninfos, audit: Audit, capsys: Printed
) -> None:
    history.joins(ALICE)
    history.deposits(ALICE, 1_000)
    _forge(stored, r"UPDATE log.facts SET state = '\xff' WHERE notification_id = 2")
    assert audit("trial-balance") == 1
    assert f"position 2 ({player_stream(ALICE)} 2) has no" in capsys.readouterr().err


def test_an_empty_house_owes_nothing(audit: Audit, capsys: Printed) -> None:
    assert audit("trial-balance") == 0
    assert "= 0.00 u" in capsys.readouterr().out


def _forge(stored: Conninfos, statement: str) -> None:
    """Runs a statement that only the tables' owner may run, with the append-only trigger off."""
    with psycopg.connect(stored.owner) as connection:
        connection.execute("ALTER TABLE log.facts DISABLE TRIGGER facts_append_only")
        connection.execute(statement.encode())
        connection.execute("ALTER TABLE log.facts ENABLE TRIGGER facts_append_only")
