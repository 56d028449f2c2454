"""`scripts/audit verify` verifies an account by one file, and finds every changed value."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from engine.bets.facts import BetPlaced, BetSettled
from engine.facts import player_stream
from engine.fairness.merkle import leaf_hash
from scripts.audit_tool.evidence_file import (
    MAX_BYTES,
    MAX_BYTES_OF_ACCOUNT,
    EvidenceError,
    read_json,
)
from scripts.audit_tool.verify import sections_of
from tests.auditing.account_file import PLAYER, account_file, entry_of, log_with_a_message
from tests.auditing.conftest import Saved
from tests.auditing.test_audit_verify import (
    EVIDENCE,
    changed,
    main,
    others,
    places,
    value_at,
    verified,
)
from tests.engine.fairness.parties import OPERATOR_PUBLIC, WITNESS_PUBLIC

LOG = log_with_a_message()
OWN = [it for it in LOG if it.stream == player_stream(PLAYER)]
FILE = account_file(LOG)
FACTS: list[dict[str, Any]] = FILE["facts"]
(WITHHELD,) = [place for place, fact in enumerate(FACTS) if fact["entry"] is None]
#: The fact that names staff, and its neighbours.
SHORT = FILE | {"facts": FACTS[WITHHELD - 1 : WITHHELD + 2]}
Printed = pytest.CaptureFixture[str]


def failed(file: Path) -> set[str]:
    """The names of the checks that are not ok; "refused" if the file is refused."""
    try:
        ((_, results, _),), _ = sections_of(read_json(file))
    except EvidenceError:
        return {"refused"}
    return {each.check.name for each in results if not each.passed}


def with_facts(facts: Iterable[dict[str, Any]]) -> dict[str, Any]:
    return FILE | {"facts": list(facts)}


def test_an_account_is_verified(saved: Saved, capsys: Printed) -> None:
    assert failed(saved(FILE)) == set()
    assert verified(saved(FILE)) == 0
    assert verified(saved(FILE), "--operator-key", OPERATOR_PUBLIC.hex()) == 0
    assert verified(saved(FILE), "--witness-key", WITNESS_PUBLIC.hex()) == 0
    assert verified(saved(FILE), "--operator-key", "0" * 64) == 1
    assert verified(saved(FILE), "--witness-key", "0" * 64) == 1
    assert main(saved(FILE)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"entries 1 to {len(OWN)} of player {PLAYER}"
    checks = [place for place, line in enumerate(lines) if line.startswith("ok ")]
    assert len(checks) == 6
    assert all("shows: " in lines[at + 1] and "leaves open: " in lines[at + 2] for at in checks)
    assert lines[-2:] == ["6 ok, 0 failed, 0 missing", "verified"]


def test_what_the_entries_are_about_is_counted_and_added_up(saved: Saved, capsys: Printed) -> None:
    placed = [it.fact.stake_minor for it in OWN if isinstance(it.fact, BetPlaced)]
    paid = [it.fact.payout_minor for it in OWN if isinstance(it.fact, BetSettled)]
    assert len(placed) > 1
    assert sum(paid) > 0
    assert main(saved(FILE)) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert f"{len(placed)}  bet-placed.1" in lines
    assert f"{len(paid)}  bet-settled.1" in lines
    assert "1  not shown" in lines
    assert f"{sum(placed):,} minor units staked" in lines
    assert f"{sum(paid):,} minor units paid out for settled bets" in lines
    main(saved(changed("note", to="x", evidence=FILE)))
    assert "minor units" not in capsys.readouterr().out


@pytest.mark.parametrize("path", [*places(SHORT)], ids=lambda path: "/".join(map(str, path)))
def test_one_changed_byte_of_any_value_of_an_account_is_found(
    saved: Saved, path: tuple[str | int, ...]
) -> None:
    assert failed(saved(SHORT)) == set()
    missed = [
        other
        for other in others(value_at(path, SHORT))
        if not failed(saved(changed(*path, to=other, evidence=SHORT)))
    ]
    assert missed == []


@pytest.mark.parametrize("value", [None, True, 1.5, [], {}, "", "\ud800", "\x1b[2J", 1 << 80, -1])
@pytest.mark.parametrize("path", [*places(SHORT)], ids=lambda path: "/".join(map(str, path)))
def test_no_value_of_an_account_ends_in_a_traceback(
    saved: Saved, path: tuple[str | int, ...], value: Any
) -> None:
    # Without the key of the witness the file shows less, and says so.
    if value != value_at(path, SHORT) and (path, value) != (("witness_key",), None):
        assert failed(saved(changed(*path, to=value, evidence=SHORT)))


@pytest.mark.parametrize("left_out", range(1, len(FACTS) - 1))
def test_a_fact_that_was_left_out_in_the_middle_is_found(saved: Saved, left_out: int) -> None:
    rest = [*FACTS[:left_out], *FACTS[left_out + 1 :]]
    assert failed(saved(with_facts(rest))) == {"versions"}
    renumbered = [fact | {"version": number} for number, fact in enumerate(rest, 1)]
    assert failed(saved(with_facts(renumbered))) == {"shown"}


def test_facts_in_another_order_or_twice_are_found(saved: Saved) -> None:
    assert failed(saved(with_facts(FACTS[::-1]))) == {"versions", "order"}
    assert failed(saved(with_facts([FACTS[0], FACTS[0]]))) == {"versions", "order"}


def test_a_fact_that_names_staff_is_proved_and_its_content_is_not_in_the_file(
    saved: Saved,
) -> None:
    fact = FACTS[WITHHELD]
    text = json.dumps(FILE)
    assert b"message-sent.1".hex() not in text
    assert b"bet-placed.1".hex() in text
    assert fact["leaf"] == leaf_hash(entry_of(OWN[WITHHELD])).hex()
    elsewhere = fact | {"leaf": leaf_hash(b"another fact").hex()}
    for wrong in (elsewhere, fact | {"position": fact["position"] + 1}):
        facts = [*FACTS[:WITHHELD], wrong, *FACTS[WITHHELD + 1 :]]
        assert failed(saved(with_facts(facts))) == {"inclusion"}


def test_the_facts_of_another_player_are_found(saved: Saved) -> None:
    assert failed(saved(FILE | {"player": str(PLAYER + 1)})) == {"shown"}
    other = account_file(LOG, PLAYER + 1)["facts"][2]
    facts = [*FACTS[:2], other, *FACTS[3:]]
    assert "shown" in failed(saved(with_facts(facts)))


def test_without_an_entry_that_is_shown_the_player_is_not_proved(
    saved: Saved, capsys: Printed
) -> None:
    assert main(saved(with_facts([FACTS[WITHHELD]]))) == 1
    printed = capsys.readouterr().out
    assert "missing  Every entry that is shown is of this account" in printed
    assert printed.endswith("5 ok, 0 failed, 1 missing\nNOT VERIFIED\n")


def test_a_page_that_begins_later_is_verified_and_says_so(saved: Saved, capsys: Printed) -> None:
    assert main(saved(SHORT)) == 0
    first = FACTS[WITHHELD - 1]["version"]
    assert capsys.readouterr().out.startswith(f"entries {first} to {first + 2} of player ")


def test_a_checkpoint_that_the_witness_did_not_sign_is_the_operators_alone(
    saved: Saved, capsys: Printed
) -> None:
    alone = account_file(LOG, cosigned=False)
    assert main(saved(alone)) == 0
    printed = capsys.readouterr().out
    assert "note     The file names no witness that signed the checkpoint" in printed
    assert printed.endswith("5 ok, 0 failed, 0 missing\nverified\n")
    assert failed(saved(alone | {"witness_key": WITNESS_PUBLIC.hex()})) == {"cosigned"}
    assert verified(saved(alone), "--witness-key", WITNESS_PUBLIC.hex()) == 1
    assert main(saved(FILE | {"witness_key": None})) == 0
    assert "note     The file names no witness" in capsys.readouterr().out


def test_a_checkpoint_of_another_log_is_found(saved: Saved) -> None:
    assert failed(saved(FILE | {"note": account_file(LOG[:-1])["note"]})) == {"inclusion"}
    stranger = changed("operator_key", to=WITNESS_PUBLIC.hex(), evidence=FILE)
    assert failed(saved(stranger)) == {"checkpoint"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"facts": []}, "the file has no facts"),
        ({"facts": [FACTS[0] | {"entry": None}]}, "either its entry or the hash of its leaf"),
        ({"facts": [FACTS[0] | {"leaf": "0" * 64}]}, "either its entry or the hash of its leaf"),
        ({"facts": [FACTS[0] | {"topic": "x"}]}, "not exactly the fields"),
        ({"facts": [FACTS[0] | {"path": ["0" * 64] * 65}]}, "path is not a short list"),
        ({"facts": [FACTS[0]] * 5_001}, "facts is not a short list"),
        ({"remaining": 0}, "not exactly the fields"),
        ({"player": "alice"}, "player is not the number of a player"),
        ({"witness_key": "0"}, "witness_key is not a public key"),
        ({"operator_key": None}, "operator_key is not a text"),
    ],
)
def test_an_account_with_what_no_check_covers_is_refused(
    saved: Saved, capsys: Printed, change: dict[str, Any], said: str
) -> None:
    assert main(saved(FILE | change)) == 1
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("missing", FILE)
def test_an_account_without_a_field_is_refused(saved: Saved, missing: str) -> None:
    assert main(saved({name: each for name, each in FILE.items() if name != missing})) == 1


def test_an_account_may_be_as_long_as_5000_facts(saved: Saved) -> None:
    """All other files stay at 1 MiB; the longest account is one of 24 MiB."""
    spaces = b" " * MAX_BYTES
    assert failed(saved(json.dumps(FILE).encode() + spaces)) == set()
    assert failed(saved(with_facts(FACTS[:1] * 5_000))) == {"versions", "order"}
    too_long = json.dumps(FILE).encode() + b" " * MAX_BYTES_OF_ACCOUNT
    assert failed(saved(too_long)) == {"refused"}


@pytest.mark.parametrize("other", ["", "fairdraw/account/v1"])
def test_evidence_of_a_bet_keeps_its_limit(saved: Saved, capsys: Printed, other: str) -> None:
    long = json.dumps(EVIDENCE | {"voided": other or None}).encode() + b" " * MAX_BYTES
    assert main(saved(long)) == 1
    assert "larger than 1 MiB" in capsys.readouterr().err
    assert main(saved(b" " * (MAX_BYTES + 1))) == 1
    assert "larger than 1 MiB" in capsys.readouterr().err
