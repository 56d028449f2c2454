"""`scripts/cluster drill`: injects faults under load, measures the outages and audits the house."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec
import psycopg

from engine.bets.facts import BetPlaced
from scripts.cluster_tool import bring_up, databases, programs
from scripts.cluster_tool.cluster import Cluster, ClusterError
from scripts.cluster_tool.drill import measure
from scripts.cluster_tool.drill.compare import Comparison, compare
from scripts.cluster_tool.drill.faults import Fault
from scripts.cluster_tool.drill.measure import Probe
from scripts.cluster_tool.drill.players import Notes, Players, repeat
from scripts.cluster_tool.drill.result import DrillResult, Injection
from scripts.cluster_tool.observe import observe, status_of
from scripts.cluster_tool.topology import PORTS, PROBED
from scripts.devtools.paths import ROOT

_PLAYERS: Final = 6
_PAUSE_S: Final = 0.3
_STEADY_S: Final = 5
_UNDISTURBED_S: Final = 15.0
_DEADLINE_S: Final = 240.0
_POLL_S: Final = 0.2
_REPEAT_DEADLINE_S: Final = 1_800.0
_AUDIT_DEADLINE_S: Final = 600
_CONFIRM: Final = "SELECT command_id, count(*) FROM log.facts WHERE topic = %s GROUP BY command_id"


@dataclass
class Readiness:
    """Threads that ask /readyz of every node of the product, and of the proxy, all the time."""

    cluster: Cluster
    probes: list[Probe] = field(default_factory=list)
    _stop: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)

    def start(self) -> None:
        """Start one thread for each address."""
        topology = self.cluster.topology
        addresses = {
            node.name: f"http://{topology.address(node)}:{PORTS[node.kind]}"
            for node in topology.of_kind(*PROBED)
        } | {"proxy": topology.players_url}
        for name, address in addresses.items():
            thread = threading.Thread(target=self._probe, args=(name, address), daemon=True)
            self._threads.append(thread)
            thread.start()

    def stop(self) -> None:
        """End the threads."""
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _probe(self, name: str, address: str) -> None:
        while not self._stop.wait(_POLL_S):
            is_ready = status_of(f"{address}/readyz") == 200  # noqa: PLR2004 - HTTP's OK
            self.probes.append(Probe(time.monotonic(), name, is_ready))


class Drill:
    """One run: the load, the probes, and what was measured so far."""

    def __init__(self, cluster: Cluster, notes: Path) -> None:
        """The file of the notes must not exist."""
        self._cluster = cluster
        self._address = cluster.topology.players_url
        self._notes = Notes(notes)
        self._players = Players(self._address, self._notes, count=_PLAYERS, pause_s=_PAUSE_S)
        self._readiness = Readiness(cluster)
        self._undisturbed_s = 0.0
        self._injections: list[Injection] = []
        self._skipped: list[str] = []
        self._comparison: Comparison | None = None
        self._audit: str | None = None

    def run(self, faults: Sequence[Fault], times: int) -> None:
        """Inject each fault so many times, then compare and audit. Ctrl-C ends it early.

        Raises:
            ClusterError: the cluster is not whole, or bets were not accepted again in 4 minutes.
        """
        self._players.start()
        self._readiness.start()
        try:
            self._wait_until_whole("the cluster is not whole; scripts/cluster heal may help")
            self._measure_undisturbed()
            for fault in faults:
                for number in range(1, times + 1):
                    self._inject(fault, f"{fault.name} {number} of {times}")
        finally:
            print("stopping the load", flush=True)
            self._players.stop(60.0)
            self._readiness.stop()
            self._notes.close()
        self._comparison = self._compared()
        self._audit = audit(self._cluster)

    def result(self) -> DrillResult:
        """What was measured so far."""
        return DrillResult(
            ttl_s=self._cluster.timing.ttl,
            processors=os.cpu_count() or 1,
            load=os.getloadavg(),
            undisturbed_s=self._undisturbed_s,
            injections=self._injections,
            skipped=self._skipped,
            undecided=self._players.undecided,
            notes=str(self._notes.path),
            comparison=self._comparison,
            audit=self._audit,
        )

    def _measure_undisturbed(self) -> None:
        self._wait_until_steady(time.monotonic())
        began = time.monotonic()
        _wait(lambda: time.monotonic() - began > _UNDISTURBED_S, _UNDISTURBED_S + 1)
        now = time.monotonic()
        self._undisturbed_s = measure.longest_gap(self._notes.accepted_at, began, now)
        print(f"undisturbed: at most {self._undisturbed_s:.1f} s without a bet", flush=True)

    def _inject(self, fault: Fault, title: str) -> None:
        node = fault.target(observe(self._cluster))
        if node is None:
            self._skipped.append(f"{fault.name}: no node has the role")
            return
        print(f"{title}: {node.name}", end="", flush=True)
        injected = time.monotonic()
        fault.inject(self._cluster, node)
        try:
            self._wait_until_steady(injected)
            back = time.monotonic()
        finally:
            healed = time.monotonic()
            bring_up.heal(self._cluster, node)
        self._wait_until_whole(f"{node.name} did not come back")
        whole_s = time.monotonic() - healed
        self._wait_until_steady(time.monotonic())
        end = time.monotonic()
        accepted = self._notes.accepted_at
        ready_s = measure.ready_while_still_s(accepted, self._readiness.probes, injected, end)
        found = Injection(
            fault=fault.name,
            node=node.name,
            outage_s=measure.longest_gap(accepted, injected, back),
            heal_outage_s=measure.longest_gap(accepted, healed, end),
            whole_s=whole_s,
            ready_while_still_s=ready_s,
        )
        self._injections.append(found)
        print(
            f": {found.outage_s:.1f} s without a bet, {found.heal_outage_s:.1f} s while it came"
            f" back, whole after {whole_s:.1f} s",
            flush=True,
        )

    def _wait_until_steady(self, since: float) -> None:
        """Wait until a bet was accepted in each of 5 seconds that all begin after `since`."""

        def steady() -> bool:
            now = time.monotonic()
            return now - since > _STEADY_S and measure.is_steady(
                self._notes.accepted_at, now, _STEADY_S
            )

        if not _wait(steady, _DEADLINE_S):
            raise ClusterError(f"no bets were accepted again within {_DEADLINE_S:.0f} s")

    def _wait_until_whole(self, otherwise: str) -> None:
        def whole() -> bool:
            return bring_up.is_whole({each.node.name: each for each in observe(self._cluster)})

        if not _wait(whole, _DEADLINE_S):
            raise ClusterError(otherwise)

    def _compared(self) -> Comparison:
        notes = self._notes.all
        step = max(1, len(notes) // 10)

        def progress(number: int) -> None:
            if number % step == 0 or number == len(notes):
                print(f"\rrepeated {number} of {len(notes)} bets", end="", flush=True)

        again = repeat(self._address, notes, _REPEAT_DEADLINE_S, progress)
        print(flush=True)
        return compare(notes, again, placed_bets(self._cluster))


def placed_bets(cluster: Cluster) -> dict[str, int]:
    """The number of placed bets in the log, by the key of their command."""
    app = programs.APP
    dsn = databases.connection(cluster.topology, app, cluster.record.settings.passwords[app])
    with psycopg.connect(dsn, connect_timeout=5) as connection:
        connection.execute("SET statement_timeout = '60s'")
        return dict(connection.execute(_CONFIRM, (BetPlaced.topic,)).fetchall())


def audit(cluster: Cluster) -> str:
    """The findings of `scripts/audit check`; empty if there are none."""
    app = programs.APP
    dsn = databases.connection(cluster.topology, app, cluster.record.settings.passwords[app])
    command = [sys.executable, "-m", "scripts.audit_tool", "check"]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "DATABASE_URL": dsn},
        capture_output=True,
        text=True,
        check=False,
        timeout=_AUDIT_DEADLINE_S,
    )
    if done.returncode == 0:
        return ""
    return (done.stdout + done.stderr).strip() or f"exit status {done.returncode}"


def save(result: DrillResult, path: Path) -> None:
    """Write the result as JSON."""
    path.write_bytes(msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n")


def _wait(condition: Callable[[], bool], deadline_s: float) -> bool:
    deadline = time.monotonic() + deadline_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_S)
    return True
