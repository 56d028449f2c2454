"""Proposals for the whole house, such as future odds: approved by two managers, by id."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.catalogue import NAMED_KINDS
from engine.odds import BALANCED, SPECIFIED, TABLES, OddsTable
from engine.runtime.postgres.embedded_postgres import Conninfos
from scripts.office_cli import cli
from scripts.office_cli.client import RefusedError
from tests.api.staffing import office
from tests.api.support import SECOND_US, ApiServer, Player
from tests.ports import reserved_port

DAY_US = 86_400 * SECOND_US


@pytest.fixture
def house(database: Conninfos, tmp_path: Path) -> Iterator[ApiServer]:
    """A server of its own, because other odds change the payout of every later bet."""
    with ApiServer(database, tmp_path, reserved_port()) as served:
        (served.settings.keys / "address").write_text(served.url)
        yield served


@pytest.fixture
def player(house: ApiServer) -> Player:
    return house.register()


def typed(house: ApiServer, words: str, by: str) -> str:
    """Run a command of one of the staff and return its output."""
    read = cli.read([*words.split(), "--as", by, "--data", str(house.settings.data)])
    return cli.run(read)


def why(answer: dict[str, Any]) -> tuple[str, str]:
    return answer["reason"], answer.get("field", "")


def shown(player: Player) -> Any:
    return player.call("Lottery/oddsList", {"plan_id": 1, "game_id": 1, "id": 1})["data"]


def big_odd(items: list[dict[str, Any]]) -> float:
    (odds,) = [it["odds"] for it in items if it["class"] == "big_odd"]
    return float(odds)


def test_other_odds_are_sold_from_the_next_day_on_and_announced_before(
    house: ApiServer, player: Player
) -> None:
    number = office(house, "odds", table="balanced")["data"]["odds"]["proposed"]["id"]
    assert shown(player)["next"] == []
    agreed = office(house, "settingDecision", staff="ben", id=number, approve=True)["data"]["odds"]
    assert (agreed["table"], agreed["by"], agreed["proposed"]) == (SPECIFIED.id, "staff:ben", None)
    house.next_round()

    today = shown(player)
    assert (today["odds_table"], today["since"]) == (SPECIFIED.id, "")
    assert big_odd(today["rule_base"]) == 3.8
    (coming,) = today["next"]
    assert (coming["odds_table"], coming["day"]) == (BALANCED.id, "2026-11-22")
    changed = {it["class"] for it in coming["changed"]}
    assert changed == {
        *("big_odd", "big_even", "small_odd", "small_even", "extreme_big", "extreme_small")
    }
    assert big_odd(coming["changed"]) == 4.2
    placed = player.bet("big_odd", 10)["data"]
    assert placed["odds"] == 3.8

    house.move_to(house.clock.now + DAY_US)
    house.next_round()
    tomorrow = shown(player)
    assert (tomorrow["odds_table"], tomorrow["since"]) == (BALANCED.id, "2026-11-22")
    assert (big_odd(tomorrow["rule_base"]), tomorrow["next"]) == (4.2, [])
    assert player.bet("big_odd", 10)["data"]["odds"] == 4.2
    settings = office(house, "settings")["data"]["odds"]
    assert (settings["table"], settings["next"]) == (BALANCED.id, [])


def test_a_kind_that_the_table_of_the_day_lacks_is_neither_shown_nor_sold(
    house: ApiServer, player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kind of the catalogue that is newer than the table."""
    older = {kind: odds for kind, odds in BALANCED.odds_milli.items() if kind != "big_odd"}
    monkeypatch.setitem(TABLES, "older", OddsTable("older", older))
    number = office(house, "odds", table="older")["data"]["odds"]["proposed"]["id"]
    office(house, "settingDecision", staff="ben", id=number, approve=True)
    house.next_round()
    (coming,) = shown(player)["next"]
    assert "big_odd" not in {it["class"] for it in coming["changed"]}
    (row,) = [line for line in typed(house, "odds", "ann").splitlines() if "big_odd" in line]
    assert row.endswith("not sold")

    house.move_to(house.clock.now + DAY_US)
    house.next_round()
    assert [it["class"] for it in shown(player)["rule_base"]] == [
        kind for kind in NAMED_KINDS if kind in older
    ]
    assert why(player.bet("big_odd", 10)) == ("play_type_unknown", "play_type")
    assert player.bet("big_even", 10)["code"] == 1


def test_a_table_that_does_not_exist_is_refused(house: ApiServer) -> None:
    assert why(office(house, "odds", table="mine")) == ("terms_invalid", "table")


def test_a_proposal_is_typed_agreed_to_by_its_id_and_rejected(house: ApiServer) -> None:
    """A proposed table with returns outside 75 to 100 % gives a warning."""
    typed(house, "odds balanced", "ann")
    warned = typed(house, "odds", "ann")
    assert "balanced proposed by ann" in warned
    (number,) = {word for word in warned.split() if word.startswith("odds-")}
    with pytest.raises(RefusedError, match="second_person_needed"):
        typed(house, f"agree-setting {number}", "ann")
    assert "rejected" in typed(house, f"reject-setting {number}", "ann")
    with pytest.raises(RefusedError, match="proposal_unknown"):
        typed(house, f"agree-setting {number}", "ben")

    typed(house, "odds balanced", "ann")
    (number,) = {word for word in typed(house, "odds", "ben").split() if word.startswith("odds-")}
    typed(house, f"agree-setting {number}", "ben")
    back = typed(house, f"odds {SPECIFIED.id}", "ben")
    assert "warning: small_odd returns 102.22 %" in back
    assert "warning: extreme_big returns 61.60 %" in back
    assert "from 2026-11-22: balanced" in back


def test_a_colleagues_proposal_is_not_replaced_in_silence(house: ApiServer) -> None:
    first = office(house, "terms", quota_s=86_400)["data"]["terms_proposed"]
    other = office(house, "terms", staff="ben", quota_s=2 * 86_400)
    assert other["reason"] == "proposal_open"
    pending = office(house, "settings")["data"]["terms_proposed"]
    assert (pending["id"], pending["terms"]["quota_s"]) == (first["id"], 86_400)
    rejected = office(house, "settingDecision", staff="ben", id=first["id"], approve=False)
    assert rejected["data"]["terms_proposed"] is None
    assert office(house, "terms", staff="ben", quota_s=2 * 86_400)["code"] == 1


def test_receiving_accounts_are_agreed_to_by_their_proposals_id(house: ApiServer) -> None:
    proposed = office(house, "receivingAccounts", bank="First")["data"]["receiving_proposed"]
    other = office(house, "receivingAccounts", staff="ben", bank="Second")
    assert other["reason"] == "proposal_open"
    agreed = office(house, "settingDecision", staff="ben", id=proposed["id"], approve=True)["data"]
    assert (agreed["receiving"]["bank"], agreed["receiving_by"]) == ("First", "staff:ben")
    assert agreed["receiving_proposed"] is None
