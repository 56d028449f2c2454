"""An event loop in simulated time: nothing waits, and the clock jumps to the next event."""

import asyncio
import selectors
from collections.abc import Callable
from random import Random
from typing import Any, Final

from tests.instruments.simulator.fakes import FakeClock

SECOND: Final = 1_000_000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE
_MAX_CALL_US: Final = 5_000


class Stalled(Exception):  # noqa: N818 - a finding, not an error of the loop
    """Every task waits for another one, and no timer is due."""


class _ClockSelector(selectors.SelectSelector):
    """Instead of waiting, it moves the clock to the loop's next timer."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__()
        self._clock = clock

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise Stalled("all tasks wait for an answer that will not come")
        if timeout > 0:
            self._clock.now += max(1, round(timeout * SECOND))
        return []


class SimulatedLoop(asyncio.SelectorEventLoop):
    """Runs coroutines on `clock`; work for a thread runs at once and takes simulated time."""

    def __init__(self, clock: FakeClock, rng: Random) -> None:
        """`rng` decides how long an external call takes, up to 5 ms."""
        self._began = clock.now
        self._simulated = clock
        self._rng = rng
        super().__init__(_ClockSelector(clock))

    def time(self) -> float:
        """Seconds since the beginning; a float of this size has microsecond resolution."""
        return (self._simulated.now - self._began) / SECOND

    def run_in_executor(  # type: ignore[override]
        self, _executor: object, func: Callable[..., Any], *args: Any
    ) -> asyncio.Future[Any]:
        """The call has run when this returns; the caller gets the result a little later."""
        answer: asyncio.Future[Any] = self.create_future()

        def deliver(how: Callable[[Any], None], what: object) -> None:
            if not answer.done():
                how(what)

        how: Callable[[Any], None] = answer.set_result
        try:
            what = func(*args)
        except Exception as error:  # noqa: BLE001 - passed to the waiting caller, as by a thread
            how, what = answer.set_exception, error
        self.call_later(self._rng.randrange(1, _MAX_CALL_US) / SECOND, deliver, how, what)
        return answer


def rng_for(purpose: str, seed: int) -> Random:
    """A random generator of its own for everything drawn for one purpose."""
    return Random(f"{purpose}/{seed}")


async def pause(microseconds: int) -> None:
    """Let simulated time pass."""
    await asyncio.sleep(max(0, microseconds) / SECOND)
