"""The evidence file of an account, made from the log of a sandbox as the app saves it."""

from collections.abc import Sequence
from typing import Any, Final

from api.game.log_entries import names_others
from engine.facts import TOPICS, RecordedFact, encode, player_stream
from engine.fairness import checkpoints, tiles
from engine.fairness.checkpoints import Checkpoint, Note
from engine.fairness.merkle import Tree, leaf_hash
from engine.players.commands import SendMessage
from engine.staff.roles import actor_of
from tests.auditing.drawn_house import DrawnHouse
from tests.auditing.evening import PLAYERS
from tests.engine.fairness.parties import (
    OPERATOR_KEY,
    OPERATOR_PUBLIC,
    WITNESS_KEY,
    WITNESS_PUBLIC,
)

PLAYER: Final = PLAYERS[0]
AT_S: Final = 1_795_300_000


def log_with_a_message() -> tuple[RecordedFact, ...]:
    """A drawn round in which the player won, a message of staff before it, and recalled bets."""
    house = DrawnHouse(seed=11, games=(1,))
    house.bets(5)
    message = SendMessage(PLAYER, "message-1", "c", actor_of("ann"))
    house.sandbox.submit(message, actor_of("ann"))
    house.draws(1, bets=2)
    house.bets(5)
    house.recalls()
    return house.sandbox.log


def entry_of(it: RecordedFact) -> bytes:
    """The bytes that the leaf of a fact hashes."""
    topic, state = TOPICS[type(it.fact)], encode(it.fact)
    return tiles.entry(
        it.position, it.stream, it.version, topic, it.at, it.command_id, it.actor, state
    )


def account_file(
    log: Sequence[RecordedFact], player: int = PLAYER, *, cosigned: bool = True
) -> dict[str, Any]:
    """The file of a player's facts in this log, with a checkpoint over all of it."""
    tree = Tree([leaf_hash(entry_of(it)) for it in log])
    own = [it for it in log if it.stream == player_stream(player)]
    return {
        "format": "fairdraw/account/v1",
        "player": str(player),
        "operator_key": OPERATOR_PUBLIC.hex(),
        "witness_key": WITNESS_PUBLIC.hex() if cosigned else None,
        "note": _note(tree, cosigned=cosigned).text(),
        "facts": [_fact(it, tree) for it in own],
    }


def _note(tree: Tree, *, cosigned: bool) -> Note:
    origin = checkpoints.origin_of(OPERATOR_PUBLIC)
    found = checkpoints.sign(Checkpoint(origin, tree.size, tree.head), OPERATOR_KEY)
    if not cosigned:
        return found
    line = checkpoints.cosign(found.checkpoint, "witness.example", WITNESS_KEY, AT_S)
    return found.with_signatures([line])


def _fact(it: RecordedFact, tree: Tree) -> dict[str, Any]:
    entry = entry_of(it)
    is_withheld = names_others(TOPICS[type(it.fact)], it.actor)
    return {
        "version": it.version,
        "position": it.position,
        "entry": None if is_withheld else entry.hex(),
        "leaf": leaf_hash(entry).hex() if is_withheld else None,
        "path": [each.hex() for each in tree.path(it.position - 1)],
    }
