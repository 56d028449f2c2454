"""All read models."""

from projections.accounts import AccountProjection
from projections.bets import BetProjection
from projections.content import ContentProjection
from projections.draws import DrawProjection
from projections.profiles import ProfileProjection
from projections.runner.projection import Projection
from projections.winners import WinnerProjection


def read_models(timezone: str) -> tuple[Projection, ...]:
    """Returns the read models in the order of applying a page; days are those of `timezone`."""
    return (
        AccountProjection(timezone),
        ProfileProjection(),
        BetProjection(),
        DrawProjection(),
        WinnerProjection(),
        ContentProjection(),
    )
