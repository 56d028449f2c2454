import pytest

from engine import catalogue


def test_a_thousand_draws_spread_over_the_sums_as_published() -> None:
    half = (1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 63, 69, 73, 75)
    assert half + half[::-1] == catalogue.DRAWS_PER_SUM
    assert sum(catalogue.DRAWS_PER_SUM) == len(set(catalogue.DRAWS)) == 1_000


def test_the_kinds_are_the_named_ones_and_the_sums_in_the_order_of_the_product() -> None:
    assert catalogue.KINDS[:10] == (
        "big",
        "small",
        "odd",
        "even",
        "big_odd",
        "big_even",
        "small_odd",
        "small_even",
        "extreme_big",
        "extreme_small",
    )
    assert catalogue.KINDS[10:] == tuple(str(total) for total in range(28))
    assert set(catalogue.SUMS_OF) == set(catalogue.KINDS)


@pytest.mark.parametrize(
    ("kind", "winning"),
    [
        ("big", range(14, 28)),
        ("small", range(14)),
        ("odd", range(1, 28, 2)),
        ("even", range(0, 28, 2)),
        ("big_odd", range(15, 28, 2)),
        ("big_even", range(14, 28, 2)),
        ("small_odd", range(1, 14, 2)),
        ("small_even", range(0, 14, 2)),
        ("extreme_big", range(22, 28)),
        ("extreme_small", range(6)),
        ("0", [0]),
        ("27", [27]),
    ],
)
def test_a_kind_wins_on_its_sums_and_on_no_other(kind: str, winning: range | list[int]) -> None:
    assert catalogue.SUMS_OF[kind] == tuple(winning)
    assert [total for total in catalogue.SUMS if catalogue.wins(kind, total)] == list(winning)


def test_the_labels_of_a_sum_are_bets_that_win_on_it() -> None:
    for total in catalogue.SUMS:
        assert all(catalogue.wins(label, total) for label in catalogue.labels(total))
        assert catalogue.wins("_".join(catalogue.labels(total)), total)


def test_the_labels_turn_between_13_and_14() -> None:
    assert catalogue.labels(13) == ("small", "odd")
    assert catalogue.labels(14) == ("big", "even")


def test_an_unknown_kind_is_an_error_and_not_a_loss() -> None:
    with pytest.raises(KeyError):
        catalogue.wins("huge", 20)
