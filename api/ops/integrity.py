"""Code integrity: compares the server's files with those at its start."""

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from engine.runtime.code_manifest import ROOT, FileManifest, engine_code_hash, manifest


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
