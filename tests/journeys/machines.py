"""Two machines on one: a house and its witnesses, each with a network and a user of its own.

A network namespace without a name ends with the last process or open file that refers to it, and
with it the link to the other one. The kernel kills a witness when the thread that started it ends.
So a killed run leaves no witness and no link. The house's programs and their PostgreSQL have
sessions of their own: they keep running, and keep the house's namespace, until they are ended.
"""

import ctypes
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import sysconfig
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final

from engine.runtime.witness.remote_witness import WitnessAddress
from engine.runtime.witness.witness_store import FILE
from tests.journeys.program import DEADLINE_S, on_clock, until

ROOT: Final = Path(__file__).parents[2]
WITNESS_HOST: Final = "10.77.0.2"
_HOUSE_HOST: Final = "10.77.0.1"
_CABLE: Final = "cable"
_CLONE_NEWNET: Final = 0x40000000
_NAMESPACE: Final = "/proc/thread-self/ns/net"
_PROGRAMS: Final = ("ip", "nsenter", "setpriv")
#: A user without an account: nothing on the machine belongs to it.
USER: Final = 64_210
#: A program that starts another one, as the house does.
_STARTS: Final = (
    "import subprocess, sys, scripts.witness_cli.__main__;"
    " subprocess.run([sys.executable, '-c', ''], check=True)"
)
_libc: Final = ctypes.CDLL(None, use_errno=True)


def what_is_missing() -> str:
    """Why this machine cannot act as two; empty if it can."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "needs root on Linux, for network namespaces and a second user"
    missing = [name for name in _PROGRAMS if shutil.which(name) is None]
    if missing:
        return f"needs {' and '.join(missing)}, of the packages iproute2 and util-linux"
    if not _python():
        return "needs a Python, and packages, that another user than root may read"
    try:
        with two_machines():
            return ""
    except (OSError, subprocess.CalledProcessError) as error:
        return f"needs network namespaces: {error}"


class Machines:
    """The calling thread, and what it starts, is on the house's machine."""

    def __init__(self, witness: int) -> None:
        """`witness` is the namespace of the witness's machine."""
        self._witness = witness

    def command_on_witness(self, user: int, *command: str | Path) -> list[str | Path]:
        """Returns the command that runs another one on the witness's machine, by this user."""
        ids = (f"--reuid={user}", f"--regid={user}", "--clear-groups", "--pdeathsig=KILL")
        return ["nsenter", f"--net={_path(self._witness)}", "setpriv", *ids, *command]

    @contextmanager
    def on_witness(self) -> Iterator[None]:
        """Moves the calling thread, and what it starts, to the witness's machine."""
        before = os.open(_NAMESPACE, os.O_RDONLY)
        try:
            _enter(self._witness)
            yield
        finally:
            _enter(before)
            os.close(before)

    def disconnect(self) -> None:
        """Take the link between the machines down."""
        _ip("link", "set", _CABLE, "down")

    def reconnect(self) -> None:
        """Bring it up again."""
        _ip("link", "set", _CABLE, "up")


@contextmanager
def two_machines() -> Iterator[Machines]:
    """Moves the calling thread to one of two new namespaces, which a link connects."""
    before = os.open(_NAMESPACE, os.O_RDONLY)
    opened = [before]
    try:
        witness = _new_namespace(opened)
        _ip("link", "set", "lo", "up")
        _new_namespace(opened)
        _ip("link", "set", "lo", "up")
        _ip("link", "add", _CABLE, "type", "veth", "peer", "name", _CABLE, "netns", _path(witness))
        _ip("address", "add", f"{_HOUSE_HOST}/24", "dev", _CABLE)
        _ip("link", "set", _CABLE, "up")
        there = ("nsenter", f"--net={_path(witness)}", "ip")
        _run(*there, "address", "add", f"{WITNESS_HOST}/24", "dev", _CABLE)
        _run(*there, "link", "set", _CABLE, "up")
        yield Machines(witness)
    finally:
        _enter(before)
        for namespace in opened:
            os.close(namespace)


def _new_namespace(opened: list[int]) -> int:
    if _libc.unshare(_CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "a network namespace cannot be made")
    opened.append(os.open(_NAMESPACE, os.O_RDONLY))
    return opened[-1]


def _enter(namespace: int) -> None:
    if _libc.setns(namespace, _CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "the network namespace cannot be entered")


def _path(namespace: int) -> str:
    return f"/proc/{os.getpid()}/fd/{namespace}"


def _ip(*arguments: str) -> None:
    _run("ip", *arguments)


def _run(*command: str) -> None:
    subprocess.run(command, check=True, timeout=DEADLINE_S)


def environment_of_others() -> dict[str, str]:
    """The variables with which another user than the tests' runs our programs."""
    packages = {sysconfig.get_path(name) for name in ("purelib", "platlib")}
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join([str(ROOT), *sorted(packages)]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def runner_of(user: int) -> list[str]:
    """The command that runs Python as this user."""
    ids = (f"--reuid={user}", f"--regid={user}", "--clear-groups")
    return ["setpriv", *ids, _python()]


def _python() -> str:
    """Returns a Python that the witness's user can run; empty if there is none.

    The one that runs the tests may be in a home folder that is closed to others.
    """
    for python in (sys.executable, "/usr/bin/python3"):
        command = ["setpriv", f"--reuid={USER}", "--clear-groups", python]
        with suppress(OSError):
            done = subprocess.run(
                [*command, "-c", _STARTS],
                env=environment_of_others(),
                cwd="/",
                capture_output=True,
                check=False,
            )
            if done.returncode == 0:
                return python
    return ""


class Witness:
    """`scripts/witness` on its machine, by its own user, with its folder closed to others."""

    def __init__(
        self, machines: Machines, folder: Path, user: int, port: int, console: Path
    ) -> None:
        """Its output goes to the file `console`."""
        self.folder = folder
        self._console = console
        self.user = user
        self.ahead_s = 0
        self._machines = machines
        self._port = port
        self._url = f"http://{WITNESS_HOST}:{port}"
        self._python = _python()
        self._process: subprocess.Popen[bytes] | None = None
        folder.mkdir(mode=0o700)
        self._give()

    def _give(self) -> None:
        for path in (self.folder, *self.folder.iterdir()):
            os.chown(path, self.user, self.user)

    def _command(self, command: str, *options: str) -> list[str | Path]:
        module = on_clock("scripts.witness_cli", self.ahead_s)
        typed = [self._python, *module, command, "--data", str(self.folder), *options]
        return self._machines.command_on_witness(self.user, *typed)

    def output_of(self, command: str, *options: str) -> str:
        """Returns the output of a command of `scripts/witness`."""
        done = subprocess.run(
            self._command(command, *options),
            env=environment_of_others(),
            cwd="/",
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            timeout=DEADLINE_S,
        )
        return done.stdout

    def setting(self) -> str:
        """The value of FAIRDRAW_WITNESS, by which the house knows it."""
        name, _, value = self.output_of("key", "--url", self._url).strip().partition("=")
        assert name == "FAIRDRAW_WITNESS"
        return value

    def public(self) -> str:
        """Its public key in hex."""
        return WitnessAddress.of(self.setting()).public.hex()

    def start(self, operator: str) -> None:
        """Start the program, and return once it answers."""
        typed = ("--operator", operator, "--host", WITNESS_HOST, "--port", str(self._port))
        with self._console.open("ab") as output:
            self._process = subprocess.Popen(
                self._command("serve", *typed),
                env=environment_of_others(),
                cwd="/",
                stdout=output,
                stderr=output,
            )
        until(partial(self._answers, self._process))

    def _answers(self, process: subprocess.Popen[bytes]) -> bool:
        assert process.poll() is None, self._console.read_text()
        with suppress(OSError), urllib.request.urlopen(f"{self._url}/", timeout=5) as answer:
            return bool(answer.status == 200)
        return False

    def kill(self) -> None:
        """Kill it with SIGKILL; its files stay."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None

    def keep_copy(self, copy: Path) -> None:
        """Back its files up while it runs."""
        copy.mkdir()
        for path in self.folder.iterdir():
            if path.name != FILE:
                shutil.copy(path, copy)
        with (
            closing(sqlite3.connect(self.folder / FILE)) as source,
            closing(sqlite3.connect(copy / FILE)) as target,
        ):
            source.backup(target)

    def restore(self, copy: Path) -> None:
        """Put an older copy in the place of its files."""
        assert self._process is None
        for path in self.folder.iterdir():
            path.unlink()
        shutil.copytree(copy, self.folder, dirs_exist_ok=True)
        self._give()
