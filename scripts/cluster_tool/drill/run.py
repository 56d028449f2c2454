"""`scripts/cluster drill`: injects faults under load, measures the outages and audits the house."""

import math
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec
import psycopg

from engine.bets.facts import BetPlaced
from engine.schedule import demo
from scripts.cluster_tool import bring_up, databases, nodes, programs
from scripts.cluster_tool.cluster import Cluster, ClusterError
from scripts.cluster_tool.drill import measure
from scripts.cluster_tool.drill.compare import Comparison, compare
from scripts.cluster_tool.drill.draws import DrawWatch
from scripts.cluster_tool.drill.faults import FAULTS, Fault
from scripts.cluster_tool.drill.measure import Probe
from scripts.cluster_tool.drill.plan import killed_nodes, kinds_of
from scripts.cluster_tool.drill.players import Notes, Players, read_notes, repeat
from scripts.cluster_tool.drill.record import RecordFile
from scripts.cluster_tool.drill.result import (
    Check,
    DrillResult,
    Failed,
    Injection,
    Piece,
    Skipped,
    done_steps,
)
from scripts.cluster_tool.observe import Observation, observe, status_of
from scripts.cluster_tool.picture import is_following
from scripts.cluster_tool.topology import PORTS, PROBED, Node
from scripts.devtools.paths import ROOT

_PLAYERS: Final = 6
_PAUSE_S: Final = 0.3
_STEADY_S: Final = 5
_UNDISTURBED_S: Final = 15.0
_DEADLINE_S: Final = 240.0
#: A replica that answers and follows no primary for so long does not come back by itself.
_FOLLOWS_WITHIN_S: Final = 60.0
_POLL_S: Final = 0.2
_HOLD_POLL_S: Final = 1.0
_REPEAT_DEADLINE_S: Final = 1_800.0
_AUDIT_DEADLINE_S: Final = 1_800
_LOG_LINES: Final = 1_000
_CONFIRM: Final = "SELECT command_id, count(*) FROM log.facts WHERE topic = %s GROUP BY command_id"
#: What a node's log says of a clock or of a disk that went wrong.
_TROUBLE: Final = re.compile(r"clock|no space left|disk full", re.IGNORECASE)
_NUMBERS: Final = re.compile(r"[-+]?\d[\d.:]*")
_ALARM_LENGTH: Final = 160


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

    def forget_before(self, at: float) -> None:
        """Drop older answers: a drill of many hours has millions."""
        self.probes[:] = [probe for probe in list(self.probes) if probe.at >= at]

    def _probe(self, name: str, address: str) -> None:
        while not self._stop.wait(_POLL_S):
            is_ready = status_of(f"{address}/readyz") == 200  # noqa: PLR2004 - HTTP's OK
            self.probes.append(Probe(time.monotonic(), name, is_ready))


class Drill:
    """One piece of a drill: the load, the probes, and the record that it continues."""

    def __init__(self, cluster: Cluster, record: RecordFile, *, check_every: int) -> None:
        """Bets are compared after every `check_every` faults, and at the end of the piece."""
        self._cluster = cluster
        self._record = record
        self._check_every = check_every
        self._address = cluster.topology.players_url
        self._checked = max(
            (it.comparison.noted for it in record.lines if isinstance(it, Check)), default=0
        )
        self._notes = Notes(Path(record.begun.notes), repeated_before=self._checked)
        self._players = Players(self._address, self._notes, count=_PLAYERS, pause_s=_PAUSE_S)
        self._readiness = Readiness(cluster)
        self._draws = DrawWatch(app_conninfo(cluster))
        self._step_s: list[float] = []

    def run(self, limit: int | None) -> None:
        """Inject the faults that are left, `limit` at most, then compare and audit.

        Ctrl-C ends it early; what was recorded until then can be continued.

        Raises:
            ClusterError: the cluster is not whole, or bets were not accepted again in 4 minutes.
        """
        steps = self._record.begun.steps
        first = done_steps(self._record.lines)
        last = len(steps) if limit is None else min(len(steps), first + limit)
        self._players.start()
        self._readiness.start()
        self._draws.start()
        try:
            self._wait_until_whole("the cluster is not whole; scripts/cluster heal may help", {})
            self._measure_undisturbed(first)
            for number, step in enumerate(steps[first:last], first + 1):
                began = time.monotonic()
                self._inject(number, step, self._title(number, last))
                self._step_s.append(time.monotonic() - began)
                if (number - first) % self._check_every == 0 and number < last:
                    self._check(number)
        finally:
            print("stopping the load", flush=True)
            self._players.stop(60.0)
            self._readiness.stop()
            self._draws.stop()
            self._notes.close()
        self._check(last)

    def _title(self, number: int, last: int) -> str:
        title = f"{number} of {len(self._record.begun.steps)}"
        if not self._step_s:
            return title
        left_min = sum(self._step_s) / len(self._step_s) * (last - number + 1) / 60
        return f"{title}, {left_min:.0f} min left"

    def _measure_undisturbed(self, first: int) -> None:
        self._wait_until_steady(time.monotonic())
        began = time.monotonic()
        _wait(lambda: time.monotonic() - began > _UNDISTURBED_S, _UNDISTURBED_S + 1)
        end = time.monotonic()
        gap = measure.longest_gap(self._accepted(began, end), began, end)
        self._record.write(Piece(first, gap, os.getloadavg()))
        print(f"undisturbed: at most {gap:.1f} s without a bet", flush=True)

    def _inject(self, number: int, step: str, title: str) -> None:
        topology = self._cluster.topology
        if killed := [topology.named(name) for name in killed_nodes(step)]:
            fault, targets = Fault(kinds_of(killed), lambda _: False, nodes.kill), killed
        else:
            fault = FAULTS[step]
            targets = [node for node in [fault.target(observe(self._cluster))] if node is not None]
        if not targets:
            self._record.write(Skipped(number, fault.name))
            print(f"[{title}] {fault.name}: no node has the role", flush=True)
            return
        name = "+".join(node.name for node in targets)
        print(f"[{title}] {fault.name}: {name}", end="", flush=True)
        try:
            found = self._measured(number, fault, targets)
        except ClusterError as error:
            self._record.write(Failed(number, fault.name, name, str(error)))
            raise
        self._record.write(found)
        print(
            f": {found.outage_s:.1f} s without a bet, {found.heal_outage_s:.1f} s while it came"
            f" back, whole after {found.whole_s:.1f} s",
            flush=True,
        )

    def _measured(self, number: int, fault: Fault, targets: Sequence[Node]) -> Injection:
        lines_before = {node.name: self._log_length(node) for node in targets}
        injected = time.monotonic()
        alarms: dict[str, str] = {}
        self._readiness.forget_before(injected - measure.STANDSTILL_S)
        try:
            for node in targets:
                fault.inject(self._cluster, node)
            if fault.hold_s:
                self._hold(fault, targets, injected + fault.hold_s, alarms)
            else:
                self._wait_until_steady(injected)
            back = time.monotonic()
        finally:
            healed = time.monotonic()
            for node in targets:
                bring_up.heal(self._cluster, node)
        if fault.hold_s:
            for node in targets:
                self._read_log(node, lines_before[node.name], alarms)
        name = "+".join(node.name for node in targets)
        self._wait_until_whole(f"{name} did not come back", alarms)
        whole_s = time.monotonic() - healed
        self._wait_until_steady(time.monotonic())
        end = time.monotonic()
        accepted, draws = self._accepted(injected, end), self._draws.book.draws(injected, end)
        still = [
            *measure.bets_still(accepted, injected, end),
            *measure.draws_still(draws, injected, end),
        ]
        early_s, late_s = measure.draw_errors(draws, injected, end)
        return Injection(
            fault=fault.name,
            node=name,
            outage_s=measure.longest_gap(accepted, injected, back),
            heal_outage_s=measure.longest_gap(accepted, healed, end),
            whole_s=whole_s,
            ready_while_still_s=measure.ready_while_still_s(still, self._readiness.probes),
            step=number,
            early_s=early_s,
            late_s=late_s,
            alarms=list(alarms.values()),
        )

    def _accepted(self, since: float, until: float) -> list[float]:
        """Returns when bets were accepted, and the moments between these in which none could be."""
        ahead = time.time() - time.monotonic()
        schedule = demo(self._cluster.record.settings.round_seconds)
        unsold = measure.without_sale(schedule, since + ahead, until + ahead)
        return sorted([*self._notes.accepted_at, *(at - ahead for at in unsold)])

    def _hold(
        self, fault: Fault, targets: Sequence[Node], until: float, alarms: dict[str, str]
    ) -> None:
        """Let the fault last, and note what the nodes say meanwhile."""
        while time.monotonic() < until:
            for each in observe(self._cluster):
                _add_alarms(each, alarms)
            time.sleep(_HOLD_POLL_S)
            for node in targets:
                fault.inject(self._cluster, node)

    def _log_length(self, node: Node) -> int:
        log = self._cluster.log(node)
        return log.stat().st_size if log.exists() else 0

    def _read_log(self, node: Node, begin: int, alarms: dict[str, str]) -> None:
        """Note what the node's log says since `begin`, in bytes, about a clock or a disk."""
        with self._cluster.log(node).open("rb") as file:
            file.seek(begin)
            lines = file.read().decode(errors="replace").splitlines()
        for line in lines[:_LOG_LINES]:
            if _TROUBLE.search(line):
                _add_alarm(f"log of {node.name}: {line[:_ALARM_LENGTH]}", alarms)

    def _wait_until_steady(self, since: float) -> None:
        """Wait until a bet was accepted in each of 5 seconds that all begin after `since`."""

        def steady() -> bool:
            now = time.monotonic()
            return now - since > _STEADY_S and measure.is_steady(
                self._notes.accepted_at, now, _STEADY_S
            )

        if not _wait(steady, _DEADLINE_S):
            raise ClusterError(f"no bets were accepted again within {_DEADLINE_S:.0f} s")

    def _wait_until_whole(self, otherwise: str, alarms: dict[str, str]) -> None:
        """Wait for every role. A replica that follows no primary is restarted once, and noted."""
        restart_at = time.monotonic() + _FOLLOWS_WITHIN_S

        def whole() -> bool:
            nonlocal restart_at
            seen = observe(self._cluster)
            if time.monotonic() > restart_at:
                restart_at = math.inf
                for each in seen:
                    if each.recovery and not is_following(each):
                        nodes.kill(self._cluster, each.node)
                        bring_up.heal(self._cluster, each.node)
                        _add_alarm(f"{each.node.name} followed no primary: restarted", alarms)
            return bring_up.is_whole({each.node.name: each for each in seen})

        if not _wait(whole, _DEADLINE_S):
            raise ClusterError(otherwise)

    def _check(self, step: int) -> None:
        """Repeat the bets since the last check, compare all with the log, and audit the house."""
        undecided, self._players.undecided = self._players.undecided, 0
        comparison = self._compared()
        found = Check(step, comparison, audit(self._cluster), undecided, os.getloadavg())
        self._record.write(found)
        self._checked = comparison.noted
        print(
            f"{comparison.noted} bets: {len(comparison.lost)} lost, {len(comparison.doubled)}"
            f" doubled, {len(comparison.different)} answered differently,"
            f" {len(comparison.unanswered)} not answered again;"
            f" audit: {found.audit or 'nothing found'}",
            flush=True,
        )

    def _compared(self) -> Comparison:
        notes = self._notes.take_unrepeated()
        step = max(1, len(notes) // 10)
        begin, end = ("\r", "") if sys.stdout.isatty() else ("", "\n")

        def progress(number: int) -> None:
            if number % step == 0:
                print(f"{begin}repeated {number} of {len(notes)} bets ", end=end, flush=True)

        again = repeat(self._address, notes, _REPEAT_DEADLINE_S, progress)
        print(f"{begin}repeated {len(notes)} bets            ", flush=True)
        return compare(
            islice(read_notes(self._notes.path), self._checked + len(notes)),
            again,
            placed_bets(self._cluster),
            repeated_before=self._checked,
        )


def _add_alarms(seen: Observation, alarms: dict[str, str]) -> None:
    said = [*(seen.ready or {}).get("reasons", []), *(seen.ready or {}).get("warnings", [])]
    for text in said:
        if text != "engine: standby":  # which is as it should be
            _add_alarm(f"{seen.node.name}: {text}", alarms)


def _add_alarm(text: str, alarms: dict[str, str]) -> None:
    """Keep a text once, whatever its numbers are."""
    alarms.setdefault(_NUMBERS.sub("N", text), text)


def app_conninfo(cluster: Cluster) -> str:
    """The address of the primary for the product's role."""
    passwords = cluster.record.settings.passwords
    return databases.connection(cluster.topology, programs.APP, passwords[programs.APP])


def placed_bets(cluster: Cluster) -> dict[str, int]:
    """The number of placed bets in the log, by the key of their command.

    Raises:
        ClusterError: the database does not answer.
    """
    try:
        with psycopg.connect(app_conninfo(cluster), connect_timeout=5) as connection:
            connection.execute("SET statement_timeout = '60s'")
            return dict(connection.execute(_CONFIRM, (BetPlaced.topic,)).fetchall())
    except psycopg.Error as error:
        raise ClusterError(f"the log cannot be read: {error}") from None


def audit(cluster: Cluster) -> str:
    """The findings of `scripts/audit check`; empty if there are none."""
    command = [sys.executable, "-m", "scripts.audit_tool", "check"]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "DATABASE_URL": app_conninfo(cluster)},
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
