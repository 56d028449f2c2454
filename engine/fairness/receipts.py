"""Receipts: the operator signs one immediately for every accepted bet, which shows it to anyone.

One signature covers a batch: it signs the tree head over the batch's receipts, and each receipt has
an inclusion path. The same bytes are the leaves of the round's frozen set, so the omission of an
accepted bet is detectable.
"""

import re
from collections.abc import Sequence
from hashlib import sha256

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine.bets.facts import BetPlaced
from engine.fairness import signing
from engine.fairness.merkle import leaf_hash, root_from_path

RECEIPT_VERSION = 1
SALT_BYTES = 16
_SALT = re.compile(r"[0-9a-f]{32}")
_encode = msgspec.json.Encoder().encode
_begin_owner = sha256().copy  # half the cost of a new hash


class Receipt(msgspec.Struct, frozen=True):
    """A receipt's fields, declared in RFC 8785 order: encoding one is then canonical.

    `at` is microseconds since the epoch, `game` the id in decimal, `owner` and `salt` hex.
    """

    at: int
    bet: str
    game: str
    issue: str
    kind: str
    odds_milli: int
    odds_table: str
    owner: str
    salt: str
    stake_minor: int
    v: int = RECEIPT_VERSION


_decode = msgspec.json.Decoder(Receipt).decode


def owner_hash(player_id: int, salt: bytes) -> str:
    """Hex H(player id as decimal text || salt): the owner is hidden without the salt."""
    hashed = _begin_owner()
    hashed.update(b"%d" % player_id + salt)
    return hashed.hexdigest()


def read_receipt(entry: bytes) -> Receipt:
    """The fields of a receipt; ValueError unless these are a receipt's canonical bytes."""
    refusal = "not a receipt's canonical bytes"
    try:
        fields = _decode(entry)
    except ValueError as error:
        raise ValueError(refusal) from error
    well_formed = fields.v == RECEIPT_VERSION and _SALT.fullmatch(fields.salt)
    if not well_formed or _encode(fields) != entry:
        raise ValueError(refusal)
    return fields


def is_owner(fields: Receipt, player_id: int) -> bool:
    """Whether a receipt was given to this player."""
    return fields.owner == owner_hash(player_id, bytes.fromhex(fields.salt))


def _head_payload(size: int, head: bytes) -> bytes:
    return size.to_bytes(8, "big") + head


def sign_head(key: Ed25519PrivateKey, size: int, head: bytes) -> bytes:
    """The operator's signature over a batch of `size` receipts."""
    return signing.sign(key, signing.RECEIPTS, _head_payload(size, head))


def verify_receipt(
    public_key: bytes,
    entry: bytes,
    index: int,
    size: int,
    head: bytes,
    path: Sequence[bytes],
    signature: bytes,
) -> bool:
    """Whether the operator signed a batch with these receipt bytes at `index`."""
    try:
        root = root_from_path(leaf_hash(entry), index, size, path)
    except ValueError:
        return False
    return root == head and signing.verify(
        public_key, signing.RECEIPTS, _head_payload(size, head), signature
    )


def receipt_of(player: int, bet: BetPlaced, at: int) -> bytes:
    """The canonical receipt of a bet recorded at this time, in microseconds: its leaf's input."""
    return _encode(
        Receipt(
            at,
            bet.bet,
            str(bet.game),
            bet.issue,
            bet.kind,
            bet.odds_milli,
            bet.odds_table,
            owner_hash(player, bytes.fromhex(bet.salt)),
            bet.salt,
            bet.stake_minor,
        )
    )
