"""The limits in effect for a player now, the lowest of several: deposits and losses."""

from engine.players.profile_commands import DEPOSIT, LOSS, SPANS
from engine.players.state import Player


def deposit_headroom(player: Player, now: int, day: str) -> int | None:
    """How much may still be deposited, in minor units; None without a limit.

    Pending deposits count as deposited.
    """
    deposited = player.period_totals.on(day).deposited
    pending = player.payments.pending_deposits_minor
    return _headroom(player, DEPOSIT, [amount + pending for amount in deposited], now)


def loss_headroom(player: Player, now: int, day: str) -> int | None:
    """How much may still be staked, in minor units; None without a limit.

    The loss is the net of settled bets plus every open stake.
    """
    net = player.period_totals.on(day).net
    return _headroom(player, LOSS, [player.staked - amount for amount in net], now)


def _headroom(player: Player, subject: str, used: list[int], now: int) -> int | None:
    headrooms: list[int] = []
    for span, amount in zip(SPANS, used, strict=True):
        limit = player.profile.limit(subject, span)
        max_minor = limit.at(now) if limit else None
        if max_minor is not None:
            headrooms.append(max_minor - amount)
    return min(headrooms, default=None)
