"""What a draw is and which sums each bet kind wins on."""

from itertools import product

SUMS = range(28)

_MIN_BIG = 14
_MAX_EXTREME_SMALL = 5
_MIN_EXTREME_BIG = 22

DRAWS = tuple(product(range(10), repeat=3))
"""All 1,000 equally likely draws, as digits."""

DRAWS_PER_SUM = tuple(sum(1 for digits in DRAWS if sum(digits) == total) for total in SUMS)
"""How many of the 1,000 draws give each sum: 1, 3, 6, 10, …"""

NAMED_KINDS = (
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

NUMBER_KINDS = tuple(str(total) for total in SUMS)

KINDS = NAMED_KINDS + NUMBER_KINDS
"""Every bet kind, in the order in which the product lists them."""


def labels(total: int) -> tuple[str, str]:
    """The two halves to which a sum belongs: "big" or "small", then "odd" or "even"."""
    return ("big" if total >= _MIN_BIG else "small", "odd" if total % 2 else "even")


def _named_kinds_of(total: int) -> set[str]:
    size, parity = labels(total)
    kinds = {size, parity, f"{size}_{parity}"}
    if total <= _MAX_EXTREME_SMALL:
        kinds.add("extreme_small")
    if total >= _MIN_EXTREME_BIG:
        kinds.add("extreme_big")
    return kinds


SUMS_OF: dict[str, tuple[int, ...]] = {
    **{kind: tuple(t for t in SUMS if kind in _named_kinds_of(t)) for kind in NAMED_KINDS},
    **{str(total): (total,) for total in SUMS},
}
"""The winning sums of each bet kind, ascending."""


def wins(kind: str, total: int) -> bool:
    """Whether a bet of `kind` wins on a draw whose digits add up to `total` (0 to 27).

    Raises KeyError for a kind that is not in KINDS.
    """
    return total in SUMS_OF[kind]
