"""What a statement says about each kind of fact."""

from typing import Any, Final, Protocol

from engine.facts import TOPICS, Fact, Recorded
from engine.players.facts import BetPlaced, BetRecalled, BetSettled, BetVoided
from engine.players.money_facts import (
    AdjustmentApproved,
    BonusReleased,
    DepositApproved,
    GiftGranted,
    WithdrawalRejected,
    WithdrawalRequested,
)

DEPOSIT: Final = 0
WITHDRAWAL: Final = 1
PURCHASE: Final = 2
PROFIT: Final = 3
GIFT: Final = 4

ENTRY_COLUMNS: Final = (
    "player, at, position, version, type, amount, bonus, before, after, actor, command_id, topic,"
    " game, issue, bet, detail"
)
ENTRY_TYPES: Final = "iiiiiiiiitttittt"

_Mark = tuple[int, int, str, str, str]


class Balance(Protocol):
    """A player's money after the fact, in minor units."""

    player: int
    available: int
    bonus: int


def entry(recorded: Recorded, now: Balance, available: int, bonus: int) -> tuple[Any, ...]:
    """The row of a fact that changed money, in the order of `ENTRY_COLUMNS`.

    `available` and `bonus` are what there was before it.
    """
    kind, game, issue, bet, detail = _mark(recorded.fact)
    to_bonus = now.bonus - bonus
    amount = now.available - available + to_bonus
    return (
        now.player,
        recorded.at,
        recorded.position,
        recorded.version,
        kind,
        amount,
        to_bonus,
        available,
        now.available,
        recorded.actor,
        recorded.command_id,
        TOPICS[type(recorded.fact)],
        game,
        issue,
        bet,
        detail,
    )


def _mark(fact: Fact) -> _Mark:
    match fact:
        case BetPlaced():
            return PURCHASE, fact.game, fact.issue, fact.bet, fact.kind
        case BetSettled():
            return PROFIT, fact.game, fact.issue, fact.bet, str(fact.total)
        case BetRecalled() | BetVoided():
            return PURCHASE, fact.game, fact.issue, fact.bet, ""
        case DepositApproved():
            return DEPOSIT, 0, "", "", fact.channel
        case WithdrawalRequested():
            return WITHDRAWAL, 0, "", fact.withdrawal, "withdrawal"
        case WithdrawalRejected():
            return WITHDRAWAL, 0, "", fact.withdrawal, "returned"
        case GiftGranted():
            return GIFT, 0, "", "", fact.cause
        case BonusReleased():
            return GIFT, 0, "", "", "released"
        case AdjustmentApproved():
            return GIFT, 0, "", "", "adjustment"
        case _:
            raise TypeError(f"{TOPICS[type(fact)]} moves money, and no statement knows how")
