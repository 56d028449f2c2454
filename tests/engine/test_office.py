"""What staff set for the whole house: recorded, from now on, and never a draw."""

from typing import Any

import pytest
from msgspec.structs import replace

from engine.answers import Refused
from engine.house.commands import SetReceivingAccounts, SetTerms, TurnSwitch
from engine.house.facts import (
    ReceivingAccountsProposed,
    ReceivingAccountsSet,
    RolesSet,
    StaffRemoved,
    SwitchTurned,
    TermsSet,
)
from engine.house.office import Office, Said, decide, evolve
from engine.house.roles import Role
from engine.refusals import Refusal
from engine.terms import DEFAULT_TERMS, MOST_WAIT_US, ReceivingAccounts

BY = "staff:ann"
OTHER = "staff:bob"
NOW = 1_800_000_000_000_000


def after(office: Office, *commands: SetTerms | SetReceivingAccounts) -> Office:
    """The office once these were said."""
    for command in commands:
        facts = decide(command, office, NOW)
        assert not isinstance(facts, Refused)
        for fact in facts:
            office = evolve(office, fact)
    return office


def turned(*scopes: str) -> Office:
    office = Office()
    for scope in scopes:
        office = evolve(office, SwitchTurned(scope, True, BY))
    return office


@pytest.mark.parametrize(
    ("scope", "shut"),
    [
        ("product", Refusal.PRODUCT_DISCONTINUED),
        ("all", Refusal.GAMING_CLOSED),
        ("game-1", Refusal.GAMING_CLOSED),
        ("plan-3", Refusal.GAMING_CLOSED),
        ("game-2", None),
        ("plan-4", None),
    ],
)
def test_a_switch_closes_what_it_names(scope: str, shut: Refusal | None) -> None:
    """GLI-19 2.4.1."""
    assert turned(scope).shut(1, 3) == shut


def test_what_is_opened_again_is_open() -> None:
    office = evolve(turned("all"), SwitchTurned("all", False, BY))
    assert office.shut(1, 3) is None


def test_a_switch_that_stands_so_already_yields_no_facts() -> None:
    closing = TurnSwitch("all", True, BY)
    assert decide(closing, Office(), NOW) == [SwitchTurned("all", True, BY)]
    assert decide(closing, turned("all"), NOW) == []
    assert decide(replace(closing, closed=False), Office(), NOW) == []


@pytest.mark.parametrize("scope", ["", "game-5", "plan-0", "plan-37", "draw", "round-1"])
def test_there_is_a_switch_for_sales_and_for_nothing_else(scope: str) -> None:
    closing = TurnSwitch(scope, True, BY)
    assert decide(closing, Office(), NOW) == Refused(Refusal.SWITCH_UNKNOWN, "scope")


def test_terms_hold_from_when_they_are_set() -> None:
    terms = replace(DEFAULT_TERMS, four_eyes_minor=1)
    proposed = after(Office(), SetTerms(terms, BY))
    assert decide(SetTerms(terms, OTHER), proposed, NOW) == [TermsSet(terms, OTHER)]
    office = after(proposed, SetTerms(terms, OTHER))
    assert (office.terms, office.said_terms) == (terms, None)
    assert decide(SetTerms(terms, BY), office, NOW) == []


def test_nobody_sets_terms_alone_however_often_they_say_them() -> None:
    terms = replace(DEFAULT_TERMS, four_eyes_minor=10**12)
    office = after(Office(), SetTerms(terms, BY))
    assert office.terms == DEFAULT_TERMS
    assert decide(SetTerms(terms, BY), office, NOW) == []


def test_two_who_say_different_terms_have_set_none() -> None:
    mine, theirs = (replace(DEFAULT_TERMS, four_eyes_minor=n) for n in (1, 2))
    office = after(Office(), SetTerms(mine, BY), SetTerms(theirs, OTHER))
    assert (office.terms, office.said_terms) == (DEFAULT_TERMS, Said(theirs, OTHER))
    assert after(office, SetTerms(theirs, BY)).terms == theirs


def test_whoever_says_what_holds_takes_back_what_was_proposed() -> None:
    terms = replace(DEFAULT_TERMS, four_eyes_minor=1)
    office = after(Office(), SetTerms(terms, BY), SetTerms(DEFAULT_TERMS, BY))
    assert (office.terms, office.said_terms) == (DEFAULT_TERMS, None)
    again = after(office, SetTerms(terms, OTHER))
    assert again.terms == DEFAULT_TERMS
    assert decide(SetTerms(DEFAULT_TERMS, BY), Office(), NOW) == []


@pytest.mark.parametrize(
    "leaves", [StaffRemoved("ben", OTHER), RolesSet("ben", (Role.CASHIER,), "r", OTHER, "staff:c")]
)
def test_what_somebody_proposed_who_is_no_manager_any_more_waits_no_longer(leaves: Any) -> None:
    terms, accounts = replace(DEFAULT_TERMS, four_eyes_minor=1), ReceivingAccounts(bank="Ben's")
    manager = evolve(Office(), RolesSet("ben", (Role.MANAGER,), "r", OTHER, BY))
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
        {"cooling_us": MOST_WAIT_US + 1},
        {"raise_wait_us": MOST_WAIT_US + 1},
        {"bonus_wait_us": MOST_WAIT_US + 1},
        {"quota_us": MOST_WAIT_US + 1},
        {"largest_deposit_minor": 0},
        {"levels_minor": ()},
        {"levels_minor": (1, 2)},
        {"levels_minor": (0, 5, 5)},
        {"levels_minor": (0, 5, 4)},
        {"levels_minor": tuple(range(101))},
    ],
)
def test_terms_that_make_no_sense_are_refused(other: dict[str, int]) -> None:
    terms = replace(DEFAULT_TERMS, **other)
    (wrong,) = other
    assert decide(SetTerms(terms, BY), Office(), NOW) == Refused(Refusal.TERMS_INVALID, wrong)


def test_receiving_accounts_change_by_a_recorded_fact() -> None:
    accounts = ReceivingAccounts("T1", "bank", "1", "house")
    asked = SetReceivingAccounts(accounts, BY)
    assert decide(asked, Office(), NOW) == [ReceivingAccountsProposed(accounts, BY)]
    proposed = after(Office(), asked)
    assert decide(asked, proposed, NOW) == []
    agreed = replace(asked, by=OTHER)
    assert decide(agreed, proposed, NOW) == [ReceivingAccountsSet(accounts, OTHER)]
    office = after(proposed, agreed)
    assert (office.accounts, office.said_accounts, office.version) == (accounts, None, 2)
    assert decide(asked, office, NOW) == []
