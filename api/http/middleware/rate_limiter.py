"""Request rate limits per session and per address, by class of request.

The generic cell rate algorithm stores one time per caller and class: when its accepted requests
are used up at the class's rate. That time may be ahead of now by one burst at most. Two generations
bound the memory. A caller moves to the newer one with each request, so that a flood cannot evict
its own entry.
"""

import math
from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct

MAX_CALLERS: Final = 50_000
TOKEN_LENGTH: Final = 43
_ROUNDING_S: Final = 1e-6


class Rate(Struct, frozen=True):
    """`burst` requests immediately, and one more every `1 / per_s` seconds."""

    per_s: float
    burst: int


class RateClass(Struct, frozen=True):
    """Requests that are counted together; `address` allows for many phones behind one router."""

    name: str
    session: Rate
    address: Rate


# A phone repeats an unanswered call seven times, 2 s apart. Each tab sends a heartbeat every 2 s.
# A slip of bets counts as its bets, at most 40.
_PHONE: Final = Rate(5, 100)
_ENTERING: Final = RateClass("entering", Rate(1 / 3, 30), Rate(1 / 3, 30))
_SECRETS: Final = RateClass("secrets", Rate(1 / 3, 30), Rate(5, 200))
_MONEY: Final = RateClass("money", Rate(1, 40), Rate(20, 500))
_BETS: Final = RateClass("bets", Rate(20, 200), Rate(400, 4_000))
_HEARTS: Final = RateClass("hearts", Rate(10, 100), Rate(500, 5_000))
_LISTS: Final = RateClass("lists", _PHONE, Rate(100, 1_000))
_EXPORTS: Final = RateClass("exports", Rate(1 / 5, 20), Rate(2, 100))
_STREAMS: Final = RateClass("streams", _PHONE, Rate(50, 500))
_PUBLIC: Final = RateClass("public", _PHONE, Rate(100, 1_000))
_MACHINES: Final = RateClass("machines", Rate(100, 1_000), Rate(100, 1_000))
_FILES: Final = RateClass("files", Rate(200, 2_000), Rate(200, 2_000))

_BY_PATH: Final[Mapping[str, RateClass]] = {
    "/api/user/register": _ENTERING,
    "/api/user/login": _ENTERING,
    "/api/user/stepUp": _SECRETS,
    "/api/user/join": _SECRETS,
    "/api/user/newPass": _SECRETS,
    "/api/user/setSafety": _SECRETS,
    "/api/user/withdrawAction": _SECRETS,
    "/api/user/deposit": _MONEY,
    "/api/user/setPayInfo": _MONEY,
    "/api/user/profile": _MONEY,
    "/api/user/statementCsv": _EXPORTS,
    "/api/Lottery/playOrder": _BETS,
    "/api/Lottery/playOrders": _BETS,
    "/api/Lottery/recall": _BETS,
    "/api/Lottery/heart": _HEARTS,
    "/api/Lottery/stream": _STREAMS,
    "/api/index/index": _PUBLIC,
    "/api/Lottery/index": _PUBLIC,
    "/api/Lottery/oddsList": _PUBLIC,
    "/api/Lottery/issueList": _PUBLIC,
    "/api/Lottery/statistics": _PUBLIC,
}
#: The first matching prefix; the last one matches every path.
_BY_START: Final = (
    ("/api/office/", _MACHINES),
    ("/api/gateway/", _MACHINES),
    ("/api/", _LISTS),
    ("", _FILES),
)

_Key = tuple[str, str | bytes]


class RateLimiter:
    """Counts requests; used from the event loop alone."""

    def __init__(
        self, factor: int, monotonic: Callable[[], float], max_callers: int = MAX_CALLERS
    ) -> None:
        """`factor` multiplies the rates of the table; `monotonic` returns seconds."""
        self._factor = factor
        self._monotonic = monotonic
        self._max_callers = max_callers
        self._paid_at: dict[_Key, float] = {}
        self._older: dict[_Key, float] = {}

    def retry_after_s(self, path: str, address: str, token: bytes, calls: int = 1) -> int:
        """Count a request and return 0, or return the whole seconds until it would be accepted.

        It counts as this number of `calls`, which must not exceed the class's burst.
        """
        rate_class, now = class_of(path), self._monotonic()
        of_address, of_session = (rate_class.name, address), (rate_class.name, token)
        has_session = len(token) == TOKEN_LENGTH
        wait = self._ahead(of_address, rate_class.address, now, calls)
        if has_session:
            wait = max(wait, self._ahead(of_session, rate_class.session, now, calls))
        if wait > _ROUNDING_S:
            return math.ceil(wait)
        self._count(of_address, rate_class.address, now, calls)
        if has_session:
            self._count(of_session, rate_class.session, now, calls)
        return 0

    def refund(self, path: str, address: str, token: bytes, calls: int) -> None:
        """Refund calls that were counted but not used."""
        rate_class, now = class_of(path), self._monotonic()
        self._count((rate_class.name, address), rate_class.address, now, -calls)
        if len(token) == TOKEN_LENGTH:
            self._count((rate_class.name, token), rate_class.session, now, -calls)

    def _ahead(self, key: _Key, rate: Rate, now: float, calls: int) -> float:
        """Returns the seconds by which these calls exceed the burst; not positive if they fit."""
        return self._paid_until(key) - now - (rate.burst - calls / self._factor) / rate.per_s

    def _count(self, key: _Key, rate: Rate, now: float, calls: int) -> None:
        self._save(key, max(self._paid_until(key), now) + calls / (rate.per_s * self._factor))

    def _paid_until(self, key: _Key) -> float:
        """Returns the stored time of this key, and moves it to the newer generation."""
        paid_at = self._paid_at.get(key)
        if paid_at is None:
            paid_at = self._older.get(key, 0.0)
            if paid_at:
                self._save(key, paid_at)
        return paid_at

    def _save(self, key: _Key, paid_at: float) -> None:
        if len(self._paid_at) >= self._max_callers:
            self._older, self._paid_at = self._paid_at, {}
        self._paid_at[key] = paid_at


def class_of(path: str) -> RateClass:
    """Returns the class of a path's requests."""
    found = _BY_PATH.get(path)
    return found or next(each for start, each in _BY_START if path.startswith(start))
