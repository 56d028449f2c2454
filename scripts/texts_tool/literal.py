"""A file of texts: one object of strings and objects, as JSON or as a module of the web app.

A module is its imports of types, `export default`, the object, and `as const` or `satisfies`. Texts
are changed and added in place; the rest of the file stays as it is.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final, NoReturn

Key = tuple[str, ...]

_HEAD: Final = re.compile(r"(?:import type [^;]*;\s*)*export default(?=\s)")
_TAIL: Final = re.compile(r"(?: as const| satisfies [\w<>\[\]. ]+)?;?\s*")
_BLANK: Final = re.compile(r"(?:\s|//[^\n]*|/\*(?s:.*?)\*/)*")
#: What belongs to an entry after its value: its comma, and comments up to the end of the line.
_REST: Final = re.compile(
    r"(?:(?>(?:\s|//[^\n]*+|/\*(?s:.*?)\*/)*),)?"
    r"(?:(?:[ \t]*+(?://[^\n]*+|/\*[^\n]*?\*/))+(?=[ \t]*(?:\n|$)))?"
)
_NAME: Final = re.compile(r"[A-Za-z_$][\w$]*|\d+")
_STRING: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"|' + r"'(?:[^'\\\n]|\\.)*'")
_ESCAPE: Final = re.compile(r"\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|(.))")
_ESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "/": "/"}
_ITSELF: Final = "\\\"'"


class SyntaxProblem(Exception):  # noqa: N818 - a user reads it as a problem of a file
    """The file has something else than texts; the message names its line and column."""


@dataclass(frozen=True)
class Text:
    """A string at `start` to `end` of the source."""

    start: int
    end: int
    value: str


@dataclass(frozen=True)
class Group:
    """An object, or with `is_list` a list, whose entries are named by their positions."""

    start: int
    end: int
    is_list: bool
    entries: dict[str, "Text | Group"] = field(default_factory=dict)
    #: Where the name of each entry begins; in a list, the entry itself.
    begins: dict[str, int] = field(default_factory=dict)


class TextFile:
    """The texts of a file. The methods that change a text return a new object."""

    def __init__(self, path: Path, source: str) -> None:
        """Reads the source; `path` is for messages, and says whether it is JSON or a module.

        Raises SyntaxProblem if the source has something else than texts.
        """
        self.path = path
        self.source = source
        self._is_module = path.suffix == ".ts"
        self._root = _Reader(path, source).read(is_module=self._is_module)

    @cached_property
    def texts(self) -> dict[Key, str]:
        """All texts by their keys, in the order of the file."""
        return dict(_leaves(self._root, ()))

    def names_in(self, key: Key) -> tuple[str, ...]:
        """Returns the names in the object with this key; none if there is no such object."""
        found = self._find(key)
        return tuple(found.entries) if isinstance(found, Group) else ()

    def with_text(self, key: Key, text: str, order: Sequence[str]) -> "TextFile":
        """Returns the file with a text changed, or added where `order` has its name.

        `order` are the names in the text's object, or more. The object must exist.
        """
        found = self._find(key)
        if isinstance(found, Text):
            if found.value == text:
                return self
            return self._replaced(found.start, found.end, _quoted(text))
        return self._added(key, _quoted(text), order)

    def with_group(self, key: Key, order: Sequence[str]) -> "TextFile":
        """Returns the file with an empty object where `order` has its name, unless it has one."""
        return self if isinstance(self._find(key), Group) else self._added(key, "{}", order)

    def without(self, key: Key) -> "TextFile":
        """Returns the file without a text and its comments, and without an object left empty.

        Its comments are those before it, and those after it on its line. Returns the same file if
        it has no such text.
        """
        found, group = self._find(key), self._find(key[:-1])
        if found is None or not isinstance(group, Group):
            return self
        names = [*group.entries]
        if len(names) == 1:
            return self.without(key[:-1])
        place = names.index(key[-1])
        if place == 0 and self._gap(group) == " ":
            return self._replaced(group.begins[key[-1]], group.begins[names[1]], "")
        before = group.entries[names[place - 1]].end if place else group.start + 1
        start, end = self._after(before), self._after(found.end)
        left = self.source[before:start]
        if place == len(names) - 1 and "," not in self.source[found.end : end]:
            left = left.replace(",", "", 1)
        return self._replaced(before, end, left)

    def is_list(self, key: Key) -> bool:
        """Whether there is a list with this key."""
        found = self._find(key)
        return isinstance(found, Group) and found.is_list

    def _find(self, key: Key) -> Text | Group | None:
        found: Text | Group | None = self._root
        for name in key:
            found = found.entries.get(name) if isinstance(found, Group) else None
        return found

    def _added(self, key: Key, literal: str, order: Sequence[str]) -> "TextFile":
        group, name = self._find(key[:-1]), key[-1]
        assert isinstance(group, Group), f"{key[:-1]} is no object"
        entry = literal if group.is_list else f"{self._name(name)}: {literal}"
        if not group.entries:
            outer = self._indent(group.start)
            return self._replaced(group.start, group.end, f"{{\n{outer}  {entry}\n{outer}}}")
        place = order.index(name) if name in order else len(order)
        before = [each for each in order[:place] if each in group.entries]
        gap = self._gap(group)
        if before or not any(each in group.entries for each in order[place:]):
            end = group.entries[before[-1] if before else [*group.entries][-1]].end
            return self._replaced(end, end, f",{gap}{entry}")
        begin = next(group.begins[each] for each in order[place:] if each in group.entries)
        return self._replaced(begin, begin, f"{entry},{gap}")

    def _gap(self, group: Group) -> str:
        """What separates two entries: a blank, or a new line with its indentation."""
        first = next(iter(group.begins.values()))
        return f"\n{self._indent(first)}" if "\n" in self.source[group.start : first] else " "

    def _indent(self, at: int) -> str:
        line = self.source[self.source.rfind("\n", 0, at) + 1 : at]
        return line[: len(line) - len(line.lstrip())]

    def _name(self, name: str) -> str:
        return name if self._is_module and _NAME.fullmatch(name) else _quoted(name)

    def _after(self, end: int) -> int:
        """Where the next entry's comments, or the entry, may begin."""
        rest = _REST.match(self.source, end)
        return rest.end() if rest else end

    def _replaced(self, start: int, end: int, by: str) -> "TextFile":
        return TextFile(self.path, self.source[:start] + by + self.source[end:])


def _quoted(text: str) -> str:
    """Returns the text in quotes, with an escape for what an editor does not show."""
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in quoted)


def _leaves(group: Group, above: Key) -> Iterator[tuple[Key, str]]:
    for name, entry in group.entries.items():
        if isinstance(entry, Text):
            yield (*above, name), entry.value
        else:
            yield from _leaves(entry, (*above, name))


class _Reader:
    """Reads a source from its beginning."""

    def __init__(self, path: Path, source: str) -> None:
        self._path = path
        self._source = source
        self._at = 0

    def read(self, *, is_module: bool) -> Group:
        self._skip_blanks()
        if is_module:
            head = _HEAD.match(self._source, self._at)
            if head is None:
                self._fail('imports of types, then "export default"')
            self._at = head.end()
            self._skip_blanks()
        if not self._source.startswith("{", self._at):
            self._fail('"{"')
        found = self._read_group("}")
        tail = _TAIL.match(self._source, self._at) if is_module else None
        self._at = tail.end() if tail else self._at
        self._skip_blanks()
        if self._at != len(self._source):
            self._fail("the end of the file")
        return found

    def _read_group(self, close: str) -> Group:
        start, entries, begins = self._at, dict[str, Text | Group](), dict[str, int]()
        self._at += 1
        while not self._takes(close):
            if entries and not self._takes(","):
                self._fail(f'"," or "{close}"')
            if entries and self._takes(close):
                break
            begin = self._at
            name = str(len(entries)) if close == "]" else self._read_name()
            if name in entries:
                self._at = begin
                self._fail(f"another key than {name}, which this object has already")
            entries[name], begins[name] = self._read_value(), begin
        return Group(start, self._at, close == "]", entries, begins)

    def _read_name(self) -> str:
        found = _NAME.match(self._source, self._at)
        if found is None:
            name = self._read_text().value
        else:
            name, self._at = found.group(), found.end()
        if not self._takes(":"):
            self._fail(f'":" after the key {name}')
        return name

    def _read_value(self) -> Text | Group:
        opening = self._source[self._at : self._at + 1]
        if opening in {"{", "["}:
            return self._read_group("}" if opening == "{" else "]")
        return self._read_text()

    def _read_text(self) -> Text:
        found = _STRING.match(self._source, self._at)
        if found is None:
            self._fail("a text in quotes")
        text = Text(found.start(), found.end(), self._unescaped(found.start(), found.group()))
        self._at = found.end()
        return text

    def _unescaped(self, start: int, literal: str) -> str:
        def plain(found: re.Match[str]) -> str:
            code, short, one = found.groups()
            if one is None:
                return chr(int(code or short, 16))
            if one not in _ESCAPED and one not in _ITSELF:
                self._at = start + found.start() + 1
                self._fail("an escape such as \\n or \\u00e9")
            return _ESCAPED.get(one, one)

        # A pair of surrogates, as JSON may have it, becomes one character.
        text = _ESCAPE.sub(plain, literal[1:-1])
        return text.encode("utf-16", "surrogatepass").decode("utf-16")

    def _takes(self, mark: str) -> bool:
        """Whether the mark is next after blanks; goes past it and the blanks after it."""
        self._skip_blanks()
        if not self._source.startswith(mark, self._at):
            return False
        self._at += len(mark)
        if mark not in "}]":
            self._skip_blanks()
        return True

    def _skip_blanks(self) -> None:
        found = _BLANK.match(self._source, self._at)
        self._at = found.end() if found else self._at

    def _fail(self, expected: str) -> NoReturn:
        starts = [0, *(each.end() for each in re.finditer("\n", self._source))]
        line = bisect_right(starts, self._at)
        column = self._at - starts[line - 1] + 1
        raise SyntaxProblem(f"{self._path}:{line}:{column}: expected {expected}")
