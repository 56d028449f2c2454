"""Creates the database schema of the engine; safe to run at every start."""

from pathlib import Path

import psycopg

from engine.runtime.log.fact_log import FactLog, datastore


def create(conninfo: str) -> None:
    """Create schemas, tables, triggers and grants, as the database's owner."""
    with psycopg.connect(conninfo, autocommit=True) as conn:
        conn.execute("CREATE SCHEMA IF NOT EXISTS log")
    store = datastore(conninfo)
    try:
        FactLog(store).create_table()
    finally:
        store.close()
    statements = Path(__file__).with_name("schema.sql").read_text()
    with psycopg.connect(conninfo, autocommit=True) as conn:
        # The lock keeps two processes that start together from creating the same objects.
        conn.execute("SELECT pg_advisory_lock(hashtext('fairdraw schema'))")
        conn.execute(statements.encode())
