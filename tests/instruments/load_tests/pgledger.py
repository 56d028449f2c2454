"""pgledger (https://github.com/pgr0ss/pgledger), a ledger of functions in SQL, driven by pgbench.

Its code is not part of this repository: `--pgledger` names its file. It runs on the PostgreSQL of
all loads, with the clients of pgbench's own load. A transfer moves what a bet moves, from a
player's available money to the player's stakes, so that no two players need the same account. In
another run all stakes go to one account. In a third a call has as many transfers of different
players as a slip has bets; each call is one transaction.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import psycopg
from msgspec import Struct

from api.game.bets import MAX_BETS_A_SLIP
from tests.instruments.load_tests import pgbench
from tests.instruments.load_tests.bench_database import BenchDatabase, query
from tests.instruments.load_tests.options import NO_LEDGER
from tests.instruments.load_tests.sizes import Sizes
from tests.instruments.load_tests.workers import NoFigureError

_DATABASE: Final = "pgledger"
#: Next to pgledger.sql in its repository: the function that makes its identifiers.
_ULID: Final = Path("vendor", "scoville-pgsql-ulid", "uuid-to-ulid.sql")
_ACCOUNTS: Final = """
CREATE TABLE bench_house AS
SELECT world.id AS world, stakes.id AS stakes
FROM pgledger_create_account('world', 'u') AS world,
     pgledger_create_account('stakes', 'u') AS stakes;
CREATE TABLE bench_players (number int PRIMARY KEY, available text NOT NULL, staked text NOT NULL);
INSERT INTO bench_players
SELECT number,
       (SELECT id FROM pgledger_create_account(
           'available ' || number, 'u', allow_negative_balance => false)),
       (SELECT id FROM pgledger_create_account(
           'staked ' || number, 'u', allow_negative_balance => false))
FROM generate_series(1, {players}) AS number;
SELECT count(*) FROM pgledger_create_transfers(transfer_requests => (
    SELECT array_agg((world, available, '1000000')::transfer_request)
    FROM bench_players, bench_house));
ANALYZE;
"""
_TRANSFER: Final = r"""
\set player random(1, :players)
SELECT transfer.id
FROM bench_players, bench_house, pgledger_create_transfer(available, {to}, '1') AS transfer
WHERE number = :player;
"""
_BATCH: Final = r"""
\set first random(1, :players - {size} + 1)
SELECT count(*) FROM pgledger_create_transfers(transfer_requests => (
    SELECT array_agg((available, staked, '1')::transfer_request)
    FROM bench_players WHERE number BETWEEN :first AND :first + {size} - 1));
"""
_TRANSFERS: Final = "SELECT count(*) FROM pgledger_transfers"
_ENTRIES: Final = "SELECT count(*) FROM pgledger_entries"
#: Its amounts are numeric or money, depending on its version.
_UNBALANCED: Final = "SELECT (sum(balance)::numeric <> 0)::int FROM pgledger_accounts"


class TransferScript(Struct, frozen=True):
    """The figure of a script of pgbench, and how many transfers each of its transactions makes."""

    figure: str
    text: str
    transfers: int = 1


_SCRIPTS: Final = (
    TransferScript("pgledger_per_second", _TRANSFER.format(to="staked")),
    TransferScript("pgledger_house_per_second", _TRANSFER.format(to="stakes")),
    TransferScript(
        "pgledger_batch_per_second", _BATCH.format(size=MAX_BETS_A_SLIP), MAX_BETS_A_SLIP
    ),
)


def measure(bench_db: BenchDatabase, sizes: Sizes, file: Path | None) -> dict[str, float]:
    """One run of each script on a fresh database.

    Raises: NoFigureError: there is no `file`, or its ledger differs from what was acknowledged.
    """
    if file is None:
        raise NoFigureError(NO_LEDGER)
    return measure_for(bench_db, sizes.writer_players, file, ["-T", str(sizes.pgledger_s)])


def measure_for(
    bench_db: BenchDatabase, players: int, file: Path, length: Sequence[str]
) -> dict[str, float]:
    """The same with accounts of these players; `length` is pgbench's option for each run."""
    conninfo = bench_db.fresh_database(_DATABASE).owner
    _install(conninfo, file, players)
    options = ["-n", "-D", f"players={players}", *length]
    measured = {each.figure: _run(bench_db, conninfo, each, options) for each in _SCRIPTS}
    if query(conninfo, _ENTRIES) != 2 * query(conninfo, _TRANSFERS):
        raise NoFigureError("pgledger: a transfer does not have two entries")
    if query(conninfo, _UNBALANCED):
        raise NoFigureError("pgledger: its accounts do not add up to zero")
    bench_db.drop(_DATABASE)
    return measured


def _install(conninfo: str, file: Path, players: int) -> None:
    """Create the ledger, and the accounts of players with money."""
    ulid = file.parent / _ULID
    with psycopg.connect(conninfo, autocommit=True) as connection:
        try:
            for script in (ulid, file):
                if script.exists():
                    connection.execute(script.read_bytes())
        except psycopg.errors.UndefinedFunction as error:
            raise NoFigureError(f"{file} does not work without {ulid}: {error}") from None
        connection.execute(_ACCOUNTS.format(players=players).encode())


def _run(
    bench_db: BenchDatabase, conninfo: str, script: TransferScript, options: Sequence[str]
) -> float:
    """Transfers per second. Raises NoFigureError if the ledger has more or fewer of them."""
    file = bench_db.fresh_folder(_DATABASE) / "transfers.sql"
    file.write_text(script.text)
    before = query(conninfo, _TRANSFERS)
    result = pgbench.run_clients(bench_db, _DATABASE, *options, "-f", str(file))
    acknowledged = result.acknowledged * script.transfers
    stored = query(conninfo, _TRANSFERS) - before
    if stored != acknowledged:
        raise NoFigureError(f"pgledger: {acknowledged} acknowledged, {stored} stored")
    return result.per_second * script.transfers
