"""The writer's state of a player, folded from their stream, and what follows from it.

These are the sums of the current day, week and month, and what the limits on deposits and on losses
still allow: the least that any of them does.
"""

from datetime import date
from functools import lru_cache

from msgspec import Struct, field
from msgspec.structs import replace

from engine.bets.facts import BetPlaced, BetRecalled, BetSettled, BetVoided
from engine.cashier import payment_state
from engine.cashier.facts import DepositApproved, MoneyFact, TurnoverCounted, WithdrawalPaid
from engine.cashier.payment_state import PaymentState
from engine.catalogue import PLANS
from engine.chat import state as chat_state
from engine.chat.facts import ChatFact
from engine.chat.state import ChatState
from engine.cow_map import CopyOnWriteMap
from engine.ledger import MOVES
from engine.players import profile
from engine.players.commands import DEPOSIT, LOSS, MEMBER, SPANS
from engine.players.facts import MemberJoined, PlayerFact, PlayerRegistered, ProfileFact
from engine.players.profile import PlayerProfile

Sums = tuple[int, int, int]
"""Minor units of the day, the week and the month."""

_NONE: Sums = (0, 0, 0)


class PeriodTotals(Struct, frozen=True, gc=False):
    """Sums of the periods that contain `day` (yyyy-mm-dd), in minor units.

    `net` is payouts less stakes of settled bets; `turnover` is the day's, and `before` the last
    earlier day that had any, with its turnover.
    """

    day: str = ""
    deposited: Sums = _NONE
    net: Sums = _NONE
    turnover: int = 0
    before: tuple[str, int] = ("", 0)

    def on(self, day: str) -> "PeriodTotals":
        """The totals as of a day, which is not before the last one."""
        if day == self.day:
            return self
        same = [a == b for a, b in zip(_spans(self.day), _spans(day), strict=True)]
        return PeriodTotals(
            day,
            _carried_over(self.deposited, same),
            _carried_over(self.net, same),
            0,
            (self.day, self.turnover) if self.turnover else self.before,
        )

    def deposit(self, day: str, amount_minor: int) -> "PeriodTotals":
        """The totals with one more deposit."""
        current = self.on(day)
        return replace(current, deposited=_add_to_each(current.deposited, amount_minor))

    def settle(self, day: str, net_minor: int) -> "PeriodTotals":
        """The totals with one more settled bet."""
        current = self.on(day)
        return PeriodTotals(
            current.day,
            current.deposited,
            _add_to_each(current.net, net_minor),
            current.turnover,
            current.before,
        )

    def turn_over(self, day: str, effective_minor: int) -> "PeriodTotals":
        """The totals with more turnover."""
        current = self.on(day)
        return replace(current, turnover=current.turnover + effective_minor)

    def turnover_of(self, day: str) -> int:
        """The turnover of the current day or of the last earlier day that had any."""
        return {self.before[0]: self.before[1], self.day: self.turnover}.get(day, 0)


@lru_cache(64)
def _spans(day: str) -> tuple[str, str, str]:
    """The names of the day, the ISO week and the month that contain a day."""
    if not day:
        return ("", "", "")
    year, week, _ = date.fromisoformat(day).isocalendar()
    return (day, f"{year}-W{week}", day[:7])


def _carried_over(sums: Sums, same: list[bool]) -> Sums:
    day, week, month = (
        amount if unchanged else 0 for amount, unchanged in zip(sums, same, strict=True)
    )
    return (day, week, month)


def _add_to_each(sums: Sums, amount_minor: int) -> Sums:
    return (sums[0] + amount_minor, sums[1] + amount_minor, sums[2] + amount_minor)


assert len(SPANS) == len(_NONE)


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
                player.group = MEMBER
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


def deposit_headroom(player: Player, now: int, day: str) -> int | None:
    """How much may still be deposited, in minor units; None without a limit.

    Pending deposits count as deposited.
    """
    deposited = player.period_totals.on(day).deposited
    pending = player.payments.pending_deposits_minor
    return _headroom(player, DEPOSIT, [amount + pending for amount in deposited], now)


def loss_headroom(player: Player, now: int, day: str) -> int | None:
    """How much may still be staked until the loss limit, in minor units; None without a limit.

    The loss is every open stake less the net of settled bets.
    """
    net = player.period_totals.on(day).net
    return _headroom(player, LOSS, [player.staked - amount for amount in net], now)


def _headroom(player: Player, subject: str, used: list[int], now: int) -> int | None:
    headrooms: list[int] = []
    for span, amount in zip(SPANS, used, strict=True):
        limit = player.profile.limit(subject, span)
        max_minor = limit.at(now) if limit else None
        if max_minor is not None:
            headrooms.append(max_minor - amount)
    return min(headrooms, default=None)
