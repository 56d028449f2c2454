"""`scripts/audit verify` verifies a bet or a round by one file, and finds every changed value."""

import copy
import json
import shutil
import subprocess
import sys
from base64 import b64decode, b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cryptography
import pytest

from engine.fairness import signing
from engine.fairness.canonical import canonical
from scripts.audit_tool.evidence_checks import results_of
from scripts.audit_tool.evidence_file import MAX_BYTES, EvidenceError, read
from scripts.audit_tool.evidence_formats import leaf_hash, read_entry, read_note, root_of
from tests.auditing.conftest import Saved
from tests.engine.fairness.log_vectors import FILE, PLAYER, SIZES, cosigned, note, vectors
from tests.engine.fairness.parties import OPERATOR_PUBLIC, STRANGER_KEY, WITNESS_KEY

ROOT = Path(__file__).parents[2]
INSTALLED = Path(cryptography.__file__).parents[1]
VECTORS = json.loads(FILE.read_text())
EVIDENCE: dict[str, Any] = VECTORS["evidence"]
#: What the app saves of the same round, with the player's bet.
OF_ROUND: dict[str, Any] = {
    **{name: each for name, each in EVIDENCE.items() if name not in {"bet", "batch", "log"}},
    "format": "fairdraw/round/v1",
    "bets": [EVIDENCE["bet"]],
}
BEACON_DRAW = ROOT / "tests" / "api" / "beacon_proof.json"
Printed = pytest.CaptureFixture[str]


def verified(file: Path, *options: str) -> int:
    """The exit status of the program."""
    command = [sys.executable, "-m", "scripts.audit_tool.verify", str(file), *options]
    return subprocess.run(command, cwd=ROOT, check=False, capture_output=True).returncode


BARE = """
import importlib.util, runpy, sys
sys.path[:0] = sys.argv.pop(1).split(":")
for name in ("engine", "msgspec", "nacl", "psycopg", "structlog"):
    assert importlib.util.find_spec(name) is None, name
runpy.run_module("scripts.audit_tool.verify", run_name="__main__", alter_sys=True)
"""
NEEDED = ("cryptography", "cffi", "_cffi_backend*", "pycparser")


def verified_elsewhere(folder: Path, file: Path) -> subprocess.CompletedProcess[str]:
    """The program's run with the standard library, the auditors' code and `cryptography` alone."""
    auditors, packages = folder / "auditors", folder / "packages"
    if not auditors.exists():
        shutil.copytree(ROOT / "scripts" / "audit_tool", auditors / "scripts" / "audit_tool")
        packages.mkdir()
        for found in (each for name in NEEDED for each in INSTALLED.glob(name)):
            (packages / found.name).symlink_to(found)
    command = [sys.executable, "-I", "-S", "-c", BARE, f"{auditors}:{packages}", str(file)]
    return subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)


def failed(file: Path) -> set[str]:
    """The names of the checks that are not ok; "refused" if the file is refused."""
    try:
        return {
            each.check.name
            for subject in read(file)
            for each in results_of(subject)
            if not each.passed
        }
    except EvidenceError:
        return {"refused"}


def changed(*path: str | int, to: Any, evidence: Any = EVIDENCE) -> dict[str, Any]:
    """The evidence with another value at a place."""
    found: dict[str, Any] = copy.deepcopy(evidence)
    inside: Any = found
    for step in path[:-1]:
        inside = inside[step]
    inside[path[-1]] = to
    return found


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every place of a text or number in the file."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from places(each, (*path, name))
    elif isinstance(value, list):
        for at, each in enumerate(value):
            yield from places(each, (*path, at))
    else:
        yield path


def value_at(path: tuple[str | int, ...], evidence: Any = EVIDENCE) -> Any:
    found = evidence
    for step in path:
        found = found[step]
    return found


def others(value: Any) -> Iterator[Any]:
    """Other values of the same type: each differs in one byte."""
    if value is None:
        yield "attested"
    elif isinstance(value, int):
        yield from (value + 1, value - 1, -value - 1)
    else:
        for at in range(len(value)):
            yield value[:at] + chr(ord(value[at]) ^ 1) + value[at + 1 :]
        yield value.upper() if value.upper() != value else value.swapcase() + "A"


def test_honest_evidence_is_verified(saved: Saved) -> None:
    assert failed(saved(EVIDENCE)) == set()
    assert verified(saved(EVIDENCE)) == 0
    assert verified(saved(EVIDENCE), "--operator-key", OPERATOR_PUBLIC.hex()) == 0
    assert verified(saved(EVIDENCE), "--operator-key", "0" * 64) == 1


def test_it_runs_with_the_standard_library_and_cryptography_alone(
    saved: Saved, tmp_path: Path
) -> None:
    honest = verified_elsewhere(tmp_path, saved(EVIDENCE))
    assert (honest.returncode, honest.stderr) == (0, "")
    assert honest.stdout.endswith("20 ok, 0 failed, 0 missing\nverified\n")
    digits = [(each + 1) % 10 for each in EVIDENCE["drawn"]["digits"]]
    tampered = verified_elsewhere(tmp_path, saved(changed("drawn", "digits", to=digits)))
    assert (tampered.returncode, tampered.stderr) == (1, "")
    assert "FAILED" in tampered.stdout
    no_evidence = tmp_path / "no-evidence.json"
    no_evidence.write_text("{}")
    refused = verified_elsewhere(tmp_path, no_evidence)
    assert refused.returncode != 0
    assert "Traceback" not in refused.stderr


def test_each_check_says_what_it_shows_and_what_it_leaves_open(
    saved: Saved, capsys: Printed
) -> None:
    assert main(saved(EVIDENCE)) == 0
    lines = capsys.readouterr().out.splitlines()
    checks = [place for place, line in enumerate(lines) if line.startswith("ok ")]
    assert len(checks) == 20
    assert all("shows: " in lines[at + 1] and "leaves open: " in lines[at + 2] for at in checks)
    assert lines[-2:] == ["20 ok, 0 failed, 0 missing", "verified"]
    assert any(line.startswith("note ") and "witness" in line for line in lines)


def main(file: Path) -> int:
    """The exit status of the subcommand of `scripts/audit`."""
    from scripts.audit_tool.__main__ import main as audit  # noqa: PLC0415 - as other tests do

    return audit(["verify", str(file)])


@pytest.mark.parametrize("path", [*places(EVIDENCE)], ids=lambda path: "/".join(map(str, path)))
def test_one_changed_byte_of_any_value_is_found(saved: Saved, path: tuple[str | int, ...]) -> None:
    missed = [
        other for other in others(value_at(path)) if not failed(saved(changed(*path, to=other)))
    ]
    assert missed == []


@pytest.mark.parametrize("part", ["frozen", "secrets", "drawn", "batch", "log"])
def test_without_a_part_it_is_not_verified(saved: Saved, capsys: Printed, part: str) -> None:
    assert main(saved(changed(part, to=None))) == 1
    printed = capsys.readouterr().out
    assert "missing " in printed
    assert "FAILED" not in printed
    assert printed.endswith("NOT VERIFIED\n")


def test_a_bet_without_a_path_is_not_verified(saved: Saved) -> None:
    assert failed(saved(changed("bet", "path", to=None))) == {"receipt_in_list"}


def test_a_field_that_no_check_covers_is_refused(saved: Saved) -> None:
    for place in ((), ("day",), ("bet", "receipt"), ("log",)):
        assert failed(saved(changed(*place, "note2", to="x"))) == {"refused"}


def test_a_round_is_verified_with_the_bets_of_its_player(saved: Saved, capsys: Printed) -> None:
    assert main(saved(OF_ROUND)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "game 1, round 20261121007"
    assert [line for line in lines if line.startswith("bet ")] == [
        "bet 00000000000000000002 of player 10023, game 1, round 20261121007"
    ]
    assert lines[-2:] == ["16 ok, 0 failed, 0 missing", "verified"]
    assert verified(saved(OF_ROUND), "--witness-key", OF_ROUND["witness_key"]) == 0
    assert verified(saved(OF_ROUND), "--witness-key", "0" * 64) == 1


def test_a_round_is_verified_without_bets(saved: Saved, capsys: Printed) -> None:
    without = OF_ROUND | {"player": None, "bets": []}
    assert main(saved(without)) == 0
    assert capsys.readouterr().out.endswith("12 ok, 0 failed, 0 missing\nverified\n")


def test_before_its_draw_a_round_is_not_verified_and_what_is_missing_is_said(
    saved: Saved, capsys: Printed
) -> None:
    on_sale = dict.fromkeys(("player", "frozen", "secrets", "drawn")) | {"bets": []}
    assert main(saved(OF_ROUND | on_sale)) == 1
    printed = capsys.readouterr().out
    assert printed.startswith("game 1, round of 2026-11-21\n")
    assert "ok       The witness signed the terms of the day" in printed
    assert printed.endswith("3 ok, 0 failed, 9 missing\nNOT VERIFIED\n")


@pytest.mark.parametrize("path", [*places(OF_ROUND)], ids=lambda path: "/".join(map(str, path)))
def test_one_changed_byte_of_any_value_of_a_round_is_found(
    saved: Saved, path: tuple[str | int, ...]
) -> None:
    missed = [
        other
        for other in others(value_at(path, OF_ROUND))
        if not failed(saved(changed(*path, to=other, evidence=OF_ROUND)))
    ]
    assert missed == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"bets": [EVIDENCE["bet"]] * 2}, "a bet is in the file twice"),
        ({"bets": []}, "has a player if it has bets"),
        ({"player": None}, "has a player if it has bets"),
        ({"bets": [EVIDENCE["bet"] | {"path": ["0" * 64] * 65}]}, "path is not a short list"),
        ({"bets": [EVIDENCE["bet"]] * 1_001}, "bets is not a short list"),
        ({"log": EVIDENCE["log"]}, "not exactly the fields"),
        ({"bets": [EVIDENCE["bet"] | {"status": 1}]}, "not exactly the fields"),
    ],
)
def test_a_round_with_what_no_check_covers_is_refused(
    saved: Saved, capsys: Printed, change: dict[str, Any], said: str
) -> None:
    assert main(saved(OF_ROUND | change)) == 1
    assert said in capsys.readouterr().err


def voided() -> dict[str, Any]:
    """The evidence of the same round if it was voided, with the witness's statement."""
    record = EVIDENCE["frozen"]["record"]
    cancelled = canonical({"day": record["day"], "game": record["game"], "i": record["i"], "v": 1})
    found = changed("voided", to="attested") | {"drawn": None}
    found["secrets"]["witness_signature"] = signing.sign(
        WITNESS_KEY, signing.CANCEL, cancelled
    ).hex()
    found["bet"]["payout_minor"] = 0
    return found


def test_a_voided_round_is_verified_by_the_witnesss_statement(saved: Saved) -> None:
    found = voided()
    assert failed(saved(found)) == set()
    assert failed(saved(found | {"voided": "breach"})) == {"cancelled"}
    assert failed(saved(found | {"secrets": EVIDENCE["secrets"]})) == {"cancelled"}
    assert failed(saved(found | {"drawn": EVIDENCE["drawn"]})) == {"cancelled"}
    found["bet"]["payout_minor"] = 1
    assert failed(saved(found)) == {"no_payout"}


def test_a_cosignature_of_the_days_witness_is_checked(saved: Saved, capsys: Printed) -> None:
    text = cosigned(SIZES[-1]).text()
    file = saved(changed("log", "note", to=text))
    assert main(file) == 0
    assert "ok       The witness signed the checkpoint" in capsys.readouterr().out
    signature = text.splitlines()[5].rpartition(" ")[2]
    blob = bytearray(b64decode(signature))
    blob[11] ^= 1  # the time
    forged = text.replace(signature, b64encode(blob).decode())
    assert failed(saved(changed("log", "note", to=forged))) == {"cosigned"}


def test_a_checkpoint_of_another_log_or_size_is_found(saved: Saved) -> None:
    forked = VECTORS["forked"]
    assert failed(saved(changed("log", "note", to=forked))) == {"inclusion"}
    smaller = note(SIZES[-2]).text()
    assert failed(saved(changed("log", "note", to=smaller))) == {"inclusion"}


def with_beacon(**changes: Any) -> dict[str, Any]:
    """Evidence of a draw on a recorded round of quicknet; its bet is that of another draw."""
    draw = json.loads(BEACON_DRAW.read_text())
    record = draw["day"]["record"]
    return {
        **EVIDENCE,
        **{party: record[party] for party in ("operator_key", "witness_key")},
        "day": {name: draw["day"][name] for name in EVIDENCE["day"]},
        "frozen": {name: draw["frozen"][name] for name in EVIDENCE["frozen"]},
        "secrets": draw["secrets"],
        "drawn": {
            "digits": draw["drawn"]["digits"],
            "sum": draw["drawn"]["sum"],
            "beacon": draw["drawn"]["beacon"] | changes,
        },
    }


def test_a_draw_with_a_beacon_is_verified(saved: Saved) -> None:
    found = failed(saved(with_beacon()))
    assert found.isdisjoint({"refused", "beacon", "digits", "sum", "list_of_day", "release"})
    without = {**with_beacon(), "drawn": {"digits": [0, 4, 8], "sum": 12}}
    assert {"beacon", "digits"} <= failed(saved(without))


@pytest.mark.parametrize(
    "change",
    [
        {"round": 1002},
        {"network": "default"},
        {"randomness": "00" * 32},
        {"signature": "00" * 48},
        {"signature": "B3" + "00" * 47},
    ],
)
def test_another_beacon_is_found(saved: Saved, change: dict[str, Any]) -> None:
    assert "beacon" in failed(saved(with_beacon(**change)))


def test_the_evidence_of_another_player_is_found(saved: Saved) -> None:
    assert failed(saved(changed("player", to=str(PLAYER + 1)))) == {"owner", "entry"}


def test_terms_signed_by_another_party_are_found(saved: Saved) -> None:
    day = canonical(EVIDENCE["day"]["record"])
    forged = signing.sign(STRANGER_KEY, signing.DAY, day).hex()
    file = saved(changed("day", "operator_signature", to=forged))
    assert failed(file) == {"day_by_operator"}
    assert verified(file) == 1


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"\0" * 100, b"{", b"[]", b"null", b"1e999", b'{"format":NaN}', b"\xff\xfe"),
        b"[" * 100_000,
        b'{"format":"fairdraw/evidence/v1"}',
        b'{"format":"fairdraw/evidence/v1","format":"fairdraw/evidence/v1"}',
        b'{"format":"fairdraw/proof/v1"}',
        b'{"a":' + b"9" * 5_000 + b"}",
        b" " * (MAX_BYTES + 1),
    ],
    ids=range(14),
)
def test_what_is_no_evidence_is_refused_in_one_sentence(
    saved: Saved, capsys: Printed, content: bytes
) -> None:
    assert main(saved(content)) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("NOT VERIFIED: ")
    assert printed.err.count("\n") == 1


@pytest.mark.parametrize("value", [None, True, 1.5, [], {}, "", "\ud800", "\x1b[2J", 1 << 80, -1])
@pytest.mark.parametrize("path", [*places(EVIDENCE)], ids=lambda path: "/".join(map(str, path)))
def test_no_value_ends_in_a_traceback(
    saved: Saved, path: tuple[str | int, ...], value: Any
) -> None:
    if value != value_at(path):
        assert failed(saved(changed(*path, to=value)))


def fork(*notes: str, key: str = VECTORS["operator_key"]) -> dict[str, Any]:
    """What the app saves if two checkpoints are not of one log."""
    return {"format": "fairdraw/fork/v1", "operator_key": key, "checkpoints": list(notes)}


def test_two_signed_checkpoints_of_one_size_prove_a_fork(saved: Saved, capsys: Printed) -> None:
    notes = (VECTORS["notes"][-1], VECTORS["forked"])
    assert main(saved(fork(*notes))) == 0
    assert "verified: the operator forked its log" in capsys.readouterr().out
    assert verified(saved(fork(*notes)), "--operator-key", VECTORS["operator_key"]) == 0
    assert verified(saved(fork(*notes)), "--operator-key", "0" * 64) == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (fork(VECTORS["notes"][-1], VECTORS["notes"][-1]), "of one log"),
        (fork(VECTORS["notes"][-1], VECTORS["notes"][-2]), "two sizes prove nothing"),
        (
            fork(VECTORS["forked"], VECTORS["notes"][-1].replace("\n700\n", "\n701\n")),
            "the operator did not sign both",
        ),
        (fork(*VECTORS["notes"][-2:], key="0" * 64), "the operator did not sign both"),
        (fork(VECTORS["forked"]), "has not two checkpoints"),
        (fork(VECTORS["forked"], "a text"), "a checkpoint of the file is malformed"),
        (fork(*VECTORS["notes"][-2:], key="0"), "operator_key is not a public key"),
        (fork() | {"more": 1}, "not exactly the fields"),
    ],
)
def test_other_checkpoints_prove_no_fork(
    saved: Saved, capsys: Printed, content: dict[str, Any], said: str
) -> None:
    assert main(saved(content)) == 1
    printed = capsys.readouterr()
    assert said in printed.out + printed.err


def test_a_missing_file_or_a_folder_is_refused_in_one_sentence(
    tmp_path: Path, capsys: Printed
) -> None:
    for file in (tmp_path / "none.json", tmp_path):
        assert main(file) == 1
        assert capsys.readouterr().err.startswith("NOT VERIFIED: the file cannot be read")


def test_the_formats_are_those_of_the_vectors() -> None:
    assert vectors() == VECTORS
    for each in VECTORS["leaves"]:
        assert leaf_hash(bytes.fromhex(each["entry"])).hex() == each["leaf"]
        assert read_entry(each["entry"]).position >= 1
    for each in VECTORS["inclusion"]:
        leaf = bytes.fromhex(each["leaf"])
        root = root_of(leaf, each["index"], each["size"], each["path"])
        assert root.hex() == VECTORS["roots"][str(each["size"])]
    for text in VECTORS["notes"]:
        found = read_note(text)
        assert found.root.hex() == VECTORS["roots"][str(found.size)]
