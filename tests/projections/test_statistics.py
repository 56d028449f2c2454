"""The statistics of the draws, against sums over all 1,000 draws of each round."""

from collections.abc import Callable, Iterable, Sequence
from itertools import product

from msgspec.structs import replace

from engine.bets.facts import BetPlaced
from projections import statistics
from projections.statistics import ALL_BETS, BOTS, MEMBERS, ReturnKey, SettledSums
from tests.projections.history import bet
from tests.projections.support import ProjectionHarness

DRAWS = tuple(map(sum, product(range(10), repeat=3)))
RULES: dict[str, Callable[[int], bool]] = {
    "big": lambda total: total >= 14,
    "odd": lambda total: total % 2 == 1,
    "small_even": lambda total: total < 14 and total % 2 == 0,
}
MEMBER, OTHER, BOT = 1, 2, 3


def issue(number: int) -> str:
    return f"20261121{number:03d}"


def made(
    number: int,
    kind: str,
    stake_minor: int,
    odds_milli: int = 1_980,
    *,
    round_number: int = 1,
    table: str = "card-21.04.02",
    game: int = 1,
) -> BetPlaced:
    placed = bet(number, stake_minor, kind=kind, game=game, issue=issue(round_number))
    return replace(placed, odds_milli=odds_milli, odds_table=table)


def paid(placed: BetPlaced, total: int) -> int:
    kind = placed.kind
    won = total == int(kind) if kind.isdecimal() else RULES[kind](total)
    return placed.stake_minor * placed.odds_milli // 1_000 if won else 0


def joined(house: ProjectionHarness) -> None:
    house.history.joins(MEMBER, OTHER)
    house.history.joins(BOT, bot=True)


def plays(
    house: ProjectionHarness,
    digits: tuple[int, int, int],
    bets: Iterable[tuple[int, BetPlaced]],
    *,
    round_number: int = 1,
    game: int = 1,
) -> None:
    """A round with these bets, by player, is sold, drawn and settled."""
    placed = list(bets)
    house.history.opens(game, issue(round_number))
    for player, each in placed:
        house.history.bets(player, each)
    house.history.closes(game, issue(round_number))
    house.history.draws(digits, game, issue(round_number))
    for player, each in placed:
        house.history.settles(player, each, sum(digits), paid(each, sum(digits)))
    house.history.ends(game, issue(round_number))


def expected_sums(rounds: Iterable[tuple[int, list[BetPlaced]]]) -> SettledSums:
    """The sums over rounds, each with its total and bets, counted draw by draw."""
    found = SettledSums()
    for total, bets in rounds:
        payouts = [sum(paid(each, drawn) for each in bets) for drawn in DRAWS]
        mean_milli = sum(payouts)
        found.bets += len(bets)
        found.stake += sum(each.stake_minor for each in bets)
        found.payout += sum(paid(each, total) for each in bets)
        found.expected += mean_milli
        found.variance += sum((1_000 * it - mean_milli) ** 2 for it in payouts) // 1_000
    return found


def present(counts: Sequence[int]) -> dict[int, int]:
    return {value: count for value, count in enumerate(counts) if count}


def test_the_variance_is_that_of_whole_rounds(house: ProjectionHarness) -> None:
    joined(house)
    first = [made(1, "big", 1_000), made(2, "big", 333), made(3, "odd", 2_001)]
    second = [made(4, "big", 77, round_number=2), made(5, "13", 100, 13_010, round_number=2)]
    plays(house, (9, 9, 1), zip((MEMBER, OTHER, OTHER), first, strict=True))
    plays(house, (1, 2, 3), zip((MEMBER, MEMBER), second, strict=True), round_number=2)

    found = statistics.returns(house.catch_up())

    table = "card-21.04.02"
    assert found == {
        ReturnKey(1, table, "big", MEMBERS): expected_sums([(19, first[:2]), (6, second[:1])]),
        ReturnKey(1, table, "odd", MEMBERS): expected_sums([(19, first[2:])]),
        ReturnKey(1, table, "13", MEMBERS): expected_sums([(6, second[1:])]),
        ReturnKey(1, ALL_BETS, ALL_BETS, MEMBERS): expected_sums([(19, first), (6, second)]),
    }


def test_games_odds_tables_and_books_are_counted_separately(house: ProjectionHarness) -> None:
    joined(house)
    specified = made(1, "small_even", 1_000, 3_800)
    balanced = made(2, "small_even", 500, 4_200, table="balanced")
    by_bot = made(3, "small_even", 700, 3_800)
    elsewhere = made(4, "small_even", 900, 3_800, game=2)
    bets = [(MEMBER, specified), (OTHER, balanced), (BOT, by_bot)]
    plays(house, (0, 2, 2), bets)
    plays(house, (9, 9, 9), [(MEMBER, elsewhere)], game=2)

    found = statistics.returns(house.catch_up())

    sums = {
        ReturnKey(1, "card-21.04.02", "small_even", MEMBERS): expected_sums([(4, [specified])]),
        ReturnKey(1, "balanced", "small_even", MEMBERS): expected_sums([(4, [balanced])]),
        ReturnKey(1, "card-21.04.02", "small_even", BOTS): expected_sums([(4, [by_bot])]),
        ReturnKey(2, "card-21.04.02", "small_even", MEMBERS): expected_sums([(27, [elsewhere])]),
        ReturnKey(1, ALL_BETS, ALL_BETS, MEMBERS): expected_sums([(4, [specified, balanced])]),
        ReturnKey(1, ALL_BETS, ALL_BETS, BOTS): expected_sums([(4, [by_bot])]),
        ReturnKey(2, ALL_BETS, ALL_BETS, MEMBERS): expected_sums([(27, [elsewhere])]),
    }
    assert found == sums
    assert found[ReturnKey(1, "balanced", "small_even", MEMBERS)].payout == 2_100


def test_recalled_voided_and_open_bets_do_not_count(house: ProjectionHarness) -> None:
    joined(house)
    gone, left = made(1, "big", 1_000), made(2, "big", 500)
    house.history.opens(1, issue(1))
    house.history.bets(MEMBER, gone, left)
    house.history.recalls(MEMBER, gone)
    house.history.closes(1, issue(1))
    house.history.draws((9, 9, 1), 1, issue(1))
    house.history.settles(MEMBER, left, 19, 990)
    before = statistics.returns(house.catch_up())
    house.history.ends(1, issue(1))
    returned = made(3, "big", 1_000, round_number=2)
    house.history.opens(1, issue(2))
    house.history.bets(MEMBER, returned)
    house.history.voids(MEMBER, returned)
    house.history.cancels(1, issue(2))
    house.history.opens(1, issue(3))
    house.history.bets(MEMBER, made(4, "big", 1_000, round_number=3))

    found = statistics.returns(house.catch_up())

    assert before == {}
    assert {key.kind: it.stake for key, it in found.items()} == {"big": 500, ALL_BETS: 500}


def test_opposite_bets_of_a_round_cancel_each_other(house: ProjectionHarness) -> None:
    """What is paid at every sum is certain, so nothing of it is chance."""
    joined(house)
    bets = [(MEMBER, made(1, "big", 1_000))]
    bets += [(MEMBER, made(2 + total, str(total), 1_000)) for total in range(14)]
    plays(house, (9, 9, 1), bets)

    found = statistics.returns(house.catch_up())[ReturnKey(1, ALL_BETS, ALL_BETS, MEMBERS)]

    assert (found.variance, found.expected) == (0, 1_980_000)


def test_sums_beyond_64_bits_are_exact(house: ProjectionHarness) -> None:
    joined(house)
    large = made(1, "big", 10**13)
    plays(house, (9, 9, 1), [(MEMBER, large)])

    found = statistics.returns(house.catch_up())

    assert (
        found[ReturnKey(1, "card-21.04.02", "big", MEMBERS)].variance
        == 250_000 * (198 * 10**11) ** 2
    )


def test_digits_are_counted_by_place_and_sums_by_game(house: ProjectionHarness) -> None:
    drawn = [(1, (4, 4, 0)), (1, (4, 0, 9)), (2, (9, 9, 9))]
    for number, (game, digits) in enumerate(drawn, start=1):
        house.history.opens(game, issue(number))
        house.history.closes(game, issue(number))
        house.history.draws(digits, game, issue(number))

    found = statistics.draw_counts(house.catch_up())

    assert found.keys() == {1, 2}
    first = found[1]
    assert [present(place) for place in first.places] == [{4: 2}, {0: 1, 4: 1}, {0: 1, 9: 1}]
    assert (first.draws, first.sums[8], first.sums[13], sum(first.sums)) == (2, 1, 1, 2)
    assert (found[2].draws, found[2].sums[27]) == (1, 1)
