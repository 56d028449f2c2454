"""Limits, time-outs and exclusions set by players over HTTP, and their progress figures.

GLI-19 A.3.7, A.3.8; RTS 12, 13B.
"""

from typing import Any

import psycopg
import pytest
from msgspec.structs import replace

from api.cashier import overnight_bonus
from engine.cashier.facts import GiftGranted
from engine.players.facts import LimitSet, QuotaReserved, SelfExcluded
from engine.schedule import calendar_day
from tests.api.banking import facts, give, prepare, raced, set_terms, sign_in, withdraw
from tests.api.support import SECOND_US, ApiServer, Clock, Player, new_key

DAY_S = 24 * 3600


def call(player: Player, path: str, **body: Any) -> dict[str, Any]:
    return player.call(f"user/{path}", body, new_key())


def shown(player: Player) -> dict[str, Any]:
    found: dict[str, Any] = player.call("user/protection", {})["data"]
    return found


def limit(player: Player, subject: str, span: str) -> dict[str, Any]:
    (found,) = (
        each
        for each in shown(player)["limits"]
        if (each["subject"], each["span"]) == (subject, span)
    )
    return dict(found)


def now_s(house: ApiServer) -> int:
    return house.clock.now // SECOND_US


def test_a_new_member_sees_all_limits_unset_and_what_was_used(house: ApiServer) -> None:
    player = house.register()
    player.bet(money=30)
    limits = shown(player)["limits"]
    assert [(each["subject"], each["span"]) for each in limits] == [
        (subject, span) for subject in ("deposit", "loss") for span in ("day", "week", "month")
    ]
    assert {each["amount"] for each in limits} == {None}
    assert [each["used"] for each in limits if each["subject"] == "loss"] == [30, 30, 30]


def test_a_loss_limit_applies_immediately_and_shows_what_is_left(house: ApiServer) -> None:
    player = house.register()
    player.bet(money=30)
    answer = call(player, "setLimit", subject="loss", span="day", amount=50)
    assert (answer["code"], answer["data"]["holds_from"]) == (1, now_s(house))
    assert (limit(player, "loss", "day")["amount"], limit(player, "loss", "day")["left"]) == (
        50,
        20,
    )
    refused = player.bet(money=21)
    assert refused["reason"] == "loss_limit_reached"
    assert player.bet(money=20)["code"] == 1


def test_a_higher_limit_waits_a_day_and_the_lower_stays_in_force(house: ApiServer) -> None:
    player = house.register()
    call(player, "setLimit", subject="loss", span="week", amount=10)
    answer = call(player, "setLimit", subject="loss", span="week", amount=None)
    assert answer["data"]["holds_from"] == now_s(house) + DAY_S
    waiting = limit(player, "loss", "week")
    assert (waiting["amount"], waiting["next_amount"]) == (10, None)
    assert waiting["next_from"] == now_s(house) + DAY_S
    assert player.bet(money=11)["reason"] == "loss_limit_reached"


@pytest.mark.parametrize(
    ("path", "body", "reason", "field"),
    [
        ("setLimit", {"subject": "time", "span": "day", "amount": 5}, "limit_unknown", "span"),
        ("setLimit", {"subject": "loss", "span": "year", "amount": 5}, "limit_unknown", "span"),
        ("setLimit", {"subject": "loss", "span": "day", "amount": -5}, "amount_invalid", "amount"),
        ("setLimit", {"subject": "loss", "span": "day", "amount": "x"}, "amount_invalid", "amount"),
        ("setLimit", {"subject": "loss"}, "request_malformed", "span"),
        ("timeOut", {"hours": 0}, "period_invalid", "hours"),
        ("timeOut", {"hours": 1009}, "period_invalid", "hours"),
        ("timeOut", {"hours": 10**15}, "period_invalid", "hours"),
        ("timeOut", {"hours": "soon"}, "request_malformed", "hours"),
        ("exclude", {"days": 179}, "period_invalid", "days"),
        ("exclude", {"days": -(10**9)}, "period_invalid", "days"),
        ("realityCheck", {"minutes": 241}, "interval_invalid", "minutes"),
        ("realityCheck", {"minutes": -1}, "interval_invalid", "minutes"),
        ("releaseBonus", {}, "bonus_not_due", ""),
    ],
)
def test_what_makes_no_sense_is_refused_and_changes_nothing(
    house: ApiServer, path: str, body: dict[str, Any], reason: str, field: str
) -> None:
    player = house.register()
    before = shown(player)
    answer = call(player, path, **body)
    assert (answer["code"], answer["reason"], answer.get("field", "")) == (0, reason, field)
    assert shown(player) == before


def test_nothing_is_set_or_shown_without_a_session(house: ApiServer) -> None:
    for path in ("protection", "exclude", "reserveQuota", "releaseQuota", "releaseBonus"):
        assert house.call(f"user/{path}", {})["code"] == 50008


def test_guests_must_register(house: ApiServer) -> None:
    guest = house.register(username="visitor1", password="ABCDEF", group_id=2)
    assert call(guest, "timeOut", hours=1)["reason"] == "must_register"
    assert call(guest, "reserveQuota")["reason"] == "must_register"


def test_a_rest_stops_bets_and_cannot_be_shortened(house: ApiServer) -> None:
    player = house.register()
    assert call(player, "timeOut", hours=48)["code"] == 1
    assert player.bet()["reason"] == "excluded"
    assert call(player, "timeOut", hours=24)["reason"] == "period_shortened"
    assert shown(player)["time_out_until"] == now_s(house) + 2 * DAY_S


def test_the_shortest_exclusion_can_be_requested_while_time_passes(
    house: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def passing(clock: Clock) -> int:
        clock.now += 1
        return clock.now

    player = house.register()
    monkeypatch.setattr(Clock, "__call__", passing)
    assert call(player, "exclude", days=180)["code"] == 1
    assert shown(player)["excluded_until"] >= now_s(house) + 180 * DAY_S


@pytest.mark.parametrize(("path", "body"), [("timeOut", {"hours": 2}), ("exclude", {"days": 200})])
def test_an_exclusion_whose_answer_was_lost_applies_once(
    house: ApiServer, path: str, body: dict[str, int]
) -> None:
    """GLI-19 B.3.5a, A.3.8: a later retry is the same request, although its end is later."""
    player, key = house.register(), new_key()
    first = player.call(f"user/{path}", body, key)
    house.clock.now += 3 * SECOND_US
    again = player.call(f"user/{path}", body, key)
    assert (first["code"], again["data"]) == (1, first["data"])
    other = {name: length + 1 for name, length in body.items()}
    assert player.call(f"user/{path}", other, key)["reason"] == "key_reused"


def test_who_excludes_themselves_bets_nothing_and_takes_everything_out(house: ApiServer) -> None:
    """Neither turnover due nor a reserved quota blocks the withdrawal."""
    set_terms(house, cooling_us=0)
    player = house.register()
    prepare(player)
    assert call(player, "reserveQuota")["code"] == 1
    assert withdraw(player, 100)["reason"] == "quota_reserved"
    assert call(player, "exclude")["code"] == 1
    assert shown(player)["excluded_for_good"] is True
    assert player.bet()["reason"] == "excluded"
    everything = player.balance()
    assert withdraw(player, everything)["code"] == 1
    assert player.balance() == 0
    set_terms(house)


def test_a_quota_closes_withdrawals_until_it_is_given_up(house: ApiServer) -> None:
    set_terms(house, cooling_us=0)
    player = house.register()
    prepare(player)
    call(player, "reserveQuota")
    assert shown(player)["progress"]["quota_level"] == 1
    assert withdraw(player)["reason"] == "quota_reserved"
    assert call(player, "releaseQuota")["code"] == 1
    assert withdraw(player)["reason"] == "turnover_unmet"
    assert shown(player)["progress"]["quota_level"] == 0
    set_terms(house)


def test_a_shorter_list_of_levels_locks_no_member_out(house: ApiServer) -> None:
    """A reserved level that no longer exists counts as released."""
    set_terms(house, cooling_us=0)
    player = house.register()
    prepare(player)
    call(player, "reserveQuota")
    set_terms(house, cooling_us=0, levels_minor=(0,))
    assert shown(player)["progress"]["quota_level"] == 0
    for path in ("userInfo", "withdrawInfo", "protection"):
        assert player.call(f"user/{path}", {})["code"] == 1
    assert player.call("user/withdrawInfo", {})["data"]["quota"] is None
    assert withdraw(player)["reason"] == "turnover_unmet"
    assert call(player, "releaseQuota")["code"] == 1
    set_terms(house)


def test_turnover_is_shown_and_falls_as_rounds_are_settled(house: ApiServer) -> None:
    player = house.register()
    before = shown(player)["progress"]
    assert before["due"] > 0
    assert (before["done"], before["level"], before["next_level_at"]) == (0, "basic", 10_000)
    player.bet("big", 100)
    player.bet("small", 100)
    house.draw_round()
    after = shown(player)["progress"]
    assert (after["done"], before["due"] - after["due"]) == (2, 2)


def test_the_overnight_bonus_comes_once_and_is_released_after_its_turnover(
    house: ApiServer,
) -> None:
    set_terms(house, overnight=True, bonus_wait_us=0)
    player = house.register()
    player.bet("big", 500)
    house.draw_round()
    today = calendar_day(house.services.settings.timezone, house.clock.now)
    assert house.on_loop(lambda: overnight_bonus.grant(house.services, today)) >= 1
    assert facts(player, GiftGranted) == 0
    house.move_to(house.clock.now + DAY_S * SECOND_US)
    for _ in range(2):
        house.on_loop(lambda: overnight_bonus.grant(house.services, today))
    assert facts(player, GiftGranted) == 1
    player = sign_in(player)
    progress = shown(player)["progress"]
    assert (progress["bonus"], progress["bonus_due"]) == (5, 10)
    assert call(player, "releaseBonus")["reason"] == "bonus_not_due"
    give(player, 100)
    player.bet("big", 10)
    house.draw_round()
    before = player.balance()
    answer = call(player, "releaseBonus")
    assert (answer["code"], answer["data"]["quantity"], answer["data"]["score"]) == (1, 5, 0)
    assert player.balance() == before + 5
    set_terms(house)


def test_the_overnight_bonus_waits_until_the_read_models_have_the_whole_day(
    house: ApiServer,
) -> None:
    """Players whom a late read model has not reached would get none."""
    player = house.register()
    house.catch_up()
    today = calendar_day(house.services.settings.timezone, house.clock.now)
    with psycopg.connect(house.conninfos.owner) as holding:
        holding.execute("LOCK TABLE views.positions IN EXCLUSIVE MODE")
        assert player.bet("big", 500)["code"] == 1
        house.clock.now += DAY_S * SECOND_US
        assert not house.on_loop(lambda: overnight_bonus.is_complete(house.services, today))
    house.move_to(house.clock.now)
    assert house.on_loop(lambda: overnight_bonus.is_complete(house.services, today))


@pytest.mark.parametrize(
    ("late", "is_complete"), [("accounts", False), ("standings", False), ("feed", True)]
)
def test_the_overnight_bonus_waits_for_turnover_and_terms_only(
    house: ApiServer, late: str, *, is_complete: bool
) -> None:
    yesterday = calendar_day(house.services.settings.timezone, house.clock.now - DAY_S * SECOND_US)
    models = tuple(
        replace(each, lag_ms=2 * DAY_S * 1_000) if each.name == late else each
        for each in house.services.models()
    )
    services = replace(house.services, models=lambda: models)
    found = house.on_loop(lambda: overnight_bonus.is_complete(services, yesterday))
    assert found == is_complete


@pytest.mark.parametrize(
    ("path", "body", "kind"),
    [
        ("setLimit", {"subject": "loss", "span": "day", "amount": 10}, LimitSet),
        ("exclude", {}, SelfExcluded),
        ("reserveQuota", {}, QuotaReserved),
    ],
)
def test_repeated_at_once_under_one_key_it_has_one_effect(
    house: ApiServer, path: str, body: dict[str, Any], kind: type
) -> None:
    player = house.register()
    key = new_key()
    answer = raced(lambda: player.call(f"user/{path}", body, key))
    assert answer["code"] == 1
    assert facts(player, kind) == 1
