"""Bets that the server accepts: spread over games and kinds, within funds and cap."""

from engine.bets.commands import PlaceBet
from engine.catalogue import GAMES, NUMBER_KINDS, plans_of
from engine.money import units
from engine.odds import SPECIFIED

STAKE_MINOR = units(1)
FUNDS_MINOR = units(1_000_000)
FIRST_HALL = {game: plans_of(game)[0].id for game in GAMES}
_NAMED_KINDS = tuple(kind for kind in SPECIFIED.kinds if kind not in NUMBER_KINDS)
_NUMBER_EVERY = 16  # at odds of 950, more bets on a number would soon reach the cap


def kind_of(number: int) -> str:
    """The kind of the bet with this number: all in turn, mostly the named ones."""
    turn, place = divmod(number, _NUMBER_EVERY)
    if place == 0:
        return NUMBER_KINDS[turn % len(NUMBER_KINDS)]
    return _NAMED_KINDS[number % len(_NAMED_KINDS)]


def bet_of(player: int, game: int, issue: str, number: int) -> PlaceBet:
    """A bet of 1u in the game's first hall."""
    return PlaceBet(player, game, FIRST_HALL[game], issue, kind_of(number), STAKE_MINOR)
