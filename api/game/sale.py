"""Sale settings made by staff: closed halls, and the odds tables by day."""

from msgspec import Struct

from engine.catalogue import PLANS
from engine.facts import Fact
from engine.house.facts import OddsSet, SwitchTurned
from engine.house.house_state import ALL, PRODUCT
from engine.odds import OddsFrom, odds_on, with_odds


class SaleSettings(Struct):
    """`closed` are the scopes that staff closed; `odds` the tables they set, by first day."""

    closed: frozenset[str] = frozenset()
    odds: tuple[OddsFrom, ...] = ()

    def apply(self, fact: Fact) -> None:
        """Apply the next fact of the log; facts about other subjects change nothing."""
        match fact:
            case SwitchTurned(scope=scope, closed=closed):
                self.closed = self.closed | {scope} if closed else self.closed - {scope}
            case OddsSet(table=table, from_day=day):
                self.odds = with_odds(self.odds, day, table)
            case _:
                pass

    def is_closed(self, plan: int) -> bool:
        """Whether staff closed this hall or a scope that contains it."""
        wide = {PRODUCT, ALL, f"game-{PLANS[plan].game}", f"plan-{plan}"}
        return bool(self.closed & wide)

    def odds_on(self, day: str) -> str:
        """Returns the odds table that staff set for a day (yyyy-mm-dd); empty if they set none."""
        return odds_on(self.odds, day)
