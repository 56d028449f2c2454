"""scripts/backup and scripts/restore on the database of a house: what they keep and refuse."""

import io
import json
import os
import signal
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from api import keys
from engine.runtime import restored
from engine.runtime.log import schema
from engine.runtime.postgres.embedded_postgres import EmbeddedPostgres
from scripts.backup_tool import BackupError, restore
from scripts.backup_tool import __main__ as backup
from scripts.backup_tool.recovery import unpack_entries
from scripts.backup_tool.repository import Repository
from tests.journeys.program import until

POSITIONS = 3


class House:
    """A data folder with keys and a database that runs, the secret key, and a folder of backups."""

    def __init__(self, data: Path, folder: Path, server: EmbeddedPostgres) -> None:
        self.data = data
        self.key = folder / "secret.key"
        self.backups = folder / "backups"
        self.server = server
        self.backups.mkdir()

    def backup(self, *arguments: str) -> int:
        return backup.main([str(self.backups), "--data", str(self.data), *arguments])

    def restore(self, new: Path, *arguments: str, key: Path | None = None) -> int:
        given = [str(self.backups), "--data", str(new), "--key", str(key or self.key)]
        return restore.main([*given, *arguments])

    def names(self) -> list[str]:
        return [each.id for each in Repository(self.backups).backups()]


@pytest.fixture(scope="module")
def server(module_data_dir: Path) -> Iterator[EmbeddedPostgres]:
    """The database of a house with a few facts, and its keys."""
    keys.main(["--data", str(module_data_dir)])
    with EmbeddedPostgres(module_data_dir) as server:
        schema.create(server.dsn("owner"))
        with psycopg.connect(server.dsn("owner")) as connection:
            connection.execute(
                "INSERT INTO log.facts SELECT 's', n, 'note', '{}', n, 1, 'c', 'a'"
                f" FROM generate_series(1, {POSITIONS}) AS n".encode()
            )
        yield server


@pytest.fixture
def house(server: EmbeddedPostgres, module_data_dir: Path, tmp_path: Path) -> House:
    found = House(module_data_dir, tmp_path, server)
    assert backup.main(["make-key", str(found.key), "--data", str(found.data), "--replace"]) == 0
    return found


def test_a_house_comes_back_from_a_backup_with_its_keys_and_every_fact(
    house: House, data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert house.backup() == 0
    assert house.restore(data_dir) == 0
    assert f"The log ends at position {POSITIONS}" in capsys.readouterr().out
    with (
        EmbeddedPostgres(data_dir) as new,
        psycopg.connect(new.dsn("app")) as connection,
    ):
        row = connection.execute("SELECT count(*) FROM log.facts").fetchone()
    assert row == (POSITIONS,)
    for name in keys.FILES:
        old, copy = house.data / "keys" / name, data_dir / "keys" / name
        assert copy.read_bytes() == old.read_bytes()
    keys.check(data_dir / "keys")
    record = restored.read(data_dir / "keys")
    assert record is not None
    assert (record.backup, record.position) == (house.names()[0], POSITIONS)


def test_a_backup_has_nothing_that_can_be_read_without_the_secret_key(house: House) -> None:
    assert house.backup() == 0
    secrets = [(house.data / "keys" / name).read_bytes() for name in keys.FILES]
    stored = [path.read_bytes() for path in house.backups.rglob("*") if path.is_file()]
    assert not [secret for secret in secrets for content in stored if secret in content]
    assert str(house.key.read_text()).strip() not in str(stored)


def test_a_key_file_with_a_passphrase_opens_with_it_alone(
    house: House, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, data_dir: Path
) -> None:
    monkeypatch.setenv("FAIRDRAW_BACKUP_PASSPHRASE", "correct horse")
    path = tmp_path / "protected.key"
    options = ["--data", str(house.data), "--replace", "--passphrase"]
    assert backup.main(["make-key", str(path), *options]) == 0
    assert b"AGE-SECRET-KEY" not in path.read_bytes()
    assert house.backup() == 0
    monkeypatch.setenv("FAIRDRAW_BACKUP_PASSPHRASE", "wrong")
    assert house.restore(data_dir, key=path) == 2
    monkeypatch.setenv("FAIRDRAW_BACKUP_PASSPHRASE", "correct horse")
    assert backup.main(["check", str(house.backups), "--key", str(path)]) == 0


@pytest.mark.parametrize("name", ["base.tar.gz.age", "keys.tar.gz.age", "manifest.json"])
def test_a_file_that_was_cut_off_is_named_and_the_backup_is_refused(
    house: House, name: str, data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert house.backup() == 0
    (folder,) = (house.backups / each for each in house.names())
    path = folder / name
    path.write_bytes(path.read_bytes()[:-1_000])
    assert backup.main(["check", str(house.backups)]) == 1
    assert house.restore(data_dir) == 1
    answer = capsys.readouterr()
    assert str(path) in answer.err
    assert not data_dir.exists()


def test_a_changed_byte_is_found(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    assert house.backup() == 0
    path = next(house.backups.glob("*/base.tar.gz.age"))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert backup.main(["check", str(house.backups)]) == 1
    assert f"DAMAGED: {path} is damaged" in capsys.readouterr().out


def test_another_key_is_refused_and_the_new_folder_stays_unmade(
    house: House, data_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert house.backup() == 0
    other = tmp_path / "other.key"
    assert backup.main(["make-key", str(other), "--data", str(tmp_path)]) == 0
    assert house.restore(data_dir, key=other) == 2
    assert "this key does not open" in capsys.readouterr().err
    assert not data_dir.exists()


def test_a_killed_backup_is_not_listed_and_the_next_one_removes_it(house: House) -> None:
    command = [sys.executable, "-m", "scripts.backup_tool", str(house.backups)]
    with psycopg.connect(house.server.dsn("owner")) as holding:
        holding.execute("LOCK TABLE log.facts")  # the backup waits for the position of the log
        with subprocess.Popen(
            [*command, "--data", str(house.data)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        ) as process:
            try:
                until(lambda: any(house.backups.glob("*.unfinished")))
            finally:
                process.send_signal(signal.SIGKILL)
    assert house.names() == []
    assert any(house.backups.glob("*.unfinished"))
    assert house.backup() == 0
    assert len(house.names()) == 1
    assert not any(house.backups.glob("*.unfinished"))


def test_a_folder_that_is_not_empty_or_that_runs_is_left_alone(
    house: House, data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert house.backup() == 0
    data_dir.mkdir()
    (data_dir / "letter").write_text("mine")
    assert house.restore(data_dir) == 2
    assert f"{data_dir} is not empty" in capsys.readouterr().err
    assert (data_dir / "letter").read_text() == "mine"
    assert house.restore(house.data) == 2
    assert f"a house runs on {house.data}" in capsys.readouterr().err


def test_an_interrupted_restore_is_begun_again(house: House, data_dir: Path) -> None:
    assert house.backup() == 0
    (data_dir / "keys").mkdir(parents=True)
    restored.unfinished_file(data_dir).touch()
    assert house.restore(data_dir) == 0
    assert not restored.unfinished_file(data_dir).exists()


def test_the_newest_backups_are_kept(house: House) -> None:
    assert house.backup() == 0
    (first,) = house.names()
    until(lambda: house.backup("--keep", "1") == 0)  # not within the same second
    assert len(house.names()) == 1
    assert house.names() != [first]


def test_a_restored_house_needs_a_new_folder_for_its_backups(
    house: House, data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert house.backup() == 0
    assert house.restore(data_dir) == 0
    assert backup.main([str(house.backups), "--data", str(data_dir)]) == 2
    assert "this one before it was restored" in capsys.readouterr().err


def test_a_backup_of_a_newer_release_is_refused(
    house: House, data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert house.backup() == 0
    path = next(house.backups.glob("*/manifest.json"))
    path.write_text(json.dumps({**json.loads(path.read_text()), "release": "99.1.0"}))
    assert house.restore(data_dir) == 2
    assert "was made by release 99.1.0" in capsys.readouterr().err


def test_without_a_public_key_nothing_is_backed_up(
    server: EmbeddedPostgres, module_data_dir: Path, tmp_path: Path
) -> None:
    house = House(module_data_dir, tmp_path, server)
    (house.data / "keys" / "backup.pub").unlink(missing_ok=True)
    assert house.backup() == 2
    assert house.names() == []


def test_a_time_after_the_end_of_the_archive_is_refused(
    house: House, data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert house.backup() == 0
    assert house.restore(data_dir, "--to", "2100-01-01 00:00:00") == 2
    assert "the archive ends before 2099-12-31 16:00:00+00:00" in capsys.readouterr().err
    assert house.restore(data_dir, "--to", "2001-01-01 00:00:00") == 2
    assert "which is after" in capsys.readouterr().err


def _archive(*entries: tuple[str, bytes]) -> io.BytesIO:
    """An archive of entries of these names and kinds."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name, kind in entries:
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = kind, "/etc" if kind == tarfile.SYMTYPE else ""
            entry.size = 4 if kind == tarfile.REGTYPE else 0
            tar.addfile(entry, io.BytesIO(b"data"))
    packed.seek(0)
    return packed


def test_folders_and_files_of_a_backup_are_unpacked_for_their_owner_alone(tmp_path: Path) -> None:
    packed = _archive(
        ("./base", tarfile.DIRTYPE), ("base/1", tarfile.REGTYPE), ("PG_VERSION", tarfile.REGTYPE)
    )
    with tarfile.open(fileobj=packed, mode="r|") as tar:
        unpack_entries(tar, tmp_path)
    assert (tmp_path / "base" / "1").read_bytes() == b"data"
    assert (tmp_path / "base").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "PG_VERSION").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("../outside", tarfile.REGTYPE),
        ("/tmp/outside", tarfile.REGTYPE),
        ("link", tarfile.SYMTYPE),
        ("pipe", tarfile.FIFOTYPE),
    ],
)
def test_an_entry_that_is_no_file_of_a_database_is_refused(
    tmp_path: Path, name: str, kind: bytes
) -> None:
    (tmp_path / "new").mkdir()
    with (
        tarfile.open(fileobj=_archive((name, kind)), mode="r|") as tar,
        pytest.raises(BackupError, match="which is no file of a database"),
    ):
        unpack_entries(tar, tmp_path / "new")
    assert [path.name for path in tmp_path.iterdir()] == ["new"]
    assert not list((tmp_path / "new").iterdir())
