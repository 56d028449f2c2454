"""`python -m api.rotation`: a stopped house's members' keys move to a new master key.

- The new key's file is made first and noted in the database, then members are moved one by one.
  A run that was interrupted goes on where it was, with the key that it had made.
- Nothing else may be connected to the database: a running house does not have the new key.
"""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import psycopg

from api.given import SettingsError
from api.pool import open_pool
from engine.runtime import schema
from engine.runtime.postgres import database
from engine.runtime.postgres_home import PostgresError
from engine.runtime.vault import KeysLostError, Vault, VaultKeys, master_file

# Connections of those who have just left are still listed for a moment.
_TRIES: Final = 20
_TRY_S: Final = 0.1
_CLOSE_TIMEOUT_S: Final = 1.0
_OTHERS: Final = (
    "SELECT count(*) FROM pg_stat_activity"
    " WHERE datname = current_database() AND usename IS NOT NULL AND pid <> pg_backend_pid()"
)
_IN_USE: Final = (
    "the database is in use: stop every house on it, standbys too, and programs that read it"
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Rotate the master key of the house in a data folder, or finish what a run before began."""
    parser = argparse.ArgumentParser(
        prog="python -m api.rotation", description="Rotate a stopped house's master key."
    )
    usual = Path(os.environ.get("FAIRDRAW_DATA") or ".data")
    parser.add_argument("--data", type=Path, default=usual, metavar="DIR")
    data = parser.parse_args(arguments).data
    try:
        _check(data / "keys")
        with database(data, os.environ.get("DATABASE_URL") or None) as conninfos:
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
                f"{keys} lacks {name}: there is no house, or its keys are elsewhere"
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
        f"{done} {newest}; members moved: {moved}.\n"
        "Before the house starts: keep a copy of this file apart from the database, and put it on"
        " every machine of the house.\n"
        f"Copies of the database made before now open with {older}: keep those files with the"
        " copies, or destroy the copies.\n"
        "master.key stays in any case: it also seals the secrets of the draws, which are not"
        " rotated.\n"
        "Members' own keys are the same: who holds an older copy and its key file can still open"
        " what they seal."
    )


def _now() -> int:
    return time.time_ns() // 1_000


if __name__ == "__main__":
    sys.exit(main())
