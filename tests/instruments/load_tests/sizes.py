"""The size of each load. Small ones show that the bench works; only large ones are meaningful."""

from msgspec import Struct


class Sizes(Struct, frozen=True):
    """Counts and seconds of the loads.

    `history_facts` is the minimum log for projections and replay; the audits read `audited_days`.
    """

    pgbench_s: int = 20
    library_s: float = 8.0
    pgledger_s: int = 10
    writer_players: int = 2_000
    writer_bets: int = 200_000
    http_tokens: int = 1_000
    http_connections: int = 128
    http_s: float = 10.0
    apis_s: float = 7.0
    heartbeat_s: float = 2.0
    heartbeat_slices: int = 2
    room_bets: int = 20
    settled_bets: int = 50_000
    meanwhile_per_second: int = 1_000
    history_facts: int = 200_000
    audited_days: int = 16
    audited_bets_a_round: int = 7
    stream_clients: int = 500
    stream_members: int = 50
    stream_per_second: float = 5.0
    stream_s: float = 60.0
    streams_clients: int = 5_000
    streams_s: float = 40.0
    web_runs: int = 5
    large_facts: int = 10_000_000
    large_members: int = 1_000_000
    large_turns: int = 3


FULL = Sizes()
QUICK = Sizes(
    pgbench_s=4,
    library_s=2.0,
    pgledger_s=2,
    writer_players=500,
    writer_bets=20_000,
    http_tokens=200,
    http_connections=64,
    http_s=2.5,
    apis_s=2.0,
    heartbeat_s=1.0,
    heartbeat_slices=1,
    settled_bets=5_000,
    history_facts=10_000,
    audited_days=1,
    stream_clients=50,
    stream_s=15.0,
    streams_clients=150,
    streams_s=10.0,
    web_runs=1,
    large_facts=20_000,
    large_members=2_000,
    large_turns=1,
)
PGBENCH_SCALE = 50
PGBENCH_CLIENTS = 8
PGBENCH_THREADS = 2
LIBRARY_WALLETS = 2_000
