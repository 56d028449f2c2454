"""Verification of beacon rounds, against rounds that drand's networks have published."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from py_arkworks_bls12381 import G1Point, G2Point, Scalar

from engine.fairness.beacon import (
    DEFAULT,
    MARGIN_US,
    NETWORKS,
    QUICKNET,
    BeaconNetwork,
    BeaconRound,
    Scheme,
    is_signed,
)
from tests.engine.fairness.beacons import (
    NETWORK_ROWS,
    RECORDED,
    RECORDED_NETWORKS,
    TEST_NETWORK,
    recorded,
    signed_round,
)

SECOND = 1_000_000
FIELD_ORDER = int(
    "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf"
    "6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab",
    16,
)
every_recorded = pytest.mark.parametrize(
    ("network", "beacon"), RECORDED, ids=[f"{n.name}-{b.number}" for n, b in RECORDED]
)


@every_recorded
def test_a_recorded_round_is_signed_by_its_network(
    network: BeaconNetwork, beacon: BeaconRound
) -> None:
    assert is_signed(network, beacon)


def test_the_recorded_rounds_cover_every_scheme() -> None:
    assert {network.scheme for network, _ in RECORDED} == set(Scheme)


@pytest.mark.parametrize("row", NETWORK_ROWS, ids=lambda row: str(row["name"]))
def test_a_chain_hash_commits_to_the_key_the_genesis_and_the_period(
    row: dict[str, str | int],
) -> None:
    """As drand computes it; the name is part of it, except for the first network's."""
    network = RECORDED_NETWORKS[str(row["chain_hash"])]
    content = network.period_s.to_bytes(4, "big") + network.genesis_s.to_bytes(8, "big")
    content += bytes.fromhex(network.public_key + str(row["group_hash"]))
    content += b"" if network.name == "default" else network.name.encode()
    assert sha256(content).hexdigest() == network.chain_hash


def test_a_day_may_name_the_two_public_networks_as_recorded_and_no_other() -> None:
    assert dict(NETWORKS) == {
        each.chain_hash: RECORDED_NETWORKS[each.chain_hash] for each in (QUICKNET, DEFAULT)
    }


@every_recorded
def test_no_other_round_number_network_or_previous_signature_is_accepted(
    network: BeaconNetwork, beacon: BeaconRound
) -> None:
    assert not is_signed(network, replace(beacon, number=beacon.number + 1))
    assert not is_signed(network, replace(beacon, number=0))
    assert not is_signed(network, replace(beacon, number=1 << 64))
    for other in RECORDED_NETWORKS.values():
        assert is_signed(other, beacon) == (other is network)
    chained = network.scheme is Scheme.CHAINED
    wrong = ("", beacon.signature) if chained else (beacon.signature, "00")
    for previous in wrong:
        assert not is_signed(network, replace(beacon, previous_signature=previous))


@given(st.sampled_from(RECORDED), st.integers(0, 48 * 8 - 1))
def test_a_signature_with_one_bit_changed_is_refused(
    one: tuple[BeaconNetwork, BeaconRound], bit: int
) -> None:
    network, beacon = one
    content = bytearray(bytes.fromhex(beacon.signature))
    content[bit // 8] ^= 1 << bit % 8
    assert not is_signed(network, _of(beacon, bytes(content)))


def _of(beacon: BeaconRound, signature: bytes) -> BeaconRound:
    """The round with another signature, and the randomness that would follow from it."""
    randomness = sha256(signature).hexdigest()
    return replace(beacon, signature=signature.hex(), randomness=randomness)


def test_the_randomness_must_be_the_hash_of_the_signature() -> None:
    beacon = recorded(QUICKNET, 1000)
    assert not is_signed(QUICKNET, replace(beacon, randomness="00" * 32))
    assert not is_signed(QUICKNET, replace(beacon, randomness=beacon.randomness.upper()))


@pytest.mark.parametrize("text", ["", "00", "no hex", "b4 46"])
def test_a_malformed_signature_is_refused(text: str) -> None:
    assert not is_signed(QUICKNET, replace(recorded(QUICKNET, 1000), signature=text))


def test_only_the_one_encoding_of_a_signature_is_accepted() -> None:
    """Another one of the same point would hash to another randomness."""
    beacon = recorded(QUICKNET, 1000)
    content = bytes.fromhex(beacon.signature)
    assert not is_signed(QUICKNET, replace(beacon, signature=beacon.signature.upper()))
    assert not is_signed(QUICKNET, _of(beacon, content + b"\0"))
    uncompressed = G1Point.from_compressed_bytes(content).to_xy_bytes_be()
    assert not is_signed(QUICKNET, _of(beacon, uncompressed))


def test_a_coordinate_above_the_field_is_refused() -> None:
    """Of nearly one signature in four there is another number for the same coordinate."""
    signed = (signed_round(number) for number in range(1, 100))
    beacon = next(each for each in signed if _coordinate(each) + FIELD_ORDER < 1 << 381)
    assert is_signed(TEST_NETWORK, beacon)
    aliased = int(beacon.signature, 16) + FIELD_ORDER
    assert not is_signed(TEST_NETWORK, _of(beacon, aliased.to_bytes(48, "big")))


def _coordinate(beacon: BeaconRound) -> int:
    """The coordinate without the three flags above it."""
    return int(beacon.signature, 16) % (1 << 381)


@pytest.mark.parametrize(
    ("network", "number", "size"), [(QUICKNET, 1000, 48), (DEFAULT, 1000, 96)], ids=["G1", "G2"]
)
def test_the_identity_and_points_outside_the_subgroup_are_refused(
    network: BeaconNetwork, number: int, size: int
) -> None:
    beacon = recorded(network, number)
    assert not is_signed(network, _of(beacon, b"\xc0" + bytes(size - 1)))
    for content in _outside_the_subgroup(size):
        assert not is_signed(network, _of(beacon, content))


def _outside_the_subgroup(size: int) -> list[bytes]:
    """Points on the curve itself, of which nearly none is in the subgroup."""
    group: type[G1Point | G2Point] = G1Point if size == 48 else G2Point
    found = []
    for x in range(64):
        content = b"\x80" + bytes(size - 2) + bytes([x])
        try:
            point = group.from_compressed_bytes_unchecked(content)
        except ValueError:
            continue
        assert not point.is_in_subgroup()
        found.append(content)
    assert found
    return found


def test_a_signature_by_another_key_is_refused() -> None:
    network = TEST_NETWORK
    assert is_signed(network, signed_round(7))
    key = (G2Point() * Scalar(2)).to_compressed_bytes().hex()
    assert not is_signed(replace(network, public_key=key), signed_round(7))


def test_a_network_with_the_identity_as_its_key_signs_nothing() -> None:
    """Under that key the identity would verify for every message."""
    keyless = replace(QUICKNET, public_key=(b"\xc0" + bytes(95)).hex())
    identity = (b"\xc0" + bytes(47)).hex()
    beacon = recorded(QUICKNET, 1000)
    assert not is_signed(keyless, beacon)
    assert not is_signed(keyless, _of(beacon, bytes.fromhex(identity)))


def test_the_beacon_round_is_the_first_at_least_six_seconds_after_the_close() -> None:
    published = QUICKNET.published_at(1000)
    assert published == 1_692_806_364 * SECOND
    assert MARGIN_US == 6 * SECOND
    assert QUICKNET.first_round(published - MARGIN_US) == 1000
    assert QUICKNET.first_round(published - MARGIN_US + 1) == 1001
    assert QUICKNET.first_round(0) == 1


@given(
    st.sampled_from((QUICKNET, DEFAULT)),
    st.integers(1_700_000_000, 2_000_000_000),
    st.integers(0, SECOND - 1),
)
def test_every_close_has_one_beacon_round_and_none_between(
    network: BeaconNetwork, second: int, us: int
) -> None:
    closes_at = second * SECOND + us
    number = network.first_round(closes_at)
    earliest = closes_at + MARGIN_US
    assert network.published_at(number - 1) < earliest <= network.published_at(number)
