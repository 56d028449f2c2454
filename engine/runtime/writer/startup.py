"""Before an engine leads: checks that the data belongs to it, and rebuilds the writer's state.

A demo's log is never opened for real money, nor a real-money log as a demo. Nothing is signed with
an operator key other than the log's, because rounds signed by two keys could not be drawn.
"""

from collections.abc import Sequence
from typing import Final

from engine.cashier.solo_approvals import APPROVAL_WINDOW_US, restore_solo_approvals
from engine.catalogue import GAMES
from engine.engine_state import BET_TOPICS, EngineState
from engine.facts import (
    HOUSE_STREAM,
    RECEIPTS_STREAM,
    SOLO_APPROVALS_STREAM,
    RecordedFact,
    decode,
    game_stream,
    round_stream,
)
from engine.house.facts import DayOpened, HouseFounded, Mode, RoundsCarried
from engine.runtime.log.fact_log import FactLog
from engine.schedule import DEFAULT_TIMEZONE

_FOUNDED: Final = (
    "SELECT topic, state FROM log.facts WHERE originator_id = %s AND topic LIKE 'house-founded.%%'"
    " ORDER BY originator_version LIMIT 1"
)
# A log without a HouseFounded fact is searched for these. The fact is then appended, so only once.
_PLAYED: Final = (
    "SELECT EXISTS (SELECT FROM log.facts WHERE actor IN ('staff:demo', 'staff:demo-colleague')"
    " OR CASE topic"
    " WHEN 'deposit-approved.1' THEN convert_from(state, 'UTF8')::jsonb ->> 'channel' = 'demo'"
    " WHEN 'player-registered.1' THEN (convert_from(state, 'UTF8')::jsonb ->> 'bot')::boolean"
    " ELSE false END) AS found"
)
_JOINED: Final = (
    "SELECT EXISTS (SELECT FROM log.facts WHERE topic = 'player-registered.1') AS found"
)
_OTHER_MODE: Final = {
    Mode.DEMO: "this data is a demo's, and its play money must not become real: choose another"
    " --data folder or DATABASE_URL for real money, or start the demo without --no-demo",
    Mode.REAL: "this data is a real-money house's: start it with --no-demo, or choose another"
    " --data folder or DATABASE_URL for a demo",
}
_OTHER_KEY: Final = (
    "operator.key is not the key that signed this data's days: put back the operator.key that"
    " belongs to it; nothing was signed with this one"
)


class StartRefusedError(Exception):
    """The data belongs to another mode or operator key; the message says what to do."""


def check_start(log: FactLog, mode: Mode, operator_key: bytes) -> None:
    """Check the mode and the operator's public key. Raises StartRefusedError if either differs."""
    check_mode(log, mode)
    days = log.streams([game_stream(game) for game in GAMES])
    keys = {each.fact.operator_key for each in days if isinstance(each.fact, DayOpened)}
    if keys and operator_key.hex() not in keys:
        raise StartRefusedError(_OTHER_KEY)


def check_mode(log: FactLog, mode: Mode) -> None:
    """Raises StartRefusedError if the data is a demo's and the server no demo, or vice versa."""
    existing = mode_of(log)
    if existing not in {None, mode}:
        raise StartRefusedError(_OTHER_MODE[existing or mode])


def mode_of(log: FactLog) -> Mode | None:
    """Returns the mode that the log records or implies; None for a log without players."""
    with log.datastore.transaction() as cursor:
        row = cursor.execute(_FOUNDED, (HOUSE_STREAM,)).fetchone()
        if row is not None:
            founded = decode(row["topic"], bytes(row["state"]))
            assert isinstance(founded, HouseFounded)
            return founded.mode
        for query, shown in ((_PLAYED, Mode.DEMO), (_JOINED, Mode.REAL)):
            found = cursor.execute(query).fetchone()
            if found is not None and found["found"]:
                return shown
    return None


def recover(log: FactLog, timezone: str = DEFAULT_TIMEZONE) -> EngineState:
    """Loads days, unfinished rounds with their books, each game's newest round and staff settings.

    Players are loaded on demand. A round can be unfinished only on its game's last date with
    rounds, or if it was carried over when a later day or segment opened. Rounds that two
    managers voided are loaded too: their witness may still be asked what was true.
    """
    state = EngineState(timezone, receipts_version=log.version(RECEIPTS_STREAM))
    state.load_house(log.streams([HOUSE_STREAM]))
    _load_solo_approvals(state, log)
    for game in GAMES:
        days = log.streams([game_stream(game)])
        recent = _last_rounds(log, game, days)
        others = _carried(game, days) | _voided(game, state)
        carried = others - {recorded.stream for recorded in recent}
        facts = [*days, *recent, *(log.streams(sorted(carried)) if carried else [])]
        state.load_days(game, sorted(facts, key=lambda recorded: recorded.position))
    state.evict_rounds()
    unfinished = {round_stream(*key) for key, round_ in state.rounds.items() if not round_.finished}
    if unfinished:
        opened = min(recorded.position for recorded in log.streams(sorted(unfinished)))
        state.load_bets(log.topics_after(opened - 1, BET_TOPICS))
    return state


def _load_solo_approvals(state: EngineState, log: FactLog) -> None:
    """Load the approvals by one member of staff in the `APPROVAL_WINDOW_US` before the newest."""
    newest = log.fact(SOLO_APPROVALS_STREAM, log.version(SOLO_APPROVALS_STREAM))
    if newest is not None:
        facts = log.stream_since(SOLO_APPROVALS_STREAM, newest.at - APPROVAL_WINDOW_US)
        state.solo_approvals = restore_solo_approvals(newest.version, facts)


def _carried(game: int, days: Sequence[RecordedFact]) -> set[str]:
    """Returns the streams of the rounds that were undrawn when a later day or segment opened."""
    carried = (recorded.fact for recorded in days)
    return {
        round_stream(game, issue)
        for fact in carried
        if isinstance(fact, RoundsCarried)
        for issue in fact.issues
    }


def _voided(game: int, state: EngineState) -> set[str]:
    """Returns the streams of the rounds that two managers agreed to void."""
    voids = state.house.voids.values()
    return {round_stream(game, it.issue) for it in voids if it.game == game and it.agreed_by}


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
