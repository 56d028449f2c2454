"""`python -m api.rotation`: key rotation, which seals the players' keys with a new master key.

- The new key's file is created first and recorded in the database. Nothing else may be connected
  then: a running server does not have the new key.
- Then players are moved one by one. Servers may run meanwhile: one that started after the key was
  recorded has it, because it starts with no other.
- The next run continues a rotation that was only begun, or interrupted, with the key that it made.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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
    """Rotate the master key of a data folder, or continue a rotation."""
    parser = argparse.ArgumentParser(
        prog="python -m api.rotation",
        description="Rotate the master key of a stopped server. With --begin the server is stopped"
        " for a moment only: the next run moves the players while it runs.",
    )
    usual = Path(os.environ.get("FAIRDRAW_DATA") or ".data")
    parser.add_argument("--data", type=Path, default=usual, metavar="DIR")
    parser.add_argument(
        "--begin", action="store_true", help="make the key, and leave the players to the next run"
    )
    options = parser.parse_args(arguments)
    data: Path = options.data
    try:
        _check(data / "keys")
        with database(
            data,
            os.environ.get("DATABASE_URL"),
            owner_url=os.environ.get("DATABASE_OWNER_URL"),
        ) as conninfos:
            schema.create(conninfos.owner)
            _rotate(conninfos.app, data / "keys", only_begin=options.begin)
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


@contextmanager
def _vault(conninfo: str, keys: VaultKeys) -> Iterator[Vault]:
    pool = open_pool(conninfo)
    try:
        yield Vault(pool, _now, keys)
    finally:
        pool.close(_CLOSE_TIMEOUT_S)


def _rotate(conninfo: str, folder: Path, *, only_begin: bool) -> None:
    with _vault(conninfo, VaultKeys.at(folder)) as vault:
        is_new, is_recorded = not vault.is_rotating(), vault.has_recorded_newest_key()
    if is_new or not is_recorded:
        _check_unused(conninfo)
        _begin(conninfo, folder, is_new=is_new)
    moved = None if only_begin else _move(conninfo, folder)
    _print_result(folder, moved, is_new=is_new)


def _begin(conninfo: str, folder: Path, *, is_new: bool) -> None:
    """Record the newest key, which is made if it is new: no server starts without it any more."""
    keys = VaultKeys.at(folder)
    if is_new:
        with _vault(conninfo, keys) as vault:
            vault.check_keys()
        keys = keys.with_next(folder)
    with _vault(conninfo, keys) as vault:
        vault.check_keys()


def _move(conninfo: str, folder: Path) -> int:
    with _vault(conninfo, VaultKeys.at(folder)) as vault:
        vault.check_keys()
        return vault.rewrap()


def _print_result(folder: Path, moved: int | None, *, is_new: bool) -> None:
    version = VaultKeys.at(folder).version
    newest = master_file(folder, version)
    older = ", ".join(master_file(folder, each).name for each in range(1, version))
    if moved is None:
        done = "made" if is_new else "found"
        what = "players are not moved yet: start the servers, and run this again while they run"
    else:
        done = "made" if is_new else "finished the rotation to"
        what = f"players moved: {moved}"
    print(
        f"{done} {newest}; {what}.\n"
        "Before a server starts: keep a copy of this file apart from the database, and put it on"
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
