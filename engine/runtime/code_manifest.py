"""Hashes of the running code: of the engine, and of every file.

A day's record and each snapshot name the hash of the engine alone, so that a change of the webapp
affects neither. The manifest covers everything that runs, the engine included.
"""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

from msgspec import Struct

from engine.fairness.canonical import canonical

ROOT: Final = Path(__file__).parents[2]
#: The sources, the built webapp, and the lock files that pin every package by its hash.
HASHED_PATHS: Final = (
    *("engine", "projections", "api", "scripts", "pyproject.toml"),
    *("webapp/dist", "webapp/package-lock.json"),
)
_BYTECODE_FOLDER: Final = "__pycache__"


class FileManifest(Struct, frozen=True):
    """The SHA-256 of each file in hex, by its path relative to the checkout."""

    files: dict[str, str]

    @property
    def digest(self) -> str:
        """One SHA-256 in hex over all paths and hashes, as canonical JSON."""
        return sha256(canonical(self.files)).hexdigest()

    def changed_since(self, before: "FileManifest") -> tuple[str, ...]:
        """Returns the paths of the files that were changed, added or removed."""
        paths = self.files.keys() | before.files.keys()
        return tuple(
            sorted(path for path in paths if self.files.get(path) != before.files.get(path))
        )


def manifest(root: Path = ROOT) -> FileManifest:
    """Reads and hashes every file that runs; blocks."""
    paths = sorted(path for part in HASHED_PATHS for path in _files(root / part))
    return FileManifest(
        {path.relative_to(root).as_posix(): sha256(path.read_bytes()).hexdigest() for path in paths}
    )


def _files(part: Path) -> Iterator[Path]:
    if part.is_file():
        yield part
    for path in part.rglob("*"):
        if path.is_file() and _BYTECODE_FOLDER not in path.parts:
            yield path


def engine_code_hash() -> bytes:
    """SHA-256 over the engine's source files, in the order of their paths."""
    root = Path(__file__).parents[1]
    digest = sha256()
    for path in sorted(root.rglob("*.py")):
        content = path.read_bytes()
        digest.update(path.relative_to(root).as_posix().encode() + b"\0")
        digest.update(len(content).to_bytes(8, "big") + content)
    return digest.digest()
