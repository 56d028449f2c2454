"""Opens a draw day or a new segment, and notices when the open one must be left.

Opening creates both hash chains, and both parties sign both anchors. A segment is left if the log,
the operator's chains and the witness's records disagree on it, because one of them was lost or
restored from an older backup: a round that one of the three lacks cannot be drawn.
"""

import asyncio
from typing import Final, Protocol

from engine.catalogue import rules_hash
from engine.fairness.canonical import canonical
from engine.fairness.records import DayRecord, day_record, record_hash
from engine.fairness.signing import DAY
from engine.fairness.witness_state import DeclineReason, Signed
from engine.house.commands import OpenDay
from engine.house.game_day import (
    Cause,
    GameDay,
    index_offset,
    next_segment,
    record_of,
    segment_name,
)
from engine.odds import TABLES, table_hash
from engine.runtime.code_manifest import engine_code_hash
from engine.runtime.scheduler.hash_chains import ChainLost, HashChainStore
from engine.runtime.secret_keys import OperatorKey
from engine.runtime.witness.witness import Witness, WitnessDeclined, WitnessStatus
from engine.schedule import Schedule, Slot, rounds_on

_SEGMENTS_TRIED: Final = 20


class DayConfig(Protocol):
    """The schedule, the odds table and the beacon mode that the day is to have."""

    @property
    def schedule(self) -> Schedule:
        """When rounds open, close and draw."""

    @property
    def odds_table(self) -> str:
        """The id of the odds table."""

    @property
    def beacon(self) -> str:
        """The beacon mode of its draws."""


class DayOpener:
    """Creates the command that opens a day."""

    def __init__(self, key: OperatorKey, chains: HashChainStore, witness: Witness) -> None:
        """The operator's key and the witness sign each day's record."""
        self._key = key
        self._chains = chains
        self._witness = witness
        self._hashes = (rules_hash(), engine_code_hash())

    def covers(self, day: GameDay, slot: Slot, config: DayConfig) -> bool:
        """Whether the open day has the slot's date, this configuration and the current keys."""
        opened = day.opened
        return (
            opened is not None
            and not day.left_cause
            and opened.date == slot.date
            and opened.schedule == config.schedule
            and opened.odds_table == config.odds_table
            and opened.beacon == config.beacon
            and opened.witness_key == self._witness.public.hex()
            and opened.operator_key == self._key.public.hex()
        )

    async def command(self, day: GameDay, slot: Slot, config: DayConfig) -> OpenDay:
        """Returns the command that opens the slot's day, or its next segment.

        Names that an interrupted opening has used with other content are skipped. So are names and
        indices that the witness has recorded and the log has not.
        """
        segment = next_segment(day, slot)
        name = segment_name(slot.date, segment)
        status = await asyncio.to_thread(self._witness.status, str(day.game), name)
        beyond = max(segment, status.segment) + 1
        numbers = [segment, *range(beyond, beyond + _SEGMENTS_TRIED)]
        shift = index_offset(day, slot.date, slot.index, status.last)
        for number in numbers:
            try:
                return await asyncio.to_thread(self._signed, day, slot, config, shift, number)
            except (WitnessDeclined, ValueError, ChainLost) as error:
                # Another segment of a day that is too late would be as late.
                if number == numbers[-1] or _is_late(error):
                    raise
        raise AssertionError

    def _signed(
        self, day: GameDay, slot: Slot, config: DayConfig, shift: int, segment: int
    ) -> OpenDay:
        name = segment_name(slot.date, segment)
        record = self._record(day, slot, config, shift, name)
        content = canonical(record)
        operator_signature = self._key.sign(DAY, content)
        witness_signature = self._witness.sign_day(
            Signed(content, operator_signature), self._key.public
        )
        return OpenDay(
            day.game, record, config.odds_table, operator_signature.hex(), witness_signature.hex()
        )

    def _record(
        self, day: GameDay, slot: Slot, config: DayConfig, shift: int, name: str
    ) -> DayRecord:
        rounds = shift + rounds_on(config.schedule, slot.date)
        rules, program = self._hashes
        return day_record(
            game=str(day.game),
            day=name,
            first=slot.index + shift,
            schedule=config.schedule,
            shift=shift,
            rules=rules,
            odds_table=table_hash(TABLES[config.odds_table]),
            program=program,
            c_0=self._chains.create(day.game, name, rounds)[0],
            w_0=self._witness.commit(str(day.game), name, rounds),
            operator_key=self._key.public,
            witness_key=self._witness.public,
            beacon=config.beacon,
        )


def _is_late(error: Exception) -> bool:
    late = DeclineReason.DAY_LATE
    return isinstance(error, WitnessDeclined) and error.declined.reason == late


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

    def opened(self, day: GameDay) -> None:
        """Note that this leader opened the segment with both signatures: it need not compare it.

        So its sales go on if the witness goes away before the second round.
        """
        assert day.opened is not None
        record = record_hash(record_of(day.opened)).hex()
        self._compared[day.game, day.day] = "", WitnessStatus(record, 0, day.opened.segment, 0)

    def obstacle(self, day: GameDay) -> str:
        """Returns why the open segment was marked; empty if it was not, or is left already."""
        return "" if day.left_cause else self._leaving.get((day.game, day.day), "")

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
