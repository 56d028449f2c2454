"""A thousand members who are signed in, made at once: a password's hash each would take minutes."""

import os
from concurrent.futures import ThreadPoolExecutor

from msgspec import Struct
from psycopg import Connection
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool

from engine.runtime import schema
from engine.runtime.sessions import Sessions
from engine.runtime.vault import KEY_BYTES
from engine.schedule import demo
from scripts.benchmarks import engine_at_work
from scripts.benchmarks.engine_at_work import BenchTarget
from scripts.benchmarks.times import ShiftableClock
from scripts.benchmarks.workers import serve_worker

_CONNECTIONS = 8
_NO_HASH = "!"  # nobody signs in with it
_INSERT = (
    "INSERT INTO vault.members (player, username, nickname, member_group, password_hash,"
    " commitment_key) VALUES (nextval('vault.player_ids'), %s, %s, 1, %s, %s) RETURNING player"
)


class MembersTask(Struct, frozen=True):
    """The database, the folder of the secret files, how many, and the day's time zone."""

    conninfo: str
    keys: str
    members: int
    timezone: str


class MembersResult(Struct, frozen=True):
    """Their tokens, in the order of their numbers."""

    tokens: list[str]


def _work(task: MembersTask) -> MembersResult:
    schema.create(task.conninfo)
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
    engine_at_work.run(_join(task, clock, players))
    return MembersResult(tokens)


def _register(connection: Connection[TupleRow], number: int) -> int:
    name = f"bench{number:06d}"
    row = connection.execute(_INSERT, (name, name, _NO_HASH, os.urandom(KEY_BYTES))).fetchone()
    assert row is not None
    return int(row[0])


async def _join(task: MembersTask, clock: ShiftableClock, players: list[int]) -> None:
    """With their money, by the engine that the program will then take over from."""
    schedule = demo(timezone=task.timezone)
    target = BenchTarget(task.conninfo, task.keys)
    async with engine_at_work.leading_engine(target, schedule, clock) as engine:
        await engine_at_work.register_players(engine, players)


if __name__ == "__main__":
    serve_worker(MembersTask, _work)
