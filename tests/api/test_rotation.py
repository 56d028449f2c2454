"""The operator of the machine moves a stopped server to a new master key."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from api import keys, rotation
from api.http.db_pool import open_pool
from api.setting_types import ServerRole, SettingsError
from engine.runtime.log import schema
from engine.runtime.postgres.embedded_postgres import database
from engine.runtime.vault import KeysLostError, RegistrationRequest, Vault, VaultKeys
from engine.runtime.vault.key_lifecycle import KeyLifecycle
from engine.runtime.vault.private_fields import IDCARD
from tests.runtime.vaults import revealed

NUMBER = "S1234567D"


@pytest.fixture
def empty_house(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of a house that was started once, without players."""
    monkeypatch.delenv("DATABASE_URL", raising=False)
    keys.main(["--data", str(data_dir)])
    with database(data_dir, None) as conninfos:
        schema.create(conninfos.owner)
        start(conninfos.app, data_dir)
    return data_dir


def start(conninfo: str, data: Path) -> None:
    with started_vault(conninfo, data):
        pass


@pytest.fixture
def members(empty_house: Path) -> list[int]:
    """Two players with an ID card; the server is stopped."""
    with (
        database(empty_house, None) as conninfos,
        started_vault(conninfos.app, empty_house) as vault,
    ):
        return [_member(vault, f"member{number}") for number in (1, 2)]


def _member(vault: Vault, name: str) -> int:
    member = vault.register(RegistrationRequest(name, "a-long-password", 1, None, name))
    player: int = getattr(member, "player", 0)
    vault.save_private_field(player, IDCARD, f"{NUMBER}{player}")
    return player


@contextmanager
def started_vault(conninfo: str, data: Path) -> Iterator[Vault]:
    """The vault of a server that starts with the keys of this data folder."""
    pool = open_pool(conninfo)
    vault = Vault(pool, lambda: 1, VaultKeys.at(data / "keys"))
    vault.check_keys()
    yield vault
    pool.close()


def rotate(data: Path, *options: str) -> int:
    return rotation.main(["--data", str(data), *options])


def versions(data: Path) -> list[int]:
    """The master-key version under which each player's key is sealed."""
    with database(data, None) as conninfos, psycopg.connect(conninfos.app) as connection:
        found = connection.execute("SELECT key_version FROM vault.member_keys ORDER BY player")
        return [version for (version,) in found]


def idcard(data: Path, player: int) -> str:
    with database(data, None) as conninfos, started_vault(conninfos.app, data) as vault:
        number = revealed(vault, player, "idcard")
    assert number is not None
    return number


def test_a_stopped_house_moves_to_a_new_master_key_and_reads_everything(
    data_dir: Path, members: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    for version in (2, 3):
        assert rotate(data_dir) == 0
        output = capsys.readouterr().out
        assert f"made {data_dir}/keys/master-{version}.key; players moved: 2." in output
        assert "made before now open with master.key" in output
        assert versions(data_dir) == [version, version]
        assert (data_dir / "keys" / f"master-{version}.key").stat().st_mode & 0o777 == 0o600
        assert idcard(data_dir, members[0]) == f"{NUMBER}{members[0]}"


def test_an_interrupted_run_continues_with_the_key_that_it_made(
    data_dir: Path,
    members: list[int],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    whole = KeyLifecycle._rewrap

    def interrupted(self: KeyLifecycle, connection: psycopg.Connection, player: int) -> None:
        if player == members[1]:
            raise KeyboardInterrupt
        whole(self, connection, player)

    with monkeypatch.context() as interrupting:
        interrupting.setattr(KeyLifecycle, "_rewrap", interrupted)
        with pytest.raises(KeyboardInterrupt):
            rotate(data_dir)
    assert versions(data_dir) == [2, 1]
    assert idcard(data_dir, members[1]) == f"{NUMBER}{members[1]}"
    capsys.readouterr()
    assert rotate(data_dir) == 0
    assert "finished the rotation to" in capsys.readouterr().out
    assert versions(data_dir) == [2, 2]
    assert not (data_dir / "keys" / "master-3.key").exists()


def test_a_house_that_runs_or_waits_to_lead_refuses_a_rotation(
    data_dir: Path, members: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert members
    with database(data_dir, None) as conninfos, psycopg.connect(conninfos.app):
        assert rotate(data_dir) == 1
    assert "stop every server on it, standbys too" in capsys.readouterr().err
    assert not (data_dir / "keys" / "master-2.key").exists()


def test_players_are_moved_while_servers_run_once_the_key_is_recorded(
    data_dir: Path, members: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert rotate(data_dir, "--begin") == 0
    begun = capsys.readouterr().out
    assert f"made {data_dir}/keys/master-2.key; players are not moved yet" in begun
    assert versions(data_dir) == [1, 1]
    with database(data_dir, None) as conninfos, psycopg.connect(conninfos.app):
        assert rotate(data_dir, "--begin") == 0
        assert not (data_dir / "keys" / "master-3.key").exists()
        assert rotate(data_dir) == 0
    assert "players moved: 2" in capsys.readouterr().out
    assert versions(data_dir) == [2, 2]
    assert idcard(data_dir, members[0]) == f"{NUMBER}{members[0]}"


def test_a_rotation_without_players_to_move_ends_while_servers_run(
    empty_house: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = empty_house / "keys"
    for version in (2, 3):
        assert rotate(empty_house, "--begin") == 0
        assert (folder / f"master-{version}.key").exists()
        capsys.readouterr()
        with database(empty_house, None) as conninfos, psycopg.connect(conninfos.app):
            start(conninfos.app, empty_house)
            assert rotate(empty_house) == 0
        assert "players moved: 0" in capsys.readouterr().out
        assert not (folder / f"master-{version + 1}.key").exists()


def test_a_server_starts_without_the_older_keys_that_nothing_needs(empty_house: Path) -> None:
    folder = empty_house / "keys"
    for _ in range(2):
        assert rotate(empty_house) == 0
    with database(empty_house, None) as conninfos:
        start(conninfos.app, empty_house)
        (folder / "master-2.key").unlink()
        start(conninfos.app, empty_house)
        # The first also seals the secrets of the draws.
        (folder / "master.key").write_bytes(os.urandom(32))
        with pytest.raises(KeysLostError, match="another master 1 key"):
            start(conninfos.app, empty_house)


def test_a_server_without_the_recorded_key_does_not_start(
    data_dir: Path, members: list[int]
) -> None:
    assert members
    folder = data_dir / "keys"
    before = VaultKeys.at(folder)
    assert rotate(data_dir, "--begin") == 0
    with database(data_dir, None) as conninfos:
        pool = open_pool(conninfos.app)
        with pytest.raises(KeysLostError, match="another master 2 key"):
            Vault(pool, lambda: 1, before).check_keys()
        pool.close()


def test_a_key_that_was_made_but_not_recorded_waits_for_servers_to_stop(
    data_dir: Path, members: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert members
    folder = data_dir / "keys"
    VaultKeys.at(folder).with_next(folder)  # killed before it was recorded
    with database(data_dir, None) as conninfos, psycopg.connect(conninfos.app):
        assert rotate(data_dir) == 1
    assert "stop every server on it, standbys too" in capsys.readouterr().err
    assert versions(data_dir) == [1, 1]
    assert rotate(data_dir) == 0
    assert versions(data_dir) == [2, 2]


def test_beginning_again_records_a_key_that_was_only_made(
    data_dir: Path, members: list[int]
) -> None:
    assert members
    folder = data_dir / "keys"
    before = VaultKeys.at(folder)
    before.with_next(folder)  # killed before it was recorded
    assert rotate(data_dir, "--begin") == 0
    assert not (folder / "master-3.key").exists()
    with database(data_dir, None) as conninfos:
        pool = open_pool(conninfos.app)
        with pytest.raises(KeysLostError, match="another master 2 key"):
            Vault(pool, lambda: 1, before).check_keys()
        pool.close()


def test_lost_keys_are_not_replaced_by_new_ones(
    data_dir: Path, members: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert members
    path = data_dir / "keys" / "pepper.key"
    path.unlink()
    assert rotate(data_dir) == 1
    assert "lacks pepper.key" in capsys.readouterr().err
    assert not path.exists()
    path.write_bytes(os.urandom(32))
    assert rotate(data_dir) == 1
    assert "written with another pepper key" in capsys.readouterr().err
    assert not (data_dir / "keys" / "master-2.key").exists()


def test_a_later_master_key_is_checked_like_the_first(tmp_path: Path) -> None:
    keys.main(["--data", str(tmp_path)])
    later = tmp_path / "keys" / "master-2.key"
    later.write_bytes(os.urandom(32))
    later.chmod(0o644)
    with pytest.raises(SettingsError, match=f"chmod 600 {later}"):
        keys.check(tmp_path / "keys")
    later.chmod(0o600)
    keys.check(tmp_path / "keys")
    later.write_bytes(b"torn")
    with pytest.raises(SettingsError, match="must hold 32 bytes, not 4"):
        keys.check(tmp_path / "keys")


def test_each_role_needs_the_keys_that_it_uses(tmp_path: Path) -> None:
    keys.main(["--data", str(tmp_path)])
    folder = tmp_path / "keys"
    (folder / "engine.key").unlink()
    keys.check(folder, ServerRole.ALL)
    for role in (ServerRole.ENGINE, ServerRole.API):
        with pytest.raises(SettingsError, match=r"lacks engine\.key"):
            keys.check(folder, role)
    keys.main(["--data", str(tmp_path)])
    (folder / "operator.key").unlink()
    keys.check(folder, ServerRole.API)
    for role in (ServerRole.ALL, ServerRole.ENGINE, ServerRole.WITNESS):
        with pytest.raises(SettingsError, match=r"lacks operator\.key"):
            keys.check(folder, role)
    keys.check(tmp_path / "none", ServerRole.PROJECTOR)


def test_the_engine_accepts_its_key_and_the_one_before(tmp_path: Path) -> None:
    keys.main(["--data", str(tmp_path)])
    folder = tmp_path / "keys"
    (new,) = keys.engine_secrets(folder)
    old = folder / "engine-old.key"
    old.write_bytes(b"o" * 32)
    old.chmod(0o644)
    with pytest.raises(SettingsError, match=f"chmod 600 {old}"):
        keys.check(folder, ServerRole.ENGINE)
    old.chmod(0o600)
    keys.check(folder, ServerRole.ENGINE)
    assert keys.engine_secrets(folder) == [new, b"o" * 32]
