"""The server as a process: it starts, serves, reports missing settings, and stops cleanly."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import httpx
import psycopg
import pytest

from api import keys, migration
from api.app import load_factor
from engine.runtime.log import schema
from engine.runtime.postgres.embedded_postgres import Conninfos, EmbeddedPostgres, find_postmaster
from tests.api.support import OPERATOR, events
from tests.databases import new_database
from tests.journeys.program import until
from tests.ports import reserved_port

STARTED_WITHIN_S = 60.0
ENVIRONMENT = {
    name: value for name, value in os.environ.items() if not name.startswith("FAIRDRAW_")
}


def command(data: Path, port: int, *more: str) -> list[str]:
    return [sys.executable, "-m", "api.app", "--port", str(port), "--data", str(data), *more]


@contextlib.contextmanager
def running(data: Path, port: int, *more: str) -> Iterator[subprocess.Popen[str]]:
    """Run the server until the block ends. The block starts when the server is open."""
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


def is_ready(port: int) -> bool:
    """Whether bets and draws go on. A draw that came due while a house was down is made first."""
    return httpx.get(f"http://127.0.0.1:{port}/readyz").status_code == httpx.codes.OK


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_stops_by_itself_with_a_stream_open_and_finds_everything_again(
    data_dir: Path, number: signal.Signals
) -> None:
    port = reserved_port()
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
        program.send_signal(number)
        list(lines)
        # The shutdown watchdog would end the process with exit status 1.
        assert program.wait(STARTED_WITHIN_S) == 0
    with running(data_dir, port), httpx.Client(base_url=url) as client:
        answer = client.post("/api/user/login", json=account).json()
        assert answer["data"]["userinfo"]["money"] == 1000
        until(lambda: is_ready(port))


def test_a_database_server_that_is_slow_to_stop_is_waited_for(data_dir: Path) -> None:
    with running(data_dir, reserved_port()) as program:
        server = find_postmaster(data_dir / "postgres" / "cluster")
        assert server is not None
        os.kill(server.pid, signal.SIGSTOP)
        program.send_signal(signal.SIGINT)
        assert program.wait(STARTED_WITHIN_S) == 0
    assert find_postmaster(data_dir / "postgres" / "cluster") is None
    log = [json.loads(line) for line in (data_dir / "fairdraw.log").read_text().splitlines()]
    assert {entry["level"] for entry in log} == {"info"}


@pytest.mark.parametrize(("load", "times"), [(0.1, 1), (1, 1), (3, 3), (500, 10)])
def test_a_crowded_machine_has_longer_to_stop(load: float, times: int) -> None:
    assert load_factor(load * (os.cpu_count() or 1)) == times


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
        command(data_dir, reserved_port(), "--no-demo"),
        capture_output=True,
        text=True,
        check=False,
        env=ENVIRONMENT,
    )
    assert done.returncode == 1
    assert "FAIRDRAW_OPERATOR_NAME" in done.stderr
    assert "FAIRDRAW_OPERATOR_MINIMUM_AGE" in done.stderr


def refused(data: Path, *more: str, **variables: str) -> str:
    """The output of a server that refuses to start."""
    done = subprocess.run(
        command(data, reserved_port(), *more),
        capture_output=True,
        text=True,
        check=False,
        env=ENVIRONMENT | variables,
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    return done.stderr


def test_outside_demo_mode_a_house_without_its_keys_does_not_start_and_makes_none(
    data_dir: Path,
) -> None:
    output = refused(data_dir, "--no-demo", **OPERATOR)
    assert "lacks operator.key, witness/witness.key, master.key" in output
    assert f"scripts/run --make-keys --data {data_dir}" in output
    assert not (data_dir / "keys").exists()


def test_keys_that_were_made_let_a_house_open_outside_demo_mode(
    data_dir: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert keys.main(["--data", str(data_dir)]) == 0
    made = {name: (data_dir / "keys" / name).read_bytes() for name in keys.FILES}
    assert len(set(made.values())) == len(keys.FILES)
    assert capsys.readouterr().out.count("made") == len(keys.FILES)
    assert keys.main(["--data", str(data_dir)]) == 0
    assert {name: (data_dir / "keys" / name).read_bytes() for name in keys.FILES} == made

    monkeypatch.setattr(f"{__name__}.ENVIRONMENT", ENVIRONMENT | OPERATOR)
    port = reserved_port()
    with running(data_dir, port, "--no-demo", "--round-seconds", "10"):
        shown = httpx.get(f"http://127.0.0.1:{port}/api/index/index").text
    assert "Example Ltd" in shown


@pytest.mark.parametrize(("first", "then"), [((), ("--no-demo",)), (("--no-demo",), ())])
def test_a_house_opens_in_no_other_mode_than_its_first(
    data_dir: Path, first: tuple[str, ...], then: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Play money never becomes real, and demo players never sign in to a real server."""
    keys.main(["--data", str(data_dir)])
    monkeypatch.setattr(f"{__name__}.ENVIRONMENT", ENVIRONMENT | OPERATOR)
    seconds = ("--round-seconds", "10")
    with running(data_dir, reserved_port(), *first, *seconds):
        pass
    done = subprocess.run(
        command(data_dir, reserved_port(), *then, *seconds),
        capture_output=True,
        text=True,
        check=False,
        env=ENVIRONMENT,
        timeout=STARTED_WITHIN_S,
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "choose another --data folder or DATABASE_URL" in done.stderr


@pytest.fixture
def external(postgres: EmbeddedPostgres, monkeypatch: pytest.MonkeyPatch) -> Iterator[Conninfos]:
    """An operator's own database, which is empty; the operator is named."""
    monkeypatch.setattr(f"{__name__}.ENVIRONMENT", ENVIRONMENT | OPERATOR)
    with new_database(postgres) as made:
        yield made


def test_a_house_at_an_operators_database_runs_with_the_applications_role(
    data_dir: Path, external: Conninfos, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first start has the owner's connection string, and the second one needs it no more."""
    assert keys.main(["--data", str(data_dir)]) == 0
    urls = {"DATABASE_URL": external.app, "DATABASE_OWNER_URL": external.owner}
    for environment in (urls, {"DATABASE_URL": external.app}):
        port = reserved_port()
        monkeypatch.setattr(f"{__name__}.ENVIRONMENT", ENVIRONMENT | environment)
        with running(data_dir, port, "--no-demo", "--round-seconds", "10") as program:
            until(partial(is_ready, port))
            with psycopg.connect(external.owner) as connection:
                logins = connection.execute(
                    "SELECT DISTINCT usename FROM pg_stat_activity"
                    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                    " AND backend_type = 'client backend'"
                ).fetchall()
            assert logins == [("fairdraw_app",)]
            program.send_signal(signal.SIGINT)
            assert program.wait(STARTED_WITHIN_S) == 0
    assert not (data_dir / "postgres").exists()


def test_outside_demo_mode_a_role_that_owns_the_log_is_refused(
    data_dir: Path, external: Conninfos
) -> None:
    keys.main(["--data", str(data_dir)])
    output = refused(data_dir, "--no-demo", DATABASE_URL=external.owner)
    assert "the role fairdraw_owner of DATABASE_URL can change the log: it owns" in output
    assert "CREATE ROLE fairdraw_app LOGIN PASSWORD" in output
    assert "DATABASE_OWNER_URL is the connection string of fairdraw_owner" in output


def test_a_demo_starts_with_a_role_that_owns_the_log_and_warns_once(
    data_dir: Path, external: Conninfos, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{__name__}.ENVIRONMENT", ENVIRONMENT | {"DATABASE_URL": external.owner})
    with running(data_dir, reserved_port(), "--round-seconds", "10") as program:
        program.send_signal(signal.SIGINT)
        assert program.wait(STARTED_WITHIN_S) == 0
    log = [json.loads(line) for line in (data_dir / "fairdraw.log").read_text().splitlines()]
    can_change = "the application's role can change the log"
    assert [(entry["level"], entry["role"]) for entry in log if entry["event"] == can_change] == [
        ("warning", "fairdraw_owner")
    ]


def test_a_migration_brings_the_database_up_to_date_without_a_server(
    data_dir: Path,
    external: Conninfos,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DATABASE_URL", external.app)
    assert migration.main(["--data", str(data_dir)]) == 1
    assert "with the owner of the tables in DATABASE_OWNER_URL" in capsys.readouterr().err
    monkeypatch.setenv("DATABASE_OWNER_URL", external.owner)
    assert migration.main(["--data", str(data_dir)]) == 0
    assert "the database is up to date" in capsys.readouterr().out
    schema.create(external.app)


def test_a_key_that_others_may_read_or_that_is_cut_short_is_no_key(data_dir: Path) -> None:
    keys.main(["--data", str(data_dir)])
    path = data_dir / "keys" / "master.key"
    path.chmod(0o640)
    assert f"chmod 600 {path}" in refused(data_dir, "--no-demo", **OPERATOR)
    path.chmod(0o600)
    path.write_bytes(b"short")
    output = refused(data_dir, "--no-demo", **OPERATOR)
    assert f"{path} must hold 32 bytes, not 5" in output


def test_a_setting_that_makes_no_sense_is_reported_in_a_line(data_dir: Path) -> None:
    output = refused(data_dir, FAIRDRAW_TIMEZON="Europe/Berlin")
    assert output == (
        "fairdraw: FAIRDRAW_TIMEZON is not a setting: did you mean FAIRDRAW_TIMEZONE?"
        " See api/README.md\n"
    )


@pytest.mark.parametrize("name", ["a-file", "a-file/below"])
def test_a_folder_that_cannot_be_used_is_reported_in_a_line(tmp_path: Path, name: str) -> None:
    (tmp_path / "a-file").touch()
    typed = command(tmp_path / name, reserved_port())
    done = subprocess.run(typed, capture_output=True, text=True, check=False, env=ENVIRONMENT)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"fairdraw: {tmp_path / name} cannot be the data folder: ")
    assert done.stderr.count("\n") == 1


def test_a_second_house_waits_and_staff_find_the_one_that_leads(data_dir: Path) -> None:
    ports = reserved_port(), reserved_port()
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
            assert "another server" in next((line for line in second.stdout if line.strip()), "")
            assert found.read_text() == f"http://127.0.0.1:{ports[0]}"
            waits = httpx.get(f"http://127.0.0.1:{ports[1]}/readyz")
            assert (waits.status_code, waits.json()["role"]) == (503, "standby")
            assert "engine: standby" in waits.json()["reasons"]
            first.kill()
            assert any("is open at" in line for line in second.stdout)
            assert found.read_text() == f"http://127.0.0.1:{ports[1]}"
        finally:
            silent.cancel()
            second.kill()
