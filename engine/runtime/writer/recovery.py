"""Rebuilds the writer's state at a start, from the log alone."""

from collections.abc import Sequence

from engine.cashier.desk import WINDOW_US, restore
from engine.catalogue import GAMES
from engine.engine_state import BET_TOPICS, EngineState
from engine.facts import (
    DESK_STREAM,
    HOUSE_STREAM,
    RECEIPTS_STREAM,
    RecordedFact,
    game_stream,
    round_stream,
)
from engine.house.facts import DayOpened, RoundsCarried
from engine.runtime.log.fact_log import FactLog
from engine.schedule import DEFAULT_TIMEZONE


def recover(log: FactLog, timezone: str = DEFAULT_TIMEZONE) -> EngineState:
    """Loads days, unfinished rounds with their books, each game's newest round and staff settings.

    Players are loaded on demand. A round can be unfinished only on its game's last date with
    rounds, or if it was carried over when a later day or segment opened.
    """
    state = EngineState(timezone, receipts=log.version(RECEIPTS_STREAM))
    state.load_house(log.streams([HOUSE_STREAM]))
    _load_desk(state, log)
    for game in GAMES:
        days = log.streams([game_stream(game)])
        recent = _last_rounds(log, game, days)
        carried = _carried(game, days) - {recorded.stream for recorded in recent}
        facts = [*days, *recent, *(log.streams(sorted(carried)) if carried else [])]
        state.load_days(game, sorted(facts, key=lambda recorded: recorded.position))
    state.evict_rounds()
    unfinished = {round_stream(*key) for key, round_ in state.rounds.items() if not round_.finished}
    if unfinished:
        opened = min(recorded.position for recorded in log.streams(sorted(unfinished)))
        state.load_bets(log.topics_after(opened - 1, BET_TOPICS))
    return state


def _load_desk(state: EngineState, log: FactLog) -> None:
    """Load the desk's facts within `WINDOW_US` before its newest one, which are all it needs."""
    newest = log.fact(DESK_STREAM, log.version(DESK_STREAM))
    if newest is not None:
        facts = log.stream_since(DESK_STREAM, newest.at - WINDOW_US)
        state.desk = restore(newest.version, facts)


def _carried(game: int, days: Sequence[RecordedFact]) -> set[str]:
    """Returns the streams of the rounds that were undrawn when a later day or segment opened."""
    carried = (recorded.fact for recorded in days)
    return {
        round_stream(game, issue)
        for fact in carried
        if isinstance(fact, RoundsCarried)
        for issue in fact.issues
    }


def _last_rounds(log: FactLog, game: int, days: Sequence[RecordedFact]) -> list[RecordedFact]:
    """Returns the facts of all rounds of the game's last date that has rounds."""
    opened = (recorded.fact for recorded in reversed(days))
    dates = dict.fromkeys(fact.date for fact in opened if isinstance(fact, DayOpened))
    for date in dates:
        prefix = round_stream(game, date.replace("-", ""))
        facts = log.streams_between(prefix, prefix + "~")
        if facts:
            return facts
    return []
