"""Ctrl-C in the middle of an evening, and a restart."""

import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.journeys.program import DEADLINE_S, Program
from tests.journeys.test_killed import players
from tests.runtime.audit import audit

ALL_DAYS = {"begin_date": "", "end_date": ""}


@contextmanager
def open_streams(program: Program, count: int) -> Iterator[None]:
    """Open this many event streams that never disconnect by themselves."""
    request = b"GET /api/Lottery/stream?game_id=1&plan_id=1 HTTP/1.1\r\nHost: localhost\r\n\r\n"
    streams = [socket.create_connection(("127.0.0.1", program.port)) for _ in range(count)]
    for stream in streams:
        stream.settimeout(DEADLINE_S)
        stream.sendall(request)
        assert stream.recv(4096).startswith(b"HTTP/1.1 200")
    yield
    for stream in streams:
        stream.close()


def member(program: Program) -> str:
    """Register a player and return the token."""
    body = {"username": f"p{secrets.token_hex(5)}", "password": "a-long-enough-word"}
    made = program.call("user/register", body | {"group_id": 1, "inviter_id": ""})
    return str(made["userinfo"]["token"])


def bet(program: Program, token: str) -> dict[str, Any]:
    """Place a bet on a round of game 1 that is on sale."""
    room = {"game_id": 1, "plan_id": 1}
    while True:
        issue = program.call("Lottery/heart", room)["issue"]
        if not issue["whether_close"]:
            about = room | {"issue": issue["issue"], "play_type": "big", "money": 10}
            answer = program.http.post(
                "/api/Lottery/playOrder", json=about, headers={"token": token}
            ).json()
            if answer["code"] == 1:
                return dict(answer["data"])


def who_recalled(program: Program) -> str:
    """A new player who placed and recalled a bet in time, so that no draw changes the numbers."""
    while True:
        token = member(program)
        placed = bet(program, token)
        about = {"issue": placed["issue"], "game_id": 1, "orderNo": placed["orderNo"]}
        answer = program.http.post("/api/Lottery/recall", json=about, headers={"token": token})
        if answer.json()["code"] == 1:
            return token


def what_is_shown(program: Program, token: str) -> list[Any]:
    """The player's balance, orders and ledger."""
    info = program.call("user/userInfo", {}, token)
    lists = ("user/orderList", "user/quantityLogList")
    return [info["money"], *(program.call(path, ALL_DAYS, token) for path in lists)]


def test_ctrl_c_stops_cleanly_and_the_next_start_need_not_wait_and_finds_everything(
    data_dir: Path, tmp_path: Path
) -> None:
    with Program(data_dir) as program:
        program.start()
        token, other = who_recalled(program), member(program)
        left_open = bet(program, other)
        before = what_is_shown(program, token)
        with players(program, notes=tmp_path / "notes"), open_streams(program, 20):
            assert program.interrupt() == 0
            assert not program.database_runs
            assert program.has_released_lease()
            program.start()
        assert what_is_shown(program, token) == before
        orders = program.call("user/orderList", ALL_DAYS, other)
        assert [order["orderNo"] for order in orders] == [left_open["orderNo"]]
        audit(program.facts())
