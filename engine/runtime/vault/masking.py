"""What is shown of private values: never more than half of their characters."""

from typing import Final

HIDDEN: Final = "****"
_HEAD: Final = 3
_TAIL: Final = 4


def mask_name(name: str) -> str:
    """The first three characters, four stars, then part of the end; of a short name, less.

    At most half of the characters that are not blanks show, so that one of one shows none.
    """
    shown = _half(name)
    head = min(_HEAD, shown)
    return f"{name[:head]}{HIDDEN}{_end(name, min(_TAIL, shown - head))}"


def mask_number(number: str) -> str:
    """Four stars and the last four characters; of a number shorter than eight, its second half."""
    return f"{HIDDEN}{_end(number, min(_TAIL, _half(number)))}"


def _half(text: str) -> int:
    return sum(not each.isspace() for each in text) // 2


def _end(text: str, length: int) -> str:
    return text[-length:] if length else ""
