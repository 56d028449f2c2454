"""Which setup steps are up to date: a stamp holds the hash of what a result was made from."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from scripts.devtools.paths import CACHE


@dataclass(frozen=True)
class Stamp:
    """Says whether `result` is there and was made, to the end, from these very `inputs`."""

    name: str
    inputs: str
    result: Path

    @property
    def _path(self) -> Path:
        return CACHE / "stamps" / self.name

    def is_fresh(self) -> bool:
        """Whether nothing needs to be done."""
        return (
            self.result.exists() and self._path.exists() and self._path.read_text() == self.inputs
        )

    def clear(self) -> None:
        """To be called before the result is touched: an interrupted step counts as not done."""
        self._path.unlink(missing_ok=True)

    def set(self) -> None:
        """To be called when the result is whole."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_text(self.inputs)


def hash_of(files: Iterable[Path], *facts: str) -> str:
    """A hash over the names and contents of files, and over other facts that a result rests on."""
    digest = hashlib.sha256()
    for fact in facts:
        digest.update(f"{fact}\0".encode())
    for file in files:
        digest.update(f"{file.name}\0{file.stat().st_size}\0".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def source_files(folder: Path, without: frozenset[str]) -> Iterator[Path]:
    """All files under a folder in a stable order, passing over the named entries at its top."""
    for entry in sorted(folder.iterdir()):
        if entry.name in without:
            continue
        if entry.is_file():
            yield entry
        else:
            yield from sorted(path for path in entry.rglob("*") if path.is_file())
