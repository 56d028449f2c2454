"""The proof of a draw with a recorded beacon round, which the app's tests check as well.

All keys and secrets of the round are fixed, so `beacon_proof.json` is what this test computes.
"""

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pytest

from api.game.proofs import _proof
from engine.answers import Refused
from engine.facts import RecordedFact
from engine.fairness import signing
from engine.fairness.beacon import QUICKNET
from engine.fairness.canonical import canonical
from engine.fairness.draw import OPERATOR, WITNESS, chain
from engine.fairness.records import day_record
from engine.house import game_day as games
from engine.house.commands import OpenDay
from engine.house.facts import DayOpened
from engine.house.game_day import GameDay, open_day
from engine.odds import SPECIFIED, table_hash
from engine.rounds import state as rounds
from engine.rounds.commands import DrawRound, OpenRound
from engine.rounds.decisions import close_round, draw, open_round
from engine.rounds.facts import RoundClosed, RoundDrawn, RoundOpened
from engine.rounds.state import Round
from engine.schedule import demo, rounds_on, slot
from projections import draws
from projections.draws import DayDocument, RoundDocument
from tests.api.test_proofs import findings
from tests.engine.a_round import sign
from tests.engine.fairness import parties
from tests.engine.fairness.beacons import recorded

FIXTURE = Path(__file__).with_name("beacon_proof.json")
GAME, DATE, INDEX = 1, "2023-08-23", 5036
SCHEDULE = demo(10)
LENGTH = rounds_on(SCHEDULE, DATE)
PLACE = slot(SCHEDULE, GAME, DATE, INDEX)
LINKS = [
    chain(role, str(GAME), DATE, sha256(role.encode()).digest(), LENGTH)
    for role in (OPERATOR, WITNESS)
]
BEACON = recorded(QUICKNET, 1001)
FactT = TypeVar("FactT")


def one(decided: Sequence[object] | Refused, kind: type[FactT]) -> FactT:
    """The only fact of a decision."""
    assert not isinstance(decided, Refused), decided
    (fact,) = decided
    assert isinstance(fact, kind)
    return fact


def opened_day() -> DayOpened:
    record = day_record(
        game=str(GAME),
        day=DATE,
        first=1,
        schedule=SCHEDULE,
        shift=0,
        rules=sha256(b"rules").digest(),
        odds_table=table_hash(SPECIFIED),
        program=sha256(b"program").digest(),
        c_0=LINKS[0][0],
        w_0=LINKS[1][0],
        operator_key=parties.OPERATOR_PUBLIC,
        witness_key=parties.WITNESS_PUBLIC,
        beacon=QUICKNET.chain_hash,
    )
    by_operator, by_witness = (
        signing.sign(key, signing.DAY, canonical(record)).hex()
        for key in (parties.OPERATOR_KEY, parties.WITNESS_KEY)
    )
    command = OpenDay(GAME, record, SPECIFIED.id, by_operator, by_witness)
    return one(open_day(command, GameDay(GAME), selling=False), DayOpened)


def documents() -> tuple[RoundDocument, DayDocument]:
    """A round without bets, decided step by step, as the read model shows it."""
    day = opened_day()
    game = games.evolve(GameDay(GAME), day)
    game.last_index = INDEX - 1
    opening = OpenRound(GAME, INDEX, PLACE.opens_at, PLACE.closes_at, PLACE.draws_at)
    opened = one(open_round(opening, game, PLACE.opens_at), RoundOpened)
    round_ = Round(opened, SPECIFIED, segment=day)
    closed = one(close_round(round_, game.prev, PLACE.closes_at, sign), RoundClosed)
    rounds.evolve(round_, closed)
    frozen = bytes.fromhex(closed.frozen)
    released = signing.sign(parties.WITNESS_KEY, signing.RELEASE, frozen).hex()
    operator, witness = (links[INDEX].hex() for links in LINKS)
    command = DrawRound(GAME, closed.issue, operator, witness, released, BEACON)
    drawn_at = QUICKNET.published_at(BEACON.number)
    drawn = one(draw(command, round_, game, drawn_at), RoundDrawn)
    document = draws._opened(_recorded(1, PLACE.opens_at, opened), opened)
    document = draws._evolve(document, _recorded(2, PLACE.closes_at, closed), closed)
    document = draws._evolve(document, _recorded(3, drawn_at, drawn), drawn)
    return document, DayDocument(day, 0, PLACE.opens_at)


def _recorded(position: int, at: int, fact: RoundOpened | RoundClosed | RoundDrawn) -> RecordedFact:
    return RecordedFact(position, "round-1-x", position, at, "", "house", fact)


@pytest.fixture(scope="module")
def body() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(msgspec.json.encode(_proof(*documents(), (), frozenset())))
    return found


def test_the_proof_shows_the_beacon_and_its_network(body: dict[str, Any]) -> None:
    assert body["day"]["record"]["beacon"] == QUICKNET.chain_hash
    assert body["drawn"]["beacon"] == {
        "network": "quicknet",
        "round": 1001,
        "randomness": BEACON.randomness,
        "signature": BEACON.signature,
        "previous_signature": "",
    }


def test_the_proof_alone_verifies_the_draw(body: dict[str, Any]) -> None:
    assert all(found.passed for found in findings(body))


def test_the_apps_fixture_is_this_proof(body: dict[str, Any]) -> None:
    """If it changed on purpose, write `body` to the file."""
    assert json.loads(FIXTURE.read_text()) == body
