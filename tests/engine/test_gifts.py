"""Gifts and level reservations: never twice, and gifts above the cap not by one person alone."""

from typing import Any

import pytest
from msgspec.structs import replace

from engine import lifecycle
from engine.answers import Refused
from engine.cashier import bonuses
from engine.cashier.bonuses import release_quota, reserve_quota
from engine.cashier.commands import DecideGift, GrantGift, GrantOvernight, ReleaseBonus
from engine.cashier.facts import (
    BonusReleased,
    GiftGranted,
    GiftProposed,
    GiftRejected,
    TurnoverCounted,
)
from engine.money import units
from engine.players import state as players
from engine.players.commands import ReleaseQuota, ReserveQuota
from engine.players.facts import QuotaReleased, QuotaReserved
from engine.players.state import Player
from engine.refusals import Refusal
from engine.terms import DAY_US, DEFAULT_TERMS
from tests.engine.given import DAY, DURING_SALE, GAME, ISSUE, guest, member, unregistered

NOW = DURING_SALE
DAY_AFTER = "2026-11-22"
TERMS = replace(DEFAULT_TERMS, overnight=True)
GIFT = GrantGift(1, "gift-1", units(50), "staff:ann", "why")


def after(player: Player, *facts: Any) -> Player:
    for fact in facts:
        players.evolve(player, fact, DAY)
    return player


def turned_over(effective_minor: int) -> Player:
    return after(member(), TurnoverCounted(GAME, ISSUE, effective_minor, effective_minor))


def overnight(player: Player, day: str = DAY, today: str = DAY_AFTER) -> list[GiftGranted]:
    return bonuses.grant_overnight(GrantOvernight(1, day), player, TERMS, NOW, today)


def test_a_gift_is_bonus_money_with_its_turnover_due() -> None:
    facts = bonuses.grant(GIFT, member(), TERMS, NOW)
    assert facts == [GiftGranted("gift-1", "staff", units(50), units(50), NOW + DAY_US, "why")]
    player = after(member(), *facts)
    assert (player.available, player.bonus) == (0, units(50))


@pytest.mark.parametrize("amount", [0, -1, TERMS.largest_deposit_minor + 1])
def test_a_gift_needs_a_valid_amount(amount: int) -> None:
    refused = bonuses.grant(replace(GIFT, amount_minor=amount), member(), TERMS, NOW)
    assert refused == Refused(Refusal.AMOUNT_INVALID, "amount")


def offered(amount_minor: int = TERMS.four_eyes_minor + 1) -> Player:
    """A player for whom Ann has proposed a gift above one person's limit."""
    facts = bonuses.grant(replace(GIFT, amount_minor=amount_minor), member(), TERMS, NOW)
    assert facts == [GiftProposed("gift-1", amount_minor, "staff:ann", "why")]
    return after(member(), GiftProposed("gift-1", amount_minor, "staff:ann", "why"))


def decided_gift(player: Player, by: str, *, approve: bool = True) -> object:
    return bonuses.decide_gift(DecideGift(1, "gift-1", approve, by), player, TERMS, NOW + 5)


def test_a_gift_above_the_cap_waits_for_a_second_person() -> None:
    amount = TERMS.four_eyes_minor + 1
    player = offered(amount)
    assert player.bonus == 0
    assert decided_gift(player, "staff:ann") == Refused(Refusal.SECOND_PERSON_NEEDED)
    facts = decided_gift(player, "staff:ben")
    given = GiftGranted("gift-1", "staff", amount, amount, NOW + 5 + DAY_US, "why")
    assert facts == [given]
    after(player, given)
    assert (player.bonus, player.payments.of(lifecycle.GIFT)) == (amount, ())
    assert decided_gift(player, "staff:cat") == Refused(Refusal.GIFT_UNKNOWN, "gift")


def test_exactly_the_cap_is_one_persons_to_give() -> None:
    amount = TERMS.four_eyes_minor
    facts = bonuses.grant(replace(GIFT, amount_minor=amount), member(), TERMS, NOW)
    assert facts == [GiftGranted("gift-1", "staff", amount, amount, NOW + DAY_US, "why")]


def test_anyone_may_drop_a_proposed_gift() -> None:
    player = offered()
    rejected = GiftRejected("gift-1", "staff:ann")
    assert decided_gift(player, "staff:ann", approve=False) == [rejected]
    after(player, rejected)
    assert decided_gift(player, "staff:ben") == Refused(Refusal.GIFT_UNKNOWN, "gift")


def test_a_gift_is_proposed_once() -> None:
    again = replace(GIFT, amount_minor=TERMS.four_eyes_minor + 1)
    assert bonuses.grant(again, offered(), TERMS, NOW) == []


def test_only_members_get_gifts() -> None:
    assert bonuses.grant(GIFT, guest(), TERMS, NOW) == Refused(Refusal.MUST_REGISTER)
    unknown = bonuses.grant(GIFT, unregistered(), TERMS, NOW)
    assert unknown == Refused(Refusal.PLAYER_UNKNOWN, "player")


def test_the_overnight_bonus_is_a_hundredth_of_the_days_turnover_due_twice() -> None:
    (gift,) = overnight(turned_over(units(1_000)))
    assert gift == GiftGranted(
        f"overnight-{DAY}", "overnight", units(10), units(20), NOW + DAY_US, ""
    )


def test_the_overnight_bonus_is_capped() -> None:
    (gift,) = overnight(turned_over(units(100_000)))
    assert gift.amount_minor == units(88)


def test_the_overnight_bonus_is_given_once_a_day_and_for_ended_days() -> None:
    player = turned_over(units(1_000))
    assert overnight(player, today=DAY) == []
    after(player, *overnight(player))
    assert overnight(player) == []
    assert overnight(player, "2026-11-20") == []


def test_the_overnight_bonus_is_off_by_default_and_never_for_bots() -> None:
    player = turned_over(units(1_000))
    command = GrantOvernight(1, DAY)
    assert bonuses.grant_overnight(command, player, DEFAULT_TERMS, NOW, DAY_AFTER) == []
    player.bot = True
    assert overnight(player) == []
    assert overnight(member()) == []


def test_bonus_money_is_released_once_its_turnover_and_its_time_are_done() -> None:
    player = after(member(), GiftGranted("g", "staff", units(50), units(80), NOW + 5, ""))
    early = bonuses.release(ReleaseBonus(1), player, NOW + 5)
    assert early == Refused(Refusal.BONUS_NOT_DUE)
    after(player, TurnoverCounted(GAME, ISSUE, units(80), units(80)))
    assert bonuses.release(ReleaseBonus(1), player, NOW + 4) == Refused(Refusal.BONUS_NOT_DUE)
    facts = bonuses.release(ReleaseBonus(1), player, NOW + 5)
    assert facts == [BonusReleased(units(50))]
    after(player, *facts)
    assert (player.available, player.bonus) == (units(50), 0)
    assert bonuses.release(ReleaseBonus(1), player, NOW + 5) == Refused(Refusal.BONUS_NOT_DUE)


# The quota of the next level.


def test_the_next_level_is_reserved_for_thirty_days_and_released_immediately() -> None:
    player = member()
    reserved = reserve_quota(ReserveQuota(1), player, TERMS, NOW)
    assert reserved == [QuotaReserved(1, NOW + 30 * DAY_US)]
    after(player, *reserved)
    assert reserve_quota(ReserveQuota(1), player, TERMS, NOW + 1) == []
    released = release_quota(ReleaseQuota(1), player)
    assert released == [QuotaReleased()]
    after(player, *released)
    assert release_quota(ReleaseQuota(1), player) == []


def test_beyond_the_highest_level_there_is_nothing_to_reserve() -> None:
    player = turned_over(units(1_000_000))
    refused = reserve_quota(ReserveQuota(1), player, TERMS, NOW)
    assert refused == Refused(Refusal.QUOTA_UNAVAILABLE)


def test_a_reserved_level_that_no_longer_exists_does_not_block_the_next_one() -> None:
    player = after(turned_over(units(10_000)), QuotaReserved(3, NOW + 5))
    shorter = replace(TERMS, levels_minor=TERMS.levels_minor[:3])
    assert reserve_quota(ReserveQuota(1), player, TERMS, NOW) == []
    reserved = reserve_quota(ReserveQuota(1), player, shorter, NOW)
    assert reserved == [QuotaReserved(2, NOW + 30 * DAY_US)]


@pytest.mark.parametrize(
    ("turnover_u", "level"), [(0, 0), (9_999, 0), (10_000, 1), (100_000, 2), (1_000_000, 3)]
)
def test_levels_are_reached_by_lifetime_turnover(turnover_u: int, level: int) -> None:
    assert DEFAULT_TERMS.level(units(turnover_u)) == level
