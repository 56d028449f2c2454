"""The eventsourcing library's own suites, run on our log.

Its `AggregateRecorderTestCase` does not apply: we have no recorder without positions. Neither do
its process and infrastructure suites: we use none of those classes.
"""

from uuid import uuid4

import psycopg
import pytest
from eventsourcing.tests import persistence as library

from engine.runtime.log.fact_log import FactLog, datastore
from engine.runtime.postgres.embedded_postgres import Conninfos
from projections.runner.tables import CheckpointRecorder


class _OnPostgres(library.RecorderTestCase):
    """A new database with a log for each test. Stream names are text."""

    @pytest.fixture(autouse=True)
    def _with_database(self, database: Conninfos) -> None:
        self._conninfo = database.owner

    def new_originator_id(self) -> str:
        return f"player-{uuid4()}"

    def create_recorder(self) -> FactLog:
        with psycopg.connect(self._conninfo, autocommit=True) as connection:
            connection.execute("CREATE SCHEMA log")
        store = datastore(self._conninfo, connections=8)
        self.addCleanup(store.close)
        log = FactLog(store)
        log.create_table()
        return log


class TestAppending(_OnPostgres, library.ApplicationRecorderTestCase[FactLog]):
    def test_insert_subscribe(self) -> None:
        self.optional_test_insert_subscribe()


class TestOrder(_OnPostgres, library.NonInterleavingNotificationIDsBaseCase):
    insert_num = 1_000


class TestTracking(library.TrackingRecorderTestCase):
    @pytest.fixture(autouse=True)
    def _with_database(self, database: Conninfos) -> None:
        self._conninfo = database.owner

    def create_recorder(self) -> CheckpointRecorder:
        store = datastore(self._conninfo, schema="public")
        self.addCleanup(store.close)
        positions = CheckpointRecorder(store)
        positions.create_table()
        return positions
