"""Updates requests from facts, from the request until it is closed."""

from collections.abc import Iterable
from typing import Any, Final

from msgspec.structs import astuple
from psycopg import Cursor

from engine.facts import RecordedFact
from engine.lifecycle import ENDORSED, REQUESTED, STEPS, Unrequested
from engine.runtime.log.pg_arrays import integers
from projections.approvals.rows import COLUMNS, TYPES, ApprovalRow
from projections.runner.bulk_sql import execute_rows, insert

_LOAD: Final = f"SELECT {COLUMNS} FROM requests WHERE open = 1 AND player = ANY(%s)"
_CHANGED: Final = (
    *("open", "status", "channel", "endorsed_by", "decided_at", "decided_by", "paid_at"),
    *("paid_by", "cause", "reason_commitment", "reference_commitment"),
)
_SAVE: Final = insert(
    "requests",
    COLUMNS,
    then="ON CONFLICT (player, position) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in _CHANGED),
)
#: Fields of an item that only the writer needs.
_NOT_SHOWN: Final = frozenset({"repeat_endorsed_by", "correction", "corrected_channel"})


class ApprovalFold:
    """The open requests of the players of a page; they change as the page is applied."""

    def __init__(self, rows: Iterable[ApprovalRow]) -> None:
        self._open = {(row.player, row.kind, row.id): row for row in rows}
        self._changed: dict[int, ApprovalRow] = {}

    def take(self, player: int, it: RecordedFact) -> ApprovalRow | None:
        """Returns the request that a fact is about, as it is after the fact; None if there is none.

        Raises LookupError if the request is not open.
        """
        step = STEPS.get(type(it.fact))
        if step is None:
            return None
        key = (player, *step.item(it.fact))
        row = self._open.get(key)
        if step.status == REQUESTED or (row is None and step.unrequested is Unrequested.REQUESTS):
            row = ApprovalRow(
                player, it.position, *key[1:], requested_at=it.at, requested_by=it.actor
            )
            self._open[key] = row
        if row is None:
            if step.unrequested is Unrequested.NO_ITEM:
                return None
            raise LookupError(f"player {player} has no open {key[1]} {key[2]}")
        for name, value in step.changes(it.fact, it.actor).items():
            if name not in _NOT_SHOWN:
                setattr(row, name, value)
        if step.status != ENDORSED:
            setattr(row, f"{step.role}_at", it.at)
        self._changed[row.position] = row
        if step.closes:
            row.open = 0
            del self._open[key]
        return row

    def save(self, cursor: Cursor[Any]) -> None:
        """Write the changes."""
        execute_rows(cursor, _SAVE, TYPES, [astuple(row) for row in self._changed.values()])


def load(cursor: Cursor[Any], page: Iterable[tuple[int, RecordedFact]]) -> ApprovalFold:
    """Load the open requests of all players who have facts about requests in the page."""
    players = {player for player, it in page if type(it.fact) in STEPS}
    if not players:
        return ApprovalFold(())
    rows = cursor.execute(_LOAD, (integers(sorted(players)),), prepare=True)
    return ApprovalFold(ApprovalRow(*row) for row in rows)
