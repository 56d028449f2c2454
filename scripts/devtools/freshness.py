"""Which setup steps are up to date: a stamp has the hash of a result's inputs."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from scripts.devtools.paths import CACHE


@dataclass(frozen=True)
class Stamp:
    """Whether `result` exists and was completed from exactly these `inputs`."""

    name: str
    inputs: str
    result: Path

    @property
    def _path(self) -> Path:
        return CACHE / "stamps" / self.name

    def is_fresh(self) -> bool:
        """Whether the result is up to date."""
        return (
            self.result.exists() and self._path.exists() and self._path.read_text() == self.inputs
        )

    def clear(self) -> None:
        """Call this before changing the result: an interrupted step then counts as not done."""
        self._path.unlink(missing_ok=True)

    def set(self) -> None:
        """Call this when the result is complete."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_text(self.inputs)


def hash_of(files: Iterable[Path], *facts: str) -> str:
    """Returns a hash over the names and contents of files, and over other inputs of a result."""
    digest = hashlib.sha256()
    for fact in facts:
        digest.update(f"{fact}\0".encode())
    for file in files:
        digest.update(f"{file.name}\0{file.stat().st_size}\0".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def source_files(folder: Path, without: frozenset[str]) -> Iterator[Path]:
    """All files under a folder in a stable order, without the named entries at its top level."""
    for entry in sorted(folder.iterdir()):
        if entry.name in without:
            continue
        if entry.is_file():
            yield entry
        else:
            yield from sorted(path for path in entry.rglob("*") if path.is_file())
