"""The first answer to every command with an id, given again whenever the id comes again.

Acceptances are remembered for 90 days unless the operator says otherwise, refusals for a day; both
are stored in the transaction of their batch.
The newest are kept in memory as well, so that a retry costs no query.
"""

from collections.abc import Callable
from typing import Final

import msgspec

from engine import answers
from engine.answers import Answer, Refused
from engine.dispatch import Command
from engine.house.commands import OfficeCommand
from engine.players.commands import PlayerCommand
from engine.refusals import Refusal
from engine.runtime.batch import Batch

IN_MEMORY: Final = 100_000
REFUSAL_RETENTION_S: Final = 24 * 3600

StoredOutcome = tuple[str, str, bytes, bytes]
"""Actor, key, command and answer, as stored."""

encode_command: Final[Callable[[Command], bytes]] = msgspec.json.Encoder().encode
decode_command: Final[Callable[[bytes], PlayerCommand | OfficeCommand]] = msgspec.json.Decoder(
    PlayerCommand | OfficeCommand
).decode


class OutcomeCache:
    """The outcomes at hand; the others are found when they conflict at append."""

    def __init__(self) -> None:
        """Nothing at hand yet."""
        self._cache: dict[tuple[str, str], tuple[bytes, bytes]] = {}

    def lookup(self, actor: str, key: str, command: Command) -> Answer | None:
        """The remembered answer, or a refusal that names the field in which the command differs.

        None when the key is not at hand, which does not prove that it is new.
        """
        found = self._cache.get((actor, key))
        if found is None:
            return None
        stored, answer = found
        requested = encode_command(command)
        if stored != requested:
            return Refused(Refusal.KEY_REUSED, _difference(stored, requested))
        return answers.decode(answer)

    def add(self, batch: Batch, actor: str, key: str, command: Command, answer: Answer) -> None:
        """Have this outcome stored with the batch."""
        batch.outcome_actors.append(actor)
        batch.outcome_keys.append(key)
        batch.outcome_commands.append(encode_command(command))
        batch.outcome_answers.append(answers.encode(answer))
        batch.outcome_refused.append(int(isinstance(answer, Refused)))

    def put_batch(self, batch: Batch) -> None:
        """The batch is stored: have its outcomes at hand."""
        keys = zip(batch.outcome_actors, batch.outcome_keys, strict=True)
        values = zip(batch.outcome_commands, batch.outcome_answers, strict=True)
        self._cache.update(zip(keys, values, strict=True))
        self._trim()

    def restore(self, found: list[StoredOutcome]) -> None:
        """Have outcomes from the log at hand."""
        for actor, key, command, answer in found:
            self._cache[actor, key] = (command, answer)

    def clear(self) -> None:
        """Have nothing at hand, because the log holds no longer all that was."""
        self._cache.clear()

    def _trim(self) -> None:
        surplus = len(self._cache) - IN_MEMORY
        if surplus > IN_MEMORY // 10:
            # Now and then, because the list of all keys costs as much as thousands of them.
            for key in list(self._cache)[:surplus]:
                del self._cache[key]


def _difference(stored: bytes, requested: bytes) -> str:
    """The first field in which two commands differ."""
    before, after = decode_command(stored), decode_command(requested)
    if type(before) is not type(after):
        return ""
    names = type(after).__struct_fields__
    return next((name for name in names if getattr(before, name) != getattr(after, name)), "")
