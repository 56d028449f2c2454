"""Checks that the log, the operator's chains and the witness's journal agree on the open segment.

They disagree if one of them was lost or restored from an older backup. The scheduler then leaves
the segment and opens a new one, because a round that one of the three lacks cannot be drawn.
"""

import asyncio

from engine.fairness.records import record_hash
from engine.house.day_decisions import Cause
from engine.house.game_day import GameDay, record_of
from engine.runtime.scheduler.hash_chains import ChainLost, HashChainStore
from engine.runtime.scheduler.witness_client import Witness, WitnessStatus
from engine.schedule import Slot


class Agreement:
    """The findings about each segment since this leader started."""

    def __init__(self, chains: HashChainStore, witness: Witness) -> None:
        """Compare the log with these chains and this witness."""
        self._chains = chains
        self._witness = witness
        self._compared: dict[tuple[int, str], tuple[str, WitnessStatus]] = {}
        self._leaving: dict[tuple[int, str], str] = {}

    def leave(self, game: int, day: str, cause: str) -> None:
        """Mark a segment to be left: a round of it can never be drawn, or no round opened in it."""
        self._leaving.setdefault((game, day), cause)

    async def cause_to_leave(self, day: GameDay, slot: Slot) -> str:
        """Returns why the open segment must be left before this slot is sold; empty if it need not.

        Raises OSError if the witness does not answer.
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
