"""Detects security codes that are easy to guess. Pure."""

import re
from itertools import pairwise
from typing import Final

CODE: Final = re.compile(r"[0-9]{6}", re.ASCII)

_MIN_DIFFERENT_DIGITS: Final = 3
# Codes that no rule below finds: lines and corners of the keypad, numbers that sound like words of
# love in Chinese, first digits of constants, and other common codes.
_COMMON_CODES: Final = frozenset(
    (
        *("147258", "258147", "258369", "369258", "147369", "369147", "963852", "852741"),
        *("741852", "852963", "159357", "357159", "159753", "753159", "951753", "357951"),
        *("789456", "456123", "123654", "654123", "321654", "987123", "123987", "321456"),
        *("142536", "147896", "123698", "192837", "918273", "102030", "100200", "123890"),
        *("131452", "521131", "520131", "201314", "201413", "584520", "147147", "789123"),
        *("314159", "271828", "141421", "161803", "112358", "123789", "456789", "123456"),
    )
)


def is_weak(code: str) -> bool:
    """Whether these six digits follow a pattern that people often choose."""
    return (
        len(set(code)) < _MIN_DIFFERENT_DIGITS
        or _has_one_step(code)
        or _repeats(code)
        or code == code[::-1]
        or code in _COMMON_CODES
    )


def _has_one_step(code: str) -> bool:
    """Whether all steps are equal modulo 10, as in 345678, 086420, 890123."""
    steps = {(int(after) - int(before)) % 10 for before, after in pairwise(code)}
    return len(steps) == 1


def _repeats(code: str) -> bool:
    """Whether digits repeat as in 123123, 121212 or 112233."""
    return code[:3] == code[3:] or code[:2] * 3 == code or code[::2] == code[1::2]
