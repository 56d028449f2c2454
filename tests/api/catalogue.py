"""Which refusals the suite has provoked over HTTP: at its end every one must be among them.

A refusal that nobody can provoke has a message that nobody has seen, or a check that is not there.
"""

from collections.abc import Collection
from typing import Final

import httpx
import msgspec

from engine.refusals import Refusal
from tests.api import conformity

#: Those that no call over HTTP can lead to, and why.
NOT_OVER_HTTP: Final[dict[Refusal, str]] = {
    Refusal.DAY_NOT_OPEN: "the conductor's own steps, tests/engine/test_rounds.py",
    Refusal.ROUND_OWED: "the conductor's own steps, tests/engine/test_days.py",
    Refusal.ROUND_DRAWABLE: "the conductor's own steps, tests/engine/test_voiding.py",
    Refusal.VOID_TOO_EARLY: "the conductor's own steps, tests/engine/test_voiding.py",
    Refusal.SECRET_WRONG: "the conductor's own steps, tests/engine/test_draws.py",
}
_seen: set[str] = set()


class _Envelope(msgspec.Struct):
    reason: str = ""


def record_refusal(response: httpx.Response) -> None:
    """Remember why a call was refused, and whether it may be; streams are left to their reader."""
    if response.headers.get("content-type", "").startswith("application/json"):
        response.read()
        try:
            saw(msgspec.json.decode(response.content, type=_Envelope).reason)
        except msgspec.MsgspecError:
            return
        conformity.check_answer(response, response.json())


def saw(reason: str) -> None:
    """Remember a refusal that another client than the tests' own was given over HTTP."""
    _seen.add(reason)


def provoked() -> list[str]:
    """Those that some call was answered with."""
    return sorted(_seen)


def unprovoked(seen: Collection[str]) -> list[str]:
    """The refusals that no call was answered with, in their order."""
    return [
        refusal.value
        for refusal in Refusal
        if refusal.value not in seen and refusal not in NOT_OVER_HTTP
    ]
