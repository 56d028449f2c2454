"""Every read model there is."""

from projections.accounts.model import Accounts
from projections.bets.model import Bets
from projections.contents.model import Contents
from projections.draws.model import Draws
from projections.feed.model import Feed
from projections.model import Model
from projections.standings.model import Standings


def read_models(timezone: str) -> tuple[Model, ...]:
    """The models, in the order in which they take in a page; days are those of `timezone`."""
    return (Accounts(timezone), Standings(), Bets(), Draws(), Feed(), Contents())
