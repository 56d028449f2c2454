"""The house's steps with a game's day. They come from the conductor, never from a player."""

from msgspec import Struct

from engine.fairness.records import DayRecord


class OpenDay(Struct, frozen=True, tag="open-day"):
    """Publish both commitments, signed by both parties, before the first sale."""

    game: int
    record: DayRecord
    odds_table: str
    operator_signature: str
    witness_signature: str


class SkipRounds(Struct, frozen=True, tag="skip-rounds"):
    """Rounds up to `last` passed unsold; their links are revealed."""

    game: int
    last: int
    operator_secret: str
    witness_secret: str


HouseCommand = OpenDay | SkipRounds
