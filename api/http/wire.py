"""Wire formats of values: exact money and odds, whole seconds, masked names, stream events."""

import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import Any, Final, TypeVar

import msgspec

SECOND_US: Final = 1_000_000
_MINOR_DIGITS: Final = 2
_MAX_DIGITS: Final = 15
_CENT: Final = Decimal("0.01")
_MAX_ISSUE_LENGTH: Final = 64
#: A number as text; other notations, including Python's, are treated as typos.
_PLAIN: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?")

encode: Final[Callable[[Any], bytes]] = msgspec.json.Encoder(decimal_format="number").encode
_T = TypeVar("_T")


def converter(
    kind: type[_T], *, strict: bool = True, from_attributes: bool = False
) -> Callable[[object], _T]:
    """Returns `msgspec.convert` for a type. Call it at import.

    msgspec builds what it knows of a type at the first use, and crashes if a second thread uses the
    type meanwhile.
    """
    msgspec.json.Decoder(kind)
    return partial(msgspec.convert, type=kind, strict=strict, from_attributes=from_attributes)


class NotMoneyError(ValueError):
    """Not an amount of money: not a number, too many decimals, or too large."""


class TooMuchError(NotMoneyError):
    """An amount larger than any balance."""


def money(minor: int) -> Decimal:
    """Convert minor units to u."""
    return Decimal(minor).scaleb(-_MINOR_DIGITS)


def odds(milli: int) -> Decimal:
    """Convert thousandths to odds."""
    return Decimal(milli) / 1000


def minor_units(amount: Decimal) -> int:
    """Convert an amount in u to minor units, exactly.

    Raises NotMoneyError for more than two decimals or a value that is not a finite number, and
    TooMuchError for more than 15 digits before the decimal point. That check comes first, so that
    a huge exponent costs nothing.
    """
    if not amount.is_finite():
        raise NotMoneyError
    if not amount:
        return 0
    if amount.adjusted() >= _MAX_DIGITS:
        raise TooMuchError
    if amount.adjusted() < -_MINOR_DIGITS:
        raise NotMoneyError
    cents = amount.quantize(_CENT)
    if cents != amount:
        raise NotMoneyError
    return int(cents.scaleb(_MINOR_DIGITS))


def seconds(at: int) -> int:
    """Convert microseconds to whole seconds, rounded down."""
    return at // SECOND_US


def later_seconds(at: int) -> int:
    """Convert microseconds to whole seconds, rounded up."""
    return -(-at // SECOND_US)


def typed_minor_units(amount: object) -> int:
    """Convert an amount that a user typed to minor units. Raises NotMoneyError if it is invalid."""
    return minor_units(_number(amount))


def exact(number: str) -> Decimal:
    """Parse a JSON number with a fraction or an exponent. Raises ValueError if it is too large."""
    try:
        return Decimal(number)
    except InvalidOperation:
        raise ValueError("a number beyond all bounds") from None


class DecimalInput(Decimal):
    """An amount in a request: a JSON number, or the same number as text."""


def read_decimal_input(kind: type, sent: object) -> DecimalInput:
    """The msgspec decoding hook of `DecimalInput`. Raises NotMoneyError if it is not a number."""
    assert kind is DecimalInput
    return DecimalInput(_number(sent))


def _number(sent: object) -> Decimal:
    if isinstance(sent, bool) or not isinstance(sent, int | str | Decimal):
        raise NotMoneyError("not a number")
    if isinstance(sent, str) and not _PLAIN.fullmatch(sent):
        raise NotMoneyError("not a number")
    return Decimal(sent)


def issue_number(issue: str | int) -> str:
    """Returns the requested round number; empty, which no round has, if it cannot be stored."""
    words = str(issue)
    return words if words.isprintable() and len(words) <= _MAX_ISSUE_LENGTH else ""


def mask_name(name: str) -> str:
    """Mask a name for other players: at most half of its characters are shown."""
    shown = len(name) // 2
    tail = shown // 2
    return f"{name[: shown - tail]}***{name[len(name) - tail :]}"


def event(name: str, position: int, data: bytes | msgspec.Raw) -> bytes:
    """Returns a server-sent event whose id is a log position."""
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (position, name.encode(), bytes(data))
