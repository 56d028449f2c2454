"""House settings by staff: recorded, in force from then on, and without effect on draws."""

from typing import Any

import pytest
from msgspec.structs import replace

from engine.answers import Refused
from engine.house.commands import (
    DecideProposal,
    ProposeOdds,
    SetReceivingAccounts,
    SetTerms,
    SettingCommand,
    TurnSwitch,
)
from engine.house.facts import (
    OddsSet,
    ReceivingAccountsProposed,
    ReceivingAccountsSet,
    SwitchTurned,
    TermsSet,
)
from engine.house.house_state import HouseState, PendingProposal, decide, evolve
from engine.odds import odds_on
from engine.refusals import Refusal
from engine.staff.roles import Role
from engine.staff.staff import RolesSet, StaffRemoved
from engine.terms import DEFAULT_TERMS, MAX_WAIT_US, ReceivingAccounts

BY = "staff:ann"
OTHER = "staff:bob"
NOW = 1_800_000_000_000_000
DAY = "2027-01-15"


def after(house: HouseState, *commands: SettingCommand) -> HouseState:
    """The house state after these commands, none of which may be refused."""
    for command in commands:
        facts = decide(command, house, NOW, DAY)
        assert not isinstance(facts, Refused)
        for fact in facts:
            house = evolve(house, fact)
    return house


def turned(*scopes: str) -> HouseState:
    house = HouseState()
    for scope in scopes:
        house = evolve(house, SwitchTurned(scope, True, BY))
    return house


@pytest.mark.parametrize(
    ("scope", "reason"),
    [
        ("product", Refusal.PRODUCT_DISCONTINUED),
        ("all", Refusal.GAMING_CLOSED),
        ("game-1", Refusal.GAMING_CLOSED),
        ("plan-3", Refusal.GAMING_CLOSED),
        ("game-2", None),
        ("plan-4", None),
    ],
)
def test_a_switch_closes_what_it_names(scope: str, reason: Refusal | None) -> None:
    """GLI-19 2.4.1."""
    assert turned(scope).closed_reason(1, 3) == reason


def test_a_reopened_scope_is_open() -> None:
    house = evolve(turned("all"), SwitchTurned("all", False, BY))
    assert house.closed_reason(1, 3) is None


def test_a_switch_in_the_requested_state_yields_no_facts() -> None:
    closing = TurnSwitch("all", True, BY)
    assert decide(closing, HouseState(), NOW, DAY) == [SwitchTurned("all", True, BY)]
    assert decide(closing, turned("all"), NOW, DAY) == []
    assert decide(replace(closing, closed=False), HouseState(), NOW, DAY) == []


@pytest.mark.parametrize("scope", ["", "game-5", "plan-0", "plan-37", "draw", "round-1"])
def test_there_is_a_switch_for_sales_and_for_nothing_else(scope: str) -> None:
    closing = TurnSwitch(scope, True, BY)
    assert decide(closing, HouseState(), NOW, DAY) == Refused(Refusal.SWITCH_UNKNOWN, "scope")


def test_terms_apply_from_the_time_they_are_set() -> None:
    terms = replace(DEFAULT_TERMS, four_eyes_minor=1)
    proposed = after(HouseState(), SetTerms(terms, BY))
    assert decide(SetTerms(terms, OTHER), proposed, NOW, DAY) == [TermsSet(terms, OTHER)]
    house = after(proposed, SetTerms(terms, OTHER))
    assert (house.terms, house.proposed_terms) == (terms, None)
    assert decide(SetTerms(terms, BY), house, NOW, DAY) == []


def test_one_manager_alone_never_sets_terms_however_often_they_propose() -> None:
    terms = replace(DEFAULT_TERMS, four_eyes_minor=10**12)
    house = after(HouseState(), SetTerms(terms, BY))
    assert house.terms == DEFAULT_TERMS
    assert decide(SetTerms(terms, BY), house, NOW, DAY) == []


def test_a_colleagues_proposal_is_never_replaced_silently() -> None:
    own, colleagues = (replace(DEFAULT_TERMS, four_eyes_minor=n) for n in (1, 2))
    house = after(HouseState(), SetTerms(own, BY))
    for other in (colleagues, DEFAULT_TERMS):
        refused = decide(SetTerms(other, OTHER), house, NOW, DAY)
        assert refused == Refused(Refusal.PROPOSAL_OPEN, "terms")
    assert house.proposed_terms == PendingProposal(own, BY, "terms-1")
    changed = after(house, SetTerms(colleagues, BY))
    assert changed.proposed_terms == PendingProposal(colleagues, BY, "terms-2")
    stale = decide(DecideProposal("terms-1", True, OTHER), changed, NOW, DAY)
    assert stale == Refused(Refusal.PROPOSAL_UNKNOWN, "id")


def test_a_proposal_is_agreed_to_or_rejected_by_its_id() -> None:
    terms, accounts = replace(DEFAULT_TERMS, four_eyes_minor=1), ReceivingAccounts(bank="B")
    house = after(
        HouseState(),
        SetTerms(terms, BY),
        SetReceivingAccounts(accounts, BY),
        ProposeOdds("balanced", BY),
    )
    for kind in ("terms-1", "receiving-2", "odds-3"):
        alone = decide(DecideProposal(kind, True, BY), house, NOW, DAY)
        assert alone == Refused(Refusal.SECOND_PERSON_NEEDED)
    done = after(
        house,
        DecideProposal("terms-1", True, OTHER),
        DecideProposal("receiving-2", True, OTHER),
        DecideProposal("odds-3", False, OTHER),
    )
    assert (done.terms, done.accounts, done.odds) == (terms, accounts, ())
    assert (done.proposed_terms, done.proposed_accounts, done.proposed_odds) == (None, None, None)
    for approve in (True, False):
        gone = decide(DecideProposal("odds-3", approve, OTHER), done, NOW, DAY)
        assert gone == Refused(Refusal.PROPOSAL_UNKNOWN, "id")


def test_other_odds_apply_from_the_next_day_on_once_two_have_agreed() -> None:
    proposed = after(HouseState(), ProposeOdds("balanced", BY))
    agreed = decide(DecideProposal("odds-1", True, OTHER), proposed, NOW, "2026-12-31")
    assert agreed == [OddsSet("balanced", "2027-01-01", OTHER)]
    house = evolve(proposed, OddsSet("balanced", "2027-01-01", OTHER))
    days = ("2026-12-31", "2027-01-01", "2028-02-29")
    assert [odds_on(house.odds, day) for day in days] == ["", "balanced", "balanced"]
    assert decide(ProposeOdds("balanced", BY), house, NOW, DAY) == []
    back = after(house, ProposeOdds("card-21.04.02", OTHER), ProposeOdds("card-21.04.02", BY))
    assert [odds_on(back.odds, day) for day in ("2027-01-15", "2027-01-16")] == [
        "balanced",
        "card-21.04.02",
    ]
    assert decide(ProposeOdds("mine", BY), house, NOW, DAY) == Refused(
        Refusal.TERMS_INVALID, "table"
    )


def test_proposing_the_current_value_withdraws_the_proposal() -> None:
    terms = replace(DEFAULT_TERMS, four_eyes_minor=1)
    house = after(HouseState(), SetTerms(terms, BY), SetTerms(DEFAULT_TERMS, BY))
    assert (house.terms, house.proposed_terms) == (DEFAULT_TERMS, None)
    again = after(house, SetTerms(terms, OTHER))
    assert again.terms == DEFAULT_TERMS
    assert decide(SetTerms(DEFAULT_TERMS, BY), HouseState(), NOW, DAY) == []


@pytest.mark.parametrize(
    "leaves", [StaffRemoved("ben", OTHER), RolesSet("ben", (Role.CASHIER,), "r", OTHER, "staff:c")]
)
def test_a_proposal_of_a_former_manager_is_dropped(leaves: Any) -> None:
    terms, accounts = replace(DEFAULT_TERMS, four_eyes_minor=1), ReceivingAccounts(bank="Ben's")
    manager = evolve(HouseState(), RolesSet("ben", (Role.MANAGER,), "r", OTHER, BY))
    waiting = after(
        manager, SetTerms(terms, "staff:ben"), SetReceivingAccounts(accounts, "staff:ben")
    )
    left = after(evolve(waiting, leaves), SetTerms(terms, OTHER))
    left = after(left, SetReceivingAccounts(accounts, OTHER))
    assert (left.terms, left.accounts) == (DEFAULT_TERMS, ReceivingAccounts())
    stayed = evolve(waiting, RolesSet("ben", (Role.MANAGER, Role.CASHIER), "r", OTHER, BY))
    assert after(stayed, SetReceivingAccounts(accounts, OTHER)).accounts == accounts


@pytest.mark.parametrize(
    "other",
    [
        {"four_eyes_minor": -1},
        {"cooling_us": -1},
        {"overnight_permille": -1},
        {"overnight_permille": 1_001},
        {"cooling_us": MAX_WAIT_US + 1},
        {"raise_wait_us": MAX_WAIT_US + 1},
        {"bonus_wait_us": MAX_WAIT_US + 1},
        {"quota_us": MAX_WAIT_US + 1},
        {"largest_deposit_minor": 0},
        {"levels_minor": ()},
        {"levels_minor": (1, 2)},
        {"levels_minor": (0, 5, 5)},
        {"levels_minor": (0, 5, 4)},
        {"levels_minor": tuple(range(101))},
    ],
)
def test_invalid_terms_are_refused(other: dict[str, int]) -> None:
    terms = replace(DEFAULT_TERMS, **other)
    (wrong,) = other
    assert decide(SetTerms(terms, BY), HouseState(), NOW, DAY) == Refused(
        Refusal.TERMS_INVALID, wrong
    )


def test_receiving_accounts_change_by_a_recorded_fact() -> None:
    accounts = ReceivingAccounts("T1", "bank", "1", "house")
    first = SetReceivingAccounts(accounts, BY)
    assert decide(first, HouseState(), NOW, DAY) == [ReceivingAccountsProposed(accounts, BY)]
    proposed = after(HouseState(), first)
    assert decide(first, proposed, NOW, DAY) == []
    agreed = replace(first, by=OTHER)
    assert decide(agreed, proposed, NOW, DAY) == [ReceivingAccountsSet(accounts, OTHER)]
    house = after(proposed, agreed)
    assert (house.accounts, house.proposed_accounts, house.version) == (accounts, None, 2)
    assert decide(first, house, NOW, DAY) == []
