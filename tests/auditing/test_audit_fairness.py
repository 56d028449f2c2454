"""`scripts/audit fairness` finds each fault of a draw, with its position and the reason."""

import itertools
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace

from engine.fairness import signing
from engine.fairness.canonical import canonical
from engine.fairness.records import FinishedRecord
from engine.fairness.witness_decisions import finish_days
from engine.fairness.witness_state import (
    DayFinished,
    ReleasesSummed,
    RoundCancelled,
    RoundReleased,
    WitnessRecord,
)
from engine.house.commands import LeaveSegment
from engine.house.facts import DayOpened, RoundsCarried
from engine.rounds.facts import RoundDrawn, RoundVoided, VoidRuled, WitnessAnsweredLate
from engine.runtime.postgres.embedded_postgres import Conninfos
from engine.sandbox import SHORT_DAYS
from engine.schedule import current
from scripts.audit_tool.draw_audit import protocol, signatures
from scripts.audit_tool.draw_audit.audit import Days, DrawAudit
from scripts.audit_tool.draw_audit.stored import TOPICS, last_position
from scripts.audit_tool.draw_audit.witness_list import WitnessList
from scripts.audit_tool.fairness import audited_draws
from tests.auditing.conftest import Audit
from tests.auditing.drawn_house import DrawnHouse, drawn_evening
from tests.projections.history import History
from tests.runtime.audit import rows

HALF_AN_HOUR_US = 30 * 60 * 1_000_000
STRANGER = Ed25519PrivateKey.from_private_bytes(sha256(b"stranger").digest())
Printed = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def evening() -> DrawnHouse:
    return drawn_evening(games=(1, 2))


class ChangedLog:
    """A log of which a test changes facts. The positions are ten times the original ones."""

    def __init__(self, connection: psycopg.Connection, house: DrawnHouse) -> None:
        self.connection = connection
        self.house = house
        for factor in (-10, -1):
            self.run("UPDATE log.facts SET notification_id = notification_id * %s", factor)

    def run(self, statement: str, *values: object) -> None:
        self.connection.execute(statement.encode(), values)

    def positions(self, topic: str, game: int = 1) -> list[int]:
        """The positions of a game's facts with this topic."""
        found = self.connection.execute(
            "SELECT notification_id, state FROM log.facts WHERE topic = %s ORDER BY 1", (topic,)
        )
        return [at for at, state in found if json.loads(state).get("game", game) == game]

    def fields(self, position: int) -> dict[str, Any]:
        row = self.connection.execute(
            "SELECT state FROM log.facts WHERE notification_id = %s", (position,)
        ).fetchone()
        assert row is not None
        fields: dict[str, Any] = json.loads(row[0])
        return fields

    def set(self, position: int, **fields: Any) -> int:
        """Change fields of a fact; returns its position."""
        state = json.dumps(self.fields(position) | fields).encode()
        self.run("UPDATE log.facts SET state = %s WHERE notification_id = %s", state, position)
        return position

    def move(self, position: int, after: int) -> int:
        """Move a fact to another place; returns its new position."""
        statement = "UPDATE log.facts SET notification_id = %s WHERE notification_id = %s"
        self.run(statement, after + 5, position)
        return after + 5

    def copy(self, position: int, after: int, **fields: Any) -> int:
        """Insert a changed copy of a fact at a later place; returns its position."""
        self.run(
            "INSERT INTO log.facts SELECT originator_id, originator_version + 1000000, topic,"
            " state, %s, at, command_id, actor FROM log.facts WHERE notification_id = %s",
            *(after + 5, position),
        )
        return self.set(after + 5, **fields)

    def delete(self, position: int) -> int:
        self.run("DELETE FROM log.facts WHERE notification_id = %s", position)
        return position

    def freeze_again(self, position: int, **fields: Any) -> int:
        """Change a frozen record, and sign it with the operator's own key."""
        changed = self.fields(position) | fields
        frozen = sha256(protocol.frozen_record(changed)).digest()
        signature = self.house.sandbox._operator.sign(protocol.FROZEN + frozen).hex()
        return self.set(position, **fields, frozen=frozen.hex(), signature=signature)


@contextmanager
def changing(house: Conninfos, evening: DrawnHouse) -> Iterator[ChangedLog]:
    """A log to change; all changes are undone."""
    with psycopg.connect(house.owner) as connection:
        connection.execute("ALTER TABLE log.facts DISABLE TRIGGER ALL")
        yield ChangedLog(connection, evening)
        connection.rollback()


def audited(log: ChangedLog) -> list[str]:
    audit = audited_draws(log.connection, last_position(log.connection))
    return [str(finding) for finding in audit.findings]


Fault = Callable[[ChangedLog], tuple[int, str]]
"""Plants a fault; returns the position and the reason of the finding."""


def wrong_digit(log: ChangedLog) -> tuple[int, str]:
    at = log.positions("round-drawn.1")[1]
    digits = [(digit + 1) % 10 for digit in log.fields(at)["digits"]]
    return log.set(at, digits=digits, total=sum(digits)), "the digits are .* but the links give"


def wrong_sum(log: ChangedLog) -> tuple[int, str]:
    at = log.positions("round-drawn.1")[0]
    return log.set(at, total=28), "the sum is 28, but the digits have"


def swapped_links(log: ChangedLog) -> tuple[int, str]:
    one, other = log.positions("round-drawn.1")[:2]
    links = [log.fields(at)["operator_secret"] for at in (one, other)]
    log.set(one, operator_secret=links[1])
    return log.set(other, operator_secret=links[0]), "the operator's link does not lead to"


def links_of_another_game(log: ChangedLog) -> tuple[int, str]:
    (at, *_), (other, *_) = (log.positions("round-drawn.1", game) for game in (1, 2))
    link = log.fields(other)["witness_secret"]
    return log.set(at, witness_secret=link), "the witness's link does not lead to"


def changed_bet(log: ChangedLog) -> tuple[int, str]:
    at = log.positions("bet-placed.1")[0]
    log.set(at, kind="13")
    return log.positions("receipts-signed.1")[0], "bets from position .* a bet was changed"


def changed_bet_in_the_frozen_record(log: ChangedLog) -> tuple[int, str]:
    first = log.positions("bet-placed.1")[0]
    log.set(first, salt="00" * 16)
    return log.positions("round-closed.1")[0], "a bet between the positions .* was changed"


def changed_stake(log: ChangedLog) -> tuple[int, str]:
    at = log.positions("bet-placed.1")[0]
    log.set(at, stake_minor=log.fields(at)["stake_minor"] + 100)
    settled = log.positions("bet-settled.1")[0]
    return settled, f"had another owner or stake at position {at:,}"


def bet_after_the_close(log: ChangedLog) -> tuple[int, str]:
    bet = log.positions("bet-placed.1")[0]
    closed = log.positions("round-closed.1")[0]
    reason = f"was accepted after the close at position {closed:,}"
    return log.move(bet, after=closed), reason


def bet_after_the_draw(log: ChangedLog) -> tuple[int, str]:
    bet = log.positions("bet-placed.1")[0]
    settled = log.positions("round-settled.1")[0]
    at = log.copy(bet, after=settled, bet="f" * 20)
    return at, "a bet was accepted, but the round had been drawn and settled"


def bet_at_the_time_of_the_close(log: ChangedLog) -> tuple[int, str]:
    at = log.positions("bet-placed.1")[0]
    closes_at = log.fields(at)["closes_at"]
    log.run("UPDATE log.facts SET at = %s WHERE notification_id = %s", closes_at, at)
    return at, "was accepted at or after the time of the close"


def second_frozen_record(log: ChangedLog) -> tuple[int, str]:
    at = log.positions("round-closed.1")[0]
    second = log.copy(at, after=at, count=0)
    return second, f"a second frozen record; the first is at position {at:,}"


def second_frozen_record_of_a_settled_round(log: ChangedLog) -> tuple[int, str]:
    settled = log.positions("round-settled.1")[0]
    second = log.copy(log.positions("round-closed.1")[0], after=settled)
    return second, "a frozen record was published, but the round had been drawn and settled"


def second_draw(log: ChangedLog) -> tuple[int, str]:
    at = log.positions("round-drawn.1")[0]
    second = log.copy(at, after=at, digits=[1, 2, 3], total=6)
    return second, f"drawn twice; the first draw is at position {at:,}"


def wrong_signature(topic: str, field: str, reason: str) -> Fault:
    def sign(log: ChangedLog) -> tuple[int, str]:
        return log.set(log.positions(topic)[0], **{field: STRANGER.sign(b"x").hex()}), reason

    return sign


def broken_prev(log: ChangedLog) -> tuple[int, str]:
    at = log.positions("round-closed.1")[1]
    return log.freeze_again(at, prev="0" * 64), "prev is not the hash of the previous frozen record"


def missing_receipt(log: ChangedLog) -> tuple[int, str]:
    """The operator leaves a bet out of the frozen record that it signs."""
    issue = log.fields(at := log.positions("round-closed.1")[0])["issue"]
    bets = [each for each in log.positions("bet-placed.1") if log.fields(each)["issue"] == issue]
    heads = []
    for bet in (bets[0], *bets[2:]):
        stream, moment = log.connection.execute(
            "SELECT originator_id, at FROM log.facts WHERE notification_id = %s", (bet,)
        ).fetchone() or ("", 0)
        player = stream.removeprefix("player-")
        heads.append(protocol.leaf(protocol.receipt(log.fields(bet), player, moment)))
    head = protocol.tree_head(heads).hex()
    omitted = log.fields(bets[1])["bet"]
    reason = f"it lacks the bet {omitted} at position {bets[1]:,}"
    return log.freeze_again(at, bets=head, count=len(heads)), reason


def void_of_a_drawn_round(log: ChangedLog) -> tuple[int, str]:
    drawn, voided = log.positions("round-drawn.1")[0], log.positions("round-voided.1")[0]
    again = log.fields(drawn)
    named = {name: again[name] for name in ("game", "issue", "index")}
    return log.copy(voided, after=drawn, **named), "voided, although the witness had released"


def void_without_the_witness(log: ChangedLog) -> tuple[int, str]:
    at = log.positions("round-voided.1")[0]
    signature = log.fields(log.positions("round-drawn.1")[0])["witness_signature"]
    reason = "the witness's signature that it released nothing is wrong"
    return log.set(at, witness_signature=signature), reason


def returned_stake_of_a_drawn_round(log: ChangedLog) -> tuple[int, str]:
    drawn, settled = log.positions("round-drawn.1")[0], log.positions("bet-settled.1")[0]
    bet = log.fields(settled)
    fields = {name: bet[name] for name in ("bet", "issue", "stake_minor", "bonus_minor")}
    at = log.copy(log.positions("bet-voided.1")[0], after=drawn, **fields)
    return at, "was returned, although the round was drawn"


def unpaid_winner(log: ChangedLog) -> tuple[int, str]:
    at = log.positions("bet-settled.1")[0]
    paid = log.fields(at)["payout_minor"]
    return log.set(at, payout_minor=paid + 1), f"was paid {paid + 1:,} minor units instead of"


def unsettled_bet(log: ChangedLog) -> tuple[int, str]:
    log.delete(log.positions("bet-settled.1")[0])
    return log.positions("round-settled.1")[0], "1 bets of the frozen record have no result"


def wrong_totals(log: ChangedLog) -> tuple[int, str]:
    at = log.positions("round-settled.1")[0]
    return log.set(at, payout_minor=1), "and 1 paid, but the ledger has"


def recall_after_the_close(log: ChangedLog) -> tuple[int, str]:
    recalled = log.positions("bet-recalled.1")[0]
    issue = log.fields(recalled)["issue"]
    closed = next(at for at in log.positions("round-closed.1") if log.fields(at)["issue"] == issue)
    return log.move(recalled, after=closed), "was recalled after the close"


def unsigned_receipts(log: ChangedLog) -> tuple[int, str]:
    head = sha256(b"another").hexdigest()
    at = log.positions("receipts-signed.1")[0]
    return log.set(at, head=head), "have another tree head than the signed one"


def deleted_receipts(log: ChangedLog) -> tuple[int, str]:
    first, second = log.positions("receipts-signed.1")[:2]
    log.delete(first)
    return second, "were signed as a batch of 1"


def missing_day(log: ChangedLog) -> tuple[int, str]:
    log.delete(log.positions("day-opened.1")[0])
    return log.positions("round-opened.1")[0], "was opened, but 2026-11-21 is not open"


def another_commitment(log: ChangedLog) -> tuple[int, str]:
    at = log.set(log.positions("day-opened.1")[0], operator_commitment="0" * 64)
    return at, "the operator's signature of the day is wrong"


def rescheduled_round(log: ChangedLog) -> tuple[int, str]:
    at = log.positions("round-opened.1")[0]
    later = log.fields(at)["closes_at"] + 1
    return log.set(at, closes_at=later), "its times are not those of the day's schedule"


def skipped_index(log: ChangedLog) -> tuple[int, str]:
    first, second = log.positions("round-opened.1")[:2]
    log.delete(first)
    return second, "the indices after 0 are neither sold nor skipped"


def undrawn_round_whose_links_are_known(log: ChangedLog) -> tuple[int, str]:
    first, second = log.positions("round-drawn.1")[:2]
    issue = log.fields(first)["issue"]
    for topic in ("round-drawn.1", "bet-settled.1", "round-settled.1"):
        for at in log.positions(topic):
            if log.fields(at)["issue"] == issue:
                log.delete(at)
    return second, f"its links reveal those of game 1 round {issue}, which is undrawn"


def draw_before_the_settlement_of_the_round_before(log: ChangedLog) -> tuple[int, str]:
    log.delete(log.positions("round-settled.1")[0])
    drawn = log.positions("round-drawn.1")[1]
    return drawn, "was drawn before game 1 round 20261121001 was settled"


def draw_without_a_frozen_record(log: ChangedLog) -> tuple[int, str]:
    log.delete(log.positions("round-closed.1")[0])
    return log.positions("round-drawn.1")[0], "drawn before its bets were frozen"


def changed_odds(log: ChangedLog) -> tuple[int, str]:
    bets = [(log.fields(at)["kind"], at) for at in log.positions("bet-placed.1")]
    kind, at = next(each for each in bets if [kind for kind, _ in bets].count(each[0]) > 1)
    last = max(other for same, other in bets if same == kind)
    assert at < last
    return log.set(last, odds_milli=1), f"has odds of 1 thousandths, but {kind} had"


FAULTS: Sequence[Fault] = (
    *(wrong_digit, wrong_sum, swapped_links, links_of_another_game, second_draw),
    *(changed_bet, changed_bet_in_the_frozen_record, changed_stake, changed_odds),
    *(bet_after_the_close, bet_after_the_draw, bet_at_the_time_of_the_close),
    *(second_frozen_record, second_frozen_record_of_a_settled_round, broken_prev),
    wrong_signature("round-closed.1", "signature", "operator's signature of the frozen record"),
    wrong_signature("round-drawn.1", "witness_signature", "the witness's signature of its release"),
    wrong_signature("day-opened.1", "witness_signature", "the witness's signature of the day"),
    wrong_signature("day-opened.1", "operator_signature", "the operator's signature of the day"),
    wrong_signature("round-voided.1", "witness_signature", "that it released nothing is wrong"),
    wrong_signature("receipts-signed.1", "signature", "are not signed by the operator"),
    *(missing_receipt, unsigned_receipts, deleted_receipts, recall_after_the_close),
    *(void_of_a_drawn_round, void_without_the_witness, returned_stake_of_a_drawn_round),
    *(unpaid_winner, unsettled_bet, wrong_totals),
    *(missing_day, another_commitment, rescheduled_round, skipped_index),
    draw_before_the_settlement_of_the_round_before,
    *(undrawn_round_whose_links_are_known, draw_without_a_frozen_record),
)


@pytest.mark.parametrize("fault", FAULTS)
def test_each_planted_fault_is_found_with_its_position_and_the_reason(
    stored: Conninfos, history: History, evening: DrawnHouse, fault: Fault
) -> None:
    history.replays(evening.sandbox.log)
    with changing(stored, evening) as log:
        assert audited(log) == []
        position, reason = fault(log)
        expected = re.compile(f"position {position:,}: .*{reason}")
        assert [each for each in audited(log) if expected.match(each)]


@pytest.fixture(scope="module")
def season() -> DrawnHouse:
    """Three days with every way in which a round can end."""
    house = DrawnHouse()
    house.draws(2)
    house.bets(3)
    house.voids()
    house.bets(3)
    house.rules(released=True)
    house.next_day()
    house.bets(2)
    house.skips(2)
    house.bets(3)
    unattested = house.rules(released=False, after_us=HALF_AN_HOUR_US)
    house.states(unattested, released=False)
    house.next_day()
    house.draws(2)
    return house


def changed(house: DrawnHouse, kind: type[Any], number: int = 0, **fields: Any) -> list[str]:
    """The findings of the house's log with fields of one fact changed."""
    log = list(house.sandbox.log)
    places = [place for place, each in enumerate(log) if isinstance(each.fact, kind)]
    place = places[number]
    at = fields.pop("at", log[place].at)
    log[place] = replace(log[place], fact=replace(log[place].fact, **fields), at=at)
    audit = DrawAudit()
    audit.read(rows(log))
    return [what for position, what in audit.findings if position == log[place].position]


def test_a_log_with_every_end_of_a_round_is_clean_and_its_voids_are_listed(
    season: DrawnHouse,
) -> None:
    audit = DrawAudit()
    audit.read(rows(season.sandbox.log))
    assert audit.findings == []
    counts = Counter(type(each.fact).__name__ for each in season.sandbox.log)
    assert (audit.drawn, audit.days) == (counts["RoundSettled"], counts["DayOpened"])
    assert audit.voided == counts["RoundVoided"] + counts["StakesReturned"] == 3
    assert counts["RoundsSkipped"] == 2
    assert (audit.bets, audit.batches) == (counts["BetPlaced"], counts["ReceiptsSigned"])
    notes = " ".join(note.what for note in audit.notes)
    for status in ("attested", "breach", "unattested"):
        assert f"voided, {status}" in notes
    assert "game 1 abandoned segment 2026-11-21: chain_lost" in notes


@pytest.mark.parametrize(
    ("number", "fields", "reason"),
    [
        (0, {"status": "unattested"}, "as unattested, although the witness released the round"),
        (0, {"status": "attested"}, "as attested, although the witness released the round"),
        (0, {"agreed_by": "staff:ann"}, "the void was ruled by staff:ann alone"),
        (1, {"status": "breach"}, "nothing shows that the witness released the round"),
        (1, {"status": "attested"}, "signature that it released nothing is wrong"),
        (1, {"answer": "round_released"}, "as unattested, although the witness released"),
        (1, {"witness_secret": "0" * 64}, "the witness's link does not lead to"),
        (1, {"at": 0}, "less than 30 minutes after the close"),
    ],
)
def test_a_void_is_ruled_by_what_the_witness_released(
    season: DrawnHouse, number: int, fields: dict[str, Any], reason: str
) -> None:
    assert any(reason in what for what in changed(season, VoidRuled, number, **fields))


def test_a_released_round_that_can_be_drawn_must_not_be_voided(season: DrawnHouse) -> None:
    ruled = next(each.fact for each in season.sandbox.log if isinstance(each.fact, VoidRuled))
    operator = season.sandbox._chains[1, ruled.day][ruled.index].hex()
    witness = season.sandbox._witness._state.days["1", ruled.day].links[ruled.index].hex()
    found = changed(season, VoidRuled, operator_secret=operator, witness_secret=witness)
    assert "although the witness released the round and it can be drawn" in found[0]


def test_a_link_that_the_witness_gave_without_signing_is_a_breach(season: DrawnHouse) -> None:
    ruled = [each.fact for each in season.sandbox.log if isinstance(each.fact, VoidRuled)][1]
    given = season.sandbox._witness._state.days["1", ruled.day].links[ruled.index].hex()
    found = changed(season, VoidRuled, 1, witness_secret=given)
    assert found == [
        f"game 1 round {ruled.issue}: voided as unattested, although the witness released the round"
    ]
    assert changed(season, VoidRuled, 1, witness_secret=given, status="breach") == []


def unattested_house(*, released: bool | None) -> tuple[DrawnHouse, str]:
    """A house whose second round is voided without an answer; the witness states it later."""
    house = DrawnHouse(games=(1,))
    house.draws(1)
    house.bets(2)
    issue = house.rules(released=False, after_us=HALF_AN_HOUR_US)
    if released is not None:
        house.states(issue, released=released)
    house.next_day()
    house.draws(1)
    return house, issue


def noted(house: DrawnHouse, days: Days | None = None) -> list[str]:
    """The notes of an audit without findings."""
    audit = DrawAudit(days=days)
    audit.read(rows(house.sandbox.log))
    assert audit.findings == []
    return [note.what for note in audit.notes]


@pytest.mark.parametrize(
    ("released", "note"),
    [
        (True, "voided in breach: the witness had released it before, as it stated later"),
        (False, "the witness signed after the void that it never released it, and never will"),
    ],
)
def test_what_a_returning_witness_stated_is_reported(released: bool, note: str) -> None:
    house, issue = unattested_house(released=released)
    stated = f"game 1 round {issue}: {note}"
    assert stated in noted(house)
    assert stated in noted(house, Days("2026-11-21", "2026-11-21"))
    (later,) = (what for what in noted(house, Days("2026-11-22")) if issue in what)
    assert later == f"{stated} (not verified: its day is before those of this run)"


@pytest.mark.parametrize(
    ("released", "fields", "reason"),
    [
        (True, {"statement": "not_released"}, "the witness's signature is that of a release"),
        (True, {"statement": "unknown"}, "the witness signed, but its statement is 'unknown'"),
        (True, {"witness_signature": ""}, "nothing shows that the witness stated 'released'"),
        (True, {"witness_signature": "0" * 128}, "signature of its release is wrong"),
        (True, {"witness_secret": "0" * 64}, "the witness's link does not lead to"),
        (False, {"statement": "released"}, "signature of its release is wrong"),
        (False, {"witness_signature": "0" * 128}, "signature that it released nothing is wrong"),
        (
            False,
            {"witness_signature": "", "statement": "unknown", "answer": "round_released"},
            "nothing shows that the witness stated 'unknown'",
        ),
    ],
)
def test_a_statement_that_the_witness_did_not_make_is_found(
    released: bool, fields: dict[str, Any], reason: str
) -> None:
    house, _ = unattested_house(released=released)
    assert any(reason in what for what in changed(house, WitnessAnsweredLate, **fields))


def test_a_statement_about_a_round_that_was_not_unattested_is_found() -> None:
    house, _ = unattested_house(released=True)
    log = [each for each in house.sandbox.log if not isinstance(each.fact, VoidRuled)]
    audit = DrawAudit()
    audit.read(rows(log))
    assert any("but it was not voided as unattested" in each.what for each in audit.findings)


def test_a_second_statement_is_found() -> None:
    house, _ = unattested_house(released=True)
    log = list(house.sandbox.log)
    place = next(n for n, it in enumerate(log) if isinstance(it.fact, WitnessAnsweredLate))
    audit = DrawAudit()
    audit.read(rows([*log[: place + 1], *log[place:]]))
    assert [each.what for each in audit.findings if "answered again" in each.what]


def test_a_witnesss_list_that_contradicts_its_statement_is_found() -> None:
    admitted, issue = unattested_house(released=True)
    denied, _ = unattested_house(released=False)
    silent, _ = unattested_house(released=None)
    (released,), (cancelled,) = (about(it, issue) for it in (admitted, denied))
    for house, listed in ((admitted, released), (denied, cancelled), (silent, cancelled)):
        assert compared(house, [*others(house, issue), listed]) == []
    for house in (denied, silent):
        (found,) = compared(house, [*others(house, issue), released])
        assert f"round {issue}: voided, but the witness lists its release" in found
    (found,) = compared(admitted, [*others(admitted, issue), cancelled])
    assert "voided in breach of a release, but the witness lists it as cancelled" in found


def about(house: DrawnHouse, issue: str) -> list[RoundReleased | RoundCancelled]:
    """What the witness lists about a voided round."""
    facts = (each.fact for each in house.sandbox.log)
    ruled = next(it for it in facts if isinstance(it, VoidRuled) and it.issue == issue)
    of_round = ("1", ruled.day, ruled.index)
    return [each for each in journal(house) if (each.game, each.day, each.i) == of_round]


def others(house: DrawnHouse, issue: str) -> list[WitnessRecord]:
    """What the witness lists about all other rounds."""
    return [each for each in journal(house) if each not in about(house, issue)]


def test_an_undrawn_round_must_be_listed_before_the_next_day_opens() -> None:
    house = DrawnHouse(games=(1,))
    house.bets(1)
    issue = house.closes()
    house._accept(LeaveSegment(1, "2026-11-21", "chain_lost"))
    slot = current(SHORT_DAYS, 1, house.sandbox.now)
    assert slot is not None
    house.sandbox._open(slot)
    assert any(isinstance(each.fact, RoundsCarried) for each in house.sandbox.log)
    audit = DrawAudit()
    audit.read(rows(house.sandbox.log))
    assert audit.findings == []
    assert f"game 1 round {issue} is closed, and neither drawn nor voided" in audit.notes[-1].what
    released = RoundReleased("1", "2026-11-21", 1, b"f" * 32, b"s" * 64)
    found = compared(house, [released])
    assert any("the witness lists another frozen record than the log" in each for each in found)
    uncarried = [each for each in rows(house.sandbox.log) if each[3] != "rounds-carried.1"]
    audit = DrawAudit()
    audit.read(uncarried)
    assert "unfinished, and not listed as such" in audit.findings[0].what


def test_a_broken_fact_is_a_finding_with_its_position_and_never_an_error(
    season: DrawnHouse,
) -> None:
    log = list(rows(season.sandbox.log))
    places = {row[3]: place for place, row in reversed(list(enumerate(log)))}
    assert places.keys() >= set(TOPICS) - {"bet-recalled.1", "rounds-carried.1"}
    odd: list[Any] = [None, -1, 2**70, "é", "\ud800", [], {}, 0.5, True, "0" * 64]
    odd_values = itertools.cycle(odd)
    for place in places.values():
        position, stream, at, topic, state = log[place]
        fields = json.loads(state)
        broken = [b"", b"[]", b"\xff", b"[" * 5_000, b'{"game": 1}']
        broken += [json.dumps({**fields, name: next(odd_values)}).encode() for name in fields]
        cut = [json.dumps({k: v for k, v in fields.items() if k != n}).encode() for n in fields]
        for changed_state in (*broken, *cut):
            audit = DrawAudit()
            audit.read([*log[:place], (position, stream, at, topic, changed_state)])
            if changed_state not in broken[5:]:
                assert position in {finding.position for finding in audit.findings}


def test_one_day_is_audited_by_itself(
    stored: Conninfos, history: History, season: DrawnHouse, audit: Audit, capsys: Printed
) -> None:
    history.replays(season.sandbox.log)
    whole, days = DrawAudit(), []
    whole.read(rows(season.sandbox.log))
    with psycopg.connect(stored.app) as connection:
        for number in (21, 22, 23):
            day = audited_draws(connection, history.position, Days(*[f"2026-11-{number}"] * 2))
            assert day.findings == []
            days.append(day)
    for total in ("drawn", "voided", "bets", "days", "batches"):
        assert sum(getattr(day, total) for day in days) == getattr(whole, total)
    assert audit("fairness", "--day", "2026-11-22") == 0
    assert f"draws: {days[1].drawn} drawn and {days[1].voided} voided" in capsys.readouterr().out
    assert audit("fairness", "--day", "2026-11-24") == 2
    assert "no game opened 2026-11-24" in capsys.readouterr().err


def test_a_second_run_begins_before_the_newest_day(
    stored: Conninfos, history: History, audit: Audit, capsys: Printed, tmp_path: Path
) -> None:
    kept = tmp_path / "draws.json"

    def days() -> int:
        """The days and segments that a run reads."""
        assert audit("fairness", "--continue", kept) == 0
        found = re.search(r"rounds of ([0-9]+) days", capsys.readouterr().out)
        return int(found[1]) if found else 0

    house = DrawnHouse(games=(1,))
    for _ in range(3):
        house.draws(2)
        house.next_day()
    history.replays(house.sandbox.log)
    assert [days(), days()] == [4, 2]
    read = len(house.sandbox.log)
    house.draws(2)
    house.next_day()
    history.replays(house.sandbox.log[read:])
    assert [days(), days()] == [3, 2]
    before = kept.read_text()
    with psycopg.connect(stored.owner) as connection:
        connection.execute("ALTER TABLE log.facts DISABLE TRIGGER ALL")
        connection.execute(
            "UPDATE log.facts SET at = at - 86400000000 WHERE notification_id = ("
            " SELECT max(notification_id) FROM log.facts WHERE topic = 'round-opened.1')"
        )
    assert audit("fairness", "--continue", kept) == 1
    assert "it was opened outside the time of its sale" in capsys.readouterr().err
    assert kept.read_text() == before


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"first": 1}', '{"first": "yesterday"}'])
def test_a_file_of_another_kind_is_not_where_a_run_ended(
    audit: Audit, capsys: Printed, tmp_path: Path, content: str
) -> None:
    kept = tmp_path / "draws.json"
    kept.write_text(content)
    assert audit("fairness", "--continue", kept) == 2
    assert "is not the file of an earlier run" in capsys.readouterr().err
    assert kept.read_text() == content


def test_the_command_prints_findings_and_statistics_and_exits_1_with_a_finding(
    stored: Conninfos, history: History, evening: DrawnHouse, audit: Audit, capsys: Printed
) -> None:
    history.replays(evening.sandbox.log)
    assert audit("fairness") == 0
    shown = capsys.readouterr().out
    assert shown.startswith("draws: 7 drawn and 1 voided rounds of 2 days and segments, ")
    assert shown.endswith("rounds a second\nclean\n")
    assert re.search(r"^  all +members +[0-9]+ ", shown, re.MULTILINE)
    assert re.search(r"^  all +bots +[0-9]+ ", shown, re.MULTILINE)
    assert re.search(r"^  2 +\S+ +card-21.04.02 +members ", shown, re.MULTILINE)
    assert re.search(r"^  all +sums +7 +too few", shown, re.MULTILINE)
    with psycopg.connect(stored.owner) as connection:
        connection.execute("ALTER TABLE log.facts DISABLE TRIGGER ALL")
        connection.execute(
            "UPDATE log.facts SET state = replace(convert_from(state, 'UTF8'), '\"digits\":[',"
            " '\"digits\":[9,')::bytea WHERE topic = 'round-drawn.1'"
        )
    assert audit("fairness", "--show", 2) == 1
    captured = capsys.readouterr()
    assert "FINDING position " in captured.err
    assert "round-drawn.1 has [9, " in captured.err
    assert re.search(r"… and [0-9]+ more", captured.err)
    assert captured.out.endswith("findings\n")
    audit("check")
    assert "round-drawn.1 has [9, " in capsys.readouterr().out


def journal(house: DrawnHouse) -> list[RoundReleased | RoundCancelled]:
    return [
        record
        for record in house.sandbox._witness._state.records()
        if isinstance(record, RoundReleased | RoundCancelled)
    ]


def compared(house: DrawnHouse, records: Iterable[WitnessRecord]) -> list[str]:
    audit = DrawAudit(witness=WitnessList(map(line_of, records)))
    audit.read(rows(house.sandbox.log))
    return [str(finding) for finding in audit.findings]


def test_the_witness_lists_the_same_rounds(season: DrawnHouse) -> None:
    assert {type(record) for record in journal(season)} == {RoundReleased, RoundCancelled}
    assert compared(season, journal(season)) == []
    assert compared(season, [*journal(season), DayFinished("1", "2026-11-20", 6)]) == []


def test_rounds_drawn_after_the_list_was_printed_are_a_note(season: DrawnHouse) -> None:
    *earlier, newest = journal(season)
    assert isinstance(newest, RoundReleased)
    assert compared(season, earlier) == []
    listed = WitnessList(msgspec.json.encode(record).decode() for record in earlier)
    audit = DrawAudit(witness=listed)
    audit.read(rows(season.sandbox.log))
    place = f"game {newest.game} day {newest.day}"
    ends = f"{place}: the witness's list ends at index {newest.i - 1}, the draws at {newest.i}"
    assert [note.what for note in audit.notes if "list ends" in note.what] == [ends]


def test_a_round_that_the_witness_lists_otherwise_is_found(season: DrawnHouse) -> None:
    def released(*digits: bytes, **fields: Any) -> RoundReleased:
        """The release of the first round, with another f or index, signed by the witness."""
        record = next(each for each in journal(season) if isinstance(each, RoundReleased))
        f = sha256(b"".join(digits)).digest() if digits else record.f
        signature = signing.sign(season.sandbox._witness._key, signing.RELEASE, f)
        return replace(record, f=f, signature=signature, **fields)

    (first, *others), another = journal(season), released(b"another")
    opened = next(each for each in season.sandbox.log if isinstance(each.fact, DayOpened))
    voided = next(each.fact for each in season.sandbox.log if isinstance(each.fact, RoundVoided))
    for records, reason in (
        (others, "drawn, but the witness does not list its release"),
        ((another, *others), "the witness lists another frozen record than the log"),
        ((first, another, *others), "the witness lists another frozen record than the log"),
        ((replace(first, signature=b"x" * 64), *others), "signature in the witness's list is"),
        ((*journal(season), released(i=voided.index)), "voided, but the witness lists its release"),
        (
            (*journal(season), released(i=6)),
            f"{opened.position}: game 1 day 2026-11-21 index 6: the witness lists the release of",
        ),
    ):
        found = compared(season, records)
        assert any(reason in each for each in found), (reason, found)


def finished(house: DrawnHouse) -> list[ReleasesSummed]:
    """What the witness keeps of the days before the newest two dates."""
    party = house.sandbox._witness
    days = finish_days(party._state, party._key)
    return [each for each in days if isinstance(each, ReleasesSummed)]


def test_a_finished_day_is_compared_by_the_root_over_its_releases(season: DrawnHouse) -> None:
    days = finished(season)
    assert {(each.game, each.day) for each in days} == {
        ("1", "2026-11-21"),
        ("1", "2026-11-21/1"),
        ("2", "2026-11-21"),
    }
    assert days[0].released == 3, "two draws and a breach; the attested void was cancelled"
    assert compared(season, days) == []

    def signed(**fields: Any) -> ReleasesSummed:
        """The first finished day with other releases, signed by the witness."""
        day = replace(days[0], **fields)
        record = FinishedRecord(day.day, day.game, day.released, day.root.hex())
        key = season.sandbox._witness._key
        return replace(day, signature=signing.sign(key, signing.FINISHED, canonical(record)))

    place = "game 1 day 2026-11-21: "
    for record, reason in (
        (signed(root=bytes(32)), "the witness signed another day or other frozen records"),
        (signed(released=4), "the witness released 4 rounds, but the log has 3"),
        (replace(days[0], root=bytes(32)), "the signature of the finished day in the witness's"),
        (signed(day="2026-11-21/7"), "game 1 day 2026-11-21/7: the witness lists releases"),
    ):
        (found,) = compared(season, [record, *days[1:]])
        assert reason in found, found
        assert place in found or record.day != days[0].day, found


@pytest.mark.parametrize("field", ["frozen", "operator_key"])
def test_a_rewritten_draw_of_a_finished_day_differs_from_the_root(
    season: DrawnHouse, field: str
) -> None:
    kind = RoundDrawn if field == "frozen" else DayOpened
    log = list(season.sandbox.log)
    place = next(place for place, each in enumerate(log) if isinstance(each.fact, kind))
    log[place] = replace(log[place], fact=replace(log[place].fact, **{field: "ab" * 32}))
    audit = DrawAudit(witness=WitnessList(map(line_of, finished(season))))
    audit.read(rows(log))
    reason = "game 1 day 2026-11-21: the witness signed another day or other frozen records"
    assert any(reason in str(finding) for finding in audit.findings)


def test_a_day_whose_releases_the_log_cannot_show_is_a_note(season: DrawnHouse) -> None:
    log = list(season.sandbox.log)
    place = next(
        place
        for place, each in enumerate(log)
        if isinstance(each.fact, VoidRuled) and each.fact.witness_signature
    )
    fact = replace(log[place].fact, witness_signature="", answer="round_frozen_otherwise")
    log[place] = replace(log[place], fact=fact)
    audit = DrawAudit(witness=WitnessList(map(line_of, finished(season))))
    audit.read(rows(log))
    assert audit.findings == []
    noted = [note.what for note in audit.notes if "witness's root is not compared" in note.what]
    assert noted == [
        "game 1 day 2026-11-21: a release is not in the log, so the witness's root is not compared"
    ]


def line_of(record: WitnessRecord) -> str:
    return msgspec.json.encode(record).decode()


def test_the_command_reads_the_witness_s_list(
    history: History, season: DrawnHouse, audit: Audit, capsys: Printed, tmp_path: Path
) -> None:
    history.replays(season.sandbox.log)
    file = tmp_path / "list.jsonl"
    lines = [msgspec.json.encode(record) for record in journal(season)]
    file.write_bytes(b"\n".join(lines))
    assert audit("fairness", "--witness-list", file) == 0
    file.write_bytes(b"\n".join(lines[1:]))
    assert audit("fairness", "--witness-list", file) == 1
    assert "drawn, but the witness does not list its release" in capsys.readouterr().err
    file.write_text("[]")
    assert audit("fairness", "--witness-list", file) == 2
    assert "line 1 is not a record of a witness" in capsys.readouterr().err


def test_an_empty_log_is_clean(audit: Audit, capsys: Printed) -> None:
    assert audit("fairness") == 0
    assert "0 drawn and 0 voided rounds" in capsys.readouterr().out


def test_signatures_in_other_processes_are_found_by_position(
    season: DrawnHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signatures, "_CHUNK", 2)
    log = list(rows(season.sandbox.log))
    places = [place for place, row in enumerate(log) if row[3] == "receipts-signed.1"]
    for place in places[1], places[-1]:
        position, stream, at, topic, state = log[place]
        fields = json.loads(state)
        signature = f"{fields['signature'][:-1]}{'10'[fields['signature'][-1] == '1']}"
        changed_state = json.dumps({**fields, "signature": signature}).encode()
        log[place] = (position, stream, at, topic, changed_state)
    audit = DrawAudit()
    audit.read(log)
    assert [finding.position for finding in audit.findings] == [
        log[places[1]][0],
        log[places[-1]][0],
    ]
    assert all("are not signed by the operator" in finding.what for finding in audit.findings)
