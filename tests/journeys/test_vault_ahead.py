"""The program is killed after the vault stored a player's data and before the fact is stored."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import psycopg

from engine.facts import player_stream
from engine.players.facts import BaseInfoCompleted, PayoutAccountSet, SecurityCodeSet
from engine.runtime.postgres.embedded_postgres import EmbeddedPostgres
from tests.journeys.program import Program, until

CARD = {"acc": "6222000011112222", "acc_name": "Ada", "acc_bank": "Bank of Tests", "type": 0}
# What each of three players submits, the vault's table that stores it, and the fact.
GIVEN: tuple[tuple[str, dict[str, Any], str, type], ...] = (
    ("user/profile", {"idcard": "S1234567D"}, "private_fields", BaseInfoCompleted),
    ("user/setPayInfo", CARD, "payout_accounts", PayoutAccountSet),
    ("user/setSafety", {"new_code": "402917"}, "security_codes", SecurityCodeSet),
)


def test_what_the_vault_stored_before_a_kill_is_recorded_once_after_it(data_dir: Path) -> None:
    with Program(data_dir) as program:
        program.start()
        members = [_registered(program, f"ahead{number}") for number in range(1, len(GIVEN) + 1)]
        _killed_between(program, [token for _, token in members])
        assert _fact_counts(program, members) == [0, 0, 0]
        program.start()
        for _, token in members:
            program.call("user/withdrawInfo", {}, token)
        for (path, body, _, _), (_, token) in zip(GIVEN, members, strict=True):
            program.call(path, body, token)
        assert _fact_counts(program, members) == [1, 1, 1]


def _registered(program: Program, name: str) -> tuple[int, str]:
    body = {"username": name, "password": "secret-enough-1", "group_id": 1}
    info = program.call("user/register", body)["userinfo"]
    return info["user_id"], info["token"]


def _killed_between(program: Program, tokens: list[str]) -> None:
    """A lock on the log lets the vault get ahead of it; then the program is killed."""
    postgres = EmbeddedPostgres(program.data)
    with (
        psycopg.connect(postgres.dsn("admin")) as holding,
        psycopg.connect(postgres.dsn("app"), autocommit=True) as looking,
        ThreadPoolExecutor(len(GIVEN)) as callers,
    ):
        holding.execute("LOCK TABLE log.facts IN EXCLUSIVE MODE")
        calls = [
            callers.submit(_unanswered, program, path, body, token)
            for (path, body, _, _), token in zip(GIVEN, tokens, strict=True)
        ]
        for _, _, table, _ in GIVEN:
            until(_has_row(looking, table))
        assert not any(call.done() for call in calls)
        program.kill(postgres=False)
        _end_what_it_left(holding)
        _wait_for(calls)


def _unanswered(program: Program, path: str, body: dict[str, Any], token: str) -> None:
    with suppress(httpx.TransportError):
        program.call(path, body, token)


def _has_row(looking: psycopg.Connection[Any], table: str) -> Callable[[], bool]:
    query = f"SELECT EXISTS (SELECT FROM vault.{table})".encode()
    return lambda: looking.execute(query).fetchone() == (True,)


def _end_what_it_left(holding: psycopg.Connection[Any]) -> None:
    """End the sessions that wait for the lock; one that gets it would still append."""
    holding.execute(
        "SELECT pg_terminate_backend(l.pid, 5000) FROM pg_locks l"
        " WHERE l.relation = 'log.facts'::regclass AND NOT l.granted"
    )


def _wait_for(calls: list[Future[None]]) -> None:
    for call in calls:
        call.result()


def _fact_counts(program: Program, members: list[tuple[int, str]]) -> list[int]:
    """The number of facts for each player's data."""
    facts = program.facts()
    return [
        sum(each.stream == player_stream(player) and type(each.fact) is kind for each in facts)
        for (_, _, _, kind), (player, _) in zip(GIVEN, members, strict=True)
    ]
