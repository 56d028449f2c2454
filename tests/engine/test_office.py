"""What staff set for the whole house: recorded, from now on, and never a draw."""

import pytest
from msgspec.structs import replace

from engine.answers import Refused
from engine.house.commands import SetReceivingAccounts, SetTerms, TurnSwitch
from engine.house.facts import ReceivingAccountsSet, SwitchTurned, TermsSet
from engine.house.office import Office, decide, evolve
from engine.refusals import Refusal
from engine.terms import DEFAULT_TERMS, ReceivingAccounts

BY = "staff:ann"
NOW = 1_800_000_000_000_000


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
    facts = decide(SetTerms(terms, BY), Office(), NOW)
    assert facts == [TermsSet(terms, BY)]
    assert evolve(Office(), facts[0]).terms == terms
    assert decide(SetTerms(DEFAULT_TERMS, BY), Office(), NOW) == []


@pytest.mark.parametrize(
    "other",
    [
        {"four_eyes_minor": -1},
        {"cooling_us": -1},
        {"overnight_permille": -1},
        {"largest_deposit_minor": 0},
        {"levels_minor": ()},
        {"levels_minor": (1, 2)},
        {"levels_minor": (0, 5, 5)},
        {"levels_minor": (0, 5, 4)},
    ],
)
def test_terms_that_make_no_sense_are_refused(other: dict[str, int]) -> None:
    terms = replace(DEFAULT_TERMS, **other)
    (wrong,) = other
    assert decide(SetTerms(terms, BY), Office(), NOW) == Refused(Refusal.TERMS_INVALID, wrong)


def test_receiving_accounts_change_by_a_recorded_fact() -> None:
    accounts = ReceivingAccounts("T1", "bank", "1", "house")
    facts = decide(SetReceivingAccounts(accounts, BY), Office(), NOW)
    assert facts == [ReceivingAccountsSet(accounts, BY)]
    office = evolve(Office(), facts[0])
    assert (office.accounts, office.version) == (accounts, 1)
    assert decide(SetReceivingAccounts(accounts, BY), office, NOW) == []
