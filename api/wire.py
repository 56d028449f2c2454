"""How values look on the wire: money and odds as exact numbers, times as whole seconds."""

from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any, Final

import msgspec

SECOND_US: Final = 1_000_000
_MINOR_DIGITS: Final = 2
_MOST_DIGITS: Final = 15
_CENT: Final = Decimal("0.01")
_LONGEST_ISSUE: Final = 64

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
    if amount.adjusted() >= _MOST_DIGITS:
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
    if isinstance(amount, bool) or not isinstance(amount, int | str | Decimal):
        raise NotMoneyError
    try:
        return minor_units(Decimal(amount))
    except InvalidOperation:
        raise NotMoneyError from None


def issue_number(asked: str | int) -> str:
    """A round's number as it was asked for; empty, as no round's is, if no database can hold it."""
    words = str(asked)
    return words if words.isprintable() and len(words) <= _LONGEST_ISSUE else ""


def masked(name: str) -> str:
    """A name for other players' eyes: at most half of its characters, however short it is."""
    shown = len(name) // 2
    tail = shown // 2
    return f"{name[: shown - tail]}***{name[len(name) - tail :]}"
