"""Protections apply immediately; loosening one waits; money can always be withdrawn."""

from typing import Any

import pytest
from msgspec.structs import replace

from engine.answers import Refused
from engine.bets.decisions import place_bet, recall
from engine.cashier.facts import GiftGranted, WithdrawalRejected, WithdrawalRequested
from engine.money import units
from engine.players import decisions
from engine.players import state as players
from engine.players.commands import (
    MAX_EXCLUSION_US,
    MAX_TIME_OUT_US,
    MIN_EXCLUSION_US,
    PERIOD_TOLERANCE_US,
    CompleteBaseInfo,
    ExcludeSelf,
    JoinAsMember,
    LiftSecurityCode,
    ProtectionCommand,
    SetLimit,
    SetPayoutAccount,
    SetRealityCheck,
    SetSecurityCode,
    ShowPayout,
    SwitchPlayer,
    TakeTimeOut,
)
from engine.players.facts import (
    BaseInfoCompleted,
    LimitSet,
    MemberJoined,
    PayoutAccountSet,
    PayoutShown,
    PlayerSwitched,
    RealityCheckSet,
    SecurityCodeLifted,
    SecurityCodeSet,
    SelfExcluded,
    TimeOutTaken,
)
from engine.players.state import Player
from engine.refusals import Refusal
from engine.terms import DAY_US, DEFAULT_TERMS
from tests.engine.given import (
    DAY,
    DURING_SALE,
    FRESH,
    a_bet,
    add_open_bet,
    guest,
    member,
    placing,
    recalling,
    sale,
    unregistered,
)

NOW = DURING_SALE
LATEST_TIME_OUT = NOW + MAX_TIME_OUT_US + PERIOD_TOLERANCE_US
LATEST_EXCLUSION = NOW + MAX_EXCLUSION_US + PERIOD_TOLERANCE_US


def after(player: Player, *facts: Any) -> Player:
    for fact in facts:
        players.evolve(player, fact, DAY)
    return player


def decided(command: ProtectionCommand, player: Player, now: int = NOW) -> Any:
    return decisions.decide_protection(command, player, DEFAULT_TERMS, now)


def bet(player: Player, stake_minor: int = 1_000, closed_reason: Refusal | None = None) -> Any:
    return place_bet(placing(stake_minor), player, sale(), NOW, FRESH, DAY, closed_reason)


# Limits.


def test_a_limit_and_a_lower_one_apply_immediately() -> None:
    """GLI-19 A.3.7a, RTS 12."""
    player = member()
    facts = decided(SetLimit(1, "loss", "day", 500), player)
    assert facts == [LimitSet("loss", "day", 500, NOW, None)]
    after(player, *facts)
    assert decided(SetLimit(1, "loss", "day", 499), player) == [
        LimitSet("loss", "day", 499, NOW, 500)
    ]


@pytest.mark.parametrize("higher", [501, None])
def test_a_higher_limit_or_none_waits_a_day(higher: int | None) -> None:
    player = after(member(), LimitSet("loss", "day", 500, NOW, None))
    (fact,) = decided(SetLimit(1, "loss", "day", higher), player)
    assert fact == LimitSet("loss", "day", higher, NOW + DAY_US, 500)
    after(player, fact)
    limit = player.profile.limit("loss", "day")
    assert limit is not None
    assert limit.at(NOW + DAY_US - 1) == 500
    assert limit.at(NOW + DAY_US) == higher


def test_requesting_a_higher_limit_twice_does_not_apply_it_sooner() -> None:
    player = after(member(), LimitSet("loss", "day", 500, NOW, None))
    after(player, *decided(SetLimit(1, "loss", "day", 900), player))
    (again,) = decided(SetLimit(1, "loss", "day", 800), player, NOW + 5)
    assert again == LimitSet("loss", "day", 800, NOW + 5 + DAY_US, 500)


@pytest.mark.parametrize(
    ("other", "refused"),
    [
        ({"subject": "time"}, Refused(Refusal.LIMIT_UNKNOWN, "span")),
        ({"span": "year"}, Refused(Refusal.LIMIT_UNKNOWN, "span")),
        ({"amount_minor": -1}, Refused(Refusal.AMOUNT_INVALID, "amount")),
    ],
)
def test_an_invalid_limit_is_refused(other: dict[str, Any], refused: Refused) -> None:
    assert decided(replace(SetLimit(1, "loss", "day", 5), **other), member()) == refused


def test_open_stakes_and_settled_losses_count_toward_the_loss_limit() -> None:
    """contract: settled net plus open stakes."""
    player = after(member(units(100)), LimitSet("loss", "week", units(25), NOW, None))
    add_open_bet(a_bet("one", units(10)), player, sale())
    player.period_totals = player.period_totals.settle(DAY, -units(10))
    assert isinstance(bet(player, units(5)), list)
    assert bet(player, units(6)) == Refused(Refusal.LOSS_LIMIT_REACHED, "money")


def test_winnings_raise_the_loss_headroom_again() -> None:
    player = after(member(units(100)), LimitSet("loss", "day", units(10), NOW, None))
    player.period_totals = player.period_totals.settle(DAY, units(5))
    assert isinstance(bet(player, units(15)), list)
    assert bet(player, units(16)) == Refused(Refusal.LOSS_LIMIT_REACHED, "money")


def test_a_deposit_limit_limits_no_bets() -> None:
    player = after(member(units(100)), LimitSet("deposit", "day", 0, NOW, None))
    assert isinstance(bet(player), list)


# Time-out and exclusion.


@pytest.mark.parametrize("fact", [TimeOutTaken(NOW + 1), SelfExcluded(NOW + 1), SelfExcluded(None)])
def test_an_excluded_player_bets_nothing_from_that_moment(
    fact: TimeOutTaken | SelfExcluded,
) -> None:
    """GLI-19 A.3.8."""
    assert bet(after(member(units(100)), fact)) == Refused(Refusal.EXCLUDED)


@pytest.mark.parametrize("fact", [TimeOutTaken(NOW), SelfExcluded(NOW)])
def test_an_exclusion_ends_by_itself(fact: TimeOutTaken | SelfExcluded) -> None:
    assert isinstance(bet(after(member(units(100)), fact)), list)


def test_an_excluded_player_may_still_recall_a_bet() -> None:
    player, on = member(units(10)), sale()
    add_open_bet(a_bet("one", units(10)), player, on)
    after(player, SelfExcluded(None))
    assert isinstance(recall(recalling("one"), player, on, NOW), list)


@pytest.mark.parametrize("until", [NOW, NOW - 1, LATEST_TIME_OUT + 1])
def test_a_time_out_has_a_valid_end(until: int) -> None:
    refused = decided(TakeTimeOut(1, until), member())
    assert refused == Refused(Refusal.PERIOD_INVALID, "until")


@pytest.mark.parametrize("until", [NOW + 1, LATEST_TIME_OUT])
def test_a_time_out_lasts_six_weeks_at_most(until: int) -> None:
    """And seconds more: the clock that counted it may be ahead of the engine's."""
    assert LATEST_TIME_OUT - NOW == (42 * 24 * 3600 + 10) * 1_000_000
    assert decided(TakeTimeOut(1, until), member()) == [TimeOutTaken(until)]


@pytest.mark.parametrize("until", [NOW + MIN_EXCLUSION_US - 1, LATEST_EXCLUSION + 1])
def test_an_exclusion_lasts_half_a_year_at_least(until: int) -> None:
    refused = decided(ExcludeSelf(1, until), member())
    assert refused == Refused(Refusal.PERIOD_INVALID, "until")


@pytest.mark.parametrize("until", [NOW + MIN_EXCLUSION_US, LATEST_EXCLUSION])
def test_an_exclusion_lasts_five_years_at_most(until: int) -> None:
    assert decided(ExcludeSelf(1, until), member()) == [SelfExcluded(until)]


def test_neither_can_be_shortened() -> None:
    player = after(member(), TimeOutTaken(NOW + 100), SelfExcluded(None))
    shortened = Refused(Refusal.PERIOD_SHORTENED, "until")
    assert decided(TakeTimeOut(1, NOW + 99), player) == shortened
    assert decided(ExcludeSelf(1, NOW + MIN_EXCLUSION_US), player) == shortened
    assert decided(TakeTimeOut(1, NOW + 101), player) == [TimeOutTaken(NOW + 101)]
    assert decided(ExcludeSelf(1, None), player) == [SelfExcluded(None)]


@pytest.mark.parametrize("minutes", [-1, 241])
def test_a_reality_check_comes_within_four_hours(minutes: int) -> None:
    refused = decided(SetRealityCheck(1, minutes), member())
    assert refused == Refused(Refusal.INTERVAL_INVALID, "minutes")
    assert decided(SetRealityCheck(1, 240), member()) == [RealityCheckSet(240)]


# Switches that staff set.


def test_a_closed_member_bets_nothing_until_opened_again() -> None:
    """GLI-19 2.4.1."""
    player = member(units(100))
    closing = SwitchPlayer(1, True, "staff:ann", "why")
    facts = decided(closing, player)
    assert facts == [PlayerSwitched(True, "staff:ann", "why")]
    after(player, *facts)
    assert decided(closing, player) == []
    assert bet(player) == Refused(Refusal.ACCOUNT_CLOSED)
    after(player, *decided(replace(closing, closed=False), player))
    assert isinstance(bet(player), list)


@pytest.mark.parametrize("closed_reason", [Refusal.GAMING_CLOSED, Refusal.PRODUCT_DISCONTINUED])
def test_where_gaming_is_closed_nothing_is_bet(closed_reason: Refusal) -> None:
    assert bet(member(units(100)), closed_reason=closed_reason) == Refused(closed_reason)


def test_bets_are_refused_in_the_promised_order() -> None:
    player = after(
        member(),
        LimitSet("loss", "day", 0, NOW, None),
        SelfExcluded(NOW + 1),
        PlayerSwitched(True, "staff:ann", ""),
    )
    assert bet(player, closed_reason=Refusal.GAMING_CLOSED) == Refused(Refusal.EXCLUDED)
    after(player, SelfExcluded(NOW))
    assert bet(player, closed_reason=Refusal.GAMING_CLOSED) == Refused(Refusal.ACCOUNT_CLOSED)
    after(player, PlayerSwitched(False, "staff:ann", ""))
    assert bet(player, closed_reason=Refusal.GAMING_CLOSED) == Refused(Refusal.GAMING_CLOSED)
    assert bet(player) == Refused(Refusal.LOSS_LIMIT_REACHED, "money")
    after(player, LimitSet("loss", "day", None, NOW, 0))
    assert bet(player) == Refused(Refusal.FUNDS_INSUFFICIENT, "money")


# Identity and payout details.


def test_a_guest_becomes_a_member_once_and_keeps_what_there_is() -> None:
    player = after(guest(500), GiftGranted("g", "staff", 70, 0, NOW, ""))
    facts = decided(JoinAsMember(1, 7, "name"), player)
    assert facts == [MemberJoined(7, "name")]
    after(player, *facts)
    assert (player.available, player.bonus) == (500, 70)
    assert decided(JoinAsMember(1, 7, "name"), player) == []
    assert isinstance(bet(after(player, *facts), 100), list)


@pytest.mark.parametrize(
    "command",
    [
        CompleteBaseInfo(1),
        SetPayoutAccount(1, 0, "card", ""),
        SetSecurityCode(1),
        SetLimit(1, "loss", "day", 5),
        TakeTimeOut(1, NOW + 1),
        ExcludeSelf(1, None),
        SetRealityCheck(1, 5),
    ],
)
def test_all_of_these_are_for_members(command: ProtectionCommand) -> None:
    assert decided(command, guest()) == Refused(Refusal.MUST_REGISTER)
    assert decided(command, unregistered()) == Refused(Refusal.PLAYER_UNKNOWN, "player")


def test_a_new_account_or_code_may_be_used_after_a_day() -> None:
    usable_at = NOW + DAY_US
    account = SetPayoutAccount(1, 0, "card", "hash")
    assert decided(account, member()) == [PayoutAccountSet(0, "card", "hash", usable_at)]
    assert decided(SetSecurityCode(1), member()) == [SecurityCodeSet(usable_at)]


def test_staff_remove_a_code_once_and_the_next_one_waits_as_the_first_did() -> None:
    """It stays locked until the identity is proven again (ASVS 6.6.3)."""
    player = after(member(), SecurityCodeSet(NOW - DAY_US))
    lift = LiftSecurityCode(1, "staff:ann", "why")
    facts = decided(lift, player)
    assert facts == [SecurityCodeLifted("staff:ann", "why")]
    after(player, *facts)
    assert player.profile.code_usable_at is None
    assert decided(lift, player) == []
    assert decided(SetSecurityCode(1), player) == [SecurityCodeSet(NOW + DAY_US)]


def test_setting_the_same_account_again_changes_nothing() -> None:
    player = after(member(), PayoutAccountSet(0, "card", "hash", NOW))
    assert decided(SetPayoutAccount(1, 0, "card", "hash"), player) == []
    other = decided(SetPayoutAccount(1, 0, "other", "hash"), player)
    assert other == [PayoutAccountSet(0, "other", "hash", NOW + DAY_US)]


def test_base_info_is_completed_once() -> None:
    player = after(member(), BaseInfoCompleted())
    assert decided(CompleteBaseInfo(1), player) == []
    assert decided(CompleteBaseInfo(1), member()) == [BaseInfoCompleted()]


def test_there_are_bank_cards_and_wallets_and_nothing_else() -> None:
    refused = decided(SetPayoutAccount(1, 2, "card", ""), member())
    assert refused == Refused(Refusal.PAYOUT_ACCOUNT_INVALID, "type")


def test_staff_access_to_a_payout_account_is_recorded() -> None:
    """Full views of card numbers are audited (ASVS 14.2.6, 16.3.2)."""
    player = after(member(units(100)), WithdrawalRequested("w-1", 0, "card", units(50)))
    looking = ShowPayout(1, "w-1", "staff:ann")
    assert decided(looking, player) == [PayoutShown("w-1", "card", "staff:ann")]
    after(player, PayoutShown("w-1", "card", "staff:ann"))
    assert decided(looking, player) == [PayoutShown("w-1", "card", "staff:ann")]
    after(player, WithdrawalRejected("w-1", units(50), "why"))
    assert decided(looking, player) == Refused(Refusal.WITHDRAWAL_UNKNOWN, "withdrawal")
