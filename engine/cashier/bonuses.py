"""Bonuses: gifts from staff, the overnight bonus, and the release of bonus money. Pure.

Quotas are decided here too, whose commands and facts are in `engine/players`. A quota moves no
money: it reserves the next level while its turnover is being reached, and blocks withdrawals
meanwhile.
"""

from engine.answers import Refused
from engine.cashier.commands import DecideGift, GrantGift, GrantOvernight, ReleaseBonus
from engine.cashier.facts import BonusReleased, GiftGranted, GiftProposed, GiftRejected
from engine.cashier.payment_state import overnight_gift_id
from engine.lifecycle import GIFT
from engine.players.commands import MEMBER, ReleaseQuota, ReserveQuota
from engine.players.facts import QuotaReleased, QuotaReserved
from engine.players.state import Player
from engine.refusals import Refusal
from engine.terms import Terms

_OVERNIGHT_TIMES = 2


def grant(
    command: GrantGift, player: Player, terms: Terms, now: int, *, alone_minor: int = 0
) -> list[GiftGranted | GiftProposed] | Refused:
    """Bonus money from staff; above the threshold it is only proposed until a second person agrees.

    `alone_minor` (`SoloApprovals.alone_minor`) counts toward the threshold too.
    """
    refused = require_member(player)
    if refused:
        return refused
    amount, reason = command.amount_minor, command.reason_commitment
    if not 0 < amount <= terms.largest_deposit_minor:
        return Refused(Refusal.AMOUNT_INVALID, "amount")
    if player.payments.find(GIFT, command.gift):
        return []
    if terms.takes_two(amount, alone_minor):
        return [GiftProposed(command.gift, amount, command.by, reason)]
    return [_granted(command.gift, amount, reason, terms, now)]


def decide_gift(
    command: DecideGift, player: Player, terms: Terms, now: int
) -> list[GiftGranted | GiftRejected] | Refused:
    """A second person agrees to a proposed gift; anyone may drop it."""
    proposed = player.payments.find(GIFT, command.gift)
    if proposed is None:
        return Refused(Refusal.GIFT_UNKNOWN, "gift")
    if not command.approve:
        return [GiftRejected(proposed.id, command.by)]
    if proposed.requested_by == command.by:
        return Refused(Refusal.SECOND_PERSON_NEEDED)
    return [_granted(proposed.id, proposed.amount_minor, proposed.reason_commitment, terms, now)]


def _granted(gift: str, amount: int, reason: str, terms: Terms, now: int) -> GiftGranted:
    """The turnover due is the gift itself; it is locked as long as the overnight bonus."""
    return GiftGranted(gift, "staff", amount, amount, now + terms.bonus_wait_us, reason)


def grant_overnight(
    command: GrantOvernight, player: Player, terms: Terms, now: int, day: str
) -> list[GiftGranted]:
    """A share of the turnover of the day that ended: once a day, and none if the share is zero."""
    amount = min(
        player.period_totals.on(day).turnover_of(command.day) * terms.overnight_permille // 1000,
        terms.overnight_most_minor,
    )
    already_granted = command.day <= player.payments.overnight
    if not terms.overnight or player.bot or already_granted or command.day >= day or not amount:
        return []
    return [
        GiftGranted(
            overnight_gift_id(command.day),
            "overnight",
            amount,
            amount * _OVERNIGHT_TIMES,
            now + terms.bonus_wait_us,
            "",
        )
    ]


def releasable(player: Player, now: int) -> int:
    """Bonus money that the player has earned, in minor units."""
    payments = player.payments
    return 0 if payments.bonus_due_minor or now < payments.bonus_from else player.bonus


def release(command: ReleaseBonus, player: Player, now: int) -> list[BonusReleased] | Refused:
    """Move earned bonus money to the player's available balance."""
    assert command.player == player.id
    free = releasable(player, now)
    return [BonusReleased(free)] if free else Refused(Refusal.BONUS_NOT_DUE)


def require_member(player: Player) -> Refused | None:
    """The refusal for a player who is unknown, or a guest; None for a member."""
    if not player.registered:
        return Refused(Refusal.PLAYER_UNKNOWN, "player")
    return None if player.group == MEMBER else Refused(Refusal.MUST_REGISTER)


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
