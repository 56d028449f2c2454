"""Hypothesis strategies for commands of players and clerks, valid and invalid."""

from typing import NamedTuple

from hypothesis import strategies as st

from engine.bets.commands import PlaceBet, RecallBets
from engine.cashier.commands import ApproveDeposit
from engine.players.commands import PlayerCommand, RegisterPlayer
from tests.engine import model_rules as rules
from tests.engine.model import ReferenceModel

MEMBERS, GUEST, STRANGER = (1, 2, 4), 3, 5
_KINDS = ("big", "small", "0", *rules.ODDS_MILLI, "28", "long", "BIG", "013", "")
_STAKES = (
    100, 900, 1_000, 4_900, 5_000, 5_000_000, 5_000_100, 0, -100, 50, 150, 99,
)  # fmt: skip
_WHICH = (*["current"] * 7, "last", "next", "far", "short", "words", "")
_NEARLY_THE_CAP = (105_200, 105_300)
"""Stakes on one sum: at odds 950, 1,052u stay within the cap of a million u, 1,053u do not."""


class BetWish(NamedTuple):
    player: int
    game: int
    hall: int
    which: str
    kind: str
    stake: int


class RecallWish(NamedTuple):
    player: int
    game: int
    which: str
    number: int | None


class DepositWish(NamedTuple):
    player: int
    amount: int
    channel: str


class RegisterWish(NamedTuple):
    player: int
    group: int
    inviter: int | None
    gift: int


Wish = BetWish | RecallWish | DepositWish | RegisterWish

players = st.sampled_from((*MEMBERS, *MEMBERS, GUEST, STRANGER))
members = st.sampled_from(MEMBERS)
games = st.sampled_from((1, 1, 1, 1, 2, 2, 3, 4))
bets = st.builds(
    BetWish,
    players,
    games,
    st.sampled_from((0, 0, 0, 1, 2, 3, 8, 9)),
    st.sampled_from(_WHICH),
    st.sampled_from(_KINDS),
    st.sampled_from(_STAKES) | st.integers(1, 300).map(lambda stake_u: stake_u * 100),
)
good_bets = st.builds(
    BetWish,
    members,
    games,
    st.just(0),
    st.just("current"),
    st.sampled_from(("big", "small", "odd", "even", "small_odd", "big_even", "13")),
    st.integers(1, 100).map(lambda stake_u: stake_u * 100),
)
daring_bets = st.builds(
    BetWish,
    st.just(1),
    games,
    st.just(0),
    st.just("current"),
    st.sampled_from(("0", "0", "extreme_small")),
    st.sampled_from(_NEARLY_THE_CAP),
)
recalls = st.builds(
    RecallWish, players, games, st.sampled_from(_WHICH), st.none() | st.integers(0, 30)
)
good_recalls = st.builds(
    RecallWish, members, games, st.just("current"), st.none() | st.integers(0, 3)
)
deposits = st.builds(
    DepositWish,
    players,
    st.sampled_from((100_000, 12_345, 20_000_000, 0, -100, 100_000_000_001)),
    st.sampled_from(("bank", "bank", "usdt", "demo", "cash")),
)
registrations = st.builds(
    RegisterWish,
    players,
    st.sampled_from((1, 1, 2, 3)),
    st.sampled_from((None, 1)),
    st.sampled_from((0, 100_000)),
)
wishes: st.SearchStrategy[Wish] = st.one_of(
    good_bets, good_bets, bets, daring_bets, good_recalls, recalls, deposits, registrations
)


def command(wish: Wish, house: ReferenceModel) -> PlayerCommand:
    """The command for a wish, with the ids that the house has now."""
    match wish:
        case BetWish(player, game, hall, which, kind, stake):
            plan = (game - 1) * 9 + hall + 1
            return PlaceBet(player, game, plan, _issue(which, game, house), kind, stake)
        case RecallWish(player, game, which, number):
            bet = None if number is None else _bet(number, house)
            return RecallBets(player, game, _issue(which, game, house), bet)
        case DepositWish(player, amount, channel):
            return ApproveDeposit(
                player, f"deposit-{house.position}", channel, amount, "ref", "clerk"
            )
        case RegisterWish(player, group, inviter, gift):
            return RegisterPlayer(player, group, inviter, f"name-{player}", gift_minor=gift)


def _bet(number: int, house: ReferenceModel) -> str:
    """The id of one of the ten newest bets, of any player and in any state."""
    newest = list(house.bets)[-10:]
    return newest[number % len(newest)] if newest else "no-such-bet"


def _issue(which: str, game: int, house: ReferenceModel) -> str:
    newest = house.newest.get(game)
    current = newest.issue if newest else "20261121001"
    choices = {
        "current": current,
        "last": str(int(current) - 1),
        "next": str(int(current) + 1),
        "far": "99991231999",
        "short": current[:4],
        "words": "now²",
        "": "",
    }
    return choices[which]
