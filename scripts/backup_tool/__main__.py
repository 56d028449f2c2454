"""`scripts/backup`: makes, lists and checks backups, and archives the log between them."""

import argparse
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import psycopg

from engine.runtime.postgres.files import PostgresError
from scripts.backup_tool import (
    COULD_NOT_RUN,
    DAMAGED,
    BackupError,
    DamagedError,
    base_backup,
    follow,
    sealing,
)
from scripts.backup_tool.progress import Progress
from scripts.backup_tool.repository import SEALED, Manifest, Repository, text_of
from scripts.backup_tool.source import opened
from scripts.devtools.paths import as_typed, data_folder

_COMMANDS: Final = ("make", "list", "check", "follow", "unfollow", "make-key")
_GAP: Final = "the archive has a gap after it"
_MEGABYTE: Final = 1_000_000
_EPILOG: Final = """\
examples:
  scripts/backup make-key fairdraw.key      once: store fairdraw.key elsewhere, delete it here
  scripts/backup /mnt/backups --keep 14     every night, while the house runs
  scripts/backup follow /mnt/backups        all the time: archives what happens in between
  scripts/backup list /mnt/backups
  scripts/backup check /mnt/backups --key fairdraw.key
  scripts/restore /mnt/backups --key fairdraw.key --data /srv/restored

A backup has the database and the keys of the same moment, encrypted for the public key that
make-key stored in keys/backup.pub. Without the secret key no one can read it, not even the house.

With DATABASE_URL, set DATABASE_REPLICATION_URL to a login with the right REPLICATION. `follow`
needs no archive_command on that server: it receives the log as a replica does.

Exit status: 0 done, 1 a backup is damaged, 2 could not run; standard error has the reason."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status. Without the name of a command it is `make`."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given and given[0] not in _COMMANDS and not given[0].startswith("-"):
        given.insert(0, "make")
    options = _parser().parse_args(given)
    try:
        status: int = options.run(options)
    except DamagedError as error:
        return _failed(error, DAMAGED)
    except (BackupError, PostgresError, psycopg.Error, OSError) as error:
        return _failed(error, COULD_NOT_RUN)
    except KeyboardInterrupt:
        print("\ninterrupted: nothing was kept", file=sys.stderr)
        return 128 + signal.SIGINT
    return status


def _failed(error: Exception, status: int) -> int:
    reason = " ".join(str(error).split())
    print(f"{as_typed('scripts/backup')}: {as_typed(reason)}", file=sys.stderr)
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=as_typed("scripts/backup"),
        usage=as_typed(
            "scripts/backup DIR [--keep N] [--data DIR]\n       scripts/backup COMMAND …"
        ),
        description="Encrypted backups of a house while it runs: its database and its keys.",
        epilog=as_typed(_EPILOG),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND", prog=parser.prog)
    making = _command(commands, "make", "make a backup in DIR; the name may be left out", _make)
    making.add_argument(
        "--keep", type=_count, metavar="N", help="delete all but the newest N backups afterwards"
    )
    _command(commands, "list", "print the backups, and how far each can be restored", _list)
    checking = _command(
        commands, "check", "read every backup again, and name what is damaged", _check
    )
    checking.add_argument(
        "--key", type=Path, metavar="FILE", help="the secret key: decrypt everything as well"
    )
    following = _command(commands, "follow", "archive the write-ahead log until Ctrl-C", _follow)
    following.add_argument(
        "--every",
        type=float,
        default=10.0,
        metavar="SECONDS",
        help="how often the newest part is stored, and so how much can be lost (10)",
    )
    _command(
        commands,
        "unfollow",
        "have the database keep no log for the archive any more",
        _unfollow,
        folder=False,
    )
    key = _command(
        commands, "make-key", "make the pair of keys for backups", _make_key, folder=False
    )
    key.add_argument("file", type=Path, metavar="FILE", help="a new file for the secret key")
    key.add_argument("--passphrase", action="store_true", help="protect FILE with a passphrase")
    key.add_argument("--replace", action="store_true", help="although the house has a pair already")
    return parser


def _command(
    commands: Any, name: str, text: str, run: object, *, folder: bool = True
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=text, description=text)
    if folder:
        parser.add_argument("folder", type=Path, metavar="DIR", help="folder of the backups")
    parser.add_argument(
        "--data",
        type=Path,
        default=data_folder(),
        metavar="DIR",
        help="the server's data folder (FAIRDRAW_DATA, or .data)",
    )
    parser.set_defaults(run=run)
    return parser


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text} is not a number of backups")
    return int(text)


def _make(options: argparse.Namespace) -> int:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    repository = Repository(options.folder)
    with opened(options.data) as source:
        manifest = base_backup.make(repository, source)
    print(f"{options.folder / manifest.id}: {_described(manifest)}")
    for name in repository.keep(options.keep) if options.keep else ():
        print(f"{options.folder / name}: deleted")
    return 0


def _described(manifest: Manifest) -> str:
    size = sum(each.size for each in manifest.files) / _MEGABYTE
    return (
        f"made {text_of(manifest.ended)}, position {manifest.position_before:,} of the log,"
        f" {size:,.1f} MB, release {manifest.release}"
    )


def _list(options: argparse.Namespace) -> int:
    repository = Repository(options.folder)
    backups, archived = repository.backups(), repository.newest()
    for manifest in backups:
        print(f"{manifest.id}  {_described(manifest)}")
        if archived is not None and repository.continues(manifest):
            gap = f"; {_GAP}" if repository.gap_after(manifest) else ""
            print(f"{'':16}  and what was archived from then on{gap}")
    if not backups:
        print(f"there is no backup in {options.folder}")
    if archived is not None:
        print(f"archived up to {text_of(archived.at)}, position {archived.position:,}")
    return 0


def _check(options: argparse.Namespace) -> int:
    repository = Repository(options.folder)
    identity = sealing.secret_key(options.key) if options.key else None
    progress, damaged = Progress(), 0
    backups = repository.backups()
    if not backups:
        raise BackupError(f"there is no backup in {options.folder}")
    for manifest in backups:
        progress.show(f"checking {manifest.id}")
        try:
            repository.check(manifest)
            paths = [repository.folder / manifest.id / each.name for each in manifest.files]
            _check_opens(paths, identity)
        except DamagedError as error:
            damaged += 1
            result = f"DAMAGED: {error}"
        else:
            result = "whole"
            if repository.gap_after(manifest):
                # An older one may be from before the archive began, and the newest never is.
                is_newest = manifest is backups[-1]
                damaged += is_newest
                result = f"{'DAMAGED' if is_newest else 'whole'}: {_GAP}"
        progress.clear()
        print(f"{manifest.id}  {result}")
    progress.show("checking the archive")
    _check_opens(sorted(repository.wal.glob(f"*{SEALED}")), identity)
    progress.clear()
    return DAMAGED if damaged else 0


def _check_opens(paths: Sequence[Path], identity: sealing.Identity | None) -> None:
    if identity is not None:
        for path in paths:
            sealing.check_opens(path, identity)


def _follow(options: argparse.Namespace) -> int:
    stop = follow.stop_on_signals()
    follow.follow(Repository(options.folder), options.data, options.every, stop)
    return 0


def _unfollow(options: argparse.Namespace) -> int:
    kept = follow.end(options.data)
    print("the log is no longer kept for an archive" if kept else "no log was kept for an archive")
    return 0


def _make_key(options: argparse.Namespace) -> int:
    keys: Path = options.data / "keys"
    if (keys / sealing.PUBLIC_FILE).exists() and not options.replace:
        raise BackupError(
            f"{keys / sealing.PUBLIC_FILE} exists: with --replace the next backups need the new"
            " key, and the earlier ones still need theirs"
        )
    words = sealing.new_passphrase() if options.passphrase else ""
    public = sealing.make_key(options.file, keys, words)
    print(f"{options.file}: the secret key, which opens the backups. Store it in two places away")
    print(
        "from this machine and from the backups, then delete it here: the house does not need it."
    )
    print(f"{keys / sealing.PUBLIC_FILE}: the public key, with which backups are made: {public}")
    if options.replace:
        print("Start scripts/backup follow again, and make a backup: earlier ones keep their key.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
