"""The proof that the house's log holds a round before the witness releases its link.

Without it the house could show the witness a round that its log, and so every auditor, lacks. The
proof is against a checkpoint that the witness has cosigned: a log that it saw continue.
"""

import msgspec
from msgspec import Struct

from engine.facts import decode, game_stream, round_stream
from engine.fairness import merkle, tiles
from engine.fairness.records import DayRecord, FrozenRecord
from engine.house import game_day
from engine.house.facts import DayOpened
from engine.rounds import state as rounds
from engine.rounds.facts import RoundClosed


class LoggedFact(Struct, frozen=True):
    """The bytes of a leaf (`engine.fairness.tiles.entry`), and its path to the root."""

    content: bytes
    path: tuple[bytes, ...]


class LogEvidence(Struct, frozen=True):
    """A round's day and its frozen record in the first `size` facts of the log."""

    size: int
    opened: LoggedFact
    closed: LoggedFact


def holds(evidence: LogEvidence, root: bytes, day: DayRecord, frozen: FrozenRecord) -> bool:
    """Whether the tree with this root holds both records, the day's before the round's."""
    try:
        opened = _proven(evidence.opened, evidence.size, root)
        closed = _proven(evidence.closed, evidence.size, root)
        day_fact = decode(opened.topic, opened.state)
        round_fact = decode(closed.topic, closed.state)
    except (ValueError, KeyError, msgspec.MsgspecError):
        return False
    return (
        isinstance(day_fact, DayOpened)
        and isinstance(round_fact, RoundClosed)
        and opened.stream == game_stream(int(day.game))
        and closed.stream == round_stream(int(frozen.game), frozen.issue)
        and opened.position < closed.position
        and game_day.record_of(day_fact) == day
        and rounds.record_of(round_fact) == frozen
    )


def _proven(fact: LoggedFact, size: int, root: bytes) -> tiles.LeafEntry:
    """Returns the entry. Raises ValueError unless it is in the tree at its position."""
    entry = tiles.read_entry(fact.content)
    leaf = merkle.leaf_hash(fact.content)
    if merkle.root_from_path(leaf, entry.position - 1, size, fact.path) != root:
        raise ValueError("the path does not lead to the root")
    return entry
