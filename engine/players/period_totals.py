"""What a player deposited, won or lost, and turned over in the current day, week and month."""

from datetime import date
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from engine.players.profile_commands import SPANS

Sums = tuple[int, int, int]
"""Minor units of the day, the week and the month."""

_NONE: Sums = (0, 0, 0)


class PeriodTotals(Struct, frozen=True, gc=False):
    """Sums of the periods that contain `day` (yyyy-mm-dd), in minor units.

    `net` is payouts less stakes of settled bets; `turnover` is the day's, and `before` the last
    earlier day that had any, with its turnover.
    """

    day: str = ""
    deposited: Sums = _NONE
    net: Sums = _NONE
    turnover: int = 0
    before: tuple[str, int] = ("", 0)

    def on(self, day: str) -> "PeriodTotals":
        """The totals as of a day, which is not before the last one."""
        if day == self.day:
            return self
        same = [a == b for a, b in zip(_spans(self.day), _spans(day), strict=True)]
        return PeriodTotals(
            day,
            _carried_over(self.deposited, same),
            _carried_over(self.net, same),
            0,
            (self.day, self.turnover) if self.turnover else self.before,
        )

    def deposit(self, day: str, amount_minor: int) -> "PeriodTotals":
        """The totals with one more deposit."""
        current = self.on(day)
        return replace(current, deposited=_add_to_each(current.deposited, amount_minor))

    def settle(self, day: str, net_minor: int) -> "PeriodTotals":
        """The totals with one more settled bet."""
        current = self.on(day)
        return PeriodTotals(
            current.day,
            current.deposited,
            _add_to_each(current.net, net_minor),
            current.turnover,
            current.before,
        )

    def turn_over(self, day: str, effective_minor: int) -> "PeriodTotals":
        """The totals with more turnover."""
        current = self.on(day)
        return replace(current, turnover=current.turnover + effective_minor)

    def turnover_of(self, day: str) -> int:
        """The turnover of the current day or of the last earlier day that had any."""
        return {self.before[0]: self.before[1], self.day: self.turnover}.get(day, 0)


@lru_cache(64)
def _spans(day: str) -> tuple[str, str, str]:
    """The names of the day, the ISO week and the month that contain a day."""
    if not day:
        return ("", "", "")
    year, week, _ = date.fromisoformat(day).isocalendar()
    return (day, f"{year}-W{week}", day[:7])


def _carried_over(sums: Sums, same: list[bool]) -> Sums:
    day, week, month = (
        amount if unchanged else 0 for amount, unchanged in zip(sums, same, strict=True)
    )
    return (day, week, month)


def _add_to_each(sums: Sums, amount_minor: int) -> Sums:
    return (sums[0] + amount_minor, sums[1] + amount_minor, sums[2] + amount_minor)


assert len(SPANS) == len(_NONE)
