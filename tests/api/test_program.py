"""The program as a whole: it starts, serves, names what is missing, and stops cleanly."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.api.conftest import free_port
from tests.api.support import events

STARTED_WITHIN_S = 60.0
STOPPED_WITHIN_S = 3.0
ENVIRONMENT = {
    name: value for name, value in os.environ.items() if not name.startswith("FAIRDRAW_")
}


def command(data: Path, port: int, *more: str) -> list[str]:
    return [sys.executable, "-m", "api.app", "--port", str(port), "--data", str(data), *more]


@contextlib.contextmanager
def running(data: Path, port: int, *more: str) -> Iterator[subprocess.Popen[str]]:
    """The program, once it says that it is open; ended whatever happens."""
    with subprocess.Popen(
        command(data, port, *more), stdout=subprocess.PIPE, text=True, env=ENVIRONMENT
    ) as program:
        try:
            assert program.stdout is not None
            for line in program.stdout:
                if "is open at" in line:
                    break
            yield program
        finally:
            program.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_stops_within_three_seconds_with_a_stream_open_and_finds_everything_again(
    data_dir: Path, number: signal.Signals
) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    account = {"account": "player01", "password": "play-money-28"}
    query = {"game_id": 1, "plan_id": 1}
    with (
        running(data_dir, port, "--round-seconds", "10") as program,
        httpx.Client(base_url=url) as client,
        client.stream("GET", "/api/Lottery/stream", params=query) as stream,
    ):
        lines = stream.iter_lines()
        assert next(events(lines))[0] == "heart"
        began = time.monotonic()
        program.send_signal(number)
        list(lines)
        program.wait(STOPPED_WITHIN_S)
        assert program.returncode == 0
        assert time.monotonic() - began < STOPPED_WITHIN_S
    with running(data_dir, port), httpx.Client(base_url=url) as client:
        answer = client.post("/api/user/login", json=account).json()
        assert answer["data"]["userinfo"]["money"] == 1000
        assert client.get("/readyz").status_code == 200


def test_a_port_in_use_is_named_in_one_line(data_dir: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = subprocess.run(command(data_dir, port), capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"127.0.0.1:{port}" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_outside_demo_mode_the_operator_must_be_named(data_dir: Path) -> None:
    done = subprocess.run(
        command(data_dir, free_port(), "--no-demo"),
        capture_output=True,
        text=True,
        check=False,
        env=ENVIRONMENT,
    )
    assert done.returncode == 1
    assert "FAIRDRAW_OPERATOR_NAME" in done.stderr
    assert "FAIRDRAW_OPERATOR_MINIMUM_AGE" in done.stderr


@pytest.mark.parametrize("name", ["a-file", "a-file/below"])
def test_a_folder_that_cannot_be_used_is_told_in_a_line(tmp_path: Path, name: str) -> None:
    (tmp_path / "a-file").touch()
    typed = command(tmp_path / name, free_port())
    done = subprocess.run(typed, capture_output=True, text=True, check=False, env=ENVIRONMENT)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"fairdraw: {tmp_path / name} cannot be the data folder: ")
    assert done.stderr.count("\n") == 1


def test_a_second_house_waits_and_staff_find_the_one_that_leads(data_dir: Path) -> None:
    ports = free_port(), free_port()
    found = data_dir / "keys" / "address"
    with (
        running(data_dir, ports[0]) as first,
        subprocess.Popen(
            command(data_dir, ports[1]), stdout=subprocess.PIPE, text=True, env=ENVIRONMENT
        ) as second,
    ):
        silent = threading.Timer(STARTED_WITHIN_S, second.kill)
        silent.start()
        try:
            assert second.stdout is not None
            assert "another house" in next((line for line in second.stdout if line.strip()), "")
            assert found.read_text() == f"http://127.0.0.1:{ports[0]}"
            first.kill()
            assert any("is open at" in line for line in second.stdout)
            assert found.read_text() == f"http://127.0.0.1:{ports[1]}"
        finally:
            silent.cancel()
            second.kill()
