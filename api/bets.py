"""Placing and recalling bets: /api/Lottery/playOrder and recall."""

from decimal import Decimal
from typing import Final

from msgspec import Raw, Struct

from api.calls import Asked, Asking, Auth, Call
from api.commanding import command
from api.envelope import CallRefused, Done
from api.receipts import receipt_of
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

    issue: str | int
    plan_id: int
    game_id: int
    play_type: str | int
    money: Decimal


class Receipt(Struct, frozen=True):
    """A signed receipt: its fields, and the path from it to the signed head of its batch."""

    at: int
    bet: str
    game: str
    issue: str
    kind: str
    odds_milli: int
    odds_table: str
    owner: str
    salt: str
    stake_minor: int
    v: int
    index: int
    size: int
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
    quantity: Decimal
    after_quantity: Decimal
    balance_version: int
    odds: Decimal
    createtime: int
    receipt: Raw | Receipt | None


class RecallAsking(Asking):
    """One bet by its number, or without it every open one of this issue and game."""

    issue: str | int
    game_id: int
    orderNo: str | None = None  # noqa: N815 - the specification's name


class Recalled(Struct, frozen=True, gc=False):
    """What was taken back; `money` returned in all."""

    recalled: tuple[str, ...]
    count: int
    money: Decimal
    after_quantity: Decimal
    balance_version: int


async def play_order(asked: Asked[OrderAsking]) -> Done:
    """Place one bet."""
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
    """Take back one bet or all of a round."""
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
        PLAY_ORDER, OrderAsking, PlacedBet, play_order, "Place a bet", auth=Auth.PLAYER, keyed=True
    ),
    Call(
        RECALL,
        RecallAsking,
        Recalled,
        recall,
        "Take back open bets",
        auth=Auth.PLAYER,
        keyed=True,
    ),
)
