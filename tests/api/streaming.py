"""Reads event streams with their ids."""

import contextlib
import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx

from tests.api.support import DEADLINE_S, ApiServer, Player

_READ_FOR_S = 60.0


@dataclass(frozen=True)
class Event:
    id: int
    name: str
    data: Any


Events = Iterator[Event]


def parsed(lines: Iterable[str]) -> Events:
    """The events of a stream without pings; TimeoutError once it is read for too long."""
    position, name = 0, ""
    deadline = time.monotonic() + _READ_FOR_S
    for line in lines:
        if time.monotonic() > deadline:  # pings come for as long as the stream is open
            raise TimeoutError
        field, _, value = line.partition(": ")
        if field == "id":
            position = int(value)
        elif field == "event":
            name = value
        elif field == "data":
            yield Event(position, name, json.loads(value))


@contextlib.contextmanager
def following(
    house: ApiServer, player: Player | None = None, *, plan: int = 1, last: object = None
) -> Iterator[Events]:
    """Subscribe to a room as this player or as a guest, after the event id `last` if given."""
    headers = {"Cookie": f"fairdraw_stream={player.token}"} if player else {}
    if last is not None:
        headers["Last-Event-ID"] = str(last)
    query: dict[str, str | int] = {"game_id": 1 + (plan - 1) // 9, "plan_id": plan, "lang": "en"}
    with (
        httpx.Client(base_url=house.url, timeout=DEADLINE_S) as client,
        client.stream("GET", "/api/Lottery/stream", params=query, headers=headers) as answer,
    ):
        assert answer.status_code == httpx.codes.OK
        yield parsed(answer.iter_lines())


def through(events: Events, name: str) -> list[Event]:
    """Returns the events up to and including the next one of this name."""
    found = []
    for event in events:
        found.append(event)
        if event.name == name:
            return found
    raise EOFError


def data_of(events: Iterable[Event], name: str) -> list[Any]:
    """The data of the events of this name."""
    return [event.data for event in events if event.name == name]


def ids_of(events: Iterable[Event], name: str) -> list[str]:
    """The ids that events of this name carry, for example bet ids."""
    return [data["id"] for data in data_of(events, name)]
