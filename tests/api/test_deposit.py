"""Deposits that staff enter: recorded by the single writer, once for each idempotency key."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg

from tests.api.staffing import office
from tests.api.support import ApiServer, Player, new_key

ROOT = Path(__file__).resolve().parents[2]


def deposit(house: ApiServer, key: str, **fields: Any) -> dict[str, Any]:
    body = {"amount": "250.50", "channel": "bank", "reference": f"invoice {key}", **fields}
    return office(house, "deposit", key, **body)


def test_a_deposit_is_usable_and_in_the_ledger_once(house: ApiServer, player: Player) -> None:
    key = new_key()
    answers = [deposit(house, key, player=player.username) for _ in range(3)]
    assert answers[0]["data"]["money"] == 1250.5
    assert [answer["data"] for answer in answers] == [answers[0]["data"]] * 3
    house.catch_up()
    entry = player.call("user/quantityLogList", {})["data"][0]
    assert (entry["type"], entry["quantity"], entry["over"]) == (0, 250.5, 1250.5)
    assert entry["mark"] == "Bank transfer"


def test_the_references_words_stay_out_of_the_log(house: ApiServer, player: Player) -> None:
    deposit(house, new_key(), player=player.id, reference="from Jane Doe")
    with psycopg.connect(house.conninfos.app) as connection:
        row = connection.execute("SELECT count(*) FROM log.facts WHERE state LIKE '%%Jane%%'")
        assert row.fetchone() == (0,)
        kept = connection.execute("SELECT count(*) FROM vault.words WHERE words LIKE '%Jane%'")
        assert kept.fetchone() == (1,)


def test_a_key_used_for_another_deposit_names_the_field(house: ApiServer, player: Player) -> None:
    key = new_key()
    deposit(house, key, player=player.id)
    assert deposit(house, key, player=player.id, amount="1")["field"] == "amount"
    assert deposit(house, key, player=player.id, reference="other")["field"] == "reference"
    assert player.balance() == 1250.5


def test_bad_deposits_are_refused(house: ApiServer, player: Player) -> None:
    for fields, reason in (
        ({"player": "nobody999"}, "player_unknown"),
        ({"amount": "0"}, "amount_invalid"),
        ({"amount": "-5"}, "amount_invalid"),
        ({"amount": "1.001"}, "amount_invalid"),
        ({"amount": "1e400"}, "request_malformed"),
        ({"amount": "9" * 400}, "amount_invalid"),
        ({"amount": "2000000000"}, "amount_invalid"),
        ({"channel": "demo"}, "channel_unknown"),
        ({"channel": "online"}, "channel_unknown"),
        ({"reference": " "}, "request_malformed"),
        ({"reference": "x" * 201}, "request_malformed"),
        ({"player": "no\0body"}, "player_unknown"),
    ):
        assert deposit(house, new_key(), **{"player": player.id, **fields})["reason"] == reason
    assert player.balance() == 1000


def test_a_reference_has_two_hundred_characters_at_most(house: ApiServer, player: Player) -> None:
    refused = deposit(house, new_key(), player=player.id, reference="x" * 201)
    assert (refused["reason"], refused["field"]) == ("request_malformed", "reference")
    assert deposit(house, new_key(), player=player.id, reference="x" * 200)["code"] == 1


def test_no_deposit_without_the_offices_secret(house: ApiServer, player: Player) -> None:
    body = {
        "player": player.id,
        "amount": 5,
        "channel": "bank",
        "reference": "x",
        "staff": "ann",
    }
    headers = {"token": player.token, "office": "0" * 64, "Idempotency-Key": new_key()}
    answer = house.client.post("/api/office/deposit", json=body, headers=headers).json()
    assert answer["reason"] == "staff_unknown"
    assert player.balance() == 1000


def test_the_command_line_deposits(house: ApiServer, player: Player) -> None:
    (house.settings.keys / "address").write_text(house.url)
    program = str(ROOT / "scripts/deposit")
    command = [sys.executable, program, player.username, "20", "--channel", "usdt"]
    command += ["--reference", "hash 1", "--data", str(house.settings.data)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "approved; player" in done.stdout
    assert "has 1,020.00 u" in done.stdout
    command[2] = "nobody999"
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert "player_unknown" in refused.stderr


def test_the_command_line_says_that_a_large_deposit_waits(house: ApiServer, player: Player) -> None:
    (house.settings.keys / "address").write_text(house.url)
    command = [sys.executable, str(ROOT / "scripts/deposit"), player.username, "5000.01"]
    command += ["--channel", "bank", "--reference", "large", "--data", str(house.settings.data)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "PENDING" in done.stdout
    assert "scripts/office approve-deposit deposit-" in done.stdout
    assert player.balance() == 1000
