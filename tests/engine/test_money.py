from hypothesis import given
from hypothesis import strategies as st

from engine.bets.decisions import bonus_share
from engine.money import units
from engine.odds import payout_minor

stakes = st.integers(1, 5_000_000)
odds = st.integers(1_000, 950_000)


def test_a_payout_is_the_stake_times_the_odds_with_the_stake_included() -> None:
    assert payout_minor(units(100), 1_980) == 19_800


def test_a_fraction_of_a_minor_unit_stays_with_the_house() -> None:
    assert payout_minor(1, 1_980) == 1
    assert payout_minor(33, 12_660) == 417  # 417.78 exactly


@given(stakes, odds)
def test_a_payout_is_the_largest_whole_amount_not_above_the_exact_one(
    stake_minor: int, odds_milli: int
) -> None:
    paid = payout_minor(stake_minor, odds_milli)
    assert paid * 1_000 <= stake_minor * odds_milli < (paid + 1) * 1_000


@given(stakes, odds, st.data())
def test_the_bonus_part_of_a_payout_keeps_the_proportion_of_the_stake(
    stake_minor: int, odds_milli: int, data: st.DataObject
) -> None:
    bonus_minor = data.draw(st.integers(0, stake_minor))
    payout = payout_minor(stake_minor, odds_milli)
    share = bonus_share(payout, bonus_minor, stake_minor)
    assert share * stake_minor <= payout * bonus_minor < (share + 1) * stake_minor
    assert 0 <= share <= payout


def test_a_stake_without_bonus_returns_none_and_one_of_bonus_only_returns_all() -> None:
    assert bonus_share(19_800, 0, 10_000) == 0
    assert bonus_share(19_800, 10_000, 10_000) == 19_800
