"""Statement entries of deposits, withdrawals, gifts and corrections."""

from engine.cashier.facts import (
    AdjustmentApproved,
    AdjustmentProposed,
    BonusReleased,
    DepositApproved,
    DepositEndorsed,
    DepositRejected,
    DepositRequested,
    GiftGranted,
    TurnoverCounted,
    WithdrawalApproved,
    WithdrawalPaid,
    WithdrawalRejected,
    WithdrawalRequested,
)
from engine.players.facts import MemberJoined, PlayerRegistered
from projections import accounts, statements
from projections.statements import Entry
from tests.projections.history import NOON, SECOND, bet
from tests.projections.support import ALWAYS, ProjectionHarness

ANN, BOB = "staff:ann", "staff:bob"
NOTICE = DepositRequested("d-1", "bank", 10_000, "reference")
CREDIT = DepositApproved("d-1", "bank", 10_000, "reference")
WITHDRAWAL = WithdrawalRequested("w-1", 0, "card-1", 4_000)


def statement(house: ProjectionHarness, player: int = 1) -> tuple[Entry, ...]:
    return statements.statement(house.catch_up(), player, *ALWAYS).items


def rows_of(entries: tuple[Entry, ...]) -> list[tuple[int, int, int, int, int]]:
    return [(it.type, it.status, it.amount, it.before, it.after) for it in entries]


def test_a_deposit_is_in_the_statement_before_it_is_usable(house: ProjectionHarness) -> None:
    """GLI-19 2.5.6c."""
    house.history.joins(1)
    house.history.deposits(1, 700)
    house.history.append_for(1, NOTICE)

    entries = statement(house)

    assert rows_of(entries) == [(0, 0, 10_000, 700, 700), (0, 1, 700, 0, 700)]
    assert (entries[0].reference, entries[0].handler, entries[0].moved) == ("d-1", "", 0)


def test_an_approved_deposit_is_listed_at_its_crediting_with_the_id_it_had(
    house: ProjectionHarness,
) -> None:
    house.history.joins(1)
    house.history.deposits(1, 700)
    house.history.append_for(1, NOTICE)
    (pending, _) = statement(house)
    house.history.later(60)
    house.history.bets(1, bet(1, 200))
    house.history.later(60)
    house.history.append_for(1, DepositEndorsed("d-1", ANN), by=ANN)
    house.history.append_for(1, CREDIT, by=BOB)

    entries = statement(house)

    assert rows_of(entries) == [
        (0, 1, 10_000, 500, 10_500),
        (2, 1, -200, 700, 500),
        (0, 1, 700, 0, 700),
    ]
    passed = entries[0]
    assert (passed.id, passed.at) == (pending.id, NOON + 120 * SECOND)
    assert (passed.endorsed_by, passed.handler) == (ANN, BOB)


def test_a_deposit_requested_and_approved_in_one_page_is_one_row(house: ProjectionHarness) -> None:
    house.history.joins(1)
    house.history.append_for(1, NOTICE, CREDIT)

    assert rows_of(statement(house)) == [(0, 1, 10_000, 0, 10_000)]


def test_a_refused_deposit_is_shown_as_refused_and_changes_nothing(
    house: ProjectionHarness,
) -> None:
    house.history.joins(1)
    house.history.append_for(1, NOTICE)
    refusal = DepositRejected("d-1", "bank", 10_000, "refused", "why")
    house.history.append_for(1, refusal, by=ANN)
    returned = DepositRejected("d-2", "usdt", 500, "limit", "")
    house.history.append_for(1, returned, by=ANN)

    entries = statement(house)

    assert rows_of(entries) == [(0, 2, 500, 0, 0), (0, 2, 10_000, 0, 0)]
    assert (entries[1].handler, entries[1].reason, entries[1].detail) == (ANN, "why", "bank")


def test_a_withdrawal_has_not_passed_until_it_is_paid(house: ProjectionHarness) -> None:
    house.history.joins(1)
    house.history.deposits(1, 10_000)
    house.history.append_for(1, WITHDRAWAL)
    requested = statement(house)[0]
    house.history.append_for(1, WithdrawalApproved("w-1", ANN), by=ANN)
    approved = statement(house)[0]
    house.history.append_for(1, WithdrawalPaid("w-1", "bank", "card-1", 4_000, "transfer"), by=BOB)
    paid = statement(house)[0]

    assert rows_of((requested, approved, paid)) == [
        (1, 0, -4_000, 10_000, 6_000),
        (1, 0, -4_000, 10_000, 6_000),
        (1, 1, -4_000, 10_000, 6_000),
    ]
    assert [requested.handler, approved.handler, paid.handler] == ["", ANN, BOB]
    assert requested.id == paid.id


def test_a_rejected_withdrawal_keeps_its_row_and_brings_the_money_back_in_another(
    house: ProjectionHarness,
) -> None:
    house.history.joins(1)
    house.history.deposits(1, 10_000)
    house.history.append_for(1, WITHDRAWAL)
    house.history.bets(1, bet(1, 1_000))
    house.history.append_for(1, WithdrawalRejected("w-1", 4_000, "why"), by=ANN)

    entries = statement(house)

    assert rows_of(entries)[:3] == [
        (1, 1, 4_000, 5_000, 9_000),
        (2, 1, -1_000, 6_000, 5_000),
        (1, 2, -4_000, 10_000, 6_000),
    ]
    back, _, requested, _ = entries
    assert (back.reference, back.handler, back.reason) == ("w-1", ANN, "why")
    assert (requested.reference, requested.reason, requested.id != back.id) == ("w-1", "why", True)


def test_gifts_and_released_bonus_money_are_seen(house: ProjectionHarness) -> None:
    house.history.joins(1)
    house.history.deposits(1, 500)
    house.history.append_for(1, GiftGranted("g-1", "staff", 800, 800, NOON, "why"), by=ANN)
    house.history.append_for(1, BonusReleased(800))

    released, gift, _ = statement(house)

    assert rows_of((released, gift)) == [(4, 1, 0, 500, 1_300), (4, 1, 800, 500, 500)]
    assert (released.bonus, gift.bonus, released.moved, gift.moved) == (-800, 800, 0, 800)
    assert (gift.reference, gift.handler, gift.reason, gift.detail) == ("g-1", ANN, "why", "staff")


def test_a_correction_shows_both_people_and_the_reason(house: ProjectionHarness) -> None:
    """GLI-19 A.3.6f; ASVS 2.3.5. Nothing is shown before a second person agreed."""
    house.history.joins(1)
    house.history.deposits(1, 1_000)
    house.history.append_for(1, AdjustmentProposed("a-1", -300, ANN, "why"), by=ANN)
    assert len(statement(house)) == 1
    house.history.append_for(1, AdjustmentApproved("a-1", -300, BOB), by=BOB)

    corrected = statement(house)[0]

    assert rows_of((corrected,)) == [(4, 1, -300, 1_000, 700)]
    assert (corrected.endorsed_by, corrected.handler, corrected.reason) == (ANN, BOB, "why")
    assert corrected.reference == "a-1"


def test_only_bets_make_profit_and_total_assets_include_pending_withdrawals(
    house: ProjectionHarness,
) -> None:
    house.history.joins(1)
    house.history.deposits(1, 10_000)
    house.history.append_for(1, GiftGranted("g-1", "overnight", 88, 176, NOON, ""), NOTICE)
    house.history.append_for(
        1, AdjustmentProposed("a-1", 50, ANN, ""), AdjustmentApproved("a-1", 50, BOB)
    )
    won = bet(1, 1_000)
    house.history.bets(1, won)
    house.history.append_for(1, TurnoverCounted(1, won.issue, 1_000, 1_000))
    house.history.settles(1, won, 19, 1_980)
    house.history.append_for(1, WITHDRAWAL)
    views = house.catch_up()

    account = accounts.account(views, 1)

    assert accounts.profits(views, 1, ["2026-11-21"]) == {"2026-11-21": 980}
    assert account is not None
    assert (account.withdrawing, account.bonus) == (4_000, 88)
    assert account.total == 10_000 + 88 + 50 + 980


def test_a_guest_who_becomes_a_member_is_one_from_then_on(house: ProjectionHarness) -> None:
    house.history.append(("player-1", PlayerRegistered(2, None, False, "")))
    before = accounts.account(house.catch_up(), 1)
    house.history.append_for(1, MemberJoined(None, ""))
    after = accounts.account(house.catch_up(), 1)

    assert before is not None
    assert after is not None
    assert (before.group, after.group) == (2, 1)


def test_the_liability_is_shown_in_its_parts_and_excludes_bots(house: ProjectionHarness) -> None:
    """GLI-19 A.4.2, 2.9.3."""
    house.history.joins(1, 2)
    house.history.joins(3, bot=True)
    for player in (1, 2, 3):
        house.history.deposits(player, 10_000)
    lost, still = bet(1, 1_000), bet(2, 2_000)
    house.history.bets(1, lost, still)
    house.history.settles(1, lost, 3, 0)
    house.history.append_for(2, WITHDRAWAL, GiftGranted("g-1", "staff", 300, 300, NOON, ""))

    books = accounts.trial_balance(house.catch_up())

    of_members = {it.account: it.balance for it in books if not it.bots}
    liability = {name: it for name, it in of_members.items() if name.startswith("player:")}
    assert liability == {
        "player:available": 7_000 + 6_000,
        "player:staked": 2_000,
        "player:withdrawing": 4_000,
        "player:bonus": 300,
    }
    assert (of_members["house:takings"], of_members["house:promotions"]) == (1_000, -300)
    of_bots = {it.account: it.balance for it in books if it.bots and it.balance}
    assert of_bots == {"player:available": 10_000, "world:bank": -10_000}


def test_an_empty_house_owes_nothing(house: ProjectionHarness) -> None:
    assert accounts.trial_balance(house.catch_up()) == ()
