"""The server under test, started by its command line, and players who call its API directly.

Browser tests look at the app through a browser only. `Player` speaks the wire format for tests that
need another player, or the server's data to compare the screen with.
"""

import itertools
import json
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx

from tests.ports import reserved_port

ROOT = Path(__file__).resolve().parents[2]
PASSWORD = "a-long-enough-word"
# Neither the default zone nor a phone's, with a different minute offset from both.
ZONE = "Asia/Kolkata"
ROUND_SECONDS = 20
ROUND_MS = ROUND_SECONDS * 1_000
_POLL_SECONDS = 0.1
_SETTLED = 1  # the status of an order
PLANS_PER_GAME = 9

_OPEN = "Fairdraw is open at "
_START_SECONDS = 90
_STOP_SECONDS = 20
_numbers = itertools.count(1)


def game_of(plan: int) -> int:
    return (plan - 1) // PLANS_PER_GAME + 1


@dataclass(frozen=True)
class RunningServer:
    """A running server; `address` is the URL of the app, `data` the server's folder."""

    address: str
    http: httpx.Client
    data: Path

    def call(self, path: str, headers: Mapping[str, str], **body: object) -> dict[str, Any]:
        """Returns the envelope of a call, accepted or refused; fractions are Decimals."""
        answer = self.http.post(f"/api/{path}", json=body, headers=dict(headers))
        envelope: dict[str, Any] = answer.json(parse_float=Decimal)
        return envelope

    def office(self, call: str, staff: str = "ann", **body: object) -> Any:
        """Returns the data of a staff call that authenticates with the machine's secret."""
        headers = {
            "office": (self.data / "keys" / "office.key").read_bytes().hex(),
            "Idempotency-Key": secrets.token_hex(8),
        }
        envelope = self.call(f"office/{call}", headers, staff=staff, **body)
        assert envelope["code"] == 1, envelope
        return envelope["data"]

    def member(self) -> "Player":
        """A new full player with the demo's 1,000u."""
        name = fresh_name()
        body = {"username": name, "password": PASSWORD, "group_id": 1, "inviter_id": ""}
        made = self.call("user/register", {"Idempotency-Key": secrets.token_hex(8)}, **body)
        user = made["data"]["userinfo"]
        return Player(self, name, str(user["user_id"]), user["token"])


def fresh_name() -> str:
    """A user name that is new in this run."""
    return f"tester{next(_numbers):04d}"


@dataclass(frozen=True)
class Player:
    """A player without a browser."""

    house: RunningServer
    name: str
    user_id: str
    token: str

    def call(self, path: str, **body: object) -> Any:
        """Returns the data of an accepted call."""
        envelope = self.house.call(path, {"token": self.token}, **body)
        assert envelope["code"] == 1, envelope
        return envelope["data"]

    def issue(self, plan: int) -> str:
        heart = self.call("Lottery/heart", plan_id=plan, game_id=game_of(plan))
        return str(heart["issue"]["issue"])

    def bet(self, plan: int, kind: str, stake: int) -> dict[str, Any]:
        """Bet on the round on sale; while none is, wait for the next one."""
        deadline = time.monotonic() + ROUND_SECONDS
        about = {"plan_id": plan, "game_id": game_of(plan), "play_type": kind, "money": stake}
        while True:
            about["issue"] = self.issue(plan)
            answer = self.house.call("Lottery/playOrder", {"token": self.token}, **about)
            if answer.get("reason") != "round_closed" or time.monotonic() > deadline:
                break
            time.sleep(_POLL_SECONDS)
        assert answer["code"] == 1, answer
        bet: dict[str, Any] = answer["data"]
        return bet

    def recall(self, plan: int, order: str) -> None:
        self.call("Lottery/recall", issue=self.issue(plan), game_id=game_of(plan), orderNo=order)

    def orders(self) -> list[dict[str, Any]]:
        """All bets of the player, because a day may end while a test runs."""
        begun = "2018-01-01"
        orders: list[dict[str, Any]] = self.call("user/orderList", begin_date=begun, end_date="")
        return orders

    def await_settled(self) -> None:
        """Return once all bets of the player are settled, just after a room shows the draw."""
        deadline = time.monotonic() + 3 * ROUND_SECONDS
        while any(order["status"] != _SETTLED for order in self.orders()):
            assert time.monotonic() < deadline
            time.sleep(_POLL_SECONDS)

    def money(self) -> Decimal:
        return Decimal(self.call("user/userInfo")["money"])

    def draw(self, game: int, issue: str) -> dict[str, Any]:
        """The draw of a round that is already drawn."""
        draws: list[dict[str, Any]] = self.call("Lottery/issueList", game_id=game)
        return next(draw for draw in draws if str(draw["issue_code"]) == issue)


@contextmanager
def running_house(data: Path, port: int | None = None, **settings: str) -> Iterator[RunningServer]:
    """Run the server until the block ends. Fails if it logged a warning or an error.

    Late answers of its witness are none, if what waited for them has happened: on a busy machine
    one may take seconds, and the server asks again. It listens on `port` or on a free one;
    `settings` are variables of its environment.
    """
    with _program(data, port or reserved_port(), settings) as program:
        address = _address_printed_by(program)
        origin = address.removesuffix("/vip/")
        with httpx.Client(base_url=origin, timeout=20) as http:
            yield RunningServer(address, http, data)
            _await_late_answers(http, data)
    complaints = [entry for entry in _logged(data) if entry["level"] not in {"debug", "info"}]
    complaints = [entry for entry in complaints if not _is_late_witness(entry)]
    assert not complaints, complaints


def _logged(data: Path) -> list[dict[str, Any]]:
    """The entries of the server's log; its last line may be incomplete."""
    lines = (data / "fairdraw.log").read_text().rpartition("\n")[0]
    return [json.loads(line) for line in lines.splitlines()]


def _is_late_witness(entry: Mapping[str, Any]) -> bool:
    """Whether a log entry says that the witness did not answer in time."""
    if entry["event"] == "round waits":
        return bool(entry["reason"] == "no answer")
    about_witness = {"awaiting witness", "not cosigned"}
    return entry["event"] in about_witness and "timed out" in entry["error"]


def _await_late_answers(http: httpx.Client, data: Path) -> None:
    """Return once the rounds that waited for the witness are drawn, and its cosignatures exist."""
    deadline = time.monotonic() + 3 * ROUND_SECONDS
    while waiting := _waiting(_logged(data)):
        if all(entry["event"] == "not cosigned" for entry in waiting) and _is_ready(http):
            return
        assert time.monotonic() < deadline, waiting
        time.sleep(_POLL_SECONDS)


def _waiting(log: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The late answers that no step of their game follows, or no draw of their round."""
    return [
        entry
        for number, entry in enumerate(log)
        if _is_late_witness(entry) and not any(_ends(step, entry) for step in log[number:])
    ]


def _ends(step: Mapping[str, Any], late: Mapping[str, Any]) -> bool:
    if step["event"] != "step" or step["game"] != late.get("game"):
        return False
    if late["event"] != "round waits":
        return True
    return bool(step["step"] == "DrawRound" and step["issue"] == late["issue"])


def _is_ready(http: httpx.Client) -> bool:
    return http.get("/readyz").status_code == httpx.codes.OK


@contextmanager
def _program(data: Path, port: int, settings: Mapping[str, str]) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-u", "-m", "api.app", "--port", str(port)]
    command += ["--data", str(data), "--round-seconds", str(ROUND_SECONDS)]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={
            **os.environ,
            "FAIRDRAW_RATE_FACTOR": "1000000",
            "FAIRDRAW_TIMEZONE": ZONE,
            **settings,
        },
    ) as program:
        try:
            yield program
        finally:
            program.send_signal(signal.SIGINT)
            program.communicate(timeout=_STOP_SECONDS)
    assert program.returncode == 0


def _address_printed_by(program: subprocess.Popen[str]) -> str:
    """Read the program's output up to its address. A program that prints none is killed."""
    assert program.stdout is not None
    output: list[str] = []
    kill_timer = threading.Timer(_START_SECONDS, program.kill)
    kill_timer.start()
    try:
        for line in program.stdout:
            output.append(line)
            if line.startswith(_OPEN):
                return line.removeprefix(_OPEN).strip()
    finally:
        kill_timer.cancel()
    raise AssertionError(f"the house did not open:\n{''.join(output)}")
