"""The count at the end of every load: acknowledged bets are in the log, and no others."""

from tests.instruments.load_tests.bench_database import query
from tests.instruments.load_tests.workers import NoFigureError

_FACTS = "SELECT count(*) FROM log.facts WHERE topic = 'bet-placed.1' AND command_id LIKE %s"
_OUTCOMES = "SELECT count(*) FROM log.outcomes WHERE NOT refused AND key LIKE %s"


def check_stored(conninfo: str, name: str, acknowledged: int) -> None:
    """Check that the keys that begin with `name` have as many bets and outcomes as acknowledged.

    Raises: NoFigureError: the counts differ.
    """
    facts = query(conninfo, _FACTS, [f"{name}-%"])
    outcomes = query(conninfo, _OUTCOMES, [f"{name}-%"])
    if not facts == outcomes == acknowledged > 0:
        raise NoFigureError(
            f"{name}: {acknowledged} acknowledged, {facts} facts, {outcomes} outcomes"
        )
