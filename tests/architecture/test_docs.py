"""Pages name files that exist, link to pages that exist, and the front page stays one page."""

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Any

import pytest

from engine.bets.facts import BetSettled
from tests.architecture.sources import ROOT, Source, python, texts

_FRONT_PAGE = "README.md"
_MAX_FRONT_PAGE_LINES = 150
_LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)\)|src=\"(?!https?:)([^\"]+)\"")
_PATH = re.compile(r"`([\w.*-]+(?:/[\w.*-]+)+/?)`")
_PYTHON_FILE = re.compile(r"(?<![\w./-])((?:engine|projections|api|scripts)/[\w/]+\.py)\b")
#: A path in backticks that begins with one of these is a path of the checkout.
_FOLDERS = ("engine", "projections", "api", "webapp", "scripts", "tests", ".github")
#: And with one of these, a path of the folder of the page.
_IN_PAGE_FOLDER = ("src", "build", "public", "tools", "pictures")


def _targets(page: Source) -> Iterator[tuple[str, str]]:
    """The files that a page names: as written, and as a pattern relative to the checkout."""
    folder = PurePosixPath(page.path).parent
    for link, picture in _LINK.findall(page.text):
        yield link or picture, str(folder / (link or picture))
    for path in _PATH.findall(page.text):
        first = path.split("/")[0]
        if first in _FOLDERS:
            yield path, path
        elif first in _IN_PAGE_FOLDER and folder != PurePosixPath():
            yield path, str(folder / path)


def _files_in_code(source: Source) -> Iterator[str]:
    """The Python files of the product that a docstring or a comment names."""
    for line in source.text.splitlines():
        yield from _PYTHON_FILE.findall(line)


def _missing(pages: Iterable[Source]) -> list[str]:
    return [
        f"{page.path} names {name}, which does not exist"
        for page in pages
        for name, target in _targets(page)
        if not _exists(target)
    ]


def _exists(target: str) -> bool:
    if "*" in target:
        return any(ROOT.glob(target))
    return (ROOT / target).exists()


def test_every_file_that_a_page_names_exists() -> None:
    assert _missing(texts(".md")) == []


def test_every_file_that_a_docstring_or_a_comment_names_exists() -> None:
    sources = python("engine", "projections", "api", "scripts")
    assert [
        f"{source.path} names {name}"
        for source in sources
        for name in _files_in_code(source)
        if not _exists(name)
    ] == []


def test_the_front_page_is_one_page() -> None:
    (front,) = (page for page in texts(".md") if page.path == _FRONT_PAGE)
    assert len(front.text.splitlines()) <= _MAX_FRONT_PAGE_LINES


@pytest.mark.parametrize(
    "text",
    [
        "see `engine/nothing.py`",
        "see `api/nothing/`",
        "see `api/messages/*.yaml`",
        "[page](nothing.md)",
        '<img src="nothing.png">',
    ],
)
def test_a_missing_file_is_found(text: str) -> None:
    assert _missing([Source("README.md", text)])


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("README.md", "`engine/ledger.py`, `api/messages/*/messages.json` and `engine/runtime/`"),
        ("README.md", "[decisions](engine/README.md), [web](https://example.com/x)"),
        ("webapp/README.md", "[decisions](../engine/README.md), `src/lib/`"),
        ("README.md", "`/api/user/sessions`, `keys/office.key`, `deposit/withdrawal`"),
    ],
)
def test_existing_files_and_other_paths_are_left_alone(page: str, text: str) -> None:
    assert _missing([Source(page, text)]) == []


def test_the_ten_lines_of_the_front_page_run() -> None:
    page = (ROOT / "README.md").read_text()
    (block,) = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert len([line for line in block.splitlines() if line]) == 10
    names: dict[str, Any] = {}
    exec(compile(block, "README.md", "exec"), names)
    settled = [each for each in names["house"].log if isinstance(each.fact, BetSettled)]
    assert len(settled) == 1
