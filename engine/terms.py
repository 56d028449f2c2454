"""The house's configurable terms with their defaults; each change is a recorded fact.

Money is in minor units, time in microseconds.
"""

from msgspec import Struct

from engine.money import units

_HOUR_US = 3_600 * 1_000_000
DAY_US = 24 * _HOUR_US
MAX_PERMILLE = 1_000
MAX_WAIT_US = 365 * DAY_US


class Terms(Struct, frozen=True):
    """The terms in effect until staff change them.

    Above `four_eyes_minor` a deposit, withdrawal, gift or booking takes two members of staff. So
    does one that raises above it what one person approved alone within a day, or what was so
    approved for one member. A payout account or security code may be used `cooling_us` after it was
    set; a limit that a member raises applies after `raise_wait_us`. A withdrawal has no largest
    amount but the balance. The overnight bonus is `overnight_permille` of the turnover of the day
    that ended, at most `overnight_most_minor`. `levels_minor` is the lifetime turnover that reaches
    basic, senior, master and expert.
    """

    four_eyes_minor: int = units(5_000)
    cooling_us: int = DAY_US
    raise_wait_us: int = DAY_US
    least_withdrawal_minor: int = units(100)
    largest_deposit_minor: int = units(1_000_000_000)
    overnight: bool = False
    overnight_permille: int = 10
    overnight_most_minor: int = units(88)
    bonus_wait_us: int = DAY_US
    quota_us: int = 30 * DAY_US
    levels_minor: tuple[int, ...] = (0, units(10_000), units(100_000), units(1_000_000))

    def takes_two(self, amount_minor: int, alone_minor: int = 0) -> bool:
        """Whether an approval of this amount takes two members of staff.

        `alone_minor` is the last day's sum of solo approvals (`cashier/solo_approvals.py`).
        """
        return amount_minor + alone_minor > self.four_eyes_minor

    def level(self, turnover_minor: int) -> int:
        """The level that this lifetime turnover has reached, 0 for the lowest."""
        return max(
            n for n, threshold in enumerate(self.levels_minor) if turnover_minor >= threshold
        )


class ReceivingAccounts(Struct, frozen=True):
    """Where members send their deposits: the house's own wallet and bank account."""

    usdt: str = ""
    bank: str = ""
    number: str = ""
    holder: str = ""


DEFAULT_TERMS = Terms()
