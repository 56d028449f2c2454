"""The writer's reply: an answer, and for a bet its receipt proof, which the log can give again.

Both are values that another process can receive.
"""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from engine.answers import Answer
from engine.bets.facts import BetPlaced
from engine.facts import TOPICS, RecordedFact, player_of, player_stream
from engine.fairness.merkle import Tree, leaf_hash
from engine.fairness.receipts import receipt_of
from engine.house.facts import ReceiptsSigned
from engine.runtime.log.fact_log import FactLog

_PLACED: Final = TOPICS[BetPlaced]
_SIGNED: Final = TOPICS[ReceiptsSigned]


class ReceiptProof(Struct, frozen=True, gc=False, array_like=True):
    """A bet's receipt, and its proof in the Merkle tree that its batch's signature covers.

    `receipt` are its canonical bytes, `index` is its leaf of the `size` leaves under `head`, and
    `path` leads there.
    """

    receipt: bytes
    index: int
    size: int
    head: bytes
    path: list[bytes]
    signature: str


class Reply(Struct, frozen=True, gc=False, array_like=True):
    """An answer. Its facts are in the log up to `position`, 0 if there are none."""

    answer: Answer
    position: int = 0
    proof: ReceiptProof | None = None


def proof_of(log: FactLog, player: int, version: int) -> ReceiptProof | None:
    """Returns the proof of the bet at this version of the player's stream, as the bet had it.

    None if there is no bet, or if no signature of its batch is in the log.
    """
    bet = log.fact(player_stream(player), version)
    if bet is None or not isinstance(bet.fact, BetPlaced):
        return None
    batch = log.batch_facts(bet, _PLACED, _SIGNED)
    if not batch:
        return None
    *bets, signed = batch
    assert isinstance(signed.fact, ReceiptsSigned)
    receipts = [_receipt(recorded) for recorded in bets]
    index = [recorded.position for recorded in bets].index(bet.position)
    tree = Tree([leaf_hash(receipt) for receipt in receipts])
    path, signature = tree.path(index), signed.fact.signature
    return ReceiptProof(receipts[index], index, tree.size, tree.head, path, signature)


def receipt_proofs(receipts: Sequence[bytes], tree: Tree, signature: str) -> list[ReceiptProof]:
    """Returns the proofs of a batch's receipts, which are the leaves of this tree, in order."""
    size, head = tree.size, tree.head
    return [
        ReceiptProof(receipt, index, size, head, path, signature)
        for index, (receipt, path) in enumerate(zip(receipts, tree.paths(), strict=True))
    ]


def _receipt(recorded: RecordedFact) -> bytes:
    assert isinstance(recorded.fact, BetPlaced)
    return receipt_of(player_of(recorded.stream), recorded.fact, recorded.at)
