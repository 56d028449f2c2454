"""Opening a day or a new segment: both chains grown, both anchors signed by both parties."""

import asyncio
from typing import Final, Protocol

from engine.fairness.canonical import canonical
from engine.fairness.records import DayRecord, day_record
from engine.fairness.signing import DAY
from engine.fairness.witness_state import Signed
from engine.house.commands import OpenDay
from engine.house.state import GameDay, next_segment, segment_name, shift_for
from engine.odds import TABLES, table_hash
from engine.runtime.chains import Chains
from engine.runtime.keys import OperatorKey
from engine.runtime.program import program_hash, rules_hash
from engine.runtime.witness import LocalWitness, WitnessDeclined
from engine.schedule import Schedule, Slot, rounds_on

_SEGMENTS_TRIED: Final = 20


class Plan(Protocol):
    """By which schedule and odds the house wants to sell."""

    @property
    def schedule(self) -> Schedule:
        """When rounds open, close and draw."""

    @property
    def odds_table(self) -> str:
        """The id of the odds table."""


class DayOpening:
    """Makes the command that opens a day."""

    def __init__(self, key: OperatorKey, chains: Chains, witness: LocalWitness) -> None:
        """Sign with the operator's key and the witness's."""
        self._key = key
        self._chains = chains
        self._witness = witness
        self._hashes = (rules_hash(), program_hash())

    def covers(self, day: GameDay, place: Slot, plan: Plan) -> bool:
        """Whether the open day is this date's, and sells by this plan under this witness."""
        opened = day.opened
        return (
            opened is not None
            and opened.date == place.date
            and opened.schedule == plan.schedule
            and opened.odds_table == plan.odds_table
            and opened.witness_key == self._witness.public.hex()
            and opened.operator_key == self._key.public.hex()
        )

    async def command(self, day: GameDay, place: Slot, plan: Plan) -> OpenDay:
        """Open the day of this place, or its next segment.

        A start behind the day's first round is a segment of its own. A name that an earlier,
        interrupted opening has used up with other content is passed over.
        """
        segment = next_segment(day, place.date) or int(place.index > 1)
        for number in range(segment, segment + _SEGMENTS_TRIED):
            try:
                return await asyncio.to_thread(self._signed, day, place, plan, number)
            except (WitnessDeclined, ValueError):
                if number + 1 == segment + _SEGMENTS_TRIED:
                    raise
        raise AssertionError

    def _signed(self, day: GameDay, place: Slot, plan: Plan, segment: int) -> OpenDay:
        record = self._record(day, place, plan, segment_name(place.date, segment))
        content = canonical(record)
        mine = self._key.sign(DAY, content)
        theirs = self._witness.sign_day(Signed(content, mine), self._key.public)
        return OpenDay(day.game, record, plan.odds_table, mine.hex(), theirs.hex())

    def _record(self, day: GameDay, place: Slot, plan: Plan, name: str) -> DayRecord:
        shift = shift_for(day, place.date, place.index)
        rounds = shift + rounds_on(plan.schedule, place.date)
        rules, program = self._hashes
        return day_record(
            game=str(day.game),
            day=name,
            first=place.index + shift,
            schedule=plan.schedule,
            shift=shift,
            rules=rules,
            odds_table=table_hash(TABLES[plan.odds_table]),
            program=program,
            c_0=self._chains.grow(day.game, name, rounds)[0],
            w_0=self._witness.commit(str(day.game), name, rounds),
            operator_key=self._key.public,
            witness_key=self._witness.public,
        )
