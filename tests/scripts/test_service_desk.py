"""The customer service reference desk: its protocol over a real WebSocket, and its page."""

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.sync.connection import Connection
from websockets.typing import Subprotocol

from scripts.reference_desk.conversations import REPLIES
from scripts.reference_desk.protocol import MAX_TEXT_LENGTH, SUBPROTOCOL
from tests.service_desk import running_desk

ROOT = Path(__file__).resolve().parents[2]
_ANSWER_S = 10
_MORE_THAN_ARE_SENT = 10


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running_desk() as address:
        yield address


def _connected(address: str) -> Connection:
    return connect(address, subprotocols=[Subprotocol(SUBPROTOCOL)], open_timeout=_ANSWER_S)


def _received(socket: Connection) -> dict[str, Any]:
    message: dict[str, Any] = json.loads(socket.recv(_ANSWER_S))
    return message


def _hello(socket: Connection, visit: str, language: str = "en", after: str = "") -> dict[str, Any]:
    hello = {"type": "hello", "visit": visit, "language": language, "after": after}
    socket.send(json.dumps(hello))
    return _received(socket)


def _send(socket: Connection, id_: str, text: str) -> dict[str, Any]:
    socket.send(json.dumps({"type": "message", "id": id_, "text": text}))
    return _received(socket)


def _closed_with(socket: Connection) -> int | None:
    with pytest.raises(ConnectionClosed) as closed:
        _ = [_received(socket) for _ in range(_MORE_THAN_ARE_SENT)]
    return closed.value.rcvd.code if closed.value.rcvd else None


@pytest.mark.parametrize("language", sorted(REPLIES))
def test_the_desk_greets_and_answers_in_the_language_of_the_app(
    address: str, language: str
) -> None:
    with _connected(address) as socket:
        assert socket.subprotocol == SUBPROTOCOL
        visit = f"visit-of-{language}-0123456"
        assert _hello(socket, visit, language) == {"type": "state", "state": "here"}
        assert _received(socket)["text"] == REPLIES[language].greeting
        assert _send(socket, "1", "Where is my deposit?") == {"type": "received", "id": "1"}
        assert _received(socket)["text"] == REPLIES[language].answer


def test_a_message_sent_twice_is_answered_once_and_missed_answers_come_again(
    address: str,
) -> None:
    visit = "a-visit-that-is-cut-off"
    with _connected(address) as socket:
        _hello(socket, visit)
        greeting = _received(socket)
        _send(socket, "1", "Hello")
    with _connected(address) as socket:
        _hello(socket, visit, after=greeting["id"])
        answer = _received(socket)
        assert answer["text"] == REPLIES["en"].answer
        assert _send(socket, "1", "Hello") == {"type": "received", "id": "1"}
        assert _send(socket, "2", "Again") == {"type": "received", "id": "2"}
        assert _received(socket)["id"] not in {greeting["id"], answer["id"]}


def test_another_visit_sees_nothing_of_a_conversation(address: str) -> None:
    with _connected(address) as first, _connected(address) as second:
        for socket, visit in (
            (first, "the-first-of-two-visits"),
            (second, "the-second-of-them-all"),
        ):
            _hello(socket, visit)
            _received(socket)
        _send(first, "1", "A secret")
        assert _received(first)["text"] == REPLIES["en"].answer
        assert _send(second, "1", "Hello") == {"type": "received", "id": "1"}


def test_a_desk_that_is_away_accepts_messages_and_reports_its_state() -> None:
    with running_desk("--away") as address, _connected(address) as socket:
        assert _hello(socket, "a-visit-in-the-night-time") == {"type": "state", "state": "away"}
        assert _received(socket)["text"] == REPLIES["en"].away
        assert _send(socket, "1", "Hello") == {"type": "received", "id": "1"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [("", "empty"), (" \n ", "empty"), ("x" * (MAX_TEXT_LENGTH + 1), "too_long")],
)
def test_a_message_without_text_or_beyond_the_length_is_refused(
    address: str, text: str, reason: str
) -> None:
    with _connected(address) as socket:
        _hello(socket, "a-visit-of-odd-messages-1")
        _received(socket)
        assert _send(socket, "1", text) == {"type": "refused", "id": "1", "reason": reason}


def test_the_longest_message_fits_whatever_its_characters(address: str) -> None:
    with _connected(address) as socket:
        _hello(socket, "a-visit-with-a-long-story")
        _received(socket)
        assert _send(socket, "1", "\N{PILE OF POO}" * MAX_TEXT_LENGTH)["type"] == "received"


def test_a_client_that_writes_too_fast_is_refused_but_not_disconnected(address: str) -> None:
    with _connected(address) as socket:
        _hello(socket, "a-visit-in-a-great-hurry")
        _received(socket)
        reasons: list[str] = []
        for number in range(30):
            socket.send(json.dumps({"type": "message", "id": str(number), "text": "hurry"}))
        while len(reasons) < 30:
            answer = _received(socket)
            if answer["type"] in {"received", "refused"}:
                reasons.append(answer.get("reason", ""))
        assert reasons[0] == ""
        assert set(reasons) == {"", "too_fast"}


@pytest.mark.parametrize(
    "invalid",
    [
        "",
        "hello",
        "{}",
        "[]",
        '{"type":"message","id":"1","text":"before hello"}',
        '{"type":"hello","visit":"short","language":"en","after":""}',
        '{"type":"hello","visit":7,"language":"en","after":""}',
        '{"type":"unheard-of"}',
        b"\x00\xff",
    ],
)
def test_an_invalid_message_ends_only_that_connection(address: str, invalid: str | bytes) -> None:
    with _connected(address) as other, _connected(address) as socket:
        _hello(other, "a-visit-next-to-invalid-1")
        socket.send(invalid)
        assert _closed_with(socket) == 1008
        assert _received(other)["type"] == "message"


def test_a_frame_beyond_all_bounds_ends_the_connection(address: str) -> None:
    with _connected(address) as socket:
        _hello(socket, "a-visit-with-a-huge-frame")
        socket.send(json.dumps({"type": "message", "id": "1", "text": "x" * 100_000}))
        assert _closed_with(socket) == 1009


def test_the_page_explains_how_to_reach_the_desk(address: str) -> None:
    page = address.replace("ws://", "http://").replace("/chat", "/")
    with urllib.request.urlopen(page, timeout=_ANSWER_S) as answer:
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert b"Customer service" in answer.read()


def test_the_desk_is_reached_from_this_machine_alone(address: str) -> None:
    assert address.startswith("ws://127.0.0.1:")


def test_help_describes_the_desk_and_names_its_protocol_file() -> None:
    printed = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "desk"), "--help"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "customer service" in printed
    assert "scripts/reference_desk/protocol.py" in printed
