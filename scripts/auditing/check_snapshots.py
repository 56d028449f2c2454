"""The states of long streams that an engine would start from, each held against its stream."""

from collections.abc import Iterator

from engine.runtime.log import FactLog, datastore
from engine.runtime.snapshots import SnapshotMismatch, Snapshots

_PAGE = 500


class SnapshotCheck:
    """Goes through the snapshots; `checked` and `others` are counted on the way.

    `others` are another program's: this one can neither believe nor check them.
    """

    def __init__(self, conninfo: str, timezone: str) -> None:
        self.checked = 0
        self.others = 0
        self._conninfo = conninfo
        self._timezone = timezone

    def differences(self) -> Iterator[SnapshotMismatch]:
        """Each snapshot that the facts of its stream do not lead to."""
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
