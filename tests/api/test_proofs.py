"""The proof of a draw: what is published when, and that it convinces a check that knows no more."""

from typing import Any

import msgspec
import pytest

from api import proof_bets
from api.openapi.examples import Example
from engine.fairness.canonical import canonical
from engine.fairness.draw import WITNESS, link
from engine.fairness.signing import CANCEL, verify
from engine.fairness.verify import Check, CheckResult, OwnBet, PublishedRound, verify_round
from engine.runtime.witness import LocalWitness
from tests.api.support import ApiServer, Player, new_key

#: Whose receipts the example of the description has; the app's tests know the number as well.
EXAMPLE_MEMBER = 10_023


def proof(house: ApiServer, issue: str, player: Player | None = None) -> dict[str, Any]:
    token = player.token if player else None
    answer = house.call("Lottery/proof", {"game_id": 1, "issue": issue}, token=token)
    assert answer["code"] == 1, answer
    found: dict[str, Any] = answer["data"]
    return found


def close_round(house: ApiServer) -> str:
    """The issue of game 1's round, whose sale has ended and which is not drawn yet."""
    opened = house.services.hub.games[1].opened
    assert opened is not None
    house.move_to(opened.closes_at)
    return opened.issue


def secrets_from(house: ApiServer, issue: str) -> list[str]:
    """The operator's and the witness's links from this round on to the tails, in hex."""
    opened = house.services.hub.games[1].opened
    assert opened is not None
    assert opened.issue == issue
    parties = house.engine._context
    mine = parties.chains.links(1, opened.day)
    assert isinstance(parties.witness, LocalWitness)
    theirs = parties.witness._state().days["1", opened.day].links
    return [each.hex() for each in (*mine[opened.index :], *theirs[opened.index :])]


def findings(told: dict[str, Any], player: int = 0) -> list[CheckResult]:
    """What a check finds that has the answer and nothing else."""
    day, frozen, secrets = told["day"], told["frozen"], told["secrets"]
    published = PublishedRound(
        day_opened=canonical(day["record"]),
        day_signature_operator=bytes.fromhex(day["operator_signature"]),
        day_signature_witness=bytes.fromhex(day["witness_signature"]),
        frozen=canonical(frozen["record"]),
        frozen_signature_operator=bytes.fromhex(frozen["operator_signature"]),
        release_signature_witness=bytes.fromhex(secrets["witness_signature"]),
        operator_link=bytes.fromhex(secrets["operator_secret"]),
        witness_link=bytes.fromhex(secrets["witness_secret"]),
        digits=tuple(told["drawn"]["digits"]),
    )
    bets = [
        OwnBet(
            canonical(bet["receipt"]),
            player,
            bet["index"],
            tuple(map(bytes.fromhex, bet["path"])),
            bet["payout_minor"],
        )
        for bet in told["bets"]
    ]
    operator, witness = day["record"]["operator_key"], day["record"]["witness_key"]
    return verify_round(bytes.fromhex(operator), bytes.fromhex(witness), published, bets)


def test_a_round_on_sale_shows_what_both_parties_committed_to_and_no_more(house: ApiServer) -> None:
    told = proof(house, house.issue)
    assert told["state"] == "open"
    assert (told["frozen"], told["secrets"], told["drawn"], told["voided"]) == (None,) * 4
    assert told["self_witnessed"] is True
    record = told["day"]["record"]
    for role in ("operator", "witness"):
        signature = bytes.fromhex(told["day"][f"{role}_signature"])
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

    told = proof(house, issue, player)

    assert told["state"] == "settled"
    assert [bet["receipt"]["kind"] for bet in told["bets"]] == ["big", "small", "13"]
    found = findings(told, player.id)
    assert {finding.check for finding in found} == {*Check}
    assert [finding for finding in found if not finding.passed] == []
    assert told["drawn"]["sum"] == sum(told["drawn"]["digits"])
    (listed, *_) = house.call("Lottery/issueList", {"game_id": 1})["data"]
    assert [listed["site_1"], listed["site_2"], listed["site_3"]] == told["drawn"]["digits"]
    first, *rest = told["drawn"]["digits"]
    forged = {**told, "drawn": {**told["drawn"], "digits": [(first + 1) % 10, *rest]}}
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
    monkeypatch.setattr(proof_bets, "MAX_BETS", 1)
    player.bet("big", 10)
    player.bet("odd", 10)
    issue = house.issue
    house.draw_round()
    bets = proof(house, issue, player)["bets"]
    assert [bet["receipt"]["kind"] for bet in bets] == ["big", "odd"]
    assert [(bet["index"], bet["path"]) for bet in bets] == [(None, None)] * 2


def test_a_voided_round_says_why_and_that_nothing_was_released(
    house: ApiServer, player: Player
) -> None:
    player.bet("big", 10)
    issue = close_round(house)
    conductor = house.engine.scheduler
    assert conductor is not None
    house.on_loop(lambda: conductor.void(1, issue, "the witness was away"))
    house.catch_up()

    told = proof(house, issue, player)

    assert (told["state"], told["drawn"]) == ("voided", None)
    assert told["voided"]["reason"] == "the witness was away"
    assert [(bet["status"], bet["payout_minor"]) for bet in told["bets"]] == [(3, 0)]
    record, secrets = told["frozen"]["record"], told["secrets"]
    cancelled = canonical({"day": record["day"], "game": "1", "i": record["i"], "v": 1})
    key = bytes.fromhex(told["day"]["record"]["witness_key"])
    assert verify(key, CANCEL, cancelled, bytes.fromhex(secrets["witness_signature"]))
    theirs = bytes.fromhex(secrets["witness_secret"])
    for index in reversed(range(record["i"])):
        theirs = link(WITNESS, "1", record["day"], index, theirs)
    assert theirs.hex() == told["day"]["record"]["w_0"]
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
