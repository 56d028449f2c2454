"""The writer's state of a player, folded from their stream."""

from msgspec import Struct, field

from engine.bets.facts import BetPlaced, BetRecalled, BetSettled, BetVoided
from engine.cashier import payment_state
from engine.cashier.facts import (
    DepositApproved,
    MoneyFact,
    TurnoverCounted,
    WithdrawalPaid,
)
from engine.cashier.payment_state import PaymentState
from engine.catalogue import PLANS
from engine.chat import state as chat_state
from engine.chat.facts import ChatFact
from engine.chat.state import ChatState
from engine.cow_map import CopyOnWriteMap
from engine.ledger import MOVES
from engine.players import profile
from engine.players.facts import PlayerFact, PlayerRegistered
from engine.players.period_totals import PeriodTotals
from engine.players.profile import PlayerProfile
from engine.players.profile_facts import MemberJoined, ProfileFact

_MEMBER = 1


class Player(Struct):
    """Balances in minor units, the open bets by id, and the version of the stream so far.

    `counted` is the newest round of each game whose turnover was counted, `entered` the calendar
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
        """Whether the stream contains the player's registration."""
        return self.version > 0

    def fork(self) -> "Player":
        """A copy to decide on, which may be discarded."""
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
    """Apply a fact to this player in place and return it; never refuses.

    `day` (yyyy-mm-dd) is the calendar day on which it was recorded, in the house's time zone.
    """
    player.version += 1
    moves = MOVES.get(type(fact))
    if moves is not None:
        available, bonus, staked, withdrawing, _ = moves(fact)
        player.available += available
        player.staked += staked
        if bonus:
            player.bonus += bonus
        if withdrawing:
            player.withdrawing += withdrawing
    match fact:
        # The most frequent facts come first and are matched by type only: capturing fields in
        # a pattern costs several times as much as reading them.
        case BetPlaced():
            player.bets.add(fact.bet, fact)
            if PLANS[fact.plan].join_minor and player.entered.get(fact.plan) != day:
                player.entered = {**player.entered, fact.plan: day}
        case BetSettled():
            player.bets.remove(fact.bet)
            player.period_totals = player.period_totals.settle(
                day, fact.payout_minor - fact.stake_minor
            )
        case TurnoverCounted():
            _evolve_payments(player, fact, day)
        case BetRecalled() | BetVoided():
            player.bets.remove(fact.bet)
        case PlayerRegistered(group=group, bot=bot):
            player.group = group
            player.bot = bot
        case _ if isinstance(fact, ProfileFact):
            if isinstance(fact, MemberJoined):
                player.group = _MEMBER
            player.profile = profile.evolve(player.profile, fact)
        case _ if isinstance(fact, ChatFact):
            player.chat = chat_state.evolve(player.chat, fact)
        case _:
            _evolve_payments(player, fact, day)
    return player


def _evolve_payments(player: Player, fact: MoneyFact, day: str) -> None:
    player.payments = payment_state.evolve(player.payments, fact)
    match fact:
        case TurnoverCounted():
            player.counted = {**player.counted, fact.game: fact.issue}
            player.period_totals = player.period_totals.turn_over(day, fact.effective_minor)
        case DepositApproved(amount_minor=amount):
            player.period_totals = player.period_totals.deposit(day, amount)
        case WithdrawalPaid(account=account):
            player.profile = profile.mark_paid(player.profile, account)
        case _:
            pass
