"""The path of a request through the modules of api, as the server's interpreter takes it."""

import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Final

from msgspec import Struct

from api.http.transport import REQUEST_ID
from tests.api.support import ApiServer

_ROOT: Final = Path(__file__).parents[2]
_ROOMS: Final = tuple(f"{_ROOT / room}/" for room in ("api", "engine", "projections"))
#: Flags of code that may wait: other code runs before it ends.
_WAITS: Final = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class Entered(Struct, eq=False):
    """A function of the product that a request entered. `passes_on`: it waits, or calls a module.

    Functions of its own module that it calls count as the function itself.
    """

    module: str
    caller: "Entered | None"
    passes_on: bool = False


class RequestPath:
    """The functions that each request enters, in the order in which they begin."""

    def __init__(self) -> None:
        self._entered: dict[str, dict[FrameType, Entered]] = {}

    def profile(self, frame: FrameType, event: str, _: Any) -> None:
        """Record a function at its first entry: a coroutine is entered again when it resumes."""
        request, code = REQUEST_ID.get(), frame.f_code
        if event != "call" or not request or not code.co_filename.startswith(_ROOMS):
            return
        entered = self._entered.setdefault(request, {})
        if frame in entered:
            return
        outer = frame.f_back
        while outer is not None and outer not in entered:
            outer = outer.f_back
        caller = entered[outer] if outer is not None else None
        module = code.co_filename.removeprefix(f"{_ROOT}/")
        new = entered[frame] = Entered(module, caller)
        if code.co_flags & _WAITS:
            _mark(new)
        if caller is not None and caller.module != module:
            _mark(caller)

    def stops(self, first: str) -> list[str]:
        """Returns the modules of api that the request passes through, from its entry of `first`.

        A module that only converts or stores a value, and returns, is no stop. A module is listed
        again if it is called again, but not when a call that it made returns to it. What is called
        by code that was entered before `first` is left out.
        """
        (found,) = (
            list(each.values())
            for each in self._entered.values()
            if any(entered.module == first for entered in each.values())
        )
        start = next(n for n, entered in enumerate(found) if entered.module == first)
        before = {id(entered) for entered in found[:start]}
        stops: list[str] = []
        for entered in found[start:]:
            caller = entered.caller
            if caller is not None and id(caller) in before and entered is not found[start]:
                before.add(id(entered))
                continue
            stays = stops and stops[-1] == entered.module
            is_call = caller is None or caller.module != entered.module
            if is_call and not stays and entered.passes_on and entered.module.startswith("api/"):
                stops.append(entered.module)
        return stops


def _mark(entered: Entered | None) -> None:
    """Record that this function passes on, and those of its module that led to it."""
    while entered is not None:
        entered.passes_on = True
        caller = entered.caller
        entered = caller if caller is not None and caller.module == entered.module else None


@contextmanager
def traced(house: ApiServer) -> Iterator[RequestPath]:
    """Record what the server's event loop runs for requests while the block runs."""
    path = RequestPath()

    async def set_profile(profile: Any) -> None:
        sys.setprofile(profile)

    house.on_loop(lambda: set_profile(path.profile))
    try:
        yield path
    finally:
        house.on_loop(lambda: set_profile(None))
