"""Rebuilding read models, and properties that hold for any history and any page sizes."""

import ast
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import psycopg
import pytest
from psycopg.rows import tuple_row

import projections
from engine.facts import RecordedFact
from engine.runtime.log.fact_log import FactLog, datastore
from engine.runtime.log.schema import create
from engine.runtime.postgres.embedded_postgres import Conninfos, EmbeddedPostgres
from projections.__main__ import main
from projections.registry import read_models
from projections.runner.rebuild import RebuildError, rebuild
from projections.runner.runner import ProjectionRunner
from projections.runner.tables import SERVED
from tests.projections.history import History
from tests.projections.support import (
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
)


def test_a_rebuilt_model_equals_the_one_built_along_the_way(
    house: ProjectionHarness, stored: Conninfos
) -> None:
    models = read_models(ZONE)
    an_evening(house.history)
    while house.runner.step():
        if house.history.position < 60:
            house.history.deposits(2, 1)
    with house.views.cursor() as cursor:
        before = contents(cursor, models)
    house.views.execute("DELETE FROM entries")
    house.views.execute("UPDATE bets SET payout = payout + 1")

    lines: list[str] = []
    assert rebuild(stored.app, models, lines.append)

    with house.views.cursor() as cursor:
        assert contents(cursor, models) == before
    total = f"{house.history.position:,}"
    assert lines[-1].startswith(f"{total} of {total} facts, ")
    assert leftover_tables(house.views) == []


def test_listeners_receive_facts_that_only_a_rebuild_applied(
    history: History, runner_of: Callable[..., ProjectionRunner], stored: Conninfos
) -> None:
    history.joins(1)
    runner = runner_of(Journal())
    runner.install()
    with followed(runner) as (follower, received):
        catch_up(runner)
        history.joins(2, 3)

        assert rebuild(stored.app, [Journal()], lambda _: None)

        assert catch_up(follower) == 3
        catch_up(runner)
        history.joins(4)
        catch_up(runner)
        catch_up(follower)
    assert received.positions == [1, 2, 3, 4]


def test_a_rebuild_repairs_a_failed_model(
    history: History,
    runner_of: Callable[..., ProjectionRunner],
    stored: Conninfos,
    views: psycopg.Connection,
) -> None:
    history.joins(1, 2, 3)
    journal = Journal(refuses=2)
    runner = runner_of(journal)
    catch_up(runner)
    assert runner.status()[0].failed is not None
    journal.refuses = 0

    assert rebuild(stored.app, [Journal()], lambda _: None)

    assert journal_positions(views) == [1, 2, 3]
    assert runner.status()[0].failed is None
    history.joins(4)
    catch_up(runner)
    assert journal_positions(views) == [1, 2, 3, 4]


def test_a_failed_rebuild_is_reported_and_the_old_tables_stay_served(
    history: History,
    runner_of: Callable[..., ProjectionRunner],
    stored: Conninfos,
    views: psycopg.Connection,
) -> None:
    history.joins(1, 2, 3)
    catch_up(runner_of(Journal()))
    lines: list[str] = []

    assert not rebuild(stored.app, [Journal(refuses=2)], lines.append)

    assert lines[-1] == (
        "journal cannot apply fact 2 (player-2, player-registered.1), and keeps its old tables:"
        " ValueError('a fact like no other')"
    )
    assert journal_positions(views) == [1, 2, 3]
    assert leftover_tables(views) == []


def test_a_model_served_in_another_version_is_not_replaced_under_a_running_program(
    history: History,
    runner_of: Callable[..., ProjectionRunner],
    stored: Conninfos,
    views: psycopg.Connection,
) -> None:
    history.joins(1, 2, 3)
    catch_up(runner_of(Journal()))

    with pytest.raises(RebuildError, match="not served in version 2: restart the server"):
        rebuild(stored.app, [Journal(version=2)], lambda _: None)

    assert journal_positions(views) == [1, 2, 3]
    assert leftover_tables(views) == []


def test_a_new_version_is_built_before_its_program_first_starts(
    history: History,
    runner_of: Callable[..., ProjectionRunner],
    stored: Conninfos,
    views: psycopg.Connection,
) -> None:
    history.joins(1, 2, 3)
    catch_up(old := runner_of(Journal()))
    old.close()

    assert rebuild(stored.app, [Journal(version=2)], lambda _: None)

    assert journal_positions(views) == [1, 2, 3]
    started = Journal(version=2)
    catch_up(runner_of(started))
    assert started.pages == []


def test_models_are_built_where_there_are_none(
    history: History, stored: Conninfos, views: psycopg.Connection
) -> None:
    history.joins(1, 2, 3)

    assert rebuild(stored.app, [Journal()], lambda _: None)

    assert journal_positions(views) == [1, 2, 3]


def test_the_command_rebuilds_one_model_and_leaves_the_others(
    house: ProjectionHarness,
    stored: Conninfos,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    an_evening(house.history)
    house.catch_up()
    house.runner.close()
    house.views.execute("DELETE FROM bets")
    house.views.execute("DELETE FROM views.entries")
    monkeypatch.setenv("DATABASE_URL", stored.app)

    assert main(["rebuild", "bets"]) == 0
    assert main(["status"]) == 0

    assert house.views.execute("SELECT count(*) FROM views.bets").fetchone() == (9,)
    assert house.views.execute("SELECT count(*) FROM views.entries").fetchone() == (0,)
    printed = capsys.readouterr().out
    assert "facts/s" in printed
    assert printed.count(" 0 facts behind") == len(read_models(ZONE)) + 1


@pytest.mark.parametrize("option", ["--data", "--data-dir"])
def test_a_mistyped_folder_is_reported_and_stays_as_it_is(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    option: str,
) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    assert main([option, str(tmp_path / "typo"), "status"]) == 2
    missing = f"there is no database in {tmp_path}/typo: name its folder with --data\n"
    assert capsys.readouterr().err == missing
    assert list(tmp_path.iterdir()) == []


def test_a_database_without_a_house_is_reported_in_a_line(
    database: Conninfos, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", database.app)
    assert main(["status"]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_what_a_killed_database_lost_is_replayed(data_dir: Path) -> None:
    models = read_models(ZONE)
    server = EmbeddedPostgres(data_dir)
    server.start()
    create(server.dsn("owner"))
    with closing(ProjectionRunner(server.dsn("app"), models, page_size=3)) as runner:
        with datastore(server.dsn("app")) as store:
            an_evening(History(FactLog(store)))
        for _ in range(9):
            assert runner.step() == 3
        postmaster = server.postmaster()
        assert postmaster is not None
        os.kill(postmaster.pid, signal.SIGKILL)
    server.start()

    with closing(ProjectionRunner(server.dsn("app"), models)) as runner:
        catch_up(runner)
        with psycopg.connect(server.dsn("app")) as views, views.cursor() as cursor:
            caught_up = contents(cursor, models)
        assert rebuild(server.dsn("app"), models, lambda _: None)
        with psycopg.connect(server.dsn("app")) as views, views.cursor() as cursor:
            assert contents(cursor, models) == caught_up
    server.stop()


@pytest.mark.parametrize("cuts", [(1,), (2, 3), (7,), (5, 11, 1)])
def test_pages_may_be_cut_anywhere(house: ProjectionHarness, cuts: Sequence[int]) -> None:
    models = read_models(ZONE)
    history = History()
    an_evening(history)
    with house.views.cursor(row_factory=tuple_row, binary=True) as cursor:
        house.runner.install()
        whole = applied(cursor, [history.facts])
        assert applied(cursor, _cut(history.facts, cuts)) == whole
    assert set(whole) == {table for model in models for table in model.tables}


def _cut(facts: Sequence[RecordedFact], sizes: Sequence[int]) -> list[Sequence[RecordedFact]]:
    ends = [0]
    while ends[-1] < len(facts):
        ends.append(ends[-1] + sizes[len(ends) % len(sizes)])
    return [facts[start:end] for start, end in pairwise(ends)]


def test_only_queries_name_the_schema_of_the_tables() -> None:
    """A model that named its schema would write the served tables during a rebuild, or fail."""
    texts = {path.name: path.read_text() for path in Path(projections.__file__).parent.glob("*.py")}
    assert sum(f"{SERVED}." in text for text in texts.values()) >= len(read_models(ZONE))
    assert {name: found for name, text in texts.items() if (found := _naming_schema(text))} == {}


@pytest.mark.parametrize(
    "text",
    [
        "_LOAD = 'SELECT FROM views.bets'\ndef apply(cursor, page): cursor.execute(_LOAD)",
        "def apply(cursor, page): cursor.execute('DELETE FROM views.bets')",
        "_OPEN = 'views.bets'\n_LOAD = f'SELECT FROM {_OPEN}'\nclass Bets:\n    load = _LOAD",
        "schema = 'CREATE TABLE views.bets ()'\nclass BetProjection:\n    schema = schema",
    ],
)
def test_a_model_that_names_the_schema_is_found(text: str) -> None:
    assert _naming_schema(text)


def _naming_schema(text: str) -> list[str]:
    """The parts of a module that name the schema of the served tables and are no query.

    A query is a function of a connection; what a model runs for a page is a function of a cursor.
    """
    served: set[str] = set()
    found = []
    for part in ast.parse(text).body:
        strings = {it.value for it in ast.walk(part) if isinstance(it, ast.Constant)}
        names = {it.id for it in ast.walk(part) if isinstance(it, ast.Name)}
        if not names & served and not any(f"{SERVED}." in str(it) for it in strings):
            continue
        match part:
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                served.add(name)
            case ast.FunctionDef(args=ast.arguments(args=[ast.arg(arg="connection"), *_])):
                pass
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found.append(name)
            case _:
                pass
    return found
