"""The witness's own list of the rounds that it released or cancelled, compared with the log.

The file has a JSON object a line, as the witness's journal writes them: `round-released.1` with
`game`, `day`, `i`, `f` and `signature`, and `round-cancelled.1` without `f`. Of a finished
day `day-finished.2` has the number of releases, `released`, and the `root` over them, which is
computed again from the log. Bytes are in base64. Other records are ignored. A day of which the list
has none of these is not compared, and of an unfinished day no round that was drawn after the last
one in the list: a list of a running witness ends somewhere.
"""

import json
from base64 import b64decode
from collections.abc import Container, Iterable, Iterator
from typing import Final, NamedTuple, TypeAlias

from scripts.audit_tool.draw_audit import protocol
from scripts.audit_tool.draw_audit.segments import Segment, Status

_RELEASED: Final = "round-released.1"
_CANCELLED: Final = "round-cancelled.1"
_FINISHED: Final = "day-finished.2"
_ENTRY_BYTES: Final = 4 + 32
Key: TypeAlias = tuple[int, str]


class ListedRound(NamedTuple):
    """The witness's answer about a round; `frozen` is the hash in hex, empty if cancelled."""

    frozen: str
    signature: str

    def is_signed(self, segment: Segment, index: int) -> bool:
        """Whether the witness of the segment gave this answer."""
        if self.frozen:
            purpose, content = protocol.RELEASE, bytes.fromhex(self.frozen)
        else:
            purpose = protocol.CANCEL
            content = protocol.cancel_record(segment.game, segment.day, index)
        return protocol.is_signed(segment.witness_key, purpose, content, self.signature)


class FinishedDay(NamedTuple):
    """The witness's sum of its releases of a day or segment; the root in hex."""

    released: int
    root: str
    signature: str

    def is_signed(self, segment: Segment) -> bool:
        """Whether the witness of the segment signed it."""
        record = protocol.finished_record(segment.game, segment.day, self.released, self.root)
        return protocol.is_signed(segment.witness_key, protocol.FINISHED, record, self.signature)


class WitnessList:
    """The listed rounds that were not compared yet, and the listed roots of finished days."""

    def __init__(self, lines: Iterable[str] = ()) -> None:
        """Raises ValueError if a line is not a record."""
        self._rounds: dict[tuple[int, str], dict[int, list[ListedRound]]] = {}
        self._last: dict[tuple[int, str], int] = {}
        self._newer: dict[tuple[int, str], int] = {}
        self._finished: dict[Key, set[FinishedDay]] = {}
        self._entries: dict[Key, bytearray] = {}
        for number, line in enumerate(lines, 1):
            try:
                self._add(json.loads(line))
            except (KeyError, TypeError, ValueError, RecursionError):
                raise ValueError(f"line {number} is not a record of a witness") from None

    def _add(self, record: dict[str, str | int]) -> None:
        if record["type"] == _FINISHED:
            self._add_finished(record)
        if record["type"] not in {_RELEASED, _CANCELLED}:
            return
        frozen = b64decode(str(record["f"])).hex() if record["type"] == _RELEASED else ""
        listed = ListedRound(frozen, b64decode(str(record["signature"])).hex())
        key, index = (int(record["game"]), str(record["day"])), int(record["i"])
        self._last[key] = max(index, self._last.get(key, 0))
        answers = self._rounds.setdefault(key, {}).setdefault(index, [])
        if listed not in answers:
            answers.append(listed)

    def _add_finished(self, record: dict[str, str | int]) -> None:
        root, signature = (b64decode(str(record[name])).hex() for name in ("root", "signature"))
        key = int(record["game"]), str(record["day"])
        listed = FinishedDay(int(record["released"]), root, signature)
        self._finished.setdefault(key, set()).add(listed)
        self._entries.setdefault(key, bytearray())

    def release(self, segment: Segment, index: int, frozen: str) -> None:
        """Take a release that the log shows into the tree of its day, if the list has its root."""
        entries = self._entries.get((segment.game, segment.day))
        if entries is not None:
            entries += protocol.released_entry(index, frozen)

    def wrong_finished(self, segment: Segment) -> Iterator[str]:
        """Yields how the listed root of a finished day differs from the releases in the log."""
        key = segment.game, segment.day
        if key not in self._finished:
            return
        entries = self._entries[key]
        count = len(entries) // _ENTRY_BYTES
        released = sorted(
            bytes(entries[at : at + _ENTRY_BYTES]) for at in range(0, len(entries), _ENTRY_BYTES)
        )
        leaves = [protocol.leaf(entry) for entry in (segment.record_hash, *released)]
        root = protocol.tree_head(leaves).hex()
        for listed in self._finished[key]:
            if not listed.is_signed(segment):
                yield "the signature of the finished day in the witness's list is wrong"
            elif listed.released != count:
                yield f"the witness released {listed.released:,} rounds, but the log has {count:,}"
            elif listed.root != root:
                yield "the witness signed another day or other frozen records than the log has"

    def is_finished(self, segment: Segment) -> bool:
        """Whether the list has the root of this day or segment."""
        return (segment.game, segment.day) in self._finished

    def finished_elsewhere(self, known: Container[Key]) -> Iterator[Key]:
        """Yields the finished days with releases that are not among the known ones."""
        for key, days in self._finished.items():
            if key not in known and any(listed.released for listed in days):
                yield key

    def wrong_draw(self, segment: Segment, index: int, frozen: str) -> Iterator[str]:
        """Yields how the list differs from a drawn round."""
        day = self._rounds.get((segment.game, segment.day))
        if day is None:
            return
        answers = day.pop(index, [])
        yield from _unsigned(answers, segment, index)
        if index > self._last[segment.game, segment.day]:
            self._newer[segment.game, segment.day] = index
        elif not answers:
            yield "drawn, but the witness does not list its release"
        if any(not each.frozen for each in answers):
            yield "drawn, but the witness lists it as cancelled"
        if any(each.frozen not in {"", frozen} for each in answers):
            yield "the witness lists another frozen record than the log"

    def wrong_closed(self, segment: Segment, index: int, frozen: str) -> Iterator[str]:
        """Yields how the list differs from a round that is neither drawn nor voided yet."""
        answers = self._rounds.get((segment.game, segment.day), {}).get(index, [])
        if any(each.frozen not in {"", frozen} for each in answers):
            yield "the witness lists another frozen record than the log"

    def wrong_void(self, segment: Segment, index: int, *, is_breach: bool) -> Iterator[str]:
        """Yields how the list differs from a voided round."""
        answers = self._rounds.get((segment.game, segment.day), {}).pop(index, [])
        yield from _unsigned(answers, segment, index)
        if any(each.frozen for each in answers) and not is_breach:
            yield "voided, but the witness lists its release"
        if any(not each.frozen for each in answers) and is_breach:
            yield "voided in breach of a release, but the witness lists it as cancelled"

    def uncompared(self, segment: Segment) -> str:
        """Returns which rounds were drawn after the last one in the list; empty if none."""
        key = (segment.game, segment.day)
        if key not in self._newer:
            return ""
        last, newer = self._last[key], self._newer[key]
        return f"the witness's list ends at index {last:,}, the draws at {newer:,}"

    def rest(self, segment: Segment) -> Iterator[tuple[int, str]]:
        """Yields the index of each listed round that the log did not finish, and what is wrong."""
        for index, answers in self._rounds.get((segment.game, segment.day), {}).items():
            for what in _unsigned(answers, segment, index):
                yield index, what
            status = segment.statuses[index] if 0 <= index <= segment.rounds else Status.NONE
            if any(each.frozen for each in answers) and status != Status.CLOSED:
                yield index, "the witness lists the release of a frozen record that the log lacks"


def _unsigned(answers: Iterable[ListedRound], segment: Segment, index: int) -> Iterator[str]:
    if not all(each.is_signed(segment, index) for each in answers):
        yield "the signature in the witness's list is wrong"
