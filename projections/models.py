"""Every read model there is."""

from projections.accounts.model import AccountProjection
from projections.bets.model import BetProjection
from projections.contents.model import ContentProjection
from projections.draws.model import DrawProjection
from projections.feed.model import RoomProjection
from projections.model import Projection
from projections.standings.model import ProfileProjection


def read_models(timezone: str) -> tuple[Projection, ...]:
    """The models, in the order in which they take in a page; days are those of `timezone`."""
    return (
        AccountProjection(timezone),
        ProfileProjection(),
        BetProjection(),
        DrawProjection(),
        RoomProjection(),
        ContentProjection(),
    )
