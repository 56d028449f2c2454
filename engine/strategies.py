"""Hypothesis strategies for commands of players and staff, valid and invalid.

Hypothesis is optional: `pip install "fairdraw[strategies]"` installs it, and nothing else imports
this module. A strategy that takes a `Sandbox` makes commands for its state when it draws.
Everything shrinks toward player 1, small amounts, few commands and short pauses.

No command takes more than three choices: hypothesis deletes at most five choices at once when it
shrinks, and in a list there are two more, whether it continues and which kind of command follows.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain, product
from typing import Any, Final, TypeVar

from hypothesis import strategies as st
from msgspec.structs import replace

from engine.bets.commands import MAX_STAKE_MINOR, PlaceBet, RecallBets
from engine.cashier.commands import (
    BANK_CARD,
    ApproveDeposit,
    DecideAdjustment,
    DecideDeposit,
    DecideWithdrawal,
    PayWithdrawal,
    ProposeAdjustment,
    RequestWithdrawal,
)
from engine.catalogue import PLANS, plans_of
from engine.command_handler import Command
from engine.lifecycle import DEPOSIT, WITHDRAWAL
from engine.money import MINOR_PER_UNIT, units
from engine.odds import SPECIFIED
from engine.players.commands import (
    GUEST,
    MEMBER,
    CompleteBaseInfo,
    RegisterPlayer,
    SetPayoutAccount,
    SetSecurityCode,
)
from engine.sandbox import SHORT_DAYS, Pause, Sandbox, Step
from engine.schedule import SECOND_US
from engine.terms import DAY_US

#: The members of `sample_house`.
PLAYERS: Final = (1, 2, 3)
#: A player whom no strategy registers.
STRANGER: Final = 0
STAFF: Final = ("ann", "ben")

_MINUTE_US: Final = 60 * SECOND_US
_DEPOSITS: Final = tuple(f"deposit-{number}" for number in range(1, 6))
_WITHDRAWALS: Final = tuple(f"withdrawal-{number}" for number in range(1, 4))
# A command for any house: `_in_house` replaces these by the newest round and by an open bet or
# payment of the player. So a list of such commands stays meaningful when some are left out.
_NEWEST: Final = "newest"
_OPEN: Final = ("first", "second", "third")
_UNKNOWN: Final = "unknown"
_UNTIL_DRAW: Final = Pause(-1)
_DECISIONS: Final = tuple(product((True, False), STAFF))
#: Each makes a bet invalid, whatever the state of the house is.
_WRONG_IN_BET: Final[tuple[dict[str, Any], ...]] = (
    *({"stake_minor": wrong} for wrong in (0, -100, 50, 150, MAX_STAKE_MINOR + MINOR_PER_UNIT)),
    *({"kind": wrong} for wrong in ("", "28", "BIG", "013")),
    *({"issue": wrong} for wrong in ("", "1", "now²", "99991231999")),
    *({"plan": wrong} for wrong in (0, 10_000)),
    {"player": STRANGER},
)
_WRONG_IN_DEPOSIT: Final[tuple[dict[str, Any], ...]] = (
    *({"amount_minor": wrong} for wrong in (0, -100, units(1_000_000_001))),
    *({"channel": wrong} for wrong in ("", "cash", "online")),
    {"player": STRANGER},
)
Withdrawing = RequestWithdrawal | DecideWithdrawal | PayWithdrawal
CommandT = TypeVar("CommandT", bound=Command)


def sample_house(seed: int = 0) -> Sandbox:
    """A house with short days, in which `PLAYERS` may bet and withdraw: each has 200u."""
    house = Sandbox(seed, schedule=SHORT_DAYS, games=(1,))
    for player in PLAYERS:
        credit = (player, "opening-balance")
        house.play(
            (
                RegisterPlayer(player, MEMBER, None, ""),
                CompleteBaseInfo(player),
                SetPayoutAccount(player, BANK_CARD, f"card-{player}", ""),
                SetSecurityCode(player),
                # Not a deposit: that would have to be turned over before a withdrawal.
                ProposeAdjustment(*credit, units(200), STAFF[0], ""),
                DecideAdjustment(*credit, approve=True, by=STAFF[1]),
            )
        )
    house.advance_to(house.now + DAY_US)  # accounts and codes are usable a day later
    return house


def players(numbers: Sequence[int] = PLAYERS) -> st.SearchStrategy[int]:
    """The number of a player."""
    return st.sampled_from(numbers)


def registrations(numbers: Sequence[int] = PLAYERS) -> st.SearchStrategy[RegisterPlayer]:
    """A player joins as a member or a guest, with play money of 0u to 500u."""
    return st.builds(
        RegisterPlayer,
        players(numbers),
        st.sampled_from((MEMBER, GUEST)),
        st.none(),
        st.just(""),
        gift_minor=st.integers(0, units(500)),
    )


def valid_bets(house: Sandbox, numbers: Sequence[int] = PLAYERS) -> st.SearchStrategy[PlaceBet]:
    """A bet of 1u to 200u on the newest round of a game, in a hall that anyone may enter.

    It is accepted while that round is on sale, if the player is a member and has the stake.
    """
    return _valid_bets(house.games, numbers).map(partial(_in_house, house))


def invalid_bets(house: Sandbox, numbers: Sequence[int] = PLAYERS) -> st.SearchStrategy[PlaceBet]:
    """A bet that is always refused: one field of a valid one is wrong."""
    return _invalid_bets(house.games, numbers).map(partial(_in_house, house))


def recalls(house: Sandbox, numbers: Sequence[int] = PLAYERS) -> st.SearchStrategy[RecallBets]:
    """A recall of one open bet of a player or of all, also of a player who has none."""
    return _recalls(house.games, numbers).map(partial(_in_house, house))


def valid_deposits(numbers: Sequence[int] = PLAYERS) -> st.SearchStrategy[ApproveDeposit]:
    """A deposit of 1u to 6,000u to a member; staff saw the money arrive.

    It waits for a second person above 5,000u, or if the first one has approved as much within a
    day; play money does not. The ids are few, so that one is used again.
    """
    entries = st.sampled_from(tuple(product(_DEPOSITS, ("demo", "bank", "usdt"), STAFF)))
    amounts = st.integers(units(1), units(6_000))
    return st.builds(_deposit, players(numbers), entries, amounts)


def invalid_deposits(numbers: Sequence[int] = PLAYERS) -> st.SearchStrategy[ApproveDeposit]:
    """A deposit that is always refused: one field of a valid one is wrong."""
    entry = st.just((_DEPOSITS[0], "demo", STAFF[0]))
    right = st.builds(_deposit, players(numbers), entry, st.just(units(1)))
    return st.builds(_changed, right, st.sampled_from(_WRONG_IN_DEPOSIT))


def deposit_decisions(
    house: Sandbox, numbers: Sequence[int] = PLAYERS
) -> st.SearchStrategy[DecideDeposit]:
    """Staff approve or reject a pending deposit of a player, or one that does not exist."""
    return _deposit_decisions(numbers).map(partial(_in_house, house))


def withdrawals(house: Sandbox, numbers: Sequence[int] = PLAYERS) -> st.SearchStrategy[Withdrawing]:
    """A member requests 1u to 600u, or staff decide on an open request, or pay it.

    Some are refused: a request of less than 100u, for example, or a payment by the person who
    approved.
    """
    return _withdrawals(numbers).map(partial(_in_house, house))


def commands(house: Sandbox, numbers: Sequence[int] = PLAYERS) -> st.SearchStrategy[Command]:
    """Any command of this module, for the state of the house."""
    return _commands(house.games, numbers).map(partial(_in_house, house))


def pauses(most_us: int = DAY_US) -> st.SearchStrategy[Pause]:
    """A pause of whole minutes, at least one and at most `most_us` microseconds."""
    return st.integers(1, most_us // _MINUTE_US).map(_pause)


def sequences(
    new_house: Callable[[], Sandbox] = sample_house,
    numbers: Sequence[int] = PLAYERS,
    most: int = 30,
) -> st.SearchStrategy[list[Step]]:
    """Commands and pauses for `Sandbox.play` in a house that `new_house` returned.

    They are at most `most` parts: a command, a pause, a bet with the pause until its draw, or a
    withdrawal up to its payment. `new_house` must return equal houses: the commands name the
    rounds, bets and payments that exist when the sequence is played.
    """
    games = new_house().games
    amounts = st.integers(units(100), units(200))
    parts = st.one_of(
        _commands(games, numbers),
        pauses(),
        st.builds(_bet_and_draw, *_bet_choices(games, numbers)),
        st.builds(_payout, players(numbers), st.sampled_from(_WITHDRAWALS), amounts),
    )
    return st.lists(parts, max_size=most).map(partial(_played, new_house))


def _bet_and_draw(player: int, selection: tuple[int, str], stake_minor: int) -> tuple[Step, ...]:
    return (_bet(player, selection, stake_minor), _UNTIL_DRAW)


def _payout(player: int, withdrawal: str, amount_minor: int) -> tuple[Step, ...]:
    return (
        RequestWithdrawal(player, withdrawal, BANK_CARD, amount_minor),
        DecideWithdrawal(player, withdrawal, approve=True, by=STAFF[0]),
        PayWithdrawal(player, withdrawal, STAFF[1], ""),
    )


def _bet_choices(
    games: Sequence[int], numbers: Sequence[int]
) -> tuple[st.SearchStrategy[int], st.SearchStrategy[tuple[int, str]], st.SearchStrategy[int]]:
    """A player, a hall with a bet kind, and a stake."""
    halls = [plan.id for game in games for plan in plans_of(game) if not plan.join_minor]
    selections = st.sampled_from(tuple(product(halls, SPECIFIED.kinds)))
    return players(numbers), selections, st.integers(1, 200).map(units)


def _bet(player: int, selection: tuple[int, str], stake_minor: int) -> PlaceBet:
    hall, kind = selection
    return PlaceBet(player, PLANS[hall].game, hall, _NEWEST, kind, stake_minor)


def _deposit(player: int, entry: tuple[str, str, str], amount_minor: int) -> ApproveDeposit:
    deposit, channel, by = entry
    return ApproveDeposit(player, deposit, channel, amount_minor, "", by)


def _deposit_decision(player: int, deposit: str, decision: tuple[bool, str]) -> DecideDeposit:
    return DecideDeposit(player, deposit, *decision)


def _withdrawal_decision(
    player: int, withdrawal: str, decision: tuple[bool, str]
) -> DecideWithdrawal:
    return DecideWithdrawal(player, withdrawal, *decision)


def _valid_bets(games: Sequence[int], numbers: Sequence[int]) -> st.SearchStrategy[PlaceBet]:
    return st.builds(_bet, *_bet_choices(games, numbers))


def _invalid_bets(games: Sequence[int], numbers: Sequence[int]) -> st.SearchStrategy[PlaceBet]:
    player, selection, _ = _bet_choices(games, numbers)
    right = st.builds(_bet, player, selection, st.just(units(1)))
    return st.builds(_changed, right, st.sampled_from(_WRONG_IN_BET))


def _recalls(games: Sequence[int], numbers: Sequence[int]) -> st.SearchStrategy[RecallBets]:
    bets = st.sampled_from((*_OPEN, None, _UNKNOWN))
    return st.builds(RecallBets, players(numbers), st.sampled_from(games), st.just(_NEWEST), bets)


def _deposit_decisions(numbers: Sequence[int]) -> st.SearchStrategy[DecideDeposit]:
    which, decisions = st.sampled_from((*_OPEN, _UNKNOWN)), st.sampled_from(_DECISIONS)
    return st.builds(_deposit_decision, players(numbers), which, decisions)


def _withdrawals(numbers: Sequence[int]) -> st.SearchStrategy[Withdrawing]:
    ids, amounts = st.sampled_from(_WITHDRAWALS), st.integers(units(1), units(600))
    which, decisions = st.sampled_from((*_OPEN, _UNKNOWN)), st.sampled_from(_DECISIONS)
    return st.one_of(
        st.builds(RequestWithdrawal, players(numbers), ids, st.just(BANK_CARD), amounts),
        st.builds(_withdrawal_decision, players(numbers), which, decisions),
        st.builds(PayWithdrawal, players(numbers), which, st.sampled_from(STAFF), st.just("")),
    )


def _commands(games: Sequence[int], numbers: Sequence[int]) -> st.SearchStrategy[Command]:
    return st.one_of(
        _valid_bets(games, numbers),
        _recalls(games, numbers),
        _withdrawals(numbers),
        valid_deposits(numbers),
        _deposit_decisions(numbers),
        registrations(numbers),
        _invalid_bets(games, numbers),
        invalid_deposits(numbers),
    )


def _changed(command: CommandT, fields: dict[str, Any]) -> CommandT:
    return replace(command, **fields)


def _pause(minutes: int) -> Pause:
    return Pause(minutes * _MINUTE_US)


def _in_house(house: Sandbox, command: CommandT) -> CommandT:
    """The command with the newest round and the open bet or payment that it means in this house."""
    if isinstance(command, PlaceBet | RecallBets) and command.issue == _NEWEST:
        command = replace(command, issue=house.newest(command.game).issue)
    if isinstance(command, RecallBets):
        open_bets = list(house.player(command.player).bets)
        return replace(command, bet=_meant(command.bet, open_bets))
    if isinstance(command, DecideDeposit):
        pending = [each.id for each in house.player(command.player).payments.of(DEPOSIT)]
        return replace(command, deposit=_meant(command.deposit, pending))
    if isinstance(command, DecideWithdrawal | PayWithdrawal):
        requested = [each.id for each in house.player(command.player).payments.of(WITHDRAWAL)]
        return replace(command, withdrawal=_meant(command.withdrawal, requested))
    return command


def _meant(named: str | None, ids: Sequence[str]) -> str | None:
    """The id that a placeholder means, unknown if there are fewer; any other name is unchanged."""
    return named if named not in _OPEN else [*ids, *(_UNKNOWN for _ in _OPEN)][_OPEN.index(named)]


def _played(
    new_house: Callable[[], Sandbox], parts: Sequence[Step | tuple[Step, ...]]
) -> list[Step]:
    """The steps of the parts as this house takes them, one after the other."""
    house = new_house()
    played: list[Step] = []
    for step in chain.from_iterable(each if isinstance(each, tuple) else (each,) for each in parts):
        if step == _UNTIL_DRAW:
            draws = (house.newest(game).opened.draws_at for game in house.games)
            played.append(Pause(max(0, *(at - house.now for at in draws))))
        else:
            played.append(step if isinstance(step, Pause) else _in_house(house, step))
        house.play(played[-1:])
    return played
