"""Effective turnover: how much of a player's stakes on a round counts toward the turnover due.

It is the total stake less the mean of the 250 lowest of the 1,000 payouts, not below zero. A player
who backs both sides risks next to nothing, and next to nothing counts. Such bets therefore need no
ban. `cashier/payment_state.py` has what is still due.
"""

from collections.abc import Iterable

from engine.bets.facts import BetPlaced
from engine.catalogue import DRAWS, DRAWS_PER_SUM, SUMS, SUMS_OF
from engine.odds import payout_minor

_LOWEST = 250
_DRAWS_OF = {kind: sum(DRAWS_PER_SUM[total] for total in sums) for kind, sums in SUMS_OF.items()}


def effective_turnover(bets: Iterable[BetPlaced]) -> tuple[int, int]:
    """Stake and effective turnover of one player's bets on one round, in minor units."""
    stake, backed = 0, dict[str, int]()
    for bet in bets:
        stake += bet.stake_minor
        payout = payout_minor(bet.stake_minor, bet.odds_milli)
        backed[bet.kind] = backed.get(bet.kind, 0) + payout
    return stake, max(0, (stake * _LOWEST - _lowest(backed)) // _LOWEST)


def _lowest(backed: dict[str, int]) -> int:
    """The sum of the 250 lowest of 1,000 payouts, from the payout of each kind that was backed."""
    if sum(map(_DRAWS_OF.__getitem__, backed)) <= len(DRAWS) - _LOWEST:
        return 0  # as for most players: 250 draws or more pay them nothing
    payouts = [0 for _ in SUMS]
    for kind, payout in backed.items():
        for total in SUMS_OF[kind]:
            payouts[total] += payout
    return _lowest_of(payouts)


def _lowest_of(payouts: list[int]) -> int:
    """The sum of the 250 lowest payouts; each sum counts as often as it is drawn in 1,000."""
    total, left = 0, _LOWEST
    for payout, times in sorted(zip(payouts, DRAWS_PER_SUM, strict=True)):
        taken = min(times, left)
        total += payout * taken
        left -= taken
        if not left:
            break
    return total
