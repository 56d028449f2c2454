"""The receipt that a player gets with each accepted bet, and can show to anyone."""

from engine.bets.facts import BetPlaced
from engine.fairness.receipts import receipt


def receipt_of(player: int, bet: BetPlaced, at: int) -> bytes:
    """The canonical receipt of a bet recorded at this time, in microseconds."""
    return receipt(
        bet=bet.bet,
        game=str(bet.game),
        issue=bet.issue,
        kind=bet.kind,
        stake_minor=bet.stake_minor,
        odds_milli=bet.odds_milli,
        odds_table=bet.odds_table,
        at=at,
        player_id=player,
        salt=bytes.fromhex(bet.salt),
    )
