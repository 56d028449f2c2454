"""The limits that hold for a player now, the lowest of several: deposits and losses."""

from engine.players.standing_commands import DEPOSIT, LOSS, SPANS
from engine.players.state import Player


def deposit_room(player: Player, now: int, day: str) -> int | None:
    """How much may still be deposited, in minor units; None without a limit.

    What is pending counts as deposited.
    """
    deposited = player.flows.on(day).deposited
    pending = sum(each.amount_minor for each in player.money.deposits)
    return _room(player, DEPOSIT, [amount + pending for amount in deposited], now)


def loss_room(player: Player, now: int, day: str) -> int | None:
    """How much may still be staked, in minor units; None without a limit.

    A loss is what was settled, net, and every open stake.
    """
    net = player.flows.on(day).net
    return _room(player, LOSS, [player.staked - amount for amount in net], now)


def _room(player: Player, subject: str, used: list[int], now: int) -> int | None:
    rooms: list[int] = []
    for span, amount in zip(SPANS, used, strict=True):
        limit = player.standing.limit(subject, span)
        most = limit.at(now) if limit else None
        if most is not None:
            rooms.append(most - amount)
    return min(rooms, default=None)
