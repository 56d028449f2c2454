"""The auditor's own formats, schedule and bet rules are the published ones, and the engine's."""

import json
from hashlib import sha256
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import asdict

from engine import schedule as engine_schedule
from engine.catalogue import DRAWS_PER_SUM, KINDS, SUMS_OF
from engine.schedule import Schedule, demo, regular
from scripts.audit_tool.draw_audit import protocol, rules, stored
from scripts.audit_tool.draw_audit.segments import Chain

TESTS = Path(__file__).resolve().parents[1]
ANSWER = json.loads((TESTS / "engine/fairness/known_answer.json").read_text())
GAME, DAY, INDEX = int(ANSWER["game"]), ANSWER["day"], ANSWER["i"]


def hashed(text: str) -> bytes:
    return sha256(text.encode()).digest()


@pytest.mark.parametrize(("role", "name"), [("operator", "c"), ("witness", "w")])
def test_a_chain_leads_to_the_published_links_and_to_no_others(role: str, name: str) -> None:
    tail = hashed(ANSWER[f"{role}_tail_text"])
    chain = Chain(role, GAME, DAY, ANSWER[f"{name}_0"])
    published = bytes.fromhex(ANSWER[f"{name}_{INDEX}"])
    assert not chain.reveal(INDEX - 1, published)
    assert not chain.reveal(INDEX + 1, published)
    assert chain.reveal(INDEX, published)
    assert chain.reveal(ANSWER["rounds"], tail)
    assert chain.reveal(INDEX, published), (
        "an earlier link is compared with the one that follows it"
    )
    assert not chain.reveal(INDEX, tail)
    assert chain.revealed == ANSWER["rounds"]


def test_the_draw_gives_the_published_digits() -> None:
    head = protocol.tree_head([protocol.leaf(text.encode()) for text in ANSWER["leaves_text"]])
    assert head.hex() == ANSWER["bets"]
    frozen = sha256(ANSWER["frozen_prefix_text"].encode() + head).digest()
    assert frozen.hex() == ANSWER["f"]
    operator, witness = (bytes.fromhex(ANSWER[f"{name}_{INDEX}"]) for name in "cw")
    drawn = protocol.digits(operator, witness, GAME, DAY, INDEX, frozen)
    assert list(drawn) == ANSWER["digits"]


def test_the_tree_over_nothing_is_the_hash_of_nothing() -> None:
    assert protocol.tree_head([]) == sha256(b"").digest()


def test_the_same_sums_win_and_as_many_draws_have_them() -> None:
    assert rules.WAYS == DRAWS_PER_SUM
    assert {kind: sorted(sums) for kind, sums in rules.WINNING.items()} == {
        kind: list(SUMS_OF[kind]) for kind in KINDS
    }


@pytest.mark.parametrize(
    ("schedule", "day"),
    [
        (regular(), "2026-11-21"),
        (demo(30), "2026-11-21"),
        (demo(10, "America/New_York"), "2026-03-07"),  # the next day begins an hour earlier
        (demo(210, "America/New_York"), "2026-10-31"),
        (regular("Europe/London"), "2026-10-24"),
    ],
)
def test_the_schedule_is_the_same(schedule: Schedule, day: str) -> None:
    for game in (1, 4):
        own = rules.Schedule(asdict(schedule), game, day)
        rounds = engine_schedule.rounds_on(schedule, day)
        assert own.rounds == rounds
        for index in (1, 2, rounds):
            slot = engine_schedule.slot(schedule, game, day, index)
            assert own.times(index) == (slot.opens_at, slot.closes_at, slot.draws_at)
            assert own.issue(index) == engine_schedule.issue(schedule, day, index)


def test_a_signature_of_another_length_is_none() -> None:
    key = Ed25519PrivateKey.from_private_bytes(hashed("operator"))
    public, signature = key.public_key().public_bytes_raw().hex(), key.sign(b"F" + b"record")
    assert protocol.is_signed(public, b"F", b"record", signature.hex())
    for cut in (0, 1, 63):
        moved = signature[cut:] + b"F"
        assert not protocol.is_signed(public, moved, b"record", signature[:cut].hex())
    assert not protocol.is_signed(public, b"F", b"record", (signature + b"F").hex())
    assert not protocol.is_signed(public[:-2], b"F", b"record", signature.hex())


RETURNED = '{"game":1,"issue":"20261121001","count":0,"stake_minor":0}'


@pytest.mark.parametrize("text", [RETURNED, f" {RETURNED}", f"{RETURNED}\n"])
def test_a_fact_is_read_with_white_space_around_it(text: str) -> None:
    fact = stored.read((1, "round-1-20261121001", 0, "stakes-returned.1", text.encode()))
    assert fact.fields == json.loads(RETURNED)


@pytest.mark.parametrize("text", ["", f"{RETURNED}x", f"{RETURNED},{RETURNED}", f"x{RETURNED}"])
def test_a_fact_with_anything_else_around_it_is_malformed(text: str) -> None:
    with pytest.raises(stored.FactMalformed, match="is not JSON"):
        stored.read((1, "round-1-20261121001", 0, "stakes-returned.1", text.encode()))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *((name, value) for name in ("game", "count") for value in (-1, 2**53, 1.0, True, "1")),
        *(("issue", value) for value in (1, None, "\ud800", ["20261121001"])),
    ],
)
def test_a_field_with_a_value_that_it_cannot_have_is_named(field: str, value: object) -> None:
    state = json.dumps(json.loads(RETURNED) | {field: value}).encode()
    with pytest.raises(stored.FactMalformed, match=f"as {field}$"):
        stored.read((1, "round-1-20261121001", 0, "stakes-returned.1", state))


def test_a_missing_field_is_named() -> None:
    for name in ("game", "issue"):
        fields = {key: value for key, value in json.loads(RETURNED).items() if key != name}
        with pytest.raises(stored.FactMalformed, match=f"has no {name}$"):
            stored.read((1, "round", 0, "stakes-returned.1", json.dumps(fields).encode()))
