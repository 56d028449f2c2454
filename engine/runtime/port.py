"""The port of the engine: all that other parts of the server ask of it.

Calls and answers are values, so that the engine may run in another process: `engine.py` is the
engine itself, `remote/client.py` reaches the one that leads elsewhere. Every call but `submit`,
`status`, `waiting` and `evict_outcomes` raises EngineUnavailableError if no engine leads here or
none answers in time.
"""

import asyncio
from typing import Final, Protocol

from msgspec import Struct

from engine.answers import Answer
from engine.cashier.commands import MoneyCommand
from engine.cashier.payment_references import Credit
from engine.chat.commands import ChatCommand
from engine.command_handler import Command
from engine.house.house_state import HouseState
from engine.players.commands import ProfileCommand
from engine.runtime.scheduler.waiting import Waiting
from engine.runtime.writer.engine_reader import PlayerView, UndrawnRound
from engine.runtime.writer.observer import UnfinishedRound
from engine.runtime.writer.reply import ReceiptProof, Reply

READ_TIMEOUT_S: Final = 6.0


class EngineUnavailableError(Exception):
    """No engine leads here, or it did not answer within `READ_TIMEOUT_S`."""


class EngineStatus(Struct, frozen=True):
    """The state of the engine for probes and metrics.

    `recovering`: it leads and is still reading the log. `damage` describes facts that are missing
    from the log, `clock_trouble` why the clock does not allow it to lead; both are empty if all is
    well. `stuck_s` is how long the oldest batch has waited to be stored, `clock_jump_s` by how much
    the machine's clock is ahead of the time that the engine uses. `unsealed_s` is for how long the
    log's tree has lacked facts, `seal_trouble` why it cannot get them, else empty; `uncosigned_s`
    for how long its newest checkpoint has lacked the quorum of cosignatures, `uncosigned_by` the
    witnesses that did not cosign. `rounds` are the unfinished ones, none on standby. `unreachable`
    is why this process does not reach the engine, which leads elsewhere; empty if it does.
    `unknown_topics` is why this program must not lead, because a newer one wrote to the log.
    `witness_clock_s` is by how much the clock of the witness's machine is ahead of that time.
    """

    ready: bool
    recovering: bool
    damage: tuple[str, ...]
    queued: int
    stuck_s: float
    clock_trouble: str
    clock_jump_s: float
    unsealed_s: float
    seal_trouble: str
    uncosigned_s: float
    uncosigned_by: tuple[str, ...]
    rounds: tuple[UnfinishedRound, ...]
    unreachable: str = ""
    unknown_topics: str = ""
    witness_clock_s: float = 0.0


class EnginePort(Protocol):
    """The engine, in this process or in another one."""

    @property
    def ready(self) -> bool:
        """Whether commands are accepted."""

    def status(self) -> EngineStatus:
        """Returns the engine's state for probes and metrics."""

    def submit(self, actor: str, key: str | None, command: Command) -> asyncio.Future[Reply]:
        """Returns the future reply to a command. Without a leader that is a refusal."""

    async def dry_run(self, command: MoneyCommand | ProfileCommand | ChatCommand) -> Answer:
        """Returns the answer that the command would get now."""

    async def stored_answer(self, actor: str, key: str, command: Command) -> Answer | None:
        """Returns the stored answer of an idempotency key; None if it has none."""

    async def player(self, player: int) -> PlayerView | None:
        """Returns the player; None if the log has no such player."""

    async def house(self) -> HouseState:
        """Returns the house-wide settings of staff, as committed."""

    async def credit(self, reference: str) -> Credit | None:
        """Returns the credit of a payment reference; None if none is known."""

    async def undrawn_rounds(self) -> list[UndrawnRound]:
        """Returns the closed rounds that are overdue or being voided, by game, oldest first."""

    async def waiting(self, game: int, issue: str) -> Waiting | None:
        """Returns why an overdue round is not drawn; None for others, or without a leader."""

    async def proof(self, player: int, version: int) -> ReceiptProof | None:
        """Returns the proof of an earlier receipt, from the log; None if there is none."""

    async def evict_outcomes(self) -> None:
        """Empty the outcome cache after old outcomes were deleted from the log."""
