"""Emptying read models and replaying the log into them."""

import time
from collections.abc import Callable

from projections.runner import POLL_SECONDS, Runner
from projections.status import ModelStatus

_PROGRESS_SECONDS = 1.0
_STALLED_SECONDS = 30.0


def rebuild(runner: Runner, say: Callable[[str], None]) -> bool:
    """Reset the runner's models and replay them; whether all caught up.

    Where another process leads, it is the one that replays, beside its ordinary work; one that
    takes in nothing for half a minute has failed or is gone.
    """
    leads = runner.install()
    runner.reset()
    if not leads:
        say("a running program leads and replays the log")
    progress = _Progress(say)
    while True:
        status = runner.status()
        progress.show(status)
        if all(model.failed or not model.lag_facts for model in status) or progress.stalled:
            return not any(model.failed or model.lag_facts for model in status)
        _advance(runner, leads=leads)


def _advance(runner: Runner, *, leads: bool) -> None:
    if not leads:
        time.sleep(POLL_SECONDS)
        return
    until = time.monotonic() + _PROGRESS_SECONDS
    while time.monotonic() < until and runner.step():
        pass


class _Progress:
    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._began = self._moved = time.monotonic()
        self._done = -1

    @property
    def stalled(self) -> bool:
        return time.monotonic() > self._moved + _STALLED_SECONDS

    def show(self, status: tuple[ModelStatus, ...]) -> None:
        done = min(model.position for model in status)
        if done == self._done:
            return
        self._done, self._moved = done, time.monotonic()
        total = done + max(model.lag_facts for model in status)
        rate = done / max(0.001, self._moved - self._began)
        self._say(f"{done:,} of {total:,} facts, {rate:,.0f} facts/s")
