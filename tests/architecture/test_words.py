"""The vocabulary: words that are retired, and names that mean one thing only."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

import pytest

from tests.architecture.sources import Source, python, texts

#: A retired word, and what to write instead. Identifiers are searched part by part.
RETIRED = {
    "whoever": "the caller, client, player, staff",
    "whomever": "the caller, client, player, staff",
    "nobody": "no one, none, or name who",
    "somebody": "a player, a client, staff",
    "everybody": "all players, all clients",
    "anybody": "any client, anyone",
    "anew": "again",
    "beside": "next to, in addition, in parallel",
    "at hand": "loaded, cached, in memory",
    "told": "returned, sent, logged, received",
    "stands": "is, is stored, is valid",
    "of ours": "our",
    "of theirs": "their",
    "goes on": "continues",
    "foresee": "predict, dry run",
    "sheaf": "buffer, batch",
    "turnstile": "limiter",
    "purse": "funds, balance",
    "tally": "oracle, count",
}
#: Retired words that are stored, on the wire or scraped, by the exact text that may hold them.
KEPT = {
    "everybody": (
        r"[\"'.`-]everybody\b|\beverybody[=:\"]",
        "a field of /api/office/content, and its option",
    ),
    "nobody": (r"nobody leads|\"nobody\"", "a role of /readyz, and an account of the system"),
    "told": (r"[\"'.]told\b|\btold[:?]", "a field in the app's session storage"),
}
_PACKAGES = ("engine", "projections", "api", "scripts", "tests")
_GENERATED = (".gen.ts", ".d.ts")
_ITSELF = "tests/architecture/test_words.py"
_PARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")
_RETIRED = re.compile(r"\b(" + "|".join(word.replace(" ", r"\s+") for word in RETIRED) + r")\b")


def _retired(sources: Iterable[Source]) -> list[str]:
    return [
        f"{source.path}:{number} {word!r}: {RETIRED[' '.join(word.split())]}"
        for source in sources
        if source.path != _ITSELF
        for number, line in enumerate(source.text.splitlines(), 1)
        for word in _RETIRED.findall(_PARTS.sub(" ", line).lower())
        if not _is_kept(word, line)
    ]


def _is_kept(word: str, line: str) -> bool:
    return word in KEPT and re.search(KEPT[word][0], line) is not None


def _same_names(sources: Iterable[Source]) -> Mapping[str, list[str]]:
    """Public classes that share a name, with the modules that define them."""
    modules = defaultdict(list)
    for source in sources:
        for node in source.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                modules[node.name].append(source.module)
    return {name: found for name, found in modules.items() if len(found) > 1}


def _app() -> list[Source]:
    return [
        source
        for source in texts(".ts", ".tsx", ".css")
        if source.path.startswith("webapp/src/") and not source.path.endswith(_GENERATED)
    ]


def test_no_retired_word_is_used() -> None:
    assert _retired([*python(*_PACKAGES), *_app(), *texts(".md")]) == []


def test_a_public_class_has_a_name_of_its_own() -> None:
    assert _same_names(python("engine", "projections", "api")) == {}


@pytest.mark.parametrize(
    "text",
    [
        "# Whoever reads this",
        "at_hand = 1",
        "class AtHand: ...",
        "pagesTold()",
        "it is read\nat  hand",
        "def test_nobody_wins(): ...",
    ],
)
def test_a_retired_word_is_found(text: str) -> None:
    assert _retired([Source("engine/a.py", text)])


@pytest.mark.parametrize("text", ["understands", "understood", 'body["everybody"]', "besides"])
def test_other_words_and_kept_fields_are_left_alone(text: str) -> None:
    assert _retired([Source("engine/a.py", text)]) == []


def test_two_classes_of_one_name_are_found() -> None:
    sources = [Source("engine/a.py", "class House: ..."), Source("api/b.py", "class House: ...")]
    assert _same_names(sources) == {"House": ["engine.a", "api.b"]}
