"""`scripts/run` starts a customer service desk for its demo and stops it with the demo."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from websockets.sync.client import connect
from websockets.sync.connection import Connection
from websockets.typing import Subprotocol

from scripts.devtools import start
from scripts.reference_desk.protocol import SUBPROTOCOL

ROOT = Path(__file__).resolve().parents[2]
_STARTER = """
import json, os, sys
from scripts.devtools.start import with_desk
given = with_desk(dict(os.environ))
print(json.dumps({name: given[name] for name in given if "SUPPORT" in name}), flush=True)
# As scripts/run does, become another program.
os.execve(sys.executable, [sys.executable, "-c", "import sys; sys.stdin.read()"], given)
"""


@contextlib.contextmanager
def _demo() -> Iterator[tuple[subprocess.Popen[str], dict[str, str]]]:
    """A process started as `scripts/run` starts one, and the settings that it received."""
    with subprocess.Popen(
        [sys.executable, "-c", _STARTER],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as demo:
        patience = threading.Timer(30, demo.kill)
        patience.start()
        try:
            assert demo.stdout is not None
            yield demo, json.loads(demo.stdout.readline())
        finally:
            patience.cancel()
            demo.kill()


def _connected(address: str) -> Connection:
    return connect(address, subprotocols=[Subprotocol(SUBPROTOCOL)])


def _answers(address: str) -> bool:
    with _connected(address) as desk:
        hello = {"type": "hello", "visit": "a-visit-of-the-demo-0001"}
        desk.send(json.dumps(hello))
        return bool(json.loads(desk.recv(10))["type"] == "state")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_the_demo_names_a_desk_that_ends_with_it(number: signal.Signals) -> None:
    with _demo() as (demo, settings):
        address = settings["FAIRDRAW_SUPPORT_SOCKET"]
        assert settings["FAIRDRAW_SUPPORT_PAGE"] == f"http{address[2:-4]}"
        assert _answers(address)
        with _connected(address) as open_one:
            demo.send_signal(number)
            # A desk closes its open connections when it ends; wait for that.
            assert [*open_one] == []
    host, port = address.removeprefix("ws://").removesuffix("/chat").split(":")
    with socket.socket() as probe:
        assert probe.connect_ex((host, int(port))) != 0


def test_two_demos_have_a_desk_each() -> None:
    with _demo() as (_, first), _demo() as (_, second):
        assert first["FAIRDRAW_SUPPORT_SOCKET"] != second["FAIRDRAW_SUPPORT_SOCKET"]
        assert _answers(first["FAIRDRAW_SUPPORT_SOCKET"])
        assert _answers(second["FAIRDRAW_SUPPORT_SOCKET"])


@pytest.mark.parametrize("name", ["FAIRDRAW_SUPPORT_PAGE", "FAIRDRAW_SUPPORT_SOCKET"])
def test_an_operator_who_names_a_desk_gets_no_other(name: str) -> None:
    given = {name: "wss://help.example/live"}
    assert start.with_desk(given) == given


@pytest.mark.parametrize("option", ["--no-demo", "--make-keys", "--migrate"])
def test_there_is_no_desk_outside_the_demo(option: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FAIRDRAW_SUPPORT_SOCKET", raising=False)
    options = start._parser().parse_args([option])
    assert "FAIRDRAW_SUPPORT_SOCKET" not in start._environment(options)
    assert os.environ["PATH"] in start._environment(options)["PATH"]
