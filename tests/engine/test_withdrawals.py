"""Withdrawals: checked in the documented order, reserved immediately, paid once or returned."""

from typing import Any

import pytest
from msgspec.structs import replace

from engine.answers import Refused
from engine.cashier import withdrawals
from engine.cashier.commands import DecideWithdrawal, PayWithdrawal, RequestWithdrawal
from engine.cashier.facts import (
    BonusReleased,
    GiftGranted,
    TurnoverCounted,
    WithdrawalApproved,
    WithdrawalEndorsed,
    WithdrawalPaid,
    WithdrawalRejected,
    WithdrawalRequested,
)
from engine.cashier.withdrawals import Decided
from engine.money import units
from engine.players import state as players
from engine.players.facts import (
    BaseInfoCompleted,
    PayoutAccountSet,
    PlayerSwitched,
    QuotaReleased,
    QuotaReserved,
    SecurityCodeSet,
    SelfExcluded,
    TimeOutTaken,
)
from engine.players.state import Player
from engine.refusals import Refusal
from engine.terms import DEFAULT_TERMS, Terms
from tests.engine.given import DAY, DURING_SALE, GAME, ISSUE, guest, member, unregistered

NOW = DURING_SALE
BANK, WALLET = 0, 1
REQUEST = RequestWithdrawal(1, "w-1", BANK, units(200))
EVERYTHING = units(1_000)
SET_UP = (
    BaseInfoCompleted(),
    PayoutAccountSet(BANK, "card", "", NOW),
    PayoutAccountSet(WALLET, "wallet", "", NOW),
    SecurityCodeSet(NOW),
    TurnoverCounted(GAME, ISSUE, EVERYTHING, EVERYTHING),
)


def after(player: Player, *facts: Any) -> Player:
    for fact in facts:
        players.evolve(player, fact, DAY)
    return player


def ready(available_minor: int = EVERYTHING) -> Player:
    """A player without turnover due, whose payout details are past the cooling time."""
    return after(member(available_minor), *SET_UP)


def requested(
    player: Player,
    *,
    now: int = NOW,
    terms: Terms = DEFAULT_TERMS,
    discontinued: bool = False,
    **other: Any,
) -> Decided:
    request = replace(REQUEST, **other)
    return withdrawals.request(request, player, terms, now, discontinued=discontinued)


def decided(player: Player, by: str = "staff:ann", *, approve: bool = True) -> Decided:
    command = DecideWithdrawal(1, "w-1", approve, by, "" if approve else "why")
    return withdrawals.decide(command, player, DEFAULT_TERMS)


def paid(player: Player, by: str = "staff:cat") -> Decided:
    return withdrawals.pay(PayWithdrawal(1, "w-1", by, "reference"), player)


def apply(player: Player, facts: Decided) -> Player:
    assert isinstance(facts, list), facts
    return after(player, *facts)


def test_a_requested_withdrawal_can_no_longer_be_played_with() -> None:
    """RTS 14B: it leaves the playable balance when it is requested."""
    player = ready()
    facts = requested(player)
    assert facts == [WithdrawalRequested("w-1", BANK, "card", units(200))]
    apply(player, facts)
    assert (player.available, player.withdrawing) == (units(800), units(200))
    assert requested(player) == []


def test_it_is_approved_and_paid_once() -> None:
    player = apply(ready(), requested(ready()))
    assert paid(player) == Refused(Refusal.WITHDRAWAL_NOT_APPROVED, "withdrawal")
    facts = decided(player)
    assert facts == [WithdrawalApproved("w-1", "staff:ann")]
    apply(player, facts)
    assert decided(player) == []
    facts = paid(player)
    assert facts == [WithdrawalPaid("w-1", "bank", "card", units(200), "reference")]
    apply(player, facts)
    assert (player.available, player.withdrawing) == (units(800), 0)
    assert paid(player) == Refused(Refusal.WITHDRAWAL_UNKNOWN, "withdrawal")
    assert decided(player) == Refused(Refusal.WITHDRAWAL_UNKNOWN, "withdrawal")


def test_the_person_who_approved_it_does_not_pay_it() -> None:
    player = apply(ready(), requested(ready()))
    apply(player, decided(player, "staff:ann"))
    assert paid(player, "staff:ann") == Refused(Refusal.PAYER_APPROVED, "withdrawal")
    assert isinstance(paid(player, "staff:ben"), list)


def test_of_two_who_approved_it_the_first_may_pay_it() -> None:
    """Two people have agreed, and a house with two staff can still pay to a first wallet."""
    player = apply(ready(), requested(ready(), method=WALLET))
    for by in ("staff:ann", "staff:ben"):
        apply(player, decided(player, by))
    assert paid(player, "staff:ben") == Refused(Refusal.PAYER_APPROVED, "withdrawal")
    assert isinstance(paid(player, "staff:ann"), list)


@pytest.mark.parametrize("approved_first", [False, True])
def test_a_rejection_carries_a_reason_and_returns_the_money(*, approved_first: bool) -> None:
    player = apply(ready(), requested(ready()))
    if approved_first:
        apply(player, decided(player))
    facts = decided(player, approve=False)
    assert facts == [WithdrawalRejected("w-1", units(200), "why")]
    apply(player, facts)
    assert (player.available, player.withdrawing) == (EVERYTHING, 0)
    assert paid(player) == Refused(Refusal.WITHDRAWAL_UNKNOWN, "withdrawal")


def large() -> Player:
    player = ready(units(6_000))
    after(player, TurnoverCounted(GAME, ISSUE, 0, units(6_000)))
    return apply(player, requested(player, amount_minor=units(5_000) + 1))


def test_much_money_takes_two_people() -> None:
    """ASVS 2.3.5."""
    player = large()
    facts = decided(player, "staff:ann")
    assert facts == [WithdrawalEndorsed("w-1", "staff:ann")]
    apply(player, facts)
    assert decided(player, "staff:ann") == Refused(Refusal.SECOND_PERSON_NEEDED)
    assert paid(player) == Refused(Refusal.WITHDRAWAL_NOT_APPROVED, "withdrawal")
    assert decided(player, "staff:bob") == [WithdrawalApproved("w-1", "staff:bob")]


def test_exactly_the_threshold_is_one_persons_to_approve() -> None:
    player = ready(units(6_000))
    after(player, TurnoverCounted(GAME, ISSUE, 0, units(6_000)))
    apply(player, requested(player, amount_minor=DEFAULT_TERMS.four_eyes_minor))
    assert decided(player, "staff:ann") == [WithdrawalApproved("w-1", "staff:ann")]


def test_a_first_wallet_needs_two_people_and_a_paid_one_does_not() -> None:
    player = apply(ready(), requested(ready(), method=WALLET))
    one = decided(player, "staff:ann")
    assert one == [WithdrawalEndorsed("w-1", "staff:ann")]
    two = decided(apply(player, one), "staff:bob")
    assert two == [WithdrawalApproved("w-1", "staff:bob")]
    apply(player, two)
    facts = paid(player)
    assert facts == [WithdrawalPaid("w-1", "usdt", "wallet", units(200), "reference")]
    apply(player, facts)
    apply(player, requested(player, method=WALLET))
    assert decided(player, "staff:ann") == [WithdrawalApproved("w-1", "staff:ann")]


# The order of the checks.


def test_each_check_answers_before_the_next_one() -> None:
    """The refusals lead the player step by step, like the screens."""
    player = member(units(1_000))
    late = NOW + 1
    steps: list[tuple[Refusal, list[Any]]] = [
        (Refusal.BASE_INFO_MISSING, [BaseInfoCompleted()]),
        (Refusal.PAYOUT_ACCOUNT_MISSING, [PayoutAccountSet(BANK, "card", "", late)]),
        (Refusal.SECURITY_CODE_MISSING, [SecurityCodeSet(late)]),
    ]
    for refusal, mends in steps:
        answer = requested(player, amount_minor=0)
        assert isinstance(answer, Refused)
        assert answer.refusal == refusal
        after(player, *mends)
    for too_small in (-1, 0, units(100) - 1):
        answer = requested(player, amount_minor=too_small)
        assert answer == Refused(Refusal.WITHDRAWAL_TOO_SMALL, "money")
    after(player, QuotaReserved(1, late + 1))
    too_much = units(1_001)
    assert requested(player, amount_minor=too_much) == Refused(Refusal.PAYOUT_COOLING, "type")
    quota = requested(player, amount_minor=too_much, now=late)
    assert quota == Refused(Refusal.QUOTA_RESERVED)
    after(player, QuotaReleased())
    unmet = requested(player, amount_minor=too_much, now=late)
    assert unmet == Refused(Refusal.TURNOVER_UNMET)
    after(player, TurnoverCounted(GAME, ISSUE, EVERYTHING, EVERYTHING))
    short = requested(player, amount_minor=too_much, now=late)
    assert short == Refused(Refusal.WITHDRAWAL_FUNDS_INSUFFICIENT, "money")
    assert isinstance(requested(player, amount_minor=units(1_000), now=late), list)


@pytest.mark.parametrize("method", [WALLET, 2, -1])
def test_it_goes_only_to_an_account_that_is_there(method: int) -> None:
    player = after(member(EVERYTHING), *(fact for fact in SET_UP if fact != SET_UP[2]))
    missing = Refused(Refusal.PAYOUT_ACCOUNT_MISSING, "type")
    assert requested(player, method=method) == missing


def test_guests_and_unknown_players_have_nothing_to_withdraw() -> None:
    assert requested(guest()) == Refused(Refusal.MUST_REGISTER)
    assert requested(unregistered()) == Refused(Refusal.PLAYER_UNKNOWN)


@pytest.mark.parametrize(
    "changed", [SecurityCodeSet(NOW + 5), PayoutAccountSet(BANK, "new card", "", NOW + 5)]
)
def test_a_changed_code_or_account_has_to_cool_first(
    changed: SecurityCodeSet | PayoutAccountSet,
) -> None:
    player = after(ready(), changed)
    assert requested(player, now=NOW + 4) == Refused(Refusal.PAYOUT_COOLING, "type")
    assert isinstance(requested(player, now=NOW + 5), list)


def test_a_payout_account_changed_later_does_not_redirect_a_requested_withdrawal() -> None:
    player = apply(ready(), requested(ready()))
    after(player, PayoutAccountSet(BANK, "new card", "", NOW))
    apply(player, decided(player))
    assert paid(player) == [WithdrawalPaid("w-1", "bank", "card", units(200), "reference")]


# No player's money is ever trapped.


def test_a_quota_ends_with_its_time_or_its_level() -> None:
    player = after(ready(), QuotaReserved(1, NOW + 5))
    assert requested(player, now=NOW + 4) == Refused(Refusal.QUOTA_RESERVED)
    assert isinstance(requested(player, now=NOW + 5), list)
    after(player, TurnoverCounted(GAME, ISSUE, 0, units(10_000)))
    assert isinstance(requested(player, now=NOW + 4), list)


def test_a_quota_whose_level_no_longer_exists_counts_as_released() -> None:
    """The house may shorten its list of levels while members have the last one reserved."""
    player = after(ready(), QuotaReserved(3, NOW + 5))
    assert requested(player) == Refused(Refusal.QUOTA_RESERVED)
    shorter = replace(DEFAULT_TERMS, levels_minor=DEFAULT_TERMS.levels_minor[:3])
    assert isinstance(requested(player, terms=shorter), list)


@pytest.mark.parametrize("fact", [SelfExcluded(None), PlayerSwitched(True, "staff:ann", "why")])
def test_who_is_excluded_or_closed_can_always_take_everything_out(
    fact: SelfExcluded | PlayerSwitched,
) -> None:
    """GLI-19 A.3.8; neither turnover nor a quota nor the minimum blocks it."""
    player = after(member(units(70)), *SET_UP[:4], QuotaReserved(3, NOW + 99), fact)
    assert player.payments.due_minor == units(70)
    part = requested(player, amount_minor=units(69))
    assert part == Refused(Refusal.WITHDRAWAL_TOO_SMALL, "money")
    assert isinstance(requested(player, amount_minor=units(70)), list)


def test_all_members_can_withdraw_everything_once_the_product_is_discontinued() -> None:
    """Players could not meet the turnover due, and no player's money may be trapped."""
    player = after(member(units(70)), *SET_UP[:4], QuotaReserved(3, NOW + 99))
    assert requested(player, amount_minor=units(100)) == Refused(Refusal.QUOTA_RESERVED)
    part = requested(player, discontinued=True, amount_minor=units(69))
    assert part == Refused(Refusal.WITHDRAWAL_TOO_SMALL, "money")
    assert isinstance(requested(player, discontinued=True, amount_minor=units(70)), list)


def test_a_time_out_does_not_bypass_the_turnover() -> None:
    player = after(member(EVERYTHING), *SET_UP[:4], TimeOutTaken(NOW + 99))
    assert requested(player) == Refused(Refusal.TURNOVER_UNMET)


def test_bonus_money_that_is_free_by_now_goes_out_as_well() -> None:
    player = after(ready(units(150)), GiftGranted("g", "staff", units(50), 0, NOW + 5, ""))
    assert requested(player, now=NOW + 4) == Refused(Refusal.WITHDRAWAL_FUNDS_INSUFFICIENT, "money")
    facts = requested(player, now=NOW + 5)
    assert isinstance(facts, list)
    assert facts[0] == BonusReleased(units(50))
    apply(player, facts)
    assert (player.available, player.bonus, player.withdrawing) == (0, 0, units(200))
