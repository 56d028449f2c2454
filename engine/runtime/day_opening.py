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
from engine.runtime.chains import ChainLost, Chains
from engine.runtime.keys import OperatorKey
from engine.runtime.program import program_hash, rules_hash
from engine.runtime.witness_port import Witness, WitnessDeclined
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

    def __init__(self, key: OperatorKey, chains: Chains, witness: Witness) -> None:
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
            and not day.left
            and opened.date == place.date
            and opened.schedule == plan.schedule
            and opened.odds_table == plan.odds_table
            and opened.witness_key == self._witness.public.hex()
            and opened.operator_key == self._key.public.hex()
        )

    async def command(self, day: GameDay, place: Slot, plan: Plan) -> OpenDay:
        """Open the day of this place, or its next segment.

        A start behind the day's first round is a segment of its own. A name that an earlier,
        interrupted opening has used up with other content is passed over, and so are the names
        and indices of which the witness knows more than the log.
        """
        segment = next_segment(day, place.date) or int(place.index > 1)
        name = segment_name(place.date, segment)
        standing = await asyncio.to_thread(self._witness.standing, str(day.game), name)
        beyond = max(segment, standing.segment) + 1
        numbers = [segment, *range(beyond, beyond + _SEGMENTS_TRIED)]
        shift = shift_for(day, place.date, place.index, standing.last)
        for number in numbers:
            try:
                return await asyncio.to_thread(self._signed, day, place, plan, shift, number)
            except (WitnessDeclined, ValueError, ChainLost):
                if number == numbers[-1]:
                    raise
        raise AssertionError

    def _signed(self, day: GameDay, place: Slot, plan: Plan, shift: int, segment: int) -> OpenDay:
        name = segment_name(place.date, segment)
        record = self._record(day, place, plan, shift, name)
        content = canonical(record)
        mine = self._key.sign(DAY, content)
        theirs = self._witness.sign_day(Signed(content, mine), self._key.public)
        return OpenDay(day.game, record, plan.odds_table, mine.hex(), theirs.hex())

    def _record(self, day: GameDay, place: Slot, plan: Plan, shift: int, name: str) -> DayRecord:
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
