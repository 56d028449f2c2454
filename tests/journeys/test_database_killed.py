"""The embedded PostgreSQL alone is killed, as by the kernel's out-of-memory killer."""

from pathlib import Path

import httpx
import psutil

from engine.runtime.postgres.embedded_postgres import EmbeddedPostgres
from tests.journeys.program import Program, until
from tests.journeys.test_clean_stop import bet, member


def test_a_running_house_starts_its_killed_database_again(data_dir: Path) -> None:
    with Program(data_dir) as program:
        program.start()
        token = member(program)
        server = EmbeddedPostgres(data_dir).postmaster()
        assert server is not None
        psutil.Process(server.pid).kill()

        def serves_from_another_server() -> bool:
            now = EmbeddedPostgres(data_dir).postmaster()
            is_ready = program.http.get("/readyz").status_code == httpx.codes.OK
            return is_ready and now is not None and now.pid != server.pid

        until(serves_from_another_server)
        assert bet(program, token)["quantity"] == 10
        assert program.interrupt() == 0
        assert not program.database_runs
