"""Read-only access to the writer's state: player views and dry runs.

Readers see only committed facts, because the state changes only after a batch is stored.
"""

from collections.abc import Awaitable, Callable

from msgspec import Struct

from engine.answers import Answer
from engine.cashier.bonuses import reserved_quota
from engine.cashier.commands import MoneyCommand
from engine.cashier.payment_references import Credit
from engine.cashier.payment_state import Payment
from engine.catalogue import GAMES
from engine.chat.commands import ChatCommand
from engine.command_handler import Command, decide_account_command
from engine.engine_state import EngineState, Overlay
from engine.house.house_state import HouseState
from engine.lifecycle import WITHDRAWAL
from engine.players.commands import ProfileCommand
from engine.players.profile import PayoutAccount, SharedIdentity
from engine.players.state import Player
from engine.rounds.decisions import UNATTESTED_AFTER_US
from engine.rounds.state import Round
from engine.runtime.log.idempotency import OutcomeCache
from engine.runtime.log.reads import LogReads
from engine.runtime.scheduler.waiting import Waiting
from engine.runtime.writer.commit import Committer
from engine.staff.void_proposals import VoidProposal
from engine.terms import Terms


class PlayerView(Struct, frozen=True):
    """A player as stored. Amounts in minor units, times in microseconds since 1970.

    `due_minor` is the turnover still due before a withdrawal. `turnover_minor` is the lifetime
    turnover, which reached `level`; `next_minor` reaches the next one, None at the highest. `quota`
    is a reserved level that still blocks withdrawals, until when, and the turnover left to it.
    Turnover due and reservations do not block a player who is `leaving`: excluded, closed, or
    with nothing on sale. `base_info` is whether an ID card is stored, `shared` are the members who
    gave the same identity.
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
    withdrawals: tuple[Payment, ...]
    pending_deposits_minor: int
    due_minor: int
    turnover_minor: int
    level: int
    next_minor: int | None
    bonus_due_minor: int
    bonus_from: int
    quota: tuple[int, int, int] | None
    min_withdrawal_minor: int
    leaving: bool
    excluded_until: int = 0
    shared: tuple[SharedIdentity, ...] = ()

    def payout(self, method: int) -> PayoutAccount | None:
        """Returns the current payout account of this method; None if there is none."""
        return next((each for each in self.payouts if each.method == method), None)


class UndrawnRound(Struct, frozen=True):
    """A closed round whose draw is overdue, or whose void was ruled: then it has a `status`.

    Times are microseconds since 1970. `earliest` is when it may be voided without an answer from
    the witness. `waiting` is why it is not drawn, None once its void is ruled or before the first
    attempt.
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
    waiting: Waiting | None


class EngineReader:
    """Reads in parallel with the writer. `clock` returns microseconds since 1970."""

    def __init__(
        self,
        state: EngineState,
        committer: Committer,
        outcomes: OutcomeCache,
        reads: LogReads,
        clock: Callable[[], int],
        caught_up: Callable[[], Awaitable[None]],
        waiting: Callable[[int, str], Waiting | None],
    ) -> None:
        """Read this writer's state and cached answers, and everything else from the log.

        `caught_up` waits until the state includes everything in the log. `waiting` returns why an
        overdue round is not drawn, by game and issue.
        """
        self.waiting = waiting
        self._state = state
        self._committer = committer
        self._reads = reads
        self._outcomes = outcomes
        self._clock = clock
        self._caught_up = caught_up

    @property
    def house(self) -> HouseState:
        """The house-wide settings of staff."""
        return self._state.house

    def undrawn(self) -> list[UndrawnRound]:
        """Returns the closed rounds that are overdue or being voided, by game, oldest first."""
        now, voids = self._now(), self._state.house.voids
        return [
            _undrawn(each, voids.get((game, each.issue)), self.waiting(game, each.issue))
            for game in GAMES
            for each in self._state.unfinished_rounds(game)
            if each.is_undrawn_at(now) or each.ruled is not None
        ]

    def credit(self, reference: str) -> Credit | None:
        """Returns the credit of a payment reference; None if the writer has not cached it."""
        return self._state.references.get(reference)

    async def player(self, player: int) -> PlayerView | None:
        """Returns the player; None if the log has no such player."""
        found = (await self._state_with(player)).players[player]
        return view_of(found, self._state.house, self._now()) if found.registered else None

    async def dry_run(self, command: MoneyCommand | ProfileCommand | ChatCommand) -> Answer:
        """Returns the answer that the command would get now. Nothing is stored or cached."""
        return decide_account_command(
            command, Overlay(await self._state_with(command.player), self._now())
        )

    async def stored_answer(self, actor: str, key: str, command: Command) -> Answer | None:
        """Returns the stored answer of an idempotency key, or a refusal if the command differs.

        A read of the player that follows sees the result of the command.
        """
        answer = self._outcomes.lookup(actor, key, command)
        if answer is None:
            found = await self._reads.outcomes([(actor, key)])
            if found:
                # The log may have it a moment before the state does.
                await self._caught_up()
            self._outcomes.restore(found)
            answer = self._outcomes.lookup(actor, key, command)
        return answer

    def _now(self) -> int:
        return self._committer.time(self._clock())

    async def _state_with(self, player: int) -> EngineState:
        """Returns a state with this player only, read from the log if not cached.

        The player is not added to the cache: the writer may have stored newer facts meanwhile.
        """
        state = self._state
        cached = state.players.get(player)
        if cached is None:
            alone = await self._reads.player(player, state.timezone, state.house)
        else:
            alone = EngineState(state.timezone, house=state.house)
            alone.players[player] = cached
        alone.solo_approvals = state.solo_approvals
        return alone


def view_of(player: Player, house: HouseState, now: int) -> PlayerView:
    """Returns the view of a player under these terms; `now` is in microseconds since 1970."""
    money, profile, terms = player.payments, player.profile, house.terms
    level = terms.level(money.turnover_minor)
    higher = terms.levels_minor[level + 1 :]
    return PlayerView(
        player.id,
        player.version,
        player.group,
        player.available,
        player.bonus,
        player.withdrawing,
        profile.base_info,
        profile.code_usable_at,
        profile.payouts,
        money.of(WITHDRAWAL),
        money.pending_deposits_minor,
        money.due_minor,
        money.turnover_minor,
        level,
        higher[0] if higher else None,
        money.bonus_due_minor,
        money.bonus_from,
        _quota(player, terms, now),
        terms.least_withdrawal_minor,
        house.discontinued or profile.may_withdraw_unconditionally(now),
        profile.excluded_until,
        profile.shared,
    )


def _quota(player: Player, terms: Terms, now: int) -> tuple[int, int, int] | None:
    quota = reserved_quota(player, terms, now)
    if quota is None:
        return None
    level, until = quota
    return level, until, terms.levels_minor[level] - player.payments.turnover_minor


def _undrawn(round_: Round, proposal: VoidProposal | None, waiting: Waiting | None) -> UndrawnRound:
    open_bets = list(round_.book.open_bets())
    return UndrawnRound(
        round_.opened.game,
        round_.issue,
        round_.opened.day,
        round_.closes_at,
        round_.opened.draws_at,
        round_.closes_at + UNATTESTED_AFTER_US,
        len(open_bets),
        sum(entry.bet.stake_minor for entry in open_bets),
        round_.ruled.status if round_.ruled is not None else "",
        proposal,
        waiting if round_.ruled is None else None,
    )
