"""The heartbeat, /api/Lottery/heart: every client's call every two seconds.

Everything but the caller's money is encoded once a change; no heartbeat asks the database, but
for the caller's first, which has their balance and results put at hand. Whoever polls learns all
that the stream tells: what they missed of the round's bets is in the list, and their own result
is `win`.
"""

from typing import Final

from msgspec import Raw, Struct

from api.balances import WireBalance
from api.calls import ApiRequest, Auth, Endpoint, RequestContext, SessionUse
from api.chat_rooms import ChatMessage
from api.envelope import CallRefused, CallResult
from api.results import RoundResult
from api.rooms import BetMessage, DrawMessage, RoundMessage, WinnerNotice
from api.units import GameId, OpenFlag, PlanId
from engine.catalogue import PLANS
from engine.refusals import Refusal

PATH: Final = "/api/Lottery/heart"


class HeartRequest(ApiRequest):
    """The room that is looked at."""

    plan_id: PlanId
    game_id: GameId


class Heart(Struct, frozen=True):
    """The round, the caller's money, and what others do in the room.

    `last_issue` and `issue` are always objects: the specification's client reads their fields
    without a check. `game_status` is 1 while rounds run and staff have not closed the room.
    `recalled` names bets of the round that were taken back. `chat` is what was said last, oldest
    first, and `chat_removed` names messages that are to be shown no more.

    `win` is the newest settled round of this game in which the caller had bets, those of the last
    day: its issue, and in u what was staked and paid in it, win or lose, as the stream's event
    `win` has it. It stays the same from poll to poll until another takes its place, so a client
    shows it once an issue; null without one, and for a caller who is not signed in.
    """

    last_issue: DrawMessage
    issue: RoundMessage
    game_status: OpenFlag
    user_quantity: WireBalance | None
    hit_notice: list[WinnerNotice]
    message: list[BetMessage]
    recalled: list[str]
    chat: list[ChatMessage]
    chat_removed: list[str]
    win: RoundResult | None


async def heart(ctx: RequestContext[HeartRequest]) -> CallResult:
    """The state of a room as it is polled every two seconds; without a token it is public.

    Bets of others bear masked names and keep their bytes from poll to poll. The stream at
    /api/Lottery/stream tells the same as it happens.
    """
    body, services, player = ctx.body, ctx.services, ctx.player
    check_room(body.plan_id, body.game_id)
    if player:
        await services.hub.load_player(player)
    return CallResult(Raw(services.hub.heart(body.plan_id, ctx.texts, player)))


def check_room(plan: int, game: int) -> None:
    """CallRefused unless this hall belongs to this game."""
    hall = PLANS.get(plan)
    if hall is None or hall.game != game:
        raise CallRefused(Refusal.PLAN_UNKNOWN, "plan_id")


CALLS: Final = (
    Endpoint(
        PATH,
        HeartRequest,
        Heart,
        heart,
        "What happens in a room",
        auth=Auth.OPTIONAL,
        use=SessionUse.WATCHING,
        refusals=(Refusal.PLAN_UNKNOWN,),
    ),
)
