"""A payment's reference is credited once, unless two people confirm that it is another payment."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.api.banking import set_terms
from tests.api.staffing import decided, office
from tests.api.support import ApiServer, Player, new_key

ABOVE_ALL = {"four_eyes_minor": 100_000_000}


@pytest.fixture(autouse=True)
def _no_four_eyes(house: ApiServer) -> Iterator[None]:
    """Only a repeated reference needs two people in these tests."""
    set_terms(house, **ABOVE_ALL)
    yield
    set_terms(house)


@pytest.fixture
def reference() -> str:
    return f"Invoice {new_key()}"


def enters(player: Player, reference: str, staff: str = "ann", **other: Any) -> dict[str, Any]:
    body = {"player": player.id, "amount": "10", "channel": "bank", "reference": reference}
    return office(player.house, "deposit", staff=staff, **{**body, **other})


def announces(player: Player, reference: str) -> str:
    body = {"amount": 10, "channel": "bank", "reference": reference}
    number: str = player.call("user/deposit", body, new_key())["data"]["id"]
    player.house.catch_up()
    return number


def test_a_reference_that_was_credited_is_refused_with_who_and_when(
    player: Player, reference: str
) -> None:
    first = enters(player, reference)["data"]
    assert first["status"] == "approved"
    again = enters(player, reference, "ben")
    assert (again["reason"], again["field"]) == ("reference_used", "reference")
    assert f"{first['id']}, ann, 20" in again["msg"]
    assert player.balance() == 1010


def test_case_and_blanks_make_no_other_reference(player: Player, reference: str) -> None:
    enters(player, reference)
    same = enters(player, f"  {reference.upper().replace(' ', '   ')} ")
    assert same["reason"] == "reference_used"


def test_another_channel_has_references_of_its_own(player: Player, reference: str) -> None:
    enters(player, reference)
    assert enters(player, reference, channel="usdt")["data"]["status"] == "approved"


def test_an_announced_deposit_is_compared_with_what_was_entered(
    house: ApiServer, player: Player, reference: str
) -> None:
    number = announces(player, reference)
    other = house.register()
    enters(other, reference)
    assert decided(house, "deposit", number) == "reference_used"
    assert decided(house, "deposit", number, approve=False, reason="the same") == "rejected"


def test_two_people_may_confirm_that_it_is_another_payment(
    house: ApiServer, player: Player, reference: str
) -> None:
    enters(player, reference)
    entered = enters(player, reference, again=True)["data"]
    assert entered["status"] == "endorsed"
    house.catch_up()
    number = entered["id"]
    assert decided(house, "deposit", number, "ben") == "reference_used"
    assert decided(house, "deposit", number, "ann", again=True) == "second_person_needed"
    assert decided(house, "deposit", number, "ben", again=True) == "approved"
    assert player.balance() == 1020


def test_an_approval_before_the_other_credit_does_not_confirm_it(
    house: ApiServer, player: Player, reference: str
) -> None:
    set_terms(house, four_eyes_minor=500)
    number = announces(player, reference)
    assert decided(house, "deposit", number, "ann") == "endorsed"
    set_terms(house, **ABOVE_ALL)
    enters(player, reference)
    assert decided(house, "deposit", number, "ben", again=True) == "endorsed"
    assert decided(house, "deposit", number, "ann", again=True) == "approved"


def test_of_two_who_enter_it_at_once_one_is_refused(house: ApiServer, reference: str) -> None:
    players = [house.register() for _ in range(8)]
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda each: enters(each, reference), players))
    outcomes = [
        answer["data"]["status"] if answer["code"] else answer["reason"] for answer in answers
    ]
    assert sorted(outcomes) == ["approved", *["reference_used"] * 7]


def test_what_was_rejected_leaves_its_reference_free(
    house: ApiServer, player: Player, reference: str
) -> None:
    number = announces(player, reference)
    assert decided(house, "deposit", number, approve=False, reason="not there") == "rejected"
    assert enters(player, reference)["data"]["status"] == "approved"
