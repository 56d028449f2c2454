"""The heartbeat, /api/Lottery/heart: clients without a stream poll it every two seconds.

Everything but the caller's money is encoded once per change. Only the caller's first heartbeat
queries the database, to load their balance and results into the caches. A polling client receives
the same information as a stream: missed bets of the round are in the list, and the caller's
result is `win`.
"""

from typing import Final

from msgspec import Raw, Struct

from api.http.call_request import ApiRequest, Auth, CallRequest, SessionUse
from api.http.calls import call
from api.http.envelope import CallResult
from api.http.field_types import GameId, OpenFlag, PlanId
from api.http.refusals import CallRefused
from api.realtime.chat_rooms import ChatMessage
from api.realtime.hub import Hub
from api.realtime.player_caches import RoundResult, WireBalance
from api.realtime.rooms import BetMessage, DrawMessage, RoundMessage, WinnerNotice
from engine.catalogue import PLANS
from engine.refusals import Refusal

PATH: Final = "/api/Lottery/heart"


class HeartRequest(ApiRequest):
    """The room to show."""

    plan_id: PlanId
    game_id: GameId


class Heart(Struct, frozen=True):
    """The round, the caller's money, and the other players' activity in the room.

    `last_issue` and `issue` are always objects: the specification's client reads their fields
    without a check. `game_status` is 1 while rounds run and staff have not closed the room.
    `recalled` lists the ids of recalled bets of the round. `chat` contains the newest messages,
    oldest first, and `chat_removed` the ids of messages that must no longer be shown.

    `win` is the newest settled round of this game in which the caller had bets, within the last
    day: its issue, and in u what was staked and paid in it, win or lose. The stream's event `win`
    has the same content. It stays the same from poll to poll until a newer round replaces it, so a
    client shows it once per issue. It is null without one, and for a caller who is not signed in.
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


@call(
    PATH,
    "What happens in a room",
    auth=Auth.OPTIONAL,
    use=SessionUse.WATCHING,
    refusals=(Refusal.PLAN_UNKNOWN,),
)
async def heart(request: CallRequest, data: HeartRequest, hub: Hub) -> CallResult[Heart]:
    """Returns the state of a room, polled every two seconds without a stream; public without token.

    Bets of others have masked names and keep their bytes from poll to poll. The stream at
    /api/Lottery/stream sends the same information as it happens.
    """
    player = request.player
    check_room(data.plan_id, data.game_id)
    if player:
        await hub.load_player(player)
    return CallResult(Raw(hub.heart(data.plan_id, request.texts, player)))


def check_room(plan: int, game: int) -> None:
    """Raises CallRefused unless this hall belongs to this game."""
    hall = PLANS.get(plan)
    if hall is None or hall.game != game:
        raise CallRefused(Refusal.PLAN_UNKNOWN, "plan_id")
