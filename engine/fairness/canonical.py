"""RFC 8785 canonical JSON for the values in our records: strings, integers, arrays, objects.

Floats, booleans and null are refused: two programs must hash a record to the same bytes, and they
may write such values differently.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import msgspec

Canonical: TypeAlias = "str | int | Sequence[Canonical] | Mapping[str, Canonical] | msgspec.Struct"

MAX_INTEGER = 2**53 - 1
"""Integers are exact in every JSON reader only up to here (RFC 8785, appendix D)."""


def _utf16_units(key: str) -> bytes:
    return key.encode("utf-16-be")


def _ordered(value: object) -> object:
    match value:
        case bool():
            raise TypeError("a canonical record holds no booleans")
        case str():
            return value
        case int():
            if abs(value) > MAX_INTEGER:
                raise ValueError(f"{value} is beyond 2^53 - 1")
            return value
        case dict():
            if not all(type(key) is str for key in value):
                raise TypeError("the names in a canonical record are strings")
            return {key: _ordered(value[key]) for key in sorted(value, key=_utf16_units)}
        case list() | tuple():
            return [_ordered(item) for item in value]
        case msgspec.Struct():
            return _ordered(msgspec.structs.asdict(value))
        case _:
            raise TypeError(f"a canonical record holds no {type(value).__name__}")


def canonical(value: Canonical) -> bytes:
    r"""The only byte string that represents `value`; names sort by their UTF-16 units.

    msgspec writes strings as RFC 8785 §3.2.2.2 requires: the short escapes, `\u00xx` in lower case
    for other control characters, everything else as UTF-8. A Struct represents the object of its
    fields. Raises TypeError for a value of another type, ValueError for an integer beyond 2^53 - 1
    or a lone surrogate.
    """
    return msgspec.json.encode(_ordered(value))
