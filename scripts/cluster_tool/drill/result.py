"""The result of a drill, as a table and as JSON. Pure."""

from collections.abc import Sequence
from typing import Final

import msgspec

from scripts.cluster_tool.drill.compare import Comparison
from scripts.cluster_tool.drill.measure import STANDSTILL_S, percentile

_SHOWN_KEYS: Final = 5
_HEADER: Final = ("FAULT", "TIMES", "P50", "P99", "HEALED P99", "WHOLE P99", "READY WHILE STILL")


class Injection(msgspec.Struct, frozen=True):
    """One fault, once; seconds.

    `outage_s` is the longest time without an accepted bet from the fault until bets were accepted
    steadily; `heal_outage_s` the longest one after that, while the node came back. `whole_s` is the
    time from the healing until every node had its role again. `ready_while_still_s` is the longest
    time that bets still stood still after /readyz of any node, or of the proxy, was 200, if no bet
    had been accepted for more than 5 s.
    """

    fault: str
    node: str
    outage_s: float
    heal_outage_s: float
    whole_s: float
    ready_while_still_s: float


class DrillResult(msgspec.Struct, frozen=True):
    """Everything that a drill measured. `comparison` and `audit` are None if it was interrupted.

    `undisturbed_s` is the longest time without an accepted bet before the first fault, `load` the
    machine's load average at the end, `skipped` the faults that no node could have.
    """

    ttl_s: int
    processors: int
    load: tuple[float, float, float]
    undisturbed_s: float
    injections: list[Injection]
    skipped: list[str]
    undecided: int
    notes: str
    comparison: Comparison | None = None
    audit: str | None = None

    @property
    def is_clean(self) -> bool:
        """Whether every noted bet was kept once, and the audit found nothing."""
        return self.comparison is not None and self.comparison.is_clean and self.audit == ""


def shown(result: DrillResult) -> str:
    """The result as text."""
    kinds = list(dict.fromkeys(each.fault for each in result.injections))
    rows = [_HEADER, *(_row(kind, result.injections) for kind in kinds)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADER))]
    table = [
        "  ".join(
            cell.ljust(width) if number == 0 else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    load = ", ".join(f"{each:.1f}" for each in result.load)
    machine = (
        f"Undisturbed: at most {result.undisturbed_s:.1f} s. Patroni's ttl {result.ttl_s} s;"
        f" {result.processors} processors, load average {load}."
    )
    about_ready = (
        "READY WHILE STILL: how long bets still stood still after a /readyz was 200, if none had"
        f" been accepted for {STANDSTILL_S:.0f} s."
    )
    return "\n".join(
        [
            "Seconds without an accepted bet:",
            *(table if kinds else ["no fault was injected"]),
            *result.skipped,
            about_ready,
            machine,
            *_comparison(result),
        ]
    )


def _row(kind: str, injections: Sequence[Injection]) -> tuple[str, ...]:
    own = [each for each in injections if each.fault == kind]
    outages = [each.outage_s for each in own]
    ready_s = max(each.ready_while_still_s for each in own)
    return (
        kind,
        str(len(own)),
        f"{percentile(outages, 50):.1f}",
        f"{percentile(outages, 99):.1f}",
        f"{percentile([each.heal_outage_s for each in own], 99):.1f}",
        f"{percentile([each.whole_s for each in own], 99):.1f}",
        f"{ready_s:.1f}" if ready_s else "never",
    )


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
    for name in ("lost", "doubled", "different", "unanswered"):
        if keys := getattr(found, name):
            more = " …" if len(keys) > _SHOWN_KEYS else ""
            lines.append(f"  {name}: {', '.join(keys[:_SHOWN_KEYS])}{more}")
    lines.append(f"Audit: {result.audit or 'nothing found'}")
    return lines
