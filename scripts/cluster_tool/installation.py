"""What the cluster needs of the machine: which of it is missing, and how it is installed."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from engine.runtime.postgres.files import SystemAccount, account_for
from scripts.cluster_tool.clocks import PACKAGE, library
from scripts.cluster_tool.cluster import ClusterError
from scripts.devtools.console import run_step
from scripts.devtools.paths import CACHE

LOCK: Final = Path(__file__).with_name("requirements.lock")
#: Patroni's environments: outside the checkout, whose folder may be closed to other accounts.
_TOOLS: Final = Path("/var/lib/fairdraw-cluster-tools")
_SYSTEM_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
#: Refuses the start of a package's service while it is installed (see invoke-rc.d).
_POLICY: Final = Path("/usr/sbin/policy-rc.d")
_LOG: Final = CACHE / "setup" / "cluster.log"


@dataclass(frozen=True)
class Tool:
    """A program that must be on the machine, and Debian's package with it."""

    program: str
    package: str
    purpose: str

    def sentence(self) -> str:
        """What is missing and how to install it."""
        return (
            f"{self.program} is missing, which {self.purpose}:"
            f" apt-get install --no-install-recommends {self.package}"
        )


TOOLS: Final = (
    Tool("ip", "iproute2", "makes the nodes' networks"),
    Tool("setpriv", "util-linux", "runs the databases under an account of their own"),
    Tool("unshare", "util-linux", "gives each node its own shared memory"),
    Tool("etcd", "etcd-server", "decides which database is the primary"),
    Tool("haproxy", "haproxy", "leads to the primary and to the house that accepts bets"),
)
NO_LINUX: Final = "the cluster needs Linux, for network namespaces"
NO_ROOT: Final = "the cluster needs root, for network namespaces: sudo scripts/cluster …"
NO_PATRONI: Final = (
    "Patroni is missing, which supervises the databases: scripts/cluster up --install"
)
NO_CLOCKS: Final = (
    f"{PACKAGE} is missing, which gives each node a clock: apt-get install --no-install-recommends"
    f" {PACKAGE}"
)
NO_PYTHON: Final = (
    "Patroni needs a Python that other accounts may read: apt-get install --no-install-recommends"
    " python3"
)


def system_is_unfit(platform: str, user: int) -> str:
    """Why nothing of the cluster can run here; empty if it can. `user` is the effective one."""
    if platform != "linux":
        return NO_LINUX
    return NO_ROOT if user != 0 else ""


def missing_tools(which: Callable[[str], str | None]) -> list[Tool]:
    """The tools that `which` does not find."""
    return [tool for tool in TOOLS if which(tool.program) is None]


def find(program: str) -> str | None:
    """The path of a program of the system; root's own PATH may lack the folders of sbin."""
    return shutil.which(program, path=os.pathsep.join([os.environ.get("PATH", ""), _SYSTEM_PATH]))


def missing(*, clocks: bool = False) -> list[str]:
    """One sentence for each thing that is missing; empty if the cluster can be started."""
    if unfit := system_is_unfit(sys.platform, os.geteuid()):
        return [unfit]
    sentences = [tool.sentence() for tool in missing_tools(find)]
    if not patroni_python().exists():
        sentences.append(NO_PATRONI)
    if clocks and library() is None:
        sentences.append(NO_CLOCKS)
    return sentences


def install(*, clocks: bool = False) -> None:
    """Install what is missing, with apt and pip.

    Raises:
        ClusterError: the system is unfit, or there is no apt or no Python for Patroni.
        SetupError: a step failed; the end of its log has been printed.
    """
    if unfit := system_is_unfit(sys.platform, os.geteuid()):
        raise ClusterError(unfit)
    wanted = {PACKAGE} if clocks and library() is None else set()
    packages = sorted({tool.package for tool in missing_tools(find)} | wanted)
    if packages:
        _install_packages(packages)
    if not patroni_python().exists():
        _install_patroni()


def database_account() -> SystemAccount:
    """The account of etcd, HAProxy and the databases: PostgreSQL refuses to run as root."""
    return account_for(Path("/nonexistent"))


def patroni_python() -> Path:
    """Python in Patroni's environment, which belongs to the locked versions; it may not exist."""
    digest = sha256(LOCK.read_bytes()).hexdigest()[:12]
    return _TOOLS / f"patroni-{digest}" / "bin" / "python"


def _install_packages(packages: Sequence[str]) -> None:
    apt = find("apt-get")
    if apt is None:
        raise ClusterError(f"there is no apt-get here to install {', '.join(packages)}")
    options = ("--yes", "--no-install-recommends", "--quiet")
    print("Installing:", flush=True)
    with _no_services():
        run_step("reading the lists of packages", [apt, "update", "--quiet"], _LOG)
        run_step(f"installing {', '.join(packages)}", [apt, "install", *options, *packages], _LOG)


@contextmanager
def _no_services() -> Iterator[None]:
    """Keeps the packages from starting their services: the cluster starts its own."""
    if _POLICY.exists():
        yield
        return
    try:
        _POLICY.write_text("#!/bin/sh\nexit 101\n")
        _POLICY.chmod(0o755)
        yield
    finally:
        _POLICY.unlink(missing_ok=True)


def _install_patroni() -> None:
    python = _readable_python(database_account())
    if python is None:
        raise ClusterError(NO_PYTHON)
    target = patroni_python().parents[1]
    unfinished = target.with_name(f"{target.name}.new")
    shutil.rmtree(unfinished, ignore_errors=True)
    _TOOLS.mkdir(parents=True, exist_ok=True)
    _TOOLS.chmod(0o755)
    run_step("making Patroni's environment", [*_venv(python), unfinished], _LOG)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    flags: list[str | Path] = ["--require-hashes", "--no-deps", "--no-input", "-r", LOCK]
    in_it: list[str | Path] = ["--python", unfinished / "bin" / "python", "install", *flags]
    run_step("installing Patroni", [*pip, *in_it], _LOG)
    unfinished.rename(target)


def _venv(python: str) -> list[str | Path]:
    return [python, "-m", "venv", "--without-pip"]


def _readable_python(account: SystemAccount) -> str | None:
    """A Python that the account can run: that of this tool may be in a closed home folder."""
    for python in (sys.executable, shutil.which("python3", path=_SYSTEM_PATH)):
        if python is None:
            continue
        try:
            status, _ = account.run(python, "-c", "import venv, encodings")
        except (PermissionError, subprocess.SubprocessError):
            continue
        if status == 0:
            return python
    return None
