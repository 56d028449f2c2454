"""A house of several processes: bets over HTTP through 1, 2 and 4 API processes of one engine.

They are compared with the whole house in one process. One API process is also compared with itself
while three more run that no player uses: they read every fact of the log.

One house runs the steps in the order of `_STEPS` and another one in the reverse order, so that a
machine that becomes slower or faster meanwhile affects both sides of each comparison alike.
"""

import os
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from statistics import mean
from typing import Final

from msgspec import Struct

from api.setting_types import ServerRole
from projections.registry import read_models
from projections.runner.tables import status_of
from tests.instruments.load_tests import engine_fixture, server_bench
from tests.instruments.load_tests.bench_database import BenchDatabase
from tests.instruments.load_tests.server_bench import ServerProcess, ServerUnderLoad
from tests.instruments.load_tests.sizes import Sizes
from tests.instruments.load_tests.workers import interrupt

UNDISTURBED_S: Final = 105.0
"""The longest time for which at any moment some time zone has no end of a round."""
_STARTING_S: Final = 20.0
_WHOLE: Final = "apis_all"


class ApiStep(Struct, frozen=True):
    """A figure, how many API processes run for it, and through how many of them players bet."""

    figure: str
    running: int
    used: int


_STEPS: Final = (
    ApiStep("apis_1", 1, 1),
    ApiStep("apis_idle", 4, 1),
    ApiStep("apis_4", 4, 4),
    ApiStep("apis_2", 2, 2),
)


class RunningApi(Struct, frozen=True):
    """An API process, and what started it."""

    server: ServerProcess
    process: subprocess.Popen[bytes]


class SplitHouse:
    """An engine and a projector that run, and API processes whose number changes."""

    def __init__(self, server: ServerProcess, parts: ExitStack) -> None:
        """Initially without API processes; the `parts` end those that are started."""
        self._server = server
        self._parts = parts
        self.apis: list[RunningApi] = []

    def run_apis(self, number: int) -> None:
        """End or start API processes until this number runs. Returns once they accept bets."""
        while len(self.apis) > number:
            interrupt(self.apis.pop().process)
        new = [self._server.in_role(ServerRole.API) for _ in range(number - len(self.apis))]
        started = [RunningApi(api, self._parts.enter_context(api.started())) for api in new]
        for api in started:
            api.server.wait_until_ready(api.process)
        self.apis += started


@contextmanager
def split_house(server: ServerProcess) -> Iterator[SplitHouse]:
    """Run the house of this server as several processes, which end with the block."""
    with (
        server.in_role(ServerRole.ENGINE).running(),
        server.in_role(ServerRole.PROJECTOR).started(),
        ExitStack() as parts,
    ):
        yield SplitHouse(server, parts)


def measure(bench_db: BenchDatabase, sizes: Sizes) -> dict[str, float]:
    """The mean rate of each step in the two houses."""
    rates = defaultdict[str, list[float]](list)
    _run_steps(bench_db, sizes, _STEPS, rates)
    with server_bench.running_server(bench_db, sizes) as served:
        rates[_WHOLE].append(_rate(served, sizes, _WHOLE))
    _run_steps(bench_db, sizes, _STEPS[::-1], rates)
    server_bench.drop(bench_db)
    found = {f"{figure}_per_second": mean(each) for figure, each in rates.items()}
    return found | {"apis_cores": float(os.cpu_count() or 1)}


def _run_steps(
    bench_db: BenchDatabase,
    sizes: Sizes,
    steps: Sequence[ApiStep],
    rates: defaultdict[str, list[float]],
) -> None:
    server = server_bench.prepare_server(bench_db, sizes.http_tokens, UNDISTURBED_S)
    models = partial(status_of, server.conninfo, read_models(server.timezone))
    with split_house(server) as house:
        for step in steps:
            house.run_apis(step.running)
            ports = [api.server.port for api in house.apis[: step.used]]
            served = ServerUnderLoad(bench_db, sizes, ports, server.tokens, server.conninfo)
            served.warm_up()
            engine_fixture.run(engine_fixture.wait_caught_up(models))
            server_bench.wait_for_sale(server.conninfo, sizes.apis_s + _STARTING_S)
            rates[step.figure].append(_rate(served, sizes, step.figure))


def _rate(served: ServerUnderLoad, sizes: Sizes, figure: str) -> float:
    """Bets acknowledged per second."""
    result = served.place_bets(figure, sizes.apis_s)
    return result.accepted / result.seconds
