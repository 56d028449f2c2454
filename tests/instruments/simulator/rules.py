"""The house's money rules, written a second time from the specification.

It uses nothing of the engine, whose payouts are compared with it. Money is in minor units, odds in
thousandths.
"""

from collections import Counter
from collections.abc import Iterable
from itertools import islice, product
from typing import Final

SUMS: Final = range(28)
_WAYS: Final = Counter(map(sum, product(range(10), repeat=3)))
_LOWEST: Final = 250
CAP_MINOR: Final = 100_000_000
"""The maximum payout of one round of one game, for any draw."""

_SUM_ODDS_MILLI: Final = (
    950_000, 316_660, 158_330, 95_000, 63_330, 45_230, 33_920,
    26_380, 21_110, 17_270, 15_070, 13_760, 13_010, 12_660,
)  # fmt: skip
ODDS_MILLI: Final = {
    **dict.fromkeys(("big", "small", "odd", "even"), 1_980),
    **dict.fromkeys(("big_odd", "big_even", "small_odd", "small_even"), 3_800),
    **dict.fromkeys(("extreme_big", "extreme_small"), 11_000),
    **{str(total): _SUM_ODDS_MILLI[min(total, 27 - total)] for total in SUMS},
}


def _wins(kind: str, total: int) -> bool:
    if kind.isdigit():
        return int(kind) == total
    conditions = {
        "big": total > 13,
        "small": total <= 13,
        "odd": total % 2 == 1,
        "even": total % 2 == 0,
        "extreme_big": total >= 22,
        "extreme_small": total <= 5,
    }
    return (
        conditions[kind]
        if kind in conditions
        else all(conditions[half] for half in kind.split("_"))
    )


WINNING_SUMS: Final = {
    kind: frozenset(total for total in SUMS if _wins(kind, total)) for kind in ODDS_MILLI
}


def gross_minor(kind: str, stake_minor: int) -> int:
    """The payout of a winning bet with its stake; a fraction of a minor unit is dropped."""
    return stake_minor * ODDS_MILLI[kind] // 1000


def effective_minor(bets: Iterable[tuple[str, int]]) -> int:
    """The turnover of one round's stakes: less the mean of the 250 lowest of 1,000 payouts."""
    stake, pays = 0, [0 for _ in SUMS]
    for kind, stake_minor in bets:
        stake += stake_minor
        for total in WINNING_SUMS[kind]:
            pays[total] += gross_minor(kind, stake_minor)
    each = sorted((pays[total], _WAYS[total]) for total in SUMS)
    lowest = list(islice((paid for paid, ways in each for _ in range(ways)), _LOWEST))
    return max(0, (_LOWEST * stake - sum(lowest)) // _LOWEST)
