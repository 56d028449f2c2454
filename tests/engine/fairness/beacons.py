"""Recorded rounds of drand's networks, and a network whose secret key the tests know.

`recorded_beacons.json` has rounds as the networks published them, each with the public page or
repository that records it. Where the source gives the randomness, it is the one in the file.
"""

import json
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec
from py_arkworks_bls12381 import G1Point, G2Point, Scalar

from engine.fairness.beacon import BeaconNetwork, BeaconRound, Scheme

_RECORDED = json.loads(Path(__file__).with_name("recorded_beacons.json").read_text())
#: The rows of the networks, with the `group_hash` that only their chain hash contains.
NETWORK_ROWS: Final[list[dict[str, str | int]]] = _RECORDED["networks"]
RECORDED_NETWORKS: Final = {
    str(row["chain_hash"]): msgspec.convert(row, BeaconNetwork) for row in NETWORK_ROWS
}
RECORDED: Final = [
    (RECORDED_NETWORKS[row["chain_hash"]], msgspec.convert(row, BeaconRound))
    for row in _RECORDED["rounds"]
]

_SECRET = Scalar(0x5EC2E7)
_TAG = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
#: Not a network of the product: a test that draws with it adds it to `NETWORKS`.
TEST_NETWORK: Final = BeaconNetwork(
    name="test",
    chain_hash=sha256(b"a network of the tests").hexdigest(),
    scheme=Scheme.UNCHAINED_G1,
    public_key=(G2Point() * _SECRET).to_compressed_bytes().hex(),
    genesis_s=1_600_000_000,
    period_s=3,
)


def recorded(network: BeaconNetwork, number: int) -> BeaconRound:
    """A recorded round; raises StopIteration if there is none."""
    return next(
        beacon
        for each, beacon in RECORDED
        if each.chain_hash == network.chain_hash and beacon.number == number
    )


def signed_round(number: int) -> BeaconRound:
    """A round as the tests' own network signs it."""
    message = sha256(number.to_bytes(8, "big")).digest()
    signature = (G1Point.hash_to_curve(message, _TAG) * _SECRET).to_compressed_bytes()
    return BeaconRound(number, sha256(signature).hexdigest(), signature.hex())
