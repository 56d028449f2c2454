"""Placing and recalling bets: /api/Lottery/playOrder, playOrders and recall."""

from decimal import Decimal
from typing import Final

from msgspec import UNSET, Raw, Struct, UnsetType

from api.game.receipts import BetReceipt, signed_receipt
from api.http.call_request import ApiRequest, Auth, CallRequest, check_key
from api.http.calls import call
from api.http.commands import Commands
from api.http.envelope import REFUSED, SUCCESS, CallResult
from api.http.field_types import (
    At,
    Count,
    Flag,
    GameId,
    Issue,
    Money,
    MoneyInput,
    Odds,
    PlanId,
    PlayType,
    Version,
)
from api.http.middleware.rate_limiter import RateLimiter
from api.http.refusals import CallRefused, wire_field
from api.http.transport import ADDRESS
from api.http.wire import NotMoneyError, TooMuchError, mask_name, minor_units, money, odds, seconds
from api.realtime.player_caches import BalanceCache
from api.services import Services
from engine.answers import BetAccepted, BetsRecalled, Refused
from engine.bets.commands import PlaceBet, RecallBets
from engine.refusals import Refusal
from engine.runtime.writer.reply import Reply

PLAY_ORDER: Final = "/api/Lottery/playOrder"
PLAY_ORDERS: Final = "/api/Lottery/playOrders"
MAX_BETS_A_SLIP: Final = 40
RECALL: Final = "/api/Lottery/recall"
_MAX_TEXT_LENGTH: Final = 64
_MAX_ID: Final = 1 << 31
_MAX_NUMBER: Final = 10**20


class OrderRequest(ApiRequest):
    """A stake of `money` u on `play_type` (a bet kind, or a sum "0" to "27")."""

    issue: Issue
    plan_id: PlanId
    game_id: GameId
    play_type: PlayType
    money: MoneyInput


class SignedReceipt(BetReceipt, frozen=True):
    """A signed receipt: its fields, and the path from it to the signed head of its batch."""

    index: Count
    size: Count
    head: str
    signature: str
    path: list[str]


class PlacedBet(Struct, frozen=True, gc=False):
    """The accepted bet; `after_quantity` is the caller's own available balance after it."""

    id: str
    orderNo: str  # noqa: N815 - the specification's name
    nickname: str
    issue: str
    play_method: str
    play_type: str
    quantity: Money
    after_quantity: Money
    balance_version: Version
    odds: Odds
    createtime: At
    receipt: Raw | SignedReceipt | None


class SlipBet(Struct, gc=False):
    """One bet of a slip; `key` is its idempotency key, as the header of a single bet's call."""

    key: str
    play_type: PlayType
    money: MoneyInput


class SlipRequest(ApiRequest):
    """One to 40 bets in one hall and round."""

    issue: Issue
    plan_id: PlanId
    game_id: GameId
    bets: list[SlipBet]


class SlipOutcome(Struct, frozen=True, gc=False):
    """What became of one bet: code, msg, reason, field and data are those of a call of its own.

    With the reason `outcome_unknown`, `unavailable`, `engine_busy` or `deadline_passed` the bet is
    not decided: repeat it with its key.
    """

    key: str
    code: Flag
    msg: str
    data: PlacedBet | None
    reason: str | UnsetType = UNSET
    field: str | UnsetType = UNSET


class RecallRequest(ApiRequest):
    """One bet by its number, or without a number every open bet of this issue and game."""

    issue: Issue
    game_id: GameId
    orderNo: str | None = None  # noqa: N815 - the specification's name


class Recalled(Struct, frozen=True, gc=False):
    """The recalled bets; `money` is the total returned."""

    recalled: tuple[str, ...]
    count: Count
    money: Money
    after_quantity: Money
    balance_version: Version


@call(
    PLAY_ORDER,
    "Place a bet",
    auth=Auth.PLAYER,
    idempotent=True,
    refusals=(
        Refusal.MUST_REGISTER,
        Refusal.EXCLUDED,
        Refusal.ACCOUNT_CLOSED,
        Refusal.PRODUCT_DISCONTINUED,
        Refusal.GAMING_CLOSED,
        Refusal.PLAN_UNKNOWN,
        Refusal.PLAY_TYPE_UNKNOWN,
        Refusal.ROUND_UNKNOWN,
        Refusal.ROUND_NOT_CURRENT,
        Refusal.ROUND_CLOSED,
        Refusal.STAKE_NOT_WHOLE,
        Refusal.STAKE_TOO_SMALL,
        Refusal.STAKE_TOO_LARGE,
        Refusal.LOSS_LIMIT_REACHED,
        Refusal.ASSETS_INSUFFICIENT,
        Refusal.FUNDS_INSUFFICIENT,
        Refusal.EXPOSURE_EXCEEDED,
    ),
)
async def play_order(
    request: CallRequest, data: OrderRequest, services: Services
) -> CallResult[PlacedBet]:
    """Place one bet, from available money first and bonus money for the rest.

    Its odds are those in force now; later changes do not affect it. The stake is debited
    immediately; the payout, stake included, is credited at the round's settlement. The receipt
    proves to anyone that the bet was in the set that was frozen before the draw.
    """
    command = _command(request.player, data, data.play_type, data.money)
    reply = await services.commands.submit_for_player(request, PLAY_ORDER, command)
    return CallResult(await _placed(request, services, reply), "order_placed")


@call(
    PLAY_ORDERS,
    "Place a slip of bets",
    auth=Auth.PLAYER,
    changes=True,
    refusals=(Refusal.KEY_MALFORMED,),
)
async def play_orders(
    request: CallRequest, data: SlipRequest, services: Services
) -> CallResult[tuple[SlipOutcome, ...]]:
    """Place up to 40 bets with one call; each is decided by itself, in the order of the slip.

    The call succeeds even if every bet is refused: the outcomes, in the same order, say what became
    of each. A repeated call returns the first outcome of every bet whose key was decided. A key is
    the same as in the header of a single bet. The call counts as its bets in the rate limit.
    """
    if not 1 <= len(data.bets) <= MAX_BETS_A_SLIP:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "bets")
    for bet in data.bets:
        check_key(bet.key.encode(), "bets")
    _count_slip(request, services.rate_limiter, len(data.bets))
    checked = [_checked(request.player, data, bet) for bet in data.bets]
    sent = [
        (bet.key, command)
        for bet, command in zip(data.bets, checked, strict=True)
        if isinstance(command, PlaceBet)
    ]
    replies = iter(await services.commands.submit_all(request.player, sent))
    outcomes = [
        await _outcome(
            request,
            services,
            bet.key,
            next(replies) if isinstance(command, PlaceBet) else Reply(command),
        )
        for bet, command in zip(data.bets, checked, strict=True)
    ]
    return CallResult(tuple(outcomes))


def _count_slip(request: CallRequest, limiter: RateLimiter, bets: int) -> None:
    """Count a slip as its bets. Raises CallRefused if they are too many."""
    if bets == 1:  # the checks before routing have counted the call itself
        return
    token = request.token.encode("latin-1")
    retry_after_s = limiter.retry_after_s(PLAY_ORDERS, ADDRESS.get(), token, bets - 1)
    if retry_after_s:
        raise CallRefused(Refusal.RATE_LIMITED, retry_after_s=retry_after_s)


def _checked(player: int, slip: SlipRequest, bet: SlipBet) -> PlaceBet | Refused:
    """Returns the command for one bet of a slip, or the refusal of what cannot be one."""
    try:
        return _command(player, slip, bet.play_type, bet.money)
    except CallRefused as refusal:
        return refusal.refused


def _command(
    player: int, room: OrderRequest | SlipRequest, play_type: str | int, stake: Decimal
) -> PlaceBet:
    """Returns the command for one bet in a room. Raises CallRefused if it cannot be one."""
    return PlaceBet(
        player,
        _bounded_id(room.game_id, Refusal.PLAN_UNKNOWN, "game_id"),
        _bounded_id(room.plan_id, Refusal.PLAN_UNKNOWN, "plan_id"),
        _short_text(room.issue, Refusal.ROUND_UNKNOWN, "issue"),
        _short_text(play_type, Refusal.PLAY_TYPE_UNKNOWN, "play_type"),
        _stake(stake),
    )


async def _placed(request: CallRequest, services: Services, reply: Reply) -> PlacedBet:
    """Returns an accepted bet as its player is shown it."""
    bet = reply.answer
    assert isinstance(bet, BetAccepted)
    player = request.player
    services.balances.put(player, bet.version, bet.available_minor, bet.bonus_minor)
    receipt = await signed_receipt(services.engine, player, bet, reply)
    return PlacedBet(
        bet.bet,
        bet.bet,
        mask_name(await services.nicknames.get(player)),
        bet.issue,
        request.texts.kind(bet.kind),
        bet.kind,
        money(bet.stake_minor),
        money(bet.available_minor),
        bet.version,
        odds(bet.odds_milli),
        seconds(bet.at),
        receipt,
    )


async def _outcome(request: CallRequest, services: Services, key: str, reply: Reply) -> SlipOutcome:
    """Returns the outcome of one bet of a slip."""
    if isinstance(reply.answer, Refused):
        refusal = reply.answer.refusal
        field = wire_field(reply.answer.field, OrderRequest.__struct_encode_fields__)
        text = request.texts.refusal(refusal)
        return SlipOutcome(key, REFUSED, text, None, refusal, field or UNSET)
    placed = await _placed(request, services, reply)
    return SlipOutcome(key, SUCCESS, request.texts.success["order_placed"], placed)


@call(
    RECALL,
    "Recall open bets",
    auth=Auth.PLAYER,
    idempotent=True,
    refusals=(
        Refusal.ROUND_UNKNOWN,
        Refusal.ROUND_CLOSED,
        Refusal.BET_UNKNOWN,
        Refusal.NOTHING_TO_RECALL,
    ),
)
async def recall(
    request: CallRequest, data: RecallRequest, balances: BalanceCache, commands: Commands
) -> CallResult[Recalled]:
    """Recall one bet, or all of the caller's bets in a round and game, in every hall.

    Each stake returns to the balance it came from, available or bonus. The orders then have
    status 2.
    """
    bet = None if not data.orderNo else _short_text(data.orderNo, Refusal.BET_UNKNOWN, "orderNo")
    command = RecallBets(
        request.player,
        _bounded_id(data.game_id, Refusal.ROUND_UNKNOWN, "game_id"),
        _short_text(data.issue, Refusal.ROUND_UNKNOWN, "issue"),
        bet,
    )
    reply = await commands.submit_for_player(request, RECALL, command)
    answer = reply.answer
    assert isinstance(answer, BetsRecalled)
    balances.put(request.player, answer.version, answer.available_minor, answer.bonus_minor)
    recalled = Recalled(
        answer.bets,
        len(answer.bets),
        money(answer.stake_minor),
        money(answer.available_minor),
        answer.version,
    )
    return CallResult(recalled, "recalled")


def _stake(amount: Decimal) -> int:
    try:
        return minor_units(amount)
    except TooMuchError:
        below = amount.is_signed()
        raise CallRefused(
            Refusal.STAKE_TOO_SMALL if below else Refusal.STAKE_TOO_LARGE, "money"
        ) from None
    except NotMoneyError:
        raise CallRefused(Refusal.STAKE_NOT_WHOLE, "money") from None


def _short_text(value: str | int, refusal: Refusal, field: str) -> str:
    """Returns a short text; a number becomes its decimal text. Raises CallRefused otherwise."""
    text = str(value) if isinstance(value, str) or abs(value) < _MAX_NUMBER else ""
    if not 0 < len(text) <= _MAX_TEXT_LENGTH:
        raise CallRefused(refusal, field)
    return text


def _bounded_id(value: int, refusal: Refusal, field: str) -> int:
    if not 0 <= value < _MAX_ID:
        raise CallRefused(refusal, field)
    return value
