"""How values look on the wire: money and odds as exact numbers, times as whole seconds."""

import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any, Final

import msgspec

SECOND_US: Final = 1_000_000
_MINOR_DIGITS: Final = 2
_MAX_DIGITS: Final = 15
_CENT: Final = Decimal("0.01")
_MAX_ISSUE_LENGTH: Final = 64
#: A number as text; other spellings, Python's among them, are somebody's slip.
_PLAIN: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?")

encode: Final[Callable[[Any], bytes]] = msgspec.json.Encoder(decimal_format="number").encode


class NotMoneyError(ValueError):
    """No amount of money: not a number, too many decimals, or beyond all bounds."""


class TooMuchError(NotMoneyError):
    """An amount that no account can hold."""


def money(minor: int) -> Decimal:
    """Minor units as u."""
    return Decimal(minor).scaleb(-_MINOR_DIGITS)


def odds(milli: int) -> Decimal:
    """Thousandths as odds."""
    return Decimal(milli) / 1000


def minor_units(amount: Decimal) -> int:
    """An amount in u as minor units, exactly.

    NotMoneyError for more than two decimals and for what is no number; TooMuchError, found
    without computing it, for an amount of more digits than any account has.
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
    """Microseconds as whole seconds."""
    return at // SECOND_US


def later_seconds(at: int) -> int:
    """Microseconds as the first whole second that is not before them."""
    return -(-at // SECOND_US)


def typed_minor_units(amount: object) -> int:
    """What somebody typed as an amount, in minor units; NotMoneyError for what is none."""
    return minor_units(_number(amount))


def exact(number: str) -> Decimal:
    """A JSON number with a fraction or an exponent; ValueError for one beyond all bounds."""
    try:
        return Decimal(number)
    except InvalidOperation:
        raise ValueError("a number beyond all bounds") from None


class DecimalInput(Decimal):
    """An amount that a call was given: a JSON number, or the same as plain text."""


def read_decimal_input(kind: type, sent: object) -> DecimalInput:
    """What msgspec is to make of a field that is `Given`; NotMoneyError for what is no number."""
    assert kind is DecimalInput
    return DecimalInput(_number(sent))


def _number(sent: object) -> Decimal:
    if isinstance(sent, bool) or not isinstance(sent, int | str | Decimal):
        raise NotMoneyError("not a number")
    if isinstance(sent, str) and not _PLAIN.fullmatch(sent):
        raise NotMoneyError("not a number")
    return Decimal(sent)


def issue_number(issue: str | int) -> str:
    """A round's number as it was asked for; empty, as no round's is, if no database can hold it."""
    words = str(issue)
    return words if words.isprintable() and len(words) <= _MAX_ISSUE_LENGTH else ""


def mask_name(name: str) -> str:
    """A name for other players' eyes: at most half of its characters, however short it is."""
    shown = len(name) // 2
    tail = shown // 2
    return f"{name[: shown - tail]}***{name[len(name) - tail :]}"
