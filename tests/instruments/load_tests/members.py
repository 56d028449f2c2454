"""Registers a thousand signed-in players at once; hashing each password would take minutes."""

import os
from concurrent.futures import ThreadPoolExecutor

from msgspec import Struct
from psycopg import Connection
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool

from engine.house.facts import Mode
from engine.runtime.vault import KEY_BYTES
from engine.runtime.vault.sessions import Sessions
from engine.schedule import demo
from tests.instruments.load_tests import engine_fixture
from tests.instruments.load_tests.bench_clock import ShiftableClock
from tests.instruments.load_tests.engine_fixture import BenchTarget
from tests.instruments.load_tests.workers import serve_worker

_CONNECTIONS = 8
_NO_HASH = "!"  # a password hash that never matches
_INSERT = (
    "INSERT INTO vault.members (player, username, nickname, member_group, password_hash,"
    " commitment_key) VALUES (nextval('vault.player_ids'), %s, %s, 1, %s, %s) RETURNING player"
)


class MembersTask(Struct, frozen=True):
    """The database, the folder of the secret files, the number of players, and the time zone."""

    conninfo: str
    keys: str
    members: int
    timezone: str


class MembersResult(Struct, frozen=True):
    """The session tokens, in the order of the player numbers."""

    tokens: list[str]


def _work(task: MembersTask) -> MembersResult:
    clock = ShiftableClock()
    with ConnectionPool(
        task.conninfo,
        connection_class=Connection[TupleRow],
        min_size=1,
        max_size=_CONNECTIONS,
        open=True,
    ) as pool:
        with pool.connection() as connection:
            players = [_register(connection, number) for number in range(task.members)]
        with ThreadPoolExecutor(_CONNECTIONS) as threads:
            tokens = list(threads.map(Sessions(pool, clock).open, players))
    engine_fixture.run(_join(task, clock, players))
    return MembersResult(tokens)


def _register(connection: Connection[TupleRow], number: int) -> int:
    name = f"bench{number:06d}"
    row = connection.execute(_INSERT, (name, name, _NO_HASH, os.urandom(KEY_BYTES))).fetchone()
    assert row is not None
    return int(row[0])


async def _join(task: MembersTask, clock: ShiftableClock, players: list[int]) -> None:
    """Register the players with money by an engine, whose lease the program then takes over."""
    schedule = demo(timezone=task.timezone)
    target = BenchTarget(task.conninfo, task.keys)
    async with engine_fixture.leading_engine(target, schedule, clock, Mode.REAL) as engine:
        await engine_fixture.register_depositors(engine, players)


if __name__ == "__main__":
    serve_worker(MembersTask, _work)
