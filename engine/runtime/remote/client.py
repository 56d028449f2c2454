"""The engine's port in a process without an engine: it calls the engine that leads elsewhere.

Rules of this module:
- The lease's row says where the leader answers. It is read while there is no connection, and while
  the connected engine is not ready: a process follows the lead within a second.
- One connection has all calls. Commands that arrive while `MAX_SENT_BATCHES` are unanswered wait
  and are sent together, so that a busy house has few and large messages. They are sent, and
  submitted there, in the order in which they arrived.
- A command that was not sent is refused as unavailable. One that was sent and gets no answer is
  refused with an unknown outcome: it may be in the log, and a repeat of its key says so.
- The engine is ready as long as it said so within the last two seconds. A frozen engine or a silent
  network is noticed by that; calls are then refused at once instead of waiting.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from typing import Final, TypeVar

import msgspec
import structlog
from eventsourcing.persistence import PersistenceError
from msgspec import Struct
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

from engine.answers import Answer, Refused
from engine.cashier.commands import MoneyCommand
from engine.cashier.payment_references import Credit
from engine.chat.commands import ChatCommand
from engine.command_handler import Command
from engine.house.facts import Mode
from engine.house.house_state import HouseState
from engine.players.commands import ProfileCommand
from engine.refusals import Refusal
from engine.runtime import supervision
from engine.runtime.log.fact_log import FactLog, datastore
from engine.runtime.log.idempotency import is_key
from engine.runtime.log.lease import Lease
from engine.runtime.log.reads import RecentFacts
from engine.runtime.port import READ_TIMEOUT_S, EngineStatus, EngineUnavailableError
from engine.runtime.remote import messages
from engine.runtime.remote.messages import (
    MAX_MESSAGE_BYTES,
    Decode,
    PortCall,
    ReadCall,
    Submission,
    SubmitCommands,
    SubmittedCommand,
)
from engine.runtime.remote.server import CLOSE_TIMEOUT_S, LIBRARY_LOG, OPEN_TIMEOUT_S, bearer
from engine.runtime.scheduler.waiting import Waiting
from engine.runtime.writer.engine_reader import PlayerView, UndrawnRound
from engine.runtime.writer.reply import ReceiptProof, Reply
from engine.runtime.writer.startup import check_mode
from engine.runtime.writer.writer import BATCH_LIMIT, QUEUE_LIMIT

MAX_SENT_BATCHES: Final = 4
POLL_S: Final = 0.2
MAX_STATUS_AGE_S: Final = 2.0
FOLLOW_S: Final = 0.5
RECONNECT_S: Final = 0.2
REPLY_TIMEOUT_S: Final = 6.0
"""As long as a caller of the API waits for an answer."""
NOT_CONNECTED: Final = "not connected to it"
_NO_ADDRESS: Final = "the leader answers no other process: it runs with --role all"
_REFUSED_KEY: Final = "it has another engine.key than this process"
_UNKNOWN: Final = Reply(Refused(Refusal.OUTCOME_UNKNOWN))
_log = structlog.get_logger()
ResultT = TypeVar("ResultT")


class _QueuedSubmission(Struct, frozen=True, eq=False):
    """A command to send, and the caller's future reply."""

    submission: Submission
    reply: asyncio.Future[Reply]

    def answer(self, reply: Reply) -> None:
        """Answer the caller, unless it has cancelled or given up."""
        if not self.reply.done():
            self.reply.set_result(reply)


class RemoteEngine:
    """The engine that leads in another process. Used from the event loop only."""

    def __init__(self, conninfo: str, secret: bytes, mode: Mode = Mode.DEMO) -> None:
        """Find the leader in the database at `conninfo`; `secret` is what `engine.key` contains."""
        self._store = datastore(conninfo, connections=2)
        self._lease = Lease(self._store)
        self._mode = mode
        self._secret = secret
        #: No facts: they are written elsewhere.
        self.recent = RecentFacts()
        self._stopping = asyncio.Event()
        self.ended = asyncio.Event()  # never set: no engine runs here that could end
        self._connection: ClientConnection | None = None
        self._number = 0
        self._unanswered: dict[int, asyncio.Future[bytes | None]] = {}
        self._queue: deque[_QueuedSubmission] = deque()
        self._arrived = asyncio.Event()
        self._sendable = asyncio.Semaphore(MAX_SENT_BATCHES)
        self._status: EngineStatus | None = None
        self._status_at = 0.0
        self._trouble = NOT_CONNECTED

    @property
    def ready(self) -> bool:
        """Whether the leading engine accepts commands, as it said within two seconds."""
        status = self._fresh_status()
        return status is not None and status.ready

    def status(self) -> EngineStatus:
        """Returns the engine's last status, or one that says why it cannot be reached."""
        return self._fresh_status() or _unreachable(self._trouble)

    def _fresh_status(self) -> EngineStatus | None:
        age_s = asyncio.get_running_loop().time() - self._status_at
        return self._status if age_s <= MAX_STATUS_AGE_S else None

    def submit(self, actor: str, key: str | None, command: Command) -> asyncio.Future[Reply]:
        """Submit a command of a player or of staff; `key` is the client's idempotency key."""
        assert isinstance(command, SubmittedCommand)
        reply: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        if not self.ready:
            reply.set_result(Reply(Refused(Refusal.UNAVAILABLE)))
        elif key is not None and not is_key(key):
            reply.set_result(Reply(Refused(Refusal.KEY_MALFORMED)))
        elif len(self._queue) >= QUEUE_LIMIT:
            reply.set_result(Reply(Refused(Refusal.ENGINE_BUSY)))
        else:
            self._queue.append(_QueuedSubmission(Submission(actor, key, command), reply))
            self._arrived.set()
        return reply

    async def dry_run(self, command: MoneyCommand | ProfileCommand | ChatCommand) -> Answer:
        """Returns the answer that the command would get now."""
        return await self._read(messages.DryRun(command), messages.decode_answer)

    async def stored_answer(self, actor: str, key: str, command: Command) -> Answer | None:
        """Returns the stored answer of an idempotency key; None if it has none."""
        assert isinstance(command, SubmittedCommand)
        call = messages.ReadStoredAnswer(actor, key, command)
        return await self._read(call, messages.decode_stored_answer)

    async def player(self, player: int) -> PlayerView | None:
        """Returns the player; None if the log has no such player."""
        return await self._read(messages.ReadPlayer(player), messages.decode_player)

    async def house(self) -> HouseState:
        """Returns the house-wide settings of staff, as committed."""
        return await self._read(messages.ReadHouse(), messages.decode_house)

    async def credit(self, reference: str) -> Credit | None:
        """Returns the credit of a payment reference; None if none is known."""
        return await self._read(messages.ReadCredit(reference), messages.decode_credit)

    async def undrawn_rounds(self) -> list[UndrawnRound]:
        """Returns the closed rounds whose draw is overdue, by game, oldest first."""
        return await self._read(messages.ReadUndrawnRounds(), messages.decode_undrawn)

    async def waiting(self, game: int, issue: str) -> Waiting | None:
        """Returns why an overdue round is not drawn; None if it is, or no engine is reached."""
        try:
            return await self._read(messages.ReadWaiting(game, issue), messages.decode_waiting)
        except EngineUnavailableError:
            return None

    async def proof(self, player: int, version: int) -> ReceiptProof | None:
        """Returns the proof of an earlier receipt, from the log; None if there is none."""
        return await self._read(messages.ReadProof(player, version), messages.decode_proof)

    async def evict_outcomes(self) -> None:
        """Empty the outcome cache of the leader; without one there is none to empty."""
        if self.ready:
            await self._call(messages.EvictOutcomes(), READ_TIMEOUT_S)

    async def _read(self, call: ReadCall, decode: Decode[ResultT]) -> ResultT:
        """Returns the result. Raises EngineUnavailableError if there is none in time."""
        content = await self._call(call, READ_TIMEOUT_S) if self.ready else None
        if content is None:
            raise EngineUnavailableError
        return decode(content)

    def check_start(self) -> None:
        """Raises StartRefusedError if this data is of another mode; blocks."""
        check_mode(FactLog(self._store), self._mode)

    def is_led(self) -> bool:
        """Whether any engine leads; blocks. Raises PersistenceError if the database is away."""
        return self._lease.is_held()

    async def run(self) -> None:
        """Follow the leader, until stopped."""
        following = supervision.owned(self._follow_leaders())
        stopping = supervision.owned(self._stopping.wait())
        try:
            await asyncio.wait({following, stopping}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopping.cancel()
            following.cancel()
            with suppress(asyncio.CancelledError):
                await following

    def stop(self) -> None:
        """End `run`, and refuse what is unanswered."""
        self._stopping.set()

    def close(self) -> None:
        """Close the database connections."""
        self._lease.close()

    async def _follow_leaders(self) -> None:
        while True:
            try:
                await self._follow(await asyncio.to_thread(self._lease.leader))
            except PersistenceError as error:
                self._set_trouble(f"the database is away: {error}")
            await asyncio.sleep(RECONNECT_S)

    def _set_trouble(self, trouble: str) -> None:
        if trouble != self._trouble:
            _log.warning("the leading engine is not reached", reason=trouble)
        self._trouble = trouble

    async def _follow(self, address: str) -> None:
        """Be connected to the engine at this address, until it no longer leads or is lost."""
        if not address:
            self._set_trouble(_NO_ADDRESS)
            return
        try:
            async with connect(
                f"ws://{address}/",
                additional_headers={"Authorization": bearer(self._secret)},
                compression=None,
                max_size=MAX_MESSAGE_BYTES,
                open_timeout=OPEN_TIMEOUT_S,
                close_timeout=CLOSE_TIMEOUT_S,
                ping_interval=None,
                proxy=None,
                user_agent_header=None,
                logger=LIBRARY_LOG,
            ) as connection:
                await self._use(connection, address)
            self._set_trouble(f"{address} closed the connection, or no longer leads")
        except InvalidStatus as error:
            is_refused = error.response.status_code == HTTPStatus.UNAUTHORIZED
            self._set_trouble(f"{address}: {_REFUSED_KEY if is_refused else error}")
        except msgspec.MsgspecError as error:
            self._set_trouble(f"{address}: it is of another version: {error}")
        except (OSError, WebSocketException) as error:
            self._set_trouble(f"{address}: {str(error) or type(error).__name__}")

    async def _use(self, connection: ClientConnection, address: str) -> None:
        """Send and receive until the connection is lost, or another engine leads."""
        _log.info("connected to the engine", address=address)
        self._trouble = f"{address} does not answer"
        self._connection = connection
        parts = [
            supervision.owned(work)
            for work in (
                self._receive(connection),
                self._send_commands(connection),
                self._poll(),
                self._watch(address),
            )
        ]
        try:
            await asyncio.wait(parts, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for part in parts:
                part.cancel()
            self._disconnected()
            found = await asyncio.gather(*parts, return_exceptions=True)
            connection.transport.abort()  # a frozen process would not confirm a close
        for error in found:
            if isinstance(error, Exception) and not isinstance(error, ConnectionClosed):
                raise error

    def _disconnected(self) -> None:
        """Refuse what is unanswered."""
        self._connection, self._status = None, None
        while self._queue:
            self._queue.popleft().answer(Reply(Refused(Refusal.UNAVAILABLE)))
        for result in self._unanswered.values():
            _give_up(result)

    async def _receive(self, connection: ClientConnection) -> None:
        async for message in connection:
            assert isinstance(message, bytes)
            number, done, content = messages.decode_result(message)
            result = self._unanswered.get(number)
            if result is not None and not result.done():
                result.set_result(bytes(content) if done else None)

    async def _send_commands(self, connection: ClientConnection) -> None:
        while True:
            await self._arrived.wait()
            self._arrived.clear()
            while self._queue:
                await self._sendable.acquire()
                batch = self._drain()
                number, result = self._expect_result(REPLY_TIMEOUT_S)
                result.add_done_callback(partial(self._answer, batch))
                call = SubmitCommands([queued.submission for queued in batch])
                await connection.send(messages.encode((number, call)))

    def _drain(self) -> list[_QueuedSubmission]:
        """Returns the next batch, without commands whose callers have given up; may be empty."""
        batch: list[_QueuedSubmission] = []
        while self._queue and len(batch) < BATCH_LIMIT:
            queued = self._queue.popleft()
            if not queued.reply.done():
                batch.append(queued)
        return batch

    def _answer(
        self, batch: Sequence[_QueuedSubmission], result: asyncio.Future[bytes | None]
    ) -> None:
        """Answer the callers of a batch that was sent."""
        self._sendable.release()
        content, replies = result.result(), [_UNKNOWN] * len(batch)
        if content is not None:
            try:
                replies = messages.decode_replies(content)
            except msgspec.MsgspecError:
                _log.exception("the engine is of another version")
        for queued, reply in zip(batch, replies, strict=True):
            queued.answer(reply)

    async def _poll(self) -> None:
        """Read the status several times a second. Ends if the engine does not answer for long."""
        clock = asyncio.get_running_loop().time
        while True:
            asked_at = clock()
            content = await self._call(messages.ReadStatus(), READ_TIMEOUT_S)
            if content is None:
                return
            self._status, self._status_at = messages.decode_status(content), asked_at
            await asyncio.sleep(POLL_S)

    async def _watch(self, address: str) -> None:
        """End once another engine leads, while this one is not ready."""
        while True:
            await asyncio.sleep(FOLLOW_S)
            if not self.ready:
                try:
                    if await asyncio.to_thread(self._lease.leader) != address:
                        return
                except PersistenceError as error:
                    _log.warning("database is away", error=str(error))

    async def _call(self, call: PortCall, timeout_s: float) -> bytes | None:
        """Returns the result's content; None if the call failed, or without an answer in time."""
        if self._connection is None:
            return None
        number, result = self._expect_result(timeout_s)
        try:
            await self._connection.send(messages.encode((number, call)))
        except ConnectionClosed:
            return None
        return await result

    def _expect_result(self, timeout_s: float) -> tuple[int, asyncio.Future[bytes | None]]:
        """Returns the number of a new call, and its future result; None without one in time."""
        self._number += 1
        number, loop = self._number, asyncio.get_running_loop()
        result: asyncio.Future[bytes | None] = loop.create_future()
        self._unanswered[number] = result
        timer = loop.call_later(timeout_s, _give_up, result)

        def end(_: asyncio.Future[bytes | None]) -> None:
            timer.cancel()
            del self._unanswered[number]

        result.add_done_callback(end)
        return number, result


def _give_up(result: asyncio.Future[bytes | None]) -> None:
    if not result.done():
        result.set_result(None)


def _unreachable(why: str) -> EngineStatus:
    return EngineStatus(
        ready=False,
        recovering=False,
        damage=(),
        queued=0,
        stuck_s=0.0,
        clock_trouble="",
        clock_jump_s=0.0,
        unsealed_s=0.0,
        seal_trouble="",
        uncosigned_s=0.0,
        uncosigned_by=(),
        rounds=(),
        unreachable=why,
    )
