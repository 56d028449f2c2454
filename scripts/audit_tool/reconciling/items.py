"""Items to match, and the results. Amounts in minor units, days as ordinals."""

from typing import Literal

from msgspec import Struct

Rule = Literal["reference", "similar reference", "amount and day", "sum"]


class Item(Struct, frozen=True, gc=False):
    """A line of the statement or a movement of the ledger; `key` is unique on its side.

    `amount_minor` is above zero for money that came in and below for money that went out.
    """

    key: int
    day: int
    amount_minor: int
    references: tuple[str, ...] = ()


class MatchTolerance(Struct, frozen=True):
    """How far apart two sides may be and still match.

    `tolerance_minor` applies to a whole match, `days` to any line and movement of it, and `parts`
    to the number of items on the side with several when they are found by their sum alone.
    """

    tolerance_minor: int = 0
    days: int = 3
    parts: int = 4


class Match(Struct, frozen=True, order=True):
    """Lines and movements, by key, that are the same money; at least one side is a single item."""

    lines: tuple[int, ...]
    movements: tuple[int, ...]
    rule: Rule


class Ambiguity(Struct, frozen=True, order=True):
    """More than one reading: `alternatives` share lines or movements, and none was chosen.

    `more` says that there are, or may be, further readings.
    """

    lines: tuple[int, ...]
    movements: tuple[int, ...]
    alternatives: tuple[Match, ...]
    more: bool


class Dispute(Struct, frozen=True, order=True):
    """One line and one movement with the same reference, too far apart in amount or in days."""

    line: int
    movement: int


class MatchOutcome(Struct, frozen=True):
    """Every line and movement, once each; all in ascending order of keys.

    `lines` and `movements` are unmatched. Those in `unsearched_lines` and `unsearched_movements`
    have so many possible sums that the search was stopped.
    """

    matches: tuple[Match, ...]
    disputes: tuple[Dispute, ...]
    ambiguities: tuple[Ambiguity, ...]
    lines: tuple[int, ...]
    movements: tuple[int, ...]
    unsearched_lines: tuple[int, ...]
    unsearched_movements: tuple[int, ...]
