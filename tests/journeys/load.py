"""Players who bet and recall over HTTP in their own process, and log the answers.

Usage: load.py address[,address...] notes play|repeat [pause]

`play` continues until its input ends. Each player waits `pause` seconds after a bet. It retries a
failed call with the same key, at the next address, until the server decides it, as the
specification's client does. A decision is on disk before the next call; the counts of the other
answers are written at the end. `repeat` sends every logged call once more and logs the new answers
in a second file.
"""

import asyncio
import os
import random
import secrets
import sys
from collections import Counter, deque
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import msgspec

PLAYERS = 10
KINDS = ("big", "small", "odd", "even", "big_odd", "small_even", "13", "14")
UNDECIDED = {"engine_busy", "unavailable", "outcome_unknown", "deadline_passed", "internal_error"}
RECALL_SHARE = 0.1


class CallRecord(msgspec.Struct):
    """One call and its answer; `player` is the caller's id."""

    player: int
    token: str
    key: str
    path: str
    body: dict[str, Any]
    code: int
    reason: str
    data: Any


class CallLog:
    """An append-only file; a record is on disk when `write` returns."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("ab")

    def write(self, record: CallRecord) -> None:
        self._file.write(msgspec.json.encode(record) + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.close()


def read_records(path: Path) -> list[CallRecord]:
    """The records on disk, without a last line that is still being written."""
    whole = path.read_bytes().rpartition(b"\n")[0] if path.exists() else b""
    return [msgspec.json.decode(line, type=CallRecord) for line in whole.splitlines()]


Undecided = tuple[int, str, str]
"""Status, reason and `Retry-After` of an answer that was no decision."""


def read_undecided(path: Path) -> dict[Undecided, int]:
    """The number of answers to these players that were no decision, by kind."""
    written = path.with_suffix(".undecided").read_bytes()
    return dict(msgspec.json.decode(written, type=list[tuple[Undecided, int]]))


class Client:
    """Sends calls until they are decided."""

    def __init__(self, http: httpx.AsyncClient, addresses: Sequence[str]) -> None:
        self._http = http
        self._addresses = deque(addresses)
        self.undecided: Counter[Undecided] = Counter()

    async def decided(self, path: str, body: dict[str, Any], token: str, key: str) -> Any:
        """Returns the envelope of a decision; retries at the next address while there is none."""
        headers = {"Idempotency-Key": key, "token": token}
        while True:
            address = self._addresses[0]
            try:
                answer = await self._http.post(f"{address}/api/{path}", json=body, headers=headers)
                envelope = answer.json()
            except (httpx.HTTPError, ValueError):
                self._leave(address)
                await asyncio.sleep(0.1)
                continue
            if answer.status_code == httpx.codes.OK and envelope.get("reason") not in UNDECIDED:
                return envelope
            again = answer.headers.get("retry-after", "")
            self.undecided[answer.status_code, envelope.get("reason", ""), again] += 1
            self._leave(address)
            await asyncio.sleep(0.1)

    def _leave(self, address: str) -> None:
        """Ask the next address, unless another player has gone on from this one already."""
        if self._addresses[0] == address:
            self._addresses.rotate(-1)

    async def join(self) -> tuple[int, str]:
        """Register a player and return the id and token."""
        body = {"username": f"p{secrets.token_hex(5)}", "password": "a-long-enough-word"}
        about = body | {"group_id": 1, "inviter_id": ""}
        made = await self.decided("user/register", about, "", secrets.token_hex(8))
        user = made["data"]["userinfo"]
        return int(user["user_id"]), user["token"]

    async def issue(self, game: int) -> str | None:
        """The issue of a game's round on sale; None if no round is."""
        body = {"plan_id": 9 * (game - 1) + 1, "game_id": game}
        heart = await self.decided("Lottery/heart", body, "", "")
        current = heart["data"]["issue"]
        return str(current["issue"]) if not current["whether_close"] else None


async def play(client: Client, call_log: CallLog, ended: asyncio.Event, pause_s: float) -> None:
    """Bet on random games, and sometimes recall the last bet."""
    player, token = await client.join()
    while not ended.is_set():
        game = random.randint(1, 4)
        issue = await client.issue(game)
        if issue is None:
            await asyncio.sleep(0.05)
            continue
        about = {"game_id": game, "issue": issue}
        bet = about | {"plan_id": 9 * (game - 1) + 1, "play_type": random.choice(KINDS), "money": 1}
        placed = await recorded_call(client, call_log, (player, token), "Lottery/playOrder", bet)
        if placed.code == 1 and random.random() < RECALL_SHARE:
            recall = about | {"orderNo": placed.data["orderNo"]}
            await recorded_call(client, call_log, (player, token), "Lottery/recall", recall)
        await asyncio.sleep(pause_s)


async def recorded_call(
    client: Client, call_log: CallLog, who: tuple[int, str], path: str, body: dict[str, Any]
) -> CallRecord:
    """Send a call with a new key and log the answer on disk."""
    key = secrets.token_hex(8)
    record = await resent(client, CallRecord(*who, key, path, body, 0, "", None))
    call_log.write(record)
    return record


async def resent(client: Client, record: CallRecord) -> CallRecord:
    """Returns the same call with its answer now."""
    envelope = await client.decided(record.path, record.body, record.token, record.key)
    decision = (envelope["code"], envelope.get("reason") or "", envelope["data"])
    return CallRecord(record.player, record.token, record.key, record.path, record.body, *decision)


async def play_all(client: Client, call_log: CallLog, pause_s: float) -> None:
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(sys.stdin, ended.set)
    async with asyncio.TaskGroup() as players:
        for _ in range(PLAYERS):
            players.create_task(play(client, call_log, ended, pause_s))
    loop.remove_reader(sys.stdin)


async def repeat_all(client: Client, call_log: CallLog, first: Iterator[CallRecord]) -> None:
    async def repeat() -> None:
        for record in first:
            call_log.write(await resent(client, record))

    async with asyncio.TaskGroup() as players:
        for _ in range(PLAYERS):
            players.create_task(repeat())


@asynccontextmanager
async def at(addresses: Sequence[str]) -> AsyncIterator[Client]:
    limits = httpx.Limits(max_connections=PLAYERS)
    async with httpx.AsyncClient(timeout=7, limits=limits) as http:
        yield Client(http, addresses)


async def main(addresses: Sequence[str], path: Path, what: str, pause_s: float) -> None:
    again = path.with_suffix(".again")
    call_log = CallLog(path if what == "play" else again)
    async with at(addresses) as client:
        if what == "play":
            await play_all(client, call_log, pause_s)
        else:
            await repeat_all(client, call_log, iter(read_records(path)))
        path.with_suffix(".undecided").write_bytes(msgspec.json.encode([*client.undecided.items()]))
    call_log.close()


if __name__ == "__main__":
    _, typed, notes, mode, *pause = sys.argv
    asyncio.run(main(typed.split(","), Path(notes), mode, float(*pause)))
