"""The proof of a draw: what is published when, and an independent check that uses nothing else."""

from typing import Any

import msgspec
import pytest

from api.game import receipts
from api.http.openapi.document import Example
from engine.fairness.beacon import BeaconRound
from engine.fairness.canonical import canonical
from engine.fairness.draw import WITNESS, link
from engine.fairness.signing import CANCEL, verify
from engine.fairness.verify import Check, CheckResult, OwnBet, PublishedRound, verify_round
from engine.runtime.witness.local_witness import LocalWitness
from tests.api.support import ApiServer, Player, new_key

#: The player in the OpenAPI example of a proof; the app's tests use the same number.
EXAMPLE_MEMBER = 10_023


def proof(house: ApiServer, issue: str, player: Player | None = None) -> dict[str, Any]:
    token = player.token if player else None
    answer = house.call("Lottery/proof", {"game_id": 1, "issue": issue}, token=token)
    assert answer["code"] == 1, answer
    found: dict[str, Any] = answer["data"]
    return found


def close_round(house: ApiServer) -> str:
    """Close game 1's round without drawing it and return its issue."""
    opened = house.services.hub.games[1].opened
    assert opened is not None
    house.move_to(opened.closes_at)
    return opened.issue


def secrets_from(house: ApiServer, issue: str) -> list[str]:
    """The operator's and the witness's chain links from this round to the end, in hex."""
    opened = house.services.hub.games[1].opened
    assert opened is not None
    assert opened.issue == issue
    parties = house.engine._context
    operator_links = parties.chains.links(1, opened.day)
    assert isinstance(parties.witness, LocalWitness)
    witness_links = parties.witness._state().days["1", opened.day].links
    return [
        each.hex() for each in (*operator_links[opened.index :], *witness_links[opened.index :])
    ]


def findings(body: dict[str, Any], player: int = 0) -> list[CheckResult]:
    """The results of a check that has only the answer."""
    day, frozen, secrets = body["day"], body["frozen"], body["secrets"]
    published = PublishedRound(
        day_opened=canonical(day["record"]),
        day_signature_operator=bytes.fromhex(day["operator_signature"]),
        day_signature_witness=bytes.fromhex(day["witness_signature"]),
        frozen=canonical(frozen["record"]),
        frozen_signature_operator=bytes.fromhex(frozen["operator_signature"]),
        release_signature_witness=bytes.fromhex(secrets["witness_signature"]),
        operator_link=bytes.fromhex(secrets["operator_secret"]),
        witness_link=bytes.fromhex(secrets["witness_secret"]),
        digits=tuple(body["drawn"]["digits"]),
        beacon=_beacon(body["drawn"]["beacon"]),
    )
    bets = [
        OwnBet(
            canonical(bet["receipt"]),
            player,
            bet["index"],
            tuple(map(bytes.fromhex, bet["path"])),
            bet["payout_minor"],
        )
        for bet in body["bets"]
    ]
    operator, witness = day["record"]["operator_key"], day["record"]["witness_key"]
    return verify_round(bytes.fromhex(operator), bytes.fromhex(witness), published, bets)


def _beacon(body: dict[str, Any] | None) -> BeaconRound | None:
    if body is None:
        return None
    signatures = body["signature"], body["previous_signature"]
    return BeaconRound(body["round"], body["randomness"], *signatures)


def test_a_round_on_sale_shows_what_both_parties_committed_to_and_no_more(house: ApiServer) -> None:
    body = proof(house, house.issue)
    assert body["state"] == "open"
    assert (body["frozen"], body["secrets"], body["drawn"], body["voided"]) == (None,) * 4
    assert body["self_witnessed"] is True
    record = body["day"]["record"]
    for role in ("operator", "witness"):
        signature = bytes.fromhex(body["day"][f"{role}_signature"])
        key = bytes.fromhex(record[f"{role}_key"])
        assert verify(key, b"fairdraw/day/v1\0", canonical(record), signature)


def test_no_secret_leaves_before_its_round_is_drawn_and_no_later_one_with_it(
    house: ApiServer, player: Player
) -> None:
    player.bet("big", 10)
    house.catch_up()
    opened = msgspec.json.encode(proof(house, house.issue, player)).decode()
    withheld = secrets_from(house, house.issue)
    assert len(withheld) > 4
    assert [each for each in withheld if each in opened] == []
    issue = close_round(house)
    closed = proof(house, issue, player)
    assert closed["state"] == "closed"
    assert closed["frozen"]["record"]["count"] >= 1
    text = msgspec.json.encode(closed).decode()
    assert [each for each in withheld if each in text] == []
    house.next_round()
    drawn = proof(house, issue, player)
    text = msgspec.json.encode(drawn).decode()
    revealed = {drawn["secrets"]["operator_secret"], drawn["secrets"]["witness_secret"]}
    assert {each for each in withheld if each in text} == revealed


def test_a_drawn_round_and_ones_own_bets_in_it_check_by_the_answer_alone(
    house: ApiServer, player: Player
) -> None:
    other = house.register()
    issue = house.issue
    for kind, money in (("big", 10), ("small", 3), ("13", 1)):
        player.bet(kind, money)
        other.bet(kind, 7)
    recalled = player.bet("odd", 10)["data"]["orderNo"]
    body = {"issue": issue, "game_id": 1, "orderNo": recalled}
    player.call("Lottery/recall", body, new_key())
    house.draw_round()

    body = proof(house, issue, player)

    assert body["state"] == "settled"
    assert [bet["receipt"]["kind"] for bet in body["bets"]] == ["big", "small", "13"]
    found = findings(body, player.id)
    assert {finding.check for finding in found} == {*Check}
    assert [finding for finding in found if not finding.passed] == []
    assert body["drawn"]["sum"] == sum(body["drawn"]["digits"])
    (listed, *_) = house.call("Lottery/issueList", {"game_id": 1})["data"]
    assert [listed["site_1"], listed["site_2"], listed["site_3"]] == body["drawn"]["digits"]
    first, *rest = body["drawn"]["digits"]
    forged = {**body, "drawn": {**body["drawn"], "digits": [(first + 1) % 10, *rest]}}
    assert next(each.check for each in findings(forged) if not each.passed) is Check.DIGITS


def test_bets_are_shown_to_their_owner_alone(house: ApiServer, player: Player) -> None:
    player.bet("big", 10)
    issue = house.issue
    house.draw_round()
    assert len(proof(house, issue, player)["bets"]) == 1
    assert proof(house, issue)["bets"] == []
    assert proof(house, issue, house.register())["bets"] == []


def test_a_set_too_large_for_paths_leaves_the_receipts(
    house: ApiServer, player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receipts, "MAX_BETS", 1)
    player.bet("big", 10)
    player.bet("odd", 10)
    issue = house.issue
    house.draw_round()
    bets = proof(house, issue, player)["bets"]
    assert [bet["receipt"]["kind"] for bet in bets] == ["big", "odd"]
    assert [(bet["index"], bet["path"]) for bet in bets] == [(None, None)] * 2


def test_a_voided_rounds_proof_has_the_reason_and_that_nothing_was_released(
    house: ApiServer, player: Player
) -> None:
    player.bet("big", 10)
    issue = close_round(house)
    scheduler = house.engine.scheduler
    assert scheduler is not None
    house.on_loop(lambda: scheduler.void(1, issue, "the witness was away"))
    house.catch_up()

    body = proof(house, issue, player)

    assert (body["state"], body["drawn"]) == ("voided", None)
    assert body["voided"]["reason"] == "the witness was away"
    assert [(bet["status"], bet["payout_minor"]) for bet in body["bets"]] == [(3, 0)]
    record, secrets = body["frozen"]["record"], body["secrets"]
    cancelled = canonical({"day": record["day"], "game": "1", "i": record["i"], "v": 1})
    key = bytes.fromhex(body["day"]["record"]["witness_key"])
    assert verify(key, CANCEL, cancelled, bytes.fromhex(secrets["witness_signature"]))
    witness_link = bytes.fromhex(secrets["witness_secret"])
    for index in reversed(range(record["i"])):
        witness_link = link(WITNESS, "1", record["day"], index, witness_link)
    assert witness_link.hex() == body["day"]["record"]["w_0"]
    house.next_round()


@pytest.mark.parametrize("issue", ["", "1", "20261121999", "x" * 65, "\x00", -1])
def test_a_round_that_is_none_is_refused(house: ApiServer, issue: Any) -> None:
    answer = house.call("Lottery/proof", {"game_id": 1, "issue": issue})
    assert (answer["reason"], answer["field"]) == ("round_unknown", "issue")


@pytest.mark.parametrize("game", [0, 5, -1, 10**20])
def test_a_game_that_is_none_is_refused(house: ApiServer, game: int) -> None:
    answer = house.call("Lottery/proof", {"game_id": game, "issue": house.issue})
    assert answer["field"] == "game_id"
    assert answer["reason"] in {"plan_unknown", "request_malformed"}


def test_the_example_in_the_description_checks_too() -> None:
    example = Example.of("/api/Lottery/proof")
    assert example is not None
    found = findings(example.data, EXAMPLE_MEMBER)
    assert {finding.check for finding in found} == {*Check}
    assert [finding for finding in found if not finding.passed] == []
