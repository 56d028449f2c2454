"""Compares the snapshots of long streams, from which the engine would start, with their facts."""

from collections.abc import Iterator

from engine.runtime.log.fact_log import FactLog, datastore
from engine.runtime.log.snapshots import SnapshotMismatch, Snapshots

_PAGE = 500


class SnapshotCheck:
    """Reads the snapshots; counts `checked` and `others`.

    `others` are those of other program versions, which this one can neither use nor check.
    """

    def __init__(self, conninfo: str, timezone: str) -> None:
        self.checked = 0
        self.others = 0
        self._conninfo = conninfo
        self._timezone = timezone

    def differences(self) -> Iterator[SnapshotMismatch]:
        """Yields each snapshot that differs from the fold of its stream's facts."""
        with datastore(self._conninfo) as store:
            snapshots = Snapshots(FactLog(store))
            self.others = snapshots.count_stale()
            after = ""
            while page := snapshots.page(after, _PAGE):
                for each in page:
                    self.checked += 1
                    found = snapshots.difference(each, self._timezone)
                    if found is not None:
                        yield found
                after = page[-1].stream
