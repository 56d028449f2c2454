"""Masks private values. At most half of their characters are shown."""

from typing import Final

HIDDEN: Final = "****"
_HEAD: Final = 3
_TAIL: Final = 4


def mask_name(name: str) -> str:
    """Returns the first three characters, four stars, then part of the end; less of a short name.

    At most half of the non-blank characters are shown, and none of a name of one character.
    """
    shown = _half(name)
    head = min(_HEAD, shown)
    return f"{name[:head]}{HIDDEN}{_end(name, min(_TAIL, shown - head))}"


def mask_number(number: str) -> str:
    """Returns four stars and the last four characters, or the second half of fewer than eight."""
    return f"{HIDDEN}{_end(number, min(_TAIL, _half(number)))}"


def _half(text: str) -> int:
    return sum(not each.isspace() for each in text) // 2


def _end(text: str, length: int) -> str:
    return text[-length:] if length else ""
