"""Placing and recalling bets: /api/Lottery/playOrder and recall."""

from decimal import Decimal
from typing import Final

from msgspec import Raw, Struct

from api.game.receipts import BetReceipt, signed_receipt
from api.http.call_request import ApiRequest, Auth, CallRequest
from api.http.calls import call
from api.http.envelope import CallResult
from api.http.field_types import (
    At,
    Count,
    GameId,
    Issue,
    Money,
    MoneyInput,
    Odds,
    PlanId,
    PlayType,
    Version,
)
from api.http.idempotency import Commands
from api.http.refusals import CallRefused
from api.http.wire import NotMoneyError, TooMuchError, mask_name, minor_units, money, odds, seconds
from api.realtime.player_caches import BalanceCache
from api.services import Services
from engine.answers import BetAccepted, BetsRecalled
from engine.bets.commands import PlaceBet, RecallBets
from engine.refusals import Refusal

PLAY_ORDER: Final = "/api/Lottery/playOrder"
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
    command = PlaceBet(
        request.player,
        _bounded_id(data.game_id, Refusal.PLAN_UNKNOWN, "game_id"),
        _bounded_id(data.plan_id, Refusal.PLAN_UNKNOWN, "plan_id"),
        _short_text(data.issue, Refusal.ROUND_UNKNOWN, "issue"),
        _short_text(data.play_type, Refusal.PLAY_TYPE_UNKNOWN, "play_type"),
        _stake(data.money),
    )
    reply = await services.commands.submit_for_player(request, PLAY_ORDER, command)
    bet = reply.answer
    assert isinstance(bet, BetAccepted)
    player = request.player
    services.balances.put(player, bet.version, bet.available_minor, bet.bonus_minor)
    receipt = await signed_receipt(services.engine, player, bet, reply)
    placed = PlacedBet(
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
    return CallResult(placed, "order_placed")


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
