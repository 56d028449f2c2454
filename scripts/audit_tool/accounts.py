"""Accounts computed from facts alone. Pure functions, so an auditor can call them anywhere."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from engine.facts import RecordedFact
from engine.ledger import Posting, account, postings
from engine.money import MINOR_PER_UNIT
from scripts.audit_tool import FindingError

PARTS = ("available", "staked", "withdrawing", "bonus")


class HistoryEntry(Struct, frozen=True):
    """One fact in a player's history: its change of each part, and each part's running balance.

    Amounts are minor units, in the order of `PARTS`.
    """

    recorded: RecordedFact
    amounts: tuple[int, ...]
    balances: tuple[int, ...]


def entries(player: int, facts: Iterable[RecordedFact]) -> Iterator[HistoryEntry]:
    """Yields a player's history with running balances.

    Raises:
        FindingError: a fact is missing, or moves another player's money or an unknown part.
    """
    places = {account(player, part): place for place, part in enumerate(PARTS)}
    balances = [0] * len(PARTS)
    for version, recorded in enumerate(facts, 1):
        if recorded.version != version:
            raise FindingError(
                f"{recorded.stream} goes from version {version - 1} to {recorded.version}"
                f" at position {recorded.position}"
            )
        amounts = [0] * len(PARTS)
        for posting in balanced_postings(recorded):
            if posting.account in places:
                amounts[places[posting.account]] += posting.amount_minor
            elif posting.account.startswith("player:"):
                raise FindingError(f"position {recorded.position} moves {posting.account}")
        balances = [before + amount for before, amount in zip(balances, amounts, strict=True)]
        yield HistoryEntry(recorded, tuple(amounts), tuple(balances))


def balanced_postings(recorded: RecordedFact) -> tuple[Posting, ...]:
    """Returns the postings of a fact.

    Raises:
        FindingError: they do not sum to zero.
    """
    try:
        legs = postings(recorded)
    except AssertionError:
        legs = (Posting("", 1),)
    if sum(leg.amount_minor for leg in legs):
        raise FindingError(f"the postings of position {recorded.position} do not sum to zero")
    return legs


def units(amount_minor: int) -> str:
    """`-1,234.05` for -123405."""
    whole, cents = divmod(abs(amount_minor), MINOR_PER_UNIT)
    return f"{'-' if amount_minor < 0 else ''}{whole:,}.{cents:02}"


def change(amount_minor: int) -> str:
    """The same with a plus sign, or a dot for zero."""
    if not amount_minor:
        return "."
    return f"{'+' if amount_minor > 0 else ''}{units(amount_minor)}"
