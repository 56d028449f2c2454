"""The catalogue: four games, three rooms each, three halls a room."""

from hashlib import sha256

import msgspec

from engine.fairness.canonical import canonical
from engine.games import SUMS_OF
from engine.money import units


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
