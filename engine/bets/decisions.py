"""Decisions on bets: place, recall, settle, void.

Pure: the time, ids, randomness and the round on sale are arguments. If several conditions are
violated, the checks run in the order of `engine.refusals`.
"""

from typing import Protocol

from msgspec import Struct

from engine.answers import Refused
from engine.bets.commands import MAX_STAKE_MINOR, PlaceBet, RecallBets
from engine.bets.facts import BetPlaced, BetRecalled, BetSettled, BetVoided
from engine.bets.turnover import effective_turnover
from engine.cashier.facts import TurnoverCounted
from engine.catalogue import PLANS, SUMS_OF
from engine.money import MINOR_PER_UNIT
from engine.odds import OddsTable, payout_minor
from engine.players.commands import MEMBER
from engine.players.facts import PlayerFact
from engine.players.state import Player, loss_headroom
from engine.refusals import Refusal

MAX_ISSUE_LENGTH = 20


class RoundView(Protocol):
    """The parts of the game's newest round that a bet needs."""

    @property
    def issue(self) -> str:
        """The round's public number."""

    @property
    def closes_at(self) -> int:
        """When its sale ends, in microseconds."""

    @property
    def odds(self) -> OddsTable:
        """The odds table from which a bet copies its odds."""

    def sells_at(self, now: int) -> bool:
        """Whether the round accepts bets at this time, in microseconds."""

    def has_room_for(self, kind: str, payout_minor: int) -> bool:
        """Whether the worst outcome stays within the cap with this payout added."""


class BetRandomness(Struct, frozen=True, gc=False):
    """Randomness drawn for one bet: its id, and the salt of its receipt (hex of 16 bytes)."""

    bet: str
    salt: str


def place_bet(
    command: PlaceBet,
    player: Player,
    newest_round: RoundView | None,
    now: int,
    randomness: BetRandomness,
    day: str = "",
    closed_reason: Refusal | None = None,
) -> list[PlayerFact] | Refused:
    """Stake available money first and bonus money for the rest, at the round's odds.

    `day` is the calendar day of `now`. `closed_reason` is why this hall accepts no bets, None
    if it does.
    """
    refused = (
        _may_bet(command, player, now, closed_reason)
        or _on_sale(command.issue, newest_round, now)
        or _stake_allowed(command)
    )
    if refused:
        return refused
    assert newest_round is not None
    stake = command.stake_minor
    odds_milli = newest_round.odds.odds_milli.get(command.kind)
    if odds_milli is None:
        return Refused(Refusal.PLAY_TYPE_UNKNOWN, "play_type")
    if player.profile.limits:
        headroom = loss_headroom(player, now, day)
        if headroom is not None and stake > headroom:
            return Refused(Refusal.LOSS_LIMIT_REACHED, "money")
    if _must_enter(command.plan, player, day):
        return Refused(Refusal.ASSETS_INSUFFICIENT, "plan_id")
    if stake > player.available + player.bonus:
        return Refused(Refusal.FUNDS_INSUFFICIENT, "money")
    if not newest_round.has_room_for(command.kind, payout_minor(stake, odds_milli)):
        return Refused(Refusal.EXPOSURE_EXCEEDED, "money")
    bonus = max(0, stake - player.available)
    return [
        BetPlaced(
            randomness.bet,
            command.game,
            command.issue,
            command.plan,
            command.kind,
            stake,
            bonus,
            odds_milli,
            newest_round.odds.id,
            newest_round.closes_at,
            randomness.salt,
        )
    ]


def _must_enter(plan: int, player: Player, day: str) -> bool:
    """Whether the player is not in the hall and has less than its join limit.

    A bet keeps its player in the hall for the calendar day, whatever the balance is after it.
    """
    return player.available < PLANS[plan].join_minor and player.entered.get(plan) != day


def _may_bet(
    command: PlaceBet, player: Player, now: int, closed_reason: Refusal | None
) -> Refused | None:
    if not player.registered:
        return Refused(Refusal.PLAYER_UNKNOWN)
    if player.group != MEMBER:
        return Refused(Refusal.MUST_REGISTER)
    if player.profile.is_blocked(now):
        return Refused(Refusal.EXCLUDED)
    if player.profile.closed:
        return Refused(Refusal.ACCOUNT_CLOSED)
    if closed_reason is not None:
        return Refused(closed_reason)
    plan = PLANS.get(command.plan)
    if plan is None or plan.game != command.game:
        return Refused(Refusal.PLAN_UNKNOWN, "plan_id")
    if command.kind not in SUMS_OF:
        return Refused(Refusal.PLAY_TYPE_UNKNOWN, "play_type")
    return None


def _on_sale(issue: str, newest_round: RoundView | None, now: int) -> Refused | None:
    """Refuses any round but the game's newest, and that one after its close."""
    if newest_round is not None and issue == newest_round.issue:
        return None if newest_round.sells_at(now) else Refused(Refusal.ROUND_CLOSED, "issue")
    if not (issue.isascii() and issue.isdigit() and len(issue) <= MAX_ISSUE_LENGTH):
        return Refused(Refusal.ROUND_UNKNOWN, "issue")
    if newest_round is not None and _issue_sort_key(issue) > _issue_sort_key(newest_round.issue):
        return Refused(Refusal.ROUND_NOT_CURRENT, "issue")
    return Refused(Refusal.ROUND_CLOSED, "issue")


def _issue_sort_key(issue: str) -> tuple[str, int]:
    """Date and number: numbers of one date may differ in width after a change of schedule."""
    return issue[:8], int(issue[8:] or 0)


def _stake_allowed(command: PlaceBet) -> Refused | None:
    stake = command.stake_minor
    if stake % MINOR_PER_UNIT:
        return Refused(Refusal.STAKE_NOT_WHOLE, "money")
    if stake < PLANS[command.plan].min_stake_minor:
        return Refused(Refusal.STAKE_TOO_SMALL, "money")
    if stake > MAX_STAKE_MINOR:
        return Refused(Refusal.STAKE_TOO_LARGE, "money")
    return None


def recall(
    command: RecallBets, player: Player, newest_round: RoundView | None, now: int
) -> list[PlayerFact] | Refused:
    """Return the stakes of open bets while their round is on sale."""
    if not player.registered:
        return Refused(Refusal.PLAYER_UNKNOWN)
    refused = _on_sale(command.issue, newest_round, now)
    # A future round has no bets, so the refusals below apply.
    if refused and refused.refusal is not Refusal.ROUND_NOT_CURRENT:
        return refused
    open_bets = [
        bet
        for bet in player.bets.values()
        if (bet.game, bet.issue) == (command.game, command.issue) and command.bet in {None, bet.bet}
    ]
    if not open_bets and command.bet is not None:
        return Refused(Refusal.BET_UNKNOWN, "orderNo")
    if not open_bets:
        return Refused(Refusal.NOTHING_TO_RECALL, "issue")
    return [
        BetRecalled(bet.bet, bet.game, bet.issue, bet.stake_minor, bet.bonus_minor)
        for bet in open_bets
    ]


def settle(player: Player, bet_id: str, total: int) -> list[PlayerFact]:
    """Settle one bet by the sum that was drawn; a bet that is not open yields no facts."""
    bet = player.bets.get(bet_id)
    if bet is None:
        return []
    return [*_turnover(player, bet), _settled(bet, total)]


def _turnover(player: Player, bet: BetPlaced) -> list[PlayerFact]:
    """Count the turnover of all the player's bets on a round, with its first settled bet."""
    if player.bot or player.counted.get(bet.game) == bet.issue:
        return []
    round_bets = (
        each for each in player.bets.values() if each.issue == bet.issue and each.game == bet.game
    )
    return [TurnoverCounted(bet.game, bet.issue, *effective_turnover(round_bets))]


def _settled(bet: BetPlaced, total: int) -> BetSettled:
    payout = payout_minor(bet.stake_minor, bet.odds_milli) if total in SUMS_OF[bet.kind] else 0
    return BetSettled(
        bet.bet,
        bet.game,
        bet.issue,
        total,
        bet.stake_minor,
        bet.bonus_minor,
        payout,
        bonus_share(payout, bet.bonus_minor, bet.stake_minor),
    )


def bonus_share(payout_minor: int, bonus_minor: int, stake_minor: int) -> int:
    """Part of a payout that returns to the bonus account, in minor units, rounded down.

    A bet staked from two accounts pays both in proportion to their stakes; the fraction of a minor
    unit goes to the available balance. `stake_minor` is the whole stake and above zero,
    `bonus_minor` the part of it that was bonus.
    """
    return payout_minor * bonus_minor // stake_minor


def void(player: Player, bet_id: str) -> list[PlayerFact]:
    """Return one stake; a bet that is not open yields no facts."""
    bet = player.bets.get(bet_id)
    if bet is None:
        return []
    return [BetVoided(bet.bet, bet.game, bet.issue, bet.stake_minor, bet.bonus_minor)]
