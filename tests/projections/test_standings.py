"""Player profiles (turnover due, reservations, limits) and the house settings."""

from typing import Any

import pytest
from msgspec.structs import asdict, replace

from engine.cashier.facts import (
    DepositApproved,
    GiftGranted,
    TurnoverCounted,
    WithdrawalPaid,
    WithdrawalRequested,
)
from engine.house.facts import (
    ReceivingAccountsProposed,
    ReceivingAccountsSet,
    SwitchTurned,
    TermsProposed,
    TermsSet,
)
from engine.players import profile as engine_profile
from engine.players.facts import (
    BaseInfoCompleted,
    LimitSet,
    PayoutAccountSet,
    PlayerSwitched,
    QuotaReleased,
    QuotaReserved,
    RealityCheckSet,
    SecurityCodeLifted,
    SecurityCodeSet,
    SelfExcluded,
    TimeOutTaken,
)
from engine.staff.roles import Role
from engine.staff.staff import RolesSet, StaffRemoved
from engine.terms import DEFAULT_TERMS, ReceivingAccounts, Terms
from projections import house_settings, profiles
from projections.house_settings import ProposalView, Switch
from projections.profiles import FOR_GOOD, LimitRow, ProfileView, Spans
from tests.projections.history import NOON, SECOND, History, bet
from tests.projections.support import ProjectionHarness

DAY = 86_400 * SECOND
ANN, BOB = "staff:ann", "staff:bob"


def profile(house: ProjectionHarness, player: int = 1) -> ProfileView:
    found = profiles.profile(house.catch_up(), player)
    assert found is not None
    return found


def test_no_player_has_a_profile_before_registration(house: ProjectionHarness) -> None:
    assert profiles.profile(house.catch_up(), 1) is None


def test_a_new_player_begins_with_nothing_due_and_nothing_set(house: ProjectionHarness) -> None:
    house.history.joins(1)

    found = asdict(profile(house))
    assert {name for name, value in found.items() if value} == {"player", "position"}
    assert {found[name] for name in found if name.endswith("usable_at")} == {None}


def test_turnover_reduces_what_deposits_and_gifts_made_due(house: ProjectionHarness) -> None:
    house.history.joins(1)
    house.history.append_for(
        1,
        DepositApproved("d-1", "bank", 5_000, ""),
        GiftGranted("g-1", "staff", 1_000, 2_000, NOON + DAY, ""),
        GiftGranted("g-2", "staff", 100, 100, NOON, ""),
        TurnoverCounted(1, "20261121001", 3_000, 2_500),
    )
    found = profile(house)

    assert (found.due, found.bonus_due, found.turnover) == (2_500, 0, 2_500)
    assert found.bonus_from == NOON + DAY


def test_the_profile_contains_all_settings_of_a_player(house: ProjectionHarness) -> None:
    house.history.joins(1)
    new = profile(house)
    house.history.append_for(
        1,
        BaseInfoCompleted(),
        PayoutAccountSet(0, "card-1", "", NOON + 1),
        PayoutAccountSet(1, "wallet-1", "", NOON + 2),
        SecurityCodeSet(NOON + 3),
        QuotaReserved(2, NOON + 4),
        TimeOutTaken(NOON + 5),
        RealityCheckSet(60),
    )
    house.history.append_for(1, SelfExcluded(None), PlayerSwitched(True, ANN, ""), by=ANN)

    assert profile(house) == replace(
        new,
        position=10,
        base_info=True,
        bank_account="card-1",
        bank_usable_at=NOON + 1,
        wallet_account="wallet-1",
        wallet_usable_at=NOON + 2,
        code_usable_at=NOON + 3,
        quota_level=2,
        quota_until=NOON + 4,
        time_out_until=NOON + 5,
        excluded_until=FOR_GOOD,
        reality_check_minutes=60,
        closed=True,
    )
    assert FOR_GOOD == engine_profile.FOR_GOOD
    assert profile(house).is_blocked(NOON + DAY)


def test_a_code_that_staff_removed_is_none(house: ProjectionHarness) -> None:
    house.history.joins(1)
    house.history.append_for(1, SecurityCodeSet(NOON))
    house.history.append_for(1, SecurityCodeLifted(ANN, ""), by=ANN)

    assert profile(house).code_usable_at is None


def test_a_reservation_that_was_given_up_is_none(house: ProjectionHarness) -> None:
    house.history.joins(1)
    house.history.append_for(1, QuotaReserved(2, NOON + DAY), QuotaReleased())

    assert (profile(house).quota_level, profile(house).quota_until) == (0, 0)


def test_a_payout_accounts_first_payment_is_stored_until_the_account_changes(
    house: ProjectionHarness,
) -> None:
    house.history.joins(1)
    house.history.deposits(1, 900)
    for method, account in enumerate(("card-1", "wallet-1")):
        house.history.append_for(1, PayoutAccountSet(method, account, "", NOON))
    for method, account in enumerate(("card-1", "wallet-1")):
        paid = WithdrawalPaid("w-1", "bank", account, 400, "")
        house.history.append_for(1, WithdrawalRequested("w-1", method, account, 400), paid)
        found = profile(house)
        assert (found.bank_paid, found.wallet_paid) == (True, method == 1)
    for method, account in enumerate(("card-2", "wallet-2")):
        house.history.append_for(1, PayoutAccountSet(method, account, "", NOON + DAY))
        found = profile(house)
        assert (found.bank_paid, found.wallet_paid) == (False, method == 0)
    found = profile(house)
    assert (found.bank_account, found.wallet_account) == ("card-2", "wallet-2")


def test_a_raised_limit_applies_later_and_a_removed_one_is_none(
    house: ProjectionHarness,
) -> None:
    house.history.joins(1)
    house.history.append_for(1, LimitSet("deposit", "day", 1_000, NOON, None))
    house.history.append_for(1, LimitSet("deposit", "day", 5_000, NOON + DAY, 1_000))
    house.history.append_for(1, LimitSet("loss", "week", 70, NOON, None))
    house.history.append_for(1, LimitSet("loss", "week", None, NOON + DAY, 70))

    deposit, loss = profiles.limits(house.catch_up(), 1)

    assert deposit == LimitRow(1, "deposit", "day", 5_000, NOON + DAY, 1_000)
    assert (deposit.at(NOON), deposit.at(NOON + DAY)) == (1_000, 5_000)
    assert (loss.at(NOON), loss.at(NOON + DAY)) == (70, None)


def days_of_november(history: History) -> None:
    """Deposits of 1, 2, 4, ... on Saturday 21st, Sunday, Monday 23rd, then 30th and December 1st,
    and on each of these days a lost bet of 100."""
    history.joins(1)
    for number, days in enumerate((0, 1, 2, 9, 10)):
        history.at = NOON + days * DAY
        history.deposits(1, 2**number + 100)
        lost = bet(number, 100)
        history.bets(1, lost)
        history.append_for(1, TurnoverCounted(1, f"{number}", 100, 90))
        history.settles(1, lost, 3, 0)


def test_period_totals_count_by_day_iso_week_and_month(house: ProjectionHarness) -> None:
    days_of_november(house.history)
    views = house.catch_up()

    for day, times, sums in (
        ("2026-11-21", (1, 1, 1), (1, 1, 1)),
        ("2026-11-22", (1, 2, 2), (2, 3, 3)),
        ("2026-11-23", (1, 1, 3), (4, 4, 7)),
        ("2026-11-24", (0, 1, 3), (0, 4, 7)),
        ("2026-11-30", (1, 1, 4), (8, 8, 15)),
        ("2026-12-01", (1, 2, 1), (16, 24, 16)),
        ("2027-01-01", (0, 0, 0), (0, 0, 0)),
    ):
        totals = profiles.period_totals(views, 1, day)
        more = zip(times, sums, strict=True)
        assert totals.deposited == Spans(*(100 * count + amount for count, amount in more)), day
        assert totals.net == Spans(*(-100 * count for count in times)), day
        assert totals.turnover == Spans(*(90 * count for count in times)), day


def test_days_begin_at_midnight_in_the_operators_zone(house: ProjectionHarness) -> None:
    house.history.joins(1)
    house.history.at = NOON + DAY // 2 - 1
    house.history.deposits(1, 1)
    house.history.at += 1
    house.history.deposits(1, 2)
    views = house.catch_up()

    assert profiles.period_totals(views, 1, "2026-11-21").deposited.day == 1
    assert profiles.period_totals(views, 1, "2026-11-22").deposited.day == 2


def test_players_with_turnover_on_a_day_are_listed(house: ProjectionHarness) -> None:
    house.history.joins(1, 2, 3)
    house.history.deposits(1, 900)
    house.history.append_for(2, TurnoverCounted(1, "1", 100, 0))
    house.history.append_for(3, TurnoverCounted(1, "1", 100, 50))
    house.history.at += DAY
    house.history.append_for(1, TurnoverCounted(1, "2", 100, 50))
    views = house.catch_up()

    assert profiles.with_turnover(views, "2026-11-21") == [3]
    assert profiles.with_turnover(views, "2026-11-22") == [1]


def test_an_unchanged_house_has_the_defaults(house: ProjectionHarness) -> None:
    found = house_settings.current_settings(house.catch_up())

    assert (found.terms, found.terms_at, found.terms_by) == (DEFAULT_TERMS, 0, "")
    assert (found.receiving, found.switches) == (ReceivingAccounts(), ())
    assert not found.is_closed("all")


def test_the_house_settings_show_who_changed_them_and_when(house: ProjectionHarness) -> None:
    """GLI-19 2.8.8k."""
    house.history.append(("house", TermsSet(Terms(four_eyes_minor=7), ANN)))
    house.history.later(60)
    house.history.append(
        ("house", SwitchTurned("game-1", True, ANN)), ("house", SwitchTurned("all", True, ANN))
    )
    house.history.later(60)
    accounts = ReceivingAccounts(bank="First Bank", number="123")
    house.history.append(
        ("house", SwitchTurned("all", False, BOB)), ("house", ReceivingAccountsSet(accounts, BOB))
    )
    views = house.catch_up()

    found = house_settings.current_settings(views)

    assert (found.terms.four_eyes_minor, found.terms_at, found.terms_by) == (7, NOON, ANN)
    assert found.switches == (
        Switch("all", False, NOON + 120 * SECOND, BOB),
        Switch("game-1", True, NOON + 60 * SECOND, ANN),
    )
    assert (found.receiving, found.receiving_by) == (accounts, BOB)
    assert (found.is_closed("game-1"), found.is_closed("all")) == (True, False)
    assert (found.terms_proposed, found.receiving_proposed) == (None, None)
    names = views.execute("SELECT name FROM settings ORDER BY position DESC").fetchall()
    expected = ["receiving", "switch:all", "switch:all", "switch:game-1", "terms"]
    assert [name for (name,) in names] == expected


def test_a_proposal_is_shown_until_it_is_set_or_withdrawn(
    house: ProjectionHarness,
) -> None:
    terms, accounts = Terms(four_eyes_minor=7), ReceivingAccounts(bank="First Bank")
    house.history.append(
        ("house", TermsProposed(terms, ANN)), ("house", ReceivingAccountsProposed(accounts, BOB))
    )
    proposed = house_settings.current_settings(house.catch_up())
    assert (proposed.terms, proposed.terms_proposed) == (
        DEFAULT_TERMS,
        ProposalView(terms, NOON, ANN, "terms-1"),
    )
    assert proposed.receiving_proposed == ProposalView(accounts, NOON, BOB, "receiving-2")

    house.history.append(
        ("house", TermsSet(terms, BOB)),
        ("house", ReceivingAccountsProposed(ReceivingAccounts(), BOB)),
    )
    found = house_settings.current_settings(house.catch_up())
    assert (found.terms, found.terms_proposed, found.receiving_proposed) == (terms, None, None)


@pytest.mark.parametrize(
    "leaves", [StaffRemoved("ann", BOB), RolesSet("ann", (Role.CASHIER,), "r", BOB, "staff:cleo")]
)
def test_a_managers_proposals_are_dropped_with_their_role(
    house: ProjectionHarness, leaves: Any
) -> None:
    house.history.append(("house", RolesSet("ann", (Role.MANAGER,), "r", "machine", "")))
    house.history.append(("house", TermsProposed(Terms(four_eyes_minor=7), ANN)))
    house.history.append(("house", RolesSet("ann", tuple(Role), "r", BOB, "staff:cleo")))
    assert house_settings.current_settings(house.catch_up()).terms_proposed is not None
    house.history.append(("house", leaves))
    assert house_settings.current_settings(house.catch_up()).terms_proposed is None
