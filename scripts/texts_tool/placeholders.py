"""The placeholders of a text: `{count}`, and in the web app ICU plurals and selections.

A text of the server is filled in by `str.format`, which has names in braces only.
"""

import re
from typing import Final

_NAME: Final = re.compile(r"\s*([A-Za-z_]\w*)\s*")
_ARM: Final = re.compile(r"\s*(=\d+|[\w-]+)\s*\{")
_OFFSET: Final = re.compile(r"\s*offset:\s*\d+(?=\s)")
_TYPE: Final = re.compile(r",\s*(\w+)\s*")
_STYLE: Final = re.compile(r",[^{}]*")
_SIMPLE_TYPES: Final = frozenset({"number", "date", "time"})
_WITH_ARMS: Final = frozenset({"plural", "select", "selectordinal"})


class PlaceholderProblem(Exception):  # noqa: N818 - a translator reads it as a problem of a text
    """A placeholder is malformed; the message says what and where in the text."""


def placeholders_in(text: str, *, is_icu: bool) -> frozenset[str]:
    """Returns the names of a text's placeholders, those within the arms of a plural too.

    Raises PlaceholderProblem if a placeholder is malformed.
    """
    reader = _Reader(text, is_icu=is_icu)
    reader.read(inside_arm=False)
    return frozenset(reader.names)


class _Reader:
    """Reads a text from its beginning, and collects the names."""

    def __init__(self, text: str, *, is_icu: bool) -> None:
        self._text = text
        self._is_icu = is_icu
        self._at = 0
        self.names: set[str] = set()

    def read(self, *, inside_arm: bool) -> None:
        """Read to the end, or within an arm to the brace that closes it."""
        while self._at < len(self._text):
            here = self._text[self._at]
            if here == "}" and inside_arm:
                return
            if here == "}":
                raise self._problem('"}" has no "{" before it')
            if here == "{":
                self._read_placeholder()
            elif here == "'" and self._is_icu:
                self._skip_apostrophe()
            else:
                self._at += 1

    def _skip_apostrophe(self) -> None:
        """ICU takes text from an apostrophe before a brace to the next apostrophe as it is."""
        quotes = self._text[self._at + 1 : self._at + 2] in {"{", "}"}
        end = self._text.find("'", self._at + 1)
        self._at = end + 1 if quotes and end > 0 else self._at + 1

    def _read_placeholder(self) -> None:
        start = self._at
        name = _NAME.match(self._text, start + 1)
        if name is None:
            raise self._problem('"{" has to begin a name such as {count}')
        self._at = name.end()
        self.names.add(name.group(1))
        if self._is_icu and (kind := _TYPE.match(self._text, self._at)):
            self._at = kind.end()
            self._read_type(kind.group(1))
        if not self._text.startswith("}", self._at):
            raise self._problem(f'"}}" is missing after {self._text[start : self._at]}')
        self._at += 1

    def _read_type(self, kind: str) -> None:
        if kind in _SIMPLE_TYPES:
            style = _STYLE.match(self._text, self._at)
            self._at = style.end() if style else self._at
            return
        if kind not in _WITH_ARMS:
            known = ", ".join(sorted(_SIMPLE_TYPES | _WITH_ARMS))
            raise self._problem(f"{kind} is no type of a placeholder: {known}")
        self._read_arms(kind)

    def _read_arms(self, kind: str) -> None:
        if not self._text.startswith(",", self._at):
            raise self._problem(f'"," is missing after {kind}')
        self._at += 1
        if kind != "select" and (offset := _OFFSET.match(self._text, self._at)):
            self._at = offset.end()
        arms = set()
        while arm := _ARM.match(self._text, self._at):
            self._at = arm.end()
            arms.add(arm.group(1))
            self.read(inside_arm=True)
            if self._at == len(self._text):
                raise self._problem(f'"}}" is missing after the text of {arm.group(1)}')
            self._at += 1
        if "other" not in arms:
            raise self._problem(f"{kind} has no text for other")
        self._at += len(self._text[self._at :]) - len(self._text[self._at :].lstrip())

    def _problem(self, what: str) -> PlaceholderProblem:
        return PlaceholderProblem(f"{what}, at character {self._at + 1}")
