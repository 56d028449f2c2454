"""What a behaviour is, and how one is declared where its actions are defined."""

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from tests.instruments.simulator.population import Population, SimulatedPlayer

Act = Callable[[Population, SimulatedPlayer, int], Awaitable[None]]


class Behaviour(NamedTuple):
    """A behaviour: `share` percent of the people have it; `sends` are its commands."""

    act: Act
    share: int
    sends: tuple[type[Any], ...]


class Behaviours(dict[str, Behaviour]):
    """The behaviours of a module by name. Their order is part of what a seed determines."""

    def add(self, share: int, *sends: type[Any]) -> Callable[[Act], Act]:
        """Declare the decorated function as a behaviour, after those before it."""

        def declare(act: Act) -> Act:
            self[act.__name__] = Behaviour(act, share, sends)
            return act

        return declare
