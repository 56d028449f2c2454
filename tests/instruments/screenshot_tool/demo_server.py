"""A server with short rounds, and a player whose pages have content."""

import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx

from engine.runtime.postgres.files import free_port
from scripts.devtools.paths import ROOT

ROUND_SECONDS = 30
_PASSWORD = "a-long-enough-word"
_CODE = "274905"
_PHONE = {"User-Agent": "Mozilla/5.0 (Linux; Android 16; K) Chrome/150.0.0.0 Mobile Safari/537.36"}
_START_SECONDS, _STOP_SECONDS, _ROUND_LIMIT_SECONDS = 90.0, 20.0, 150.0
_PLAN, _GAME = 1, 1
_FIRST_DAY = "2018-01-01"
_STAKES = {"big": 100, "small_odd": 50, "13": 20, "even": 60}


class DemoServerError(Exception):
    """The server did not do what a picture needs."""


@dataclass(frozen=True)
class ScreenshotPlayer:
    """The player signed in on the phone."""

    name: str
    user_id: str
    token: str
    #: The newest bet as the app receives it; {} before there is one.
    order: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class DemoServer:
    """A running server at `address`, such as http://127.0.0.1:8200."""

    address: str
    http: httpx.Client

    def call(self, path: str, token: str = "", **body: object) -> Any:
        """Returns the data of an accepted call.

        Raises: DemoServerError: it was refused.
        """
        headers = {"Idempotency-Key": secrets.token_hex(8)} | ({"token": token} if token else {})
        answer = self.http.post(f"/api/{path}", json=body, headers=headers).json()
        if answer["code"] != 1:
            raise DemoServerError(f"{path}: {answer['msg']}")
        return answer["data"]

    def register_player(self) -> ScreenshotPlayer:
        """A new player with payout accounts, an announced deposit, and a played round."""
        registered = self.call(
            "user/register",
            username=f"walker{secrets.randbelow(9000) + 1000}",
            password=_PASSWORD,
            group_id=1,
            inviter_id="",
        )["userinfo"]
        player = ScreenshotPlayer(
            registered["username"], str(registered["user_id"]), registered["token"]
        )
        self._complete_profile(player.token)
        self._play(player.token)
        return replace(player, order=self._orders(player.token)[0])

    def _complete_profile(self, token: str) -> None:
        self.call("user/profile", token, idcard="S1234567D")
        card = {"acc": "6222021234567890128", "acc_name": "Alexandra Tan", "acc_bank": "DBS"}
        self.call("user/setPayInfo", token, **card, mark="", type=0)
        wallet = {"acc": "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8", "acc_name": "trc20", "acc_bank": ""}
        self.call("user/setPayInfo", token, **wallet, mark="", type=1)
        self.call("user/setSafety", token, new_code=_CODE, after_code="")
        self.call("user/deposit", token, amount=500, channel="bank", reference="TAN-2026-11")

    def _play(self, token: str) -> None:
        """Bet in an open round, and wait until the bets are settled."""
        until = time.monotonic() + _ROUND_LIMIT_SECONDS
        while not self._bet(token):
            _pause(until)
        while any(order["status"] == 0 for order in self._orders(token)):
            _pause(until)

    def _bet(self, token: str) -> bool:
        room = {"plan_id": _PLAN, "game_id": _GAME}
        issue = self.call("Lottery/heart", token, **room)["issue"]
        if issue["whether_close"] or issue["openTime1"] < ROUND_SECONDS / 3:
            return False
        for kind, stake in _STAKES.items():
            bet = {"issue": issue["issue"], "play_type": kind, "money": stake}
            self.call("Lottery/playOrder", token, **room, **bet)
        return True

    def _orders(self, token: str) -> list[dict[str, Any]]:
        # A round sold before midnight and drawn after it belongs to the previous day.
        orders: list[dict[str, Any]] = self.call(
            "user/orderList", token, begin_date=_FIRST_DAY, end_date=""
        )
        return orders


def _pause(until: float) -> None:
    if time.monotonic() > until:
        raise DemoServerError("no round was sold and settled in time")
    time.sleep(1)


@contextmanager
def running_demo_server(data: Path) -> Iterator[DemoServer]:
    """The server on a free port, stopped at the end of the block.

    Raises: DemoServerError: it did not open.
    """
    address = f"http://127.0.0.1:{(port := free_port())}"
    command = [sys.executable, "-m", "api.app", "--port", str(port), "--data", str(data)]
    with subprocess.Popen(
        [*command, "--round-seconds", str(ROUND_SECONDS)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        env=os.environ | {"FAIRDRAW_RATE_FACTOR": "1000"},
    ) as program:
        try:
            with httpx.Client(base_url=address, timeout=20, headers=_PHONE) as http:
                _await_open(http, program)
                yield DemoServer(address, http)
        finally:
            program.send_signal(signal.SIGINT)
            program.wait(_STOP_SECONDS)


def _await_open(http: httpx.Client, program: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + _START_SECONDS
    while program.poll() is None and time.monotonic() < until:
        try:
            if http.get("/readyz").is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.3)
    raise DemoServerError("the server did not open; the reason is in its log")
