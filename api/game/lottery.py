"""Games, odds and draws: /api/Lottery/index, oddsList, issueList."""

from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache

from msgspec import Raw, Struct
from psycopg import Connection
from psycopg.rows import TupleRow

from api.http.call_request import ApiRequest, Auth, CallRequest
from api.http.calls import call
from api.http.envelope import CallResult
from api.http.field_types import (
    Cursor,
    GameId,
    Money,
    NoFilter,
    Odds,
    OpenFlag,
    Percent,
    PlanId,
    PlanName,
    Profit,
    Room,
    Tier,
)
from api.http.localization import TRANSLATED, Translations
from api.http.long_lists import Encoded, ListReader, encoded
from api.http.refusals import CallRefused
from api.http.wire import encode, money, odds
from api.realtime.hub import Hub
from api.realtime.hub_feed import draw_of
from api.realtime.rooms import DrawMessage, draw_message
from api.settings import Settings
from engine.catalogue import GAMES, NAMED_KINDS, NUMBER_KINDS, PLANS, Plan, plans_of
from engine.odds import TABLES, OddsFrom, OddsTable, return_ppm
from engine.refusals import Refusal
from engine.schedule import calendar_day
from projections import draws


class IndexRequest(ApiRequest):
    """The game whose page is shown; the response contains all games."""

    game_id: GameId = 1


class GameIssue(Struct, frozen=True):
    """A game's last draw: digits and sum as "5 8 2 15", empty before the first."""

    last_issue: str
    last_code: str


class PlanItem(Struct, frozen=True):
    """A hall; limits in u. `status` is 1, or 0 where staff closed it."""

    id: PlanId
    game_id: GameId
    title: str
    type: Tier
    vip: Room
    min_limit: Money
    join_limit: Money
    status: OpenFlag


class GameItem(Struct, frozen=True):
    """A game and its nine halls, room by room; `status` is 0 when all of them are closed."""

    id: GameId
    name: str
    issue: GameIssue
    planList: tuple[PlanItem, ...]  # noqa: N815 - the specification's name
    status: OpenFlag


class GameList(Struct, frozen=True):
    """All games."""

    gameList: tuple[GameItem, ...]  # noqa: N815 - the specification's name


class OddsRequest(ApiRequest):
    """A hall, by any of its names; all halls sell at the same odds."""

    plan_id: PlanId | NoFilter | None = None
    game_id: GameId = 1
    id: PlanName | None = None


class OddsItem(Struct, frozen=True, rename={"kind": "class"}):
    """A bet, its odds with the stake included, and its average return over all draws."""

    kind: str
    class_name: str
    odds: Odds
    ischeck: bool
    return_percent: Percent


class UpcomingOdds(Struct, frozen=True):
    """Another table from `day` (yyyy-mm-dd) on; `changed` are the bets whose odds differ."""

    day: str
    odds_table: str
    changed: tuple[OddsItem, ...]


class OddsList(Struct, frozen=True):
    """Both tabs of the buy panel; `num_code` is the profit of 1 u on each sum.

    `since` is the first day (yyyy-mm-dd) of the table, empty for the house's first table.
    """

    odds_table: str
    since: str
    next: tuple[UpcomingOdds, ...]
    rule_base: tuple[OddsItem, ...]
    rule_num: tuple[OddsItem, ...]
    num_code: dict[str, Profit]


class IssuesRequest(ApiRequest):
    """The draws of a game; `cursor` continues a list."""

    game_id: GameId
    cursor: Cursor | None = None


@call("/api/Lottery/index", "Games and halls", refusals=(Refusal.PLAN_UNKNOWN,))
async def index(request: CallRequest, data: IndexRequest, hub: Hub) -> CallResult[GameList]:
    """Returns every game with its last draw and its nine halls, ordered by room and then by tier.

    `min_limit` is the minimum stake of a bet in the hall, `join_limit` the available balance that
    is required for the first bet of a day in it.
    """
    if data.game_id not in GAMES:
        raise CallRefused(Refusal.PLAN_UNKNOWN, "game_id")
    return CallResult(GameList(tuple(_game(request, hub, game) for game in GAMES)))


def _game(request: CallRequest, hub: Hub, game: int) -> GameItem:
    draw = hub.games[game].draw
    last = GameIssue(draw.issue, draw.code) if draw else GameIssue("", "")
    halls = tuple(_plan(request, hub, plan) for plan in plans_of(game))
    status = max(hall.status for hall in halls)
    return GameItem(game, request.texts.games[game], last, halls, status)


def _plan(request: CallRequest, hub: Hub, plan: Plan) -> PlanItem:
    return PlanItem(
        plan.id,
        plan.game,
        request.texts.plan(plan.id),
        plan.type,
        plan.vip,
        money(plan.min_stake_minor),
        money(plan.join_minor),
        int(not hub.sale.is_closed(plan.id)),
    )


@call("/api/Lottery/oddsList", "Odds and returns", refusals=(Refusal.PLAN_UNKNOWN,))
async def odds_list(
    request: CallRequest, data: OddsRequest, settings: Settings, hub: Hub, clock: Callable[[], int]
) -> CallResult[OddsList]:
    """Returns the odds of the game's round, or before the first round those it will sell at.

    `rule_base` are the named bets, `rule_num` the 28 sums; `num_code` is by sum.
    """
    if data.game_id not in GAMES or (data.plan_id not in {None, "", *PLANS}):
        raise CallRefused(Refusal.PLAN_UNKNOWN, "plan_id" if data.game_id in GAMES else "game_id")
    state = hub.games[data.game_id]
    day = state.date or calendar_day(settings.timezone, clock())
    opened = state.opened
    table = opened.odds_table if opened else hub.sale.odds_on(day) or settings.odds_table
    return CallResult(_encoded_odds(table, day, hub.sale.odds, request.texts.name))


@lru_cache(maxsize=32)
def _encoded_odds(table_id: str, day: str, set_by_day: tuple[OddsFrom, ...], language: str) -> Raw:
    table, texts = TABLES[table_id], TRANSLATED[language]
    applied = [it for it in set_by_day if it.day <= day]
    since = applied[-1].day if applied and applied[-1].table == table_id else ""
    upcoming = tuple(_upcoming(it, table, texts) for it in set_by_day if it.day > day)
    profits = {kind: odds(table.odds_milli[kind] - 1000) for kind in NUMBER_KINDS}
    base = tuple(_odds_item(table, kind, texts) for kind in table.kinds if kind in NAMED_KINDS)
    sums = tuple(_odds_item(table, kind, texts) for kind in NUMBER_KINDS)
    return Raw(encode(OddsList(table.id, since, upcoming, base, sums, profits)))


def _upcoming(it: OddsFrom, now: OddsTable, texts: Translations) -> UpcomingOdds:
    then = TABLES[it.table]
    changed = (it for it in then.kinds if then.odds_milli[it] != now.odds_milli.get(it))
    return UpcomingOdds(it.day, it.table, tuple(_odds_item(then, kind, texts) for kind in changed))


def _odds_item(table: OddsTable, kind: str, texts: Translations) -> OddsItem:
    percent = Decimal(return_ppm(table, kind)) / 10_000
    milli = table.odds_milli[kind]
    return OddsItem(kind, texts.kind(kind), odds(milli), ischeck=False, return_percent=percent)


@call(
    "/api/Lottery/issueList",
    "Draws, newest first",
    auth=Auth.NONE,
    refusals=(Refusal.PLAN_UNKNOWN,),
)
async def issue_list(
    request: CallRequest, data: IssuesRequest, lists: ListReader
) -> CallResult[list[DrawMessage]]:
    """Returns a game's draws, newest first."""
    game, cursor = data.game_id, data.cursor or None
    if game not in GAMES:
        raise CallRefused(Refusal.PLAN_UNKNOWN, "game_id")

    def read(connection: Connection[TupleRow]) -> Encoded:
        found = draws.drawn(connection, game, cursor=cursor)
        listed = (draw_of(drawn) for drawn in found.items)
        return encoded(found, [draw_message(draw, request.texts) for draw in listed if draw])

    return (await lists.read(read)).to_result()
