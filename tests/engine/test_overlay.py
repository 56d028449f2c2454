"""Decisions on an overlay: discarded, it changes nothing; merged, it equals what was decided."""

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
from engine.players.facts import LimitSet, PlayerFact, PlayerRegistered
from engine.players.state import Player, evolve, loss_headroom
from engine.rounds.commands import CloseRound, SettleRound, VoidRound
from tests.engine import wishes
from tests.engine.a_round import ARound, sign
from tests.engine.given import AT_CLOSE, DURING_SALE, a_bet, guest, member
from tests.engine.model import ReferenceModel, Round
from tests.engine.wishes import Wish

PLAYERS = (1, 2, 3, 4, 5)


def a_state() -> EngineState:
    """An open round; a rich player, two poor ones, a guest and an unregistered player."""
    one = ARound().opened()
    state = EngineState(games={game: GameDay(game) for game in (2, 3, 4)})
    state.games[1] = one.game
    state.rounds[1, one.round.issue] = one.round
    state.newest[1] = (1, one.round.issue)
    state.players = {
        1: member(20_000_000),
        2: member(3_000, 2_000, player=2),
        3: guest(5_000),
        4: member(50_000, player=4),
        5: Player(5),
    }
    state.players[3].id = 3
    return state


def commands(many: list[Wish]) -> list[PlayerCommand]:
    """The commands for these wishes in the state above."""
    house = ReferenceModel()
    place = ARound().place
    house.newest[1] = Round(1, "", 1, "20261121001", place.closes_at, place.draws_at)
    return [wishes.command(wish, house) for wish in many]


def decide_all(
    state: EngineState,
    sequence: list[Any],
    now: int = DURING_SALE,
    below: Overlay | None = None,
    bets: str = "bet",
) -> Overlay:
    """Decide these commands in order; `bets` is the prefix of the new bets' ids."""
    overlay = Overlay(state, now, below)
    for number, command in enumerate(sequence):
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
def test_a_discarded_overlay_leaves_the_state_unchanged(
    before: list[Wish], many: list[Wish], closing: bool
) -> None:
    state, untouched = a_state(), a_state()
    for each in (state, untouched):
        decide_all(each, commands(before), bets="before").merge()
    issue = state.newest[1][1]
    house: list[Any] = [
        CloseRound(1, issue),
        SettleRound(1, issue, 3),
        VoidRound(1, issue, "", "", "", "", 3),
    ]
    decide_all(state, [*(house if closing else []), *commands(many)])
    late = decide_all(state, [*commands(many), *house], AT_CLOSE)
    decide_all(state, commands(many), AT_CLOSE, late, bets="later")
    assert state == untouched


@given(MANY)
def test_a_merged_batch_equals_a_replay_of_its_facts(many: list[Wish]) -> None:
    state, untouched = a_state(), a_state()
    overlay = decide_all(state, commands(many))
    overlay.merge()
    for number in PLAYERS:
        replayed = untouched.players[number]
        for fact in recorded(overlay):
            if fact.stream == f"player-{number}":
                stored: Any = decode(TOPICS[type(fact.fact)], encode(fact.fact))
                evolve(replayed, stored, overlay.day)
        replayed.bets.merge()
        assert state.players[number] == replayed


@given(MANY, st.randoms(use_true_random=False))
def test_in_any_order_of_the_players_commands_postings_are_zero_and_no_balance_is_negative(
    many: list[Wish], random: Any
) -> None:
    shuffled = commands(many)
    random.shuffle(shuffled)
    state = a_state()
    overlay = decide_all(state, shuffled)
    legs = [leg for fact in recorded(overlay) for leg in postings(fact)]
    assert sum(leg.amount_minor for leg in legs) == 0
    overlay.merge()
    for player in state.players.values():
        assert min(player.available, player.bonus, player.staked) >= 0
        assert player.staked == sum(bet.stake_minor for bet in player.bets.values())


@given(MANY, MANY)
def test_a_batch_decided_ahead_equals_one_decided_afterwards(
    first: list[Wish], second: list[Wish]
) -> None:
    """On top of a batch that is being stored, or after it: the same facts and the same state."""
    ahead, sequential = a_state(), a_state()
    below = decide_all(ahead, commands(first))
    on_top = Overlay(ahead, DURING_SALE, below)
    after = decide_all(sequential, commands(first))
    after.merge()
    alone = Overlay(sequential, DURING_SALE)
    for number, command in enumerate(commands(second)):
        context = DecisionContext(BetRandomness(f"later-{number}", f"{number:032x}"), sign)
        assert decide(command, on_top, context) == decide(command, alone, context)
    assert on_top.drafts == alone.drafts
    below.merge()
    on_top.merge()
    alone.merge()
    assert ahead == sequential
    books = [list(state.rounds[state.newest[1]].book.bets) for state in (ahead, sequential)]
    assert books[0] == books[1]


@given(wishes.wishes, st.sampled_from((DURING_SALE, AT_CLOSE)))
def test_a_refusal_drafts_nothing(wish: Wish, now: int) -> None:
    overlay = Overlay(a_state(), now)
    (command,) = commands([wish])
    answer = decide(command, overlay, DecisionContext(BetRandomness("bet", "00" * 16), sign))
    assert not (isinstance(answer, Refused) and overlay.drafts)


def test_a_slice_of_a_settlement_takes_all_bets_of_a_player_before_those_of_the_next() -> None:
    one, players = ARound().opened(), [member(3_000), member(3_000, player=2)]
    for number, player in enumerate(players * 3):
        one.with_bet(a_bet(f"bet-{number}"), player)
    one.closed().drawn()
    state = EngineState(games={1: one.game}, rounds={(1, one.round.issue): one.round})
    state.players = {player.id: player for player in players}
    overlay = decide_all(state, [SettleRound(1, one.round.issue, 4)])
    settled = [
        (draft.stream, draft.fact.bet)
        for draft in overlay.drafts
        if isinstance(draft.fact, BetSettled)
    ]
    assert settled == [
        ("player-1", "bet-0"),
        ("player-1", "bet-2"),
        ("player-1", "bet-4"),
        ("player-2", "bet-1"),
    ]


def test_the_least_recently_used_players_are_evicted_first() -> None:
    state = a_state()
    decide_all(state, commands([wishes.BetWish(1, 1, 0, "current", "big", 100)])).merge()
    state.evict_players(2)
    assert list(state.players) == [5, 1]
    assert state.missing([1, 2, 2, 5]) == [2]


def test_engine_states_are_compared_by_all_their_fields() -> None:
    """The tests above rely on it: equality compares every field."""
    state, other = a_state(), a_state()
    assert state == other
    other.rounds[other.newest[1]].book.payouts["13"] = 1
    assert state != other
    assert msgspec.structs.asdict(state).keys() >= {"players", "rounds", "newest", "games"}


def singapore(moment: str) -> int:
    """Microseconds since 1970 of a local time in Singapore."""
    return round(datetime.fromisoformat(f"{moment}+08:00").timestamp() * 1_000_000)


@pytest.mark.parametrize(
    ("last_deposit", "now", "allowed"),
    [
        ("2026-11-21T23:59:59", "2026-11-22T00:00:00", True),
        ("2026-11-21T00:00:00", "2026-11-21T23:59:59", False),
        # Midnight in UTC is 08:00 in Singapore: not a new day there.
        ("2026-11-21T07:59:59", "2026-11-21T08:00:00", False),
    ],
)
def test_the_day_of_a_limit_is_the_calendar_day_of_the_operators_zone(
    last_deposit: str, now: str, allowed: bool
) -> None:
    """The totals are loaded from the log: of deposits, and of losses."""
    began = singapore(last_deposit) - 1_000_000
    facts: list[PlayerFact] = [
        PlayerRegistered(MEMBER, None, False, ""),
        LimitSet("deposit", "day", units(100), began, None),
        LimitSet("loss", "day", units(10), began, None),
        DepositApproved("deposit-1", "bank", units(100), ""),
        bet := a_bet("one", units(10)),
        BetSettled("one", bet.game, bet.issue, 0, bet.stake_minor, 0, 0, 0),
    ]
    state = a_state()
    state.load_players(
        [1],
        [
            RecordedFact(position, "player-1", position, singapore(last_deposit), "", "", fact)
            for position, fact in enumerate(facts, start=1)
        ],
    )
    overlay = Overlay(state, singapore(now))
    context = DecisionContext(BetRandomness("bet-1", "0" * 32), sign)
    deposit = RequestDeposit(1, "deposit-2", "bank", units(1), "reference")
    deposited = decide(deposit, overlay, context)
    assert isinstance(deposited, Refused) is not allowed
    headroom = loss_headroom(overlay.player(1), overlay.now, overlay.day)
    assert headroom == (units(10) if allowed else 0)
