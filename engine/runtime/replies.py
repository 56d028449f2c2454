"""What comes back from the writer: an answer, and for a bet the proof of its receipt."""

from msgspec import Struct

from engine.answers import Answer
from engine.fairness.merkle import Tree


class ReceiptProof(Struct, frozen=True):
    """Where a bet's receipt stands among those that its batch's signature covers."""

    index: int
    tree: Tree
    signature: str


class Reply(Struct, frozen=True):
    """An answer; what it tells of stands in the log up to `position`, 0 when nothing does."""

    answer: Answer
    position: int = 0
    proof: ReceiptProof | None = None
