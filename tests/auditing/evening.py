"""A random evening of a small house, reproducible from a seed: the log that the audit reads."""

import random

from engine.bets.facts import BetPlaced
from tests.projections.history import History, bet

PLAYERS = (10_001, 10_002, 10_003)
BOT = 10_004


def evening(history: History, steps: int, seed: int = 1) -> None:
    """Players and a bot join, pay in and bet, for `steps` steps."""
    rng = random.Random(seed)
    history.joins(*PLAYERS)
    history.joins(BOT, bot=True)
    for player in (*PLAYERS, BOT):
        history.deposits(player, 100_000, "demo" if player == BOT else "bank")
    history.opens()
    open_bets: list[tuple[int, BetPlaced]] = []
    for number in range(steps):
        history.later(rng.choice((0, 0, 0.000_001, 1)))
        if open_bets and rng.random() < 0.4:
            _end(history, rng, *open_bets.pop(rng.randrange(len(open_bets))))
        else:
            player = rng.choice((*PLAYERS, BOT))
            placed = bet(number, rng.randrange(1, 9) * 100)
            history.bets(player, placed)
            open_bets.append((player, placed))


def _end(history: History, rng: random.Random, player: int, placed: BetPlaced) -> None:
    payout = rng.choice((0, placed.stake_minor * placed.odds_milli // 1_000))
    ways = (
        lambda: history.recalls(player, placed),
        lambda: history.voids(player, placed),
        lambda: history.settles(player, placed, 14, payout),
    )
    rng.choice(ways)()
