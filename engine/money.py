"""Money is whole minor units, odds are whole thousandths; floats are never used."""

MINOR_PER_UNIT = 100


def units(amount: int) -> int:
    """Minor units in `amount` whole u."""
    return amount * MINOR_PER_UNIT


def bonus_share(payout_minor: int, bonus_minor: int, stake_minor: int) -> int:
    """Part of a payout that returns to the bonus account, in minor units, rounded down.

    A bet staked from two accounts pays both in proportion to their stakes; the fraction of a minor
    unit goes to the available balance. `stake_minor` is the whole stake and above zero,
    `bonus_minor` the part of it that was bonus.
    """
    return payout_minor * bonus_minor // stake_minor
