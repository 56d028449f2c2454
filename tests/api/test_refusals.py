"""Refusals over HTTP that need a server in trouble, or a player exactly at a limit."""

from typing import Any, NoReturn

import pytest

from api.http import commands
from engine.bets import decisions
from engine.refusals import Refusal
from engine.runtime.writer import writer as writing
from tests.api.banking import give, set_terms
from tests.api.catalogue import unprovoked
from tests.api.support import ApiServer, Player, new_key


def test_a_full_queue_answers_at_once_and_remembers_nothing(
    player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = new_key()
    with monkeypatch.context() as full:
        full.setattr(writing, "QUEUE_LIMIT", 0)
        assert player.bet(key=key)["reason"] == "engine_busy"
    assert player.bet(key=key)["code"] == 1


def test_a_command_that_waited_too_long_is_not_carried_out(
    player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, key = player.balance(), new_key()
    with monkeypatch.context() as slow:
        slow.setattr(writing, "QUEUE_TIMEOUT_S", -1.0)
        assert player.bet(key=key)["reason"] == "deadline_passed"
    assert player.balance() == before
    assert player.bet(key=key)["code"] == 1


def test_an_answer_that_does_not_come_in_time_is_there_on_retry(
    player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, key = player.balance(), new_key()
    with monkeypatch.context() as late:
        late.setattr(commands, "ANSWER_TIMEOUT_S", 0.0)
        assert player.bet(key=key)["reason"] == "outcome_unknown"
    assert player.bet(key=key)["code"] == 1
    assert player.balance() == before - 10


def test_a_server_that_does_not_lead_reports_it(
    house: ApiServer, player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as standby:
        standby.setattr(house.engine, "_writer", None)
        assert player.bet()["reason"] == "unavailable"
    assert player.bet()["code"] == 1


def test_a_fault_in_one_decision_stops_neither_the_house_nor_the_member(
    player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> NoReturn:
        raise ZeroDivisionError

    key = new_key()
    with monkeypatch.context() as broken:
        broken.setattr(decisions, "place_bet", fail)
        assert player.bet(key=key)["reason"] == "internal_error"
    assert player.bet(key=key)["code"] == 1


def test_too_many_passwords_at_once_have_to_wait(
    house: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(house.services.hash_pool, "_max_waiting", 0)
    body = {"account": "nobody1", "password": "wrong-password"}
    assert house.call("user/login", body)["reason"] == "rate_limited"


def test_no_more_is_bet_than_the_house_could_pay(player: Player) -> None:
    """GLI-19 A.4.1: 1,000u on 0 pay 950,000u."""
    give(player, 1_000)
    assert player.bet("0", 1_000)["code"] == 1
    assert player.bet("0", 100)["reason"] == "exposure_exceeded"
    assert player.bet("27", 100)["code"] == 1


def test_at_the_highest_level_there_is_none_to_reserve(house: ApiServer, player: Player) -> None:
    set_terms(house, levels_minor=(0,))
    assert player.call("user/reserveQuota", {}, new_key())["reason"] == "quota_unavailable"
    set_terms(house)


def test_a_refusal_that_was_never_given_is_noticed() -> None:
    """The check that runs when the suite ends."""
    everything = {refusal.value for refusal in Refusal}
    assert unprovoked(everything) == []
    assert unprovoked(everything - {"round_closed"}) == ["round_closed"]
