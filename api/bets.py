"""Placing and recalling bets: /api/Lottery/playOrder and recall."""

from decimal import Decimal
from typing import Final

from msgspec import Raw, Struct

from api.calls import Asked, Asking, Auth, Call
from api.commanding import command
from api.envelope import CallRefused, Done
from api.receipts import BetReceipt, receipt_of
from api.units import (
    At,
    Count,
    GameId,
    GivenMoney,
    Issue,
    Money,
    Odds,
    PlanId,
    PlayType,
    Version,
)
from api.wire import NotMoneyError, TooMuchError, masked, minor_units, money, odds, seconds
from engine.answers import BetAccepted, BetsRecalled
from engine.players.commands import PlaceBet, RecallBets
from engine.refusals import Refusal

PLAY_ORDER: Final = "/api/Lottery/playOrder"
RECALL: Final = "/api/Lottery/recall"
_LONGEST_WORD: Final = 64
_LARGEST_ID: Final = 1 << 31
_LARGEST_WORD: Final = 10**20


class OrderAsking(Asking):
    """A stake of `money` u on `play_type` (a bet kind, or a sum "0" to "27")."""

    issue: Issue
    plan_id: PlanId
    game_id: GameId
    play_type: PlayType
    money: GivenMoney


class Receipt(BetReceipt, frozen=True):
    """A signed receipt: its fields, and the path from it to the signed head of its batch."""

    index: Count
    size: Count
    head: str
    signature: str
    path: list[str]


class PlacedBet(Struct, frozen=True, gc=False):
    """The accepted bet; `after_quantity` is the caller's own available balance behind it."""

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
    receipt: Raw | Receipt | None


class RecallAsking(Asking):
    """One bet by its number, or without it every open one of this issue and game."""

    issue: Issue
    game_id: GameId
    orderNo: str | None = None  # noqa: N815 - the specification's name


class Recalled(Struct, frozen=True, gc=False):
    """What was taken back; `money` returned in all."""

    recalled: tuple[str, ...]
    count: Count
    money: Money
    after_quantity: Money
    balance_version: Version


async def play_order(asked: Asked[OrderAsking]) -> Done:
    """Place one bet, from available money first and bonus money for the rest.

    Its odds are those in force now, whatever comes later. The stake leaves the balance at once;
    the payout, stake included, comes with the round's settlement. The receipt proves to anybody
    that the bet was in the set that was frozen before the draw.
    """
    body = asked.body
    wanted = PlaceBet(
        asked.player,
        _small(body.game_id, Refusal.PLAN_UNKNOWN, "game_id"),
        _small(body.plan_id, Refusal.PLAN_UNKNOWN, "plan_id"),
        _word(body.issue, Refusal.ROUND_UNKNOWN, "issue"),
        _word(body.play_type, Refusal.PLAY_TYPE_UNKNOWN, "play_type"),
        _stake(body.money),
    )
    reply = await command(asked, PLAY_ORDER, wanted)
    bet = reply.answer
    assert isinstance(bet, BetAccepted)
    services, player = asked.services, asked.player
    services.balances.learn(player, bet.version, bet.available_minor, bet.bonus_minor)
    receipt = await receipt_of(services, player, bet, reply)
    placed = PlacedBet(
        bet.bet,
        bet.bet,
        masked(await services.nickname(player)),
        bet.issue,
        asked.texts.kind(bet.kind),
        bet.kind,
        money(bet.stake_minor),
        money(bet.available_minor),
        bet.version,
        odds(bet.odds_milli),
        seconds(bet.at),
        receipt,
    )
    return Done(placed, "order_placed")


async def recall(asked: Asked[RecallAsking]) -> Done:
    """Take back one bet, or all of the caller's in a round and game, in every hall.

    The stakes go back where they came from; the orders have status 2 from then on.
    """
    body = asked.body
    bet = None if not body.orderNo else _word(body.orderNo, Refusal.BET_UNKNOWN, "orderNo")
    wanted = RecallBets(
        asked.player,
        _small(body.game_id, Refusal.ROUND_UNKNOWN, "game_id"),
        _word(body.issue, Refusal.ROUND_UNKNOWN, "issue"),
        bet,
    )
    reply = await command(asked, RECALL, wanted)
    back = reply.answer
    assert isinstance(back, BetsRecalled)
    asked.services.balances.learn(
        asked.player, back.version, back.available_minor, back.bonus_minor
    )
    recalled = Recalled(
        back.bets,
        len(back.bets),
        money(back.stake_minor),
        money(back.available_minor),
        back.version,
    )
    return Done(recalled, "recalled")


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


def _word(value: str | int, refusal: Refusal, field: str) -> str:
    """A short word; numbers count as the words they are written with."""
    word = str(value) if isinstance(value, str) or abs(value) < _LARGEST_WORD else ""
    if not 0 < len(word) <= _LONGEST_WORD:
        raise CallRefused(refusal, field)
    return word


def _small(value: int, refusal: Refusal, field: str) -> int:
    if not 0 <= value < _LARGEST_ID:
        raise CallRefused(refusal, field)
    return value


CALLS: Final = (
    Call(
        PLAY_ORDER,
        OrderAsking,
        PlacedBet,
        play_order,
        "Place a bet",
        auth=Auth.PLAYER,
        keyed=True,
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
    ),
    Call(
        RECALL,
        RecallAsking,
        Recalled,
        recall,
        "Take back open bets",
        auth=Auth.PLAYER,
        keyed=True,
        refusals=(
            Refusal.ROUND_UNKNOWN,
            Refusal.ROUND_CLOSED,
            Refusal.BET_UNKNOWN,
            Refusal.NOTHING_TO_RECALL,
        ),
    ),
)
