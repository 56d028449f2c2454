"""The writer's state at a start: folded from the log, and from nothing else."""

from collections.abc import Iterable
from itertools import groupby

from engine.catalogue import GAMES
from engine.facts import RECEIPTS_STREAM, Recorded, game_stream, round_stream
from engine.rounds.facts import RoundOpened
from engine.runtime.log import FactLog
from engine.world import BET_TOPICS, World


def recover(log: FactLog) -> World:
    """The days, the owed rounds with their books, and each game's newest round.

    Players come on demand. A round can only be owed on its game's open day: no next day opens
    before.
    """
    world = World(receipts=log.version(RECEIPTS_STREAM))
    first_bet: list[int] = []
    for game in GAMES:
        world.load_game(game, log.streams([game_stream(game)]))
        for facts in _rounds_of_day(log, world, game):
            at_hand = world.load_round(facts)
            if not at_hand.finished:
                first_bet.append(facts[0].position)
    world.forget_rounds()
    if first_bet:
        world.load_bets(log.topics_after(min(first_bet), BET_TOPICS))
    return world


def _rounds_of_day(log: FactLog, world: World, game: int) -> list[list[Recorded]]:
    """The facts of each round of the game's open day or segment, in the order of the rounds."""
    opened = world.games[game].opened
    if opened is None:
        return []
    prefix = round_stream(game, opened.date.replace("-", ""))
    facts = log.streams_between(prefix, prefix + "~")
    mine = [stream for stream in _by_stream(facts) if _opened(stream).day == opened.day]
    return sorted(mine, key=lambda stream: _opened(stream).index)


def _by_stream(facts: Iterable[Recorded]) -> list[list[Recorded]]:
    return [list(group) for _, group in groupby(facts, key=lambda recorded: recorded.stream)]


def _opened(stream: list[Recorded]) -> RoundOpened:
    fact = stream[0].fact
    assert isinstance(fact, RoundOpened)
    return fact
