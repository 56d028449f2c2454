"""Players who give the same ID card or payout account: answered alike and decided by staff."""

from typing import Any

import pytest

from engine.players.facts import ExclusionCarried, IdentityShared
from engine.runtime.vault.private_fields import IDCARD
from scripts.reference_gateway.messages import Gateway
from tests.api.banking import card, facts, prepare, set_terms, withdraw
from tests.api.staffing import close, decided, deposit, office
from tests.api.support import SECOND_US, ApiServer, Player, new_key

REASON = "compared both documents"
_MEMBERS_OWN = ("time", "request_id")


@pytest.fixture(autouse=True)
def without_waiting(house: ApiServer) -> Any:
    set_terms(house, cooling_us=0)
    yield
    set_terms(house)


def idcard(player: Player, number: str) -> dict[str, Any]:
    return player.call("user/profile", {"idcard": number}, new_key())


def same_answer(first: dict[str, Any], second: dict[str, Any]) -> bool:
    return {k: v for k, v in first.items() if k not in _MEMBERS_OWN} == {
        k: v for k, v in second.items() if k not in _MEMBERS_OWN
    }


def pairs(house: ApiServer, **body: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = office(house, "identities", None, "ann", **body)["data"]
    return found


def pair_of(player: Player, **body: Any) -> dict[str, Any]:
    (found,) = [each for each in pairs(player.house, **body) if each["player"] == player.id]
    return found


def decide(player: Player, other: Player, *, same: bool, who: str = "ann") -> dict[str, Any]:
    about = {"player": player.id, "other": other.id, "same": same, "reason": REASON}
    return office(player.house, "identityDecision", None, who, **about)


def withdrawal(player: Player, amount: int) -> str:
    number: str = withdraw(player, amount)["data"]["id"]
    player.house.catch_up()
    return number


@pytest.fixture
def earlier(house: ApiServer) -> Player:
    """A player whose ID card is recorded."""
    player = house.register()
    idcard(player, f"S{player.id}D")
    return player


@pytest.fixture
def later(house: ApiServer, earlier: Player) -> Player:
    """Another player with money to withdraw, who gave the same ID card."""
    player = house.register()
    assert idcard(player, f"s {earlier.id} d")["code"] == 1
    assert player.call("user/setPayInfo", card())["code"] == 1
    assert player.call("user/setSafety", {"new_code": "402917", "after_code": ""})["code"] == 1
    return player


def test_a_known_id_card_is_answered_like_any_other(house: ApiServer, earlier: Player) -> None:
    """A caller cannot find out whether a person plays here."""
    taken, free = house.register(), house.register()
    known, unknown = f"S{earlier.id}D", f"S{earlier.id + 5_000}D"
    assert same_answer(idcard(taken, known), idcard(free, unknown))
    assert same_answer(idcard(taken, known), idcard(free, unknown))
    assert facts(taken, IdentityShared) == 1
    assert facts(free, IdentityShared) == 0


def test_a_known_payout_account_is_answered_like_any_other(house: ApiServer) -> None:
    first, taken, free = house.register(), house.register(), house.register()
    known = card()
    assert first.call("user/setPayInfo", known, new_key())["code"] == 1
    answers = [
        player.call("user/setPayInfo", account, new_key())
        for player, account in ((taken, known), (free, card(acc="9" * 4 + known["acc"])))
    ]
    assert same_answer(*answers)
    assert pair_of(taken)["shares"] == "payout"


def test_staff_see_both_players_and_withdrawals_wait_for_their_decision(
    earlier: Player, later: Player
) -> None:
    """GLI-19 2.5.2d: whether one person has two accounts is for staff to decide."""
    close(later)  # so that turnover due on the gift does not block a withdrawal
    number = withdrawal(later, 100)
    found = pair_of(later)
    assert (found["other"], found["other_username"]) == (earlier.id, earlier.username)
    assert (found["shares"], found["status"]) == ("idcard", "open")
    assert decided(later.house, "withdrawal", number) == "identity_unclear"
    assert decide(later, earlier, same=False)["data"][0]["status"] == "different"
    assert decided(later.house, "withdrawal", number) == "approved"
    assert pairs(later.house) == [each for each in pairs(later.house) if each["status"] == "open"]
    assert pair_of(later, every=True)["status"] == "different"


def test_an_approved_withdrawal_is_not_paid_once_the_identity_is_unclear(
    house: ApiServer, earlier: Player
) -> None:
    player = house.register()
    prepare(player)
    close(player)
    number = withdrawal(player, 100)
    assert decided(house, "withdrawal", number) == "approved"
    given = card()
    earlier.call("user/setPayInfo", given, new_key())
    player.call("user/setPayInfo", given, new_key())
    paid = {"id": number, "reference": "transfer 1"}
    assert office(house, "withdrawalPayment", staff="ben", **paid)["reason"] == "identity_unclear"
    decide(player, earlier, same=False)
    assert office(house, "withdrawalPayment", staff="ben", **paid)["code"] == 1


def test_a_withdrawal_that_waits_can_be_given_back(later: Player) -> None:
    close(later)
    before = later.balance()
    number = withdrawal(later, 100)
    answer = decided(later.house, "withdrawal", number, approve=False, reason="later")
    assert answer == "rejected"
    assert later.balance() == before


def test_one_persons_second_account_bets_no_more_and_its_money_leaves(
    earlier: Player, later: Player
) -> None:
    assert decide(later, earlier, same=True)["data"][0]["status"] == "same"
    assert later.bet()["reason"] == "account_closed"
    number = withdrawal(later, 100)
    assert decided(later.house, "withdrawal", number) == "approved"
    assert earlier.bet()["code"] == 1, "the first account stays usable"


def test_an_excluded_person_cannot_bet_under_a_new_account(
    house: ApiServer, earlier: Player
) -> None:
    """GLI-19 A.3.8: recognised as soon as the ID card is given."""
    assert earlier.call("user/exclude", {"days": 200}, new_key())["code"] == 1
    newcomer = house.register()
    house.next_round()
    assert newcomer.bet()["code"] == 1, "the person is not known yet"
    idcard(newcomer, f"S{earlier.id}D")
    assert newcomer.bet()["reason"] == "excluded"
    announced = {"amount": 100, "channel": "bank", "reference": "x"}
    assert newcomer.call("user/deposit", announced, new_key())["reason"] == "excluded"
    assert newcomer.call("user/protection", {})["data"]["excluded_until"] > 0
    assert facts(newcomer, ExclusionCarried) == 1


def test_money_of_an_account_that_an_exclusion_reached_can_leave(
    house: ApiServer, earlier: Player
) -> None:
    earlier.call("user/exclude", {}, new_key())
    newcomer = house.register()
    prepare(newcomer)
    given = card()
    earlier.call("user/setPayInfo", given, new_key())
    newcomer.call("user/setPayInfo", given, new_key())
    assert newcomer.bet()["reason"] == "excluded"
    number = withdrawal(newcomer, 1_000)
    assert decide(newcomer, earlier, same=True)["code"] == 1
    assert decided(house, "withdrawal", number) == "approved"


def test_a_later_exclusion_reaches_the_second_account_at_once(
    house: ApiServer, earlier: Player, later: Player
) -> None:
    house.next_round()
    assert later.bet()["code"] == 1
    earlier.call("user/exclude", {}, new_key())
    assert later.bet()["reason"] == "excluded"
    assert pair_of(later)["excluded"]


def test_a_deposit_on_its_way_goes_back_once_the_exclusion_is_known(
    house: ApiServer, earlier: Player
) -> None:
    newcomer = house.register()
    number = deposit(newcomer, 250)
    earlier.call("user/exclude", {}, new_key())
    # As if the process had died between the vault and the log.
    house.services.vault.save_private_field(newcomer.id, IDCARD, f"S{earlier.id}D")
    assert decided(house, "deposit", number) == "returned"


@pytest.fixture
def unrecognised(house: ApiServer, earlier: Player) -> Player:
    """A new account of an excluded person, as left by a process that dies before recording it."""
    newcomer = house.register()
    earlier.call("user/exclude", {}, new_key())
    house.services.vault.save_private_field(newcomer.id, IDCARD, f"S{earlier.id}D")
    return newcomer


def test_a_first_deposit_that_staff_enter_is_not_credited_to_an_excluded_person(
    house: ApiServer, unrecognised: Player
) -> None:
    paid = {"amount": "250", "channel": "bank", "reference": f"invoice {new_key()}"}
    answer = office(house, "deposit", player=unrecognised.id, **paid)
    assert answer["data"]["status"] == "returned"
    assert unrecognised.balance() == 1_000
    assert facts(unrecognised, ExclusionCarried) == 1


def test_a_first_deposit_through_the_gateway_goes_back_to_an_excluded_person(
    house: ApiServer, earlier: Player
) -> None:
    newcomer = house.register()
    before = newcomer.balance()
    body = {"amount": 250, "channel": "online", "reference": f"order {new_key()}"}
    order = newcomer.call("user/deposit", body, new_key())["data"]["id"]
    earlier.call("user/exclude", {}, new_key())
    house.services.vault.save_private_field(newcomer.id, IDCARD, f"S{earlier.id}D")
    secret = (house.settings.keys / "gateway.key").read_bytes()
    gateway = Gateway(house.url, secret, lambda: house.clock.now / SECOND_US)
    assert gateway.notify(order, "250")["data"]["status"] == "returned"
    assert newcomer.balance() == before


def test_an_exclusion_that_a_crash_kept_from_the_persons_later_account_reaches_it_at_the_next_start(
    house: ApiServer, earlier: Player, later: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as crashing:
        crashing.setattr(house.services.players, "propagate_exclusion", lambda _: 1 // 0)
        assert earlier.call("user/exclude", {}, new_key())["reason"] == "internal_error"
    assert facts(later, ExclusionCarried) == 0
    house.on_loop(house.services.players.record_shared_exclusions)
    assert facts(later, ExclusionCarried) == 1
    assert later.bet()["reason"] == "excluded"


def test_two_people_are_not_bound_by_each_others_exclusion(
    house: ApiServer, earlier: Player, later: Player
) -> None:
    earlier.call("user/exclude", {}, new_key())
    house.next_round()
    assert later.bet()["reason"] == "excluded"
    decide(later, earlier, same=False)
    assert later.bet()["code"] == 1
    later.call("user/userInfo", {})
    assert later.bet()["code"] == 1, "not carried over again"


def test_members_who_share_nothing_are_no_pair(house: ApiServer) -> None:
    refused = decide(house.register(), house.register(), same=True)
    assert (refused["reason"], refused["field"]) == ("identity_unknown", "other")
