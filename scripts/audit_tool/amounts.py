"""Formatting of amounts: minor units to u, with two decimals and thousands separators."""

from engine.money import MINOR_PER_UNIT


def units(amount_minor: int) -> str:
    """`-1,234.05` for -123405."""
    whole, cents = divmod(abs(amount_minor), MINOR_PER_UNIT)
    return f"{'-' if amount_minor < 0 else ''}{whole:,}.{cents:02}"


def change(amount_minor: int) -> str:
    """The same with a plus sign, or a dot for zero."""
    if not amount_minor:
        return "."
    return f"{'+' if amount_minor > 0 else ''}{units(amount_minor)}"
