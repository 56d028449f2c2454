"""The engine's port over a real connection: what other processes get, and what they are refused."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import psycopg
import pytest
from structlog.testing import capture_logs
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from engine.answers import BetAccepted, Refused
from engine.bets.commands import PlaceBet
from engine.bets.facts import BetPlaced
from engine.cashier.commands import EnterDeposit, RequestWithdrawal
from engine.house.commands import RecordProgram, TurnSwitch
from engine.players.commands import RegisterPlayer
from engine.refusals import NEVER_STORED, Refusal
from engine.runtime.port import EngineUnavailableError
from engine.runtime.remote.client import MAX_STATUS_AGE_S, RemoteEngine
from engine.runtime.remote.server import bearer, listen, port_server
from engine.runtime.writer.reply import Reply
from engine.runtime.writer.writer import BATCH_LIMIT
from tests.runtime.house import PLAYER, EngineHarness, Gate, Loop, driven, until

SECRET = b"s" * 32
UNAVAILABLE = Reply(Refused(Refusal.UNAVAILABLE))
UNKNOWN = Reply(Refused(Refusal.OUTCOME_UNKNOWN))


@asynccontextmanager
async def answering(house: EngineHarness) -> AsyncIterator[None]:
    """The house's engine, which leads and answers other processes."""
    listening, house.address = listen("127.0.0.1:0")
    async with house, port_server(house.engine, [SECRET], listening):
        yield


@asynccontextmanager
async def client_of(house: EngineHarness, secret: bytes = SECRET) -> AsyncIterator[RemoteEngine]:
    """A client that looks for the house's leader."""
    client = RemoteEngine(house.conninfos.app, secret)
    running = asyncio.create_task(client.run())
    try:
        yield client
    finally:
        client.stop()
        await running
        client.close()


@asynccontextmanager
async def connected(house: EngineHarness) -> AsyncIterator[RemoteEngine]:
    """A client that has reached the leader."""
    async with client_of(house) as client:
        await until(lambda: client.ready)
        yield client


@driven
async def test_a_command_has_the_same_reply_as_in_the_engine_s_process(
    house: EngineHarness,
) -> None:
    async with answering(house), connected(house) as client:
        join = RegisterPlayer(PLAYER, 1, None, "", gift_minor=100_000)
        joined = await client.submit(f"player-{PLAYER}", "join", join)
        assert joined.position == house.facts()[-1].position
        bet = house.bet()
        placed = await client.submit(f"player-{PLAYER}", "bet", bet)
        assert isinstance(placed.answer, BetAccepted)
        assert placed.proof == await house.engine.proof(PLAYER, placed.answer.version)
        again = await client.submit(f"player-{PLAYER}", "bet", bet)
        assert again == await house.send("bet", bet)
        assert again.answer == placed.answer
        for command in (TurnSwitch("all", closed=True, by="ann"), _program_check()):
            reply = await client.submit("staff:ann", None, command)
            assert not isinstance(reply.answer, Refused)
        refused = await client.submit(f"player-{PLAYER}", "late", bet)
        assert refused == await house.send("late", bet)
        assert isinstance(refused.answer, Refused)


def _program_check() -> RecordProgram:
    return RecordProgram("d" * 64, "e" * 64, 1, (), "ann")


@driven
async def test_each_read_has_the_same_value_as_in_the_engine_s_process(
    house: EngineHarness,
) -> None:
    async with answering(house), connected(house) as client:
        await house.join()
        await house.submit("bet", house.bet())
        deposit = EnterDeposit(PLAYER, "d-1", "bank", 1_000, "c" * 64, "ann", "f" * 64, again=False)
        await house.submit(None, deposit, "staff:ann")
        engine, issue = house.engine, house.sale().issue
        house.clock.now = house.sale().opened.draws_at + 60_000_000
        withdrawal = RequestWithdrawal(PLAYER, "w-1", 0, 100)
        for remote, local in (
            (client.player(PLAYER), engine.player(PLAYER)),
            (client.player(PLAYER + 1), engine.player(PLAYER + 1)),
            (client.house(), engine.house()),
            (client.credit("f" * 64), engine.credit("f" * 64)),
            (client.credit("unknown"), engine.credit("unknown")),
            (client.undrawn_rounds(), engine.undrawn_rounds()),
            (client.waiting(1, issue), engine.waiting(1, issue)),
            (client.dry_run(withdrawal), engine.dry_run(withdrawal)),
            (client.proof(PLAYER, 2), engine.proof(PLAYER, 2)),
            (client.proof(PLAYER, 900), engine.proof(PLAYER, 900)),
            (
                client.stored_answer(f"player-{PLAYER}", "bet", house.bet()),
                engine.stored_answer(f"player-{PLAYER}", "bet", house.bet()),
            ),
        ):
            assert await remote == await local
        await until(lambda: client.status().rounds == engine.status().rounds)
        assert client.status().ready


@driven
async def test_commands_are_decided_in_the_order_in_which_they_arrived(
    house: EngineHarness,
) -> None:
    """Also those that waited because earlier ones were unanswered."""
    async with answering(house), connected(house) as client:
        await house.join()
        count = 2 * BATCH_LIMIT
        keys = [f"key-{number}" for number in range(count)]
        replies = []
        for number, key in enumerate(keys):
            replies.append(client.submit(f"player-{PLAYER}", key, house.bet(units=1)))
            if number % 100 == 0:
                await asyncio.sleep(0)
        answers = [(await reply).answer for reply in replies]
        assert sum(isinstance(answer, BetAccepted) for answer in answers) == 1_000
        placed = [each.command_id for each in house.facts() if isinstance(each.fact, BetPlaced)]
        assert placed == keys[: len(placed)]


@driven
async def test_a_lost_connection_leaves_the_outcome_unknown_and_a_repeat_has_it(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    listening, house.address = listen("127.0.0.1:0")
    async with house:
        await house.join()
        gate = Gate(monkeypatch)
        async with connected_to(house, listening) as client:
            sent = client.submit(f"player-{PLAYER}", "bet", house.bet())
            await gate.reached()
        assert await sent == UNKNOWN
        gate.open()
        listening, house.address = listen(house.address)
        async with connected_to(house, listening) as client:
            again = await client.submit(f"player-{PLAYER}", "bet", house.bet())
            assert isinstance(again.answer, BetAccepted)
        assert len(house.facts_of(BetPlaced)) == 1


@asynccontextmanager
async def connected_to(house: EngineHarness, listening: object) -> AsyncIterator[RemoteEngine]:
    """A client whose connection is lost at the end, before the client stops."""
    async with client_of(house) as client:
        async with port_server(house.engine, [SECRET], listening):  # type: ignore[arg-type]
            await until(lambda: client.ready)
            yield client
        await until(lambda: not client.ready)


@driven
async def test_without_a_leader_every_call_is_refused_at_once(house: EngineHarness) -> None:
    async with client_of(house) as client:
        assert await client.submit(f"player-{PLAYER}", "key", _program_check()) == UNAVAILABLE
        for read in (client.player(PLAYER), client.house(), client.undrawn_rounds()):
            with pytest.raises(EngineUnavailableError):
                await read
        assert await client.waiting(1, "1") is None
        await client.evict_outcomes()
        assert not client.status().ready
        await until(lambda: "--role all" in client.status().unreachable)


@driven
async def test_an_engine_that_falls_silent_is_not_ready(house: EngineHarness) -> None:
    async with answering(house), connected(house) as client:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, Loop)
        loop.forward(MAX_STATUS_AGE_S + 1)
        assert not client.ready
        assert client.status().unreachable
        assert await client.submit("staff:ann", None, _program_check()) == UNAVAILABLE
        await until(lambda: client.ready)


@driven
async def test_a_process_with_another_key_is_refused_and_says_so(house: EngineHarness) -> None:
    async with answering(house):
        with capture_logs() as logs:
            async with client_of(house, b"o" * 32) as client:
                await until(lambda: "another engine.key" in client.status().unreachable)
                assert not client.ready
        events = {line["event"] for line in logs}
        assert "a process with another engine.key was refused" in events
        assert "the leading engine is not reached" in events
        for headers in ({}, {"Authorization": "Bearer é"}, {"Authorization": "Basic eDp5"}):
            with pytest.raises(InvalidStatus, match="401"):
                await connect(f"ws://{house.address}/", additional_headers=headers, proxy=None)


@driven
async def test_a_process_with_the_key_of_before_is_accepted_next_to_the_new_one(
    house: EngineHarness,
) -> None:
    new = b"n" * 32
    listening, house.address = listen("127.0.0.1:0")
    async with house, port_server(house.engine, [new, SECRET], listening):
        async with client_of(house, SECRET) as old_one, client_of(house, new) as new_one:
            await until(lambda: old_one.ready and new_one.ready)
        async with client_of(house, b"o" * 32) as client:
            await until(lambda: "another engine.key" in client.status().unreachable)


@driven
async def test_a_message_of_another_version_ends_its_connection_alone(
    house: EngineHarness,
) -> None:
    async with answering(house), connected(house) as client:
        headers = {"Authorization": bearer(SECRET)}
        address = f"ws://{house.address}/"
        async with connect(address, additional_headers=headers, proxy=None) as other:
            await other.send(b"\x92\x01\x91\xa7unknown")
            with pytest.raises(ConnectionClosed, match="another version"):
                await other.recv()
        await house.join()
        assert (await client.player(PLAYER)) is not None


@driven
async def test_what_is_no_web_socket_gets_an_answer(house: EngineHarness) -> None:
    async with answering(house), httpx.AsyncClient() as http:
        answer = await http.get(f"http://{house.address}/")
        assert answer.status_code == httpx.codes.UNAUTHORIZED


@driven
async def test_a_key_that_cannot_be_stored_is_refused(house: EngineHarness) -> None:
    async with answering(house), connected(house) as client:
        for key in ("é", "a" * 201, "line\nline"):
            reply = await client.submit("staff:ann", key, TurnSwitch("all", closed=True, by="ann"))
            assert reply == Reply(Refused(Refusal.KEY_MALFORMED))


async def decided(client: RemoteEngine, key: str, command: PlaceBet) -> Reply:
    """The reply once the command is decided: it is submitted again, as clients do."""
    while True:
        reply = await client.submit(f"player-{PLAYER}", key, command)
        if not isinstance(reply.answer, Refused) or reply.answer.refusal not in NEVER_STORED:
            return reply
        await asyncio.sleep(0.01)


@driven
async def test_the_client_follows_the_lead(house: EngineHarness, other: EngineHarness) -> None:
    async with answering(house), connected(house) as client:
        await house.join()
        listening, other.address = listen("127.0.0.1:0")
        await house.stop()
        await other.start()
        async with port_server(other.engine, [SECRET], listening):
            # The last status of the engine that stopped may still say that it is ready.
            placed = await decided(client, "bet", other.bet())
            assert isinstance(placed.answer, BetAccepted)
            assert leader_of(house) == other.address
        await other.stop()


@pytest.fixture
def other(house: EngineHarness) -> EngineHarness:
    """A second engine on the same data."""
    return EngineHarness(house.conninfos, house._keys, house.clock)


def leader_of(house: EngineHarness) -> str:
    with psycopg.connect(house.conninfos.app) as connection:
        row = connection.execute("SELECT holder FROM log.lease").fetchone()
    return str(row[0]) if row else ""
