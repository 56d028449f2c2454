"""The files of the checkout that the rules read: their names, texts and syntax trees."""

import ast
import functools
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Source:
    """A text file; `path` is relative to the checkout."""

    path: str
    text: str

    @property
    def module(self) -> str:
        parts = PurePosixPath(self.path).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @functools.cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, self.path)

    def nodes(self) -> Iterator[ast.AST]:
        return ast.walk(self.tree)


def is_within(module: str, package: str) -> bool:
    """Whether a dotted name is the package, or anything in it; `*` matches a part or its rest."""
    parts, expected = module.split("."), package.split(".")
    if len(parts) < len(expected):
        return False
    return all(fnmatchcase(part, want) for part, want in zip(parts, expected, strict=False))


@functools.cache
def files() -> tuple[str, ...]:
    """The names of all files that git does not ignore, committed or not."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    )
    return tuple(name for name in listing.stdout.split("\0") if name and (ROOT / name).is_file())


@functools.cache
def texts(*suffixes: str) -> tuple[Source, ...]:
    """The readable files with one of the suffixes, or all of them."""
    return tuple(
        Source(name, content.decode())
        for name in files()
        if not suffixes or name.endswith(suffixes)
        if _is_text(content := (ROOT / name).read_bytes())
    )


def python(*packages: str) -> list[Source]:
    """The Python files of the named packages."""
    return [
        source
        for source in texts(".py")
        if any(is_within(source.module, package) for package in packages)
    ]


def _is_text(content: bytes) -> bool:
    return b"\0" not in content
