"""Rebuilds a bet's receipt proof from the log. It equals the proof returned with the bet."""

from typing import Final

from engine.bets.facts import BetPlaced
from engine.bets.receipt import receipt_of
from engine.facts import RECEIPTS_STREAM, TOPICS, RecordedFact, player_of, player_stream
from engine.fairness.merkle import Tree, leaf_hash
from engine.house.facts import ReceiptsSigned
from engine.runtime.log.fact_log import FactLog

_PLACED: Final = TOPICS[BetPlaced]


def proof_of(log: FactLog, player: int, version: int) -> tuple[int, Tree, str] | None:
    """Returns index, tree and signature of the bet at this version of the player's stream.

    None if there is no bet, or if no signature of its batch is in the log.
    """
    bet = log.fact(player_stream(player), version)
    if bet is None or not isinstance(bet.fact, BetPlaced):
        return None
    before, signed = log.neighbours(RECEIPTS_STREAM, bet.position)
    if signed is None or not isinstance(signed.fact, ReceiptsSigned):
        return None
    batch = log.topics_between(before, signed.position, [_PLACED])
    tree = Tree([_leaf(recorded) for recorded in batch])
    index = [recorded.position for recorded in batch].index(bet.position)
    return index, tree, signed.fact.signature


def _leaf(recorded: RecordedFact) -> bytes:
    assert isinstance(recorded.fact, BetPlaced)
    return leaf_hash(receipt_of(player_of(recorded.stream), recorded.fact, recorded.at))
