"""Players who bet with idempotency keys, and note every decision in a file outside the house.

Each player sends one bet at a time and repeats it with its key until the house decides it, as the
app does. HTTP 200 is a decision, a refusal too; any other answer, or none, is not.
"""

import http.client
import json
import random
import secrets
import threading
import time
from bisect import insort
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from scripts.cluster_tool.drill.lines import cut_torn_line

GAMES: Final = (1, 2, 3, 4)
_KINDS: Final = ("big", "small", "odd", "even", "big_odd", "small_even")
_TIMEOUT_S: Final = 7.0
_AGAIN_S: Final = 0.2
# The leader reads the keys of a batch together: with more at once, a repeat takes less.
_REPEATERS: Final = 64
_DECIDED: Final = frozenset({0, 1})
_BET: Final = "Lottery/playOrder"
_POOR: Final = frozenset({"assets_insufficient", "funds_insufficient", "loss_limit_reached"})


class Note(msgspec.Struct, frozen=True):
    """One bet and its decision; `order` is the accepted bet's number, `at` monotonic seconds."""

    token: str
    key: str
    body: dict[str, Any]
    code: int
    reason: str
    order: str
    at: float

    @property
    def decision(self) -> tuple[int, str, str]:
        """What a repeat of the bet must return."""
        return self.code, self.reason, self.order


_decode: Final = msgspec.json.Decoder(Note).decode


class Notes:
    """The decisions of all players, in a file; those that were not repeated are in memory too."""

    def __init__(self, path: Path, *, repeated_before: int = 0) -> None:
        """A new file, or the one of an earlier piece, whose first notes were repeated already."""
        self.path = path
        #: When each accepted bet was answered, in order.
        self.accepted_at: list[float] = []
        self._file = path.open("ab")
        cut_torn_line(path)
        self._unrepeated = list(islice(read_notes(path), repeated_before, None))
        self._lock = threading.Lock()

    def write(self, note: Note) -> None:
        """Keep one decision; the file has it when this returns."""
        with self._lock:
            self._file.write(msgspec.json.encode(note) + b"\n")
            self._file.flush()
            self._unrepeated.append(note)
            if note.code == 1:
                insort(self.accepted_at, note.at)

    def take_unrepeated(self) -> list[Note]:
        """Returns the notes since the last call, in the order of the file."""
        with self._lock:
            found, self._unrepeated = self._unrepeated, []
        return found

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def read_notes(path: Path) -> Iterator[Note]:
    """The notes in a file, in order."""
    with path.open("rb") as file:
        yield from map(_decode, file)


class House:
    """Calls to the house at one address, on one connection at a time."""

    def __init__(self, address: str, stop: threading.Event) -> None:
        """`stop` ends the repetition of an undecided call."""
        where = urlsplit(address)
        assert where.hostname is not None
        self._host, self._port = where.hostname, where.port
        self._connection: http.client.HTTPConnection | None = None
        self._stop = stop

    def decided(
        self, path: str, body: dict[str, Any], token: str = "", key: str = ""
    ) -> dict[str, Any] | None:
        """Returns the decision; None if there was none until `stop` was set."""
        while True:
            status, envelope = self._call(path, body, token, key)
            if status == http.client.OK and envelope.get("code") in _DECIDED:
                return envelope
            if self._stop.wait(_AGAIN_S):
                return None

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _call(
        self, path: str, body: dict[str, Any], token: str, key: str
    ) -> tuple[int, dict[str, Any]]:
        headers = {"content-type": "application/json", "token": token}
        if key:
            headers["Idempotency-Key"] = key
        try:
            if self._connection is None:
                self._connection = http.client.HTTPConnection(
                    self._host, self._port, timeout=_TIMEOUT_S
                )
            self._connection.request("POST", f"/api/{path}", json.dumps(body), headers)
            answer = self._connection.getresponse()
            envelope = json.loads(answer.read())
        except (OSError, ValueError, http.client.HTTPException):
            self.close()
            return 0, {}
        return answer.status, envelope if isinstance(envelope, dict) else {}


class Players:
    """Threads of players; `stop` lets each finish the bet that it has sent."""

    def __init__(self, address: str, notes: Notes, *, count: int, pause_s: float) -> None:
        """Each player waits `pause_s` seconds after a bet."""
        self._address, self._notes, self._pause_s = address, notes, pause_s
        self._stop, self._give_up = threading.Event(), threading.Event()
        self.undecided = 0
        self._threads = [threading.Thread(target=self._play, daemon=True) for _ in range(count)]

    def start(self) -> None:
        """Start every player."""
        for thread in self._threads:
            thread.start()

    def stop(self, deadline_s: float) -> None:
        """Stop betting. A bet that is not decided within `deadline_s` seconds stays undecided."""
        self._stop.set()
        deadline = time.monotonic() + deadline_s
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        self._give_up.set()
        for thread in self._threads:
            thread.join()

    def _play(self) -> None:
        house = House(self._address, self._give_up)
        token = ""
        while not self._stop.is_set():
            token = token or _registered(house)
            sale = _sale(house, token, random.choice(GAMES))  # noqa: S311 - any game will do
            if not token or sale is None:
                self._stop.wait(0.05)
                continue
            note = self._bet(house, token, sale)
            if note is not None and note.reason in _POOR:
                token = ""
            self._stop.wait(self._pause_s)
        house.close()

    def _bet(self, house: House, token: str, sale: dict[str, Any]) -> Note | None:
        key = secrets.token_hex(12)
        body = sale | {"play_type": random.choice(_KINDS), "money": 1}  # noqa: S311 - any kind
        decision = house.decided(_BET, body, token, key)
        if decision is None:
            self.undecided += 1
            return None
        note = noted(token, key, body, decision, time.monotonic())
        self._notes.write(note)
        return note


def noted(token: str, key: str, body: dict[str, Any], decision: dict[str, Any], at: float) -> Note:
    """Returns the note of a decision."""
    order = ""
    if decision["code"] == 1:
        order = str(decision["data"]["orderNo"])
    return Note(token, key, body, decision["code"], decision.get("reason") or "", order, at)


def repeat(
    address: str, notes: list[Note], deadline_s: float, progress: Callable[[int], None]
) -> dict[str, tuple[int, str, str]]:
    """Sends every noted bet again; returns the decisions by key, without those that did not come.

    `progress` is called with the number of bets that were repeated.
    """
    give_up = threading.Event()
    timer = threading.Timer(deadline_s, give_up.set)
    timer.daemon = True
    timer.start()
    found: dict[str, tuple[int, str, str]] = {}
    left = iter(enumerate(notes, 1))
    lock = threading.Lock()

    def repeat_some() -> None:
        house = House(address, give_up)
        while True:
            with lock:
                number, note = next(left, (0, None))
            if note is None:
                break
            decision = house.decided(_BET, note.body, note.token, note.key)
            if decision is not None:
                again = noted(note.token, note.key, note.body, decision, 0.0)
                found[note.key] = again.decision
            progress(number)
        house.close()

    with ThreadPoolExecutor(_REPEATERS) as threads:
        for done in [threads.submit(repeat_some) for _ in range(_REPEATERS)]:
            done.result()
    timer.cancel()
    return found


def _registered(house: House) -> str:
    """The token of a new player; empty if the house did not decide."""
    about = {"username": f"p{secrets.token_hex(5)}", "password": "a-long-enough-word"}
    made = house.decided("user/register", about | {"group_id": 1, "inviter_id": ""})
    with suppress(KeyError, TypeError):
        return str(made["data"]["userinfo"]["token"]) if made else ""
    return ""


def _sale(house: House, token: str, game: int) -> dict[str, Any] | None:
    """What names the round of a game that is on sale; None if there is none."""
    hall = {"plan_id": 9 * (game - 1) + 1, "game_id": game}
    heart = house.decided("Lottery/heart", hall, token)
    issue = ((heart or {}).get("data") or {}).get("issue")
    if not issue or issue["whether_close"]:
        return None
    return hall | {"issue": str(issue["issue"])}
