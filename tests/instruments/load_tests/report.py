"""The figures as a table and as JSON: medians, spreads, ratios and goals."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from tests.instruments.load_tests.statistics import SampleStats, ratios, sample_stats

Samples = Mapping[str, Sequence[float]]


COMPARED_STEPS = "machine_steps_per_second"
READING_STEPS = "machine_steps_per_second_again"
"""The machine's speed before each round of the compared loads, and of those that read a log."""


class Row(Struct, frozen=True):
    """A figure, and its ratio to the figure `yardstick`.

    `goal` is the minimum of the ratio, or of the figure if it has no ratio; `limit` is the maximum
    of the figure. A ratio to the machine's speed is per thousand steps.
    """

    key: str
    title: str
    unit: str
    yardstick: str = ""
    ratio: str = ""
    goal: float | None = None
    limit: float | None = None

    @property
    def per_thousand(self) -> bool:
        """Whether the ratio is per thousand steps of the machine."""
        return self.yardstick in {COMPARED_STEPS, READING_STEPS}


def _compared_houses(key: str, title: str, unit: str) -> tuple[Row, Row]:
    """A figure of an empty house, and of a large one as its multiple."""
    empty = Row(f"empty_{key}", f"{title}: empty house", unit)
    ratio = f"large_vs_empty_{key}"
    return empty, Row(f"large_{key}", "  large house", unit, empty.key, ratio)


_LARGE_ROWS = (
    *_compared_houses("start_s", "start to ready, with PostgreSQL running", "s"),
    *_compared_houses("ready_mib", "memory of all its processes once ready", "MiB"),
    *_compared_houses("loaded_mib", "memory after the loads", "MiB"),
    *_compared_houses("first_hearts_per_second", "first heartbeats after a start", "requests/s"),
    *_compared_houses("first_hearts_p99_ms", "first heartbeats, p99", "ms"),
    *_compared_houses("first_bets_per_second", "each member's first bet after a start", "bets/s"),
    *_compared_houses("first_bets_p99_ms", "first bets, p99", "ms"),
    *_compared_houses("http_per_second", "bets over HTTP", "bets/s"),
    *_compared_houses("http_p99_ms", "bets, p99", "ms"),
    *_compared_houses("heartbeat_per_second", "heartbeats over HTTP", "requests/s"),
    *_compared_houses("heartbeat_p99_ms", "heartbeats, p99", "ms"),
    *_compared_houses("statement_p50_ms", "statements, p50", "ms"),
    *_compared_houses("statement_p99_ms", "statements, p99", "ms"),
    *_compared_houses("receipt_p50_ms", "proofs of each member's oldest receipt, p50", "ms"),
    *_compared_houses("receipt_p99_ms", "proofs of old receipts, p99", "ms"),
    *_compared_houses("heavy_statement_p99_ms", "statements of the heaviest member, p99", "ms"),
    *_compared_houses("light_reading_p99_ms", "bets while another member reads, p99", "ms"),
    *_compared_houses("heavy_reading_p99_ms", "bets while the heaviest member reads, p99", "ms"),
)
ROWS = (
    Row(COMPARED_STEPS, "this machine, a plain Python loop", "steps/s"),
    Row(READING_STEPS, "  again, before the loads that read a log", "steps/s"),
    Row("pgbench_per_second", "pgbench, TPC-B-like", "tx/s"),
    Row(
        "library_per_second",
        "library: get, command, save; 1 thread",
        "commands/s",
        "pgbench_per_second",
        "library_vs_pgbench",
    ),
    Row(
        "pgledger_per_second",
        "pgledger: a transfer a call, compared with the writer",
        "transfers/s",
        "writer_per_second",
        "pgledger_vs_writer",
    ),
    Row(
        "pgledger_house_per_second",
        "  all of them to one account",
        "transfers/s",
        "writer_per_second",
        "pgledger_house_vs_writer",
    ),
    Row(
        "pgledger_batch_per_second",
        "  40 players' transfers a call",
        "transfers/s",
        "writer_per_second",
        "pgledger_batch_vs_writer",
    ),
    Row(
        "writer_per_second",
        "writer, in process, as in production",
        "bets/s",
        "pgbench_per_second",
        "writer_vs_pgbench",
        8.0,
    ),
    Row(
        "writer_sealed_per_second",
        "  its runs, compared with those without sealer",
        "bets/s",
        "writer_unsealed_per_second",
        "sealed_vs_unsealed",
        0.95,
    ),
    Row("writer_unsealed_per_second", "  without sealer and cosigning", "bets/s"),
    Row("writer_uncosigned_facts", "  facts not yet cosigned at its end", "facts"),
    Row("writer_projection_lag_facts", "  read models behind at its end", "facts"),
    Row(
        "writer_alone_per_second",
        "  by itself, without read models",
        "bets/s",
        "pgbench_per_second",
        "writer_alone_vs_pgbench",
    ),
    Row(
        "http_per_second",
        "program, over HTTP",
        "bets/s",
        "pgbench_per_second",
        "http_vs_pgbench",
        1.3,
    ),
    Row("http_p50_ms", "  p50", "ms"),
    Row("http_p99_ms", "  p99", "ms"),
    Row(
        "slip_per_second",
        "  in slips of 40",
        "bets/s",
        "http_per_second",
        "slip_vs_http",
        4.0,
    ),
    Row("slip_p50_ms", "  p50 of a slip", "ms"),
    Row("apis_all_per_second", "program as one process, over HTTP", "bets/s"),
    Row(
        "apis_1_per_second",
        "program as an engine, a projector and 1 API process",
        "bets/s",
        "apis_all_per_second",
        "apis_1_vs_all",
    ),
    Row(
        "apis_idle_per_second",
        "  the same, while 3 more API processes are idle",
        "bets/s",
        "apis_1_per_second",
        "apis_idle_vs_1",
        0.9,
    ),
    Row("apis_2_per_second", "  2 API processes", "bets/s", "apis_1_per_second", "apis_2_vs_1"),
    Row("apis_4_per_second", "  4 API processes", "bets/s", "apis_1_per_second", "apis_4_vs_1"),
    Row("apis_cores", "  cores of this machine", "cores"),
    Row("static_per_second", "static answer, over HTTP", "requests/s"),
    Row(
        "heartbeat_per_second",
        "heartbeat, over HTTP",
        "requests/s",
        "static_per_second",
        "heartbeat_vs_static",
        0.5,
    ),
    Row("heartbeat_p50_ms", "  p50", "ms"),
    Row("heartbeat_p99_ms", "  p99", "ms"),
    Row("stream_lag_p50_ms", "streams: a bet's acknowledgement to its delivery, p50", "ms"),
    Row("stream_lag_p99_ms", "  p99", "ms"),
    Row("stream_lag_most_ms", "  most", "ms"),
    Row("stream_bets", "  bets, the program killed once between them", "bets"),
    Row("stream_delivered", "  delivered, all of them once and in order", "events"),
    Row("stream_resumed", "  clients that went on behind the restart", "clients"),
    Row("stream_rss_alone_mib", "  program's memory before the clients", "MiB"),
    Row("stream_rss_crowded_mib", "  with them", "MiB"),
    Row("stream_rss_after_mib", "  and of the second one at the end", "MiB"),
    Row("streams_open", "streams over three API processes, one of them killed", "streams"),
    Row("streams_lag_p50_ms", "  a bet's acknowledgement to its delivery, p50", "ms"),
    Row("streams_lag_p99_ms", "  p99", "ms"),
    Row("streams_bets", "  bets, the process killed between them", "bets"),
    Row("streams_delivered", "  delivered, all of them once and in order", "events"),
    Row("streams_resumed", "  streams resumed at the other two", "streams"),
    Row("streams_resume_p50_ms", "  from the cut to the resumed stream, p50", "ms"),
    Row("streams_resume_most_ms", "  most", "ms"),
    Row("streams_rss_alone_mib", "  a process's memory before the streams", "MiB"),
    Row("streams_rss_crowded_mib", "  with a third of them", "MiB"),
    Row("streams_rss_after_mib", "  of the other two, at the end", "MiB"),
    Row(
        "settled_per_second",
        "settlement",
        "bets/s",
        COMPARED_STEPS,
        "settled_per_thousand_steps",
        13.0,
    ),
    Row("settlement_others_p50_ms", "  others' bets meanwhile, p50", "ms"),
    Row("settlement_others_p99_ms", "  others' bets meanwhile, p99", "ms", limit=50.0),
    Row(
        "projected_per_second",
        "read models catching up",
        "facts/s",
        READING_STEPS,
        "projected_per_thousand_steps",
        18.0,
    ),
    Row("replayed_per_second", "full replay, engine and ledger", "facts/s"),
    Row("history_facts", "  log that both of them read", "facts"),
    Row("audit_draws_per_second", "audit of the draws, all cores", "rounds/s", goal=1_000.0),
    Row("audit_draws_program_us", "  processor time, all its processes", "us/round"),
    Row("audit_draws_postgres_us", "  PostgreSQL's", "us/round"),
    Row("audit_draws_again_s", "  again with --continue, one day later", "s"),
    Row("audit_draws_again_rounds", "  rounds read: of that day, and of the one before", "rounds"),
    Row(
        "audit_log_per_second",
        "audit of the log, on one core with PostgreSQL",
        "facts/s",
        goal=300_000.0,
    ),
    Row("audit_log_program_us", "  processor time", "us/fact"),
    Row("audit_log_postgres_us", "  PostgreSQL's", "us/fact"),
    Row("audit_log_again_s", "  again with --continue, one day later", "s"),
    Row("audit_log_again_facts", "  facts read: of that day, from the last full tile", "facts"),
    *_LARGE_ROWS,
    Row("web_home_performance", "home by Lighthouse: performance", "of 100", goal=95.0),
    Row("web_home_accessibility", "  accessibility", "of 100", goal=100.0),
    Row("web_home_best_practices", "  best practices", "of 100", goal=100.0),
    Row("web_home_layout_shift", "  layout shift (0.02 at most)", ""),
    Row("web_home_largest_paint_ms", "  largest paint", "ms"),
    Row("web_home_blocking_ms", "  main thread blocked", "ms"),
    Row("web_home_code_kb", "  JavaScript and CSS over the wire", "kB"),
    Row(
        "web_room_performance",
        "bet room by Lighthouse: performance",
        "of 100",
        goal=95.0,
    ),
    Row("web_room_accessibility", "  accessibility", "of 100", goal=100.0),
    Row("web_room_best_practices", "  best practices", "of 100", goal=100.0),
    Row("web_room_layout_shift", "  layout shift (0.02 at most)", ""),
    Row("web_room_largest_paint_ms", "  largest paint", "ms"),
    Row("web_room_blocking_ms", "  main thread blocked", "ms"),
    Row("web_room_code_kb", "  JavaScript and CSS over the wire", "kB"),
)


def print_table(samples: Samples, failures: Mapping[str, str]) -> None:
    """Print all figures, and the reasons of missing ones."""
    head = ("", "median", "least to most", "unit", "ratio", "least to most", "goal")
    lines = [head, *(_line(row, samples) for row in ROWS if row.key in samples)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    print()
    for line in lines:
        cells = [
            cell.ljust(width) if column in {0, 3} else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())
    for load, why in failures.items():
        print(f"\nNo figure for {load}: {why}")


def _line(row: Row, samples: Samples) -> tuple[str, ...]:
    found, ratio = sample_stats(samples[row.key]), _ratio(row, samples)
    return (
        row.title,
        _number(found.median),
        f"{_number(found.minimum)} to {_number(found.maximum)}",
        row.unit,
        f"{ratio.median:.2f}{_suffix(row)}" if ratio else "",
        f"{ratio.minimum:.2f} to {ratio.maximum:.2f}" if ratio else "",
        _goal(row, found.median, ratio.median if ratio else None),
    )


def _suffix(row: Row) -> str:
    if not row.ratio:
        return ""
    return "/1,000 steps" if row.per_thousand else "x"


def _goal(row: Row, median: float, ratio: float | None) -> str:
    """The goal, and whether the median misses it."""
    if row.limit is not None:
        return f"at most {_number(row.limit)}" + (", missed" if median > row.limit else "")
    if row.goal is None:
        return ""
    reached = ratio if row.ratio else median
    missed = reached is not None and reached < row.goal
    return f"{_number(row.goal)}{_suffix(row)}" + (", missed" if missed else "")


def _ratio(row: Row, samples: Samples) -> SampleStats | None:
    scale = 1_000.0 if row.per_thousand else 1.0
    scaled = [each * scale for each in samples[row.key]]
    return ratios(scaled, samples.get(row.yardstick, ())) if row.yardstick else None


def _number(value: float) -> str:
    if 0 < value < 1:
        return f"{value:.3f}"
    return f"{value:,.0f}" if value >= 100 else f"{value:,.1f}"


def write_json(
    path: Path, samples: Samples, failures: Mapping[str, str], conditions: Mapping[str, object]
) -> None:
    """Write ratios and rates by name (null if missing), and the samples behind them."""
    found: dict[str, object] = {}
    for row in ROWS:
        here = row.key in samples
        found[row.key] = round(sample_stats(samples[row.key]).median, 3) if here else None
        if row.ratio:
            ratio = _ratio(row, samples) if here else None
            found[row.ratio] = round(ratio.median, 3) if ratio else None
    content = {
        **found,
        "samples": {key: [round(value, 3) for value in values] for key, values in samples.items()},
        "no_figure_for": dict(failures),
        "conditions": dict(conditions),
    }
    path.write_bytes(msgspec.json.format(msgspec.json.encode(content)) + b"\n")
