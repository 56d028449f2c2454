"""The public statistics, against the bets that the test placed."""

import math
from typing import Any

import pytest

from api.game.draw_statistics import chi_square_test, made, upper_probability
from engine.catalogue import DRAWS_PER_SUM, wins
from projections.statistics import DrawCounts, ReturnKey, SettledSums, no_draws
from tests.api.support import SECOND_US, ApiServer

PATH = "/api/Lottery/statistics"
#: Upper critical values of the chi-square distribution, NIST/SEMATECH handbook 1.3.6.7.4.
CRITICAL = (
    *((0.05, 1, 3.841), (0.05, 2, 5.991), (0.05, 9, 16.919), (0.05, 27, 40.113)),
    *((0.01, 1, 6.635), (0.01, 9, 21.666), (0.01, 27, 46.963), (0.001, 10, 29.588)),
)


def game_of(house: ApiServer, game: int) -> dict[str, Any]:
    """The statistics of a game, not those of an earlier call."""
    house.clock.now += 10 * SECOND_US
    envelope = house.client.get(PATH).json()
    found: dict[str, Any] = envelope["data"]["games"][game]
    assert found["game_id"] == game
    return found


def row_of(game: dict[str, Any], kind: str) -> dict[str, Any]:
    none = {"bets": 0, "stake": 0, "payout": 0, "expected": 0, "deviation": 0}
    rows = (it for it in game["returns"] if (it["kind"], it["book"]) == (kind, "members"))
    return next(rows, none)


def drawn_sum(house: ApiServer) -> int:
    draw = house.call("Lottery/issueList", {"game_id": 1})["data"][0]
    code: int = draw["code"]
    return code


def test_a_settled_round_is_in_its_games_statistics_and_in_those_of_all(house: ApiServer) -> None:
    player = house.register()
    before, all_before = game_of(house, 1), game_of(house, 0)
    player.bet("odd", 20)
    player.bet("odd", 10)
    house.draw_round()

    after, all_after = game_of(house, 1), game_of(house, 0)

    paid = 59.4 if wins("odd", drawn_sum(house)) else 0
    for old, new in ((before, after), (all_before, all_after)):
        was, now = row_of(old, "odd"), row_of(new, "odd")
        assert now["bets"] - was["bets"] == 2
        assert now["stake"] - was["stake"] == pytest.approx(30)
        assert now["payout"] - was["payout"] == pytest.approx(paid)
        assert now["expected"] - was["expected"] == pytest.approx(29.7)
        # Both bets share one draw: they are one bet of 30 u.
        grown = math.sqrt(now["deviation"] ** 2 - was["deviation"] ** 2)
        assert grown == pytest.approx(29.7, abs=0.05)
        assert now["theoretical"] == 99
        assert now["actual"] == pytest.approx(100 * now["payout"] / now["stake"], abs=1e-4)
        assert now["z_score"] == pytest.approx(
            (now["payout"] - now["expected"]) / now["deviation"], abs=0.01
        )
        assert new["draws"] > old["draws"]  # other games may have drawn too
        assert sum(new["sums"]) == new["draws"]
        assert [sum(place) for place in new["digits"]] == [new["draws"]] * 3
    assert after["draws"] == before["draws"] + 1


def test_a_recalled_bet_does_not_count(house: ApiServer) -> None:
    player = house.register()
    before = row_of(game_of(house, 1), "big_odd")
    player.bet("big_odd")
    assert player.call("Lottery/recall", {"game_id": 1, "issue": house.issue}, "recall-1")["code"]
    house.draw_round()

    assert row_of(game_of(house, 1), "big_odd") == before


def test_caches_may_keep_an_answer_for_ten_seconds_but_no_refusal(house: ApiServer) -> None:
    house.clock.now += 10 * SECOND_US
    answer = house.client.get(PATH)
    house.register().bet("even")
    house.draw_round()
    house.clock.now -= 300 * SECOND_US
    again = house.client.get(PATH)
    house.clock.now += 300 * SECOND_US
    refused = house.client.post(PATH, json={})

    assert answer.headers.get_list("cache-control") == ["public, max-age=10"]
    assert "accept-encoding" in answer.headers["vary"]
    assert again.json()["data"] == answer.json()["data"]
    assert refused.json()["reason"] == "method_not_allowed"
    assert refused.headers.get_list("cache-control") == ["no-store"]


def test_it_names_no_player(house: ApiServer) -> None:
    player = house.register()
    player.bet("big")
    house.draw_round()
    game_of(house, 1)

    assert player.username not in house.client.get(PATH).text


def test_a_new_house_has_no_returns_and_tests_nothing() -> None:
    games = made({}, {}).games

    assert [game.game_id for game in games] == [0, 1, 2, 3, 4]
    assert {(game.draws, game.returns, game.uniformity) for game in games} == {(0, (), ())}


def test_games_add_up_to_all_games() -> None:
    """Their draws are independent, so that their variances add up."""
    keys = [ReturnKey(game, "balanced", "big", "members") for game in (1, 2)]
    sums = [
        SettledSums(1, 100, 198, 99_000, 9 * 10**6),
        SettledSums(3, 300, 0, 297_000, 16 * 10**6),
    ]
    together = made(dict(zip(keys, sums, strict=True)), {}).games[0].returns

    assert len(together) == 1
    row = together[0]
    amounts = (row.stake, row.payout, row.expected, row.deviation)
    assert (row.bets, *map(str, amounts)) == (4, "4.00", "1.98", "3.96", "0.05")
    assert (float(row.theoretical), float(row.actual)) == (99, 49.5)
    # The payouts are 198,000 below the expected ones, and the variance is 25,000,000.
    assert row.z_score == -39.6


def test_payouts_without_chance_have_no_z_score() -> None:
    key = ReturnKey(1, "", "", "members")
    assert made({key: SettledSums(2, 200, 198, 198_000, 0)}, {}).games[1].returns[0].z_score is None


@pytest.mark.parametrize(("probability", "degrees", "value"), CRITICAL)
def test_the_tail_of_the_distribution_is_that_of_the_tables(
    probability: float, degrees: int, value: float
) -> None:
    assert upper_probability(value, degrees) == pytest.approx(probability, rel=1e-3)


def test_extreme_values_have_probabilities_too() -> None:
    assert upper_probability(0, 9) == 1
    assert upper_probability(1e6, 9) == 0
    assert 0.4 < upper_probability(27, 27) < 0.5


def test_even_counts_have_a_chi_square_of_none() -> None:
    even = chi_square_test([10] * 10, [1] * 10)
    skewed = chi_square_test([20] + [10] * 9, [1] * 10)
    assert even is not None
    assert skewed is not None
    assert (even.value, even.degrees, even.probability) == (0, 9, 1)
    assert skewed.value == pytest.approx(81 / 11 + 9 / 11)


def test_rare_sums_are_joined_and_few_draws_are_not_tested() -> None:
    assert chi_square_test([9] + [0] * 9, [1] * 10) is None
    hundred = chi_square_test([round(ways / 10) for ways in DRAWS_PER_SUM], DRAWS_PER_SUM)
    thousands = chi_square_test([ways * 5 for ways in DRAWS_PER_SUM], DRAWS_PER_SUM)
    assert hundred is not None
    assert thousands is not None
    assert (hundred.degrees < 20, thousands.degrees) == (True, 27)


def test_a_loaded_place_is_noticed() -> None:
    counts = no_draws()
    loaded = DrawCounts(([1_000, *[0] * 9], [100] * 10, [100] * 10), counts.sums)
    tests = {it.of: it.probability for it in made({}, {1: loaded}).games[1].uniformity}
    assert tests["first"] == 0
    assert (tests["second"], tests["third"]) == (1, 1)
