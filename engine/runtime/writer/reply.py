"""The writer's reply: an answer, and for a bet its receipt proof."""

from msgspec import Struct

from engine.answers import Answer
from engine.fairness.merkle import Tree


class ReceiptProof(Struct, frozen=True):
    """A bet's receipt in the Merkle tree that its batch's signature covers; `index` is its leaf."""

    index: int
    tree: Tree
    signature: str


class Reply(Struct, frozen=True):
    """An answer. Its facts are in the log up to `position`, 0 if there are none."""

    answer: Answer
    position: int = 0
    proof: ReceiptProof | None = None
