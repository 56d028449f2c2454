"""Deciding on an overlay: thrown away it leaves no trace, merged it is what was decided."""

from datetime import datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.answers import Refused
from engine.bets.decisions import BetRandomness
from engine.bets.facts import BetSettled
from engine.cashier.commands import RequestDeposit
from engine.cashier.facts import DepositApproved
from engine.command_handler import DecisionContext, decide
from engine.engine_state import EngineState, Overlay
from engine.facts import TOPICS, RecordedFact, decode, encode
from engine.house.game_day import GameDay
from engine.ledger import postings
from engine.money import units
from engine.players.commands import MEMBER, PlayerCommand
from engine.players.facts import PlayerFact, PlayerRegistered
from engine.players.limits import loss_headroom
from engine.players.profile_facts import LimitSet
from engine.players.state import Player, evolve
from engine.rounds.commands import CloseRound, SettleRound, VoidRound
from tests.engine import wishes
from tests.engine.a_round import ARound, sign
from tests.engine.given import AT_CLOSE, DURING_SALE, a_bet, guest, member
from tests.engine.model import ReferenceModel, Round
from tests.engine.wishes import Wish

PLAYERS = (1, 2, 3, 4, 5)


def a_world() -> EngineState:
    """A round on sale; a rich member, two poor ones, a guest and a stranger."""
    one = ARound().opened()
    world = EngineState(games={game: GameDay(game) for game in (2, 3, 4)})
    world.games[1] = one.game
    world.rounds[1, one.round.issue] = one.round
    world.newest[1] = (1, one.round.issue)
    world.players = {
        1: member(20_000_000),
        2: member(3_000, 2_000, player=2),
        3: guest(5_000),
        4: member(50_000, player=4),
        5: Player(5),
    }
    world.players[3].id = 3
    return world


def commands(many: list[Wish]) -> list[PlayerCommand]:
    """The wishes, in words of the world above."""
    house = ReferenceModel()
    place = ARound().place
    house.newest[1] = Round(1, "", 1, "20261121001", place.closes_at, place.draws_at)
    return [wishes.command(wish, house) for wish in many]


def decide_all(
    world: EngineState,
    asked: list[Any],
    now: int = DURING_SALE,
    below: Overlay | None = None,
    bets: str = "bet",
) -> Overlay:
    """Decide these in order; `bets` begins the ids of what is placed."""
    overlay = Overlay(world, now, below)
    for number, command in enumerate(asked):
        decide(
            command,
            overlay,
            DecisionContext(BetRandomness(f"{bets}-{number}", f"{number:032x}"), sign),
        )
    return overlay


def recorded(overlay: Overlay) -> list[RecordedFact]:
    return [
        RecordedFact(number, draft.stream, draft.version, overlay.now, "", "", draft.fact)
        for number, draft in enumerate(overlay.drafts, start=1)
    ]


MANY = st.lists(wishes.wishes, max_size=12)


@given(MANY, MANY, st.booleans())
def test_an_overlay_thrown_away_leaves_the_world_as_it_was(
    before: list[Wish], many: list[Wish], closing: bool
) -> None:
    world, untouched = a_world(), a_world()
    for each in (world, untouched):
        decide_all(each, commands(before), bets="before").merge()
    issue = world.newest[1][1]
    house: list[Any] = [
        CloseRound(1, issue),
        SettleRound(1, issue, 3),
        VoidRound(1, issue, "", "", "", "", 3),
    ]
    decide_all(world, [*(house if closing else []), *commands(many)])
    late = decide_all(world, [*commands(many), *house], AT_CLOSE)
    decide_all(world, commands(many), AT_CLOSE, late, bets="later")
    assert world == untouched


@given(MANY)
def test_a_merged_batch_is_what_the_log_would_lead_to(many: list[Wish]) -> None:
    world, untouched = a_world(), a_world()
    overlay = decide_all(world, commands(many))
    overlay.merge()
    for number in PLAYERS:
        replayed = untouched.players[number]
        for fact in recorded(overlay):
            if fact.stream == f"player-{number}":
                stored: Any = decode(TOPICS[type(fact.fact)], encode(fact.fact))
                evolve(replayed, stored, overlay.day)
        replayed.bets.merge()
        assert world.players[number] == replayed


@given(MANY, st.randoms(use_true_random=False))
def test_in_any_order_of_the_players_commands_postings_are_zero_and_no_balance_is_negative(
    many: list[Wish], random: Any
) -> None:
    asked = commands(many)
    random.shuffle(asked)
    world = a_world()
    overlay = decide_all(world, asked)
    legs = [leg for fact in recorded(overlay) for leg in postings(fact)]
    assert sum(leg.amount_minor for leg in legs) == 0
    overlay.merge()
    for player in world.players.values():
        assert min(player.available, player.bonus, player.staked) >= 0
        assert player.staked == sum(bet.stake_minor for bet in player.bets.values())


@given(MANY, MANY)
def test_a_batch_decided_ahead_is_what_it_would_have_been_behind(
    first: list[Wish], second: list[Wish]
) -> None:
    """On top of a batch that is still being stored, or after it: the same facts, the same world."""
    ahead, behind = a_world(), a_world()
    below = decide_all(ahead, commands(first))
    on_top = Overlay(ahead, DURING_SALE, below)
    after = decide_all(behind, commands(first))
    after.merge()
    alone = Overlay(behind, DURING_SALE)
    for number, command in enumerate(commands(second)):
        means = DecisionContext(BetRandomness(f"later-{number}", f"{number:032x}"), sign)
        assert decide(command, on_top, means) == decide(command, alone, means)
    assert on_top.drafts == alone.drafts
    below.merge()
    on_top.merge()
    alone.merge()
    assert ahead == behind
    books = [list(world.rounds[world.newest[1]].book.bets) for world in (ahead, behind)]
    assert books[0] == books[1]


@given(wishes.wishes, st.sampled_from((DURING_SALE, AT_CLOSE)))
def test_a_refusal_drafts_nothing(wish: Wish, now: int) -> None:
    overlay = Overlay(a_world(), now)
    (command,) = commands([wish])
    answer = decide(command, overlay, DecisionContext(BetRandomness("bet", "00" * 16), sign))
    assert not (isinstance(answer, Refused) and overlay.drafts)


def test_the_least_recently_used_players_are_let_go_first() -> None:
    world = a_world()
    decide_all(world, commands([wishes.BetWish(1, 1, 0, "current", "big", 100)])).merge()
    world.evict_players(2)
    assert list(world.players) == [5, 1]
    assert world.missing([1, 2, 2, 5]) == [2]


def test_a_struct_of_the_world_is_compared_by_all_it_holds() -> None:
    """What the tests above rest on: equality sees every field."""
    world, other = a_world(), a_world()
    assert world == other
    other.rounds[other.newest[1]].book.gross_minor[13] += 1
    assert world != other
    assert msgspec.structs.asdict(world).keys() >= {"players", "rounds", "newest", "games"}


def singapore(moment: str) -> int:
    """Microseconds since 1970 of a time on the clocks of Singapore."""
    return round(datetime.fromisoformat(f"{moment}+08:00").timestamp() * 1_000_000)


@pytest.mark.parametrize(
    ("last_deposit", "now", "allowed"),
    [
        ("2026-11-21T23:59:59", "2026-11-22T00:00:00", True),
        ("2026-11-21T00:00:00", "2026-11-21T23:59:59", False),
        # Midnight in UTC is 08:00 in Singapore, and no new day there.
        ("2026-11-21T07:59:59", "2026-11-21T08:00:00", False),
    ],
)
def test_the_day_of_a_limit_is_the_calendar_day_of_the_operators_zone(
    last_deposit: str, now: str, allowed: bool
) -> None:
    """Loaded from the log, and decided now: deposits, and losses whose payout came in the bet."""
    began = singapore(last_deposit) - 1_000_000
    facts: list[PlayerFact] = [
        PlayerRegistered(MEMBER, None, False, ""),
        LimitSet("deposit", "day", units(100), began, None),
        LimitSet("loss", "day", units(10), began, None),
        DepositApproved("deposit-1", "bank", units(100), ""),
        bet := a_bet("one", units(10)),
        BetSettled("one", bet.game, bet.issue, 0, bet.stake_minor, 0, 0, 0),
    ]
    world = a_world()
    world.load_players(
        [1],
        [
            RecordedFact(position, "player-1", position, singapore(last_deposit), "", "", fact)
            for position, fact in enumerate(facts, start=1)
        ],
    )
    overlay = Overlay(world, singapore(now))
    means = DecisionContext(BetRandomness("bet-1", "0" * 32), sign)
    deposit = RequestDeposit(1, "deposit-2", "bank", units(1), "reference")
    deposited = decide(deposit, overlay, means)
    assert isinstance(deposited, Refused) is not allowed
    room = loss_headroom(overlay.player(1), overlay.now, overlay.day)
    assert room == (units(10) if allowed else 0)
