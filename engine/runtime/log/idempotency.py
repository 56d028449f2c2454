"""Idempotency keys: a command that repeats a key gets the answer to the first one.

Answers are stored in the transaction of their batch. By default acceptances are stored for 90 days
and refusals for a day; the operator can change the 90 days. The newest answers are also cached in
memory, so that a retry needs no query.
"""

from collections.abc import Callable
from typing import Final

import msgspec

from engine import answers
from engine.answers import Answer, Refused
from engine.cashier.commands import AgreeDeposit
from engine.command_handler import Command
from engine.house.bookings import DecideBooking
from engine.house.commands import OfficeCommand
from engine.players.commands import PlayerCommand
from engine.refusals import Refusal
from engine.runtime.log.fact_log import ACCEPTED, ACCEPTED_WITHOUT_FACT, REFUSED, Batch

IN_MEMORY: Final = 100_000
MAX_KEY_LENGTH: Final = 200
REFUSAL_RETENTION_S: Final = 24 * 3600

#: The caller of these commands names only what waits for a decision. The API looks the field up,
#: and no longer finds it when the command is repeated after the decision.
_LOOKED_UP: Final = {AgreeDeposit: "reference", DecideBooking: "reference"}

StoredOutcome = tuple[str, str, bytes, bytes]
"""Actor, key, command and answer, as stored."""

encode_command: Final[Callable[[Command], bytes]] = msgspec.json.Encoder().encode
decode_command: Final[Callable[[bytes], PlayerCommand | OfficeCommand]] = msgspec.json.Decoder(
    PlayerCommand | OfficeCommand
).decode


def is_key(key: str) -> bool:
    """Whether this is an idempotency key that can be stored."""
    return key.isascii() and key.isprintable() and len(key) <= MAX_KEY_LENGTH


class OutcomeCache:
    """A cache of outcomes. A key that is not cached is detected by its conflict at append."""

    def __init__(self) -> None:
        """Initially empty."""
        self._cache: dict[tuple[str, str], tuple[bytes, bytes]] = {}

    def lookup(self, actor: str, key: str, command: Command) -> Answer | None:
        """Returns the first answer, or a refusal that names the field in which the command differs.

        None if the key is not cached, which does not prove that it is new.
        """
        found = self._cache.get((actor, key))
        if found is None:
            return None
        stored, answer = found
        requested = encode_command(command)
        difference = None if stored == requested else _difference(stored, requested)
        if difference is not None:
            return Refused(Refusal.KEY_REUSED, difference)
        return answers.decode(answer)

    def add(
        self, batch: Batch, actor: str, key: str, command: Command, answer: Answer, facts: int
    ) -> None:
        """Add this outcome of a command that recorded so many facts to the batch."""
        batch.outcome_actors.append(actor)
        batch.outcome_keys.append(key)
        batch.outcome_commands.append(encode_command(command))
        batch.outcome_answers.append(answers.encode(answer))
        if isinstance(answer, Refused):
            batch.outcome_kinds.append(REFUSED)
        else:
            batch.outcome_kinds.append(ACCEPTED if facts else ACCEPTED_WITHOUT_FACT)

    def put_batch(self, batch: Batch) -> None:
        """Cache the outcomes of a stored batch."""
        keys = zip(batch.outcome_actors, batch.outcome_keys, strict=True)
        values = zip(batch.outcome_commands, batch.outcome_answers, strict=True)
        self._cache.update(zip(keys, values, strict=True))
        self._trim()

    def restore(self, found: list[StoredOutcome]) -> None:
        """Cache outcomes read from the log."""
        for actor, key, command, answer in found:
            self._cache[actor, key] = (command, answer)

    def clear(self) -> None:
        """Empty the cache, because old outcomes were deleted from the log."""
        self._cache.clear()

    def _trim(self) -> None:
        surplus = len(self._cache) - IN_MEMORY
        if surplus > IN_MEMORY // 10:
            # Only past 10 % excess, because listing all keys costs as much as thousands of entries.
            for key in list(self._cache)[:surplus]:
                del self._cache[key]


def _difference(stored: bytes, requested: bytes) -> str | None:
    """Returns the first field in which two commands differ; empty if their types differ.

    None if they differ in nothing that the caller chose.
    """
    before, after = decode_command(stored), decode_command(requested)
    if type(before) is not type(after):
        return ""
    names = (each for each in type(after).__struct_fields__ if each != _LOOKED_UP.get(type(after)))
    return next((name for name in names if getattr(before, name) != getattr(after, name)), None)
