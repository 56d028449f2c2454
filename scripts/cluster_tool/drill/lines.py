"""Files to which a drill appends lines, and which a later piece of it continues."""

from pathlib import Path


def cut_torn_line(path: Path) -> None:
    """Cut off a last line that was not written whole, as a killed program leaves it."""
    with path.open("rb+") as file:
        whole = sum(len(line) for line in file if line.endswith(b"\n"))
        file.truncate(whole)
