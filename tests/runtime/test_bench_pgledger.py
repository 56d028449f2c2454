"""The bench's load of pgledger counts what the ledger stored; here with a ledger made for the test.

pgledger itself is not part of this repository. The functions have its names and parameters.
"""

from pathlib import Path

import pytest

from engine.runtime.postgres.embedded_postgres import EmbeddedPostgres
from tests.instruments.load_tests import pgledger
from tests.instruments.load_tests.bench_database import BenchDatabase
from tests.instruments.load_tests.sizes import QUICK
from tests.instruments.load_tests.workers import NoFigureError

PLAYERS = 50
LEDGER = """
CREATE TABLE pgledger_accounts (id text PRIMARY KEY, balance numeric NOT NULL DEFAULT 0);
CREATE TABLE pgledger_transfers (id bigserial PRIMARY KEY);
CREATE TABLE pgledger_entries (id bigserial PRIMARY KEY);
CREATE TYPE transfer_request AS (from_account_id text, to_account_id text, amount numeric);
CREATE FUNCTION pgledger_create_account(
    name text, currency text, allow_negative_balance boolean DEFAULT true
) RETURNS SETOF pgledger_accounts LANGUAGE sql AS
    $$ INSERT INTO pgledger_accounts VALUES (name, {balance}) RETURNING * $$;
CREATE FUNCTION pgledger_create_transfers(transfer_requests transfer_request[])
RETURNS SETOF pgledger_transfers LANGUAGE sql AS $$
    INSERT INTO pgledger_entries SELECT FROM generate_series(1, {entries} * {stored});
    INSERT INTO pgledger_transfers SELECT FROM generate_series(1, {stored}) RETURNING *
$$;
CREATE FUNCTION pgledger_create_transfer(
    from_account_id text, to_account_id text, amount numeric
) RETURNS SETOF pgledger_transfers LANGUAGE sql AS $$
    SELECT * FROM pgledger_create_transfers(
        ARRAY[(from_account_id, to_account_id, amount)::transfer_request])
$$;
"""


def ledger(
    *, stored: str = "cardinality(transfer_requests)", entries: int = 2, balance: int = 0
) -> str:
    return LEDGER.format(stored=stored, entries=entries, balance=balance)


def measured(data_dir: Path, tmp_path: Path, sql: str) -> dict[str, float]:
    file = tmp_path / "pgledger.sql"
    file.write_text(sql)
    with EmbeddedPostgres(data_dir) as server:
        return pgledger.measure_for(BenchDatabase(tmp_path, server), PLAYERS, file, ["-t", "5"])


def test_a_ledger_that_stores_every_transfer_has_three_figures(
    data_dir: Path, tmp_path: Path
) -> None:
    found = measured(data_dir, tmp_path, ledger())
    assert sorted(found) == [
        "pgledger_batch_per_second",
        "pgledger_house_per_second",
        "pgledger_per_second",
    ]
    assert all(rate > 0 for rate in found.values())


def test_a_ledger_that_loses_a_transfer_has_no_figure(data_dir: Path, tmp_path: Path) -> None:
    sql = ledger(stored="least(cardinality(transfer_requests), 39)")
    with pytest.raises(NoFigureError, match=r"^pgledger: \d+ acknowledged, \d+ stored$"):
        measured(data_dir, tmp_path, sql)


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        (ledger(entries=1), "a transfer does not have two entries"),
        (ledger(balance=1), "its accounts do not add up to zero"),
    ],
)
def test_a_ledger_that_is_not_in_balance_has_no_figure(
    data_dir: Path, tmp_path: Path, sql: str, reason: str
) -> None:
    with pytest.raises(NoFigureError, match=reason):
        measured(data_dir, tmp_path, sql)


def test_a_ledger_without_its_function_for_identifiers_has_no_figure(
    data_dir: Path, tmp_path: Path
) -> None:
    sql = "CREATE FUNCTION new_id() RETURNS text LANGUAGE sql AS $$ SELECT uuid_to_ulid() $$"
    with pytest.raises(NoFigureError, match=r"does not work without .*uuid-to-ulid\.sql"):
        measured(data_dir, tmp_path, sql)


def test_the_load_without_a_file_says_where_to_get_it(data_dir: Path, tmp_path: Path) -> None:
    bench_db = BenchDatabase(tmp_path, EmbeddedPostgres(data_dir))
    with pytest.raises(NoFigureError, match=r"clone https://github\.com/pgr0ss/pgledger"):
        pgledger.measure(bench_db, QUICK, None)
