"""Log files: staff actions are kept apart from players', and no caller waits for the disk."""

import asyncio
import json
import logging
import resource
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog

from api.http.transport import REQUEST_ID
from api.ops import logs, request_log
from api.ops.logs import LOGS, LineWriter, LogFile, retain_all

STAFF, PLAYER = "/api/office/queue", "/api/Lottery/playOrder"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The server's log folder while the test runs; a file is full after a kilobyte."""
    root = logging.getLogger()
    before, level, configured = root.handlers[:], root.level, structlog.get_config()
    monkeypatch.setattr(logs, "_MAX_FILE_BYTES", 1_000)
    LOGS.set_up(tmp_path)
    yield tmp_path
    LOGS.close()
    root.handlers[:] = before
    root.setLevel(level)
    structlog.configure(**configured)


def call(route: str, times: int = 1) -> None:
    """Log a number of calls with one line each, and flush after every fifth."""

    async def calling() -> None:
        for number in range(times):
            request_log.end(request_log.begin(), route, 7, f"outcome-{number}", 0.001)
            if number % 5 == 4:
                request_log.flush()
                LOGS.drain()

    asyncio.run(calling())
    request_log.flush()
    LOGS.drain()


def logged(folder: Path, name: str) -> list[dict[str, Any]]:
    """The lines of a log, its older files first."""
    files = [*sorted(folder.glob(f"{name}.*")), folder / name]
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def test_no_traffic_of_players_removes_what_staff_did(folder: Path) -> None:
    call(STAFF)
    call(PLAYER, 500)
    (line,) = logged(folder, "staff.log")
    assert (line["route"], line["outcome"]) == (STAFF, "outcome-0")
    assert sorted(file.name for file in folder.glob("fairdraw.log*")) == [
        "fairdraw.log",
        "fairdraw.log.1",
        "fairdraw.log.2",
        "fairdraw.log.3",
    ]
    found = logged(folder, "fairdraw.log")
    assert 0 < len(found) < 500
    assert all(each["route"] == PLAYER for each in found)
    newest = (folder / "fairdraw.log").read_text().splitlines()[-1]
    assert json.loads(newest)["outcome"] == "outcome-499"


def test_no_line_of_staff_is_ever_removed(folder: Path) -> None:
    call(STAFF, 200)
    assert len(list(folder.glob("staff.log.*"))) > 10
    assert [each["outcome"] for each in logged(folder, "staff.log")] == [
        f"outcome-{number}" for number in range(200)
    ]


def test_no_caller_waits_for_the_disk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk, writers = threading.Event(), set[str]()
    write = LogFile._write

    def slow(file: LogFile, content: bytes) -> None:
        writers.add(threading.current_thread().name)
        assert disk.wait(60)
        write(file, content)

    monkeypatch.setattr(LogFile, "_write", slow)
    structlog.get_logger().info("first", number=1)
    logging.getLogger("library").info("second %s", "two")
    disk.set()
    LOGS.drain()
    assert writers == {"fairdraw.log"}
    assert [each["event"] for each in logged(folder, "fairdraw.log")] == ["first", "second two"]


def test_a_line_of_a_library_has_the_id_of_its_request(folder: Path) -> None:
    token = REQUEST_ID.set("request-1")
    try:
        logging.getLogger("library").info("during a call")
    finally:
        REQUEST_ID.reset(token)
    LOGS.drain()
    (line,) = logged(folder, "fairdraw.log")
    assert line["request_id"] == "request-1"


def test_lines_wait_for_room_on_a_full_disk(tmp_path: Path) -> None:
    """Runs in its own process, because the size limit applies to a process."""
    done = subprocess.run(
        [sys.executable, "-m", __name__, str(tmp_path)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert logged(tmp_path, "staff.log") == [{"number": number} for number in range(100)]


def fill_the_disk(folder: Path) -> None:
    """Allow 500 bytes of the lines at first, and later all of them."""
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (500, most))
    writer = LineWriter("staff.log", LogFile(folder / "staff.log", 10_000, retain_all).append)
    for number in range(100):
        writer.put(json.dumps({"number": number}).encode() + b"\n")
    assert not writer.flush(0.3)
    written = (folder / "staff.log").read_bytes()
    assert not written or written.endswith(b"\n"), "half a line was left"
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    assert writer.flush(30)


def test_a_full_disk_takes_no_more_memory_than_allowed_and_the_loss_is_logged() -> None:
    full, stored = threading.Event(), list[bytes]()

    def append(chunk: bytes) -> None:
        if not full.is_set():
            raise OSError(28, "no space left on device")
        stored.append(chunk)

    writer = LineWriter("fairdraw.log", append, max_waiting_bytes=100)
    for _ in range(25):
        writer.put(b'{"a":1}\n{}\n')
    assert (writer.waiting_bytes, writer.lost) == (99, 2 * 16)
    full.set()
    assert writer.flush(30)
    written = [json.loads(line) for line in b"".join(stored).splitlines()]
    assert len(written) == 2 * 9 + 1
    assert (written[-1]["event"], written[-1]["lines"]) == ("log lines lost", 32)
    writer.close(30)


def test_a_line_that_was_cut_off_does_not_spoil_the_next(tmp_path: Path) -> None:
    file = tmp_path / "staff.log"
    file.write_bytes(b'{"a":1}\n{"b":')
    LogFile(file, 1_000, retain_all).append(b'{"c":3}\n')
    assert file.read_bytes() == b'{"a":1}\n{"b":\n{"c":3}\n'


if __name__ == "__main__":
    fill_the_disk(Path(sys.argv[1]))
