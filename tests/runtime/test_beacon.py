"""A house whose draws have a public beacon; a relay serves recorded rounds of quicknet."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace
from structlog.testing import capture_logs

from engine.catalogue import GAMES
from engine.facts import RecordedFact
from engine.fairness.beacon import BEACON_OFF, DEFAULT, QUICKNET, BeaconRound
from engine.fairness.verify import verify_round
from engine.house.facts import DayOpened
from engine.rounds.facts import RoundClosed, RoundDrawn, StakesReturned, VoidRuled
from engine.rounds.state import Phase, Round
from engine.runtime.scheduler.beacon_client import RETRY_US, BeaconClient, _Attempt
from engine.sandbox import published_round
from scripts.audit_tool.draw_audit.audit import DrawAudit
from tests.engine.fairness.beacons import RECORDED, recorded
from tests.runtime.audit import rows
from tests.runtime.house import SECOND, Clock, EngineHarness, driven, until
from tests.runtime.relays import HOST, Relay, path, running
from tests.runtime.test_stuck_rounds import HALF_AN_HOUR_S, agreed_void, with_a_bet

#: When the round is on sale whose beacon round is quicknet's 1001, in each game 1001 or 1002.
DURING_SALE = int(datetime(2023, 8, 23, 23, 59, 13, tzinfo=ZoneInfo("Asia/Singapore")).timestamp())
ROUNDS = [recorded(QUICKNET, number) for number in (1000, 1001, 1002, 1003)]


@pytest.fixture
def relay() -> Iterator[Relay]:
    with running(Relay()) as found:
        yield found


@pytest.fixture
def with_beacon(house: EngineHarness, relay: Relay) -> EngineHarness:
    """A house in August 2023 whose mode is quicknet; the relay has no round yet."""
    house.clock.now = DURING_SALE * SECOND
    house.beacon, house.beacon_relays = QUICKNET.chain_hash, (relay.url,)
    return house


def beacon_round(sale: Round) -> int:
    return QUICKNET.first_round(sale.closes_at)


def drawn_of(house: EngineHarness, sale: Round) -> RoundDrawn:
    """The draw of a round; other games have rounds with the same issue."""
    facts = house.facts_of(RoundDrawn)
    return next(each for each in facts if (each.game, each.issue) == (1, sale.issue))


async def tick_until(house: EngineHarness, phase: Phase, sale: Round) -> None:
    """Tick until a round is in a phase. A fetch that a tick begins takes a while to finish."""
    key = (sale.opened.game, sale.issue)
    while key in house.engine.state.rounds and house.engine.state.rounds[key].phase < phase:
        await house.tick()
        await until(lambda: all(each.result.done() for each in attempts(house)))


def attempts(house: EngineHarness) -> list[_Attempt]:
    return list(house.engine._beacon_client._attempts.values())


async def is_asked(house: EngineHarness, relay: Relay) -> None:
    """Tick until the relay has been asked once more, and its answer has arrived."""
    before = len(relay.asked)
    house.clock.now += RETRY_US
    while len(relay.asked) == before:
        await house.tick()
        await until(lambda: all(each.result.done() for each in attempts(house)))


@driven
async def test_a_round_is_drawn_with_the_recorded_beacon_round_after_its_close(
    with_beacon: EngineHarness, relay: Relay
) -> None:
    relay.publish(QUICKNET, *ROUNDS)
    async with with_beacon as house:
        sale = await with_a_bet(house)
        number = beacon_round(sale)
        assert number == 1001
        house.clock.now = QUICKNET.published_at(number) - 1
        await house.tick()
        assert house.engine.state.rounds[1, sale.issue].phase is Phase.CLOSED
        assert path(QUICKNET, number) not in relay.asked, "asked before it is published"
        house.clock.now = QUICKNET.published_at(number)
        await tick_until(house, Phase.DRAWN, sale)
        (opened,) = [each for each in house.facts_of(DayOpened) if each.game == 1]
        assert opened.beacon == QUICKNET.chain_hash
        drawn = drawn_of(house, sale)
        assert drawn.beacon == recorded(QUICKNET, 1001)
        (closed,) = [each for each in house.facts_of(RoundClosed) if each.game == 1]
        keys = bytes.fromhex(opened.operator_key), bytes.fromhex(opened.witness_key)
        results = verify_round(*keys, published_round(opened, closed, drawn))
        assert all(result.passed for result in results)


@driven
async def test_every_game_is_drawn_with_its_own_beacon_round(
    with_beacon: EngineHarness, relay: Relay
) -> None:
    relay.publish(QUICKNET, *ROUNDS)
    async with with_beacon as house:
        sales = [house.sale(game) for game in GAMES]
        house.clock.now = max(sale.closes_at for sale in sales)
        await house.tick()
        house.clock.now = QUICKNET.published_at(1003)
        for sale in sales:
            await tick_until(house, Phase.DRAWN, sale)
        drawn = {each.game: each.beacon for each in house.facts_of(RoundDrawn)}
        assert drawn == {sale.opened.game: recorded(QUICKNET, beacon_round(sale)) for sale in sales}
        assert {each.number for each in drawn.values() if each} == {1001, 1002}


@driven
async def test_while_the_beacon_is_away_its_round_waits_and_sales_continue(
    with_beacon: EngineHarness, relay: Relay
) -> None:
    async with with_beacon as house:
        sale = await with_a_bet(house)
        house.clock.now = QUICKNET.published_at(beacon_round(sale))
        for _ in range(3):
            await is_asked(house, relay)
        assert house.facts_of(RoundDrawn) == []
        house.clock.forward(10)
        await house.tick()
        assert house.sale().issue != sale.issue
        assert house.sale().sells_at(house.clock.now)
        relay.publish(QUICKNET, *ROUNDS)
        house.clock.now += RETRY_US
        await tick_until(house, Phase.DRAWN, sale)
        drawn = drawn_of(house, sale)
        assert drawn.beacon == recorded(QUICKNET, 1001), "the same round, however late"


@driven
async def test_no_link_is_released_while_the_beacon_is_awaited(
    with_beacon: EngineHarness, relay: Relay
) -> None:
    async with with_beacon as house:
        sale = await with_a_bet(house)
        house.clock.now = QUICKNET.published_at(beacon_round(sale))
        await is_asked(house, relay)
        status = house.scheduler._context.witness.status("1", sale.opened.day)
        assert status.released < sale.opened.index


@driven
async def test_a_round_that_awaits_its_beacon_is_not_voided(
    with_beacon: EngineHarness, relay: Relay
) -> None:
    """Two managers may not choose between a draw and a void by keeping the beacon away."""
    async with with_beacon as house:
        sale = await with_a_bet(house)
        house.clock.forward(HALF_AN_HOUR_S + 60)
        await agreed_void(house, sale)
        await is_asked(house, relay)
        assert house.facts_of(VoidRuled) == []
        relay.publish(QUICKNET, *ROUNDS)
        house.clock.now += RETRY_US
        await tick_until(house, Phase.DRAWN, sale)


@driven
async def test_after_a_day_without_its_beacon_a_round_is_voided_and_its_stakes_returned(
    with_beacon: EngineHarness, relay: Relay
) -> None:
    async with with_beacon as house:
        sale = await with_a_bet(house)
        house.clock.forward(24 * 3600)
        await agreed_void(house, sale)
        await house.tick()
        (ruled,) = house.facts_of(VoidRuled)
        assert (ruled.issue, ruled.status) == (sale.issue, "attested")
        assert [fact.issue for fact in house.facts_of(StakesReturned)] == [sale.issue]
        relay.publish(QUICKNET, *ROUNDS)
        await house.tick()
        assert house.facts_of(RoundDrawn) == []


@driven
async def test_a_wrong_signature_is_refused_and_logged_and_the_next_relay_is_asked(
    with_beacon: EngineHarness, relay: Relay
) -> None:
    wrong = replace(recorded(QUICKNET, 1002), number=1001)
    relay.publish(QUICKNET, wrong)
    with running(Relay()) as honest:
        with_beacon.beacon_relays = (relay.url, honest.url)
        async with with_beacon as house:
            sale = await with_a_bet(house)
            house.clock.now = QUICKNET.published_at(1001)
            with capture_logs() as lines:
                await is_asked(house, honest)
                await is_asked(house, honest)
            refused = [line for line in lines if line["event"].startswith("beacon refused")]
            assert [line["url"] for line in refused] == [relay.url + path(QUICKNET, 1001)]
            assert house.facts_of(RoundDrawn) == []
            honest.publish(QUICKNET, *ROUNDS)
            house.clock.now += RETRY_US
            await tick_until(house, Phase.DRAWN, sale)
            drawn = drawn_of(house, sale)
            assert drawn.beacon == recorded(QUICKNET, 1001)


@driven
async def test_a_change_of_the_mode_begins_a_new_segment_once_the_round_is_drawn(
    with_beacon: EngineHarness, relay: Relay
) -> None:
    async with with_beacon as house:
        sale = await with_a_bet(house)
        await house.crash()
        house.beacon = BEACON_OFF
        house.clock.now = QUICKNET.published_at(1001) + 5 * SECOND
        await house.start()
        assert house.sale().issue == sale.issue, "the round waits for its beacon, mode off or not"
        relay.publish(QUICKNET, *ROUNDS)
        house.clock.now += RETRY_US
        await tick_until(house, Phase.SETTLED, sale)
        await house.tick()
        opened = [each for each in house.facts_of(DayOpened) if each.game == 1]
        assert [each.beacon for each in opened] == [QUICKNET.chain_hash, BEACON_OFF]
        assert opened[1].segment == opened[0].segment + 1
        later = house.sale()
        assert later.opened.day == opened[1].day
        house.clock.now = later.opened.draws_at
        await tick_until(house, Phase.DRAWN, later)
        drawn = {each.issue: each.beacon for each in house.facts_of(RoundDrawn) if each.game == 1}
        assert drawn == {sale.issue: recorded(QUICKNET, 1001), later.issue: None}


@driven
async def test_a_restart_draws_with_the_same_beacon_round(
    with_beacon: EngineHarness, relay: Relay
) -> None:
    relay.publish(QUICKNET, *ROUNDS)
    async with with_beacon as house:
        sale = await with_a_bet(house)
        await house.crash()
        house.clock.forward(3600)
        await house.start()
        await tick_until(house, Phase.DRAWN, sale)
        drawn = drawn_of(house, sale)
        assert drawn.beacon == recorded(QUICKNET, 1001)


@driven
async def test_with_the_beacon_off_no_relay_is_asked(house: EngineHarness, relay: Relay) -> None:
    house.beacon_relays = (relay.url,)
    async with house:
        sale = await with_a_bet(house)
        house.clock.now = sale.opened.draws_at
        await house.tick()
        assert all(each.beacon is None for each in house.facts_of(RoundDrawn))
        assert house.facts_of(RoundDrawn)
    assert relay.asked == []


@pytest.mark.parametrize(
    ("network", "beacon"),
    [one for one in RECORDED if one[0].chain_hash in {QUICKNET.chain_hash, DEFAULT.chain_hash}],
    ids=lambda one: getattr(one, "name", getattr(one, "number", "")),
)
def test_the_client_returns_recorded_rounds_of_both_formats(
    relay: Relay, network: object, beacon: BeaconRound
) -> None:
    known = QUICKNET if network == QUICKNET else DEFAULT
    relay.publish(known, beacon)
    assert BeaconClient((relay.url,), Clock()).fetch(known, beacon.number) == beacon


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"[]",
        b"{}",
        b'{"round": 1000}',
        b'{"round": "1000", "signature": "00"}',
        b'{"round": 1000, "signature": "no hex"}',
        b'{"round": 1000, "signature": ""}',
        b'{"round": 1000, "signature": "' + b"00" * 48 + b'"}',
        b'{"round": 1000, "signature": "c0' + b"00" * 47 + b'"}',
        b'{"round": 1001, "signature": "' + ROUNDS[1].signature.encode() + b'"}',
        b'{"round": 1000, "signature": "' + ROUNDS[1].signature.encode() + b'"}',
        b'{"round": 1000, "signature": "' + ROUNDS[0].signature.upper().encode() + b'"}',
        b" " * 20_000,
        b"\xff\xfe",
    ],
    ids=lambda answer: answer[:40],
)
def test_any_other_answer_is_none(relay: Relay, answer: bytes) -> None:
    relay.answers[path(QUICKNET, 1000)] = answer
    with pytest.raises(OSError, match="no relay has round 1000 of quicknet"):
        BeaconClient((relay.url,), Clock()).fetch(QUICKNET, 1000)


def test_the_relays_own_randomness_is_not_used(relay: Relay) -> None:
    relay.publish(QUICKNET, replace(ROUNDS[0], randomness="00" * 32))
    assert BeaconClient((relay.url,), Clock()).fetch(QUICKNET, 1000) == ROUNDS[0]


@contextmanager
def endless(sent: bytes) -> Iterator[str]:
    """The address of a relay that sends these bytes again and again until it is cut off."""
    with socket.create_server((HOST, 0)) as server:

        def send() -> None:
            with suppress(OSError):
                connection, _ = server.accept()
                with connection, suppress(OSError):
                    connection.sendall(b"HTTP/1.1 200 OK\r\n")
                    while True:
                        connection.sendall(sent)
                        cut_off.wait(0.01)

        cut_off = threading.Event()
        thread = threading.Thread(target=send)
        thread.start()
        try:
            yield f"http://{HOST}:{server.getsockname()[1]}"
        finally:
            cut_off.set()
            server.close()
            thread.join()


@pytest.mark.parametrize("sent", [b"X: y\r\n", b"X"], ids=["headers", "a header"])
def test_a_relay_that_never_ends_its_answer_is_cut_off(relay: Relay, sent: bytes) -> None:
    relay.publish(QUICKNET, ROUNDS[0])
    with endless(sent) as url:
        client = BeaconClient((url, relay.url), Clock(), timeout_s=0.2)
        assert client.fetch(QUICKNET, 1000) == ROUNDS[0]


def test_a_relay_that_refuses_the_connection_is_passed_over(relay: Relay) -> None:
    relay.publish(QUICKNET, ROUNDS[0])
    with socket.create_server((HOST, 0)) as closed:
        url = f"http://{HOST}:{closed.getsockname()[1]}"
    assert BeaconClient((url, relay.url), Clock()).fetch(QUICKNET, 1000) == ROUNDS[0]


def test_an_unknown_mode_has_no_round(relay: Relay) -> None:
    assert BeaconClient((relay.url,), Clock()).round_of("off", 0) is None
    assert relay.asked == []


def findings(facts: list[RecordedFact]) -> list[str]:
    """What the audit of the draws, which has its own code, finds in a log about game 1.

    The clock of a test jumps, so that rounds of other games are frozen after their beacons.
    """
    audit = DrawAudit()
    audit.read(rows(facts))
    return [str(finding) for finding in audit.findings if "game 1" in str(finding)]


@driven
async def test_the_audit_verifies_the_beacon_with_its_own_code(
    with_beacon: EngineHarness, relay: Relay
) -> None:
    relay.publish(QUICKNET, *ROUNDS)
    async with with_beacon as house:
        sale = await with_a_bet(house)
        house.clock.now = QUICKNET.published_at(1001)
        await tick_until(house, Phase.DRAWN, sale)
        facts = house.facts()
        place = next(
            at
            for at, each in enumerate(facts)
            if isinstance(each.fact, RoundDrawn) and each.fact.game == 1
        )
        drawn, used = facts[place].fact, recorded(QUICKNET, 1001)
        assert isinstance(drawn, RoundDrawn)
        assert findings(facts) == []
        first = "00" if used.signature[:2] != "00" else "01"
        for beacon, found in (
            (None, "it has no beacon, but its day has one"),
            (recorded(QUICKNET, 1002), "it has another round of the beacon than 1,001"),
            (replace(used, signature=first + used.signature[2:]), "beacon's signature is wrong"),
            (replace(used, randomness="00" * 32), "beacon's signature is wrong"),
        ):
            changed = replace(facts[place], fact=replace(drawn, beacon=beacon))
            text = findings([*facts[:place], changed, *facts[place + 1 :]])
            assert any(found in each for each in text), (found, text)
        closed = next(
            at
            for at, each in enumerate(facts)
            if isinstance(each.fact, RoundClosed) and each.fact.game == 1
        )
        late = replace(facts[closed], at=QUICKNET.published_at(1001))
        text = findings([*facts[:closed], late, *facts[closed + 1 :]])
        assert any("frozen after its beacon was published" in each for each in text)
