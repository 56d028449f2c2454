"""Rebuilding read models, and what holds whatever the history and however it is cut."""

import os
import signal
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import psycopg
import pytest
from psycopg.rows import tuple_row

from engine.facts import Recorded
from engine.runtime.log import FactLog, datastore
from engine.runtime.postgres import Conninfos, EmbeddedPostgres
from engine.runtime.schema import create
from projections.__main__ import main
from projections.models import read_models
from projections.rebuild import rebuild
from projections.runner import Runner
from tests.projections.history import History, bet
from tests.projections.support import ZONE, House, Journal, catch_up, contents, noted


def an_evening(history: History) -> None:
    """Two players and a bot, two rounds, every kind of answer."""
    history.joins(1, 2)
    history.joins(3, bot=True)
    for player in (1, 2, 3):
        history.deposits(player, 100_000)
    for number, issue in ((1, "20261121001"), (2, "20261121002"), (3, "20261121003")):
        history.opens(1, issue)
        placed = [bet(10 * number + player, 1_000, issue=issue) for player in (1, 2, 3)]
        for player, made in enumerate(placed, start=1):
            history.bets(player, made)
        history.recalls(2, placed[1])
        history.later(195)
        history.closes(1, issue, count=2, stake=2_000)
        history.draws((9, 9, 1), 1, issue)
        history.settles(1, placed[0], 19, 1_980)
        history.settles(3, placed[2], 19, 1_980)
        history.ends(1, issue, 2, 2_000, 3_960)


def test_a_rebuilt_model_equals_the_one_built_along_the_way(house: House) -> None:
    models = read_models(ZONE)
    an_evening(house.history)
    while house.runner.step():
        if house.history.position < 60:
            house.history.deposits(2, 1)
    with house.views.cursor() as cursor:
        before = contents(cursor, models)

    said: list[str] = []
    assert rebuild(house.runner, said.append)

    with house.views.cursor() as cursor:
        assert contents(cursor, models) == before
    total = f"{house.history.position:,}"
    assert said[-1].startswith(f"{total} of {total} facts, ")


def test_a_rebuild_beside_a_running_program_is_done_by_that_program(
    history: History, runner_of: Callable[..., Runner], views: psycopg.Connection
) -> None:
    history.joins(1, 2, 3)
    journal = Journal()
    running, other = runner_of(journal), runner_of(Journal())
    running.install()
    thread = threading.Thread(target=running.run)
    thread.start()
    try:
        said: list[str] = []
        assert rebuild(other, said.append)
    finally:
        running.close()
        thread.join()

    assert said[0] == "a running program leads and replays the log"
    assert noted(views) == [1, 2, 3]
    assert journal.pages[-1][-1] == 3


def test_a_rebuild_mends_a_model_that_had_failed(
    history: History, runner_of: Callable[..., Runner], views: psycopg.Connection
) -> None:
    history.joins(1, 2, 3)
    journal = Journal(refuses=2)
    runner = runner_of(journal)
    catch_up(runner)
    journal.refuses = 0

    assert rebuild(runner, lambda _: None)

    assert noted(views) == [1, 2, 3]
    assert runner.status()[0].failed is None


def test_a_rebuild_that_fails_says_so(history: History, runner_of: Callable[..., Runner]) -> None:
    history.joins(1, 2, 3)

    assert not rebuild(runner_of(Journal(refuses=2)), lambda _: None)


def test_the_command_rebuilds_one_model_and_leaves_the_others(
    house: House,
    stored: Conninfos,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    an_evening(house.history)
    house.catch_up()
    house.runner.close()
    house.views.execute("DELETE FROM views.bets")
    house.views.execute("DELETE FROM views.entries")
    monkeypatch.setenv("DATABASE_URL", stored.app)

    assert main(["rebuild", "bets"]) == 0
    assert main(["status"]) == 0

    assert house.views.execute("SELECT count(*) FROM views.bets").fetchone() == (9,)
    assert house.views.execute("SELECT count(*) FROM views.entries").fetchone() == (0,)
    printed = capsys.readouterr().out
    assert "facts/s" in printed
    assert printed.count(" 0 facts behind") == 5


def test_what_a_killed_database_forgot_is_replayed(data_dir: Path) -> None:
    models = read_models(ZONE)
    server = EmbeddedPostgres(data_dir)
    server.start()
    create(server.dsn("owner"))
    with closing(Runner(server.dsn("app"), models, page_size=3)) as runner:
        with datastore(server.dsn("app")) as store:
            an_evening(History(FactLog(store)))
        for _ in range(9):
            assert runner.step() == 3
        postmaster = server.postmaster()
        assert postmaster is not None
        os.kill(postmaster.pid, signal.SIGKILL)
    server.start()

    with closing(Runner(server.dsn("app"), models)) as runner:
        catch_up(runner)
        with psycopg.connect(server.dsn("app")) as views, views.cursor() as cursor:
            caught_up = contents(cursor, models)
        assert rebuild(runner, lambda _: None)
        with psycopg.connect(server.dsn("app")) as views, views.cursor() as cursor:
            assert contents(cursor, models) == caught_up
    server.stop()


@pytest.mark.parametrize("cuts", [(1,), (2, 3), (7,), (5, 11, 1)])
def test_pages_may_be_cut_anywhere(house: House, cuts: Sequence[int]) -> None:
    models = read_models(ZONE)
    told = History()
    an_evening(told)
    with house.views.cursor(row_factory=tuple_row, binary=True) as cursor:
        house.runner.install()
        whole = _applied(cursor, [told.facts])
        assert _applied(cursor, _cut(told.facts, cuts)) == whole
    assert set(whole) == {table for model in models for table in model.tables}


def _applied(
    cursor: psycopg.Cursor[object], pages: Sequence[Sequence[Recorded]]
) -> dict[str, list[tuple[object, ...]]]:
    models = read_models(ZONE)
    with cursor.connection.transaction(force_rollback=True):
        for page in pages:
            for model in models:
                model.apply(cursor, page)
        return contents(cursor, models)


def _cut(facts: Sequence[Recorded], sizes: Sequence[int]) -> list[Sequence[Recorded]]:
    ends = [0]
    while ends[-1] < len(facts):
        ends.append(ends[-1] + sizes[len(ends) % len(sizes)])
    return [facts[start:end] for start, end in pairwise(ends)]
