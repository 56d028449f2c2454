"""Double entry: the postings of each fact, their sum of zero, and accounts that may be negative."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.bets.facts import BetPlaced, BetRecalled, BetSettled, BetVoided
from engine.cashier.facts import (
    AdjustmentApproved,
    BonusReleased,
    CorrectionApproved,
    DepositApproved,
    GiftGranted,
    WithdrawalPaid,
    WithdrawalRejected,
    WithdrawalRequested,
)
from engine.chart_of_accounts import TAKINGS
from engine.facts import TYPES, Fact, RecordedFact
from engine.house.bookings import Booked
from engine.ledger import Posting, account, postings
from engine.players.facts import PlayerFact
from tests.engine.given import a_bet
from tests.golden.samples import FACTS

AMOUNTS = st.integers(0, 10**12)


def posted(fact: Fact, stream: str = "player-7") -> dict[str, int]:
    recorded = RecordedFact(1, stream, 1, 0, "", "", fact)
    return {leg.account: leg.amount_minor for leg in postings(recorded)}


def test_a_deposit_comes_from_the_world_over_its_channel() -> None:
    deposit = DepositApproved("deposit-1", "usdt", 12_345, "")
    assert posted(deposit) == {"world:usdt": -12_345, "player:7:available": 12_345}


@pytest.mark.parametrize(
    ("kind", "channel", "contra"),
    [
        ("double_entry", "bank", "world:bank"),
        ("double_entry", "usdt", "world:usdt"),
        ("returned_payout", "", "house:returned_payouts"),
        ("chargeback", "", "house:chargebacks"),
        ("goodwill", "", "house:adjustments"),
    ],
)
def test_a_correction_is_booked_against_what_its_kind_names_and_never_the_takings(
    kind: str, channel: str, contra: str
) -> None:
    corrected = CorrectionApproved("a-1", kind, channel, -12_345, "staff:ben")
    assert posted(corrected) == {contra: 12_345, "player:7:available": -12_345}


@pytest.mark.parametrize(
    ("kind", "amount", "contra"),
    [
        ("fee", -250, "house:fees"),
        ("capital", 1_000_000, "house:capital"),
        ("returned_payout", 4_000, "house:returned_payouts"),
        ("chargeback", -4_000, "house:chargebacks"),
        ("adjustment", -1, "house:adjustments"),
    ],
)
def test_a_booking_moves_between_the_cash_and_the_account_of_its_kind(
    kind: str, amount: int, contra: str
) -> None:
    booked = Booked("b-1", kind, "bank", amount, "staff:ann", "")
    assert posted(booked) == {"world:bank": -amount, contra: amount}


def test_a_returned_payout_that_is_credited_leaves_nothing_on_its_account() -> None:
    """A payout that the bank returned is the player's again, and the bank account is correct."""
    books: Counter[str] = Counter()
    for fact in (
        WithdrawalRequested("w-1", 0, "card", 4_000),
        WithdrawalPaid("w-1", "bank", "card", 4_000, ""),
        Booked("b-1", "returned_payout", "bank", 4_000, "staff:ann", ""),
        CorrectionApproved("a-1", "returned_payout", "", 4_000, "staff:ben"),
    ):
        books.update(posted(fact))
    assert {name: amount for name, amount in books.items() if amount} == {}


def test_an_undone_double_entry_leaves_bank_and_takings_unchanged() -> None:
    books: Counter[str] = Counter()
    for fact in (
        DepositApproved("deposit-1", "bank", 500, ""),
        DepositApproved("deposit-2", "bank", 500, ""),
        CorrectionApproved("a-1", "double_entry", "bank", -500, "staff:ben"),
    ):
        books.update(posted(fact))
    assert books == {"world:bank": -500, "player:7:available": 500}


def test_a_stake_moves_from_the_balances_it_is_taken_from_to_staked() -> None:
    """GLI-19 4.3.3b: in the same fact that accepts the bet."""
    assert posted(a_bet(stake_minor=1_000, bonus_minor=300)) == {
        "player:7:available": -700,
        "player:7:bonus": -300,
        "player:7:staked": 1_000,
    }


@pytest.mark.parametrize("kind", [BetRecalled, BetVoided])
def test_a_recall_or_void_is_the_stakes_posting_reversed(
    kind: type[BetRecalled | BetVoided],
) -> None:
    placed = posted(a_bet("one", 1_000, bonus_minor=300))
    returned = posted(kind("one", 1, "20261121001", 1_000, 300))
    assert returned == {account: -amount for account, amount in placed.items()}


def test_a_lost_bet_goes_to_the_takings() -> None:
    lost = BetSettled("one", 1, "20261121001", 3, 1_000, 300, 0, 0)
    assert posted(lost) == {"player:7:staked": -1_000, TAKINGS: 1_000}


def test_a_won_bet_is_paid_out_of_the_stake_and_the_takings() -> None:
    won = BetSettled("one", 1, "20261121001", 20, 1_000, 300, 1_980, 594)
    assert posted(won) == {
        "player:7:staked": -1_000,
        TAKINGS: -980,
        "player:7:available": 1_386,
        "player:7:bonus": 594,
    }


def test_an_account_with_nothing_to_post_has_no_leg() -> None:
    assert "player:7:bonus" not in posted(a_bet(stake_minor=1_000))


@pytest.mark.parametrize(
    ("fact", "legs"),
    [
        (WithdrawalRequested("w", 0, "a", 500), {"available": -500, "withdrawing": 500}),
        (WithdrawalRejected("w", 500, ""), {"available": 500, "withdrawing": -500}),
        (WithdrawalPaid("w", "bank", "a", 500, ""), {"withdrawing": -500, "world:bank": 500}),
        (WithdrawalPaid("w", "usdt", "a", 500, ""), {"withdrawing": -500, "world:usdt": 500}),
        (GiftGranted("g", "staff", 500, 0, 0, ""), {"bonus": 500, "house:promotions": -500}),
        (BonusReleased(500), {"available": 500, "bonus": -500}),
        (AdjustmentApproved("a", 500, ""), {"available": 500, "house:takings": -500}),
        (AdjustmentApproved("a", -500, ""), {"available": -500, "house:takings": 500}),
    ],
)
def test_other_money_facts_move_between_these_accounts_and_no_others(
    fact: PlayerFact, legs: dict[str, int]
) -> None:
    named = {name if ":" in name else account(7, name): amount for name, amount in legs.items()}
    assert posted(fact, "player-7") == named


@pytest.mark.parametrize("topic", TYPES)
def test_these_facts_move_money_and_no_others(topic: str) -> None:
    moving = {
        BetPlaced,
        BetRecalled,
        BetSettled,
        BetVoided,
        DepositApproved,
        WithdrawalRequested,
        WithdrawalPaid,
        WithdrawalRejected,
        GiftGranted,
        BonusReleased,
        AdjustmentApproved,
        CorrectionApproved,
        Booked,
    }
    for fact in FACTS[topic]:
        legs = posted(fact)  # type: ignore[arg-type]
        assert bool(legs) == (type(fact) in moving)
        assert sum(legs.values()) == 0


def test_a_postings_account_is_named_for_its_player_and_part() -> None:
    assert account(10_001, "withdrawing") == "player:10001:withdrawing"
    assert Posting("world:bank", -1).amount_minor == -1


@st.composite
def money_facts(draw: st.DrawFn) -> PlayerFact:
    stake, payout = draw(AMOUNTS), draw(AMOUNTS)
    bonus, share = draw(st.integers(0, stake)), draw(st.integers(0, payout))
    kinds: tuple[PlayerFact, ...] = (
        DepositApproved("d", draw(st.sampled_from(("bank", "usdt", "demo"))), payout, ""),
        WithdrawalRequested("w", 0, "a", stake),
        WithdrawalPaid("w", draw(st.sampled_from(("bank", "usdt"))), "a", stake, ""),
        WithdrawalRejected("w", stake, ""),
        GiftGranted("g", "staff", stake, 0, 0, ""),
        BonusReleased(bonus),
        AdjustmentApproved("a", draw(st.sampled_from((stake, -stake))), "staff:a"),
        a_bet(stake_minor=stake, bonus_minor=bonus),
        BetRecalled("b", 1, "i", stake, bonus),
        BetVoided("b", 1, "i", stake, bonus),
        BetSettled("b", 1, "i", 13, stake, bonus, payout, share),
    )
    return draw(st.sampled_from(kinds))


@given(st.lists(st.tuples(st.integers(1, 5), money_facts()), max_size=30))
def test_whatever_is_posted_in_whatever_order_the_trial_balance_is_zero(
    history: list[tuple[int, PlayerFact]],
) -> None:
    balances: Counter[str] = Counter()
    for player, fact in history:
        legs = posted(fact, f"player-{player}")
        assert sum(legs.values()) == 0
        assert 0 not in legs.values()
        balances.update(legs)
        assert balances.total() == 0


@given(money_facts())
def test_no_fact_moves_money_between_two_players(fact: PlayerFact) -> None:
    """GLI-19 2.5.6f: a set names one player's accounts and the house's or the world's."""
    owners = {name.split(":")[1] for name in posted(fact) if name.startswith("player:")}
    assert owners <= {"7"}


def test_a_player_fact_in_no_players_stream_is_refused() -> None:
    with pytest.raises(ValueError, match="not a player's stream"):
        posted(a_bet(), "round-1-20261121001")
