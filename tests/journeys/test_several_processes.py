"""A house of several processes: engine, projector and two APIs on one database."""

import os
import secrets
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from tests.journeys.load import read_records
from tests.journeys.program import DEADLINE_S, Program, until
from tests.journeys.test_clean_stop import ALL_DAYS, bet, member
from tests.journeys.test_killed import completed, effects, matches_log, noted, players
from tests.runtime.audit import audit

_ROOM: Final = {"game_id": 1, "plan_id": 1}
_NOTES: Final = 150
_ROUND_SECONDS: Final = 20


class House:
    """The processes of a house, started in the order in which they need each other."""

    def __init__(self, data: Path, round_seconds: int = _ROUND_SECONDS) -> None:
        self.engine = Program(data, round_seconds, role="engine")
        self.standby = Program(data, round_seconds, role="engine")
        self.projector = Program(data, round_seconds, role="projector")
        self.apis = (
            Program(data, round_seconds, role="api"),
            Program(data, round_seconds, role="api"),
        )
        self.programs = (*self.apis, self.projector, self.standby, self.engine)

    def start(self) -> None:
        """Start all but the standby; returns once both APIs accept bets."""
        self.engine.launch()
        until(lambda: answers(self.engine, "/healthz"))
        self.projector.launch()
        for api in self.apis:
            api.launch()
        for each in (self.engine, *self.apis):
            until(partial(answers, each, "/readyz"))


@contextmanager
def running(house: House) -> Iterator[House]:
    """End the house's programs with the block."""
    with ExitStack() as stack:
        for program in reversed(house.programs):  # the engine, whose database they use, ends last
            stack.enter_context(program)
        yield house


@pytest.fixture
def house(data_dir: Path) -> Iterator[House]:
    with running(House(data_dir)) as made:
        yield made


def answers(program: Program, path: str) -> bool:
    """Whether the program answers 200. Fails if it has ended."""
    assert program.process.poll() is None, (program.data / "console.log").read_text()
    try:
        return program.http.get(path).status_code == httpx.codes.OK
    except httpx.TransportError:
        return False


def readiness(program: Program) -> dict[str, Any]:
    found: dict[str, Any] = program.http.get("/readyz").json()
    return found


def orders(program: Program, token: str) -> list[str]:
    """The player's bets, in a list that is read from the read models."""
    listed = program.call("user/orderList", ALL_DAYS, token)
    return [order["orderNo"] for order in listed]


def on_sale(program: Program) -> str:
    """The round of game 1, once one is on sale."""
    issue: dict[str, Any] = {}

    def is_open() -> bool:
        issue.update(program.call("Lottery/heart", _ROOM)["issue"])
        return not issue["whether_close"]

    until(is_open)
    return str(issue["issue"])


def place(program: Program, token: str, key: str, issue: str) -> dict[str, Any]:
    """The answer to a bet under this key."""
    body = _ROOM | {"issue": issue, "play_type": "big", "money": 10}
    headers = {"token": token, "Idempotency-Key": key}
    answer: dict[str, Any] = program.http.post(
        "/api/Lottery/playOrder", json=body, headers=headers
    ).json()
    return answer


def accepted(program: Program, token: str) -> tuple[str, str, dict[str, Any]]:
    """An accepted bet: its key, its round and the answer."""
    while True:
        key, issue = secrets.token_hex(8), on_sale(program)
        answer = place(program, token, key, issue)
        if answer["code"] == 1:
            return key, issue, answer


def seen_in_stream(program: Program, placing: Program, token: str) -> bool:
    """Whether a bet placed at one API is sent to a client of the room at the other."""
    with program.http.stream("GET", "/api/Lottery/stream", params=_ROOM) as stream:
        lines = stream.iter_lines()
        next(line for line in lines if line == "event: heart")
        number = bet(placing, token)["orderNo"]
        return any(number in line for line in lines)


def test_two_apis_serve_one_house(house: House) -> None:
    house.start()
    first, second = house.apis
    token = member(first)
    key, issue, answer = accepted(first, token)
    number = answer["data"]["orderNo"]
    # A list that follows a bet has it; at the other process as soon as the read models do.
    assert orders(first, token) == [number]
    until(lambda: orders(second, token) == [number])
    again = place(second, token, key, issue)
    assert again["data"] == answer["data"]
    assert seen_in_stream(second, first, token)
    assert seen_in_stream(first, second, token)

    ended = member(first)
    # A new player is known at the other process as soon as the read models have the registration.
    until(lambda: info(second, ended)["code"] == 1)
    first.call("user/logout", {}, ended)
    until(lambda: is_logged_out(second, ended))

    assert house.engine.http.post("/api/user/userInfo", json={}).status_code == 404
    assert "fairdraw_leading 1.0" in house.engine.http.get("/metrics").text
    assert "fairdraw_leading 1.0" in first.http.get("/metrics").text

    first.kill(postgres=False)
    token = member(second)
    assert orders(second, token) == []
    _, _, answer = accepted(second, token)
    assert orders(second, token) == [answer["data"]["orderNo"]]


def info(program: Program, token: str) -> dict[str, Any]:
    """The envelope of the player's own data."""
    answer = program.http.post("/api/user/userInfo", json={}, headers={"token": token})
    found: dict[str, Any] = answer.json()
    return found


def is_logged_out(program: Program, token: str) -> bool:
    return info(program, token).get("reason") == "token_revoked"


@pytest.mark.slow
def test_the_apis_follow_the_lead_and_lose_no_bet(house: House, tmp_path: Path) -> None:
    """GLI-19 B.3.5a: every acknowledged bet is in the log once, whichever engine decided it."""
    notes = tmp_path / "notes"
    house.start()
    house.standby.launch()
    until(lambda: answers(house.standby, "/healthz"))
    until(lambda: readiness(house.standby)["role"] == "standby")
    with players(*house.apis, notes=notes):
        until(partial(noted, notes, _NOTES))
        house.engine.kill(postgres=False)
        until(lambda: all(not readiness(api)["ready"] for api in house.apis))
        refused = place(house.apis[0], member_token(notes), secrets.token_hex(8), "1")
        assert refused["reason"] == "unavailable"
        until(lambda: all(answers(api, "/readyz") for api in house.apis))
        until(partial(noted, notes, len(read_records(notes)) + _NOTES))
    first = read_records(notes)
    facts = completed(house.apis[0], {note.player for note in first})
    audit(facts)
    placed, recalled = effects(facts)
    for note in first:
        effect = placed if note.path.endswith("playOrder") else recalled
        assert effect[note.key] == note.code
    matches_log(house.apis[1], first, facts)


def member_token(notes: Path) -> str:
    return read_records(notes)[0].token


def test_a_frozen_engine_makes_the_api_not_ready_and_does_not_freeze_it(house: House) -> None:
    house.start()
    api = house.apis[0]
    os.kill(house.engine.process.pid, signal.SIGSTOP)
    try:
        until(lambda: not answers(api, "/readyz"))
        assert answers(api, "/healthz")
        shown = readiness(api)
        assert shown["role"] in {"engine unreachable", "nobody leads"}
        assert any(reason.startswith("engine: ") for reason in shown["reasons"])
    finally:
        os.kill(house.engine.process.pid, signal.SIGCONT)
    until(lambda: answers(api, "/readyz"))


def test_each_process_stops_cleanly(house: House) -> None:
    house.start()
    token = member(house.apis[0])
    bet(house.apis[0], token)
    assert house.apis[0].interrupt() == 0
    assert house.apis[1].interrupt() == 0
    assert house.projector.interrupt() == 0
    assert house.engine.interrupt() == 0
    assert not house.engine.database_runs


@pytest.mark.parametrize("role", ["api", "projector"])
def test_a_process_without_an_engine_s_database_is_refused(role: str, data_dir: Path) -> None:
    with Program(data_dir, role=role) as program:
        program.launch()
        assert program.process.wait(DEADLINE_S) == 1
        assert not (data_dir / "postgres").exists()
    console = (data_dir / "console.log").read_text()
    assert f"fairdraw: --role {role} uses the engine's database, and no database runs" in console
