"""The public statistics of the draws, /api/Lottery/statistics.

The auditor computes the same from the facts, with code of its own (`scripts/audit fairness`).
"""

from api.game.draw_statistics import FRESH_S, Statistics, StatisticsReader
from api.http.call_request import SessionUse
from api.http.calls import call
from api.http.envelope import CallResult


@call(
    "/api/Lottery/statistics",
    "Actual returns and drawn numbers",
    method="GET",
    use=SessionUse.WATCHING,
)
async def statistics(statistics: StatisticsReader) -> CallResult[Statistics]:
    """Returns theoretical and actual returns of all settled bets, and tests of the drawn numbers.

    By game, bet kind, odds table, and whether members or the house's demo bots placed the bets.
    About one z-score in a hundred is outside ±2.58 by chance alone, and about one probability in a
    hundred is below 0.01. Anyone may cache the answer for ten seconds, so `time` and `request_id`
    may be those of an earlier call.
    """
    return CallResult(await statistics.read(), fresh_s=FRESH_S)
