"""Accounts from facts, and from nothing else: pure, so that an auditor can call it anywhere."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from engine.facts import RecordedFact
from engine.ledger import Posting, account, postings
from scripts.auditing import FindingError

PARTS = ("available", "staked", "withdrawing", "bonus")


class HistoryEntry(Struct, frozen=True):
    """One fact in a player's history: what it moved in each part, and what each then held.

    Amounts are minor units, in the order of `PARTS`.
    """

    recorded: RecordedFact
    amounts: tuple[int, ...]
    balances: tuple[int, ...]


def balances_at(facts: Iterable[RecordedFact], position: int) -> dict[str, int]:
    """What every account that these facts touch held at a log position, in minor units.

    The facts are in the order of positions; an account that was never touched is not there.
    """
    balances: dict[str, int] = {}
    for recorded in facts:
        if recorded.position > position:
            break
        for posting in balanced_postings(recorded):
            balances[posting.account] = balances.get(posting.account, 0) + posting.amount_minor
    return balances


def entries(player: int, facts: Iterable[RecordedFact]) -> Iterator[HistoryEntry]:
    """A player's history with running balances.

    Raises:
        FindingError: a fact is missing, or moves another's money or a part that nobody knows.
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
    """The postings of a fact.

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
