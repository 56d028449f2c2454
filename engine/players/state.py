"""A player as the writer knows them, folded from their stream."""

from typing import assert_never

from msgspec import Struct, field

from engine.bets.facts import BetPlaced, BetRecalled, BetSettled, BetVoided
from engine.cashier import payment_state
from engine.cashier.facts import (
    AdjustmentApproved,
    AdjustmentProposed,
    AdjustmentRejected,
    BonusReleased,
    CorrectionApproved,
    CorrectionProposed,
    DepositApproved,
    DepositEndorsed,
    DepositRejected,
    DepositRequested,
    GiftGranted,
    GiftProposed,
    GiftRejected,
    MoneyFact,
    RepeatEndorsed,
    TurnoverCounted,
    WithdrawalApproved,
    WithdrawalEndorsed,
    WithdrawalPaid,
    WithdrawalRejected,
    WithdrawalRequested,
)
from engine.cashier.payment_state import PaymentState
from engine.catalogue import PLANS
from engine.chat import state as chat_state
from engine.chat.facts import ChatFact
from engine.chat.state import ChatState
from engine.cow_map import CopyOnWriteMap
from engine.players import profile
from engine.players.facts import PlayerFact, PlayerRegistered
from engine.players.period_totals import PeriodTotals
from engine.players.profile import PlayerProfile
from engine.players.profile_facts import MemberJoined, ProfileFact

_MEMBER = 1


class Player(Struct):
    """Balances in minor units, the open bets by id, and the version of the stream so far.

    `counted` holds the newest round of each game whose turnover was counted, `entered` the calendar
    day of the last bet in each hall that has a join limit.
    """

    id: int
    version: int = 0
    group: int = 0
    bot: bool = False
    available: int = 0
    staked: int = 0
    withdrawing: int = 0
    bonus: int = 0
    bets: CopyOnWriteMap[BetPlaced] = field(default_factory=CopyOnWriteMap)
    counted: dict[int, str] = field(default_factory=dict)
    entered: dict[int, str] = field(default_factory=dict)
    period_totals: PeriodTotals = PeriodTotals()
    payments: PaymentState = PaymentState()
    profile: PlayerProfile = PlayerProfile()
    chat: ChatState = ChatState()

    @property
    def registered(self) -> bool:
        """Whether the stream holds the player's registration."""
        return self.version > 0

    def fork(self) -> "Player":
        """A copy to decide on, which may be thrown away."""
        return Player(
            self.id,
            self.version,
            self.group,
            self.bot,
            self.available,
            self.staked,
            self.withdrawing,
            self.bonus,
            self.bets.fork(),
            self.counted,
            self.entered,
            self.period_totals,
            self.payments,
            self.profile,
            self.chat,
        )


def evolve(player: Player, fact: PlayerFact, day: str) -> Player:
    """Apply a fact to this player in place and return it; refuses nothing.

    `day` (yyyy-mm-dd) is the calendar day on which it was recorded, where the house is.
    """
    player.version += 1
    match fact:
        # What nearly all facts are comes first, and is asked for its type only: fields that are
        # captured in a pattern cost several times what reading them does.
        case BetPlaced():
            player.bets.add(fact.bet, fact)
            _stake(player, fact.stake_minor, fact.bonus_minor)
            if PLANS[fact.plan].join_minor and player.entered.get(fact.plan) != day:
                player.entered = {**player.entered, fact.plan: day}
        case BetSettled():
            player.bets.remove(fact.bet)
            player.staked -= fact.stake_minor
            player.available += fact.payout_minor - fact.payout_bonus_minor
            player.bonus += fact.payout_bonus_minor
            player.period_totals = player.period_totals.settle(
                day, fact.payout_minor - fact.stake_minor
            )
        case TurnoverCounted():
            player.payments = payment_state.evolve(player.payments, fact)
            _move(player, fact, day)
        case (
            BetRecalled(bet=bet, stake_minor=stake, bonus_minor=bonus)
            | BetVoided(bet=bet, stake_minor=stake, bonus_minor=bonus)
        ):
            player.bets.remove(bet)
            _stake(player, -stake, -bonus)
        case PlayerRegistered(group=group, bot=bot):
            player.group = group
            player.bot = bot
        case _:
            _evolve_rest(player, fact, day)
    return player


def _stake(player: Player, stake: int, bonus: int) -> None:
    player.available -= stake - bonus
    player.bonus -= bonus
    player.staked += stake


def _evolve_rest(player: Player, fact: MoneyFact | ProfileFact | ChatFact, day: str) -> None:
    if isinstance(fact, ProfileFact):
        if isinstance(fact, MemberJoined):
            player.group = _MEMBER
        player.profile = profile.evolve(player.profile, fact)
        return
    if isinstance(fact, ChatFact):
        player.chat = chat_state.evolve(player.chat, fact)
        return
    player.payments = payment_state.evolve(player.payments, fact)
    _move(player, fact, day)


def _move(player: Player, fact: MoneyFact, day: str) -> None:
    """What the fact does to the balances, and to the sums that limits are held against."""
    match fact:
        case TurnoverCounted():
            player.counted = {**player.counted, fact.game: fact.issue}
            player.period_totals = player.period_totals.turn_over(day, fact.effective_minor)
        case DepositApproved(amount_minor=amount):
            player.available += amount
            player.period_totals = player.period_totals.deposit(day, amount)
        case WithdrawalRequested(amount_minor=amount):
            player.available -= amount
            player.withdrawing += amount
        case WithdrawalPaid(account=account, amount_minor=amount):
            player.withdrawing -= amount
            player.profile = profile.mark_paid(player.profile, account)
        case WithdrawalRejected(amount_minor=amount):
            player.withdrawing -= amount
            player.available += amount
        case GiftGranted(amount_minor=amount):
            player.bonus += amount
        case BonusReleased(amount_minor=amount):
            player.bonus -= amount
            player.available += amount
        case AdjustmentApproved(amount_minor=amount) | CorrectionApproved(amount_minor=amount):
            player.available += amount
        case (
            DepositRequested()
            | DepositEndorsed()
            | RepeatEndorsed()
            | DepositRejected()
            | WithdrawalEndorsed()
            | WithdrawalApproved()
            | GiftProposed()
            | GiftRejected()
            | AdjustmentProposed()
            | CorrectionProposed()
            | AdjustmentRejected()
        ):
            pass
        case _ as never:
            assert_never(never)
