"""A witness elsewhere: mutual authentication, and each way in which it can fail the house."""

import asyncio
import http.server
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace
from structlog.testing import capture_logs

from engine.bets.facts import BetSettled
from engine.catalogue import GAMES
from engine.fairness import checkpoints, signing
from engine.fairness.canonical import canonical
from engine.fairness.checkpoints import Checkpoint, Note
from engine.fairness.witness_state import DeclineReason, Signed
from engine.house.facts import DayOpened, SegmentLeft
from engine.rounds.facts import RoundDrawn, StakesReturned, VoidRuled, WitnessAnsweredLate
from engine.rounds.state import Round, record_of
from engine.runtime.log.cosigners import Cosigners
from engine.runtime.log.sealer import PUBLISHED_NOTE
from engine.runtime.secret_keys import OperatorKey, secret_file
from engine.runtime.witness import remote_witness
from engine.runtime.witness.log_evidence import LoggedFact
from engine.runtime.witness.messages import Call, Request
from engine.runtime.witness.remote_witness import RemoteWitness, WitnessAddress
from engine.runtime.witness.witness import WitnessDeclined
from engine.runtime.witness.witness_store import FILE, WitnessStore
from tests.engine.fairness import parties
from tests.runtime.audit import audit
from tests.runtime.house import PLAYER, SECOND, Clock, EngineHarness, driven, until
from tests.runtime.test_stuck_rounds import (
    HALF_AN_HOUR_S,
    agreed_void,
    drawn_everywhere,
    sells_within_a_minute,
    with_a_bet,
)
from tests.runtime.witnesses import HOST, RunningWitness, running

DAY = "2026-11-21"
STRANGER = Ed25519PrivateKey.from_private_bytes(bytes(32))


def sign(domain: bytes, payload: bytes) -> bytes:
    return signing.sign(parties.OPERATOR_KEY, domain, payload)


@pytest.fixture
def witness(tmp_path: Path) -> Iterator[RunningWitness]:
    with running(tmp_path / "elsewhere", Clock(), parties.OPERATOR_PUBLIC) as found:
        yield found


@pytest.fixture
def client(witness: RunningWitness) -> RemoteWitness:
    return RemoteWitness(witness.address, sign)


def test_it_answers_as_the_witness_itself_does(
    witness: RunningWitness, client: RemoteWitness
) -> None:
    anchor = client.commit("1", DAY, 274)
    assert anchor == witness.witness.commit("1", DAY, 274)
    assert client.public == witness.witness.public
    assert client.status("1", DAY) == witness.witness.status("1", DAY)


def test_a_reason_for_declining_arrives(client: RemoteWitness) -> None:
    with pytest.raises(WitnessDeclined) as declined:
        client.release(Signed(b"{}", bytes(64)))
    assert declined.value.declined.reason == DeclineReason.RECORD_MALFORMED


def test_that_a_day_comes_too_late_is_logged_without_a_warning(tmp_path: Path) -> None:
    """A slow start may miss the first round of its day. Any other refusal is a fault."""
    clock = Clock()
    clock.now = parties.closes_at(1)
    with running(tmp_path / "late", clock, parties.OPERATOR_PUBLIC) as witness:
        client = RemoteWitness(witness.address, sign)
        anchor = client.commit("1", DAY, parties.ROUNDS).hex()
        on_time = replace(parties.opened_day(), witness_key=client.public.hex(), w_0=anchor)
        with capture_logs() as logs:
            for day in (on_time, replace(on_time, rounds=1)):
                content = canonical(day)
                with pytest.raises(WitnessDeclined):
                    client.sign_day(
                        Signed(content, sign(signing.DAY, content)), parties.OPERATOR_PUBLIC
                    )
    assert [
        (each["reason"], each["log_level"]) for each in logs if each["event"] == "declined"
    ] == [
        (DeclineReason.DAY_LATE, "info"),
        (DeclineReason.DAY_WRONG, "warning"),
    ]


def test_a_malformed_day_is_a_value_error(client: RemoteWitness) -> None:
    with pytest.raises(ValueError, match="names no draw day"):
        client.status("1", "yesterday")


def test_no_one_else_is_answered(witness: RunningWitness) -> None:
    def by_a_stranger(domain: bytes, payload: bytes) -> bytes:
        return signing.sign(STRANGER, domain, payload)

    with pytest.raises(OSError, match="403"):
        RemoteWitness(witness.address, by_a_stranger).commit("1", DAY, 274)
    assert witness.witness.days() == {}


def test_a_request_for_another_witness_is_not_answered(witness: RunningWitness) -> None:
    other = WitnessAddress(witness.address.url, "other", signing.public_bytes(STRANGER))
    with pytest.raises(OSError, match="403"):
        RemoteWitness(other, sign).commit("1", DAY, 274)
    assert witness.witness.days() == {}


@contextmanager
def impostor(answers: list[tuple[int, bytes, dict[str, str]]]) -> Iterator[str]:
    """A server that gives these answers, whatever it is asked."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            status, body, headers = answers.pop(0)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with http.server.HTTPServer((HOST, 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://{HOST}:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def test_a_recorded_answer_is_not_accepted_again(
    witness: RunningWitness, client: RemoteWitness, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded: list[tuple[bytes, str]] = []
    real = remote_witness.post

    def recording(*arguments: object) -> tuple[bytes, str]:
        recorded.append(real(*arguments))  # type: ignore[arg-type]
        return recorded[-1]

    with monkeypatch.context() as patched:
        patched.setattr(remote_witness, "post", recording)
        client.status("1", DAY)
    ((body, signature),) = recorded
    with impostor([(200, body, {"Fairdraw-Signature": signature})]) as url:
        address = WitnessAddress(url, witness.address.name, witness.address.public)
        with pytest.raises(OSError, match="not signed by the witness"):
            RemoteWitness(address, sign).status("1", DAY)


@pytest.mark.parametrize(
    ("status", "body", "headers"),
    [
        (200, b"", {}),
        (200, b'{"answer":{"type":"anchor","anchor":""}}', {"Fairdraw-Signature": "AAAA"}),
        (200, b"x" * 300_000, {}),
        (500, b"broken", {}),
        (302, b"", {"Location": "http://127.0.0.1:1/"}),
    ],
)
def test_anything_that_it_did_not_sign_is_no_answer(
    witness: RunningWitness, status: int, body: bytes, headers: dict[str, str]
) -> None:
    with impostor([(status, body, headers)]) as url:
        address = WitnessAddress(url, witness.address.name, witness.address.public)
        with pytest.raises(OSError):  # noqa: PT011 - whatever is wrong with it
            RemoteWitness(address, sign).commit("1", DAY, 274)


def test_each_side_learns_what_the_others_clock_shows(tmp_path: Path) -> None:
    machine, operators = Clock(), Clock()
    with (
        running(tmp_path / "elsewhere", machine, parties.OPERATOR_PUBLIC) as witness,
        capture_logs() as logs,
    ):
        client = RemoteWitness(witness.address, sign, operators)
        for ahead_s, stated in [(0, 0), (3_600, 0), (-61, 0), (0, 0), (0, 5)]:
            machine.now = operators.now + ahead_s * SECOND
            operators.forward(stated)
            client.status("1", DAY)
            assert client.clock_ahead_s == ahead_s - stated
    shown = [each["ahead_s"] for each in logs if each["event"] == "witness's clock compared"]
    assert shown == [3_600, 0, -5]


def test_who_asks_whether_its_clock_is_right_states_no_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise an engine's wrong clock could move that of a witness."""
    stated: list[int] = []
    monkeypatch.setattr(
        "engine.runtime.clock.GuardedClock.note_stated", lambda _, at: stated.append(at)
    )
    machine, operators = Clock(), Clock()
    with running(tmp_path / "elsewhere", machine, parties.OPERATOR_PUBLIC) as witness:
        client = RemoteWitness(witness.address, sign, operators)
        assert client.agrees_on_time()
        operators.forward(3)
        assert not client.agrees_on_time()
        assert not stated
        client.status("1", DAY)
        assert stated == [operators.now]


def test_a_house_that_states_no_time_is_answered(
    client: RemoteWitness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As an earlier release does. A witness of an earlier release ignores what is stated to it."""

    def earlier(key: bytes, call: Call, _: int) -> bytes:
        request = msgspec.to_builtins(Request(key.hex(), bytes(16), call))
        del request["at"]
        return msgspec.json.encode(request)

    monkeypatch.setattr(remote_witness, "new_request", earlier)
    assert client.commit("1", DAY, 274)


def test_a_witness_that_states_no_time_is_understood(
    client: RemoteWitness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.runtime.clock.GuardedClock.uncorrected", lambda _: 0)
    assert client.commit("1", DAY, 274)
    assert not client.agrees_on_time()
    assert client.clock_ahead_s == 0


def test_an_unreachable_witness_is_no_answer(witness: RunningWitness) -> None:
    witness.stop()
    with pytest.raises(OSError, match="refused"):
        RemoteWitness(witness.address, sign).status("1", DAY)


def test_a_silent_witness_is_no_answer(witness: RunningWitness) -> None:
    with socket.create_server((HOST, 0)) as listening:
        url = f"http://{HOST}:{listening.getsockname()[1]}"
        address = WitnessAddress(url, witness.address.name, witness.address.public)
        with pytest.raises(OSError, match="timed out"):
            RemoteWitness(address, sign, timeout_s=0.05).status("1", DAY)


def test_what_cannot_be_stored_is_not_answered(
    client: RemoteWitness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(WitnessStore, "append", full)
        with pytest.raises(OSError, match="503"):
            client.commit("1", DAY, 274)
    assert client.commit("1", DAY, 274)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "http://witness.example",
        "ftp://witness.example#w+d5a1cfe3+BFDYWOCYXsx/YEGKrwzFq1h/QsJXCohAlanozKzQ9lRc",
        "http://#w+d5a1cfe3+BFDYWOCYXsx/YEGKrwzFq1h/QsJXCohAlanozKzQ9lRc",
        "http://witness.example#other+d5a1cfe3+BFDYWOCYXsx/YEGKrwzFq1h/QsJXCohAlanozKzQ9lRc",
        "http://witness.example#witness.example+d5a1cfe3+AFDYWOCYXsx/YEGKrwzFq1h/QsJXCohAlanozKzQ9lRc",
        "http://witness.example#witness.example+d5a1cfe3+BFDYWOCYXsx",
    ],
)
def test_a_wrong_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not"):
        WitnessAddress.of(text)


def test_an_address_is_read_as_it_is_written(witness: RunningWitness) -> None:
    assert WitnessAddress.of(witness.address.text()) == witness.address


# A house with a witness elsewhere.


@pytest.fixture
def elsewhere(house: EngineHarness, tmp_path: Path) -> Iterator[RunningWitness]:
    """The house's witness, which answers over HTTP and follows the house's clock."""
    operator = OperatorKey(secret_file(tmp_path / "operator.key"))
    with running(tmp_path / "elsewhere", house.clock, operator.public) as found:
        house.witness = found.address
        yield found


@driven
async def test_rounds_are_drawn_with_its_links(
    house: EngineHarness, elsewhere: RunningWitness
) -> None:
    async with house:
        await with_a_bet(house)
        assert await drawn_everywhere(house)
        assert len(house.facts_of(BetSettled)) == 1
        keys = {fact.witness_key for fact in house.facts_of(DayOpened)}
        assert keys == {elsewhere.witness.public.hex()}


@driven
async def test_while_it_is_away_rounds_wait_and_are_drawn_when_it_is_back(
    house: EngineHarness, elsewhere: RunningWitness
) -> None:
    async with house:
        sale = await with_a_bet(house)
        elsewhere.stop()
        house.clock.now = sale.opened.draws_at
        await house.tick()
        assert house.facts_of(RoundDrawn) == []
        elsewhere.start()
        house.clock.forward(1)
        await house.tick()
        assert sale.issue in {fact.issue for fact in house.facts_of(RoundDrawn)}
        assert house.facts_of(SegmentLeft) == []


@driven
async def test_sales_go_on_if_it_goes_away_in_the_first_round_of_a_day(
    house: EngineHarness, elsewhere: RunningWitness
) -> None:
    async with house:
        await sells_within_a_minute(house)
        first = {house.sale(game).issue for game in GAMES}
        elsewhere.stop()
        house.clock.now = max(house.sale(game).opened.draws_at for game in GAMES)
        await sells_within_a_minute(house)
        assert first.isdisjoint(house.sale(game).issue for game in GAMES)
        elsewhere.start()
        assert await drawn_everywhere(house)
        assert first <= {fact.issue for fact in house.facts_of(RoundDrawn)}
        assert house.facts_of(SegmentLeft) == []


@driven
async def test_an_answer_that_was_lost_on_the_way_is_given_again(
    house: EngineHarness, elsewhere: RunningWitness, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with house:
        sale = await with_a_bet(house)
        house.clock.now = sale.opened.draws_at
        with monkeypatch.context() as cut:
            release = RemoteWitness.release

            def lost(client: RemoteWitness, *request: Any) -> object:
                release(client, *request)
                raise OSError("cut off after the witness has answered")

            cut.setattr(RemoteWitness, "release", lost)
            await house.tick()
        assert elsewhere.witness.status("1", sale.opened.day).last == sale.opened.index
        assert house.facts_of(RoundDrawn) == []
        await house.tick()
        assert sale.issue in {fact.issue for fact in house.facts_of(RoundDrawn)}


@driven
async def test_one_restored_from_an_older_copy_is_left_for_a_new_segment(
    house: EngineHarness, elsewhere: RunningWitness, tmp_path: Path
) -> None:
    async with house:
        shutil.copytree(elsewhere.folder, tmp_path / "copy")
        for _ in range(3):
            house.clock.now = house.sale().opened.draws_at
            await house.tick()
        drawn = len(house.facts_of(RoundDrawn))
        elsewhere.stop_and_restore(tmp_path / "copy")
        await house.crash()
        elsewhere.start()
        await house.start()
        await sells_within_a_minute(house)
        assert await drawn_everywhere(house)
        assert {fact.cause for fact in house.facts_of(SegmentLeft)} == {"witness_behind"}
        assert len(house.facts_of(RoundDrawn)) > drawn


@driven
async def test_one_restored_from_an_older_copy_under_a_running_house_is_noticed_at_the_next_draw(
    house: EngineHarness, elsewhere: RunningWitness, tmp_path: Path
) -> None:
    async with house:
        shutil.copytree(elsewhere.folder, tmp_path / "copy")
        for _ in range(3):
            house.clock.now = house.sale().opened.draws_at
            await house.tick()
        elsewhere.stop_and_restore(tmp_path / "copy")
        elsewhere.start()
        issue = house.sale().issue
        house.clock.now = house.sale().opened.draws_at
        await sells_within_a_minute(house)
        assert {fact.cause for fact in house.facts_of(SegmentLeft)} == {"witness_behind"}
        assert issue in {fact.issue for fact in house.facts_of(RoundDrawn)}, "it can still be drawn"
        assert await drawn_everywhere(house)


@driven
async def test_one_that_lost_a_closed_round_costs_that_round_and_its_stakes_are_returned(
    house: EngineHarness, elsewhere: RunningWitness
) -> None:
    async with house:
        sale = await with_a_bet(house)
        elsewhere.stop()
        (elsewhere.folder / FILE).unlink()
        elsewhere.start()
        house.clock.now = sale.opened.draws_at
        await sells_within_a_minute(house)
        await agreed_void(house, sale)
        house.clock.now = sale.closes_at + HALF_AN_HOUR_S * 1_000_000
        await house.tick()
        assert [fact.status for fact in house.facts_of(VoidRuled)] == ["unattested"]
        assert [fact.issue for fact in house.facts_of(StakesReturned)] == [sale.issue]


@driven
async def test_another_witness_begins_a_new_segment_and_the_old_ones_open_round_is_voided(
    house: EngineHarness, elsewhere: RunningWitness, tmp_path: Path
) -> None:
    operator = OperatorKey(secret_file(tmp_path / "operator.key"))
    async with house:
        sale = await with_a_bet(house)
        await house.crash()
        with running(tmp_path / "another", house.clock, operator.public) as another:
            house.witness = another.address
            await house.start()
            house.clock.now = sale.opened.draws_at
            await sells_within_a_minute(house)
            await drawn_everywhere(house)  # but those that were open under the other witness
            assert await drawn_everywhere(house)
            keys = {fact.segment: fact.witness_key for fact in house.facts_of(DayOpened)}
            assert keys == {
                0: elsewhere.witness.public.hex(),
                1: another.witness.public.hex(),
            }
            await agreed_void(house, sale)
            house.clock.now = sale.closes_at + HALF_AN_HOUR_S * 1_000_000
            await house.tick()
            assert [fact.status for fact in house.facts_of(VoidRuled)] == ["unattested"]
            assert [fact.issue for fact in house.facts_of(StakesReturned)] == [sale.issue]


@driven
async def test_a_former_witness_finishes_its_rounds_before_the_new_ones_segment(
    house: EngineHarness, elsewhere: RunningWitness, tmp_path: Path
) -> None:
    operator = OperatorKey(secret_file(tmp_path / "operator.key"))
    async with house:
        sale = await with_a_bet(house)
        await house.crash()
        with running(tmp_path / "another", house.clock, operator.public) as another:
            house.witness, house.former_witnesses = another.address, (elsewhere.address,)
            await house.start()
            assert await drawn_everywhere(house)
            await sells_within_a_minute(house)
            assert await drawn_everywhere(house)
            assert sale.issue in {fact.issue for fact in house.facts_of(RoundDrawn)}
            assert house.facts_of(SegmentLeft) == []
            keys = {fact.segment: fact.witness_key for fact in house.facts_of(DayOpened)}
            assert keys == {
                0: elsewhere.witness.public.hex(),
                1: another.witness.public.hex(),
            }


# A witness that contradicts itself: it signs answers that do not fit what it committed to.


Swap = Callable[[bytes, bytes], tuple[bytes, bytes]]


@contextmanager
def contradicting(elsewhere: RunningWitness, call: str, swap: Swap) -> Iterator[None]:
    """The witness answers a call with `swap(link, signature)` of what it has recorded."""
    recorded = getattr(elsewhere.witness, call)

    def swapped(*request: Any) -> tuple[bytes, bytes]:
        return swap(*recorded(*request))

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(elsewhere.witness, call, swapped)
        yield


def another_link(link: bytes, signature: bytes) -> tuple[bytes, bytes]:
    return bytes(byte ^ 1 for byte in link), signature


def another_signature(link: bytes, _: bytes) -> tuple[bytes, bytes]:
    return link, signing.sign(STRANGER, signing.RELEASE, link)


def neither(link: bytes, signature: bytes) -> tuple[bytes, bytes]:
    return another_signature(*another_link(link, signature))


CONTRADICTIONS = pytest.mark.parametrize(
    ("swap", "status"),
    [(another_link, "breach"), (another_signature, "breach"), (neither, "unattested")],
)


@CONTRADICTIONS
@driven
async def test_sales_go_on_while_a_witness_contradicts_itself_and_its_round_is_voided(
    house: EngineHarness, elsewhere: RunningWitness, swap: Swap, status: str
) -> None:
    async with house:
        sale = await with_a_bet(house)
        house.clock.now = sale.opened.draws_at
        with contradicting(elsewhere, "release", swap):
            await sells_within_a_minute(house)
            await agreed_void(house, sale)
            house.clock.now = sale.closes_at + HALF_AN_HOUR_S * 1_000_000
            await house.tick()
            assert sale.issue not in {fact.issue for fact in house.facts_of(RoundDrawn)}
        (ruled,) = house.facts_of(VoidRuled)
        assert (ruled.issue, ruled.status) == (sale.issue, status)
        assert {fact.cause for fact in house.facts_of(SegmentLeft)} == {"witness_contradicts"}
        assert [fact.issue for fact in house.facts_of(StakesReturned)] == [sale.issue]
        assert house.engine.state.players[PLAYER].available == 100_000
        await sells_within_a_minute(house)
        assert await drawn_everywhere(house)
        assert any(f"voided, {status}" in note for note in audit(house.facts()))


@driven
async def test_a_round_is_drawn_once_its_witness_answers_as_it_committed(
    house: EngineHarness, elsewhere: RunningWitness
) -> None:
    async with house:
        sale = await with_a_bet(house)
        house.clock.now = sale.opened.draws_at
        with contradicting(elsewhere, "release", another_link):
            await sells_within_a_minute(house)
        assert house.facts_of(RoundDrawn) == []
        await house.tick()
        assert sale.issue in {fact.issue for fact in house.facts_of(RoundDrawn) if fact.game == 1}
        assert len(house.facts_of(BetSettled)) == 1


@driven
async def test_a_wrong_link_of_a_round_that_was_never_sold_begins_a_new_segment(
    house: EngineHarness, elsewhere: RunningWitness
) -> None:
    async with house:
        assert await drawn_everywhere(house)
        await house.crash()
        house.clock.forward(4 * 10)
        with contradicting(elsewhere, "cancel", another_link):
            await house.start()
            await sells_within_a_minute(house)
        assert {fact.cause for fact in house.facts_of(SegmentLeft)} == {"witness_contradicts"}
        assert await drawn_everywhere(house)
        audit(house.facts())


# A witness that returns after one of its rounds was voided as unattested.


async def voided_without_an_answer(
    house: EngineHarness, elsewhere: RunningWitness, *, released: bool = False
) -> Round:
    """The witness is away when a round falls due, and two managers void it.

    With `released` it had released its link, but its answer was lost.
    """
    sale = await with_a_bet(house)
    house.clock.now = sale.opened.draws_at
    if released:
        with pytest.MonkeyPatch.context() as cut:
            release = RemoteWitness.release

            def lost(client: RemoteWitness, *request: Any) -> object:
                release(client, *request)
                raise OSError("cut off after the witness has answered")

            cut.setattr(RemoteWitness, "release", lost)
            await house.tick()
    elsewhere.stop()
    await house.tick()
    await agreed_void(house, sale)
    house.clock.now = sale.closes_at + HALF_AN_HOUR_S * 1_000_000
    await house.tick()
    assert [fact.status for fact in house.facts_of(VoidRuled)] == ["unattested"]
    assert [fact.issue for fact in house.facts_of(StakesReturned)] == [sale.issue]
    return sale


async def stated(house: EngineHarness) -> list[tuple[str, str, str]]:
    """What is recorded an hour later: issue, statement and answer."""
    house.clock.forward(3600)
    await house.tick()
    return [
        (fact.issue, fact.statement, fact.answer) for fact in house.facts_of(WitnessAnsweredLate)
    ]


@driven
async def test_one_that_had_released_a_voided_round_states_it_when_it_is_back(
    house: EngineHarness, elsewhere: RunningWitness
) -> None:
    async with house:
        sale = await voided_without_an_answer(house, elsewhere, released=True)
        assert await stated(house) == []
        elsewhere.start()
        assert await stated(house) == [(sale.issue, "released", "")]
        (fact,) = house.facts_of(WitnessAnsweredLate)
        assert sale.closed is not None
        frozen, signature = sale.closed.frozen, fact.witness_signature
        assert signing.verify(
            elsewhere.witness.public,
            signing.RELEASE,
            bytes.fromhex(frozen),
            bytes.fromhex(signature),
        )
        assert any("in breach: the witness had released" in note for note in audit(house.facts()))
        assert len(await stated(house)) == 1
        assert house.facts_of(StakesReturned)[0].issue == sale.issue


@driven
async def test_one_without_a_record_of_the_round_says_so_and_signs_once_it_has_its_records_again(
    house: EngineHarness, elsewhere: RunningWitness, tmp_path: Path
) -> None:
    async with house:
        sale = await voided_without_an_answer(house, elsewhere)
        shutil.copy(elsewhere.folder / FILE, tmp_path / "records")
        (elsewhere.folder / FILE).unlink()
        elsewhere.start()
        unknown = (sale.issue, "unknown", "day_unknown")
        assert await stated(house) == [unknown]
        assert any("cannot say" in note for note in audit(house.facts()))
        assert await stated(house) == [unknown]
        elsewhere.stop()
        shutil.copy(tmp_path / "records", elsewhere.folder / FILE)
        elsewhere.start()
        assert await stated(house) == [unknown, (sale.issue, "not_released", "")]


@driven
async def test_another_witness_cannot_answer_for_it_but_a_former_one_is_asked(
    house: EngineHarness, elsewhere: RunningWitness, tmp_path: Path
) -> None:
    operator = OperatorKey(secret_file(tmp_path / "operator.key"))
    async with house:
        sale = await voided_without_an_answer(house, elsewhere, released=True)
        elsewhere.start()
        await house.crash()
        with running(tmp_path / "another", house.clock, operator.public) as another:
            house.witness = another.address
            await house.start()
            assert await stated(house) == []
            await house.crash()
            house.former_witnesses = (elsewhere.address,)
            house.clock.forward(86_400)
            await house.start()
            assert await stated(house) == [(sale.issue, "released", "")]


# The witness and the house's log.


@driven
async def test_it_cosigns_the_log_and_its_cosignature_is_published(
    house: EngineHarness, elsewhere: RunningWitness
) -> None:
    async with house:
        await drawn_everywhere(house)
        cosigners = house.engine._cosigners
        assert cosigners is not None
        await asyncio.to_thread(cosigners.cosign)
        with psycopg.connect(house.conninfos.app) as connection:
            row = connection.execute(PUBLISHED_NOTE, (house.clock.now - 1,)).fetchone()
        assert row is not None
        note = checkpoints.read_note(row[0])
        at_s = checkpoints.cosigned_at(note, elsewhere.address.name, elsewhere.address.public)
        assert at_s == house.clock.now // 1_000_000
        assert elsewhere.witness.checkpoints()[-1].size >= note.checkpoint.size


@driven
async def test_no_link_is_released_for_a_round_that_the_log_does_not_hold(
    house: EngineHarness, elsewhere: RunningWitness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The house hides a round from its log, and so from every auditor."""
    async with house:
        sale = await with_a_bet(house)
        house.clock.now = sale.opened.draws_at
        with monkeypatch.context() as hidden:
            hidden.setattr(Cosigners, "evidence", lambda *_: None)
            await house.crash()
            await house.start()
        assert house.facts_of(RoundDrawn) == []
        assert elsewhere.witness.status("1", sale.opened.day).last == 0
        await house.crash()
        await house.start()
        assert sale.issue in {fact.issue for fact in house.facts_of(RoundDrawn)}


@pytest.mark.usefixtures("elsewhere")
@driven
async def test_each_part_of_the_evidence_is_verified(house: EngineHarness) -> None:
    async with house:
        sale = await with_a_bet(house)
        house.clock.now = sale.opened.draws_at
        cosigners = house.engine._cosigners
        assert cosigners is not None
        found = await asyncio.to_thread(cosigners.evidence, sale)
        assert found is not None
        assert sale.closed is not None
        witness = house.engine._context.witness
        record = canonical(record_of(sale.closed))
        request = Signed(record, bytes.fromhex(sale.closed.signature))
        changed = bytes([found.closed.content[-1] ^ 1])
        for evidence in (
            None,
            replace(found, size=found.size + 1),
            replace(found, opened=found.closed, closed=found.opened),
            replace(found, opened=found.closed),
            replace(found, closed=LoggedFact(found.closed.content, found.closed.path[:-1])),
            replace(
                found,
                closed=LoggedFact(found.closed.content[:-1] + changed, found.closed.path),
            ),
            replace(found, closed=LoggedFact(b"", ())),
        ):
            with pytest.raises(WitnessDeclined, match="not_logged"):
                await asyncio.to_thread(witness.release, request, evidence)
        assert await asyncio.to_thread(witness.release, request, found)
        assert await asyncio.to_thread(witness.release, request, None), "the same answer again"


@driven
async def test_a_restored_log_is_cosigned_again_once_the_witness_has_forgotten(
    house: EngineHarness, elsewhere: RunningWitness
) -> None:
    """An older database: the witness has seen facts that the log no longer has."""
    async with house:
        sale = await with_a_bet(house)
        last = elsewhere.witness
        origin = checkpoints.origin_of(house.engine.operator_key)
        later = Checkpoint(origin, 1_000_000, bytes(32))
        last._records.add_checkpoint(Note(later, ()))
        house.clock.now = sale.opened.draws_at
        await house.tick()
        assert house.facts_of(RoundDrawn) == []
        assert house.engine._cosigners is not None
        assert "1000000 facts" in house.engine._cosigners.cosigners[0].trouble
        last.forget_checkpoints()
        house.clock.forward(1)
        await house.tick()
        assert sale.issue in {fact.issue for fact in house.facts_of(RoundDrawn)}


@driven
async def test_without_a_quorum_of_cosignatures_rounds_are_drawn_and_it_is_known_who_is_missing(
    house: EngineHarness, elsewhere: RunningWitness, tmp_path: Path
) -> None:
    operator = OperatorKey(secret_file(tmp_path / "operator.key"))
    with running(tmp_path / "third", house.clock, operator.public) as third:
        house.cosigners = (third.address,)
        async with house:
            await drawn_everywhere(house)
            cosigners = house.engine._cosigners
            assert cosigners is not None
            await asyncio.to_thread(cosigners.cosign)
            await until(lambda: house.engine.status().uncosigned_s == 0)
            assert house.engine.status().uncosigned_by == ()
            note = published(house)
            for witness in (elsewhere, third):
                checkpoints.cosigned_at(note, witness.address.name, witness.address.public)
            third.stop()
            await with_a_bet(house)
            await until(lambda: house.engine.status().uncosigned_by == (third.address.name,))
            await until(lambda: house.engine.status().uncosigned_s > 1)
            assert "refused" in cosigners.cosigners[1].trouble
            assert await drawn_everywhere(house), "draws need only their own witness"
            third.start()
            await until(lambda: house.engine.status().uncosigned_s == 0)
            assert house.engine.status().uncosigned_by == ()
            assert published(house).checkpoint.size > note.checkpoint.size


@driven
async def test_a_witness_beyond_the_quorum_may_be_away(
    house: EngineHarness, elsewhere: RunningWitness, tmp_path: Path
) -> None:
    operator = OperatorKey(secret_file(tmp_path / "operator.key"))
    with running(tmp_path / "third", house.clock, operator.public) as third:
        third.stop()
        house.cosigners, house.quorum = (third.address,), 1
        async with house:
            await drawn_everywhere(house)
            await until(lambda: house.engine.status().uncosigned_by == (third.address.name,))
            await until(lambda: house.engine.status().uncosigned_s == 0)
            note, address = published(house), elsewhere.address
            assert checkpoints.cosigned_at(note, address.name, address.public)


def published(house: EngineHarness) -> Note:
    """The newest checkpoint that witnesses have cosigned."""
    with psycopg.connect(house.conninfos.app) as connection:
        row = connection.execute(PUBLISHED_NOTE, (house.clock.now - 1,)).fetchone()
    assert row is not None
    return checkpoints.read_note(row[0])
