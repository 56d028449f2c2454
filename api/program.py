"""The program's files, as they were when it started, and as they are whenever somebody looks."""

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from engine.runtime.program import ROOT, FileManifest, engine_code_hash, manifest


class IntegrityResult(Struct, frozen=True):
    """What a check found; `changed` names what is not as it was at the start. `at` in µs."""

    digest: str
    files: int
    changed: tuple[str, ...]
    at: int


class IntegrityMonitor:
    """The files that run, as they were when this was made, and as the last check found them."""

    def __init__(self, clock: Callable[[], int], root: Path = ROOT) -> None:
        """Read all files; blocks. `clock` gives microseconds since 1970."""
        self._clock = clock
        self._root = root
        self._started = manifest(root)
        self.engine = engine_code_hash().hex()
        self.last = self._checked(self._started)

    @property
    def started(self) -> str:
        """The digest at the start."""
        return self._started.digest

    @property
    def intact(self) -> bool:
        """Whether the last check found every file as it was at the start."""
        return not self.last.changed

    def check(self) -> IntegrityResult:
        """Read all files again; blocks."""
        self.last = self._checked(manifest(self._root))
        return self.last

    def _checked(self, found: FileManifest) -> IntegrityResult:
        changed = found.changed_since(self._started)
        return IntegrityResult(found.digest, len(found.files), changed, self._clock())
