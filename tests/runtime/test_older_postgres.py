"""The log on PostgreSQL 16, which has fewer privileges, under a role that owns no table."""

import threading
from pathlib import Path

import psycopg

from engine.runtime.log import schema
from engine.runtime.log.fact_log import FactLog, datastore
from tests.runtime.older_postgres import postgres_16
from tests.runtime.test_log import deposits

WRITERS = 4
BATCHES = 25


def test_the_application_appends_and_readers_miss_no_fact(data_dir: Path) -> None:
    with postgres_16(data_dir) as conninfos:
        schema.create(conninfos.owner)
        schema.create(conninfos.owner)
        with datastore(conninfos.app, connections=WRITERS) as store:
            log = FactLog(store)

            def write(writer: int) -> None:
                for number in range(BATCHES):
                    log.append(deposits(f"player-{writer}-{number}"))

            writers = [threading.Thread(target=write, args=(number,)) for number in range(WRITERS)]
            for thread in writers:
                thread.start()
            read = 0
            while read < WRITERS * BATCHES:
                is_writing = any(thread.is_alive() for thread in writers)
                page = log.page(read, 1_000)
                assert [each.position for each in page] == list(
                    range(read + 1, read + len(page) + 1)
                )
                read += len(page)
                assert page or is_writing
            for thread in writers:
                thread.join()


def test_the_application_still_changes_nothing(data_dir: Path) -> None:
    with postgres_16(data_dir) as conninfos:
        schema.create(conninfos.owner)
        with psycopg.connect(conninfos.app) as connection:
            try:
                connection.execute("DELETE FROM log.facts")
            except psycopg.errors.InsufficientPrivilege:
                return
    raise AssertionError
