"""The log is sealed behind the writer: the same tree after any stop, and a changed log is found."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import count

import psycopg
import pytest
from eventsourcing.persistence import PersistenceError
from psycopg.rows import tuple_row

from engine.fairness import checkpoints, tiles
from engine.fairness.merkle import leaf_hash, tree_head
from engine.runtime.log import sealer, tile_writer
from engine.runtime.log.deadlines import Store
from engine.runtime.log.fact_log import FactLog, datastore
from engine.runtime.log.sealer import (
    NEWEST_NOTE,
    PUBLISHED_NOTE,
    SEALED_SIZE,
    LogChangedError,
    Sealer,
    newest_note,
)
from engine.runtime.log.tile_writer import TileWriter
from engine.runtime.postgres.embedded_postgres import Conninfos
from engine.runtime.secret_keys import OperatorKey
from tests.runtime.test_log import deposits

KEY = OperatorKey(b"k" * 32)
PUBLIC = KEY.public
NOW = 1_795_000_000_000_000
FACTS = (
    "SELECT notification_id, originator_id, originator_version, topic, at, command_id, actor, state"
    " FROM log.facts ORDER BY notification_id"
)


@pytest.fixture
def store(house_database: Conninfos) -> Iterator[Store]:
    store = datastore(house_database.app)
    yield store
    store.close()


@pytest.fixture(autouse=True)
def _short_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealer, "PAGE", 100)


def sealing(store: Store) -> Sealer:
    """A sealer of a process that has just started."""
    return Sealer(store, KEY, lambda: NOW)


def append(log: FactLog, facts: int, versions: Iterator[int] | None = None) -> None:
    """Add facts to streams of different names; a name of several bytes a letter among them."""
    versions = versions or count(1)
    for version in (next(versions) for _ in range(facts // 3)):
        log.append(deposits("player-1", "größe-2", "x" * 60, first_version=version, at=version))


def expected_root(conninfo: str) -> bytes:
    """The root over all facts, computed without the sealer's query."""
    with psycopg.connect(conninfo, row_factory=tuple_row) as connection:
        rows = connection.execute(FACTS).fetchall()
    return tree_head([leaf_hash(tiles.entry(*row)) for row in rows])


def sealed(store: Store) -> checkpoints.Checkpoint:
    """The newest checkpoint, whose signature is valid."""
    with store.get_connection() as connection:
        note = newest_note(connection)
    assert note is not None
    checkpoints.verify(note, checkpoints.origin_of(PUBLIC), PUBLIC)
    return note.checkpoint


def tampered(house: Conninfos, statement: str) -> None:
    """Change the log as its owner, who can switch the protection off."""
    with psycopg.connect(house.owner) as connection:
        connection.execute("ALTER TABLE log.facts DISABLE TRIGGER ALL")
        connection.execute(statement.encode())
        connection.execute("ALTER TABLE log.facts ENABLE TRIGGER ALL")


def test_the_whole_log_is_sealed(house_database: Conninfos, log: FactLog, store: Store) -> None:
    versions, one = count(1), sealing(store)
    one.catch_up()
    for facts in (3, 297, 300, 0, 600):
        append(log, facts, versions)
        one.catch_up()
        assert sealed(store).root == expected_root(house_database.app)
    assert sealed(store).size == one.size == 1_200


def test_a_new_process_continues_the_tree(
    house_database: Conninfos, log: FactLog, store: Store
) -> None:
    versions = count(1)
    for facts in (300, 30, 900):
        append(log, facts, versions)
        sealing(store).catch_up()
    assert sealed(store).root == expected_root(house_database.app)


def test_a_replaced_leader_that_still_seals_does_no_harm(
    house_database: Conninfos, log: FactLog, store: Store
) -> None:
    versions, both = count(1), (sealing(store), sealing(store))
    for turn in range(6):
        append(log, 150, versions)
        both[turn % 2].catch_up()
    both[0].catch_up()
    assert sealed(store) == checkpoints.Checkpoint(
        checkpoints.origin_of(PUBLIC), 900, expected_root(house_database.app)
    )


def test_a_process_that_dies_while_it_stores_leaves_the_tree_as_it_was(
    house_database: Conninfos, log: FactLog, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = count(1)
    append(log, 300, versions)
    sealing(store).catch_up()
    append(log, 300, versions)
    with monkeypatch.context() as dying:
        dying.setattr(Sealer, "_sign", lambda *_: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            sealing(store).catch_up()
    assert sealed(store).size == 300
    sealing(store).catch_up()
    assert sealed(store).root == expected_root(house_database.app)


@pytest.mark.parametrize(
    ("change", "trouble"),
    [
        (
            "UPDATE log.facts SET state = '{}' WHERE notification_id = 300",
            "position 300 has changed",
        ),
        ("DELETE FROM log.facts WHERE notification_id > 290", "ends before position 300"),
        ("UPDATE log.tiles SET hashes = set_byte(hashes, 30, 7)", "not those of the checkpoint"),
        ("DELETE FROM log.tiles WHERE level = 1", "tiles of the first 300 facts are missing"),
        (
            "UPDATE log.checkpoints SET size = 299, note = replace(note, '300', '299')",
            "not signed",
        ),
    ],
)
def test_a_log_that_was_changed_is_sealed_no_further(
    house_database: Conninfos, log: FactLog, store: Store, change: str, trouble: str
) -> None:
    append(log, 300)
    sealing(store).catch_up()
    tampered(house_database, change)
    with pytest.raises((LogChangedError, checkpoints.NoteError), match=trouble):
        sealing(store).catch_up()


def test_a_missing_fact_is_found_by_the_running_leader(
    house_database: Conninfos, log: FactLog, store: Store
) -> None:
    versions, one = count(1), sealing(store)
    append(log, 300, versions)
    one.catch_up()
    append(log, 30, versions)
    tampered(house_database, "DELETE FROM log.facts WHERE notification_id = 310")
    with pytest.raises(LogChangedError, match="a fact is missing after position 300"):
        one.catch_up()


@pytest.mark.parametrize(
    ("change", "trouble"),
    [
        ("TRUNCATE log.tiles, log.checkpoints", "checkpoints are gone, but 300 facts were sealed"),
        ("DELETE FROM log.checkpoints WHERE size = 300", "over 290 facts, but 300 were sealed"),
        ("DELETE FROM log.tiles", "tiles of the first 300 facts are missing"),
    ],
)
def test_a_running_leader_does_not_seal_over_what_it_has_sealed(
    house_database: Conninfos, log: FactLog, store: Store, change: str, trouble: str
) -> None:
    versions, hours = count(1), count(NOW, 3_600_000_000)
    one = Sealer(store, KEY, lambda: next(hours))
    for facts in (90, 210):
        append(log, facts, versions)
        one.catch_up()
    tampered(house_database, change)
    append(log, 30, versions)
    with pytest.raises(LogChangedError, match=trouble):
        one.catch_up()


def test_the_delay_is_measured_without_the_clock_of_the_facts(log: FactLog, store: Store) -> None:
    now, ran = count(NOW, 3_600_000_000), 100.0
    one = Sealer(store, KEY, lambda: next(now), lambda: ran)
    append(log, 3)
    one.catch_up()
    assert one.behind_s == 0, "the clock of the facts has jumped by hours"
    ran += 7.0
    assert one.behind_s == 6.0
    one.catch_up()
    assert one.behind_s == 0


def test_a_page_whose_commit_failed_does_not_count_as_sealed(
    log: FactLog, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the sealer would miss its own last checkpoint, and stop for good."""
    append(log, 3)
    sealing_store = sealing(store)
    transaction = psycopg.Connection.transaction

    @contextmanager
    def cut_off(connection: psycopg.Connection) -> Iterator[None]:
        with transaction(connection):
            yield
            raise psycopg.OperationalError("cut off before the commit")

    with monkeypatch.context() as patched:
        patched.setattr(psycopg.Connection, "transaction", cut_off)
        with pytest.raises(PersistenceError):
            sealing_store.catch_up()
    sealing_store.catch_up()
    assert (sealing_store.size, sealing_store.trouble) == (3, "")


@pytest.fixture
def writer(house_database: Conninfos) -> Iterator[TileWriter]:
    """The tile writer of a read models' process that has just started."""
    with closing(TileWriter(house_database.app)) as made:
        yield made


def read(writer: TileWriter, log: FactLog, after: int, limit: int) -> None:
    """The read models read a page."""
    writer.add(log.stored_page(after, limit))


def test_the_leader_signs_what_the_read_models_process_has_hashed(
    house_database: Conninfos,
    log: FactLog,
    store: Store,
    writer: TileWriter,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    versions, one = count(1), sealing(store)
    append(log, 30, versions)
    one.catch_up()
    writer.store()
    append(log, 600, versions)
    for after in range(30, 630, 70):
        read(writer, log, after, 70)
        writer.store()
    with monkeypatch.context() as unable:
        unable.setattr(Sealer, "_leaves", lambda *_: 1 // 0)
        one.keep_up()
    assert sealed(store) == checkpoints.Checkpoint(
        checkpoints.origin_of(PUBLIC), 630, expected_root(house_database.app)
    )
    assert one.behind_s == 0


def test_pages_that_the_read_models_repeat_or_skip_do_not_change_the_tree(
    house_database: Conninfos, log: FactLog, store: Store, writer: TileWriter
) -> None:
    versions, one = count(1), sealing(store)
    append(log, 300, versions)
    one.catch_up()
    read(writer, log, 0, 300)  # before its first look at the tree it cannot know what is new
    writer.store()
    append(log, 300, versions)
    for after, limit in ((250, 100), (250, 150), (0, 300), (500, 50), (300, 90)):
        read(writer, log, after, limit)
        writer.store()
    one.keep_up()
    assert sealed(store).size == 400
    one.keep_up()
    read(writer, log, 550, 50)
    writer.store()
    one.keep_up()
    assert sealed(store) == checkpoints.Checkpoint(
        checkpoints.origin_of(PUBLIC), 600, expected_root(house_database.app)
    )


def test_without_read_models_the_leader_hashes_by_itself(
    house_database: Conninfos, log: FactLog, store: Store, writer: TileWriter
) -> None:
    """And what they hash later, of the same facts, adds nothing."""
    versions, one = count(1), sealing(store)
    writer.store()
    for _ in range(3):
        append(log, 300, versions)
        read(writer, log, one.size, 300)
        one.keep_up()
    assert sealed(store).size == 900
    writer.store()
    one.keep_up()
    assert sealed(store).size == 900
    append(log, 30, versions)
    read(writer, log, 900, 30)
    writer.store()
    one.keep_up()
    assert sealed(store).root == expected_root(house_database.app)


def test_hashes_that_cannot_be_stored_take_no_unlimited_memory(
    log: FactLog, store: Store, writer: TileWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tile_writer, "_LIMIT", 100)
    append(log, 600)
    writer.store()
    for after in range(0, 600, 50):
        read(writer, log, after, 50)
        assert len(writer._hashes) <= 100
    writer.store()
    sealing(store).keep_up()
    assert sealed(store).size == 600


def test_evidence_before_a_draw_is_over_facts_that_no_process_has_hashed_yet(
    house_database: Conninfos, log: FactLog, store: Store, writer: TileWriter
) -> None:
    versions, one = count(1), sealing(store)
    append(log, 30, versions)
    one.catch_up()
    writer.store()
    append(log, 300, versions)
    read(writer, log, 30, 120)
    writer.store()
    one.catch_up()
    assert sealed(store) == checkpoints.Checkpoint(
        checkpoints.origin_of(PUBLIC), 330, expected_root(house_database.app)
    )


def test_a_log_that_was_cut_after_it_was_hashed_is_not_signed(
    house_database: Conninfos, log: FactLog, store: Store, writer: TileWriter
) -> None:
    versions, one = count(1), sealing(store)
    append(log, 30, versions)
    one.catch_up()
    writer.store()
    append(log, 30, versions)
    read(writer, log, 30, 30)
    writer.store()
    tampered(house_database, "DELETE FROM log.facts WHERE notification_id > 50")
    with pytest.raises(LogChangedError, match="the log ends before position 60"):
        one.keep_up()


def test_read_models_that_lag_delay_the_checkpoint_by_a_few_seconds_at_most(
    log: FactLog, store: Store, writer: TileWriter
) -> None:
    versions, ran = count(1), 100.0
    one = Sealer(store, KEY, lambda: NOW, lambda: ran)
    append(log, 3, versions)
    one.catch_up()
    writer.store()
    append(log, 300, versions)
    for after, sealed_size, delay_s in ((3, 53, 1.0), (53, 103, 3.0), (103, 303, 0.0)):
        ran += 2.0
        read(writer, log, after, 50)
        writer.store()
        one.keep_up()
        assert (one.size, one.behind_s) == (sealed_size, delay_s)


@pytest.mark.parametrize(
    ("query", "parameters"), [(NEWEST_NOTE, ()), (SEALED_SIZE, ()), (PUBLISHED_NOTE, (0,))]
)
def test_the_newest_checkpoint_is_read_without_those_of_former_years(
    house_database: Conninfos, query: str, parameters: tuple[int, ...]
) -> None:
    """The leader and the API read it several times a second."""
    hours = "SELECT hour, hour, {} 'note' FROM generate_series(1, 50000) AS hour"
    with psycopg.connect(house_database.owner) as connection:
        connection.execute(f"INSERT INTO log.checkpoints {hours.format('')}".encode())
        connection.execute(f"INSERT INTO log.cosigned {hours.format('hour,')}".encode())
        connection.execute("ANALYZE log.checkpoints, log.cosigned")
        plan = connection.execute(f"EXPLAIN {query}".encode(), parameters).fetchall()
    assert not [line for (line,) in plan if "Seq Scan" in line]
