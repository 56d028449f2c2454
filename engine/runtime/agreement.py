"""Whether the log, the operator's chains and the witness's journal agree about the open segment.

They part where one of them was restored from an older copy, or lost. The segment is then left, and
a new one opened: what one of the three does not know cannot be drawn there.
"""

import asyncio

from engine.fairness.records import record_hash
from engine.house.decisions import Cause
from engine.house.state import GameDay, record_of
from engine.runtime.chains import ChainLost, HashChainStore
from engine.runtime.witness_port import Witness, WitnessStatus
from engine.schedule import Slot


class Agreement:
    """What was found of each segment since this leader began."""

    def __init__(self, chains: HashChainStore, witness: Witness) -> None:
        """Compare the log with these."""
        self._chains = chains
        self._witness = witness
        self._compared: dict[tuple[int, str], tuple[str, WitnessStatus]] = {}
        self._leaving: dict[tuple[int, str], str] = {}

    def leave(self, game: int, day: str, cause: str) -> None:
        """A round of this segment can never be drawn, or none can be opened in it."""
        self._leaving.setdefault((game, day), cause)

    async def cause_to_leave(self, day: GameDay, slot: Slot) -> str:
        """Why the open segment must be left before this place is sold; empty where it need not.

        OSError if the witness does not answer.
        """
        key = (day.game, day.day)
        if key in self._leaving:
            return self._leaving[key]
        if key not in self._compared:
            self._compared[key] = await asyncio.to_thread(self._compare, day)
        cause, status = self._compared[key]
        assert day.opened is not None
        index = slot.index + day.opened.shift
        if not cause and day.last_index < index <= status.last:
            return Cause.WITNESS_AHEAD
        return cause

    def _compare(self, day: GameDay) -> tuple[str, WitnessStatus]:
        assert day.opened is not None
        status = self._witness.status(str(day.game), day.day)
        return self._difference(day, status), status

    def _difference(self, day: GameDay, status: WitnessStatus) -> str:
        assert day.opened is not None
        try:
            links = self._chains.links(day.game, day.day)
        except ChainLost:
            return Cause.CHAIN_LOST
        if links[0].hex() != day.opened.operator_commitment:
            return Cause.CHAIN_LOST
        if status.record != record_hash(record_of(day.opened)).hex():
            return Cause.WITNESS_UNKNOWING
        if status.released < day.revealed[0]:
            return Cause.WITNESS_BEHIND
        return ""
