"""Placing bets: which are accepted, at which odds, and the refusals of the others."""

from itertools import combinations
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.answers import Refused
from engine.bets.decisions import place_bet
from engine.bets.facts import BetPlaced
from engine.catalogue import SUMS_OF
from engine.fairness.receipts import is_owner, read_receipt, receipt_of
from engine.money import units
from engine.odds import BALANCED, SPECIFIED, TABLES, OddsTable, payout_minor
from engine.players.facts import PlayerFact
from engine.players.state import Player, evolve
from engine.refusals import Refusal
from engine.rounds.state import EXPOSURE_CAP_MINOR, Round
from tests.engine.given import (
    AT_CLOSE,
    DURING_SALE,
    FRESH,
    ISSUE,
    NEXT_ISSUE,
    a_bet,
    add_open_bet,
    guest,
    member,
    placing,
    sale,
    unregistered,
)

RICH = units(10_000_000)


def accepted(
    stake_minor: int = 1_000,
    *,
    player: Player | None = None,
    on: Round | None = None,
    now: int = DURING_SALE,
    **other: Any,
) -> BetPlaced:
    facts = place_bet(
        placing(stake_minor, **other), player or member(RICH), on or sale(), now, FRESH
    )
    assert isinstance(facts, list), facts
    (bet,) = facts
    assert isinstance(bet, BetPlaced)
    return bet


def refusal(
    stake_minor: int = 1_000,
    *,
    player: Player | None = None,
    on: Round | None = None,
    now: int = DURING_SALE,
    **other: Any,
) -> Refusal:
    refused = place_bet(
        placing(stake_minor, **other), player or member(RICH), on or sale(), now, FRESH
    )
    assert isinstance(refused, Refused), refused
    return refused.refusal


def test_a_bet_has_the_requested_values_and_the_supplied_randomness() -> None:
    bet = accepted(1_500_00, kind="13", plan=2)
    assert (bet.bet, bet.salt) == (FRESH.bet, FRESH.salt)
    assert (bet.game, bet.issue, bet.plan, bet.kind) == (1, ISSUE, 2, "13")
    assert bet.stake_minor == 150_000


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("kind", SPECIFIED.kinds)
def test_a_bet_freezes_its_odds_their_table_and_the_close(kind: str, table: Any) -> None:
    """GLI-19 A.5.1e: settled at the odds in force at acceptance."""
    on = sale(odds=table)
    bet = accepted(kind=kind, on=on)
    assert (bet.odds_milli, bet.odds_table) == (table.odds_milli[kind], table.id)
    assert bet.closes_at == on.closes_at


def test_the_receipt_of_a_bet_names_its_whole_stake() -> None:
    bet = accepted(1_000, player=member(400, 600))
    assert bet.bonus_minor == 600
    fields = read_receipt(receipt_of(1, bet, DURING_SALE))
    assert (fields.bet, fields.stake_minor, fields.odds_milli) == (bet.bet, 1_000, bet.odds_milli)
    assert (fields.at, is_owner(fields, 1), is_owner(fields, 2)) == (DURING_SALE, True, False)


def test_odds_of_one_round_do_not_reach_another() -> None:
    assert accepted(kind="extreme_big", on=sale(odds=SPECIFIED)).odds_milli == 11_000
    assert accepted(kind="extreme_big", on=sale(odds=BALANCED)).odds_milli == 17_000


@pytest.mark.parametrize(
    ("available", "bonus", "taken_from_bonus"),
    [(1_000, 0, 0), (1_000, 500, 0), (700, 300, 300), (0, 1_000, 1_000), (999, 1_000, 1)],
)
def test_a_stake_takes_available_money_first_and_bonus_for_the_rest(
    available: int, bonus: int, taken_from_bonus: int
) -> None:
    assert accepted(player=member(available, bonus)).bonus_minor == taken_from_bonus


def test_entering_a_hall_takes_its_join_limit() -> None:
    assert accepted(plan=2, player=member(units(500))).plan == 2
    poorer = member(units(500) - 1, units(500))
    assert refusal(plan=2, player=poorer) == Refusal.ASSETS_INSUFFICIENT
    assert accepted(player=member(units(10))).plan == 1


def test_a_player_who_entered_a_hall_stays_in_it_for_the_day() -> None:
    player = member(units(500))
    evolve(player, accepted(units(500), plan=2, player=player), "2026-11-21")
    player.available = units(10)
    assert decided(player, "2026-11-21", plan=2)
    assert decided(player, "2026-11-22", plan=2) == Refused(Refusal.ASSETS_INSUFFICIENT, "plan_id")
    assert decided(player, "2026-11-21", plan=3) == Refused(Refusal.STAKE_TOO_SMALL, "money")
    assert decided(player, "2026-11-21", plan=5) == Refused(Refusal.ASSETS_INSUFFICIENT, "plan_id")


def decided(player: Player, day: str, plan: int) -> list[PlayerFact] | Refused:
    command = placing(1_000, plan=plan)
    return place_bet(command, player, sale(), DURING_SALE, FRESH, day)


def test_a_balance_is_used_up_to_the_last_unit_and_no_further() -> None:
    assert accepted(10_000, player=member(10_000)).stake_minor == 10_000
    assert refusal(10_000, player=member(9_999)) == Refusal.FUNDS_INSUFFICIENT
    assert refusal(10_000, player=member(5_000, 4_999)) == Refusal.FUNDS_INSUFFICIENT


@pytest.mark.parametrize(
    ("stake_minor", "named"),
    [
        (0, Refusal.STAKE_TOO_SMALL),
        (-100, Refusal.STAKE_TOO_SMALL),
        (-50, Refusal.STAKE_NOT_WHOLE),
        (1, Refusal.STAKE_NOT_WHOLE),
        (99, Refusal.STAKE_NOT_WHOLE),
        (101, Refusal.STAKE_NOT_WHOLE),
        (150, Refusal.STAKE_NOT_WHOLE),
        (units(50_001), Refusal.STAKE_TOO_LARGE),
        (units(50_000) + 1, Refusal.STAKE_NOT_WHOLE),
        (10**18, Refusal.STAKE_TOO_LARGE),
    ],
)
def test_a_stake_outside_whole_units_from_1_to_50000_is_refused(
    stake_minor: int, named: Refusal
) -> None:
    assert refusal(stake_minor) == named


@pytest.mark.parametrize("stake_u", [1, 2, 49_999, 50_000])
def test_a_stake_of_whole_units_from_1_to_50000_is_taken(stake_u: int) -> None:
    assert accepted(units(stake_u)).stake_minor == stake_u * 100


@pytest.mark.parametrize(("plan", "least_u"), [(1, 1), (2, 10), (3, 50), (4, 1), (8, 10), (9, 50)])
def test_each_hall_has_its_least_stake(plan: int, least_u: int) -> None:
    assert accepted(units(least_u), plan=plan).plan == plan
    assert refusal(units(least_u - 1), plan=plan) == Refusal.STAKE_TOO_SMALL


@pytest.mark.parametrize("plan", [0, -1, 10, 36, 37, 10**9])
def test_a_hall_of_another_game_or_of_none_is_unknown(plan: int) -> None:
    assert refusal(plan=plan) == Refusal.PLAN_UNKNOWN


@pytest.mark.parametrize("kind", ["", "28", "-1", "00", "BIG", "big_small", "extreme", "\uff11"])
def test_a_kind_that_is_not_listed_is_unknown(kind: str) -> None:
    assert refusal(kind=kind) == Refusal.PLAY_TYPE_UNKNOWN


def test_a_kind_that_the_rounds_table_lacks_is_unknown_and_the_others_are_sold() -> None:
    """A kind of the catalogue that is newer than the table of the day."""
    older = {kind: odds for kind, odds in SPECIFIED.odds_milli.items() if kind != "extreme_big"}
    on = sale(odds=OddsTable("older", older))
    assert refusal(kind="extreme_big", on=on) == Refusal.PLAY_TYPE_UNKNOWN
    assert accepted(kind="extreme_small", on=on).odds_table == "older"


def test_a_guest_must_register_first() -> None:
    assert refusal(player=guest(RICH)) == Refusal.MUST_REGISTER


def test_a_bet_is_accepted_until_the_last_microsecond_before_the_close() -> None:
    assert accepted(now=AT_CLOSE - 1).closes_at == AT_CLOSE
    assert refusal(now=AT_CLOSE) == Refusal.ROUND_CLOSED
    assert refusal(now=AT_CLOSE + 1) == Refusal.ROUND_CLOSED


@pytest.mark.parametrize(
    ("issue", "named"),
    [
        ("", Refusal.ROUND_UNKNOWN),
        ("now", Refusal.ROUND_UNKNOWN),
        ("2026112100\uff11", Refusal.ROUND_UNKNOWN),
        ("2026112100²", Refusal.ROUND_UNKNOWN),
        ("-20261121001", Refusal.ROUND_UNKNOWN),
        ("9" * 21, Refusal.ROUND_UNKNOWN),
        (NEXT_ISSUE, Refusal.ROUND_NOT_CURRENT),
        ("20261122001", Refusal.ROUND_NOT_CURRENT),
        ("20261120274", Refusal.ROUND_CLOSED),
        ("20261121000", Refusal.ROUND_CLOSED),
        ("2026112101", Refusal.ROUND_CLOSED),
        ("1", Refusal.ROUND_CLOSED),
    ],
)
def test_only_the_current_round_takes_bets(issue: str, named: Refusal) -> None:
    assert refusal(issue=issue) == named


def test_before_a_games_first_round_every_round_is_closed() -> None:
    refused = place_bet(placing(), member(RICH), None, DURING_SALE, FRESH)
    assert isinstance(refused, Refused)
    assert refused.refusal == Refusal.ROUND_CLOSED


# The exposure cap: a million u of gross payout, over the worst of the 28 sums.


def round_with_payouts(*payouts: tuple[str, int]) -> Round:
    """A round whose open bets would pay these amounts on their kinds."""
    on = sale()
    for number, (kind, gross_minor) in enumerate(payouts):
        bet = a_bet(f"bet-{number}", gross_minor, kind=kind, odds_milli=1_000)
        add_open_bet(bet, member(gross_minor), on)
    return on


@pytest.mark.parametrize("kind", SPECIFIED.kinds)
def test_a_bet_is_taken_up_to_the_cap_exactly_and_refused_past_it(kind: str) -> None:
    payout = payout_minor(units(1), SPECIFIED.odds_milli[kind])
    for total in SUMS_OF[kind]:
        fits = round_with_payouts((str(total), EXPOSURE_CAP_MINOR - payout))
        assert accepted(100, kind=kind, on=fits).stake_minor == 100
        too_much = round_with_payouts((str(total), EXPOSURE_CAP_MINOR - payout + 1))
        assert refusal(100, kind=kind, on=too_much) == Refusal.EXPOSURE_EXCEEDED


def test_the_cap_counts_each_sum_by_itself() -> None:
    full_on_big = round_with_payouts(("big", EXPOSURE_CAP_MINOR))
    assert accepted(100, kind="small", on=full_on_big).kind == "small"
    assert accepted(100, kind="13", on=full_on_big).kind == "13"
    for kind in ("big", "odd", "even", "14", "27", "extreme_big"):
        assert refusal(100, kind=kind, on=full_on_big) == Refusal.EXPOSURE_EXCEEDED


def test_a_hedge_makes_no_room() -> None:
    """Stakes on the other side are not netted: they may be recalled."""
    hedged = round_with_payouts(("big", EXPOSURE_CAP_MINOR), ("small", EXPOSURE_CAP_MINOR))
    assert refusal(100, kind="big", on=hedged) == Refusal.EXPOSURE_EXCEEDED


@pytest.mark.parametrize("bonus_minor", [0, 400, 1_000])
def test_a_bet_counts_in_full_toward_the_exposure_whatever_paid_for_it(bonus_minor: int) -> None:
    on = sale()
    bet = a_bet("one", 1_000, bonus_minor=bonus_minor)
    add_open_bet(bet, member(1_000 - bonus_minor, bonus_minor), on)
    assert on.book.gross_minor == [0] * 14 + [1_980] * 14


def test_a_recalled_bet_makes_room_again() -> None:
    full = round_with_payouts(("big", EXPOSURE_CAP_MINOR))
    full.book.remove("bet-0")
    assert accepted(100, kind="big", on=full).kind == "big"


@given(
    st.lists(
        st.tuples(st.sampled_from(SPECIFIED.kinds), st.integers(1, EXPOSURE_CAP_MINOR)), max_size=6
    ),
    st.sampled_from(SPECIFIED.kinds),
    st.integers(1, 50_000),
)
def test_no_accepted_bet_leaves_a_sum_above_the_cap(
    open_payouts: list[tuple[str, int]], kind: str, stake_u: int
) -> None:
    on = round_with_payouts(*open_payouts)
    worst = max(on.book.gross_minor[total] for total in SUMS_OF[kind])
    fits = worst + payout_minor(units(stake_u), SPECIFIED.odds_milli[kind]) <= EXPOSURE_CAP_MINOR
    facts = place_bet(placing(units(stake_u), kind=kind), member(RICH), on, DURING_SALE, FRESH)
    assert isinstance(facts, list) == fits


@given(
    st.lists(
        st.tuples(
            st.sampled_from(("big", "small", "odd", "13")), st.integers(1, 10), st.booleans()
        ),
        max_size=12,
    )
)
def test_every_bet_of_a_series_is_decided_by_the_worst_of_its_sums(
    series: list[tuple[str, int, bool]],
) -> None:
    """Payouts in tenths of the cap; some of the bets are followed by a recall of the oldest."""
    on = sale()
    for number, (kind, tenths, recalls) in enumerate(series):
        payout = tenths * EXPOSURE_CAP_MINOR // 10
        worst = max(on.book.gross_minor[total] for total in SUMS_OF[kind])
        fits = worst + payout <= EXPOSURE_CAP_MINOR
        assert on.has_room_for(kind, payout) == fits
        if fits:
            bet = a_bet(f"bet-{number}", payout, kind=kind, odds_milli=1_000)
            add_open_bet(bet, member(payout), on)
        if recalls and (oldest := next(on.book.open_bets(), None)):
            on.book.remove(oldest.bet.bet)
            on.book.merge()


# Precedence: of several broken conditions, the one that comes first in `Refusal` is returned.


class Broken(NamedTuple):
    """A condition, broken by changing one property of an acceptable bet."""

    refusal: Refusal
    thing: str
    value: Any


BROKEN = (
    Broken(Refusal.PLAYER_UNKNOWN, "player", unregistered),
    Broken(Refusal.MUST_REGISTER, "player", lambda: guest(RICH)),
    Broken(Refusal.PLAN_UNKNOWN, "plan", 10),
    Broken(Refusal.PLAY_TYPE_UNKNOWN, "kind", "long"),
    Broken(Refusal.ROUND_UNKNOWN, "issue", "x"),
    Broken(Refusal.ROUND_NOT_CURRENT, "issue", NEXT_ISSUE),
    Broken(Refusal.ROUND_CLOSED, "now", AT_CLOSE),
    Broken(Refusal.STAKE_NOT_WHOLE, "stake_minor", 150),
    Broken(Refusal.STAKE_TOO_SMALL, "stake_minor", 0),
    Broken(Refusal.STAKE_TOO_LARGE, "stake_minor", units(50_001)),
    Broken(Refusal.FUNDS_INSUFFICIENT, "player", lambda: member(99)),
    Broken(
        Refusal.EXPOSURE_EXCEEDED, "on", lambda: round_with_payouts(("big", EXPOSURE_CAP_MINOR))
    ),
)
ORDER = list(Refusal)


def refusal_of(*broken: Broken) -> Refusal:
    values = {each.thing: each.value() if callable(each.value) else each.value for each in broken}
    return refusal(**values)


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: broken.refusal)
def test_each_broken_condition_is_refused_by_its_name(broken: Broken) -> None:
    assert refusal_of(broken) == broken.refusal


@pytest.mark.parametrize(
    ("one", "other"),
    [pair for pair in combinations(BROKEN, 2) if pair[0].thing != pair[1].thing],
    ids=lambda broken: broken.refusal,
)
def test_of_two_broken_conditions_the_first_in_the_list_is_returned(
    one: Broken, other: Broken
) -> None:
    first = min(one.refusal, other.refusal, key=ORDER.index)
    assert refusal_of(one, other) == first


def test_with_everything_broken_the_player_comes_first() -> None:
    by_thing = {each.thing: each for each in reversed(BROKEN)}
    assert refusal_of(*by_thing.values()) == Refusal.PLAYER_UNKNOWN


def test_a_refused_bet_changes_nothing() -> None:
    player, on = member(99), sale()
    before = (player.fork(), on.fork())
    assert refusal(100, player=player, on=on) == Refusal.FUNDS_INSUFFICIENT
    assert (player, on) == before
