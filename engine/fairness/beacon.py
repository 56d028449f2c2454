"""Public randomness beacons: drand's networks, and the verification of their rounds.

Rules:
- The day's record names a network by its chain hash, which commits to the network's key, genesis
  and period. A network that is not listed here cannot take part in a draw.
- The beacon round follows from the close of sales: the first at least `MARGIN_US` after it. No one
  knows its value before sales end, and no other round may take its place.
- The randomness is the hash of a signature, and a BLS signature is unique: for a key and a message
  exactly one verifies. Only its canonical encoding is accepted, because another one would hash to
  other randomness.

Format: https://docs.drand.love/docs/cryptography. Schemes differ in what is signed and in which of
the curve's two groups the signature is.
"""

from collections.abc import Mapping
from enum import StrEnum
from hashlib import sha256
from typing import Final, TypeVar

from msgspec import Struct
from py_arkworks_bls12381 import GT, G1Point, G2Point

BEACON_OFF: Final = "off"
"""The mode of a day whose draws have no beacon; any other mode is a network's chain hash."""
MARGIN_US: Final = 6_000_000
_SECOND_US: Final = 1_000_000
_G1_TAG: Final = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
_G2_TAG: Final = b"BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_NUL_"
_MAX_ROUND: Final = (1 << 64) - 1
_Point = TypeVar("_Point", G1Point, G2Point)


class Scheme(StrEnum):
    """What a network signs, by drand's names; its keys are in the other group."""

    CHAINED = "pedersen-bls-chained"
    UNCHAINED = "pedersen-bls-unchained"
    UNCHAINED_G1 = "bls-unchained-g1-rfc9380"


class BeaconNetwork(Struct, frozen=True):
    """A drand network: its public key, the time of its first round, and the time between two.

    `chain_hash` and `public_key` are hex.
    """

    name: str
    chain_hash: str
    scheme: Scheme
    public_key: str
    genesis_s: int
    period_s: int

    def first_round(self, closes_at: int) -> int:
        """The beacon round of a draw whose sales end at `closes_at` microseconds."""
        since_genesis_us = closes_at + MARGIN_US - self.genesis_s * _SECOND_US
        return max(0, -(-since_genesis_us // (self.period_s * _SECOND_US))) + 1

    def published_at(self, number: int) -> int:
        """When a beacon round is published, in microseconds since 1970."""
        return (self.genesis_s + (number - 1) * self.period_s) * _SECOND_US


class BeaconRound(Struct, frozen=True, omit_defaults=True):
    """One round of a beacon as it was published; randomness and signatures in lower-case hex.

    `previous_signature` is empty for a network whose rounds are not chained.
    """

    number: int
    randomness: str
    signature: str
    previous_signature: str = ""


QUICKNET: Final = BeaconNetwork(
    name="quicknet",
    chain_hash="52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
    scheme=Scheme.UNCHAINED_G1,
    public_key=(
        "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c"
        "8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c921cc22b0e17e63aaf4bcb"
        "5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a"
    ),
    genesis_s=1_692_803_367,
    period_s=3,
)
DEFAULT: Final = BeaconNetwork(
    name="default",
    chain_hash="8990e7a9aaed2ffed73dbd7092123d6f289930540d7651336225dc172e51b2ce",
    scheme=Scheme.CHAINED,
    public_key=(
        "868f005eb8e6e4ca0a47c8a77ceaa5309a47978a7c71bc5cce96366b5d7a5699"
        "37c529eeda66c7293784a9402801af31"
    ),
    genesis_s=1_595_431_050,
    period_s=30,
)
NETWORKS: Final[Mapping[str, BeaconNetwork]] = {
    network.chain_hash: network for network in (QUICKNET, DEFAULT)
}
"""The networks of the League of Entropy that a day's record may name, by chain hash.

A network stays here after its end: the draws of its days must remain verifiable.
"""


def is_beacon_mode(mode: str) -> bool:
    """Whether the draws of a day may have this beacon mode."""
    return mode == BEACON_OFF or mode in NETWORKS


def is_beacon_of(mode: str, closes_at: int, beacon: BeaconRound | None) -> bool:
    """Whether a draw has this beacon, by its day's mode and the close of sales in microseconds.

    True for None if the mode is off. With any other mode only one value in the world is true.
    """
    if mode == BEACON_OFF:
        return beacon is None
    network = NETWORKS.get(mode)
    if network is None or beacon is None or beacon.number != network.first_round(closes_at):
        return False
    return is_signed(network, beacon)


def randomness_of(beacon: BeaconRound | None) -> bytes | None:
    """The 32 bytes that a verified beacon contributes to a draw; None without a beacon."""
    return None if beacon is None else bytes.fromhex(beacon.randomness)


def is_signed(network: BeaconNetwork, beacon: BeaconRound) -> bool:
    """Whether the network signed this round, and the randomness is the signature's hash."""
    signature, previous = _from_hex(beacon.signature), _from_hex(beacon.previous_signature)
    if signature is None or previous is None or not 0 < beacon.number <= _MAX_ROUND:
        return False
    if bool(previous) != (network.scheme is Scheme.CHAINED):
        return False
    if sha256(signature).hexdigest() != beacon.randomness:
        return False
    message = sha256(previous + beacon.number.to_bytes(8, "big")).digest()
    key = bytes.fromhex(network.public_key)
    if network.scheme is Scheme.UNCHAINED_G1:
        return _verify_on_g1(key, message, signature)
    return _verify_on_g2(key, message, signature)


def _from_hex(text: str) -> bytes | None:
    """The bytes of lower-case hex without spaces; None for any other text."""
    try:
        content = bytes.fromhex(text)
    except ValueError:
        return None
    return content if content.hex() == text else None


def _verify_on_g1(key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether e(signature, g2) = e(H(message), key)."""
    point, public = _point(G1Point, signature), _point(G2Point, key)
    if point is None or public is None:
        return False
    hashed = G1Point.hash_to_curve(message, _G1_TAG)
    return GT.pairing_check([point, -hashed], [G2Point(), public])


def _verify_on_g2(key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether e(g1, signature) = e(key, H(message))."""
    point, public = _point(G2Point, signature), _point(G1Point, key)
    if point is None or public is None:
        return False
    hashed = G2Point.hash_to_curve(message, _G2_TAG)
    return GT.pairing_check([G1Point(), -public], [point, hashed])


def _point(group: type[_Point], content: bytes) -> _Point | None:
    """The point with this canonical encoding; None outside the subgroup and for the identity."""
    try:
        point = group.from_compressed_bytes(content)
    except (ValueError, TypeError):
        return None
    is_canonical = point.to_compressed_bytes() == content
    return point if is_canonical and point != group.identity() else None
