"""Draws for charts: candlesticks, /api/Lottery/cand, and the trend, /api/Lottery/trend."""

from collections.abc import Callable
from datetime import date

from msgspec import Raw, Struct
from psycopg import Connection
from psycopg.rows import TupleRow

from api.http.call_request import ApiRequest
from api.http.calls import call
from api.http.envelope import CallResult
from api.http.field_types import At, Count, Cursor, Day, GameId, Total
from api.http.long_lists import Encoded, ListReader, encoded
from api.http.refusals import CallRefused
from api.http.wire import encode, seconds
from api.realtime.hub import Hub
from api.services import Services
from api.settings import Settings
from engine.catalogue import GAMES, NAMED_KINDS
from engine.refusals import Refusal
from engine.schedule import calendar_day
from projections.draws import Sum, hit, omissions, omissions_after, sum_before, sums
from projections.pagination import START


class CandlesRequest(ApiRequest):
    """The draws of a game; `cursor` continues a list."""

    game_id: GameId
    cursor: Cursor | None = None


class Candle(Struct, frozen=True, gc=False):
    """A draw as a candlestick: `cand` is open, close, low and high, `cand_code` the draw's sum.

    It opens at the sum of the previous draw and closes at its own; these are also its extremes. The
    first draw of a game opens at its own sum.
    """

    issue: str
    cand: tuple[Total, Total, Total, Total]
    cand_code: Total


class TrendRequest(ApiRequest):
    """The draws of a game on one draw day, yyyy-mm-dd; `cursor` continues a list.

    A draw day is the date at the start of its issues, and may end after midnight. Without a `date`
    it is the newest.
    """

    game_id: GameId
    date: Day | None = None
    cursor: Cursor | None = None


class Omissions(Struct, frozen=True, gc=False):
    """For how many draws in a row each bet kind has not won; 0 if the last draw hit it.

    A kind that was never hit has missed all draws of the game.
    """

    # The fields are the kinds: a new one is counted without a line here.
    __annotations__ = dict.fromkeys(NAMED_KINDS, Count)


class TrendItem(Struct, frozen=True, gc=False):
    """A draw: its sum `code`, the bet kinds that it hit, and the omissions after it."""

    issue_code: str
    code: Total
    marks: tuple[str, ...]
    omissions: Omissions
    createtime: At


class Trend(Struct, frozen=True, gc=False):
    """The day's draws, newest first; `current` are the omissions after the game's last draw."""

    date: str
    current: Omissions
    draws: list[TrendItem]


@call("/api/Lottery/cand", "Draws as candlesticks", refusals=(Refusal.PLAN_UNKNOWN,))
async def cand(data: CandlesRequest, lists: ListReader) -> CallResult[list[Candle]]:
    """Returns a game's draws as candlesticks, newest first."""
    game, cursor = _game(data.game_id), data.cursor or None

    def read(connection: Connection[TupleRow]) -> Encoded:
        found = sums(connection, game, cursor=cursor)
        oldest = found.items[-1].position if found.items else 0
        return encoded(found, _candles(found.items, sum_before(connection, game, oldest)))

    return (await lists.read(read)).to_result()


def _candles(drawn: tuple[Sum, ...], before: int | None) -> list[Candle]:
    """Returns the candles of draws, newest first; `before` is the sum drawn before all of them."""
    opens = [each.total for each in drawn[1:]]
    opens += [drawn[-1].total if before is None else before] if drawn else []
    return [_candle(each, start) for each, start in zip(drawn, opens, strict=True)]


def _candle(drawn: Sum, start: int) -> Candle:
    end = drawn.total
    return Candle(drawn.issue, (start, end, min(start, end), max(start, end)), end)


@call("/api/Lottery/trend", "A day's draws, hits and omissions", refusals=(Refusal.PLAN_UNKNOWN,))
async def trend(data: TrendRequest, services: Services) -> CallResult[Trend]:
    """Returns a draw day's sums, the bet kinds that each hit, and each kind's omissions."""
    game, cursor = _game(data.game_id), data.cursor or None
    day = _day(data, services.settings, services.hub, services.clock, game)

    def read(connection: Connection[TupleRow]) -> Encoded:
        found = sums(connection, game, day=day.replace("-", ""), cursor=cursor)
        oldest = found.items[-1].position if found.items else 0
        after = omissions_after(
            omissions(connection, game, oldest), [each.total for each in reversed(found.items)]
        )
        items = [_item(*each) for each in zip(found.items, reversed(after), strict=True)]
        result = Trend(day, Omissions(**omissions(connection, game, START[1])), items)
        return Encoded(Raw(encode(result)), len(items), found.cursor)

    return (await services.lists.read(read)).to_result()


def _item(drawn: Sum, after: dict[str, int]) -> TrendItem:
    marks = hit(drawn.total)
    return TrendItem(drawn.issue, drawn.total, marks, Omissions(**after), seconds(drawn.at))


def _game(game: int) -> int:
    if game not in GAMES:
        raise CallRefused(Refusal.PLAN_UNKNOWN, "game_id")
    return game


def _day(
    data: TrendRequest, settings: Settings, hub: Hub, clock: Callable[[], int], game: int
) -> str:
    """Returns the requested draw day, or that of the game's newest round."""
    day = data.date
    if day:
        return _checked_day(day)
    now = clock()
    return hub.games[game].date or calendar_day(settings.timezone, now)


def _checked_day(day: str) -> str:
    try:
        if date.fromisoformat(day).isoformat() == day:
            return day
    except ValueError:
        pass
    raise CallRefused(Refusal.REQUEST_MALFORMED, "date")
