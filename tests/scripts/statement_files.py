"""Writes bank statements and runs `scripts/audit reconcile` on them."""

import importlib
from pathlib import Path
from typing import Any

import psycopg

from engine.runtime.postgres.embedded_postgres import Conninfos

HEADER = "date,reference,amount,currency,counterparty\n"
DAY = "2026-11-21"  # the test house's clock starts at 10:00 on this day


def written(folder: Path, rows: str | list[str]) -> Path:
    path = folder / "statement.csv"
    path.write_text(HEADER + "\n".join(rows) if isinstance(rows, list) else rows)
    return path


def run_reconcile(path: Path, *options: str) -> int:
    main = importlib.import_module("scripts.audit_tool.__main__").main
    status: int = main(["reconcile", str(path), *options])
    return status


def row(amount: str, reference: str = "", day: str = DAY, currency: str = "SGD") -> str:
    return f"{day},{reference},{amount},{currency},Tan"


def facts(stored: Conninfos) -> list[Any]:
    with psycopg.connect(stored.owner) as connection:
        return connection.execute("SELECT * FROM log.facts ORDER BY notification_id").fetchall()
