"""Encodes whole columns as binary PostgreSQL arrays, with one C-level join for all elements.

The `eventsourcing` library sends an array of composites, which costs 17 microseconds an event;
parallel arrays with `unnest` cost 4 to 5. The layout is that of PostgreSQL's `array_recv`.
"""

from collections.abc import Iterable, Sequence
from struct import Struct, pack
from typing import AnyStr, Final

from psycopg.adapt import AdaptersMap, Buffer, Dumper
from psycopg.pq import Format

_TEXT: Final = 25
_BYTEA: Final = 17
_INT8: Final = 20
_length = Struct("!i").pack
_INT8_CELL: Final = pack("!iq", 8, 0)
_short: Final = [_length(length).decode() for length in range(128)].__getitem__


class Column:
    """An array parameter that is already in PostgreSQL's binary form."""

    __slots__ = ("data",)

    def __init__(self, data: bytes) -> None:
        self.data = data


class TextColumn(Column):
    """A `text[]`."""


class BytesColumn(Column):
    """A `bytea[]`."""


class IntColumn(Column):
    """A `bigint[]`."""


def texts(values: Sequence[str]) -> TextColumn:
    """A `text[]` of these values."""
    try:
        body = _short_texts(values)
    except (IndexError, UnicodeEncodeError):
        return TextColumn(_variable(_TEXT, [value.encode() for value in values]))
    return TextColumn(_head(_TEXT, len(values)) + body)


def blobs(values: Sequence[bytes]) -> BytesColumn:
    """A `bytea[]` of these values."""
    return BytesColumn(_variable(_BYTEA, values))


def integers(values: Sequence[int]) -> IntColumn:
    """A `bigint[]` of these values."""
    if not values:
        return IntColumn(_head(_INT8, 0))
    halves = memoryview(pack(f"!{len(values)}q", *values)).cast("I")
    # Each value is three 4-byte words: its length, already filled in, and two halves.
    words = memoryview(bytearray(_INT8_CELL * len(values))).cast("I")
    words[1::3], words[2::3] = halves[::2], halves[1::2]
    return IntColumn(_head(_INT8, len(values)) + words)


def _head(element: int, count: int) -> bytes:
    if not count:
        return pack("!iii", 0, 0, element)
    return pack("!iiiii", 1, 0, element, count, 1)


def _short_texts(values: Sequence[str]) -> bytes:
    """Encodes short ASCII texts, which nearly all are, with their lengths in one join.

    Raises IndexError for a text of 128 characters or more, UnicodeEncodeError for non-ASCII text.
    """
    return "".join(_alternating(map(_short, map(len, values)), values)).encode("ascii")


def _variable(element: int, values: Sequence[bytes]) -> bytes:
    body = b"".join(_alternating(map(_length, map(len, values)), values))
    return _head(element, len(values)) + body


def _alternating(lengths: Iterable[AnyStr], values: Sequence[AnyStr]) -> list[AnyStr]:
    """Returns lengths and values alternating; takes half the time of zip and chain."""
    parts = list(values) * 2
    parts[::2] = lengths
    parts[1::2] = values
    return parts


class _ColumnDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: Column) -> Buffer | None:
        return obj.data


class _TextDumper(_ColumnDumper):
    oid = 1009


class _BytesDumper(_ColumnDumper):
    oid = 1001


class _IntDumper(_ColumnDumper):
    oid = 1016


def register(adapters: AdaptersMap) -> None:
    """Register the dumpers that send columns."""
    adapters.register_dumper(TextColumn, _TextDumper)
    adapters.register_dumper(BytesColumn, _BytesDumper)
    adapters.register_dumper(IntColumn, _IntDumper)
