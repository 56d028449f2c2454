"""`python -m api.rotation`: key rotation, which seals the players' keys with a new master key.

- The new key's file is created first and recorded in the database; then players are moved one by
  one. The next run continues an interrupted one, with the key that it had created.
- Nothing else may be connected to the database: a running server does not have the new key.
"""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import psycopg

from api.http.db_pool import open_pool
from api.setting_types import SettingsError
from engine.runtime.log import schema
from engine.runtime.postgres.embedded_postgres import database
from engine.runtime.postgres.files import PostgresError
from engine.runtime.vault import KeysLostError, Vault, VaultKeys, master_file

# PostgreSQL lists a connection for a moment after it was closed.
_TRIES: Final = 20
_TRY_S: Final = 0.1
_CLOSE_TIMEOUT_S: Final = 1.0
_OTHERS: Final = (
    "SELECT count(*) FROM pg_stat_activity"
    " WHERE datname = current_database() AND usename IS NOT NULL AND pid <> pg_backend_pid()"
)
_IN_USE: Final = (
    "the database is in use: stop every server on it, standbys too, and programs that read it"
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Rotate the master key of a data folder, or finish an interrupted rotation."""
    parser = argparse.ArgumentParser(
        prog="python -m api.rotation", description="Rotate the master key of a stopped server."
    )
    usual = Path(os.environ.get("FAIRDRAW_DATA") or ".data")
    parser.add_argument("--data", type=Path, default=usual, metavar="DIR")
    data = parser.parse_args(arguments).data
    try:
        _check(data / "keys")
        with database(
            data,
            os.environ.get("DATABASE_URL"),
            owner_url=os.environ.get("DATABASE_OWNER_URL"),
        ) as conninfos:
            schema.create(conninfos.owner)
            _check_unused(conninfos.app)
            _rotate(conninfos.app, data / "keys")
    except (SettingsError, PostgresError, KeysLostError, OSError) as error:
        print(f"fairdraw: {error}", file=sys.stderr)
        return 1
    return 0


def _check(keys: Path) -> None:
    for name in ("master.key", "pepper.key"):
        if not (keys / name).is_file():
            raise SettingsError(
                f"{keys} lacks {name}: it has no Fairdraw data, or the keys are elsewhere"
            )


def _check_unused(conninfo: str) -> None:
    with psycopg.connect(conninfo, autocommit=True) as connection:
        for _ in range(_TRIES):
            row = connection.execute(_OTHERS).fetchone()
            if row == (0,):
                return
            time.sleep(_TRY_S)
    raise SettingsError(_IN_USE)


def _rotate(conninfo: str, folder: Path) -> None:
    pool = open_pool(conninfo)
    try:
        keys = VaultKeys.at(folder)
        vault = Vault(pool, _now, keys)
        is_new = not vault.is_rotating()
        if is_new:
            vault.check_keys()
            keys = keys.with_next(folder)
            vault = Vault(pool, _now, keys)
        vault.check_keys()
        moved = vault.rewrap()
    finally:
        pool.close(_CLOSE_TIMEOUT_S)
    _print_result(folder, keys.version, moved, is_new=is_new)


def _print_result(folder: Path, version: int, moved: int, *, is_new: bool) -> None:
    newest = master_file(folder, version)
    older = ", ".join(master_file(folder, each).name for each in range(1, version))
    done = "made" if is_new else "finished an interrupted move to"
    print(
        f"{done} {newest}; players moved: {moved}.\n"
        "Before the server starts: keep a copy of this file apart from the database, and put it on"
        " every machine that runs the server.\n"
        f"Copies of the database made before now open with {older}: keep those files with the"
        " copies, or destroy the copies.\n"
        "master.key stays in any case: it also seals the secrets of the draws, which are not"
        " rotated.\n"
        "Players' own keys are unchanged: an older copy of the database and its key file still"
        " open what they seal."
    )


def _now() -> int:
    return time.time_ns() // 1_000


if __name__ == "__main__":
    sys.exit(main())
