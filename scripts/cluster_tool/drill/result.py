"""What a drill records, one line a fault, and the report that follows from these lines. Pure."""

from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

import msgspec

from scripts.cluster_tool.drill.compare import Comparison, together
from scripts.cluster_tool.drill.measure import STANDSTILL_S, percentile

_SHOWN: Final = 5
_HEADER: Final = (
    "FAULT",
    "TIMES",
    "P50",
    "P99",
    "MOST",
    "HEALED P99",
    "WHOLE P99",
    "READY WHILE STILL",
    "DRAW LATE",
)
_ALL: Final = "all"
_ABOUT_READY: Final = (
    "READY WHILE STILL: how long bets or draws still stood still after a /readyz was 200, if no bet"
    f" had been accepted for {STANDSTILL_S:.0f} s, or a draw was overdue by as much."
)


class Begun(msgspec.Struct, frozen=True, tag="begun"):
    """The first line: every step, in order. A step is a fault's name, or `kill:` with nodes."""

    plan: str
    seed: int
    steps: list[str]
    notes: str
    ttl_s: int
    processors: int


class Piece(msgspec.Struct, frozen=True, tag="piece"):
    """The drill was begun or continued, at this step.

    `undisturbed_s` is the longest time without an accepted bet before the first fault.
    """

    step: int
    undisturbed_s: float
    load: tuple[float, float, float]


class Injection(msgspec.Struct, frozen=True, tag="fault"):
    """One fault, once; seconds.

    `outage_s` is the longest time without an accepted bet from the fault until bets were accepted
    steadily; `heal_outage_s` the longest one after that, while the node came back. `whole_s` is the
    time from the healing until every node had its role again. `ready_while_still_s` is the longest
    time that bets or draws still stood still after /readyz of any node, or of the proxy, was 200,
    if no bet had been accepted for more than 5 s, or a draw was overdue by more than 5 s. `early_s`
    and `late_s` are of the earliest and the latest draw. `alarms` are what the nodes said.
    """

    fault: str
    node: str
    outage_s: float
    heal_outage_s: float
    whole_s: float
    ready_while_still_s: float
    step: int = 0
    early_s: float = 0.0
    late_s: float = 0.0
    alarms: list[str] = []


class Skipped(msgspec.Struct, frozen=True, tag="skipped"):
    """A fault that no node could have at that moment."""

    step: int
    fault: str


class Failed(msgspec.Struct, frozen=True, tag="failed"):
    """A fault after which the house did not come back in time; the drill stops there."""

    step: int
    fault: str
    node: str
    reason: str


class Check(msgspec.Struct, frozen=True, tag="check"):
    """The comparison of all bets until then, and the findings of the audit; empty if none.

    `undecided` bets were given up by the players, at the end of a piece.
    """

    step: int
    comparison: Comparison
    audit: str
    undecided: int
    load: tuple[float, float, float]


Line = Begun | Piece | Injection | Skipped | Failed | Check
_Of = TypeVar("_Of", bound=msgspec.Struct)


class DrillResult(msgspec.Struct, frozen=True):
    """Everything that a drill measured, in all its pieces.

    `load` is the machine's load average at the last check. `comparison` and `audit` are None if no
    check was made; `unchecked` is the number of faults since the last one.
    """

    plan: str
    seed: int
    steps: int
    done: int
    ttl_s: int
    processors: int
    load: tuple[float, float, float] | None
    undisturbed_s: float
    injections: list[Injection]
    skipped: list[str]
    failed: list[str]
    undecided: int
    notes: str
    unchecked: int
    comparison: Comparison | None = None
    audit: str | None = None

    @property
    def is_clean(self) -> bool:
        """Whether every noted bet was kept once, no draw was early, and nothing else was found."""
        return (
            self.comparison is not None
            and self.comparison.is_clean
            and self.audit == ""
            and not self.unchecked
            and not self.failed
            and not any(each.early_s for each in self.injections)
        )


def done_steps(lines: Iterable[Line]) -> int:
    """How many steps of the plan are done; also those that were skipped, or failed."""
    return max((it.step for it in lines if isinstance(it, Injection | Skipped | Failed)), default=0)


def result_of(lines: Sequence[Line]) -> DrillResult:
    """Returns the result; the first line is a `Begun`."""
    begun, checks = lines[0], _of(lines, Check)
    assert isinstance(begun, Begun)
    done, checked = done_steps(lines), max((each.step for each in checks), default=0)
    return DrillResult(
        plan=begun.plan,
        seed=begun.seed,
        steps=len(begun.steps),
        done=done,
        ttl_s=begun.ttl_s,
        processors=begun.processors,
        load=checks[-1].load if checks else None,
        undisturbed_s=max((each.undisturbed_s for each in _of(lines, Piece)), default=0.0),
        injections=_of(lines, Injection),
        skipped=[f"{each.fault}: no node has the role" for each in _of(lines, Skipped)],
        failed=[f"{each.fault}, {each.node}: {each.reason}" for each in _of(lines, Failed)],
        undecided=sum(each.undecided for each in checks),
        notes=begun.notes,
        unchecked=done - checked,
        comparison=together([each.comparison for each in checks]) if checks else None,
        audit="\n".join(each.audit for each in checks if each.audit) if checks else None,
    )


def _of(lines: Iterable[Line], kind: type[_Of]) -> list[_Of]:
    return [line for line in lines if isinstance(line, kind)]


def shown(result: DrillResult) -> str:
    """The result as text."""
    return "\n".join(
        [
            f"Plan {result.plan}, seed {result.seed}: {result.done} of {result.steps} faults.",
            "Seconds without an accepted bet:",
            *(_table(result.injections) or ["no fault was injected"]),
            *result.skipped,
            *(f"FAILED: {each}" for each in result.failed),
            _ABOUT_READY,
            *_early(result.injections),
            *_alarms(result.injections),
            _machine(result),
            *_comparison(result),
        ]
    )


def _machine(result: DrillResult) -> str:
    load = "unknown" if result.load is None else ", ".join(f"{each:.1f}" for each in result.load)
    return (
        f"Undisturbed: at most {result.undisturbed_s:.1f} s. Patroni's ttl {result.ttl_s} s;"
        f" {result.processors} processors, load average {load}."
    )


def _table(injections: Sequence[Injection]) -> list[str]:
    kinds = sorted({each.fault for each in injections})
    rows = [
        _HEADER,
        *(_row(kind, [it for it in injections if it.fault == kind]) for kind in kinds),
        *([_row(_ALL, injections)] if len(kinds) > 1 else []),
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADER))]
    lines = [
        "  ".join(
            cell.ljust(width) if number == 0 else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    return lines if kinds else []


def _row(name: str, own: Sequence[Injection]) -> tuple[str, ...]:
    outages = [each.outage_s for each in own]
    ready_s = max(each.ready_while_still_s for each in own)
    return (
        name,
        str(len(own)),
        f"{percentile(outages, 50):.1f}",
        f"{percentile(outages, 99):.1f}",
        f"{max(outages):.1f}",
        f"{percentile([each.heal_outage_s for each in own], 99):.1f}",
        f"{percentile([each.whole_s for each in own], 99):.1f}",
        f"{ready_s:.1f}" if ready_s else "never",
        f"{max(each.late_s for each in own):.1f}",
    )


def _early(injections: Iterable[Injection]) -> list[str]:
    return [
        f"EARLY DRAW: by {each.early_s:.1f} s, at fault {each.step}, {each.fault} of {each.node}"
        for each in injections
        if each.early_s
    ]


def _alarms(injections: Iterable[Injection]) -> list[str]:
    """What the nodes said, once a fault: for the faults that last."""
    said = {each.fault: each.alarms for each in injections if each.alarms}
    return [f"{fault}: {'; '.join(alarms)}" for fault, alarms in sorted(said.items())]


def _comparison(result: DrillResult) -> list[str]:
    found = result.comparison
    if found is None:
        return [f"Interrupted: the bets in {result.notes} were not repeated."]
    counts = (
        f"{found.noted} bets noted, {found.accepted} accepted: {len(found.lost)} lost,"
        f" {len(found.doubled)} doubled, {len(found.different)} answered differently,"
        f" {len(found.unanswered)} not answered again; {result.undecided} never decided."
    )
    lines = [counts, f"Notes: {result.notes}"]
    if result.unchecked:
        lines.append(
            f"Interrupted: the bets of the last {result.unchecked} faults were not repeated."
        )
    for name in ("lost", "doubled", "different", "unanswered"):
        if keys := getattr(found, name):
            more = " …" if len(keys) > _SHOWN else ""
            lines.append(f"  {name}: {', '.join(keys[:_SHOWN])}{more}")
    lines.append(f"Audit: {result.audit or 'nothing found'}")
    return lines
