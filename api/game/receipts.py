"""Wire form of a placed bet's receipt, and the signed proof of it."""

from collections.abc import Awaitable, Callable
from typing import Any

from msgspec import Raw, Struct
from psycopg import Connection
from psycopg.rows import TupleRow

from api.http.field_types import AtUs, Format, MinorUnits, OddsMilli
from api.http.wire import encode
from engine.answers import BetAccepted
from engine.bets.facts import BetPlaced
from engine.facts import TOPICS, decode, player_stream
from engine.fairness.receipts import receipt_of as canonical_receipt
from engine.runtime.port import EnginePort
from engine.runtime.writer.reply import ReceiptProof, Reply
from projections.pagination import rows

_FACT = "SELECT state FROM log.facts WHERE originator_id = %s AND originator_version = %s"


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


Read = Callable[[Callable[[Connection[TupleRow]], Any]], Awaitable[Any]]
"""Runs a query of the read models in another thread."""


class _ProofPart(Struct, frozen=True, gc=False):
    index: int
    size: int
    head: str
    signature: str
    path: list[str]


async def receipt_of(
    engine: EnginePort, read: Read, player: int, bet: BetAccepted, reply: Reply
) -> Raw | None:
    """Returns the receipt with its proof; None if no proof exists.

    The proof is read from the log if the reply is a stored answer to a repeated request.
    """
    proof = reply.proof or await engine.proof(player, bet.version)
    placed = await engine.open_bet(player, bet.bet) or await _from_log(read, player, bet)
    if proof is None:
        return None
    receipt = canonical_receipt(player, placed, bet.at)
    return Raw(receipt[:-1] + b"," + _proof_part(proof)[1:])


async def _from_log(read: Read, player: int, bet: BetAccepted) -> BetPlaced:
    key = (player_stream(player), bet.version)
    found = await read(lambda connection: rows(connection, _FACT, key))
    fact = decode(TOPICS[BetPlaced], found[0][0])
    assert isinstance(fact, BetPlaced)
    return fact


def _proof_part(proof: ReceiptProof) -> bytes:
    tree = proof.tree
    path = [node.hex() for node in tree.path(proof.index)]
    return encode(_ProofPart(proof.index, tree.size, tree.head.hex(), proof.signature, path))
