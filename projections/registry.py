"""All read models."""

from projections.accounts.projection import AccountProjection
from projections.bets.projection import BetProjection
from projections.content.projection import ContentProjection
from projections.draws.projection import DrawProjection
from projections.profiles.projection import ProfileProjection
from projections.rooms.projection import RoomProjection
from projections.runner.projection import Projection


def read_models(timezone: str) -> tuple[Projection, ...]:
    """Returns the read models in the order of applying a page; days are those of `timezone`."""
    return (
        AccountProjection(timezone),
        ProfileProjection(),
        BetProjection(),
        DrawProjection(),
        RoomProjection(),
        ContentProjection(),
    )
