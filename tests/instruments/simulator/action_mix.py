"""The mix of actions as a table: an action, its share in percent, and the commands it sends.

A new command needs an action and a line here; `uncovered` names commands that no action sends.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple, get_args

from engine.bets.commands import PlaceBet, RecallBets
from engine.cashier import commands as money
from engine.chat import commands as chat
from engine.content.published_content import PublishContent, WithdrawContent
from engine.house import commands as house
from engine.house.bookings import Book, DecideBooking
from engine.house.commands import OfficeCommand
from engine.money import units
from engine.players import commands as standing
from engine.players.commands import GUEST, MEMBER, PlayerCommand, RegisterPlayer
from engine.staff.passes import EndPass, IssuePass
from engine.staff.staff import DecideRoles, ProposeRoles, RemoveStaff
from engine.staff.void_proposals import DecideVoid, ProposeVoid
from tests.instruments.simulator import actions_players, actions_staff
from tests.instruments.simulator.population import Population, SimulatedPlayer


class Behaviour(NamedTuple):
    """A behaviour: `share` percent of the players have it; `sends` are its commands."""

    act: Callable[[Population, SimulatedPlayer, int], Awaitable[None]]
    share: int
    sends: tuple[type[Any], ...]


_TABLE: Final = (
    Behaviour(actions_players.bets, 18, (PlaceBet,)),
    Behaviour(actions_players.hedges, 8, (PlaceBet, RecallBets)),
    Behaviour(actions_players.recalls, 8, (PlaceBet, RecallBets)),
    Behaviour(actions_players.repeats, 8, (PlaceBet,)),
    Behaviour(actions_players.clicks_twice, 6, (PlaceBet,)),
    Behaviour(actions_players.spends_all, 5, (PlaceBet,)),
    Behaviour(actions_players.comes_late, 8, (PlaceBet, RecallBets)),
    Behaviour(actions_players.looks_round, 2, (PlaceBet, RegisterPlayer, standing.JoinAsMember)),
    Behaviour(actions_players.plays_by_itself, 5, (PlaceBet,)),
    Behaviour(actions_players.strains_the_cap, 2, (PlaceBet,)),
    Behaviour(actions_players.sends_invalid_fields, 4, (PlaceBet, RecallBets)),
    Behaviour(actions_players.replays_old_command, 2, ()),
    Behaviour(actions_players.joins, 1, (RegisterPlayer,)),
    Behaviour(actions_players.pays_in, 3, (money.RequestDeposit,)),
    Behaviour(
        actions_players.cashes_out,
        4,
        (
            money.RequestWithdrawal,
            standing.CompleteBaseInfo,
            standing.SetPayoutAccount,
            standing.SetSecurityCode,
        ),
    ),
    Behaviour(
        actions_players.cashes_bonus,
        3,
        (money.ReleaseBonus, standing.ReserveQuota, standing.ReleaseQuota),
    ),
    Behaviour(
        actions_players.protects_itself,
        2,
        (standing.SetLimit, standing.SetRealityCheck, standing.TakeTimeOut, standing.ExcludeSelf),
    ),
    Behaviour(actions_players.chats, 2, (PlaceBet, chat.SayInChat)),
)
_STAFF: Final = (
    Behaviour(actions_staff.enters_deposits, 3, (money.ApproveDeposit, money.EnterDeposit)),
    Behaviour(
        actions_staff.decides_deposits,
        2,
        (money.DecideDeposit, money.AgreeDeposit, money.ConfirmDeposit),
    ),
    Behaviour(
        actions_staff.decides_withdrawals,
        2,
        (standing.ShowPayout, money.DecideWithdrawal, money.PayWithdrawal),
    ),
    Behaviour(actions_staff.removes_codes, 1, (standing.LiftSecurityCode,)),
    Behaviour(
        actions_staff.changes_accounts,
        1,
        (standing.ProposeAccountChange, standing.DecideAccountChange),
    ),
    Behaviour(
        actions_staff.sorts_out_identities,
        1,
        (standing.NoteSharedIdentity, standing.DecideIdentity),
    ),
    Behaviour(actions_staff.gives, 1, (money.GrantGift, money.DecideGift, money.GrantOvernight)),
    Behaviour(
        actions_staff.corrects,
        1,
        (money.ProposeAdjustment, money.ProposeCorrection, money.DecideAdjustment),
    ),
    Behaviour(actions_staff.books, 1, (Book, DecideBooking)),
    Behaviour(actions_staff.closes_and_opens, 1, (house.TurnSwitch, standing.SwitchPlayer)),
    Behaviour(
        actions_players.moderates, 1, (chat.RemoveFromChat, chat.MutePlayer, chat.UnmutePlayer)
    ),
    Behaviour(actions_staff.sets_terms, 1, (house.SetTerms, house.SetReceivingAccounts)),
    Behaviour(actions_staff.proposes_odds, 1, (house.ProposeOdds, house.DecideProposal)),
    Behaviour(actions_staff.hires, 1, (ProposeRoles, DecideRoles, RemoveStaff)),
    Behaviour(actions_staff.voids, 1, (ProposeVoid, DecideVoid)),
    Behaviour(actions_staff.issues_passes, 1, (IssuePass, EndPass)),
    Behaviour(
        actions_staff.writes,
        1,
        (
            PublishContent,
            WithdrawContent,
            standing.SendMessage,
            standing.WithdrawMessage,
        ),
    ),
)
BEHAVIOURS: Final = {behaviour.act.__name__: behaviour for behaviour in (*_TABLE, *_STAFF)}
STAFF: Final = frozenset(behaviour.act.__name__ for behaviour in _STAFF)


def uncovered(commands: Any = PlayerCommand | OfficeCommand) -> list[str]:
    """The commands that no behaviour sends."""
    sent = {command for behaviour in BEHAVIOURS.values() for command in behaviour.sends}
    return sorted(each.__name__ for each in get_args(commands) if each not in sent)


async def arrive(population: Population, nature: str) -> None:
    """A person joins on the first day and gets money to play with; staff do not play."""
    member = population.add(nature, is_staff=nature in STAFF)
    if member.is_staff:
        for by in (nature, "a colleague"):
            await population.do(member, house.SetTerms(actions_staff.TERMS, by))
        return
    is_guest, is_bot = nature == "looks_round", nature == "plays_by_itself"
    balances = {"strains_the_cap": (2_000_000,), "cashes_out": (400,), "cashes_bonus": (400,)}
    gift = units(population.rng.choice(balances.get(nature, (50, 500, 5_000))))
    join = RegisterPlayer(member.id, MEMBER, None, "first", is_bot, gift)
    guest = RegisterPlayer(member.id, GUEST, None, "first")
    await population.do(member, guest if is_guest else join)
