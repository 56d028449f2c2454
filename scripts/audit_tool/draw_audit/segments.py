"""A day or segment: its record, and how far both of its hash chains are revealed.

`scripts/audit fairness` and `check` read it. A *segment* continues a day with new chains, after one
that could not be finished; its indices continue those of the day.
"""

import re
from collections.abc import Iterator, Mapping
from enum import IntEnum
from typing import Any, Final

from scripts.audit_tool.draw_audit import beacons, protocol
from scripts.audit_tool.draw_audit.rules import MAX_ROUNDS, Schedule
from scripts.audit_tool.draw_audit.stored import AuditedFact

_NAME: Final = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:/([1-9][0-9]{0,8}))?")


class Status(IntEnum):
    """What happened to an index of a segment."""

    NONE = 0
    SKIPPED = 1
    OPENED = 2
    CLOSED = 3
    DRAWN = 4
    VOIDED = 5


class Chain:
    """A party's chain. Each link is hashed once: from a revealed one down to the one before it."""

    def __init__(self, role: str, game: int, day: str, commitment: str) -> None:
        self._prefix = protocol.chain_prefix(role, game, day)
        self._index = 0
        self._value = bytes.fromhex(commitment)

    def reveal(self, index: int, value: bytes) -> bool:
        """Whether this is the chain's link at `index`; if so, it is the new end of the walk."""
        if index < self._index:
            return self._walk(self._value, self._index, index) == value
        if self._walk(value, index, self._index) != self._value:
            return False
        self._index, self._value = index, value
        return True

    @property
    def revealed(self) -> int:
        """The highest index whose link is public."""
        return self._index

    def _walk(self, value: bytes, index: int, end: int) -> bytes:
        for step in range(index - 1, end - 1, -1):
            value = protocol.link(self._prefix, step, value)
        return value


class Segment:
    """A day or a later segment of it, as its DayOpened describes it."""

    def __init__(self, fact: AuditedFact) -> None:
        """Raises ValueError if the name, the schedule or the number of rounds is impossible."""
        fields = fact.fields
        named = _NAME.fullmatch(fields["day"])
        if named is None or fields["rounds"] > MAX_ROUNDS:
            raise ValueError(f"{fields['day']} with {fields['rounds']:,} rounds is not a day")
        self.fields = fields
        self.position = fact.position
        self.game: int = fields["game"]
        self.day: str = fields["day"]
        self.date = named[1]
        self.number = int(named[2] or 0)
        self.first: int = fields["first"]
        self.shift: int = fields["shift"]
        self.operator_key: str = fields["operator_key"]
        self.witness_key: str = fields["witness_key"]
        self.schedule = Schedule(fields["schedule"], self.game, self.date)
        self.last = self.first - 1
        self.record_hash = protocol.digest(protocol.day_record(fields))
        self.prev = self.record_hash.hex()
        self.is_left = False
        self.statuses = bytearray(fields["rounds"] + 1)
        parties = (self.game, self.day)
        self.operator = Chain(protocol.OPERATOR, *parties, fields["operator_commitment"])
        self.witness = Chain(protocol.WITNESS, *parties, fields["witness_commitment"])

    @property
    def rounds(self) -> int:
        """The length of both chains."""
        return len(self.statuses) - 1

    def wrong(self) -> Iterator[str]:
        """Yields what is wrong with the record, without the rest of the log."""
        fields, content = self.fields, protocol.day_record(self.fields)
        for party, key in (("operator", self.operator_key), ("witness", self.witness_key)):
            if not protocol.is_signed(key, protocol.DAY, content, fields[f"{party}_signature"]):
                yield f"the {party}'s signature of the day is wrong"
        if (fields["date"], fields["segment"]) != (self.date, self.number):
            yield f"the day is called {self.day}, but is {fields['date']}/{fields['segment']}"
        if self.rounds != self.shift + self.schedule.rounds:
            expected = self.shift + self.schedule.rounds
            yield f"the chains have {self.rounds:,} links, but the schedule has {expected:,} rounds"
        if not self.shift < self.first <= self.rounds:
            yield f"the first round {self.first:,} is not one of the day's"
        if not beacons.is_known(fields["beacon"]):
            yield f"this audit does not know the beacon mode {fields['beacon']}"

    def wrong_opening(self, fact: AuditedFact) -> Iterator[str]:
        """Yields how a RoundOpened differs from the day's schedule and odds table."""
        fields = fact.fields
        times = self.schedule.times(fields["index"] - self.shift)
        if (fields["opens_at"], fields["closes_at"], fields["draws_at"]) != times:
            yield "its times are not those of the day's schedule"
        if not times.opens_at <= fact.at < times.closes_at:
            yield "it was opened outside the time of its sale"
        if fields["issue"] != self.schedule.issue(fields["index"]):
            yield f"the number of index {fields['index']:,} is another one"
        if fields["odds_table"] != self.fields["odds_table"]:
            yield f"it sells at {fields['odds_table']}, the day at {self.fields['odds_table']}"

    def skip(self, last: int) -> None:
        """Mark every index after the last one, up to this one, as skipped."""
        count = last - self.last
        self.statuses[self.last + 1 : last + 1] = bytes([Status.SKIPPED]) * count
        self.last = last

    def wrong_links(self, fields: Mapping[str, Any], index: int) -> Iterator[str]:
        """Yields which links in a fact are not those of both chains at this index."""
        for party, chain in (("operator", self.operator), ("witness", self.witness)):
            if not chain.reveal(index, bytes.fromhex(fields[f"{party}_secret"])):
                yield f"the {party}'s link does not lead to the day's commitment"

    def __contains__(self, index: int) -> bool:
        """Whether the segment may sell a round with this index."""
        return max(1, self.first) <= index <= self.rounds
