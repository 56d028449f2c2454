"""Collects the refusals that the suite has provoked over HTTP. At its end none may be missing.

A refusal that no test can provoke has an untested message, or its check does not exist.
"""

from collections.abc import Collection
from typing import Final

import httpx
import msgspec

from engine.refusals import Refusal
from tests.api import conformity

#: The refusals that no call over HTTP can lead to, with the test that provokes them.
NOT_OVER_HTTP: Final[dict[Refusal, str]] = {
    Refusal.DAY_NOT_OPEN: "the scheduler's own steps, tests/engine/test_rounds.py",
    Refusal.ROUND_OWED: "the scheduler's own steps, tests/engine/test_days.py",
    Refusal.ROUND_DRAWABLE: "the scheduler's own steps, tests/engine/test_voiding.py",
    Refusal.VOID_TOO_EARLY: "the scheduler's own steps, tests/engine/test_voiding.py",
    Refusal.SECRET_WRONG: "the scheduler's own steps, tests/engine/test_draws.py",
}
_seen: set[str] = set()


class _Envelope(msgspec.Struct):
    reason: str = ""


def record_refusal(response: httpx.Response) -> None:
    """Record the refusal of an answer and check its shape. Streams are left to their reader."""
    if response.headers.get("content-type", "").startswith("application/json"):
        response.read()
        try:
            saw(msgspec.json.decode(response.content, type=_Envelope).reason)
        except msgspec.MsgspecError:
            return
        conformity.check_answer(response, response.json())


def saw(reason: str) -> None:
    """Record a refusal that another client than `ApiServer` received over HTTP."""
    _seen.add(reason)


def provoked() -> list[str]:
    """Returns the refusals that some call was answered with."""
    return sorted(_seen)


def unprovoked(seen: Collection[str]) -> list[str]:
    """Returns the refusals that no call was answered with, in the order of `Refusal`."""
    return [
        refusal.value
        for refusal in Refusal
        if refusal.value not in seen and refusal not in NOT_OVER_HTTP
    ]
