"""Public randomness beacons (drand): which round belongs to a draw, and whether it is genuine.

Format: https://docs.drand.love/docs/cryptography. The pairing is a library's.
"""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any, Final, NamedTuple

from py_arkworks_bls12381 import GT, G1Point, G2Point

OFF: Final = "off"
_MARGIN_US: Final = 6_000_000
_SECOND_US: Final = 1_000_000
_TAG: Final = "BLS_SIG_BLS12381{}_XMD:SHA-256_SSWU_RO_NUL_"


class Network(NamedTuple):
    """A network: its key in hex, first round and period in seconds, and how it signs."""

    key: str
    genesis: int
    period: int
    is_chained: bool


_NETWORKS: Final[Mapping[str, Network]] = {
    "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971": Network(
        "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c"
        "8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c921cc22b0e17e63aaf4bcb"
        "5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a",
        1_692_803_367,
        3,
        is_chained=False,
    ),
    "8990e7a9aaed2ffed73dbd7092123d6f289930540d7651336225dc172e51b2ce": Network(
        "868f005eb8e6e4ca0a47c8a77ceaa5309a47978a7c71bc5cce96366b5d7a5699"
        "37c529eeda66c7293784a9402801af31",
        1_595_431_050,
        30,
        is_chained=True,
    ),
}


def is_known(mode: str) -> bool:
    """Whether a day may have this mode: off, or a network that this audit knows."""
    return mode == OFF or mode in _NETWORKS


def randomness(beacon: Mapping[str, Any] | None) -> bytes | None:
    """Returns what a beacon adds to a draw; None without one, or if it is malformed."""
    return None if beacon is None else _from_hex(beacon.get("randomness"))


def wrong(
    mode: str, closes_at: int, closed_at: int, beacon: Mapping[str, Any] | None
) -> Iterator[str]:
    """Yields what is wrong with a draw's beacon, by its day's mode.

    `closes_at` is when sales ended and `closed_at` when the log says that the bets were frozen, in
    microseconds.
    """
    if mode == OFF:
        if beacon is not None:
            yield "it has a beacon, but its day has none"
        return
    network = _NETWORKS.get(mode)
    if network is None:
        return  # a finding of the day
    if beacon is None:
        yield "it has no beacon, but its day has one"
        return
    since = closes_at + _MARGIN_US - network.genesis * _SECOND_US
    expected = max(0, -(-since // (network.period * _SECOND_US))) + 1
    if beacon.get("number") != expected:
        yield f"it has another round of the beacon than {expected:,}"
    elif not _is_genuine(network, beacon, expected):
        yield "its beacon's signature is wrong, or its randomness is not the signature's hash"
    if closed_at >= (network.genesis + (expected - 1) * network.period) * _SECOND_US:
        yield (
            "its bets were frozen after its beacon was published: after an outage, or by a house"
            " that chose among lists"
        )


def _is_genuine(network: Network, beacon: Mapping[str, Any], number: int) -> bool:
    signature = _from_hex(beacon.get("signature"))
    previous = _from_hex(beacon.get("previous_signature", ""))
    if signature is None or previous is None or bool(previous) != network.is_chained:
        return False
    if sha256(signature).hexdigest() != beacon.get("randomness"):
        return False
    message = sha256(previous + number.to_bytes(8, "big")).digest()
    key = bytes.fromhex(network.key)
    try:
        if network.is_chained:
            on_g2, public = G2Point.from_compressed_bytes(signature), _g1(key)
            is_encoded_once = on_g2.to_compressed_bytes() == signature
            hashed = G2Point.hash_to_curve(message, _TAG.format("G2").encode())
            return is_encoded_once and GT.pairing_check([G1Point(), -public], [on_g2, hashed])
        on_g1, public_g2 = _g1(signature), G2Point.from_compressed_bytes(key)
        is_encoded_once = on_g1.to_compressed_bytes() == signature
        hashed_g1 = G1Point.hash_to_curve(message, _TAG.format("G1").encode())
        return is_encoded_once and GT.pairing_check([on_g1, -hashed_g1], [G2Point(), public_g2])
    except (ValueError, TypeError):
        return False


def _g1(content: bytes) -> G1Point:
    return G1Point.from_compressed_bytes(content)


def _from_hex(text: object) -> bytes | None:
    if not isinstance(text, str):
        return None
    try:
        found = bytes.fromhex(text)
    except ValueError:
        return None
    return found if found.hex() == text else None
