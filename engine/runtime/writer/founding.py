"""Checks at every start that the data matches the server's mode and operator key.

A demo's log is never opened for real money, nor a real-money log as a demo. Nothing is signed with
an operator key other than the log's, because rounds signed by two keys could not be drawn.
"""

from typing import Final

from engine.catalogue import GAMES
from engine.facts import HOUSE_STREAM, decode, game_stream
from engine.house.facts import DayOpened, HouseFounded, Mode
from engine.runtime.log.fact_log import FactLog

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
    existing = mode_of(log)
    if existing not in {None, mode}:
        raise StartRefusedError(_OTHER_MODE[existing or mode])
    days = log.streams([game_stream(game) for game in GAMES])
    keys = {each.fact.operator_key for each in days if isinstance(each.fact, DayOpened)}
    if keys and operator_key.hex() not in keys:
        raise StartRefusedError(_OTHER_KEY)


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
