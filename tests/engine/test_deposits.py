"""Deposits: usable after approval, by two people above the threshold, and within limits."""

import pytest
from msgspec.structs import replace

from engine.answers import Refused
from engine.cashier import deposits
from engine.cashier.commands import ApproveDeposit, ConfirmDeposit, DecideDeposit, RequestDeposit
from engine.cashier.deposits import MAX_PENDING, Decided
from engine.cashier.facts import DepositApproved, DepositEndorsed, DepositRejected, DepositRequested
from engine.lifecycle import DEPOSIT
from engine.money import units
from engine.players import state as players
from engine.players.facts import LimitSet, SelfExcluded, TimeOutTaken
from engine.players.state import Player
from engine.refusals import Refusal
from engine.terms import DEFAULT_TERMS
from tests.engine.given import DAY, DURING_SALE, guest, member, unregistered

NOW = DURING_SALE
NOTICE = RequestDeposit(1, "d-1", "bank", units(100), "words")
ENTERED = ApproveDeposit(1, "d-1", "bank", units(100), "words", "staff:ann")
ABOVE = units(5_000) + 1


def requested(command: RequestDeposit, player: Player, *, discontinued: bool = False) -> Decided:
    return deposits.request(command, player, DEFAULT_TERMS, NOW, DAY, discontinued=discontinued)


def entered(command: ApproveDeposit, player: Player) -> Decided:
    return deposits.enter(command, player, DEFAULT_TERMS, NOW, DAY)


def decided(player: Player, by: str = "staff:ann", *, approve: bool = True) -> Decided:
    command = DecideDeposit(1, "d-1", approve, by, "" if approve else "why")
    return deposits.decide(command, player, DEFAULT_TERMS, NOW, DAY)


def confirmed(player: Player, amount_minor: int = units(100)) -> Decided:
    command = ConfirmDeposit(1, "d-1", amount_minor)
    return deposits.confirm(command, player, DEFAULT_TERMS, NOW, DAY)


def apply(player: Player, facts: Decided | list[SelfExcluded]) -> Player:
    assert isinstance(facts, list)
    for fact in facts:
        players.evolve(player, fact, DAY)
    return player


def announced(amount_minor: int = units(100), channel: str = "bank") -> Player:
    command = replace(NOTICE, amount_minor=amount_minor, channel=channel)
    return apply(member(), requested(command, member()))


def limited(player: Player, amount_minor: int, span: str = "day") -> Player:
    fact = LimitSet("deposit", span, amount_minor, NOW, None)
    return players.evolve(player, fact, DAY)


def test_no_deposit_is_announced_once_the_product_is_discontinued() -> None:
    refused = requested(NOTICE, member(0), discontinued=True)
    assert refused == Refused(Refusal.PRODUCT_DISCONTINUED)


def test_a_notice_is_pending_and_gives_nothing_to_play_with() -> None:
    """GLI-19 2.5.6c."""
    player = announced()
    assert player.available == 0
    assert [each.id for each in player.payments.of(DEPOSIT)] == ["d-1"]
    assert requested(NOTICE, player) == []


def test_an_approved_notice_is_usable_and_its_turnover_due_once() -> None:
    player = announced()
    facts = decided(player)
    assert facts == [DepositApproved("d-1", "bank", units(100), "words")]
    apply(player, facts)
    assert (player.available, player.payments.due_minor) == (units(100), units(100))
    assert player.payments.of(DEPOSIT) == ()
    assert decided(player) == Refused(Refusal.DEPOSIT_UNKNOWN, "deposit")


def test_a_rejected_notice_gives_nothing() -> None:
    player = announced()
    facts = decided(player, approve=False)
    assert facts == [DepositRejected("d-1", "bank", units(100), "refused", "why")]
    apply(player, facts)
    assert (player.available, player.payments.of(DEPOSIT)) == (0, ())


def test_above_the_threshold_two_people_have_to_agree() -> None:
    """ASVS 2.3.5."""
    player = announced(ABOVE)
    apply(player, decided(player, "staff:ann"))
    assert player.available == 0
    assert decided(player, "staff:ann") == Refused(Refusal.SECOND_PERSON_NEEDED)
    apply(player, decided(player, "staff:bob"))
    assert player.available == ABOVE


def test_one_person_is_enough_up_to_the_threshold() -> None:
    player = announced(ABOVE - 1)
    assert apply(player, decided(player)).available == ABOVE - 1


def test_the_person_who_enters_a_large_deposit_is_the_first_of_two() -> None:
    command = replace(ENTERED, amount_minor=ABOVE)
    player = member()
    facts = entered(command, player)
    assert facts == [
        DepositRequested("d-1", "bank", ABOVE, "words"),
        DepositEndorsed("d-1", "staff:ann"),
    ]
    apply(player, facts)
    assert decided(player, "staff:ann") == Refused(Refusal.SECOND_PERSON_NEEDED)
    assert apply(player, decided(player, "staff:bob")).available == ABOVE


def test_play_money_needs_no_second_person() -> None:
    player = member()
    facts = entered(replace(ENTERED, amount_minor=ABOVE, channel="demo"), player)
    assert apply(player, facts).available == ABOVE


def test_the_gateway_credits_exactly_what_was_ordered() -> None:
    """ASVS 4.1.5."""
    player = announced(channel="online")
    assert confirmed(player, units(99)) == Refused(Refusal.AMOUNT_MISMATCH, "amount")
    assert apply(player, confirmed(player)).available == units(100)
    assert confirmed(player) == Refused(Refusal.DEPOSIT_UNKNOWN, "deposit")


def test_the_gateway_confirms_nothing_but_its_own_orders() -> None:
    assert confirmed(announced()) == Refused(Refusal.DEPOSIT_UNKNOWN, "deposit")


def test_of_two_that_agree_the_gateway_is_one() -> None:
    player = announced(ABOVE, "online")
    apply(player, confirmed(player, ABOVE))
    assert player.available == 0
    assert confirmed(player, ABOVE) == []
    assert apply(player, decided(player, "staff:bob")).available == ABOVE


# Abandoned online orders, and payments that still arrive for them.


def ordered(player: Player, number: str, amount_minor: int = units(100)) -> Decided:
    command = replace(NOTICE, deposit=number, channel="online", amount_minor=amount_minor)
    return requested(command, player)


def paid(player: Player, number: str, amount_minor: int = units(100)) -> Decided:
    command = ConfirmDeposit(1, number, amount_minor)
    return deposits.confirm(command, player, DEFAULT_TERMS, NOW, DAY)


def test_a_new_order_replaces_an_unpaid_one() -> None:
    player = announced(units(30))
    apply(player, ordered(player, "d-2", units(60)))
    facts = ordered(player, "d-3")
    assert isinstance(facts, list)
    assert facts[0] == DepositRejected("d-2", "online", units(60), "replaced", "")
    apply(player, facts)
    assert [each.id for each in player.payments.of(DEPOSIT)] == ["d-1", "d-3"]


def test_unpaid_orders_do_not_block_payments() -> None:
    player = limited(member(), units(100))
    for number in range(MAX_PENDING + 5):
        apply(player, ordered(player, f"d-{number}"))
    assert len(player.payments.of(DEPOSIT)) == 1


def test_an_order_that_staff_or_the_gateway_agreed_to_is_not_replaced() -> None:
    player = announced(ABOVE, "online")
    apply(player, confirmed(player, ABOVE))
    apply(player, ordered(player, "d-2"))
    assert [each.id for each in player.payments.of(DEPOSIT)] == ["d-1", "d-2"]


@pytest.mark.parametrize("by_staff", [True, False])
def test_a_payment_for_an_abandoned_order_is_credited_once(by_staff: bool) -> None:
    """No player's money is trapped, and no money is created."""
    player = announced(channel="online")
    apply(player, decided(player, approve=False) if by_staff else ordered(player, "d-2"))
    assert paid(player, "d-1", units(99)) == Refused(Refusal.AMOUNT_MISMATCH, "amount")
    facts = paid(player, "d-1")
    assert facts == [DepositApproved("d-1-late", "online", units(100), "words")]
    assert apply(player, facts).available == units(100)
    assert paid(player, "d-1") == Refused(Refusal.DEPOSIT_UNKNOWN, "deposit")
    assert player.payments.due_minor == units(100)


def test_a_large_payment_for_an_abandoned_order_needs_two_people_as_well() -> None:
    player = announced(ABOVE, "online")
    apply(player, decided(player, approve=False))
    apply(player, paid(player, "d-1", ABOVE))
    assert (player.available, paid(player, "d-1", ABOVE)) == (
        0,
        Refused(Refusal.DEPOSIT_UNKNOWN, "deposit"),
    )
    approved = DecideDeposit(1, "d-1-late", True, "staff:bob", "")
    apply(player, deposits.decide(approved, player, DEFAULT_TERMS, NOW, DAY))
    assert player.available == ABOVE


def test_exactly_the_threshold_for_an_abandoned_order_is_credited_immediately() -> None:
    exactly = DEFAULT_TERMS.four_eyes_minor
    player = announced(exactly, "online")
    apply(player, decided(player, approve=False))
    facts = paid(player, "d-1", exactly)
    assert facts == [DepositApproved("d-1-late", "online", exactly, "words")]


def test_what_staff_rejected_after_the_gateway_had_spoken_is_not_credited() -> None:
    player = announced(ABOVE, "online")
    apply(player, confirmed(player, ABOVE))
    apply(player, decided(player, approve=False))
    assert paid(player, "d-1", ABOVE) == Refused(Refusal.DEPOSIT_UNKNOWN, "deposit")


def test_a_payment_for_an_abandoned_order_of_an_excluded_player_goes_back() -> None:
    player = announced(channel="online")
    apply(player, decided(player, approve=False))
    apply(player, [SelfExcluded(None)])
    facts = paid(player, "d-1")
    assert facts == [DepositRejected("d-1-late", "online", units(100), "excluded", "")]
    apply(player, facts)
    assert paid(player, "d-1") == Refused(Refusal.DEPOSIT_UNKNOWN, "deposit")


def test_a_transfer_that_staff_rejected_is_no_order() -> None:
    player = announced()
    apply(player, decided(player, approve=False))
    assert confirmed(player) == Refused(Refusal.DEPOSIT_UNKNOWN, "deposit")


# Limits and exclusion.


def test_what_is_pending_counts_toward_the_limit() -> None:
    player = limited(announced(units(60)), units(100))
    more = replace(NOTICE, deposit="d-2", amount_minor=units(41))
    assert requested(more, player) == Refused(Refusal.DEPOSIT_LIMIT_REACHED, "amount")
    assert requested(replace(more, amount_minor=units(40)), player) != []


@pytest.mark.parametrize("span", ["day", "week", "month"])
def test_the_lowest_of_several_limits_wins(span: str) -> None:
    """GLI-19 A.3.7a."""
    player = limited(member(units(30)), units(1_000), "month")
    player = limited(player, units(100), span)
    most = replace(NOTICE, amount_minor=units(70))
    assert isinstance(requested(most, player), list)
    assert requested(replace(most, amount_minor=units(70) + 1), player) == Refused(
        Refusal.DEPOSIT_LIMIT_REACHED, "amount"
    )


def test_money_that_arrives_above_a_limit_goes_back() -> None:
    player = limited(announced(), units(99))
    facts = decided(player)
    assert facts == [DepositRejected("d-1", "bank", units(100), "limit", "")]
    assert apply(player, facts).available == 0
    assert entered(replace(ENTERED, deposit="d-2"), player) == [
        DepositRejected("d-2", "bank", units(100), "limit", "")
    ]


def test_a_limit_does_not_count_the_same_deposit_twice() -> None:
    player = limited(announced(), units(100))
    assert apply(player, decided(player)).available == units(100)


@pytest.mark.parametrize("fact", [SelfExcluded(None), SelfExcluded(NOW + 1), TimeOutTaken(NOW + 1)])
def test_an_excluded_player_deposits_nothing_and_gets_payments_back(
    fact: SelfExcluded | TimeOutTaken,
) -> None:
    """GLI-19 A.3.8."""
    player = announced()
    players.evolve(player, fact, DAY)
    assert requested(replace(NOTICE, deposit="d-2"), player) == Refused(Refusal.EXCLUDED)
    facts = decided(player)
    assert facts == [DepositRejected("d-1", "bank", units(100), "excluded", "")]


def test_a_time_out_ends_by_itself() -> None:
    player = players.evolve(member(), TimeOutTaken(NOW), DAY)
    assert isinstance(requested(NOTICE, player), list)


# Refusals.


@pytest.mark.parametrize(
    ("other", "refused"),
    [
        ({"amount_minor": 0}, Refused(Refusal.AMOUNT_INVALID, "amount")),
        ({"amount_minor": -1}, Refused(Refusal.AMOUNT_INVALID, "amount")),
        ({"amount_minor": 10**14}, Refused(Refusal.AMOUNT_INVALID, "amount")),
        ({"channel": "cash"}, Refused(Refusal.CHANNEL_UNKNOWN, "channel")),
        ({"channel": "demo"}, Refused(Refusal.CHANNEL_UNKNOWN, "channel")),
    ],
)
def test_an_invalid_notice_is_refused(other: dict[str, int], refused: Refused) -> None:
    assert requested(replace(NOTICE, **other), member()) == refused


def test_neither_guests_nor_unknown_players_deposit() -> None:
    assert requested(NOTICE, guest()) == Refused(Refusal.MUST_REGISTER)
    assert requested(NOTICE, unregistered()) == Refused(Refusal.PLAYER_UNKNOWN, "player")
    assert entered(ENTERED, guest()) == Refused(Refusal.MUST_REGISTER)


def test_the_number_of_pending_notices_is_limited() -> None:
    player = member()
    for number in range(MAX_PENDING):
        apply(player, requested(replace(NOTICE, deposit=f"d-{number}"), player))
    assert requested(replace(NOTICE, deposit="more"), player) == Refused(Refusal.DEPOSITS_PENDING)
