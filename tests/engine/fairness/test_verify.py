from hashlib import sha256
from typing import Any

import msgspec
import pytest

from engine import catalogue
from engine.fairness import signing, verify
from engine.fairness.beacon import BEACON_OFF, NETWORKS, BeaconRound, randomness_of
from engine.fairness.canonical import canonical
from engine.fairness.draw import draw
from engine.fairness.merkle import Tree, leaf_hash
from engine.fairness.records import record_hash
from engine.fairness.verify import Check, OwnBet, PublishedRound, verify_round
from engine.odds import SPECIFIED, payout_minor
from tests.engine.fairness.beacons import TEST_NETWORK, signed_round
from tests.engine.fairness.parties import (
    DATE,
    GAME,
    OPERATOR_KEY,
    OPERATOR_PUBLIC,
    STRANGER_KEY,
    WITNESS_KEY,
    WITNESS_PUBLIC,
    closes_at,
    frozen_set,
    opened_day,
    operator_chain,
    receipt,
    witness_chain,
)

ROUND = 7
PLAYER = 10_001


def _entry(number: int, kind: str, **change: Any) -> bytes:
    fields: dict[str, Any] = {
        "bet": f"B{number}",
        "game": int(GAME),
        "issue": "20261121007",
        "kind": kind,
        "stake_minor": 1_000 + number,
        "odds_milli": SPECIFIED.odds_milli[kind],
        "odds_table": SPECIFIED.id,
        "at": closes_at(ROUND) - 1,
        "player_id": PLAYER,
        "salt": number.to_bytes(16, "big"),
    }
    return receipt(**{**fields, **change})


def _publish(
    entries: list[bytes], mode: str = BEACON_OFF, beacon: BeaconRound | None = None
) -> PublishedRound:
    """An honest round over these receipts, signed by both parties and drawn."""
    opened = opened_day(beacon=mode)
    head = Tree([leaf_hash(entry) for entry in entries]).head
    frozen = frozen_set(ROUND, bets=head, count=len(entries))
    day, f = canonical(opened), record_hash(frozen)
    operator, witness = operator_chain()[ROUND], witness_chain()[ROUND]
    return PublishedRound(
        day_opened=day,
        day_signature_operator=signing.sign(OPERATOR_KEY, signing.DAY, day),
        day_signature_witness=signing.sign(WITNESS_KEY, signing.DAY, day),
        frozen=canonical(frozen),
        frozen_signature_operator=signing.sign(OPERATOR_KEY, signing.FROZEN, f),
        release_signature_witness=signing.sign(WITNESS_KEY, signing.RELEASE, f),
        operator_link=operator,
        witness_link=witness,
        digits=draw(operator, witness, GAME, DATE, ROUND, f, randomness_of(beacon)),
        beacon=beacon,
    )


ENTRIES = [_entry(number, kind) for number, kind in enumerate(SPECIFIED.kinds)]
TREE = Tree([leaf_hash(entry) for entry in ENTRIES])
PUBLISHED = _publish(ENTRIES)
TOTAL = sum(PUBLISHED.digits)


def _own_bet(number: int) -> OwnBet:
    kind = SPECIFIED.kinds[number]
    won = catalogue.wins(kind, TOTAL)
    paid = payout_minor(1_000 + number, SPECIFIED.odds_milli[kind]) if won else 0
    return OwnBet(ENTRIES[number], PLAYER, number, tuple(TREE.path(number)), paid)


OWN_BETS = [_own_bet(number) for number in range(len(ENTRIES))]


def _failed(published: PublishedRound, bets: list[OwnBet] | None = None) -> set[Check]:
    findings = verify_round(OPERATOR_PUBLIC, WITNESS_PUBLIC, published, bets or [])
    return {finding.check for finding in findings if not finding.passed}


def test_every_check_of_an_honest_round_passes_for_every_kind_of_bet() -> None:
    findings = verify_round(OPERATOR_PUBLIC, WITNESS_PUBLIC, PUBLISHED, OWN_BETS)
    assert all(finding.passed for finding in findings)
    assert {finding.check for finding in findings} == set(Check)
    assert {finding.bet for finding in findings} == {None, *range(len(OWN_BETS))}
    assert any(bet.paid_minor for bet in OWN_BETS)


def _flipped(value: bytes) -> bytes:
    return value[:-1] + bytes([value[-1] ^ 1])


@pytest.mark.parametrize(
    ("change", "failed"),
    [
        ({"day_opened": b"{}"}, {Check.RECORDS_READABLE}),
        ({"frozen": PUBLISHED.frozen + b" "}, {Check.RECORDS_READABLE}),
        ({"day_signature_operator": bytes(64)}, {Check.DAY_SIGNED_BY_OPERATOR}),
        ({"day_signature_witness": bytes(64)}, {Check.DAY_SIGNED_BY_WITNESS}),
        ({"frozen_signature_operator": bytes(64)}, {Check.SET_SIGNED_BY_OPERATOR}),
        ({"release_signature_witness": bytes(64)}, {Check.SET_RELEASED_BY_WITNESS}),
        (
            {"release_signature_witness": PUBLISHED.frozen_signature_operator},
            {Check.SET_RELEASED_BY_WITNESS},
        ),
        (
            {"operator_link": _flipped(PUBLISHED.operator_link)},
            {Check.OPERATOR_LINK, Check.DIGITS},
        ),
        (
            {"witness_link": _flipped(PUBLISHED.witness_link)},
            {Check.WITNESS_LINK, Check.DIGITS},
        ),
        (
            {"operator_link": operator_chain()[ROUND + 1]},
            {Check.OPERATOR_LINK, Check.DIGITS},
        ),
        ({"digits": (PUBLISHED.digits[0], PUBLISHED.digits[1], 9)}, {Check.DIGITS}),
        ({"beacon": signed_round(1)}, {Check.BEACON, Check.DIGITS}),
    ],
)
def test_an_alteration_of_a_published_round_is_named(
    change: dict[str, Any], failed: set[Check]
) -> None:
    assert PUBLISHED.digits[2] != 9
    assert _failed(msgspec.structs.replace(PUBLISHED, **change)) == failed


def test_bets_frozen_after_the_draw_break_both_signatures_and_the_digits() -> None:
    later = canonical(frozen_set(ROUND, bets=bytes(32), count=1))
    failed = _failed(msgspec.structs.replace(PUBLISHED, frozen=later))
    signatures = {Check.SET_SIGNED_BY_OPERATOR, Check.SET_RELEASED_BY_WITNESS}
    assert signatures <= failed <= signatures | {Check.DIGITS}


def test_keys_other_than_the_trusted_ones_prove_nothing() -> None:
    stranger = signing.public_bytes(STRANGER_KEY)
    failed = {
        finding.check
        for finding in verify_round(stranger, WITNESS_PUBLIC, PUBLISHED)
        if not finding.passed
    }
    assert failed == {
        Check.PARTIES_KNOWN,
        Check.DAY_SIGNED_BY_OPERATOR,
        Check.SET_SIGNED_BY_OPERATOR,
    }


@pytest.mark.parametrize(
    "change",
    [
        {"i": 0},
        {"i": 275},
        {"i": 2**40},
        {"i": -1},
        {"day": "2026-11-22"},
        {"game": "2"},
        {"game": "x" * 70_000},
    ],
    ids=lambda change: str(change)[:30],
)
def test_a_set_of_another_day_or_index_is_named_and_draws_nothing(change: dict[str, Any]) -> None:
    frozen = canonical(msgspec.structs.replace(frozen_set(ROUND), **change))
    failed = _failed(msgspec.structs.replace(PUBLISHED, frozen=frozen))
    assert {Check.ROUND_OF_THE_DAY, Check.OPERATOR_LINK, Check.WITNESS_LINK, Check.DIGITS} <= failed


@pytest.mark.parametrize(
    ("change", "failed"),
    [
        ({"entry": b"{}"}, {Check.RECEIPT_READABLE}),
        ({"player_id": PLAYER + 1}, {Check.RECEIPT_OWNED}),
        ({"index": 1}, {Check.RECEIPT_IN_SET}),
        ({"index": 99}, {Check.RECEIPT_IN_SET}),
        ({"path": ()}, {Check.RECEIPT_IN_SET}),
        ({"paid_minor": OWN_BETS[0].paid_minor + 1}, {Check.PAYOUT}),
        ({"paid_minor": OWN_BETS[0].paid_minor - 1}, {Check.PAYOUT}),
    ],
)
def test_a_mistake_in_an_own_bet_is_named(change: dict[str, Any], failed: set[Check]) -> None:
    bet = msgspec.structs.replace(OWN_BETS[0], **change)
    assert _failed(PUBLISHED, [bet]) == failed


@pytest.mark.parametrize(
    "change",
    [{"issue": "20261121008"}, {"game": "2"}, {"at": closes_at(ROUND)}],
)
def test_a_receipt_of_another_round_or_after_the_close_is_named_even_if_frozen(
    change: dict[str, Any],
) -> None:
    entry = _entry(0, "big", **change)
    published = _publish([entry])
    won = catalogue.wins("big", sum(published.digits))
    bet = OwnBet(entry, PLAYER, 0, (), payout_minor(1_000, 1_980) if won else 0)
    assert _failed(published, [bet]) == {Check.RECEIPT_OF_THE_ROUND}


def test_the_checks_own_rules_of_winning_agree_with_the_engines_on_every_sum() -> None:
    """Written twice on purpose: 1,000 rounds of links would not cover every sum and kind."""
    for kind in catalogue.KINDS:
        assert [t for t in catalogue.SUMS if verify._won(kind, t)] == list(catalogue.SUMS_OF[kind])
    assert not any(verify._won(kind, 14) for kind in ("", "huge", "big_huge", "014", "28"))


def test_the_empty_set_of_a_round_without_bets_verifies() -> None:
    published = _publish([])
    assert msgspec.json.decode(published.frozen)["bets"] == sha256(b"").hexdigest()
    assert _failed(published) == set()


@pytest.fixture
def with_beacon(monkeypatch: pytest.MonkeyPatch) -> PublishedRound:
    """An honest round of a day whose mode is the tests' own network."""
    monkeypatch.setitem(NETWORKS, TEST_NETWORK.chain_hash, TEST_NETWORK)
    number = TEST_NETWORK.first_round(closes_at(ROUND))
    return _publish([], TEST_NETWORK.chain_hash, signed_round(number))


def test_an_honest_round_with_a_beacon_passes_and_another_beacon_is_named(
    with_beacon: PublishedRound,
) -> None:
    assert _failed(with_beacon) == set()
    beacon = with_beacon.beacon
    assert beacon is not None
    others = (
        None,
        signed_round(beacon.number + 1),
        signed_round(beacon.number - 1),
        msgspec.structs.replace(signed_round(beacon.number + 1), number=beacon.number),
        msgspec.structs.replace(beacon, randomness="no hex"),
        msgspec.structs.replace(beacon, randomness="00" * 32),
    )
    for other in others:
        failed = _failed(msgspec.structs.replace(with_beacon, beacon=other))
        assert failed == {Check.BEACON, Check.DIGITS}


def test_the_digits_of_a_round_with_a_beacon_do_not_follow_without_it(
    with_beacon: PublishedRound,
) -> None:
    links = with_beacon.operator_link, with_beacon.witness_link
    f = sha256(with_beacon.frozen).digest()
    without = draw(*links, GAME, DATE, ROUND, f, None)
    assert without != with_beacon.digits
    assert _failed(msgspec.structs.replace(with_beacon, digits=without)) == {Check.DIGITS}


def test_a_day_with_an_unknown_mode_verifies_with_no_beacon() -> None:
    mode = TEST_NETWORK.chain_hash
    number = TEST_NETWORK.first_round(closes_at(ROUND))
    for beacon in (None, signed_round(number)):
        assert _failed(_publish([], mode, beacon)) == {Check.BEACON, Check.DIGITS}
