"""The draw: one function computes it from two true secrets and the frozen set alone."""

import ast
import json
from hashlib import sha256
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.answers import Refused
from engine.facts import decode, encode
from engine.fairness import signing
from engine.fairness.beacon import DEFAULT, NETWORKS, QUICKNET, BeaconRound
from engine.fairness.draw import draw as draw_digits
from engine.house import game_day as houses
from engine.house.game_day import open_day
from engine.refusals import Refusal
from engine.rounds.commands import DrawRound
from engine.rounds.decisions import draw
from engine.rounds.facts import RoundDrawn
from tests.engine.a_round import ARound, flipped
from tests.engine.fairness import parties
from tests.engine.fairness.beacons import TEST_NETWORK, recorded, signed_round
from tests.engine.given import a_bet, member, open_game, opening

ROOT = Path(__file__).parents[2]
WRONG = Refused(Refusal.SECRET_WRONG)
BEACON_WRONG = Refused(Refusal.SECRET_WRONG, "beacon")
NOT_DUE = Refused(Refusal.ROUND_NOT_DUE)


def drawing(one: ARound, command: DrawRound, later: int = 0) -> object:
    return draw(command, one.round, one.game, one.place.draws_at + later)


def test_the_digits_follow_from_both_secrets_and_the_frozen_set() -> None:
    one = ARound().opened().with_bet(a_bet(), member(1_000)).closed()
    drawn = one.drawn()
    assert one.round.closed is not None
    frozen = bytes.fromhex(one.round.closed.frozen)
    secrets = parties.operator_chain()[1], parties.witness_chain()[1]
    assert drawn.digits == draw_digits(*secrets, "1", parties.DATE, 1, frozen, None)
    assert drawn.total == sum(drawn.digits)
    assert (drawn.operator_secret, drawn.witness_secret) == tuple(each.hex() for each in secrets)
    assert drawn.frozen == frozen.hex()


def test_a_round_is_drawn_at_its_time_and_not_before() -> None:
    one = ARound().opened().closed()
    assert drawing(one, one.drawing(), later=-1) == NOT_DUE
    assert isinstance(drawing(one, one.drawing()), list)


def test_an_open_or_voided_round_is_not_drawn() -> None:
    one = ARound().opened()
    closed = ARound().opened().closed()
    assert drawing(one, closed.drawing()) == NOT_DUE


def test_a_drawn_round_is_not_drawn_again() -> None:
    """Drawn digits are final: a second draw yields no facts, whatever its secrets."""
    one = ARound().opened().closed()
    command = one.drawing()
    one.drawn()
    assert drawing(one, command) == []
    assert drawing(one, replace(command, operator_secret="00" * 32)) == []


@given(st.sampled_from(("operator_secret", "witness_secret")), st.integers(0, 255))
def test_a_secret_with_one_bit_changed_is_refused(name: str, bit: int) -> None:
    one = ARound().opened().closed()
    command = one.drawing()
    changed = replace(command, **{name: flipped(getattr(command, name), bit)})
    assert drawing(one, changed) == WRONG


@pytest.mark.parametrize("index", [0, 2, 3, 274])
def test_a_secret_of_another_round_is_refused(index: int) -> None:
    one = ARound().opened().closed()
    other = parties.operator_chain()[index].hex()
    assert drawing(one, replace(one.drawing(), operator_secret=other)) == WRONG
    witness_link = parties.witness_chain()[index].hex()
    assert drawing(one, replace(one.drawing(), witness_secret=witness_link)) == WRONG


def test_the_two_secrets_cannot_be_exchanged() -> None:
    one = ARound().opened().closed()
    true = one.drawing()
    swapped = replace(
        true, operator_secret=true.witness_secret, witness_secret=true.operator_secret
    )
    assert drawing(one, swapped) == WRONG


@given(st.integers(0, 511))
def test_a_signature_with_one_bit_changed_is_refused(bit: int) -> None:
    one = ARound().opened().closed()
    changed = flipped(one.drawing().witness_signature, bit)
    refused = drawing(one, replace(one.drawing(), witness_signature=changed))
    assert refused == Refused(Refusal.SECRET_WRONG, "witness_signature")


def test_the_witness_must_have_signed_this_frozen_set() -> None:
    """Another set of the same round, with bets added after the close, is not drawn."""
    signed = ARound().opened().closed()
    other = ARound().opened().with_bet(a_bet(), member(1_000)).closed()
    refused = drawing(other, signed.drawing())
    assert refused == Refused(Refusal.SECRET_WRONG, "witness_signature")


@pytest.mark.parametrize("key", [parties.OPERATOR_KEY, parties.STRANGER_KEY])
def test_only_the_witness_of_the_day_can_release(key: Ed25519PrivateKey) -> None:
    one = ARound().opened().closed()
    assert one.round.closed is not None
    frozen = bytes.fromhex(one.round.closed.frozen)
    forged = signing.sign(key, signing.RELEASE, frozen).hex()
    assert isinstance(drawing(one, replace(one.drawing(), witness_signature=forged)), Refused)


def test_a_cancellation_does_not_count_as_a_release() -> None:
    one = ARound().opened().closed()
    cancelled = one.voiding().witness_signature
    assert isinstance(drawing(one, replace(one.drawing(), witness_signature=cancelled)), Refused)


def test_links_of_undrawn_rounds_are_bridged() -> None:
    first = ARound().opened().closed()
    third = ARound(3, first.game).opened().closed()
    assert third.drawn().index == 3


def test_the_result_is_never_computed_from_the_commitment() -> None:
    """A public casino drew from the hash that it had published as its commitment.

    A guess from the values that are public before the reveal must be right only by chance.
    """
    game = ARound().game
    hits = 0
    for index in range(1, 41):
        one = ARound(index, game).opened().closed()
        _, operator_link, witness_link = game.revealed
        drawn = one.drawn()
        assert operator_link not in {drawn.operator_secret, drawn.witness_secret}
        assert witness_link not in {drawn.operator_secret, drawn.witness_secret}
        public = bytes.fromhex(operator_link), bytes.fromhex(witness_link)
        frozen = bytes.fromhex(drawn.frozen)
        guess = draw_digits(*public, "1", parties.DATE, index, frozen, None)
        hits += guess == drawn.digits
    assert hits <= 1


@pytest.fixture
def with_beacon(monkeypatch: pytest.MonkeyPatch) -> ARound:
    """A closed round of a day whose draws have a beacon."""
    monkeypatch.setitem(NETWORKS, TEST_NETWORK.chain_hash, TEST_NETWORK)
    return ARound(game=open_game(TEST_NETWORK.chain_hash)).opened().closed()


def true_beacon(one: ARound) -> BeaconRound:
    return signed_round(TEST_NETWORK.first_round(one.place.closes_at))


def test_with_a_beacon_the_digits_follow_from_it_too(with_beacon: ARound) -> None:
    one, beacon = with_beacon, true_beacon(with_beacon)
    (drawn,) = draw(replace(one.drawing(), beacon=beacon), one.round, one.game, one.place.draws_at)  # type: ignore[misc]
    assert isinstance(drawn, RoundDrawn)
    secrets = parties.operator_chain()[1], parties.witness_chain()[1]
    randomness = sha256(bytes.fromhex(beacon.signature)).digest()
    frozen = bytes.fromhex(drawn.frozen)
    assert drawn.digits == draw_digits(*secrets, "1", parties.DATE, 1, frozen, randomness)
    assert drawn.beacon == beacon


def test_with_a_beacon_the_round_waits_for_it(with_beacon: ARound) -> None:
    """There is no fallback: without the beacon's round nothing is drawn, however late."""
    for later in (0, 3_600_000_000, 86_400_000_000):
        assert drawing(with_beacon, with_beacon.drawing(), later) == BEACON_WRONG


@pytest.mark.parametrize("step", [-2, -1, 1, 2, 1000])
def test_no_other_round_of_the_beacon_is_accepted(with_beacon: ARound, step: int) -> None:
    number = true_beacon(with_beacon).number
    other = signed_round(number + step)
    for beacon in (other, replace(other, number=number)):
        command = replace(with_beacon.drawing(), beacon=beacon)
        assert drawing(with_beacon, command) == BEACON_WRONG


def test_a_beacon_that_its_network_did_not_sign_is_refused(with_beacon: ARound) -> None:
    beacon = true_beacon(with_beacon)
    chosen = sha256(b"chosen").hexdigest()
    unsigned = (
        replace(beacon, randomness=chosen),
        replace(beacon, signature=flipped(beacon.signature)),
        replace(beacon, signature="", randomness=sha256(b"").hexdigest()),
        replace(beacon, previous_signature="00"),
    )
    for other in unsigned:
        assert drawing(with_beacon, replace(with_beacon.drawing(), beacon=other)) == BEACON_WRONG


def test_without_a_beacon_mode_no_beacon_takes_part() -> None:
    one = ARound().opened().closed()
    assert drawing(one, replace(one.drawing(), beacon=recorded(QUICKNET, 1000))) == BEACON_WRONG


def test_the_mode_is_that_of_the_rounds_own_segment(with_beacon: ARound) -> None:
    """A later segment without a beacon does not free an undrawn round of an earlier one."""
    one = with_beacon
    one.round.segment = one.game.opened
    later = opening(f"{parties.DATE}/1", first=2)
    opened = open_day(later, one.game, selling=False)
    assert isinstance(opened, list)
    houses.evolve(one.game, opened[0])
    assert drawing(one, one.drawing()) == BEACON_WRONG
    assert isinstance(drawing(one, replace(one.drawing(), beacon=true_beacon(one))), list)


def test_a_draw_without_a_beacon_is_stored_as_ever() -> None:
    one = ARound().opened().closed()
    drawn = one.drawn()
    assert "beacon" not in json.loads(encode(drawn))
    beacon = recorded(DEFAULT, 1000)
    stored = encode(replace(drawn, beacon=beacon))
    assert json.loads(stored)["beacon"] == {
        "number": 1000,
        "randomness": beacon.randomness,
        "signature": beacon.signature,
        "previous_signature": beacon.previous_signature,
    }
    assert decode(drawn.topic, stored) == replace(drawn, beacon=beacon)


def _makers(name: str) -> set[tuple[str, str]]:
    """The file and name of each of our functions that calls something of this name."""
    found = set()
    for folder in ("engine", "api", "projections", "scripts"):
        for path in (ROOT / folder).rglob("*.py"):
            tree = ast.parse(path.read_text())
            for function in ast.walk(tree):
                if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                    calls = (each for each in ast.walk(function) if isinstance(each, ast.Call))
                    if any(name in ast.unparse(call.func).split(".") for call in calls):
                        found.add((path.relative_to(ROOT).as_posix(), function.name))
    return found


def test_only_the_client_of_the_relays_makes_a_beacon_round() -> None:
    """No call, setting or command of staff leads to one, and its signature is verified there."""
    makers = {("engine/runtime/scheduler/beacon_client.py", "_read")}
    assert _makers(BeaconRound.__name__) == makers
    assert _makers(DrawRound.__name__) == {
        ("engine/runtime/scheduler/drawing.py", "draw"),
        ("engine/sandbox.py", "drawing"),
    }


def test_one_function_makes_a_draw_and_it_sees_no_bets() -> None:
    """GLI-19 3.2.1: no path for a person to set a result; 4.5.2: it cannot read selections."""
    assert _makers(RoundDrawn.__name__) == {("engine/rounds/decisions.py", "draw")}
    tree = ast.parse((ROOT / "engine/rounds/decisions.py").read_text())
    function = next(
        each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name == "draw"
    )
    names = {each.attr for each in ast.walk(function) if isinstance(each, ast.Attribute)}
    assert not names & {"book", "bets", "open_bets", "stakes", "gross_minor", "count"}
