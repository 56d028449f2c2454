"""Receipts of bets: a placed bet's with its signed proof, and those in the proof of a draw.

The proof of a draw has the caller's own bets, with Merkle paths into the frozen record. Paths are
not stored. They come from a tree over every receipt of the round, which costs a read of all its
bets. The tree is built when a player who bet in the round requests the proof, and is cached for
later requests. Rounds that are too large get no paths.
"""

from collections.abc import Sequence
from threading import Lock
from typing import Any, Final

from msgspec import Raw, Struct
from psycopg import Connection

from api.http.field_types import AtUs, Count, Format, MinorUnits, OddsMilli, OrderStatus
from api.http.wire import converter, encode
from engine.answers import BetAccepted
from engine.bets.facts import BetPlaced
from engine.facts import TOPICS, decode
from engine.fairness.merkle import Tree, leaf_hash
from engine.fairness.receipts import read_receipt, receipt_of
from engine.runtime.port import EnginePort
from engine.runtime.writer.reply import ReceiptProof, Reply
from projections.draws import RoundDocument
from projections.pagination import fetch_rows

#: A tree over so many bets is built in about 0.1 s.
MAX_BETS: Final = 5_000
_TREE_CACHE_SIZE: Final = 16
_PLACED: Final = TOPICS[BetPlaced]
# Recalled bets, of status 2, are in no frozen set.
_NOT_RECALLED: Final = (
    "SELECT bets.player, bets.placed_at, bets.status, bets.payout, facts.state"
    " FROM views.bets AS bets JOIN log.facts AS facts ON facts.notification_id = bets.position"
    " WHERE bets.issue = %(issue)s AND bets.game = %(game)s AND bets.status <> 2"
)
_OF_THE_ROUND: Final = _NOT_RECALLED + " ORDER BY bets.position"
_OF_THE_PLAYER: Final = _NOT_RECALLED + " AND bets.player = %(player)s ORDER BY bets.position"


class BetReceipt(Struct, frozen=True, gc=False):
    """A receipt; its canonical bytes (RFC 8785) are a leaf of the round's frozen set.

    `owner` is the SHA-256 of the player's id, in decimal, and the bytes of `salt`.
    """

    at: AtUs
    bet: str
    game: str
    issue: str
    kind: str
    odds_milli: OddsMilli
    odds_table: str
    owner: str
    salt: str
    stake_minor: MinorUnits
    v: Format


_to_bet_receipt: Final = converter(BetReceipt, from_attributes=True)


class BatchProof(Struct, frozen=True, gc=False):
    """The path from a receipt to the head of its batch, which the operator signed."""

    index: Count
    size: Count
    head: str
    signature: str
    path: list[str]


async def signed_receipt(
    engine: EnginePort, player: int, bet: BetAccepted, reply: Reply
) -> Raw | None:
    """Returns the receipt with its proof; None if no proof exists.

    The proof is read from the log if the reply is a stored answer to a repeated request.
    """
    proof = reply.proof or await engine.proof(player, bet.version)
    if proof is None:
        return None
    return Raw(proof.receipt[:-1] + b"," + encode(batch_proof(proof))[1:])


def batch_proof(proof: ReceiptProof) -> BatchProof:
    """Returns the proof as it is sent."""
    path = [node.hex() for node in proof.path]
    return BatchProof(proof.index, proof.size, proof.head.hex(), proof.signature, path)


class BetProof(Struct, frozen=True, gc=False):
    """One of the caller's own bets; `payout_minor` is its payout, stake included.

    `index` and `path` lead from its receipt to the frozen record's `bets`. They are null before the
    close, and for a round of too many bets.
    """

    receipt: BetReceipt
    status: OrderStatus
    payout_minor: MinorUnits
    index: Count | None
    path: tuple[str, ...] | None


class BetSetTree(Struct, frozen=True):
    """The Merkle tree over a round's receipts, and each leaf's index in it."""

    tree: Tree
    places: dict[bytes, int]


class BetSetTreeCache:
    """The newest trees by tree head; used from several threads."""

    def __init__(self) -> None:
        """Initially empty."""
        self._cache: dict[str, BetSetTree] = {}
        self._lock = Lock()

    def get(self, head: str) -> BetSetTree | None:
        """Returns the cached tree with this head; None if it is not cached."""
        return self._cache.get(head)

    def put(self, found: BetSetTree) -> None:
        """Cache a tree, and evict the oldest one if the cache is full."""
        with self._lock:
            self._cache[found.tree.head.hex()] = found
            while len(self._cache) > _TREE_CACHE_SIZE:
                del self._cache[next(iter(self._cache))]


#: Keyed by content, so one cache serves every server instance in the process.
_TREES: Final = BetSetTreeCache()


def own_bets(connection: Connection[Any], player: int, sold: RoundDocument) -> tuple[BetProof, ...]:
    """Returns the player's bets of a round that were not recalled, in log order."""
    values = {"issue": sold.issue, "game": sold.game, "player": player}
    own_rows = fetch_rows(connection, _OF_THE_PLAYER, values)
    frozen = _bet_set_tree(connection, sold) if own_rows else None
    return tuple(_bet(row, frozen) for row in own_rows)


def _bet_set_tree(connection: Connection[Any], sold: RoundDocument) -> BetSetTree | None:
    """Returns the round's tree.

    None if the round is not frozen, is too large, or is not yet complete in the read model.
    """
    if not sold.bets_head or sold.count > MAX_BETS:
        return None
    cached = _TREES.get(sold.bets_head)
    if cached is not None:
        return cached
    found = fetch_rows(connection, _OF_THE_ROUND, {"issue": sold.issue, "game": sold.game})
    leaves = [leaf_hash(_entry(row)) for row in found]
    made = BetSetTree(Tree(leaves), {leaf: place for place, leaf in enumerate(leaves)})
    if made.tree.head.hex() != sold.bets_head:
        return None
    _TREES.put(made)
    return made


def _entry(row: Sequence[Any]) -> bytes:
    """Returns a receipt's canonical bytes from a row of the query."""
    player, placed_at, _, _, state = row
    placed = decode(_PLACED, state)
    assert isinstance(placed, BetPlaced)
    return receipt_of(player, placed, placed_at)


def _bet(row: Sequence[Any], frozen: BetSetTree | None) -> BetProof:
    _, _, status, payout, _ = row
    entry = _entry(row)
    receipt = _to_bet_receipt(read_receipt(entry))
    place = frozen.places.get(leaf_hash(entry)) if frozen else None
    if frozen is None or place is None:
        return BetProof(receipt, status, payout, None, None)
    path = tuple(node.hex() for node in frozen.tree.path(place))
    return BetProof(receipt, status, payout, place, path)
