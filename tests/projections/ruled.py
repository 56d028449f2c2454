"""Histories decided by the engine: random steps, and the facts of those that it accepted."""

from collections.abc import Callable
from itertools import count
from typing import Any, get_args

from msgspec.structs import replace

from engine.bets import decisions
from engine.bets.decisions import BetRandomness
from engine.bets.facts import BetPlaced, BetRecalled, BetVoided
from engine.cashier import commands as money_commands
from engine.chat import commands as chat_commands
from engine.command_handler import Command, DecisionContext, decide
from engine.engine_state import EngineState, Overlay
from engine.house.bookings import Book, DecideBooking
from engine.house.commands import (
    DecideProposal,
    OfficeCommand,
    ProposeOdds,
    SetReceivingAccounts,
    SetTerms,
    TurnSwitch,
)
from engine.house.published_content import PublishContent, WithdrawContent
from engine.lifecycle import ADJUSTMENT, DEPOSIT, GIFT, WITHDRAWAL
from engine.players import commands
from engine.players import state as players
from engine.players.commands import GUEST, MEMBER, PlayerCommand, RegisterPlayer
from engine.players.facts import PlayerFact
from engine.players.state import Player
from engine.schedule import calendar_day
from engine.staff.passes import EndPass, IssuePass
from engine.staff.roles import MACHINE, Role, actor_of
from engine.staff.staff import DecideRoles, ProposeRoles, RemoveStaff
from engine.terms import DAY_US, DEFAULT_TERMS, ReceivingAccounts
from tests.projections.history import History, bet
from tests.projections.support import ZONE

PEOPLE = (1, 2)
BOT = 3
GUEST_ID = 4
ALL_PLAYERS = (*PEOPLE, BOT, GUEST_ID)
WHO = (1, 1, 1, *PEOPLE, *ALL_PLAYERS)
STAFF = ("staff:ann", "staff:bob")
NAMES = ("ann", "bob", "cho")
CONTEXT = DecisionContext(BetRandomness("", ""), lambda _, __: b"")

Step = tuple[str, int, int]
"""What, by which player, and a number that gives the amount, the choice or the staff member."""


class Ruled:
    """A history, and the engine state that results from it."""

    def __init__(self, history: History | None = None) -> None:
        self.history = history or History()
        self.state = EngineState(ZONE, players={player: Player(player) for player in ALL_PLAYERS})
        self._numbers = count(1)
        for player in ALL_PLAYERS:
            group = GUEST if player == GUEST_ID else MEMBER
            gift = 50_000 if player == BOT else 0
            self.submit(RegisterPlayer(player, group, None, "", player == BOT, gift))
        for player in PEOPLE:
            self.submit(commands.CompleteBaseInfo(player))
            self.submit(commands.SetPayoutAccount(player, 0, f"card-{player}", ""))
            self.submit(commands.SetPayoutAccount(player, 1, f"wallet-{player}", ""))
            self.submit(commands.SetSecurityCode(player))
        self.history.at += DAY_US

    def submit(self, command: Command) -> None:
        """Let the engine decide a command, and append its facts to the history.

        The actor is the one whom the command names, otherwise the player.
        """
        overlay = Overlay(self.state, self.history.at)
        decide(command, overlay, CONTEXT)
        if overlay.drafts:
            overlay.merge()
            facts = [(draft.stream, draft.fact) for draft in overlay.drafts]
            with self.history.as_actor(getattr(command, "by", "") or facts[0][0]):
                self.history.append(*facts)

    def bets(self, player: int, *facts: PlayerFact) -> None:
        """Append facts about bets directly: deciding them would need an open round."""
        owner = self.state.players[player]
        for fact in facts:
            players.evolve(owner, fact, calendar_day(ZONE, self.history.at))
        owner.bets.merge()
        self.history.append_for(player, *facts)

    def perform(self, step: Step) -> None:
        """Perform a step, as far as the current state allows it."""
        what, who, amount = step
        command = COMMANDS.get(what)
        if command is not None:
            self.submit(command(self, who, amount))
        elif what == "wait":
            self.history.later(amount * 20)
        elif what == "work off":
            # Staking everything meets the turnover due, so that money may be withdrawn.
            self._bet("bet", who, self.state.players[who].available)
            for _ in range(4):
                self._bet("win", who, amount)
        else:
            self._bet(what, who, amount)

    def _bet(self, what: str, who: int, amount: int) -> None:
        player = self.state.players[who]
        if what == "bet" and 0 < amount <= player.available + player.bonus:
            placed = bet(next(self._numbers), amount, issue=f"2026112{amount % 3}001")
            self.bets(who, replace(placed, bonus_minor=max(0, amount - player.available)))
        opened = sorted(player.bets.values(), key=lambda each: each.bet)
        if what != "bet" and opened:
            self.bets(who, *_results(player, opened[amount % len(opened)], what))

    def fresh(self, prefix: str) -> str:
        """An id that was not used before."""
        return f"{prefix}-{next(self._numbers)}"

    def some(self, kind: str, amount: int) -> tuple[int, str]:
        """The player and id of one of the open payments of a kind, if there are any."""
        players = self.state.players.values()
        open_ids = [(it.id, each.id) for it in players for each in it.payments.of(kind)]
        return open_ids[amount % len(open_ids)] if open_ids else (1, "nothing")

    def booking(self, amount: int) -> str:
        """One of the pending bookings, if there are any."""
        open_ids = [*self.state.house.bookings]
        return open_ids[amount % len(open_ids)] if open_ids else "nothing"

    def proposal(self, amount: int) -> str:
        """One of the pending role proposals, if there are any."""
        open_ids = [each.id for each in self.state.house.staff.proposals.values()]
        return open_ids[amount % len(open_ids)] if open_ids else "nothing"

    def setting(self, amount: int) -> str:
        """One of the pending proposals for house settings, if there are any."""
        house = self.state.house
        proposals = (house.proposed_terms, house.proposed_accounts, house.proposed_odds)
        open_ids = [each.id for each in proposals if each is not None]
        return open_ids[amount % len(open_ids)] if open_ids else "nothing"


def _results(player: Player, placed: BetPlaced, what: str) -> list[PlayerFact]:
    back = (placed.bet, placed.game, placed.issue, placed.stake_minor, placed.bonus_minor)
    if what == "recall":
        return [BetRecalled(*back)]
    if what == "void":
        return [BetVoided(*back)]
    return decisions.settle(player, placed.bet, 19 if what == "win" else 3)


def _roles(amount: int) -> tuple[Role, ...]:
    return tuple(role for number, role in enumerate(Role) if amount >> number & 1)


CommandFactory = Callable[[Ruled, int, int], Command]


def _by(amount: int) -> str:
    return STAFF[amount % 2]


FIELDS: dict[str, Callable[[int, int], Any]] = {
    "player": lambda who, _: who,
    "by": lambda _, n: _by(n),
    "reason_commitment": lambda _, __: "reason",
}


def _of_plain_fields(kind: type[Any]) -> CommandFactory:
    values = [FIELDS[field] for field in kind.__struct_fields__]
    return lambda _, who, n: kind(*(value(who, n) for value in values))


CORRECTED = (("double_entry", "bank"), ("goodwill", ""))
COMMANDS: dict[str, CommandFactory] = {
    # A command with other fields needs a line below.
    **{
        kind.__name__: _of_plain_fields(kind)
        for kind in get_args(PlayerCommand | OfficeCommand)
        if FIELDS.keys() >= set(kind.__struct_fields__)
    },
    "notice": lambda it, who, n: money_commands.RequestDeposit(
        who, it.fresh("d"), ("bank", "usdt", "online")[n % 3], n * 40, "reference"
    ),
    "enter": lambda it, who, n: money_commands.ApproveDeposit(
        who, it.fresh("d"), "bank", n * 150, "reference", _by(n)
    ),
    "decide deposit": lambda it, _, n: money_commands.DecideDeposit(
        *it.some(DEPOSIT, n), n % 5 > 0, _by(n), "reason"
    ),
    "withdraw": lambda it, who, n: money_commands.RequestWithdrawal(
        who, it.fresh("w"), n % 2, it.state.players[who].available // (1 + n % 2)
    ),
    "decide withdrawal": lambda it, _, n: money_commands.DecideWithdrawal(
        *it.some(WITHDRAWAL, n), n % 5 > 0, _by(n), "reason"
    ),
    "pay": lambda it, _, n: money_commands.PayWithdrawal(
        *it.some(WITHDRAWAL, n), _by(n), "transfer"
    ),
    "gift": lambda it, who, n: money_commands.GrantGift(who, it.fresh("g"), n, _by(n), "reason"),
    "decide gift": lambda it, _, n: money_commands.DecideGift(*it.some(GIFT, n), n % 5 > 0, _by(n)),
    "propose": lambda it, who, n: money_commands.ProposeAdjustment(
        who, it.fresh("a"), n - 3_000, _by(n), "reason"
    ),
    "adjust": lambda it, _, n: money_commands.DecideAdjustment(
        *it.some(ADJUSTMENT, n), n % 5 > 0, _by(n)
    ),
    "join": lambda _, who, __: commands.JoinAsMember(who, None, ""),
    "account": lambda it, who, n: commands.SetPayoutAccount(who, n % 2, it.fresh("payout"), ""),
    "shared identity": lambda it, who, n: commands.NoteSharedIdentity(
        who, sorted(it.state.players)[n % len(it.state.players)], commands.IDENTITIES[n % 2]
    ),
    "identity": lambda it, who, n: commands.DecideIdentity(
        who, sorted(it.state.players)[n % len(it.state.players)], n % 3 > 0, _by(n), "reason"
    ),
    "account change": lambda _, who, n: commands.ProposeAccountChange(
        who, f"change-{n}", commands.ACCOUNT_CHANGES[n % 2], _by(n), "reason"
    ),
    "decide change": lambda it, who, n: commands.DecideAccountChange(
        who,
        next((each.id for each in it.state.players[who].profile.changes), "unknown"),
        n % 5 > 0,
        _by(n),
    ),
    "limit": lambda _, who, n: commands.SetLimit(
        who,
        commands.SUBJECTS[n % 2],
        commands.SPANS[n % 3],
        n * 300 if n % 7 else None,
    ),
    "time out": lambda it, who, n: commands.TakeTimeOut(who, it.history.at + n * 1_000_000),
    "exclusion": lambda it, who, n: commands.ExcludeSelf(
        who, it.history.at + 200 * DAY_US if n % 2 else None
    ),
    "reminder": lambda _, who, n: commands.SetRealityCheck(who, n % 240),
    "close": lambda _, who, n: commands.SwitchPlayer(who, n % 2 > 0, _by(n), "reason"),
    "say": lambda it, who, n: chat_commands.SayInChat(who, 1 + n % 36, it.fresh("m"), ""),
    "mute": lambda _, who, n: chat_commands.MutePlayer(who, n * 1_000_000, _by(n), "reason"),
    "switch": lambda _, who, n: TurnSwitch(f"game-{who}", n % 2 > 0, _by(n)),
    "terms": lambda _, __, n: SetTerms(
        replace(DEFAULT_TERMS, four_eyes_minor=500_000 + n // 2 % 3, cooling_us=DAY_US), _by(n)
    ),
    "odds": lambda _, __, n: ProposeOdds(("balanced", "card-21.04.02")[n // 2 % 2], _by(n)),
    "decide setting": lambda it, _, n: DecideProposal(it.setting(n), n % 5 > 0, _by(n // 3)),
    "roles": lambda it, _, n: ProposeRoles(
        it.fresh("r"), NAMES[n % 3], _roles(n), actor_of(NAMES[n // 3 % 3]) if n % 4 else MACHINE
    ),
    "decide roles": lambda it, _, n: DecideRoles(
        it.proposal(n), n % 5 > 0, actor_of(NAMES[n // 3 % 3])
    ),
    "remove": lambda _, __, n: RemoveStaff(NAMES[n % 3], actor_of(NAMES[n // 3 % 3])),
    "pass": lambda _, __, n: IssuePass(
        NAMES[n % 3], f"pass-{n // 9 % 7}", actor_of(NAMES[n // 3 % 3]) if n % 4 else MACHINE
    ),
    "end pass": lambda _, __, n: EndPass(NAMES[n % 3], actor_of(NAMES[n // 3 % 3])),
    "receiving": lambda _, __, n: SetReceivingAccounts(
        ReceivingAccounts(bank=("", "mine", "theirs")[n // 2 % 3]), _by(n)
    ),
    "publish": lambda _, who, n: PublishContent(
        f"content-{who}", ("article", "message")[who % 2], f"digest-{n % 5}", n % 3 == 0, _by(n)
    ),
    "unpublish": lambda _, who, n: WithdrawContent(f"content-{who}", _by(n)),
    "tell": lambda _, who, n: commands.SendMessage(who, f"m-{who}-{n % 4}", "words", _by(n)),
    "take back": lambda _, who, n: commands.WithdrawMessage(who, f"m-{who}-{n % 4}", _by(n)),
    "book": lambda it, _, n: Book(
        it.fresh("b"), ("fee", "capital")[n % 2], "bank", (n - 3_000) * 150, _by(n), "", "", False
    ),
    "decide booking": lambda it, _, n: DecideBooking(it.booking(n), n % 5 > 0, _by(n), ""),
    "correct": lambda it, who, n: money_commands.ProposeCorrection(
        who, it.fresh("a"), *CORRECTED[n % 2], n - 3_000, _by(n), "reason"
    ),
}
BETS = ("work off", "bet", "recall", "void", "win", "lose")
# Money moves more often than profiles change: a player who is excluded does little else.
OFTEN = (
    *("notice", "decide deposit", "enter", "withdraw", "decide withdrawal", "pay", "wait"),
    *("adjust", "propose", "gift", "ReleaseBonus", "bet", "win", "lose", "work off", "work off"),
    *("withdraw", "withdraw", "decide withdrawal", "decide withdrawal", "pay", "pay"),
)
STEPS = (*COMMANDS, *BETS, *OFTEN, *OFTEN, *OFTEN)
