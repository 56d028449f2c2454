"""Request log of a running server: a line for every change, and no secrets."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from engine.staff.passes import fingerprint_of
from tests.journeys.program import Program, until

PASSWORD, NEW_PASSWORD, WRONG = "secret-enough-1", "secret-enough-2", "not-the-secret-3"
CODE, CARD, IDCARD = "402917", "6222000011112222", "S1234567D"
FIRST, HOLDER, NICKNAME, USERNAME = "Ada", "Ada Lovelace", "Countess", "adalove1815"
BANK, REFERENCE = "Bank of Tests", "invoice-seven"


class Evening:
    """One player's calls and their request ids."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.token = ""
        self.changed: dict[str, tuple[str, str]] = {}
        self.read: set[str] = set()

    def call(self, path: str, body: dict[str, Any], *, changes: bool = True) -> Any:
        headers = {"token": self.token} if self.token else {}
        found = self._program.http.post(f"/api/{path}", json=body, headers=headers).json()
        if changes:
            outcome = "accepted" if found["code"] == 1 else found["reason"]
            self.changed[found["request_id"]] = (f"/api/{path}", outcome)
        else:
            self.read.add(found["request_id"])
        return found["data"]


def spend(evening: Evening) -> None:
    """Type every private text of a player somewhere, both valid and invalid."""
    account = {"username": USERNAME, "nickname": NICKNAME, "password": PASSWORD, "group_id": 1}
    evening.call("user/login", {"account": USERNAME, "password": WRONG})
    evening.token = evening.call("user/register", account)["userinfo"]["token"]
    evening.call("user/login", {"account": USERNAME, "password": PASSWORD})
    evening.token = evening.call("user/login", {"account": USERNAME, "password": PASSWORD})[
        "userinfo"
    ]["token"]
    evening.call("user/profile", {"idcard": IDCARD})
    card = {"acc": CARD, "acc_name": HOLDER, "acc_bank": BANK, "type": 0}
    evening.call("user/setPayInfo", card)
    evening.call("user/setSafety", {"new_code": CODE, "after_code": ""})
    evening.call("user/withdrawAction", {"type": 0, "money": 100, "securityCode": CODE})
    evening.call("user/deposit", {"amount": 250, "channel": "bank", "reference": REFERENCE})
    evening.call("user/newPass", {"new_pass": NEW_PASSWORD, "after_pass": WRONG})
    evening.call("user/newPass", {"new_pass": NEW_PASSWORD, "after_pass": PASSWORD})
    room = {"game_id": 1, "plan_id": 1}
    until(lambda: bets(evening, room))
    evening.call("Lottery/playOrder", room | {"issue": "20200101001", "play_type": "big"})
    evening.call("user/userInfo", {}, changes=False)
    evening.call("user/orderList", {}, changes=False)


def bets(evening: Evening, room: dict[str, Any]) -> bool:
    """Place a bet if a round is on sale. Returns whether it was accepted."""
    issue = evening.call("Lottery/heart", room, changes=False)["issue"]
    about = {"issue": issue["issue"], "play_type": "big", "money": 12}
    return bool(issue["issue"] and evening.call("Lottery/playOrder", room | about))


def hire(program: Program, secret: str) -> tuple[str, str, str]:
    """Hire staff. Returns the pass, the request id of its issue, and that of a read with it."""
    headers, token = {"office": secret, "Idempotency-Key": "first"}, "t" * 43
    body = {"name": "ann", "roles": ["manager"]}
    program.http.post("/api/office/staffRoles", json=body, headers=headers).raise_for_status()
    body, headers["Idempotency-Key"] = (
        {"name": "ann", "fingerprint": fingerprint_of(token)},
        "second",
    )
    found = program.http.post("/api/office/staffPass", json=body, headers=headers).json()
    read = program.http.post("/api/office/queue", json={"staff": "ann"}, headers={"office": token})
    return token, found["request_id"], read.json()["request_id"]


def lines(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


def ids(*logs: Path) -> set[str]:
    return {it["request_id"] for log in logs for it in lines(log) if "request_id" in it}


def steps_fields(steps_and_calls: list[dict[str, Any]]) -> set[str]:
    """The fields that every line of the standard library's loggers has."""
    return set.intersection(*(set(it) for it in steps_and_calls if it["event"] == "step"))


@pytest.mark.slow
def test_calls_and_steps_are_found_in_the_log_and_secrets_are_not(data_dir: Path) -> None:
    log = data_dir / "fairdraw.log"
    with Program(data_dir) as program:
        program.start()
        evening = Evening(program)
        spend(evening)
        shown, issued, queue = hire(program, (data_dir / "keys/office.key").read_bytes().hex())
        until(lambda: '"step":"SettleRound"' in log.read_text())
        with pytest.raises(httpx.HTTPStatusError):
            program.http.post("/api/nowhere", json={}).raise_for_status()
        logged = (log, data_dir / "staff.log")
        until(logged[1].exists)
        until(lambda: evening.changed.keys() <= ids(*logged))
        program.interrupt()

    went_well = {route for route, outcome in evening.changed.values() if outcome == "accepted"}
    for route in ("register", "profile", "setPayInfo", "setSafety", "deposit", "newPass"):
        assert f"/api/user/{route}" in went_well

    log_lines = lines(log)
    staff = lines(data_dir / "staff.log")
    assert {it["route"].startswith("/api/office/") for it in staff} == {True}
    assert not any("/api/office/" in it.get("route", "") for it in log_lines)
    calls = {it["request_id"]: it for it in log_lines + staff if it["event"] == "call"}
    for request_id, (route, outcome) in evening.changed.items():
        assert (calls[request_id]["route"], calls[request_id]["outcome"]) == (route, outcome)
        assert calls[request_id]["ms"] > 0
        if route in {"/api/user/register", "/api/user/login"} and outcome == "accepted":
            assert calls[request_id]["player"] > 0
    assert not evening.read & set(calls)
    (bet,) = [it for it in calls.values() if it.get("command") == "PlaceBet" and "position" in it]
    assert bet["player"] > 0
    assert {"event", "level", "logger", "timestamp"} <= bet.keys() & steps_fields(log_lines)
    assert bet["actor"] == f"player-{bet['player']}"

    assert (calls[issued]["actor"], calls[issued]["outcome"]) == ("machine", "accepted")
    assert calls[issued]["about"] == "staff:ann"
    assert (calls[queue]["actor"], calls[queue]["route"]) == ("staff:ann", "/api/office/queue")

    steps = {it["step"]: it for it in log_lines if it["event"] == "step"}
    assert {"OpenDay", "OpenRound", "CloseRound", "DrawRound", "SettleRound"} <= set(steps)
    assert all(it["position"] > 0 for it in steps.values())

    logs = ("fairdraw.log", "staff.log", "console.log")
    text = "".join((data_dir / name).read_text() for name in logs)
    secrets = [PASSWORD, NEW_PASSWORD, WRONG, CODE, CARD, IDCARD, evening.token, shown]
    for secret in (*secrets, HOLDER, FIRST, NICKNAME, USERNAME, BANK, REFERENCE):
        assert secret not in text, secret
    for key in (data_dir / "keys").rglob("*.key"):
        assert key.read_bytes().hex() not in text
