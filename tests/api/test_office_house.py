"""House settings by staff: switches, terms, and receiving accounts for deposits."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from api.ops import demo_data
from api.realtime.hub_feed import load_snapshot
from tests.api.banking import prepare, set_terms, withdraw
from tests.api.staffing import close, decided, deposit, office, two
from tests.api.support import ApiServer, Player, events, new_key

USDT = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
ERC20 = "0xdAC17F958D2ee523a2206206994597C13D831ec7"


@pytest.fixture(autouse=True)
def as_ever(house: ApiServer) -> Any:
    """Undo whatever a test sets."""
    set_terms(house, cooling_us=0)
    yield
    set_terms(house)
    for scope in ("product", "all", "game-1", "game-2", "plan-1"):
        office(house, "switch", scope=scope, closed=False)


@pytest.mark.parametrize(
    ("scope", "refusal"),
    [
        ("product", "product_discontinued"),
        ("all", "gaming_closed"),
        ("game-1", "gaming_closed"),
        ("plan-1", "gaming_closed"),
    ],
)
def test_a_switch_closes_its_rooms_and_a_running_round_finishes(
    house: ApiServer, player: Player, scope: str, refusal: str
) -> None:
    """Switches for all gaming, one game, one room (GLI-19 2.4.1, 4.15.1)."""
    house.next_round()
    placed = player.bet("big", 10)["data"]
    assert heart(player, 1) == 1
    office(house, "switch", scope=scope, closed=True)
    assert player.bet("big", 10)["reason"] == refusal
    assert heart(player, 1) == 0
    games = player.call("Lottery/index", {})["data"]["gameList"]
    assert games[0]["planList"][0]["status"] == 0
    assert games[0]["status"] == int(scope == "plan-1")
    assert games[1]["status"] == int(scope in {"plan-1", "game-1"})
    assert heart(player, 2) == int(scope == "plan-1")

    house.draw_round()
    (bet,) = player.call("user/orderList", {})["data"]
    assert (bet["orderNo"], bet["status"]) == (placed["orderNo"], 1)
    office(house, "switch", scope=scope, closed=False)
    assert heart(player, 1) == 1
    assert player.bet("big", 10)["code"] == 1


def heart(player: Player, plan: int) -> int:
    player.house.catch_up()
    body = {"plan_id": plan, "game_id": 1}
    status: int = player.call("Lottery/heart", body)["data"]["game_status"]
    return status


def test_an_open_room_is_notified_that_it_was_closed(house: ApiServer) -> None:
    query = {"game_id": "1", "plan_id": "1"}
    with (
        httpx.Client(base_url=house.url, timeout=10) as client,
        client.stream("GET", "/api/Lottery/stream", params=query) as stream,
    ):
        stream_events = events(stream.iter_lines())
        assert next(stream_events)[1]["game_status"] == 1
        office(house, "switch", scope="game-1", closed=True)
        assert next(each for name, each in stream_events if name == "heart")["game_status"] == 0


def test_a_switch_that_there_is_not_is_refused(house: ApiServer) -> None:
    answer = office(house, "switch", scope="game-5", closed=True)
    assert (answer["reason"], answer["field"]) == ("switch_unknown", "scope")


def test_one_players_gaming_is_closed_and_their_money_stays_available(
    house: ApiServer, player: Player
) -> None:
    """A switch for one player (GLI-19 2.4.1); withdrawal is still possible (A.3.8)."""
    prepare(player)
    close(player)
    assert player.bet("big", 10)["reason"] == "account_closed"
    assert withdraw(player, 100)["code"] == 1
    body = {"player": player.username, "closed": False}
    assert office(house, "memberSwitch", **body)["reason"] == "request_malformed"
    office(house, "memberSwitch", reason="settled", **body)
    assert player.bet("big", 10)["code"] == 1
    unknown = office(house, "memberSwitch", player=1, closed=True, reason="x")
    assert (unknown["reason"], unknown["field"]) == ("player_unknown", "player")


def test_terms_change_one_by_one_and_apply_immediately(house: ApiServer, player: Player) -> None:
    changed = two(house, "terms", four_eyes="100", bonus_wait_s=60)["data"]
    assert changed["terms"]["four_eyes"] == 100
    assert changed["terms"]["bonus_wait_s"] == 60
    assert changed["terms"]["quota_s"] == 30 * 86_400
    assert (changed["terms_by"], changed["terms_proposed"]) == ("staff:ben", None)
    assert decided(house, "deposit", deposit(player, "100.01")) == "endorsed"


def test_a_change_that_is_repeated_undoes_nothing_that_came_between(house: ApiServer) -> None:
    key = new_key()
    for call, first_fields, second_fields in (
        ("terms", {"cooling_s": 60}, {"four_eyes": 300}),
        ("receivingAccounts", {"bank": "Mine"}, {"holder": "Theirs"}),
    ):
        first = office(house, call, key + call, **first_fields)
        office(house, call, staff="ben", **first_fields)
        two(house, call, **second_fields)
        again = office(house, call, key + call, **first_fields)
        assert (again["code"], again["data"]) == (1, first["data"])
        shown = office(house, "settings")["data"]
        assert (shown["terms_proposed"], shown["receiving_proposed"]) == (None, None)
        now = {**shown["terms"], **shown["receiving"]}
        assert {**first_fields, **second_fields}.items() <= now.items()
        (field,) = first_fields
        changed = office(house, call, key + call, **{field: 7200 if call == "terms" else "X"})
        assert (changed["reason"], changed["field"]) == ("key_reused", field)


@pytest.mark.parametrize(
    ("change", "reason", "field"),
    [
        ({"four_eyes": "-1"}, "terms_invalid", "four_eyes"),
        ({"four_eyes": "1.001"}, "amount_invalid", "four_eyes"),
        ({"cooling_s": -1}, "terms_invalid", "cooling_s"),
        ({"quota_s": 10**30}, "terms_invalid", "quota_s"),
        ({"overnight_permille": -1}, "terms_invalid", "overnight_permille"),
        ({"overnight_permille": 9_999}, "terms_invalid", "overnight_permille"),
        ({"cooling_s": 366 * 86_400}, "terms_invalid", "cooling_s"),
        ({"levels": [5, 10]}, "terms_invalid", "levels"),
        ({"levels": [0, 10, 10]}, "terms_invalid", "levels"),
        ({"largest_deposit": 0}, "terms_invalid", "largest_deposit"),
    ],
)
def test_terms_that_make_no_sense_are_refused(
    house: ApiServer, change: dict[str, Any], reason: str, field: str
) -> None:
    house.catch_up()
    before = office(house, "settings")["data"]["terms"]
    answer = office(house, "terms", **change)
    assert (answer["reason"], answer["field"]) == (reason, field)
    assert office(house, "settings")["data"]["terms"] == before


def test_players_get_the_current_receiving_account(house: ApiServer, player: Player) -> None:
    two(house, "receivingAccounts", bank="First", number="1", holder="House", usdt=USDT)
    two(house, "receivingAccounts", number="2", usdt="")
    info = player.call("user/recharge", {})["data"]
    assert (info["bankname"], info["banknum"], info["bankxm"], info["usdt"]) == (
        *("First", "2", "House", ""),
    )
    long = office(house, "receivingAccounts", bank="x" * 201)
    assert (long["reason"], long["field"]) == ("request_malformed", "bank")


@pytest.mark.parametrize("usdt", [USDT[:-1] + "u", USDT.lower(), ERC20, "T1"])
def test_members_are_sent_to_no_address_with_a_slip_in_it(
    house: ApiServer, player: Player, usdt: str
) -> None:
    two(house, "receivingAccounts", bank="Bank", usdt=USDT)
    answer = office(house, "receivingAccounts", bank="Other", usdt=usdt)
    assert (answer["reason"], answer["field"]) == ("receiving_address_invalid", "usdt")
    info = player.call("user/recharge", {})["data"]
    assert (info["bankname"], info["usdt"]) == ("Bank", USDT)


def test_the_demo_leaves_alone_what_staff_set(house: ApiServer) -> None:
    two(house, "receivingAccounts", bank="First", number="1", holder="House", usdt=USDT)
    before = two(house, "terms", four_eyes=4_000)["data"]
    house.catch_up()
    house.on_loop(lambda: demo_data.seed(house.services))
    house.catch_up()
    assert office(house, "settings")["data"] == before


def test_what_is_closed_stays_closed_over_a_restart(house: ApiServer) -> None:
    office(house, "switch", scope="game-2", closed=True)
    house.catch_up()
    with house.services.pool.connection() as connection:
        assert load_snapshot(connection, 0).sale.closed == {"game-2"}


def test_the_queue_refuses_what_it_does_not_know(house: ApiServer) -> None:
    for fields, field in (({"kind": "bet"}, "kind"), ({"cursor": "x"}, "cursor")):
        answer = office(house, "queue", **fields)
        assert (answer["reason"], answer["field"]) == ("request_malformed", field)


def test_no_one_person_changes_the_receiving_account_or_lifts_four_eyes(
    house: ApiServer, player: Player
) -> None:
    two(house, "receivingAccounts", bank="House Bank", number="1", holder="House")
    before = office(house, "settings")["data"]
    for _ in range(2):
        office(house, "terms", four_eyes="1000000")
        office(house, "receivingAccounts", bank="Ann's Bank", number="9", holder="Ann")
    shown = office(house, "settings")["data"]
    assert (shown["terms"], shown["receiving"]) == (before["terms"], before["receiving"])
    proposed = shown["receiving_proposed"]
    assert proposed["receiving"]["holder"] == "Ann"
    assert (proposed["by"], proposed["at"]) == ("staff:ann", house.clock() // 1_000_000)
    assert shown["terms_proposed"]["terms"]["four_eyes"] == 1_000_000
    house.catch_up()
    assert player.call("user/recharge", {})["data"]["bankname"] == "House Bank"

    # Another value from a colleague is no agreement. The proposer withdraws by the current value.
    for value in ("900000", before["terms"]["four_eyes"]):
        answer = office(house, "terms", staff="ben", four_eyes=value)
        assert answer["reason"] == "proposal_open"
    office(house, "terms", four_eyes=before["terms"]["four_eyes"])
    shown = office(house, "settings")["data"]
    assert (shown["terms"], shown["terms_proposed"]) == (before["terms"], None)


def test_the_same_values_from_several_staff_at_once_are_set_once(house: ApiServer) -> None:
    names = ("ann", "ben", "cleo", "dan")
    with ThreadPoolExecutor(len(names)) as threads:
        list(threads.map(lambda name: office(house, "terms", None, name, quota_s=77), names))
    house.catch_up()
    shown = office(house, "settings")["data"]
    assert (shown["terms"]["quota_s"], shown["terms_proposed"]) == (77, None)
    with house.services.pool.connection() as connection:
        values = connection.execute("SELECT value FROM views.settings").fetchall()
    assert len([value for (value,) in values if '"quota_us":77000000,' in value]) == 1
