from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import psycopg
import pytest
from eventsourcing.persistence import IntegrityError, PersistenceError
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from engine.cashier.facts import DepositApproved
from engine.facts import TOPICS, encode, player_stream
from engine.runtime.log.fact_log import (
    ACCEPTED,
    LEASE_LOST,
    LOG_MOVED,
    Batch,
    FactLog,
    datastore,
)
from engine.runtime.log.lease import Lease, LeaseLost
from engine.runtime.log.pg_arrays import Column, blobs, integers, register, texts
from engine.runtime.postgres.embedded_postgres import Conninfos, EmbeddedPostgres

register(psycopg.adapters)

TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))


def deposits(*streams: str, first_version: int = 1, at: int = 1_000) -> Batch:
    """A batch with one deposit for each stream."""
    fact = DepositApproved("deposit", "bank", 10_000, "")
    count = len(streams)
    return Batch(
        at=at,
        streams=list(streams),
        versions=[first_version] * count,
        topics=[TOPICS[DepositApproved]] * count,
        states=[encode(fact)] * count,
        commands=["key"] * count,
        actors=["clerk"] * count,
    )


def with_outcome(batch: Batch, key: str) -> Batch:
    """The batch with an added outcome."""
    batch.outcome_actors.append("clerk")
    batch.outcome_keys.append(key)
    batch.outcome_commands.append(b"command")
    batch.outcome_answers.append(b"answer")
    batch.outcome_kinds.append(ACCEPTED)
    return batch


def led_by(batch: Batch, epoch: int, *, batch_id: bytes = b"batch") -> Batch:
    """The batch under a leader's epoch."""
    batch.epoch, batch.id, batch.first_position = epoch, batch_id, 1
    return batch


def rows(conninfo: str, table: str) -> int:
    with psycopg.connect(conninfo) as connection:
        row = connection.execute(f"SELECT count(*) FROM log.{table}".encode()).fetchone()
    assert row is not None
    return int(row[0])


# The log is append-only


CHANGES = [
    "UPDATE log.facts SET state = 'x'",
    "UPDATE log.facts SET at = 0 WHERE false",
    "DELETE FROM log.facts",
    "TRUNCATE log.facts",
]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("role", ["app", "owner"])
def test_the_log_cannot_be_changed(
    house_database: Conninfos, log: FactLog, role: str, change: str
) -> None:
    log.append(deposits("player-1"))
    with (
        psycopg.connect(getattr(house_database, role)) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute(change.encode())
    assert rows(house_database.app, "facts") == 1


@pytest.mark.parametrize("change", CHANGES)
def test_not_even_the_superuser_changes_the_log(
    postgres: EmbeddedPostgres, house_database: Conninfos, log: FactLog, change: str
) -> None:
    log.append(deposits("player-1"))
    name = psycopg.conninfo.conninfo_to_dict(house_database.app)["dbname"]
    with (
        psycopg.connect(postgres.dsn("admin", str(name))) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege, match="append-only"),
    ):
        connection.execute(change.encode())


@pytest.mark.parametrize(
    "change",
    [
        "INSERT INTO log.facts SELECT * FROM log.facts",
        "INSERT INTO log.facts VALUES ('player-1', 1, 'topic', '', 1, 0, '', '')",
        "COPY log.facts FROM STDIN",
        "INSERT INTO log.outcomes VALUES ('player-1', 'key', '', '', false, 0)",
        "INSERT INTO log.batches VALUES ('', 1, 1, 0)",
        "ALTER TABLE log.facts DISABLE TRIGGER facts_append_only",
        "DROP TRIGGER facts_append_only ON log.facts",
        "CREATE TRIGGER mine BEFORE INSERT ON log.facts EXECUTE FUNCTION log.refuse_change()",
        "DROP FUNCTION log.append_batch",
        "ALTER FUNCTION log.append_batch SECURITY INVOKER",
        "CREATE OR REPLACE FUNCTION log.refuse_change() RETURNS trigger LANGUAGE sql AS ''",
        "CREATE FUNCTION log.append_batch(bigint) RETURNS bigint LANGUAGE sql AS 'SELECT 1'",
        "SET ROLE fairdraw_owner",
        "DROP TABLE log.facts",
        "CREATE TABLE log.mine ()",
        "UPDATE log.batches SET epoch = 0",
        "DELETE FROM log.batches",
        "UPDATE log.outcomes SET answer = 'x'",
        "SET session_replication_role = replica",
    ],
)
def test_the_application_cannot_bypass_that(house_database: Conninfos, change: str) -> None:
    with (
        psycopg.connect(house_database.app) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute(change.encode())


def test_the_application_appends_through_the_function_alone(
    house_database: Conninfos, log: FactLog
) -> None:
    log.append(with_outcome(deposits("player-1"), "key"))
    with (
        psycopg.connect(house_database.app) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute("INSERT INTO log.facts SELECT * FROM log.facts")
    assert log.last() == (1, 1_000)


def test_objects_of_the_application_do_not_act_with_the_functions_rights(
    house_database: Conninfos, log: FactLog
) -> None:
    """The function has its owner's rights, so no name in it may find what the caller made."""
    with psycopg.connect(house_database.app, autocommit=True) as connection:
        connection.execute(
            "CREATE FUNCTION views.cardinality(text[]) RETURNS int LANGUAGE plpgsql"
            " AS 'BEGIN DELETE FROM log.batches; RETURN 0; END'"
        )
        connection.execute("SET search_path = views, pg_catalog")
        connection.execute(log._append, deposits("player-1").columns())
    assert log.last() == (1, 1_000)


# Positions


def test_positions_run_from_one_without_gaps_despite_refused_batches(log: FactLog) -> None:
    log.append(deposits("player-1", "player-2"))
    with pytest.raises(IntegrityError):
        log.append(deposits("player-3", "player-1"))
    log.append(deposits("player-3"))
    facts = log.page(0, 10)
    assert [(each.position, each.stream) for each in facts] == [
        (1, "player-1"),
        (2, "player-2"),
        (3, "player-3"),
    ]


def test_a_position_is_given_once(log: FactLog) -> None:
    log.append(deposits("player-1", "player-2"))
    late = deposits("player-3")
    late.first_position = 2
    with pytest.raises(PersistenceError) as refused:
        log.append(late)
    assert isinstance(refused.value.__cause__, psycopg.Error)
    assert refused.value.__cause__.sqlstate == LOG_MOVED
    assert log.last() == (2, 1_000)


def test_the_end_of_the_log_is_known_where_a_newer_program_wrote_it(log: FactLog) -> None:
    newer = deposits("player-1", at=123_456)
    newer.topics = ["not-known-here.1"]
    log.append(newer)
    assert log.last() == (1, 123_456)
    assert log.version("player-1") == 1


def test_a_fact_is_read_back_with_its_envelope(log: FactLog) -> None:
    log.append(deposits(player_stream(7), at=123_456))
    (recorded,) = log.streams(["player-7"])
    assert (recorded.position, recorded.version, recorded.at) == (1, 1, 123_456)
    assert (recorded.command_id, recorded.actor) == ("key", "clerk")
    assert recorded.fact == DepositApproved("deposit", "bank", 10_000, "")


# Values are stored unchanged


@pytest.mark.parametrize(
    "state", [b"", bytes(range(256)), b"\\x00", "世界 🎲 ñ".encode(), b"x" * 3_000_000]
)
def test_states_come_back_byte_by_byte(log: FactLog, state: bytes) -> None:
    batch = deposits("player-1")
    batch.states = [state]
    log.append(batch)
    (stored,) = log.select_events("player-1")
    assert bytes(stored.state) == state


@pytest.mark.parametrize("name", ["", "世界 🎲", 'it\'s \\ "quoted", {braces}, NULL', "n" * 1_000])
def test_streams_keys_and_actors_may_be_any_text(log: FactLog, name: str) -> None:
    batch = deposits(name)
    batch.commands, batch.actors = [name], [name]
    log.append(batch)
    (recorded,) = log.streams([name])
    assert (recorded.stream, recorded.command_id, recorded.actor) == (name, name, name)


def test_streams_are_ordered_by_bytes_and_not_by_language(log: FactLog) -> None:
    log.append(deposits("round-1-a", "round-1-B", "round-10-1", "round-1~"))
    found = log.streams_between("round-1-", "round-1-~")
    assert [each.stream for each in found] == ["round-1-B", "round-1-a"]


@given(
    strings=st.lists(TEXT, max_size=30),
    blocks=st.lists(st.binary(), max_size=30),
    numbers=st.lists(st.integers(-(2**63), 2**63 - 1), max_size=30),
)
@example(strings=["", "a" * 127], blocks=[b""], numbers=[0])
@example(strings=["a" * 128, ""], blocks=[b"a" * 128], numbers=[-1])
@example(strings=["a", "é", "\x7f\x80"], blocks=[], numbers=[])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_columns_reach_the_server_unchanged(
    postgres: EmbeddedPostgres, strings: list[str], blocks: list[bytes], numbers: list[int]
) -> None:
    columns: tuple[Column, ...] = (texts(strings), blobs(blocks), integers(numbers))
    with psycopg.connect(postgres.dsn("app")) as connection:
        query = "SELECT %s::text[], %s::bytea[], %s::bigint[]"
        row = connection.execute(query, columns).fetchone()
    assert row == (strings, blocks, numbers)


def test_a_batch_may_be_larger_than_the_sockets_buffer(log: FactLog) -> None:
    log.append(deposits(*(f"player-{number}" for number in range(30_000))))
    assert log.last() == (30_000, 1_000)


# A batch is atomic


def test_a_batch_is_stored_with_its_outcomes_and_its_id(
    house_database: Conninfos, log: FactLog
) -> None:
    epoch = take_lease(log)
    log.append(led_by(with_outcome(deposits("player-1"), "key"), epoch))
    counts = [rows(house_database.app, table) for table in ("facts", "outcomes", "batches")]
    assert counts == [1, 1, 1]


def test_outcomes_may_be_stored_without_facts(house_database: Conninfos, log: FactLog) -> None:
    log.append(led_by(with_outcome(Batch(at=5), "key"), take_lease(log)))
    assert rows(house_database.app, "outcomes") == 1


def test_an_existing_outcome_rejects_the_whole_batch(
    house_database: Conninfos, log: FactLog
) -> None:
    log.append(with_outcome(deposits("player-1"), "key"))
    with pytest.raises(IntegrityError):
        log.append(with_outcome(deposits("player-2"), "key"))
    assert rows(house_database.app, "facts") == 1


def test_an_existing_version_rejects_the_whole_batch(
    house_database: Conninfos, log: FactLog
) -> None:
    log.append(deposits("player-1"))
    batch = with_outcome(deposits("player-2", "player-1"), "key")
    batch.first_position = 2
    with pytest.raises(IntegrityError):
        log.append(batch)
    counts = [rows(house_database.app, table) for table in ("facts", "outcomes")]
    assert counts == [1, 0]


def test_a_batch_id_is_stored_once(house_database: Conninfos, log: FactLog) -> None:
    epoch = take_lease(log)
    log.append(led_by(deposits("player-1"), epoch))
    again = led_by(deposits("player-2"), epoch)
    again.first_position = 2
    with pytest.raises(IntegrityError):
        log.append(again)
    assert rows(house_database.app, "facts") == 1


# The topics of the writer's facts are listed


def topics(conninfo: str) -> list[tuple[str, int]]:
    """The listed topics with their first positions."""
    with psycopg.connect(conninfo) as connection:
        query = "SELECT topic, first_position FROM log.topics ORDER BY 2, 1"
        return connection.execute(query).fetchall()


def test_a_topic_is_listed_with_its_first_fact(house_database: Conninfos, log: FactLog) -> None:
    epoch, listed = take_lease(log), []
    for number, names in enumerate((["a.1", "b.1", "a.1"], ["b.1", "a.1", "c.1"]), 1):
        batch = led_by(deposits("player-1", "player-2", "player-3", first_version=number), epoch)
        batch.id, batch.topics, batch.first_position = bytes([number]), names, 3 * number - 2
        log.append(batch)
        listed.append(topics(house_database.app))
    assert listed == [[("a.1", 1), ("b.1", 2)], [("a.1", 1), ("b.1", 2), ("c.1", 6)]]
    with datastore(house_database.app) as store:  # the next leader's
        batch = led_by(deposits("player-1", first_version=3), epoch, batch_id=b"3")
        batch.topics, batch.first_position = ["b.1"], 7
        FactLog(store).append(batch)
    assert topics(house_database.app) == listed[1]


def test_a_new_epoch_lists_a_topic_again_that_a_restored_log_lacks(
    house_database: Conninfos, log: FactLog
) -> None:
    epoch = take_lease(log)
    log.append(led_by(deposits("player-1"), epoch))
    listed = topics(house_database.app)
    with psycopg.connect(house_database.owner) as owner:
        owner.execute("DELETE FROM log.topics")
        owner.execute("UPDATE log.lease SET epoch = epoch + 1")
    batch = led_by(deposits("player-1", first_version=2), epoch + 1, batch_id=b"next")
    batch.first_position = 2
    log.append(batch)
    assert topics(house_database.app) == [(topic, 2) for topic, _ in listed]


def test_a_refused_batch_lists_no_topic(house_database: Conninfos, log: FactLog) -> None:
    epoch = take_lease(log)
    log.append(led_by(deposits("player-1"), epoch))
    listed = topics(house_database.app)
    refused = led_by(deposits("player-1"), epoch, batch_id=b"again")
    refused.topics, refused.first_position = ["new.1"], 2
    with pytest.raises(IntegrityError):
        log.append(refused)
    assert topics(house_database.app) == listed
    refused.versions = [2]
    log.append(refused)
    assert topics(house_database.app) == [*listed, ("new.1", 2)]


# Only the leader writes


def take_lease(log: FactLog) -> int:
    lease = Lease(log.datastore)
    assert lease.take()
    return lease.epoch


@pytest.mark.parametrize("offset", [1, -1])
def test_a_batch_under_another_epoch_is_rejected(
    house_database: Conninfos, log: FactLog, offset: int
) -> None:
    epoch = take_lease(log)
    with pytest.raises(PersistenceError) as refused:
        log.append(led_by(with_outcome(deposits("player-1"), "key"), epoch - offset))
    assert isinstance(refused.value.__cause__, psycopg.Error)
    assert refused.value.__cause__.sqlstate == LEASE_LOST
    counts = [rows(house_database.app, table) for table in ("facts", "outcomes", "batches")]
    assert counts == [0, 0, 0]


@pytest.mark.parametrize("offset", [1, -1])
def test_outcomes_without_facts_under_another_epoch_are_rejected(
    house_database: Conninfos, log: FactLog, offset: int
) -> None:
    """Otherwise a retry would get a deposed leader's stored refusal for a day."""
    epoch = take_lease(log)
    with pytest.raises(PersistenceError) as refused:
        log.append(led_by(with_outcome(Batch(at=5), "key"), epoch - offset))
    assert isinstance(refused.value.__cause__, psycopg.Error)
    assert refused.value.__cause__.sqlstate == LEASE_LOST
    assert [rows(house_database.app, table) for table in ("outcomes", "batches")] == [0, 0]


def test_the_lease_has_one_holder_until_it_is_released(house_database: Conninfos) -> None:
    with (
        datastore(house_database.app) as first_store,
        datastore(house_database.app) as second_store,
    ):
        first, second = Lease(first_store), Lease(second_store)
        assert first.take()
        assert not second.take()
        first.renew()
        first.release()
        assert second.take()
        assert second.epoch > first.epoch
        with pytest.raises(LeaseLost):
            first.renew()
        with pytest.raises(LeaseLost):
            first.bump(first.epoch)


def test_a_renewal_that_arrives_late_does_not_take_back_a_released_lease(
    house_database: Conninfos,
) -> None:
    """A renewal's thread outlives the task that started it; a successor would wait 3 s."""
    with (
        datastore(house_database.app) as first_store,
        datastore(house_database.app) as second_store,
    ):
        first, second = Lease(first_store), Lease(second_store)
        assert first.take()
        first.release()
        with pytest.raises(LeaseLost):
            first.renew()
        with pytest.raises(LeaseLost):
            first.bump(first.epoch)
        assert second.take()


def test_a_lease_that_a_database_with_a_wrong_clock_renewed_keeps_no_leader_waiting(
    house_database: Conninfos,
) -> None:
    """Its standby has the right time, and takes over with a lease from the next day."""
    with datastore(house_database.app) as one, datastore(house_database.app) as other:
        first, second = Lease(one), Lease(other)
        assert first.take()
        _renew_ahead(house_database, "1 s")  # the clocks of two machines are never quite the same
        assert second.is_held()
        assert not second.take()
        _renew_ahead(house_database, "1 day")
        assert not second.is_held()
        assert second.take()
        with pytest.raises(LeaseLost):
            first.renew()


def _renew_ahead(database: Conninfos, ahead: str) -> None:
    with psycopg.connect(database.owner) as connection:
        connection.execute(
            "UPDATE log.lease SET renewed_at = clock_timestamp() + %s::interval", [ahead]
        )


def test_a_renewal_that_waited_for_a_connection_does_not_extend_a_lease_that_was_given_up(
    house_database: Conninfos,
) -> None:
    """After a fail-over the next leader would wait until the late renewal had expired."""
    with datastore(house_database.app) as store, ThreadPoolExecutor(1) as threads:
        lease = Lease(store)
        assert lease.take()
        before = _renewed_at(house_database)
        with ExitStack() as held:
            for _ in range(store.pool.max_size):
                held.enter_context(store.get_connection())
            renewal = threads.submit(lease.renew)
            lease.stop_renewing()
        with pytest.raises(LeaseLost):
            renewal.result()
        with pytest.raises(LeaseLost):
            lease.bump(lease.epoch)
        assert _renewed_at(house_database) == before


def test_a_batch_of_an_earlier_leadership_begins_no_epoch_in_a_later_one_of_the_same_process(
    house_database: Conninfos,
) -> None:
    """Its late thread would cut off what the process has sent since."""
    with datastore(house_database.app) as store:
        lease = Lease(store)
        assert lease.take()
        sent_under = lease.epoch
        lease.release()
        assert lease.take()
        epoch = lease.epoch
        with pytest.raises(LeaseLost):
            lease.bump(sent_under)
        lease.renew()
        assert lease.epoch == epoch


def _renewed_at(database: Conninfos) -> Any:
    with psycopg.connect(database.app) as connection:
        return connection.execute("SELECT renewed_at FROM log.lease").fetchone()
