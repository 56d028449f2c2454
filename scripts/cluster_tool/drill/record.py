"""The file of a drill: a line for each fault, written as soon as it is over."""

import os
from pathlib import Path
from typing import Final

import msgspec

from scripts.cluster_tool.cluster import ClusterError
from scripts.cluster_tool.drill.lines import cut_torn_line
from scripts.cluster_tool.drill.result import Begun, Line

_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(Line).decode


class RecordFile:
    """The lines so far. Another piece of the drill continues the file."""

    def __init__(self, path: Path, lines: list[Line]) -> None:
        """Use `begin` or `open_again`."""
        self.path = path
        self.lines = lines

    @classmethod
    def begin(cls, path: Path, begun: Begun) -> "RecordFile":
        """Make the file, which must not exist. Raises OSError."""
        with path.open("xb"):
            pass
        record = cls(path, [])
        record.write(begun)
        return record

    @classmethod
    def open_again(cls, path: Path) -> "RecordFile":
        """Read what an earlier piece recorded. Raises ClusterError, OSError."""
        cut_torn_line(path)
        try:
            lines = [_decode(line) for line in path.read_bytes().splitlines()]
        except msgspec.DecodeError as error:
            raise ClusterError(f"{path} is not the record of a drill: {error}") from None
        if not lines or not isinstance(lines[0], Begun):
            raise ClusterError(f"{path} is not the record of a drill")
        return cls(path, lines)

    @property
    def begun(self) -> Begun:
        """The first line."""
        first = self.lines[0]
        assert isinstance(first, Begun)
        return first

    def write(self, line: Line) -> None:
        """Append a line; it is on disk when this returns."""
        with self.path.open("ab") as file:
            file.write(_encode(line) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self.lines.append(line)
