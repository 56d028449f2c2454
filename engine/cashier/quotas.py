"""Quotas: a member reserves the next level while completing its turnover. Pure."""

from engine.answers import Refused
from engine.cashier.bonuses import require_member
from engine.players.commands import ReleaseQuota, ReserveQuota
from engine.players.facts import QuotaReleased, QuotaReserved
from engine.players.state import Player
from engine.refusals import Refusal
from engine.terms import Terms


def reserved_quota(player: Player, terms: Terms, now: int) -> tuple[int, int] | None:
    """The reserved level and its expiry; None once it is reached, expired or released.

    A level that the terms no longer have counts as released.
    """
    quota = player.profile.quota
    if quota is None:
        return None
    level, until = quota
    reached = terms.level(player.payments.turnover_minor) >= level
    exists = level < len(terms.levels_minor)
    return quota if exists and not reached and now < until else None


def reserve_quota(
    command: ReserveQuota, player: Player, terms: Terms, now: int
) -> list[QuotaReserved] | Refused:
    """Reserve the next level while its turnover is being completed."""
    assert command.player == player.id
    refused = require_member(player)
    if refused:
        return refused
    if reserved_quota(player, terms, now) is not None:
        return []
    level = terms.level(player.payments.turnover_minor) + 1
    if level >= len(terms.levels_minor):
        return Refused(Refusal.QUOTA_UNAVAILABLE)
    return [QuotaReserved(level, now + terms.quota_us)]


def release_quota(command: ReleaseQuota, player: Player) -> list[QuotaReleased]:
    """Release the reservation immediately, at any time."""
    assert command.player == player.id
    quota = player.profile.quota
    return [] if quota is None else [QuotaReleased()]
