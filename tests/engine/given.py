"""Players, rounds and days for tests, built from facts where possible."""

from typing import Any

from msgspec.structs import replace

from engine.bets.commands import PlaceBet, RecallBets
from engine.bets.decisions import BetRandomness
from engine.bets.facts import BetPlaced
from engine.cashier.facts import DepositApproved, GiftGranted
from engine.fairness.beacon import BEACON_OFF
from engine.fairness.merkle import leaf_hash
from engine.fairness.receipts import receipt_of
from engine.house import game_day as houses
from engine.house.commands import OpenDay
from engine.house.facts import DayOpened
from engine.house.game_day import GameDay, open_day
from engine.odds import SPECIFIED, OddsTable, table_hash
from engine.players import state as players
from engine.players.commands import GUEST, MEMBER
from engine.players.facts import PlayerRegistered
from engine.players.state import Player
from engine.rounds.facts import RoundOpened
from engine.rounds.state import BookedBet, Round
from engine.schedule import SECOND_US, Slot, calendar_day, issue, slot
from tests.engine.fairness import parties

GAME = 1
SLOT: Slot = slot(parties.SCHEDULE, GAME, parties.DATE, 1)
ISSUE = issue(parties.SCHEDULE, parties.DATE, 1)
NEXT_ISSUE = issue(parties.SCHEDULE, parties.DATE, 2)
DURING_SALE = SLOT.opens_at + 10 * SECOND_US
AT_CLOSE = SLOT.closes_at
DAY = calendar_day(parties.SCHEDULE.timezone, DURING_SALE)
FRESH = BetRandomness("fresh-bet", "5a" * 16)


def unregistered(player: int = 1) -> Player:
    return Player(player)


def guest(available_minor: int = 0) -> Player:
    return _with_money(
        players.evolve(Player(1), PlayerRegistered(GUEST, None, False, ""), DAY), available_minor
    )


def member(available_minor: int = 0, bonus_minor: int = 0, player: int = 1) -> Player:
    joined = players.evolve(Player(player), PlayerRegistered(MEMBER, None, False, ""), DAY)
    if bonus_minor:
        gift = GiftGranted("gift", "staff", bonus_minor, bonus_minor, DURING_SALE, "")
        players.evolve(joined, gift, DAY)
    return _with_money(joined, available_minor)


def _with_money(player: Player, amount_minor: int) -> Player:
    if amount_minor:
        players.evolve(player, DepositApproved("deposit", "bank", amount_minor, ""), DAY)
    return player


def sale(index: int = 1, odds: OddsTable = SPECIFIED) -> Round:
    """An open round of the regular day."""
    place = slot(parties.SCHEDULE, GAME, parties.DATE, index)
    opened = RoundOpened(
        GAME,
        parties.DATE,
        index,
        issue(parties.SCHEDULE, parties.DATE, index),
        place.opens_at,
        place.closes_at,
        place.draws_at,
        odds.id,
    )
    return Round(opened, odds, version=1)


def placing(stake_minor: int = 1_000, **other: Any) -> PlaceBet:
    """A command to place a bet, by default 10u on big in the first hall."""
    return replace(PlaceBet(1, GAME, 1, ISSUE, "big", stake_minor), **other)


def recalling(bet: str | None = None, **other: Any) -> RecallBets:
    return replace(RecallBets(1, GAME, ISSUE, bet), **other)


def a_bet(
    bet: str = "bet-1",
    stake_minor: int = 1_000,
    *,
    kind: str = "big",
    bonus_minor: int = 0,
    odds_milli: int = 1_980,
) -> BetPlaced:
    return BetPlaced(
        bet,
        GAME,
        ISSUE,
        1,
        kind,
        stake_minor,
        bonus_minor,
        odds_milli,
        SPECIFIED.id,
        AT_CLOSE,
        "5a" * 16,
    )


def add_open_bet(bet: BetPlaced, player: Player, open_round: Round) -> None:
    """Add the bet to the player's state and to the round's book."""
    players.evolve(player, bet, DAY)
    leaf = leaf_hash(receipt_of(player.id, bet, DURING_SALE))
    open_round.book.add(BookedBet(player.id, bet, leaf))
    open_round.book.merge()


def opening(day: str = parties.DATE, **other: Any) -> OpenDay:
    """A command to open a day, signed by both parties."""
    record = replace(parties.opened_day(day), odds_table=table_hash(SPECIFIED).hex(), **other)
    content = parties.by_operator(record)
    witness_content = parties.by_operator(record, parties.WITNESS_KEY)
    return OpenDay(
        GAME, record, SPECIFIED.id, content.signature.hex(), witness_content.signature.hex()
    )


def open_game(beacon: str = BEACON_OFF) -> GameDay:
    """A game with an open day and no round yet."""
    game = GameDay(GAME)
    opened = open_day(opening(beacon=beacon), game, selling=False)
    assert isinstance(opened, list)
    assert isinstance(opened[0], DayOpened)
    return houses.evolve(game, opened[0])
