"""Staff remove a locked or forgotten security code, and the player sets a new one.

Ten failed attempts lock the code permanently until the player is verified again (ASVS 6.6.3).
"""

from typing import Any

import pytest

from engine.players.facts import SecurityCodeLifted, SecurityCodeSet
from tests.api.banking import CODE, facts, prepare, raced, set_terms, withdraw
from tests.api.staffing import close, office
from tests.api.support import SECOND_US, ApiServer, Player, new_key

NEW_CODE = "730184"
REASON = "showed the ID card on a call"


@pytest.fixture(autouse=True)
def without_waiting(house: ApiServer) -> Any:
    """A new security code can be used at once."""
    set_terms(house, cooling_us=0)
    yield
    set_terms(house)


@pytest.fixture
def locked(player: Player) -> Player:
    """A player who could withdraw if ten wrong codes had not locked the security code."""
    prepare(player)
    close(player)  # so that turnover due on the gift does not block a withdrawal
    for _ in range(10):
        assert withdraw(player, securityCode="518372")["reason"] == "security_code_wrong"
    assert withdraw(player)["reason"] == "security_code_locked"
    player.house.clock.now += SECOND_US
    return player


def lift(owner: Player, key: str | None = None, **body: Any) -> dict[str, Any]:
    about = {"player": owner.id, "reason": REASON, **body}
    return office(owner.house, "securityCodeLift", key, "ann", **about)


def set_code(player: Player, new: str) -> dict[str, Any]:
    return player.call("user/setSafety", {"new_code": new, "after_code": ""}, new_key())


def safety(player: Player) -> tuple[bool, bool]:
    """Whether there is a code, and whether it is locked."""
    info = player.call("user/safetyInfo", {})["data"]
    return info["isTrue"], info["locked"]


def test_a_locked_code_is_taken_away_and_a_new_one_confirms_a_withdrawal(locked: Player) -> None:
    assert set_code(locked, NEW_CODE)["reason"] == "security_code_already_set"
    assert lift(locked)["data"] == {"player": locked.id}
    assert safety(locked) == (False, False)
    assert withdraw(locked)["reason"] == "security_code_missing"
    assert set_code(locked, NEW_CODE)["code"] == 1
    assert withdraw(locked)["reason"] == "security_code_wrong"
    assert withdraw(locked, securityCode=NEW_CODE)["code"] == 1


def test_the_new_code_cools_as_a_first_one_does(house: ApiServer, locked: Player) -> None:
    set_terms(house)
    lift(locked)
    set_code(locked, NEW_CODE)
    assert withdraw(locked, securityCode=NEW_CODE)["reason"] == "payout_cooling"


def test_the_member_is_notified_and_who_did_it_is_on_record(
    house: ApiServer, locked: Player
) -> None:
    lift(locked, player=locked.username)
    assert facts(locked, SecurityCodeLifted) == 1
    house.catch_up()
    for lang, words in (("en", "Customer service removed"), ("zh", "客服已重置")):
        message = locked.call("user/messages", {"lang": lang})["data"]["messages"][0]
        assert message["kind"] == "account"
        assert message["content"].startswith(words)
        assert REASON not in message["content"]


def test_a_forgotten_code_is_taken_away_as_well(player: Player) -> None:
    set_code(player, CODE)
    assert lift(player)["code"] == 1
    assert safety(player) == (False, False)


def test_lifting_many_times_at_once_is_done_once_and_spares_the_next_code(
    house: ApiServer, locked: Player
) -> None:
    key = new_key()
    assert raced(lambda: lift(locked, key))["code"] == 1
    assert facts(locked, SecurityCodeLifted) == 1
    house.clock.now += SECOND_US
    set_code(locked, NEW_CODE)
    assert lift(locked, key)["code"] == 1, "repeated, because its answer was lost"
    assert safety(locked) == (True, False)
    assert facts(locked, SecurityCodeSet) == 2


def test_what_a_crash_left_of_a_lifted_code_goes_with_the_next_try(
    house: ApiServer, locked: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as crashing:
        crashing.setattr(house.services.vault, "remove_code", lambda *_: 1 // 0)
        assert lift(locked)["reason"] == "internal_error"
    assert facts(locked, SecurityCodeLifted) == 1
    assert safety(locked) == (True, True)
    assert lift(locked)["code"] == 1
    assert safety(locked) == (False, False)
    assert facts(locked, SecurityCodeLifted) == 1


def test_liftings_that_are_refused(house: ApiServer, player: Player) -> None:
    guest = house.register(username="visitor1795226777", password="QWERTY", group_id=2)
    for body, refusal, field in (
        ({}, "security_code_unset", "player"),
        ({"player": guest.id}, "security_code_unset", "player"),
        ({"player": 1}, "player_unknown", "player"),
        ({"reason": " "}, "request_malformed", "reason"),
        ({"reason": "x" * 500}, "request_malformed", "reason"),
    ):
        answer = lift(player, **body)
        assert (answer["reason"], answer["field"]) == (refusal, field)
    assert facts(player, SecurityCodeLifted) == 0
