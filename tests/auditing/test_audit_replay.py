import csv
import io
import json
import random
from collections import Counter
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import psycopg
import pytest

from engine.bets.facts import BetSettled
from engine.facts import player_stream
from engine.runtime.postgres.embedded_postgres import Conninfos
from projections import csv_cells
from scripts.audit_tool import as_of, facts
from scripts.audit_tool.__main__ import COMMANDS, main
from scripts.audit_tool.accounts import PARTS, balanced_postings, entries
from scripts.audit_tool.database import snapshot
from tests.auditing.conftest import Audit
from tests.auditing.evening import PLAYERS, evening
from tests.projections.history import NOON, SECOND, History, bet, settled

ALICE = PLAYERS[0]
Printed = pytest.CaptureFixture[str]


def _wins_a_bet(history: History) -> None:
    history.joins(ALICE)
    history.deposits(ALICE, 5_000)
    history.later(60)
    history.opens()
    history.bets(ALICE, bet(1, 1_000))
    history.later(60)
    history.settles(ALICE, bet(1, 1_000), 14, 1_980)


def _printed_lines(printed: Printed) -> list[dict[str, Any]]:
    return [json.loads(line) for line in printed.readouterr().out.splitlines()]


def test_a_replay_prints_a_history_entry_by_entry(
    history: History, audit: Audit, capsys: Printed
) -> None:
    _wins_a_bet(history)
    assert audit("replay", ALICE, "--json") == 0
    *printed, end = _printed_lines(capsys)
    assert [(each["topic"], each["position"], each["version"]) for each in printed] == [
        ("player-registered.1", 1, 1),
        ("deposit-approved.1", 2, 2),
        ("bet-placed.1", 4, 3),
        ("bet-settled.1", 5, 4),
    ]
    moved = [tuple(each["amounts_minor"].values()) for each in printed]
    assert moved == [(0, 0, 0, 0), (5_000, 0, 0, 0), (-1_000, 1_000, 0, 0), (1_980, -1_000, 0, 0)]
    assert printed[2]["balances_minor"] == {
        "available": 4_000, "staked": 1_000, "withdrawing": 0, "bonus": 0,
    }  # fmt: skip
    assert end["facts"] == 4
    assert end["balances_minor"]["available"] == 5_980


def test_the_text_output_shows_units_and_actors(
    history: History, audit: Audit, capsys: Printed
) -> None:
    _wins_a_bet(history)
    assert audit("replay", ALICE) == 0
    first, _, *lines, end = capsys.readouterr().out.splitlines()
    assert first == (
        "player 10001, as of position 5, the log's end,"
        " recorded 2026-11-21 12:02:00.000000+08:00; amounts in u"
    )
    assert lines[2].split()[5:13] == [
        "-10.00", "+10.00", ".", ".", "40.00", "10.00", "0.00", "0.00",
    ]  # fmt: skip
    assert "player-10001: bet=bet-1 game=1" in lines[2]
    assert "available 59.80, staked 0.00" in end
    assert "total 59.80 u after 4 facts" in end


MOMENTS = (
    ("0", "Asia/Singapore", 0),
    ("3", "Asia/Singapore", 2),
    ("4", "Asia/Singapore", 3),
    ("2026-11-21T12:01:00", "Asia/Singapore", 3),
    ("2026-11-21T12:00:59.999999", "Asia/Singapore", 2),
    ("2026-11-21T04:01:00Z", "Asia/Singapore", 3),
    ("2026-11-21T04:01:00", "UTC", 3),
    ("2026-11-21T12:01:00", "UTC", 4),
    ("2026-11-20", "Asia/Singapore", 0),
    ("2026-11-21", "Asia/Singapore", 4),
)


def test_as_of_a_time_shows_what_had_been_recorded_by_then(
    history: History, audit: Audit, capsys: Printed
) -> None:
    _wins_a_bet(history)
    for at, zone, count in MOMENTS:
        assert audit("replay", ALICE, "--json", "--at", at, "--timezone", zone) == 0
        assert (at, zone, _printed_lines(capsys)[-1]["facts"]) == (at, zone, count)


def test_a_day_ends_before_the_next_one_begins() -> None:
    day, next_day = as_of.parse_moment("2026-11-21"), as_of.parse_moment("2026-11-22T00:00:00")
    assert not isinstance(day, int)
    assert not isinstance(next_day, int)
    zone = ZoneInfo("Asia/Singapore")
    assert as_of.microseconds(day, zone) == as_of.microseconds(next_day, zone) - 1


def test_the_requested_moment_is_printed(history: History, audit: Audit, capsys: Printed) -> None:
    _wins_a_bet(history)
    audit("replay", ALICE, "--at", "2026-11-21T12:01:30")
    assert (
        "as of 2026-11-21 12:01:30.000000+08:00 (inclusive): position 4 of 5,"
        " recorded 2026-11-21 12:01:00.000000+08:00"
    ) in capsys.readouterr().out


def test_csv_can_be_added_up_and_carries_no_formula(
    history: History, audit: Audit, capsys: Printed
) -> None:
    _wins_a_bet(history)
    assert audit("replay", ALICE, "--csv") == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert sum(int(row["available_minor"]) for row in rows) == 5_980
    assert [row["available_balance_minor"] for row in rows] == ["0", "5000", "4000", "5980"]
    assert json.loads(rows[2]["fact"])["bet"] == "bet-1"


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(1)", "\tx", "\rx", "'", "'=1", "''x", "plain", "", "a=b"]
)
def test_a_cell_reads_back_as_it_was(text: str) -> None:
    written = csv_cells.escape(text)
    assert not written.startswith(("=", "+", "-", "@", "\t", "\r"))
    assert csv_cells.unescape(written) == text


def test_amounts_below_zero_stay_numbers() -> None:
    assert [csv_cells.escape(amount) for amount in (-5, Decimal("-0.50"))] == ["-5", "-0.50"]


def test_the_balance_at_any_position_equals_the_replayed_one(
    history: History, stored: Conninfos
) -> None:
    evening(history, 600)
    chance = random.Random(2)
    with snapshot(stored.app) as connection:
        last, _ = facts.last(connection)
        log = [each.recorded() for each in facts.stream(connection, last)]
        histories = {
            player: list(entries(player, _stream(connection, player, last))) for player in PLAYERS
        }
    for _ in range(1_000):
        position, player = chance.randint(0, last), chance.choice(PLAYERS)
        before = [it for it in histories[player] if it.recorded.position <= position]
        replayed = before[-1].balances if before else (0, 0, 0, 0)
        balances = Counter[str]()
        for recorded in log[:position]:
            for posting in balanced_postings(recorded):
                balances[posting.account] += posting.amount_minor
        computed = tuple(balances[f"player:{player}:{part}"] for part in PARTS)
        assert computed == replayed


def _stream(connection: Any, player: int, last: int) -> Any:
    stored = facts.of_stream(connection, player_stream(player), last)
    return (each.recorded() for each in stored)


def test_every_time_leads_to_the_last_fact_recorded_by_then(
    history: History, stored: Conninfos
) -> None:
    evening(history, 120)
    utc = ZoneInfo("UTC")
    with snapshot(stored.app) as connection:
        for at in range(NOON - 1, history.at + SECOND, 500_001):
            requested = datetime.fromtimestamp(0, UTC) + as_of._MICROSECOND * at
            found = as_of.resolve(connection, requested, utc)
            assert found.position == sum(it.at <= at for it in history.facts)


def test_a_balance_below_zero_is_a_finding(history: History, audit: Audit, capsys: Printed) -> None:
    history.joins(ALICE)
    history.bets(ALICE, bet(1, 1_000))
    assert audit("replay", ALICE) == 1
    assert "FINDING: player 10001 goes below zero at position 2" in capsys.readouterr().err


def test_a_missing_fact_is_a_finding(history: History, audit: Audit, capsys: Printed) -> None:
    history.joins(ALICE)
    history._versions[player_stream(ALICE)] += 1
    history.deposits(ALICE, 100)
    assert audit("replay", ALICE) == 1
    assert "player-10001 goes from version 1 to 3 at position 2" in capsys.readouterr().err


def test_a_fact_that_cannot_be_read_is_a_finding(
    history: History, stored: Conninfos, audit: Audit, capsys: Printed
) -> None:
    history.joins(ALICE)
    with psycopg.connect(stored.owner) as connection:
        connection.execute(
            "INSERT INTO log.facts VALUES ('player-10001', 2, 'gold-found.1', '{}', 2, 0, '', '')"
        )
    assert audit("replay", ALICE) == 1
    assert "position 2 (player-10001 2) has no readable gold-found.1" in capsys.readouterr().err


def test_a_player_is_found_by_name(
    history: History, stored: Conninfos, audit: Audit, capsys: Printed
) -> None:
    history.joins(ALICE)
    with psycopg.connect(stored.app) as connection:
        connection.execute(
            "INSERT INTO vault.members (player, username, nickname, member_group, password_hash,"
            " commitment_key) VALUES (%s, 'Alice', 'Alice', 1, '', '')",
            (ALICE,),
        )
    assert audit("replay", "alice") == 0
    assert capsys.readouterr().out.startswith("player 10001 (Alice), as of position 1")


def test_the_auditor_reads_a_player_by_id_and_no_name(
    history: History, stored: Conninfos, audit: Audit, capsys: Printed
) -> None:
    history.joins(ALICE)
    assert stored.auditor
    auditor = Conninfos(stored.auditor, stored.auditor)
    assert audit("replay", ALICE, of=auditor) == 0
    assert capsys.readouterr().out.startswith("player 10001, as of position 1")
    assert audit("replay", "alice", of=auditor) == 2
    assert "this role cannot read names: give the id of player alice" in capsys.readouterr().err


IMPOSSIBLE_QUERIES = (
    (["stranger"], "there is no player stranger"),
    (["4711"], "the log has no facts of player 4711"),
    (["10001", "--at", "99"], "position 99 is past the log's end, 1"),
)


def test_an_impossible_query_is_reported_in_one_line(
    history: History, audit: Audit, capsys: Printed
) -> None:
    history.joins(ALICE)
    for arguments, message in IMPOSSIBLE_QUERIES:
        assert audit("replay", *arguments) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert message in line


@pytest.mark.parametrize("at", ["yesterday", "-1", "2026-13-01", "0001-01-01", "9999-12-31"])
def test_an_invalid_moment_is_refused(capsys: Printed, at: str) -> None:
    with pytest.raises(SystemExit) as left:
        main(["replay", "10001", f"--at={at}"])
    assert left.value.code == 2
    assert "is neither a position nor a time" in capsys.readouterr().err


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_every_subcommand_has_examples(capsys: Printed, command: str) -> None:
    with pytest.raises(SystemExit) as left:
        main([command, "--help"])
    assert left.value.code == 0
    assert f"  scripts/audit {command}" in capsys.readouterr().out.split("examples:")[1]


def test_a_missing_house_is_not_created(
    capsys: Printed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("os.environ", {})
    assert main(["replay", "10001", "--data", str(tmp_path / "nowhere")]) == 2
    assert "there is no database in" in capsys.readouterr().err
    assert not (tmp_path / "nowhere").exists()


def test_progress_is_shown_on_a_terminal(
    history: History, audit: Audit, capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    _wins_a_bet(history)
    audit("trial-balance")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    audit("trial-balance")
    printed = capsys.readouterr()
    assert "adding up 0 of 5 facts" in printed.err
    assert "adding up" not in printed.out


def test_a_bonus_s_share_of_a_payout_stays_bonus(
    history: History, audit: Audit, capsys: Printed
) -> None:
    placed = bet(1, 1_000, bonus_minor=400)
    answered = settled(placed, 14, 1_980)
    assert isinstance(answered, BetSettled)
    history.joins(ALICE)
    history.deposits(ALICE, 5_000)
    history.append((player_stream(ALICE), placed), (player_stream(ALICE), answered))
    assert audit("replay", ALICE, "--json") == 1  # there was no bonus to stake
    assert _printed_lines(capsys)[-1]["balances_minor"] == {
        "available": 5_000 - 600 + 1_188, "staked": 0, "withdrawing": 0, "bonus": -400 + 792,
    }  # fmt: skip
