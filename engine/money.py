"""Money is whole minor units, odds are whole thousandths; floats are never used."""

MINOR_PER_UNIT = 100


def units(amount: int) -> int:
    """Minor units in `amount` whole u."""
    return amount * MINOR_PER_UNIT
