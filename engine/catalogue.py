"""The catalogue: what a draw is, which sums each bet kind wins on, and the games with their halls.

There are four games, three rooms each, three halls a room.
"""

from hashlib import sha256
from itertools import product

import msgspec

from engine.fairness.canonical import canonical
from engine.money import units

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


class Game(msgspec.Struct, frozen=True):
    """A draw provider."""

    id: int
    name: str


class Plan(msgspec.Struct, frozen=True):
    """One hall. `vip` 0 to 2 is the room, `type` 0 to 2 the hall's tier within it.

    `min_stake_minor` applies to each bet; `join_minor` is the available balance that a player needs
    for the first bet of a calendar day in the hall.
    """

    id: int
    game: int
    vip: int
    type: int
    min_stake_minor: int
    join_minor: int
    title: str


class _Hall(msgspec.Struct, frozen=True):
    title: str
    min_stake_u: int
    join_u: int


_HALLS = (
    _Hall("Ordinary hall", min_stake_u=1, join_u=0),
    _Hall("Mid-level hall", min_stake_u=10, join_u=500),
    _Hall("High-level hall", min_stake_u=50, join_u=2_000),
)

_JOIN_FACTOR_OF_VIP = (1, 10, 100)

GAMES = {
    1: Game(1, "Singapore"),
    2: Game(2, "New Zealand"),
    3: Game(3, "Kuala Lumpur"),
    4: Game(4, "Australia"),
}


def _plan(game: int, vip: int, tier: int) -> Plan:
    hall = _HALLS[tier]
    return Plan(
        id=(game - 1) * 9 + 3 * vip + tier + 1,
        game=game,
        vip=vip,
        type=tier,
        min_stake_minor=units(hall.min_stake_u),
        join_minor=units(hall.join_u * _JOIN_FACTOR_OF_VIP[vip]),
        title=f"VIP{vip + 1} {hall.title}",
    )


PLANS = {
    plan.id: plan
    for plan in (_plan(game, vip, tier) for game in GAMES for vip in range(3) for tier in range(3))
}


def plans_of(game: int) -> tuple[Plan, ...]:
    """The nine plans of a game, room by room and hall by hall; empty for an unknown game."""
    return tuple(plan for plan in PLANS.values() if plan.game == game)


def rules_hash() -> bytes:
    """SHA-256 over the betting rules: the winning sums of each kind and every hall's minimum."""
    kinds = {kind: list(sums) for kind, sums in SUMS_OF.items()}
    minima = {str(plan.id): plan.min_stake_minor for plan in PLANS.values()}
    return sha256(canonical({"kinds": kinds, "minima": minima})).digest()
