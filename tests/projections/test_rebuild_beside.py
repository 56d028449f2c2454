"""Events during a rebuild: bets, readers, interruptions and other starts."""

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import psycopg
import pytest
from psycopg.rows import DictRow, tuple_row
from psycopg.sql import SQL, Identifier

from engine.facts import RecordedFact
from engine.runtime.code_manifest import manifest
from engine.runtime.postgres.embedded_postgres import Conninfos
from engine.schedule import DEFAULT_TIMEZONE
from projections.__main__ import main
from projections.bets import BetProjection
from projections.registry import read_models
from projections.runner.projection import Projection
from projections.runner.rebuild import RebuildError, rebuild
from projections.runner.runner import ProjectionRunner
from projections.runner.tables import key, lock_checkpoints, unfinished_rebuild
from tests.projections.history import History
from tests.projections.support import (
    TIMEOUT_S,
    ZONE,
    Journal,
    ProjectionHarness,
    an_evening,
    applied,
    catch_up,
    contents,
    followed,
    journal_positions,
    leftover_tables,
    running,
)

_KILLED = """
import os, signal, sys
from projections.bets import BetProjection
from projections.runner import rebuild

class Killed(BetProjection):
    def apply(self, cursor, page):
        super().apply(cursor, page)
        if page[-1].position > 20:
            os.kill(os.getpid(), signal.SIGKILL)

rebuild.PAGE_SIZE = 10
rebuild.rebuild(sys.argv[1], [Killed()], print)
"""


class Watched:
    """A model that calls a function before it applies a page."""

    def __init__(
        self, model: Projection, on_page: Callable[[Sequence[RecordedFact]], None]
    ) -> None:
        self.name, self.version = model.name, model.version
        self.tables, self.schema = model.tables, model.schema
        self._model, self._on_page = model, on_page

    def apply(self, cursor: psycopg.Cursor[Any], page: Sequence[RecordedFact]) -> None:
        self._on_page(page)
        self._model.apply(cursor, page)


def served(views: psycopg.Connection) -> list[Any]:
    """Every row of every served table, the tables' ids, and the checkpoints."""
    with views.cursor() as cursor:
        rows = contents(cursor, read_models(ZONE))
    tables = "SELECT oid FROM pg_class WHERE relnamespace = 'views'::regnamespace ORDER BY oid"
    positions = "SELECT * FROM positions ORDER BY 1"
    return [rows, views.execute(tables).fetchall(), views.execute(positions).fetchall()]


def assert_as_replayed(house: ProjectionHarness) -> None:
    """Checks that the served rows equal a replay into empty tables, up to the log's end."""
    house.catch_up()
    models = read_models(ZONE)
    with house.views.cursor(row_factory=tuple_row, binary=True) as cursor:
        found = contents(cursor, models)
        with house.views.transaction(force_rollback=True):
            for table in found:
                cursor.execute(SQL("TRUNCATE {}").format(Identifier(table)))
            assert applied(cursor, [house.history.facts]) == found
    assert {it.position for it in house.runner.status()} == {house.history.position}


def test_the_served_models_are_followed_while_shadow_copies_are_built_under_load(
    house: ProjectionHarness, stored: Conninfos, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("projections.runner.rebuild.PAGE_SIZE", 10)
    an_evening(house.history)
    with running(house.runner) as received:
        received.wait_for(house.history.position)
        began = house.history.position

        def one_more_is_followed(page: Sequence[RecordedFact]) -> None:
            if page[-1].position <= began:
                house.history.deposits(1, 1)
                received.wait_for(house.history.position)

        accounts, *others = read_models(ZONE)
        assert rebuild(
            stored.app, [Watched(accounts, one_more_is_followed), *others], lambda _: None
        )
        house.history.deposits(1, 1)
        received.wait_for(house.history.position)

    assert house.history.position > began + 3
    assert received.positions == list(range(1, house.history.position + 1))
    assert_as_replayed(house)


def test_facts_that_arrive_just_before_the_swap_are_in_the_swapped_tables_and_sent_once(
    house: ProjectionHarness, stored: Conninfos, monkeypatch: pytest.MonkeyPatch
) -> None:
    an_evening(house.history)
    house.catch_up()
    last = house.history.position
    original = lock_checkpoints

    def lock_after_new_facts(
        cursor: psycopg.Cursor[DictRow], keys: Iterable[str]
    ) -> dict[str, int]:
        house.history.deposits(1, 7)
        house.catch_up()
        house.history.deposits(1, 8)
        return original(cursor, keys)

    monkeypatch.setattr("projections.runner.rebuild.lock_checkpoints", lock_after_new_facts)
    with followed(house.runner) as (follower, received):
        assert rebuild(stored.app, read_models(ZONE), lambda _: None)

        assert {it.position for it in house.runner.status()} == {last + 1}
        house.catch_up()
        catch_up(follower)
    assert received.positions == [last + 1, last + 2]
    assert_as_replayed(house)


def test_an_interrupted_rebuild_leaves_no_trace(
    house: ProjectionHarness, stored: Conninfos, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = read_models(ZONE)
    an_evening(house.history)
    house.catch_up()
    house.views.execute("UPDATE accounts SET available = 77 WHERE player = 1")
    before = served(house.views)
    monkeypatch.setattr("projections.runner.rebuild.PAGE_SIZE", 10)

    def interrupt(page: Sequence[RecordedFact]) -> None:
        assert leftover_tables(house.views) != []
        if page[-1].position > 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rebuild(stored.app, [*models[:-1], Watched(models[-1], interrupt)], lambda _: None)

    assert leftover_tables(house.views) == []
    assert served(house.views) == before


@pytest.fixture
def killed(house: ProjectionHarness, stored: Conninfos) -> list[Any]:
    """A rebuild of the bets that was killed after fact 20; returns what was served then."""
    an_evening(house.history)
    house.catch_up()
    before = served(house.views)
    killed = subprocess.run([sys.executable, "-c", _KILLED, stored.app], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert set(leftover_tables(house.views)) == {*BetProjection.tables, "progress"}
    # Blocks until the server has noticed that the killed session is gone.
    house.views.execute("SELECT pg_advisory_lock(hashtext('fairdraw rebuild'))")
    house.views.execute("SELECT pg_advisory_unlock_all()")
    return before


def test_a_killed_rebuild_is_continued_where_it_was_also_after_a_restart(
    house: ProjectionHarness,
    stored: Conninfos,
    runner_of: Callable[..., ProjectionRunner],
    killed: list[Any],
) -> None:
    house.runner.close()
    restarted = runner_of(*read_models(ZONE))
    assert restarted.install()
    assert served(house.views) == killed
    restarted.close()
    assert unfinished_rebuild(stored.app) == {key(BetProjection()): 20}
    pages: list[Sequence[RecordedFact]] = []

    assert rebuild(stored.app, [Watched(BetProjection(), pages.append)], lambda _: None)

    assert pages[0][0].position == 21
    assert leftover_tables(house.views) == []
    assert_as_replayed(house)


@pytest.mark.parametrize("setup", ["", "another"])
def test_a_killed_rebuild_of_other_models_or_with_another_setup_is_not_continued(
    house: ProjectionHarness, stored: Conninfos, killed: list[Any], setup: str
) -> None:
    pages: list[Sequence[RecordedFact]] = []
    others = [] if setup else read_models(ZONE)[:1]
    models = [Watched(BetProjection(), pages.append), *others]

    assert rebuild(stored.app, models, lambda _: None, setup=setup)

    assert killed
    assert pages[0][0].position == 1
    assert leftover_tables(house.views) == []
    assert_as_replayed(house)


@pytest.mark.parametrize(
    ("killed_digest", "continued"),
    [(manifest().digest, True), ("0" * 64, False)],
    ids=["same", "another"],
)
def test_the_command_continues_only_a_rebuild_by_the_same_program(
    house: ProjectionHarness,
    stored: Conninfos,
    killed: list[Any],
    monkeypatch: pytest.MonkeyPatch,
    killed_digest: str,
    continued: bool,
) -> None:
    """A program before it, with a fault in a model, left a wrong row."""
    setup = f"{DEFAULT_TIMEZONE} {killed_digest}"
    house.views.execute("UPDATE views_next.progress SET setup = %s", [setup])
    house.views.execute("UPDATE views_next.bets SET odds_table = 'wrong'")
    monkeypatch.setenv("DATABASE_URL", stored.app)
    monkeypatch.delenv("FAIRDRAW_TIMEZONE", raising=False)

    assert killed
    assert main(["rebuild", "bets"]) == 0
    wrong = "SELECT EXISTS (SELECT FROM bets WHERE odds_table = 'wrong')"
    assert house.views.execute(wrong).fetchone() == (continued,)


def test_a_rebuild_that_lost_its_lock_to_another_one_stops(
    house: ProjectionHarness, stored: Conninfos
) -> None:
    """Its models' connections may outlive the one with the lock, and would apply pages twice."""
    an_evening(house.history)
    house.catch_up()
    before = served(house.views)

    def other_continues(_: Sequence[RecordedFact]) -> None:
        house.views.execute("UPDATE views_next.progress SET position = 5")

    with pytest.raises(RebuildError, match="another rebuild has continued this one"):
        rebuild(stored.app, [Watched(BetProjection(), other_continues)], lambda _: None)
    assert served(house.views) == before


def test_the_tables_of_a_killed_rebuild_of_unknown_models_are_dropped_at_the_next_start(
    house: ProjectionHarness, runner_of: Callable[..., ProjectionRunner], killed: list[Any]
) -> None:
    house.runner.close()
    assert runner_of(Journal()).install()
    assert leftover_tables(house.views) == []
    assert killed


def test_models_apply_a_page_at_the_same_time(house: ProjectionHarness, stored: Conninfos) -> None:
    """Each of the two waits until the other one has begun."""
    an_evening(house.history)
    house.catch_up()
    both = threading.Barrier(2, timeout=TIMEOUT_S)

    def meet(_: Sequence[RecordedFact]) -> None:
        both.wait()

    accounts, profiles, *others = read_models(ZONE)
    models = [Watched(accounts, meet), Watched(profiles, meet), *others]
    assert rebuild(stored.app, models, lambda _: None)
    assert_as_replayed(house)


def test_a_start_during_a_rebuild_leaves_it_alone(
    house: ProjectionHarness, stored: Conninfos, runner_of: Callable[..., ProjectionRunner]
) -> None:
    an_evening(house.history)
    house.catch_up()
    house.runner.close()

    def start(_: Sequence[RecordedFact]) -> None:
        runner = runner_of()
        assert runner.install()
        runner.close()
        with pytest.raises(RebuildError, match="another rebuild is running"):
            rebuild(stored.app, [BetProjection()], lambda _: None)

    assert rebuild(stored.app, [Watched(BetProjection(), start)], lambda _: None)
    assert_as_replayed(house)


def test_the_swap_gives_way_to_readers_and_tries_again(
    house: ProjectionHarness, stored: Conninfos
) -> None:
    an_evening(house.history)
    house.catch_up()
    lines: list[str] = []
    with psycopg.connect(stored.app) as reader:
        reader.execute("SELECT count(*) FROM views.bets")

        def progress(line: str) -> None:
            lines.append(line)
            if line == "the served tables are in use; waiting for them":
                assert house.views.execute("SELECT count(*) FROM bets").fetchone() == (9,)
                reader.commit()

        assert rebuild(stored.app, [BetProjection()], progress)

    assert lines.count("the served tables are in use; waiting for them") == 1
    assert_as_replayed(house)


def test_a_fact_that_fails_during_the_swap_stops_the_rebuild(
    history: History,
    stored: Conninfos,
    runner_of: Callable[..., ProjectionRunner],
    views: psycopg.Connection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    history.joins(1, 2, 3)
    served_by = runner_of(Journal())
    catch_up(served_by)

    def lock_after_new_facts(
        cursor: psycopg.Cursor[DictRow], keys: Iterable[str]
    ) -> dict[str, int]:
        history.joins(4)
        catch_up(served_by)
        return lock_checkpoints(cursor, keys)

    monkeypatch.setattr("projections.runner.rebuild.lock_checkpoints", lock_after_new_facts)
    lines: list[str] = []

    assert not rebuild(stored.app, [Journal(refuses=4)], lines.append)

    assert lines[-1].startswith("journal cannot apply fact 4 (")
    assert journal_positions(views) == [1, 2, 3, 4]
    assert served_by.status()[0].lag_facts == 0
