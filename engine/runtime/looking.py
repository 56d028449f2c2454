"""Looking at what the writer knows and changing nothing: players, and what commands would lead to.

What is seen is stored: the world changes only once a batch is in the log.
"""

from collections.abc import Awaitable, Callable

from msgspec import Struct

from engine.accounts import decide_account
from engine.answers import Answer
from engine.catalogue import GAMES
from engine.desk.references import Credit
from engine.dispatch import Command
from engine.house.office import Office
from engine.house.voids import VoidProposal
from engine.players.chat_commands import ChatCommand
from engine.players.gifts import reserved_quota
from engine.players.money import OpenWithdrawal
from engine.players.money_commands import MoneyCommand
from engine.players.standing import PayoutAccount, SharedIdentity
from engine.players.standing_commands import StandingCommand
from engine.players.state import Player
from engine.rounds.state import Round
from engine.rounds.voiding import UNATTESTED_AFTER_US
from engine.runtime.commit import Committer
from engine.runtime.outcomes import Outcomes
from engine.runtime.reads import LogReads
from engine.terms import Terms
from engine.world import Overlay, World


class PlayerView(Struct, frozen=True):
    """A player as stored. Amounts in minor units, times in microseconds since 1970.

    `due_minor` is the turnover still due before a withdrawal, `turnover_minor` a lifetime's, which
    reached `level`; `next_minor` reaches the next one, None at the highest. `quota` is a level
    that is reserved and still closes withdrawals, until when, and the turnover left to it. Nothing
    that is due or reserved holds back who is `leaving`: excluded, closed, or with nothing on sale.
    """

    player: int
    version: int
    group: int
    available_minor: int
    bonus_minor: int
    withdrawing_minor: int
    base_info: bool
    code_usable_at: int | None
    payouts: tuple[PayoutAccount, ...]
    withdrawals: tuple[OpenWithdrawal, ...]
    pending_deposits_minor: int
    due_minor: int
    turnover_minor: int
    level: int
    next_minor: int | None
    bonus_due_minor: int
    bonus_from: int
    quota: tuple[int, int, int] | None
    least_withdrawal_minor: int
    leaving: bool
    excluded_until: int = 0
    shared: tuple[SharedIdentity, ...] = ()

    def payout(self, method: int) -> PayoutAccount | None:
        """The account of this method that is paid to now."""
        return next((each for each in self.payouts if each.method == method), None)


class UndrawnRound(Struct, frozen=True):
    """A closed round whose draw is overdue; times in microseconds since 1970.

    `earliest` is when it may be voided although the witness gives no answer.
    """

    game: int
    issue: str
    day: str
    closed_at: int
    due_at: int
    earliest: int
    bets: int
    stake_minor: int
    status: str
    proposal: VoidProposal | None


class Looking:
    """Reads beside the writer. `clock` gives microseconds since 1970."""

    def __init__(
        self,
        world: World,
        committer: Committer,
        outcomes: Outcomes,
        reads: LogReads,
        clock: Callable[[], int],
        caught_up: Callable[[], Awaitable[None]],
    ) -> None:
        """Look at this writer's world and remembered answers, and for the rest at the log.

        `caught_up` waits until the world has what the log holds.
        """
        self._world = world
        self._committer = committer
        self._reads = reads
        self._outcomes = outcomes
        self._clock = clock
        self._caught_up = caught_up

    @property
    def office(self) -> Office:
        """What staff set for the whole house."""
        return self._world.office

    def undrawn(self) -> list[UndrawnRound]:
        """The closed rounds whose draw is overdue, oldest first."""
        now, voids = self._now(), self._world.office.voids
        return [
            _undrawn(each, voids.get((game, each.issue)))
            for game in GAMES
            for each in self._world.owed(game)
            if each.is_undrawn_at(now) or each.ruled is not None
        ]

    def credit(self, reference: str) -> Credit | None:
        """Which deposit was credited under a payment's reference, if the writer has it at hand."""
        return self._world.references.get(reference)

    async def player(self, player: int) -> PlayerView | None:
        """The player, None for one whom the log does not know."""
        found = (await self._with(player)).players[player]
        return view_of(found, self._world.office, self._now()) if found.registered else None

    async def foresee(self, command: MoneyCommand | StandingCommand | ChatCommand) -> Answer:
        """What the command would be answered with now; nothing is stored or remembered."""
        return decide_account(command, Overlay(await self._with(command.player), self._now()))

    async def remembered(self, actor: str, key: str, command: Command) -> Answer | None:
        """The answer that this id was given, or a refusal if it was for another command.

        Whoever looks at the player after it sees what the command led to.
        """
        at_hand = self._outcomes.recall(actor, key, command)
        if at_hand is None:
            found = await self._reads.outcomes([(actor, key)])
            if found:
                # The log may have it a moment before the world does.
                await self._caught_up()
            self._outcomes.restore(found)
            at_hand = self._outcomes.recall(actor, key, command)
        return at_hand

    def _now(self) -> int:
        return self._committer.time(self._clock())

    async def _with(self, player: int) -> World:
        """A world of this player alone, who is read from the log if not at hand.

        They are not put at hand: the writer may have gone on while they were read.
        """
        world = self._world
        known = world.players.get(player)
        if known is None:
            alone = await self._reads.player(player, world.timezone, world.office)
        else:
            alone = World(world.timezone, office=world.office)
            alone.players[player] = known
        alone.desk = world.desk
        return alone


def view_of(player: Player, office: Office, now: int) -> PlayerView:
    """The player in this house at a time, in microseconds since 1970."""
    money, standing, terms = player.money, player.standing, office.terms
    level = terms.level(money.turnover_minor)
    higher = terms.levels_minor[level + 1 :]
    return PlayerView(
        player.id,
        player.version,
        player.group,
        player.available,
        player.bonus,
        player.withdrawing,
        standing.base_info,
        standing.code_usable_at,
        standing.payouts,
        money.withdrawals,
        sum(each.amount_minor for each in money.deposits),
        money.due_minor,
        money.turnover_minor,
        level,
        higher[0] if higher else None,
        money.bonus_due_minor,
        money.bonus_from,
        _quota(player, terms, now),
        terms.least_withdrawal_minor,
        office.discontinued or standing.may_always_leave(now),
        standing.excluded_until,
        standing.shared,
    )


def _quota(player: Player, terms: Terms, now: int) -> tuple[int, int, int] | None:
    quota = reserved_quota(player, terms, now)
    if quota is None:
        return None
    level, until = quota
    return level, until, terms.levels_minor[level] - player.money.turnover_minor


def _undrawn(sale: Round, proposal: VoidProposal | None) -> UndrawnRound:
    standing = list(sale.book.standing())
    return UndrawnRound(
        sale.opened.game,
        sale.issue,
        sale.opened.day,
        sale.closes_at,
        sale.opened.draws_at,
        sale.closes_at + UNATTESTED_AFTER_US,
        len(standing),
        sum(entry.bet.stake_minor for entry in standing),
        sale.ruled.status if sale.ruled is not None else "",
        proposal,
    )
