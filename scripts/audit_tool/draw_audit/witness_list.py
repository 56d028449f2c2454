"""The witness's own list of the rounds that it released or cancelled, compared with the log.

The file has a JSON object a line, as the witness's journal writes them: `round-released.1` with
`game`, `day`, `i`, `f` and `signature`, and `round-cancelled.1` without `f`. Bytes are in base64.
Other records are ignored. A day of which the list has no round is not compared, and of a day no
round that was drawn after the last one in the list: a list of a running witness ends somewhere.
"""

import json
from base64 import b64decode
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from scripts.audit_tool.draw_audit import protocol
from scripts.audit_tool.draw_audit.segments import Segment, Status

_RELEASED: Final = "round-released.1"
_CANCELLED: Final = "round-cancelled.1"


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


class WitnessList:
    """The listed rounds that were not compared yet."""

    def __init__(self, lines: Iterable[str] = ()) -> None:
        """Raises ValueError if a line is not a record."""
        self._rounds: dict[tuple[int, str], dict[int, list[ListedRound]]] = {}
        self._last: dict[tuple[int, str], int] = {}
        self._newer: dict[tuple[int, str], int] = {}
        for number, line in enumerate(lines, 1):
            try:
                self._add(json.loads(line))
            except (KeyError, TypeError, ValueError, RecursionError):
                raise ValueError(f"line {number} is not a record of a witness") from None

    def _add(self, record: dict[str, str | int]) -> None:
        if record["type"] not in {_RELEASED, _CANCELLED}:
            return
        frozen = b64decode(str(record["f"])).hex() if record["type"] == _RELEASED else ""
        listed = ListedRound(frozen, b64decode(str(record["signature"])).hex())
        key, index = (int(record["game"]), str(record["day"])), int(record["i"])
        self._last[key] = max(index, self._last.get(key, 0))
        answers = self._rounds.setdefault(key, {}).setdefault(index, [])
        if listed not in answers:
            answers.append(listed)

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
