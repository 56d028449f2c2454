"""An internal error is answered without details and found in the log by its request id."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import httpx
import pytest
import structlog

from api.ops import health
from api.ops.logs import LOGS
from api.realtime import heartbeat, sse
from api.realtime.subscribers import Subscriber
from projections import accounts
from tests.api.support import ApiServer, Player

INSIDE = "the inside of the house"
ROOM = {"game_id": 1, "plan_id": 1}


def fail(*_: Any, **__: Any) -> NoReturn:
    raise RuntimeError(INSIDE)


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    """The server's log while the test runs."""
    root = logging.getLogger()
    before, level, configured = root.handlers[:], root.level, structlog.get_config()
    LOGS.set_up(tmp_path)
    yield tmp_path / "fairdraw.log"
    LOGS.close()
    root.handlers[:] = before
    root.setLevel(level)
    structlog.configure(**configured)


def tracebacks(log: Path, request_id: str) -> list[str]:
    """The tracebacks logged for this request."""
    LOGS.drain()
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    own = [line for line in lines if line.get("request_id") == request_id]
    return [line["exception"] for line in own if "exception" in line]


def check(answer: httpx.Response, log: Path) -> None:
    envelope = answer.json()
    assert (answer.status_code, envelope["reason"]) == (500, "internal_error")
    assert envelope["msg"] == "Something went wrong on our side, please try again later"
    for part in (answer.text, str(answer.headers)):
        assert not any(word in part for word in (INSIDE, "RuntimeError", "Traceback", ".py"))
    assert answer.headers["x-request-id"] == envelope["request_id"]
    (traceback,) = tracebacks(log, envelope["request_id"])
    assert "RuntimeError" in traceback
    assert INSIDE in traceback


def test_a_fault_in_a_call(player: Player, log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as planted:
        planted.setattr(accounts, "profits", fail)
        headers = {"token": player.token}
        answer = player.house.client.post("/api/user/userInfo", json={}, headers=headers)
    check(answer, log)
    assert player.balance() == 1000


def test_a_fault_before_a_stream_begins(
    house: ApiServer, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sse, "check_room", fail)
    check(house.client.get("/api/Lottery/stream", params=ROOM), log)


def test_a_fault_in_a_stream_ends_it(
    house: ApiServer, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Subscriber, "take", fail)
    with house.client.stream("GET", "/api/Lottery/stream", params=ROOM) as answer:
        request_id = answer.headers["x-request-id"]
        with pytest.raises(httpx.TransportError):
            answer.read()
    (traceback,) = tracebacks(log, request_id)
    assert INSIDE in traceback
    assert house.client.get("/healthz").status_code == httpx.codes.OK


def test_a_fault_where_there_is_no_call(
    house: ApiServer, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "_engine", fail)
    check(house.client.get("/readyz"), log)


def test_an_unknown_address_is_no_fault(house: ApiServer, log: Path) -> None:
    answer = house.client.get("/api/nowhere/../etc/passwd?x=1")
    envelope = answer.json()
    assert (answer.status_code, envelope["reason"]) == (404, "route_unknown")
    assert answer.headers["x-request-id"] == envelope["request_id"]
    assert tracebacks(log, envelope["request_id"]) == []


def test_two_requests_at_once_keep_their_own_ids(
    player: Player, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heartbeat, "check_room", fail)
    answers = [
        player.house.client.post("/api/Lottery/heart", json=ROOM, headers={"token": player.token})
        for _ in range(3)
    ]
    ids = [answer.json()["request_id"] for answer in answers]
    assert len(set(ids)) == len(ids)
    assert [len(tracebacks(log, each)) for each in ids] == [1, 1, 1]
