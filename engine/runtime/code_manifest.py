"""Hashes of the running code: of the engine, and of every file, compared with the start.

A day's record and each snapshot name the hash of the engine alone, so that a change of the webapp
affects neither. The manifest covers everything that runs, the engine included.
"""

from collections.abc import Callable, Iterator
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


class IntegrityResult(Struct, frozen=True):
    """The result of a check; `changed` names the files that differ from the start. `at` in µs."""

    digest: str
    files: int
    changed: tuple[str, ...]
    at: int


class IntegrityMonitor:
    """The manifest of the running files at the start, and the result of the last check."""

    def __init__(self, clock: Callable[[], int], root: Path = ROOT) -> None:
        """Read all files; blocks. `clock` returns microseconds since 1970."""
        self._clock = clock
        self._root = root
        self._started = manifest(root)
        self.engine = engine_code_hash().hex()
        self.last = self._checked(self._started)

    @property
    def started(self) -> str:
        """The digest of all files at the start."""
        return self._started.digest

    @property
    def intact(self) -> bool:
        """Whether the last check found no changed file."""
        return not self.last.changed

    def check(self) -> IntegrityResult:
        """Read all files again and compare them with the start; blocks."""
        self.last = self._checked(manifest(self._root))
        return self.last

    def _checked(self, found: FileManifest) -> IntegrityResult:
        changed = found.changed_since(self._started)
        return IntegrityResult(found.digest, len(found.files), changed, self._clock())
