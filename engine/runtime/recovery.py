"""The writer's state at a start: folded from the log, and from nothing else."""

from collections.abc import Sequence

from engine.catalogue import GAMES
from engine.desk.state import WINDOW_US, restored
from engine.facts import (
    DESK_STREAM,
    HOUSE_STREAM,
    RECEIPTS_STREAM,
    Recorded,
    game_stream,
    round_stream,
)
from engine.house.facts import DayOpened, RoundsCarried
from engine.runtime.log import FactLog
from engine.schedule import DEFAULT_TIMEZONE
from engine.world import BET_TOPICS, World


def recover(log: FactLog, timezone: str = DEFAULT_TIMEZONE) -> World:
    """The days, the owed rounds with their books, each game's newest round, and what staff set.

    Players come on demand. A round can only be owed on its game's last date with rounds, or if
    it was carried over when a later day or segment opened.
    """
    world = World(timezone, receipts=log.version(RECEIPTS_STREAM))
    world.load_office(log.streams([HOUSE_STREAM]))
    _load_desk(world, log)
    for game in GAMES:
        days = log.streams([game_stream(game)])
        recent = _last_rounds(log, game, days)
        carried = _carried(game, days) - {recorded.stream for recorded in recent}
        facts = [*days, *recent, *(log.streams(sorted(carried)) if carried else [])]
        world.load_days(game, sorted(facts, key=lambda recorded: recorded.position))
    world.forget_rounds()
    owed = {round_stream(*key) for key, at_hand in world.rounds.items() if not at_hand.finished}
    if owed:
        opened = min(recorded.position for recorded in log.streams(sorted(owed)))
        world.load_bets(log.topics_after(opened - 1, BET_TOPICS))
    return world


def _load_desk(world: World, log: FactLog) -> None:
    """What the desk's newest fact finds within its day, which is all that the desk remembers."""
    newest = log.fact(DESK_STREAM, log.version(DESK_STREAM))
    if newest is not None:
        facts = log.stream_since(DESK_STREAM, newest.at - WINDOW_US)
        world.desk = restored(newest.version, facts)


def _carried(game: int, days: Sequence[Recorded]) -> set[str]:
    """The streams of the rounds that were undrawn when a later day or segment opened."""
    carried = (recorded.fact for recorded in days)
    return {
        round_stream(game, issue)
        for fact in carried
        if isinstance(fact, RoundsCarried)
        for issue in fact.issues
    }


def _last_rounds(log: FactLog, game: int, days: Sequence[Recorded]) -> list[Recorded]:
    """The facts of all rounds of the game's last date that has any."""
    opened = (recorded.fact for recorded in reversed(days))
    dates = dict.fromkeys(fact.date for fact in opened if isinstance(fact, DayOpened))
    for date in dates:
        prefix = round_stream(game, date.replace("-", ""))
        facts = log.streams_between(prefix, prefix + "~")
        if facts:
            return facts
    return []
