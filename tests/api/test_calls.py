"""Every call answers in the shape that the specification prescribes."""

from tests.api.support import MORNING_US, PASSWORD, SECOND_US, ApiServer, Player, new_key

# 09:59:30 on the next day: the day's last round is over, and the next day opens at 10:00.
SALES_HAVE_ENDED_US = MORNING_US + (23 * 3600 + 54 * 60 + 30) * SECOND_US
ENVELOPE = {"code", "msg", "time", "data", "request_id"}


def test_the_configuration_names_operator_games_and_demo(house: ApiServer) -> None:
    answer = house.client.get("/api/index/index", params={"lang": "zh"}).json()
    assert set(answer) == ENVELOPE
    data = answer["data"]
    assert {"banner", "kefu", "demo", "operator", "announcements", "version", "games"} <= set(data)
    assert data["version"] == "21.04.02"
    assert data["demo"] is True
    assert data["timezone"] == "Asia/Singapore"
    assert data["rounds"] == {"seconds": 210, "opens": 600, "minutes": 1440}
    assert data["games"][0] == {"id": 1, "name": "新加坡"}


def test_the_game_list_has_nine_halls_a_game_ordered_by_room_and_tier(house: ApiServer) -> None:
    games = house.call("Lottery/index", {"game_id": 1})["data"]["gameList"]
    assert [game["id"] for game in games] == [1, 2, 3, 4]
    halls = games[1]["planList"]
    assert [(hall["vip"], hall["type"]) for hall in halls] == [
        (vip, tier) for vip in range(3) for tier in range(3)
    ]
    assert halls[4] == {
        "id": 14,
        "game_id": 2,
        "title": "VIP2 Mid-level hall",
        "type": 1,
        "vip": 1,
        "min_limit": 10,
        "join_limit": 5000,
        "status": 1,
    }


def test_the_odds_list_has_both_tabs_with_returns(house: ApiServer) -> None:
    data = house.call("Lottery/oddsList", {"plan_id": 1, "game_id": 1, "id": 1})["data"]
    assert data["odds_table"] == "card-21.04.02"
    assert data["rule_base"][0] == {
        "class": "big",
        "class_name": "Big",
        "odds": 1.98,
        "ischeck": False,
        "return_percent": 99,
    }
    assert [item["class"] for item in data["rule_num"]] == [str(total) for total in range(28)]
    assert data["num_code"]["0"] == 949
    assert data["num_code"]["13"] == 11.66


def test_an_empty_token_is_none(house: ApiServer) -> None:
    headers = {"token": ""}
    body = {"plan_id": 1, "game_id": 1}
    heart = house.client.post("/api/Lottery/heart", json=body, headers=headers).json()
    assert heart["code"] == 1
    assert heart["data"]["user_quantity"] is None
    assert house.client.post("/api/user/userInfo", json={}, headers=headers).json()["code"] == 50008


def test_the_heartbeat_counts_down_and_shows_the_callers_money(house: ApiServer) -> None:
    player = house.register()
    house.next_round()
    data = player.call("Lottery/heart", {"plan_id": 1, "game_id": 1})["data"]
    assert data["game_status"] == 1
    assert data["user_quantity"] == {"money": 1000, "score": 0, "version": 2}
    issue = data["issue"]
    assert issue["issue"] == house.issue
    assert issue["whether_close"] == 0
    assert issue["openTime1"] == (issue["closes_at"] - issue["now"]) // 1000
    assert issue["draws_at"] - issue["closes_at"] == 15_000


def test_a_heartbeat_without_a_round_or_a_draw_keeps_its_shape(unstaffed: ApiServer) -> None:
    room = {"plan_id": 1, "game_id": 1}
    running = unstaffed.call("Lottery/heart", room)["data"]
    assert running["last_issue"] == {
        "issue_code": "",
        "site_1": 0,
        "site_2": 0,
        "site_3": 0,
        "code": 0,
        "base": ["", ""],
        "createtime": 0,
    }
    unstaffed.move_to(SALES_HAVE_ENDED_US)
    waiting = unstaffed.call("Lottery/heart", room)["data"]
    assert waiting["game_status"] == 0
    assert waiting["issue"].keys() == running["issue"].keys()
    assert waiting["issue"] == {
        "issue": "",
        "openTime1": 0,
        "whether_close": 1,
        "closes_at": 0,
        "draws_at": 0,
        "now": SALES_HAVE_ENDED_US // 1000,
    }


def test_a_guest_of_the_house_gets_a_heartbeat_without_money(house: ApiServer) -> None:
    data = house.call("Lottery/heart", {"plan_id": 1, "game_id": 1})["data"]
    assert data["user_quantity"] is None


def test_a_heartbeat_right_after_registering_shows_the_money(house: ApiServer) -> None:
    for _ in range(20):
        player = house.register()
        heart = player.call("Lottery/heart", {"plan_id": 1, "game_id": 1})["data"]
        assert heart["user_quantity"]["money"] == 1000


def test_a_bet_answers_with_the_bet_the_balance_and_a_signed_receipt(player: Player) -> None:
    answer = player.bet("big", 10)
    assert answer["msg"] == "Order placed successfully"
    bet = answer["data"]
    assert bet["after_quantity"] == 990
    assert bet["quantity"] == 10
    assert bet["play_method"] == "Big"
    assert bet["play_type"] == "big"
    assert bet["odds"] == 1.98
    assert bet["nickname"] != player.username, "all clients of the room receive it"
    receipt = bet["receipt"]
    assert receipt["bet"] == bet["orderNo"] == bet["id"]
    assert {"index", "size", "head", "signature", "path"} <= set(receipt)


def test_others_in_the_room_see_the_bet_with_a_masked_name_and_no_balance(
    house: ApiServer, player: Player
) -> None:
    bet = player.bet("odd", 10)["data"]["id"]
    house.catch_up()
    messages = house.call("Lottery/heart", {"plan_id": 1, "game_id": 1})["data"]["message"]
    (message,) = [message for message in messages if message["id"] == bet]
    assert message["after_quantity"] == message["quantity"] == 10
    assert message["nickname"] != player.username
    assert message["bot"] is False


def test_a_recall_returns_the_stake_and_names_the_bets(player: Player, house: ApiServer) -> None:
    first, second = player.bet("big", 10)["data"], player.bet("odd", 5)["data"]
    body = {"issue": house.issue, "game_id": 1, "orderNo": first["orderNo"]}
    answer = player.call("Lottery/recall", body, new_key())
    assert answer["msg"] == "Cancelled successfully"
    assert answer["data"]["recalled"] == [first["orderNo"]]
    assert (answer["data"]["money"], answer["data"]["after_quantity"]) == (10, 995)
    rest = player.call("Lottery/recall", {"issue": house.issue, "game_id": 1}, new_key())["data"]
    assert (rest["recalled"], rest["count"]) == ([second["orderNo"]], 1)
    house.catch_up()
    heart = player.call("Lottery/heart", {"plan_id": 1, "game_id": 1})["data"]
    assert {first["id"], second["id"]} <= set(heart["recalled"])
    assert not {first["id"], second["id"]} & {message["id"] for message in heart["message"]}


def test_a_bet_is_in_the_list_fetched_right_after_it(player: Player) -> None:
    bet = player.bet("small", 7)["data"]
    (order,) = player.call("user/orderList", {"begin_date": "", "end_date": ""})["data"]
    assert order["orderNo"] == bet["orderNo"]
    assert (order["status"], order["profit"], order["lottery_code"]) == (0, 0, "")
    assert (order["plan_name"], order["title"]) == ("VIP1 Ordinary hall", "Singapore")


def test_both_sides_of_a_draw_settle_and_the_ledger_shows_every_move(house: ApiServer) -> None:
    player = house.register()
    house.next_round()
    for kind in ("big", "small"):
        player.bet(kind, 100)
    house.draw_round()
    orders = player.call("user/orderList", {})["data"]
    assert [order["status"] for order in orders] == [1, 1]
    assert sorted(order["profit"] for order in orders) == [-100, 98]
    assert sorted(order["whether_hit"] for order in orders) == [0, 1]
    (code,) = {order["lottery_code"] for order in orders}
    digits = [int(part) for part in code.split()]
    assert sum(digits[:3]) == digits[3]
    entries = player.call("user/quantityLogList", {})["data"]
    assert [(entry["type"], entry["quantity"], entry["over"]) for entry in entries] == [
        (3, 198, 998),
        (2, -100, 800),
        (2, -100, 900),
        (0, 1000, 1000),
    ]
    profile = player.call("user/userInfo", {})["msg"]
    assert (profile["money"], profile["today_profit"], profile["profit"]) == (998, -2, 0)


def test_bets_can_be_filtered_by_status_and_result(house: ApiServer) -> None:
    player = house.register()
    house.next_round()
    for kind in ("big", "small"):
        player.bet(kind, 100)
    recalled = player.bet("odd", 50)["data"]["orderNo"]
    body = {"issue": house.issue, "game_id": 1, "orderNo": recalled}
    player.call("Lottery/recall", body, new_key())
    house.draw_round()

    def orders_of(**filters: object) -> list[tuple[int, int]]:
        orders = player.call("user/orderList", filters)["data"]
        return [(order["status"], order["whether_hit"]) for order in orders]

    assert orders_of(status=1, whether_hit=1) == [(1, 1)]
    assert orders_of(status=1, whether_hit=0) == [(1, 0)]
    assert orders_of(status=2) == [(2, 0)]
    assert orders_of(status=0) == []
    assert len(orders_of(status="", whether_hit="")) == 3


def test_the_ledger_can_be_filtered_by_type(player: Player) -> None:
    player.bet("big", 10)
    entries = player.call("user/quantityLogList", {"type": 2})["data"]
    assert [entry["type"] for entry in entries] == [2]


def test_the_profile_is_under_msg_and_data(player: Player) -> None:
    answer = player.call("user/userInfo", {})
    assert answer["msg"] == answer["data"]
    assert answer["data"]["incode"] == str(player.id)
    assert answer["data"]["total_assets"] == 1000


def test_draws_are_listed_newest_first(house: ApiServer) -> None:
    house.draw_round()
    house.draw_round()
    answer = house.call("Lottery/issueList", {"game_id": 1})
    assert answer["more"] is False
    assert answer["cursor"] is None
    issues = [draw["issue_code"] for draw in answer["data"]]
    assert issues == sorted(issues, reverse=True)
    newest = answer["data"][0]
    assert newest["site_1"] + newest["site_2"] + newest["site_3"] == newest["code"]
    assert newest["base"][0] in {"Big", "Small"}
    heart = house.call("Lottery/heart", {"plan_id": 1, "game_id": 1})["data"]
    assert heart["last_issue"]["issue_code"] == newest["issue_code"]
    game = house.call("Lottery/index", {"game_id": 1})["data"]["gameList"][0]
    assert game["issue"]["last_issue"] == newest["issue_code"]


def test_login_answers_as_register_does(house: ApiServer, player: Player) -> None:
    answer = house.call("user/login", {"account": player.username.upper(), "password": PASSWORD})
    info = answer["data"]["userinfo"]
    assert (info["user_id"], info["money"], info["group_id"]) == (player.id, 1000, 1)
    assert info["token"] != player.token


def test_a_visitor_may_look_but_not_bet(house: ApiServer) -> None:
    visitor = house.register(username="visitor1795226700", password="QWERTY", group_id=2)
    second = house.register(username="visitor1795226700", password="ASDFGH", group_id=2)
    assert visitor.username == "visitor1795226700"
    assert second.username == "visitor1795226700-2"
    assert visitor.bet("big", 1)["reason"] == "must_register"


def test_labels_come_in_the_callers_language(player: Player, house: ApiServer) -> None:
    body = {**house.order("big_odd", 10), "lang": "zh"}
    answer = player.call("Lottery/playOrder", body, new_key())
    assert answer["msg"] == "下单成功"
    assert answer["data"]["play_method"] == "大单"


def test_bodies_may_be_forms_and_numbers_may_be_text(player: Player, house: ApiServer) -> None:
    form = {**{name: str(value) for name, value in house.order("big", 10).items()}, "host": "x"}
    answer = house.client.post("/api/Lottery/playOrder", data=form, headers={"token": player.token})
    assert answer.json()["code"] == 1
    assert player.call("Lottery/playOrder", house.order(13, "5"), new_key())["code"] == 1


def test_health_says_alive(house: ApiServer) -> None:
    assert house.client.get("/healthz").status_code == 200
