"""`scripts/restore`: a house from a backup, in a new data folder."""

import argparse
import os
import secrets
import shutil
import signal
import sys
import time
from collections.abc import Sequence
from datetime import UTC, date, datetime, tzinfo
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

import psycopg
from msgspec import Struct

from api.settings import VERSION
from engine.runtime import restored
from engine.runtime.postgres.embedded_postgres import find_postmaster
from engine.runtime.postgres.files import PostgresError, find_cluster, make_data_dir
from engine.runtime.restored import RestoreRecord
from engine.schedule import DEFAULT_TIMEZONE
from scripts.audit_tool.as_of import microseconds, parse_moment
from scripts.backup_tool import (
    COULD_NOT_RUN,
    DAMAGED,
    BackupError,
    DamagedError,
    keys_folder,
    losses,
    sealing,
)
from scripts.backup_tool.progress import Progress
from scripts.backup_tool.recovery import (
    PassedError,
    Recovery,
    newest,
    open_log,
    recovery_settings,
    transaction_of,
    unpack_base,
)
from scripts.backup_tool.repository import Manifest, Newest, Repository, choose, text_of
from scripts.devtools.paths import as_typed

_POSTGRES: Final = 18
_ID_BYTES: Final = 8
_EPILOG: Final = """\
examples:
  scripts/restore /mnt/backups --key fairdraw.key --data /srv/fairdraw    as far as it goes
  scripts/restore /mnt/backups --key fairdraw.key --data /srv/fairdraw --to "2026-11-27 12:00:00"
  scripts/restore /mnt/backups --key fairdraw.key --data drill --to-position 184220
  scripts/restore /mnt/backups --key fairdraw.key --data drill --backup 20261127T030000Z

Stop the house before, on every machine: two houses with one key would draw rounds twice.
The restored house sells in a new segment of draws, and needs a new folder for its own backups.
Bets of rounds that were on sale at the restored moment are drawn, if the witness still can.
Otherwise staff see the rounds in scripts/office undrawn, and two managers return the stakes.

Exit status: 0 restored, 1 the backup is damaged, 2 could not run; standard error has the reason."""

_NEXT: Final = """\
Start it with scripts/run --data {data} and the settings that the house had.
It sells in a new segment of draws. Its backups need a new folder: make the first one soon.
A witness of another party needs scripts/witness forget, run by its operator, before it releases
anything for this house."""
_EXTERNAL: Final = """\
The keys are in {keys}, the files of the database in {cluster}.
1. Give {cluster} and {log} to the account of PostgreSQL {major}, and start that
   release of PostgreSQL with {cluster}. It recovers, then accepts writes.
2. Remove {log}, and the last lines of postgresql.auto.conf.
3. Set DATABASE_URL to this server.
4. Run scripts/witness forget --data {keys}/witness --yes, if the house runs its own witness."""


class _Target(Struct, frozen=True):
    """Where to stop: a time in microseconds since 1970, or a position of the log; 0 for neither."""

    time: int = 0
    position: int = 0

    def __bool__(self) -> bool:
        return bool(self.time or self.position)

    def __str__(self) -> str:
        if self.time:
            return datetime.fromtimestamp(self.time / 1_000_000, UTC).isoformat(" ")
        return f"position {self.position}" if self.position else ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Restore; returns the exit status, with one line on standard error unless it is 0."""
    options = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        _restore(options)
    except DamagedError as error:
        return _failed(error, DAMAGED)
    except (BackupError, PostgresError, psycopg.Error, OSError) as error:
        return _failed(error, COULD_NOT_RUN)
    except KeyboardInterrupt:
        print("\ninterrupted: run it again, which begins it again", file=sys.stderr)
        return 128 + signal.SIGINT
    return 0


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _failed(error: Exception, status: int) -> int:
    reason = " ".join(str(error).split())
    print(f"{as_typed('scripts/restore')}: {as_typed(reason)}", file=sys.stderr)
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=as_typed("scripts/restore"),
        description="Restore a house from a backup of scripts/backup into a new data folder:"
        " its keys, and its database as of the newest moment that is archived, or as of --to.",
        epilog=as_typed(_EPILOG),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("backups", type=Path, metavar="DIR", help="folder of the backups")
    parser.add_argument(
        "--data", type=Path, required=True, metavar="NEW", help="a folder that is empty or new"
    )
    parser.add_argument(
        "--key",
        type=Path,
        required=True,
        metavar="FILE",
        help="the secret key that scripts/backup make-key made",
    )
    parser.add_argument("--backup", default="", metavar="NAME", help="begin with this backup")
    until = parser.add_mutually_exclusive_group()
    until.add_argument(
        "--to",
        type=parse_moment,
        metavar="TIME",
        help="everything that was stored by this time, and nothing after; a time without a zone is"
        " in --timezone",
    )
    until.add_argument(
        "--to-position",
        type=_position,
        default=0,
        metavar="N",
        help="up to this position of the log, and to the end of its batch; takes twice as long",
    )
    parser.add_argument(
        "--timezone",
        type=ZoneInfo,
        default=os.environ.get("FAIRDRAW_TIMEZONE") or DEFAULT_TIMEZONE,
        metavar="ZONE",
        help=f"time zone of --to (FAIRDRAW_TIMEZONE, or {DEFAULT_TIMEZONE})",
    )
    return parser


def _position(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text} is not a position of the log")
    return int(text)


def _restore(options: argparse.Namespace) -> None:
    repository = Repository(options.backups)
    target = _Target(_time(options.to, options.timezone), options.to_position)
    manifest = _chosen(repository, options.backup, target)
    _check_release(manifest, target)
    data: Path = options.data.absolute()
    _check_folder(data)
    identity = sealing.secret_key(options.key)
    progress = Progress()
    progress.show("checking the backup")
    repository.check(manifest)
    content = sealing.open_bytes(repository.newest_keys(manifest), identity)
    _claim_folder(data)
    keys_folder.unpack(content, data / "keys")
    recovery = Recovery(repository, manifest, identity, data, progress)
    try:
        lines = (_embedded if manifest.embedded else _external)(recovery, target)
    finally:
        progress.clear()
    restored.unfinished_file(data).unlink()
    print("\n".join(as_typed(line) for line in lines))


def _time(requested: int | date | datetime | None, zone: tzinfo) -> int:
    if requested is None:
        return 0
    if isinstance(requested, int):
        raise BackupError(f"--to is a time: for a position of the log, --to-position {requested}")
    return microseconds(requested, zone)


def _chosen(repository: Repository, name: str, target: _Target) -> Manifest:
    """Returns the named backup, or the newest one from which the target can be reached."""
    backups = repository.backups()
    if not backups:
        raise BackupError(f"there is no backup in {repository.folder}")
    fitting = [
        each
        for each in backups
        if not target
        or (target.time and each.ended <= target.time)
        or (target.position and each.position_after <= target.position)
    ]
    if not fitting:
        oldest = backups[0]
        raise BackupError(
            f"the oldest backup is of {text_of(oldest.ended)}, position {oldest.position_after},"
            f" which is after {target}"
        )
    return choose(fitting, name)


def _check_release(manifest: Manifest, target: _Target) -> None:
    if _parts(manifest.release) > _parts(VERSION):
        raise BackupError(
            f"the backup was made by release {manifest.release}, and this is {VERSION}:"
            " restore it with that release or a newer one"
        )
    if manifest.embedded and manifest.postgres != _POSTGRES:
        raise BackupError(
            f"the backup is of PostgreSQL {manifest.postgres}, and this release has {_POSTGRES}"
        )
    if target.position and not manifest.embedded:
        raise BackupError("--to-position is for the embedded database: name a time with --to")


def _parts(release: str) -> list[int]:
    return [int(part) for part in release.split(".")]


def _check_folder(data: Path) -> None:
    """Raises BackupError if a house runs there, or if it is not empty."""
    if restored.unfinished_file(data).exists() or not data.exists():
        return
    cluster = find_cluster(data)
    if cluster is not None and find_postmaster(cluster) is not None:
        raise BackupError(f"a house runs on {data}: name a new folder with --data")
    if not data.is_dir() or any(data.iterdir()):
        raise BackupError(f"{data} is not empty: name a new folder with --data")


def _claim_folder(data: Path) -> None:
    """Make the folder, with the mark that it is unfinished; remove what an interrupted run left."""
    make_data_dir(data)
    mark = restored.unfinished_file(data)
    if mark.exists():
        _remove_cluster(data)
        for path in data.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path != mark:
                path.unlink()
    mark.touch()


def _remove_cluster(data: Path) -> None:
    """Stop what an interrupted run left running, and remove its cluster, wherever it is."""
    cluster = find_cluster(data)
    if cluster is not None:
        postmaster = find_postmaster(cluster)
        if postmaster is not None:
            postmaster.stop(fast_seconds=0)
        shutil.rmtree(cluster.parent)


def _embedded(recovery: Recovery, target: _Target) -> list[str]:
    """Recover the database here; returns what to print."""
    recovery.prepare()
    keys = recovery.data / "keys"
    try:
        with recovery.recovered(_setting(recovery, target)) as server:
            reached = newest(server)
            cosigned = losses.forget_later_checkpoints(keys, reached.position)
            released = list(losses.released_later(server, keys))
    except PassedError:
        archived = recovery.repository.newest()
        end = text_of(archived.at if archived else recovery.manifest.ended)
        raise BackupError(
            f"the archive ends before {target}: it goes to about {end}; without --to all of it is"
            " restored"
        ) from None
    known = losses.known_position(recovery.repository, cosigned)
    recovery.finish()
    _record(recovery, target, reached, known.position, cosigned)
    return [
        *losses.describe(recovery.manifest, reached, known, cosigned),
        *released,
        _NEXT.format(data=recovery.data),
    ]


def _setting(recovery: Recovery, target: _Target) -> str:
    """Returns PostgreSQL's setting for the target; empty for none.

    For a position the database is first recovered as far as possible: it then shows which
    transaction stored the position.
    """
    if not target.position:
        return f"recovery_target_time={target}" if target.time else ""
    with recovery.recovered() as server:
        end = newest(server).position
        if target.position > end:
            raise BackupError(f"the archive ends at position {end}, before {target}")
        return f"recovery_target_xid={transaction_of(server, target.position)}"


def _record(
    recovery: Recovery,
    target: _Target,
    reached: Newest,
    known: int,
    cosigned: Sequence[losses.Cosigned],
) -> None:
    record = RestoreRecord(
        id=secrets.token_hex(_ID_BYTES),
        restored_at=time.time_ns() // 1_000,
        backup=recovery.manifest.id,
        target=str(target),
        position=reached.position,
        at=reached.at,
        known=known,
        cosigned=tuple(cosigned),
    )
    restored.write(recovery.data / "keys", record)


def _external(recovery: Recovery, target: _Target) -> list[str]:
    """Unpack the files of a database that is not ours to run; returns what to print."""
    cluster, log = recovery.data / "cluster", recovery.data / "archived-wal"
    unpack_base(recovery, cluster)
    open_log(recovery, log)
    settings = [*recovery_settings(log), "recovery_target_action=promote"]
    settings += [f"recovery_target_time={target}"] if target.time else []
    with (cluster / "postgresql.auto.conf").open("a") as file:
        for setting in settings:
            name, _, value = setting.partition("=")
            quoted = value.replace("'", "''")
            file.write(f"{name} = '{quoted}'\n")
    (cluster / "recovery.signal").touch()
    _record(recovery, target, Newest(0, 0), 0, ())
    steps = _EXTERNAL.format(
        cluster=cluster, log=log, keys=recovery.data / "keys", major=recovery.manifest.postgres
    )
    return [steps, _NEXT.format(data=recovery.data)]


if __name__ == "__main__":
    sys.exit(main())
