"""Whether two managers set every odds table, and each day used the table set for it."""

from collections.abc import Iterator

from engine.facts import RecordedFact
from engine.house.facts import ODDS, DayOpened, OddsProposed, OddsSet, ProposalRejected, proposal_id
from engine.odds import OddsFrom, odds_on, with_odds

RULE = "odds"


class OddsCheck:
    """Reads the whole log in the order of positions; a day without a set table is not checked."""

    def __init__(self) -> None:
        """Initially empty, before the first fact."""
        self._odds: tuple[OddsFrom, ...] = ()
        self._open: tuple[str, OddsProposed] | None = None

    def take(self, recorded: RecordedFact) -> Iterator[str]:
        """Check the next fact; yields the violations."""
        match recorded.fact:
            case OddsProposed() as proposed:
                self._open = proposal_id(ODDS, recorded.version), proposed
            case ProposalRejected(proposal=dropped):
                if self._open is not None and self._open[0] == dropped:
                    self._open = None
            case OddsSet() as agreed:
                yield from self._set(agreed)
            case DayOpened(date=date, odds_table=table, game=game):
                expected = odds_on(self._odds, date)
                if expected and expected != table:
                    yield f"game {game} opened {date} at {table}, for which {expected} was set"
            case _:
                pass

    def _set(self, agreed: OddsSet) -> Iterator[str]:
        proposed = self._open[1] if self._open is not None else None
        if proposed is None or proposed.table != agreed.table:
            yield f"{agreed.table} was set without a proposal"
        elif proposed.by == agreed.by:
            yield f"{agreed.table} was set by {agreed.by} alone"
        self._odds = with_odds(self._odds, agreed.from_day, agreed.table)
        self._open = None
