"""Whether facts are in a valid log order: pure, row by row."""

from collections.abc import Iterable, Iterator

from scripts.audit_tool import FindingError
from scripts.audit_tool.tables import Row


class LogOrder:
    """Positions from 1 without a gap, each stream's versions too, times that never decrease."""

    def __init__(self) -> None:
        """Initially empty, before the first fact."""
        self.position = 0
        self.at = 0
        self._versions: dict[str, int] = {}

    def over(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Yields the same rows, in the columns of `tables.FACTS`.

        Raises:
            FindingError: a row violates the order.
        """
        for row in rows:
            position, stream, version, _, at, *_ = row
            if position != self.position + 1:
                raise FindingError(f"position {position} follows position {self.position}")
            if version != self._versions.get(stream, 0) + 1:
                before = self._versions.get(stream, 0)
                raise FindingError(
                    f"at position {position} {stream} goes from version {before} to {version}"
                )
            if at < self.at:
                raise FindingError(f"position {position} was recorded before the one before it")
            self.position, self.at = position, at
            self._versions[stream] = version
            yield row

    def players(self) -> Iterator[str]:
        """Yields the players' streams among the rows so far."""
        return (stream for stream in self._versions if stream.startswith("player-"))
