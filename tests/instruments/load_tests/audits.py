"""`scripts/audit fairness` and `scripts/audit log` over days of draws, as programs a person runs.

The rates are by the wall clock, from the start of the program to its end: imports, the reading from
PostgreSQL and the printed report included. Processor time depends less on other work on the
machine, so it is measured as well: the program's with all its processes, and PostgreSQL's.

The draws are audited on all cores, because the signatures are verified in processes of their own.
The audit of the log is one thread, and here it shares one core with its PostgreSQL backend.

The second run follows a first one with `--continue`, after one more day of draws.
"""

import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import psutil
from msgspec import Struct

from engine.runtime.postgres.embedded_postgres import Conninfos
from scripts.devtools.paths import ROOT
from tests.instruments.load_tests.bench_database import BenchDatabase
from tests.instruments.load_tests.drawn_log import GAMES_ROUNDS, DrawnLog
from tests.instruments.load_tests.sizes import Sizes
from tests.instruments.load_tests.workers import NoFigureError, log_tail

_DATABASE: Final = "audited"
_TILE: Final = 256  # the audit of the log begins again at a full tile
_DAYS_AGAIN: Final = 2  # the audit of the draws begins again at the day before the newest one
_LIMIT_S: Final = 240.0
_POLL_S: Final = 0.02
_DRAWN: Final = re.compile(r"draws: ([\d,]+) drawn")
_HASHED: Final = re.compile(r"([\d,]+) facts hashed")
_US: Final = 1_000_000
"""Microseconds in a second."""


class AuditRun(Struct, frozen=True):
    """What a clean run has read, its wall-clock time, and the processor time of both sides.

    `count` is in rounds or facts, times are in seconds.
    """

    count: int
    seconds: float
    program_s: float
    postgres_s: float


class AuditLoad:
    """Both audits of one log, which grows by a day in each measurement."""

    def __init__(self, bench_db: BenchDatabase, sizes: Sizes) -> None:
        """The log is made for the first measurement."""
        self._bench_db = bench_db
        self._sizes = sizes
        self._log: DrawnLog | None = None

    def measure(self) -> dict[str, float]:
        """A first run of each audit, and after another day a second one."""
        log, conninfos = self._drawn_log(), self._bench_db.server.conninfos(_DATABASE)
        kept = self._bench_db.fresh_folder(_DATABASE)
        draws = ["fairness", "--show", "0", "--continue", str(kept / "draws.json")]
        facts = ["log", "--continue", str(kept / "log.json")]
        found = self._run(conninfos, draws, _DRAWN)
        hashed = self._run(conninfos, facts, _HASHED, one_core=True)
        _check("drawn rounds", found.count, log.rounds, log.rounds)
        _check("facts", hashed.count, log.facts, log.facts)
        before = log.facts
        log.play_days(1)
        new_facts = log.facts - before
        found_again = self._run(conninfos, draws, _DRAWN)
        hashed_again = self._run(conninfos, facts, _HASHED, one_core=True)
        _check("rounds again", found_again.count, GAMES_ROUNDS, _DAYS_AGAIN * GAMES_ROUNDS)
        _check("facts again", hashed_again.count, new_facts, new_facts + _TILE)
        return {
            "audit_draws_per_second": found.count / found.seconds,
            "audit_draws_program_us": found.program_s * _US / found.count,
            "audit_draws_postgres_us": found.postgres_s * _US / found.count,
            "audit_draws_again_s": found_again.seconds,
            "audit_draws_again_rounds": found_again.count,
            "audit_log_per_second": hashed.count / hashed.seconds,
            "audit_log_program_us": hashed.program_s * _US / hashed.count,
            "audit_log_postgres_us": hashed.postgres_s * _US / hashed.count,
            "audit_log_again_s": hashed_again.seconds,
            "audit_log_again_facts": hashed_again.count,
        }

    def _drawn_log(self) -> DrawnLog:
        if self._log is None:
            conninfos = self._bench_db.fresh_database(_DATABASE)
            self._log = DrawnLog(conninfos, self._sizes.audited_bets_a_round)
            self._log.play_days(self._sizes.audited_days)
            print(f" {self._log.rounds:,} rounds, {self._log.facts:,} facts …", end="", flush=True)
        return self._log

    def _run(
        self,
        conninfos: Conninfos,
        arguments: list[str],
        count: re.Pattern[str],
        *,
        one_core: bool = False,
    ) -> AuditRun:
        """Run an audit as the auditor. Raises NoFigureError if it is not clean."""
        postmaster = self._bench_db.server.postmaster()
        assert conninfos.auditor is not None
        assert postmaster is not None
        server, errors = psutil.Process(postmaster.pid), self._bench_db.folder / "audit.log"
        command = [sys.executable, "-m", "scripts.audit_tool", *arguments]
        environment = os.environ | {"DATABASE_URL": conninfos.auditor}
        with errors.open("wb") as log, _pinned(server, one_core=one_core):
            _wait_until_left(server)
            before, began = (_children_s(), _ended_s(server)), time.perf_counter()
            result = subprocess.run(
                command,
                cwd=ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                timeout=_LIMIT_S,
                check=False,
            )
            seconds = time.perf_counter() - began
            _wait_until_left(server)
            program_s, postgres_s = _children_s() - before[0], _ended_s(server) - before[1]
        found = count.search(result.stdout)
        if result.returncode != 0 or found is None:
            raise NoFigureError(f"audit {arguments[0]} is not clean: {log_tail(errors)}")
        return AuditRun(int(found[1].replace(",", "")), seconds, program_s, postgres_s)


@contextmanager
def _pinned(server: psutil.Process, *, one_core: bool) -> Iterator[None]:
    """Inside this context new processes of the bench and of PostgreSQL have one core, if asked."""
    if not one_core:
        yield
        return
    here = psutil.Process()
    former = here.cpu_affinity(), server.cpu_affinity()
    first = former[0][:1]
    here.cpu_affinity(first)
    server.cpu_affinity(first)
    try:
        yield
    finally:
        here.cpu_affinity(former[0])
        server.cpu_affinity(former[1])


def _children_s() -> float:
    """Processor time of the bench's children that have ended, with their own children."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _wait_until_left(server: psutil.Process) -> None:
    """Wait until the server has reaped every backend of the log's database, autovacuum included.

    Their processor time counts from then on. Raises NoFigureError on a timeout.
    """
    deadline = time.monotonic() + _LIMIT_S
    while any(_is_in_log(child) for child in server.children()):
        if time.monotonic() > deadline:
            raise NoFigureError(f"a backend of {_DATABASE} did not end")
        time.sleep(_POLL_S)


def _is_in_log(backend: psutil.Process) -> bool:
    try:
        titles = backend.cmdline()
    except psutil.ZombieProcess:
        return True  # not reaped yet
    except psutil.NoSuchProcess:
        return False
    return not titles or f" {_DATABASE} " in f"{' '.join(titles)} "


def _ended_s(server: psutil.Process) -> float:
    """Processor time of the server's backends that have ended."""
    times = server.cpu_times()
    return times.children_user + times.children_system


def _check(what: str, found: int, least: int, most: int) -> None:
    if not least <= found <= most:
        raise NoFigureError(f"{what}: {found:,} were read, expected {least:,} to {most:,}")
