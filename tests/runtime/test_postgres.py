import contextlib
import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg
import pytest

from engine.runtime.postgres import files
from engine.runtime.postgres.embedded_postgres import Conninfos, EmbeddedPostgres
from engine.runtime.postgres.embedded_postgres import database as product_database
from engine.runtime.postgres.files import DatabaseRole, PostgresError
from tests.ports import reserved_port


@pytest.fixture
def server(data_dir: Path) -> Iterator[EmbeddedPostgres]:
    with EmbeddedPostgres(data_dir) as server:
        yield server


def _pid(server: EmbeddedPostgres) -> int:
    postmaster = server.postmaster()
    assert postmaster is not None
    return postmaster.pid


def _value(conninfo: str, query: str) -> object:
    with psycopg.connect(conninfo) as connection:
        row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return row[0]


def _insert_row(server: EmbeddedPostgres) -> None:
    with psycopg.connect(server.dsn("owner")) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")


def _stored_row(server: EmbeddedPostgres) -> object:
    return _value(server.dsn("owner"), "SELECT answer FROM kept")


@pytest.mark.parametrize("tcp", [False, True])
@pytest.mark.parametrize("role", ["admin", "owner", "app"])
def test_each_role_enters_with_its_password(
    postgres: EmbeddedPostgres, role: DatabaseRole, *, tcp: bool
) -> None:
    assert _value(postgres.dsn(role, tcp=tcp), "SELECT current_user") == f"fairdraw_{role}"


@pytest.mark.parametrize("tcp", [False, True])
def test_no_connection_without_a_password(postgres: EmbeddedPostgres, *, tcp: bool) -> None:
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(postgres.dsn("app", tcp=tcp), password="")


def test_only_the_admin_is_a_superuser(postgres: EmbeddedPostgres) -> None:
    query = "SELECT array_agg(rolname::text) FROM pg_roles WHERE rolsuper"
    assert _value(postgres.dsn("admin"), query) == ["fairdraw_admin"]


def test_the_app_role_makes_no_tables(postgres: EmbeddedPostgres) -> None:
    with (
        psycopg.connect(postgres.dsn("app")) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute("CREATE TABLE mine ()")


@pytest.mark.parametrize("setting", ["fsync", "full_page_writes", "synchronous_commit"])
def test_durability_is_on(server: EmbeddedPostgres, setting: str) -> None:
    assert _value(server.dsn("app"), f"SHOW {setting}") == "on"


def test_the_passwords_are_for_their_owner_only(data_dir: Path) -> None:
    assert EmbeddedPostgres(data_dir).dsn("app")
    assert stat.S_IMODE((data_dir / "postgres.json").stat().st_mode) == 0o600


def test_a_restart_finds_data_port_and_passwords_as_they_were(data_dir: Path) -> None:
    with EmbeddedPostgres(data_dir) as server:
        _insert_row(server)
        before = server.conninfos()
    with EmbeddedPostgres(data_dir) as server:
        assert server.conninfos() == before
        assert _stored_row(server) == 42


def test_a_start_does_not_meet_the_grants_of_another_process(server: EmbeddedPostgres) -> None:
    """Processes that start together: one migrates while the next finds its roles."""
    with psycopg.connect(server.dsn("owner")) as migrating:
        migrating.execute("GRANT TEMPORARY ON DATABASE fairdraw TO fairdraw_app")
        starting = threading.Thread(target=server.start, daemon=True)
        starting.start()
        starting.join(20)
        assert not starting.is_alive()
        migrating.commit()


def test_a_stop_leaves_no_process(data_dir: Path) -> None:
    with EmbeddedPostgres(data_dir) as server:
        assert server.postmaster() is not None
    assert server.postmaster() is None


def test_a_stop_waits_for_no_open_session(data_dir: Path) -> None:
    with EmbeddedPostgres(data_dir) as server:
        connection = psycopg.connect(server.dsn("app"))
    with pytest.raises(psycopg.OperationalError):
        connection.execute("SELECT 1")
    connection.close()


def test_a_killed_server_restarts_with_the_committed_data(server: EmbeddedPostgres) -> None:
    _insert_row(server)
    killed = psutil.Process(_pid(server))
    killed.kill()
    server.start()
    assert _pid(server) != killed.pid
    assert _stored_row(server) == 42


def test_children_of_a_killed_server_do_not_hinder_the_next(server: EmbeddedPostgres) -> None:
    with contextlib.closing(psycopg.connect(server.dsn("admin"))) as session:
        psutil.Process(session.info.backend_pid).suspend()
        psutil.Process(_pid(server)).kill()
        server.start()
        with pytest.raises(psycopg.OperationalError):
            session.execute("SELECT 1")
    assert _value(server.dsn("app"), "SELECT 1") == 1


def test_a_pid_file_that_names_another_process_is_ignored(data_dir: Path) -> None:
    with EmbeddedPostgres(data_dir) as server:
        cluster = data_dir / "postgres" / "cluster"
        pid_file = (cluster / "postmaster.pid").read_text().splitlines()
    stale = [str(os.getpid()), *pid_file[1:]]
    (cluster / "postmaster.pid").write_text("\n".join(stale) + "\n")
    assert server.postmaster() is None
    with server:
        assert _value(server.dsn("app"), "SELECT 1") == 1


_START_AND_REPORT = """
import sys
from pathlib import Path
from engine.runtime.postgres.embedded_postgres import EmbeddedPostgres
server = EmbeddedPostgres(Path(sys.argv[1]))
server.start()
print(server.postmaster().pid, flush=True)
sys.stdin.read()
"""


def _start_elsewhere(data_dir: Path) -> tuple[subprocess.Popen[str], int]:
    """Another Python process that starts the server and keeps it running; and the server's pid."""
    process = subprocess.Popen(
        [sys.executable, "-c", _START_AND_REPORT, data_dir],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdout is not None
    return process, int(process.stdout.readline())


def _kill(process: subprocess.Popen[str]) -> None:
    with process:
        process.send_signal(signal.SIGKILL)


def test_a_server_whose_program_was_killed_is_adopted(data_dir: Path) -> None:
    program, pid = _start_elsewhere(data_dir)
    _kill(program)
    with EmbeddedPostgres(data_dir) as server:
        assert _pid(server) == pid
    assert server.postmaster() is None


def test_a_server_in_use_by_another_program_is_left_running(data_dir: Path) -> None:
    program, pid = _start_elsewhere(data_dir)
    with EmbeddedPostgres(data_dir) as server:
        assert _pid(server) == pid
    assert _value(server.dsn("app"), "SELECT 1") == 1
    _kill(program)


def test_the_starter_of_the_server_may_leave_it_to_others(data_dir: Path) -> None:
    starter = EmbeddedPostgres(data_dir)
    starter.start()
    with EmbeddedPostgres(data_dir) as server:
        starter.stop()
        del starter  # dropping a running process raises a warning, hence an error here
        assert _value(server.dsn("app"), "SELECT 1") == 1
    assert server.postmaster() is None


def test_concurrent_starts_make_one_server(data_dir: Path) -> None:
    servers = [EmbeddedPostgres(data_dir) for _ in range(4)]
    threads = [threading.Thread(target=server.start) for server in servers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({_pid(server) for server in servers}) == 1
    for server in servers * 2:  # the second stop does nothing
        server.stop()
    assert servers[0].postmaster() is None


def test_a_taken_port_is_replaced(data_dir: Path) -> None:
    recorded = EmbeddedPostgres(data_dir).port
    with socket.create_server(("127.0.0.1", recorded)), EmbeddedPostgres(data_dir) as server:
        assert server.port != recorded
        assert _value(server.dsn("app", tcp=True), "SELECT 1") == 1


def test_a_port_that_a_process_holds_for_later_is_not_free(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held = reserved_port()
    monkeypatch.setattr(files, "_PORTS", range(held, held + 1))
    monkeypatch.setattr(files, "_PORTS_TRIED", 1)
    with pytest.raises(OSError, match="no free port"):
        files.free_port()


def test_a_failed_start_reports_the_servers_message(data_dir: Path) -> None:
    with EmbeddedPostgres(data_dir) as server:
        control = data_dir / "postgres" / "cluster" / "global" / "pg_control"
    control.write_bytes(b"")
    with pytest.raises(PostgresError, match="pg_control"):
        server.start()


def test_a_lost_record_is_named_instead_of_locking_us_out(data_dir: Path) -> None:
    with EmbeddedPostgres(data_dir):
        pass
    (data_dir / "postgres.json").unlink()
    with pytest.raises(PostgresError, match=r"postgres\.json"):
        EmbeddedPostgres(data_dir)


def test_awkward_folder_names_are_fine(data_dir: Path) -> None:
    with EmbeddedPostgres(data_dir / f'it\'s a "long" {"x" * 80}, path') as server:
        assert _value(server.dsn("app"), "SELECT 1") == 1


def test_a_folder_that_only_we_may_enter_is_fine(data_dir: Path) -> None:
    data_dir.mkdir(mode=0o700)
    data_dir.chmod(0o700)
    with EmbeddedPostgres(data_dir / "inside") as server:
        _insert_row(server)
    with EmbeddedPostgres(data_dir / "inside") as server:
        assert _stored_row(server) == 42
    assert stat.S_IMODE(data_dir.stat().st_mode) == 0o700
    if elsewhere := json.loads((data_dir / "inside" / "postgres.json").read_bytes())["home"]:
        shutil.rmtree(elsewhere)


def test_the_programs_come_with_the_server(postgres: EmbeddedPostgres) -> None:
    run = subprocess.run([postgres.bin("pgbench"), "--version"], capture_output=True, check=True)
    assert b"PostgreSQL) 18" in run.stdout


def test_an_address_given_is_used_for_both_roles(
    postgres: EmbeddedPostgres, data_dir: Path
) -> None:
    with product_database(data_dir, postgres.dsn("app", "postgres")) as conninfos:
        assert conninfos.owner == conninfos.app
        assert _value(conninfos.app, "SELECT current_user") == "fairdraw_app"
    assert not data_dir.exists()


def test_each_test_has_a_database_of_its_own(database: Conninfos) -> None:
    assert _value(database.owner, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == 0
    assert str(_value(database.app, "SELECT current_database()")).startswith("test_")
