"""What a committed file must not contain."""

import re
from collections.abc import Iterable

import pytest

from tests.architecture.sources import Source, files, texts

_TOP_LEVEL = frozenset(
    {"engine", "projections", "api", "webapp", "scripts", "tests", "pyproject.toml", "README.md"}
)
# Each pattern contains a bracket or an escape, so that it does not match itself.
_FORBIDDEN = {
    "a package registry": r"registry\.npmj[s]\.org|registry\.yarn[p]kg|py[p]i\.org|python[h]osted",
    "a download address": r'"resolved"[:] *"|--(extra-)?index-[u]rl|--find-[l]inks',
    "a package file's address": r"https?://\S+\.(whl|tgz|tar\.gz)\b",
    "a path of one machine": r"(?<![\w.])/(root|home|work|Users)/\w",
    "a folder outside the checkout": r"\.\./[s]hared\b",
}


def _carriers(sources: Iterable[Source]) -> list[str]:
    return [
        f"{source.path}:{number} names {what}: {line.strip()[:100]}"
        for source in sources
        for what, pattern in _FORBIDDEN.items()
        for number, line in enumerate(source.text.splitlines(), start=1)
        if re.search(pattern, line)
    ]


def _unexpected_names(names: Iterable[str]) -> set[str]:
    tops = {name.split("/")[0] for name in names}
    return {top for top in tops if top not in _TOP_LEVEL and not top.startswith(".")}


def test_no_file_names_a_registry_or_a_machine() -> None:
    assert _carriers(texts()) == []


def test_the_top_level_is_the_agreed_one() -> None:
    assert _unexpected_names(files()) == set()


def test_locks_pin_every_package_by_hash() -> None:
    locks = [source for source in texts(".lock") if source.path.startswith("scripts/")]
    assert len(locks) == 3
    for lock in locks:
        pins = re.findall(r"^[a-z0-9][\w.-]*==[^ \n]+", lock.text, re.MULTILINE)
        blocks = re.split(r"^(?=[a-z0-9])", lock.text, flags=re.MULTILINE)[1:]
        assert len(pins) == len(blocks) > 0
        assert all("--hash=sha256:" in block for block in blocks)


@pytest.mark.parametrize(
    "line",
    [
        "https://registry.npm" + "js.org/react",
        "see https://py" + "pi.org/simple",
        '  "resolved"' + ': "x"',
        "--find-" + "links /opt/wheels",
        "https://example.com/x-1.0.tar" + ".gz",
        'open("/ho' + 'me/someone/x")',
        "cd /ro" + "ot/x",
        "../sha" + "red/design.md",
    ],
)
def test_a_forbidden_line_is_found(line: str) -> None:
    assert _carriers([Source("README.md", line)])


@pytest.mark.parametrize("line", ["/vip/lottery", "GET /api/index/index", "src/features/home"])
def test_an_innocent_line_is_left_alone(line: str) -> None:
    assert _carriers([Source("README.md", line)]) == []


def test_an_unexpected_top_level_name_is_found() -> None:
    assert _unexpected_names(["engine/a.py", "docs/a.md", ".gitignore"]) == {"docs"}
