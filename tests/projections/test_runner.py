"""The runner that applies the log to the read models."""

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest
from eventsourcing.persistence import StoredEvent
from msgspec.structs import replace
from psycopg import Cursor
from structlog.testing import capture_logs

from engine import facts
from engine.facts import RecordedFact
from engine.house.facts import SwitchTurned
from engine.runtime.log.fact_log import FactLog, datastore
from engine.runtime.log.schema import create
from engine.runtime.postgres.embedded_postgres import Conninfos, EmbeddedPostgres
from projections.runner.db_connections import CONNECTION_ERRORS
from projections.runner.fact_notifier import FactNotifier
from projections.runner.runner import (
    LINGER_MIN_FACTS,
    LINGER_SECONDS,
    POLL_SECONDS,
    ProjectionRunner,
)
from projections.runner.tables import CheckpointRecorder, Failure
from tests.projections.history import History
from tests.projections.support import (
    TIMEOUT_S,
    Journal,
    catch_up,
    followed,
    journal_positions,
    running,
)

Runners = Callable[..., ProjectionRunner]


def append_player(server: EmbeddedPostgres, player: int) -> None:
    with datastore(server.dsn("app")) as store:
        History(FactLog(store)).joins(player)


def test_the_log_is_applied_in_pages_until_its_end(history: History, runner_of: Runners) -> None:
    history.joins(*range(1, 6))
    journal = Journal()
    runner = runner_of(journal, page_size=2)

    steps = [runner.step() for _ in range(4)]

    assert steps == [2, 2, 1, 0]
    assert journal.pages == [[1, 2], [3, 4], [5]]


def test_a_page_and_its_checkpoint_are_one_transaction(
    history: History,
    runner_of: Runners,
    views: psycopg.Connection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Otherwise a crash between the two would apply a page again, and count its money twice."""
    runner = runner_of(Journal())
    runner.install()
    seen: list[list[int]] = []
    save = CheckpointRecorder.save

    def saving(positions: CheckpointRecorder, *rest: Any) -> None:
        seen.append(journal_positions(views))
        save(positions, *rest)

    monkeypatch.setattr(CheckpointRecorder, "save", saving)
    history.joins(*range(1, 4))
    catch_up(runner)

    assert seen == [[]]
    assert journal_positions(views) == [1, 2, 3]


@pytest.mark.parametrize(
    ("page_size", "lingers"),
    [
        pytest.param(LINGER_MIN_FACTS + 1, True, id="many"),
        pytest.param(LINGER_MIN_FACTS, False, id="as many as it takes"),
    ],
)
def test_under_load_the_runner_waits_for_more_facts_before_the_next_page(
    history: History,
    runner_of: Runners,
    monkeypatch: pytest.MonkeyPatch,
    page_size: int,
    lingers: bool,
) -> None:
    history.joins(*range(1, LINGER_MIN_FACTS + 1))
    runner = runner_of(Journal(), page_size=page_size)
    waits: list[float] = []

    def wait(connection: psycopg.Connection | None, seconds: float) -> None:
        waits.append(seconds)
        if connection is not None:
            runner._wake_up.set()

    monkeypatch.setattr(runner._wake_up, "wait", wait)
    runner.run()

    assert waits == ([LINGER_SECONDS] if lingers else []) + [POLL_SECONDS]


def test_a_fact_that_arrives_while_a_page_is_applied_is_not_left_until_the_next_poll(
    history: History, runner_of: Runners, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("projections.runner.runner.POLL_SECONDS", 10.0 * TIMEOUT_S)

    class Interrupted(Journal):
        def apply(self, cursor: Cursor[Any], page: Sequence[RecordedFact]) -> None:
            super().apply(cursor, page)
            if len(self.pages) == 1:
                history.joins(2)  # its notification arrives with the answer to the commit

    with running(runner_of(Interrupted())) as received:
        history.joins(1)
        received.wait_for(2)

    assert received.positions == [1, 2]


@pytest.mark.parametrize("is_watched", [True, False])
def test_a_follower_without_players_waits_for_more_facts_before_the_next_page(
    history: History, runner_of: Runners, monkeypatch: pytest.MonkeyPatch, is_watched: bool
) -> None:
    catch_up(runner := runner_of(Journal()))
    waits: list[tuple[bool, float]] = []

    def wait(connection: psycopg.Connection | None, seconds: float) -> None:
        waits.append((connection is not None, seconds))
        if connection is not None:
            follower._wake_up.set()

    with closing(
        FactNotifier(runner.conninfo, runner.models, is_watched=lambda: is_watched)
    ) as follower:
        follower.step()
        history.joins(1, 2)
        catch_up(runner)
        monkeypatch.setattr(follower._wake_up, "wait", wait)
        follower.run()

    until_notified = (True, POLL_SECONDS)
    lingers = [] if is_watched else [(False, POLL_SECONDS)]
    assert waits == [*lingers, until_notified]


def test_a_runner_continues_where_the_previous_one_stopped(
    history: History, runner_of: Runners, views: psycopg.Connection
) -> None:
    history.joins(*range(1, 6))
    before, after = Journal(), Journal()
    stopped = runner_of(before, page_size=2)
    stopped.step()
    stopped.close()

    catch_up(runner_of(after))

    assert after.pages == [[3, 4, 5]]
    assert journal_positions(views) == [1, 2, 3, 4, 5]


def test_listeners_receive_each_new_fact_once_and_in_order(
    history: History, runner_of: Runners
) -> None:
    history.joins(1, 2, 3)
    catch_up(first := runner_of(Journal()))
    first.close()
    history.joins(4, 5, 6)
    runner = runner_of(Journal(), page_size=2)

    runner.install()
    with followed(runner) as (follower, received):
        while runner.step():
            assert catch_up(follower) > 0

    assert received.positions == [4, 5, 6]


def test_a_listener_receives_no_fact_that_the_read_models_have_not_applied(
    history: History, runner_of: Runners
) -> None:
    history.joins(1)
    catch_up(runner := runner_of(Journal()))
    with followed(runner) as (follower, received):
        history.joins(2)

        assert catch_up(follower) == 0
        catch_up(runner)
        assert catch_up(follower) == 1

    assert received.positions == [2]


def test_recent_facts_are_sent_in_order_between_those_of_the_log(
    history: History, runner_of: Runners, stored: Conninfos
) -> None:
    catch_up(runner := runner_of(Journal()))
    with datastore(stored.app) as store:
        log, sent = FactLog(store), list[RecordedFact]()

        def recent(after: int, limit: int) -> list[RecordedFact]:
            marked = [replace(it, actor="recent") for it in log.page(after, limit)]
            return marked[:2] if after in (2, 6) else []

        with closing(FactNotifier(runner.conninfo, runner.models, recent, page_size=2)) as follower:
            follower.listeners.append(sent.extend)
            follower.step()
            history.joins(*range(1, 8))
            catch_up(follower)
            assert sent == []  # no model has applied them yet
            catch_up(runner)
            catch_up(follower)

    assert [it.position for it in sent] == [1, 2, 3, 4, 5, 6, 7]
    assert [it.position for it in sent if it.actor == "recent"] == [3, 4, 7]


def test_a_failing_listener_stops_no_other(history: History, runner_of: Runners) -> None:
    catch_up(runner := runner_of(Journal()))

    def fail(_: Sequence[RecordedFact]) -> None:
        raise RuntimeError("no one is listening")

    with followed(runner) as (follower, received), capture_logs() as logs:
        history.joins(1, 2)
        catch_up(runner)
        follower.listeners.insert(0, fail)
        catch_up(follower)

    assert received.positions == [1, 2]
    assert [it["event"] for it in logs] == ["projection_listener_failed"]


def test_a_listener_with_work_left_is_called_again_although_nothing_more_happens(
    history: History, runner_of: Runners
) -> None:
    catch_up(runner := runner_of(Journal()))
    left, pages = [True, True, False], list[list[int]]()

    def listen(page: Sequence[RecordedFact]) -> bool:
        pages.append([it.position for it in page])
        return left.pop(0)

    with followed(runner) as (follower, _):
        history.joins(1, 2)
        catch_up(runner)
        follower.listeners.append(listen)
        for _ in range(5):
            follower.step()

    assert pages == [[1, 2], [], []]


def test_a_model_that_cannot_apply_a_fact_stops_with_an_error_and_the_others_continue(
    history: History, runner_of: Runners, views: psycopg.Connection
) -> None:
    history.joins(*range(1, 9))
    broken, sound = Journal(refuses=6), _Other()
    runner = runner_of(broken, sound)

    with capture_logs() as logs:
        catch_up(runner)
        history.joins(9)
        catch_up(runner)

    status = {it.name: it for it in runner.status()}
    assert (status["other"].position, status["other"].failed) == (9, None)
    failed = Failure(6, "player-6", "player-registered.1", "ValueError('a fact like no other')")
    assert (status["journal"].position, status["journal"].failed) == (5, failed)
    assert status["journal"].lag_facts == 4
    assert journal_positions(views) == [1, 2, 3, 4, 5]
    (line,) = logs
    assert (line["log_level"], line["event"]) == ("error", "projection_failed")
    assert (line["model"], line["position"], line["stream"]) == ("journal", 6, "player-6")


FUTURE = "from-the-future.1"
WHY = f"this version does not know {FUTURE}: start the newer version that wrote it"


def newer_version_writes(conninfo: str) -> None:
    """Append a fact that this version does not know."""
    with datastore(conninfo) as store:
        state = msgspec.json.encode(SwitchTurned("all", closed=True, by="newer"))
        FactLog(store).insert_events([StoredEvent("news", 1, FUTURE, state)])


@pytest.fixture
def becomes_newer(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """What is called to let this program know the fact, like the newer version."""

    def know() -> None:
        decoder = msgspec.json.Decoder(SwitchTurned)
        monkeypatch.setitem(facts._decoders, FUTURE, decoder)

    return know


def test_a_fact_of_a_newer_version_stops_every_model_at_it_with_the_reason(
    history: History, runner_of: Runners, stored: Conninfos
) -> None:
    history.joins(1, 2)
    newer_version_writes(stored.app)
    runner = runner_of(Journal(), _Other())

    with capture_logs() as logs:
        catch_up(runner)
        catch_up(runner)

    for status in runner.status():
        assert status.position == 2
        assert status.failed == Failure(3, "news", FUTURE, WHY)
    assert [it["event"] for it in logs] == ["projection_failed"] * 2


def test_a_runner_of_the_newer_version_takes_over_at_the_fact_that_stopped_the_older_one(
    history: History,
    runner_of: Runners,
    stored: Conninfos,
    views: psycopg.Connection,
    becomes_newer: Callable[[], None],
) -> None:
    history.joins(1, 2)
    older, newer = runner_of(Journal(), _Other()), runner_of(Journal(), _Other())
    assert older.step() == 2
    assert newer.step() == 0
    newer_version_writes(stored.app)

    with capture_logs():
        catch_up(older)
        older.step()
    assert {it.position for it in older.status()} == {2}
    becomes_newer()
    assert (newer.step(), older.step()) == (1, 0)

    for status in newer.status():
        assert (status.position, status.failed) == (3, None)
    assert journal_positions(views) == [1, 2, 3]


def test_a_runner_that_leads_again_repeats_what_another_one_could_not_apply(
    history: History, runner_of: Runners, views: psycopg.Connection
) -> None:
    history.joins(1)
    sound, broken = runner_of(Journal()), runner_of(Journal(refuses=2))
    assert sound.step() == 1
    _cut_session(views)
    with pytest.raises(CONNECTION_ERRORS):
        sound.step()
    history.joins(2)
    with capture_logs():
        catch_up(broken)
    assert broken.status()[0].failed is not None
    broken.close()

    assert sound.step() == 1
    assert journal_positions(views) == [1, 2]


def test_listeners_are_stopped_at_a_fact_of_a_newer_version_and_receive_none_after_it(
    history: History, runner_of: Runners, stored: Conninfos, becomes_newer: Callable[[], None]
) -> None:
    catch_up(runner := runner_of(Journal()))
    with followed(runner) as (follower, received), capture_logs() as logs:
        history.joins(1, 2)
        newer_version_writes(stored.app)
        becomes_newer()
        catch_up(runner)
        facts._decoders.pop(FUTURE)
        assert catch_up(follower) == 2
        for _ in range(3):
            follower.step()
        becomes_newer()
        assert catch_up(follower) == 0

    assert received.positions == [1, 2]
    assert follower.stopped == Failure(3, "news", FUTURE, WHY)
    assert [it["event"] for it in logs] == ["projection_listeners_stopped"]


def test_a_model_added_later_catches_up_with_the_others(
    history: History, runner_of: Runners
) -> None:
    history.joins(*range(1, 6))
    first = runner_of(_Other())
    catch_up(first)
    first.close()
    history.joins(6)
    late = Journal()
    runner = runner_of(_Other(), late, page_size=2)
    runner.install()
    with followed(runner) as (follower, received):
        catch_up(runner)
        catch_up(follower)

    assert late.pages == [[1, 2], [3, 4], [5, 6]]
    assert received.positions == [6]
    assert {it.position for it in runner.status()} == {6}


def test_a_new_version_of_a_model_starts_over(
    history: History, runner_of: Runners, views: psycopg.Connection
) -> None:
    history.joins(1, 2)
    catch_up(first := runner_of(Journal()))
    first.close()
    changed = Journal(version=2)

    catch_up(runner_of(changed))

    assert changed.pages == [[1, 2]]
    assert journal_positions(views) == [1, 2]


def test_only_one_runner_feeds_a_database_and_the_next_takes_over(
    history: History, runner_of: Runners
) -> None:
    history.joins(1)
    leader, waiting = runner_of(Journal()), runner_of(Journal())

    assert (leader.step(), waiting.step()) == (1, 0)
    history.joins(2)
    assert waiting.step() == 0
    leader.close()
    assert waiting.step() == 1


def test_a_step_without_its_database_raises_and_the_next_reconnects(
    history: History, runner_of: Runners, views: psycopg.Connection
) -> None:
    history.joins(1)
    runner = runner_of(Journal())
    runner.step()
    _cut_session(views)
    history.joins(2)

    with pytest.raises(CONNECTION_ERRORS):
        runner.step()

    assert runner.step() == 1
    assert journal_positions(views) == [1, 2]


def test_a_running_runner_follows_the_log_and_stops_on_request(
    history: History, runner_of: Runners
) -> None:
    with running(runner_of(Journal())) as received:
        history.joins(1)
        received.wait_for(1)
        history.joins(2, 3)
        received.wait_for(3)

    assert received.positions == [1, 2, 3]


def test_a_running_runner_survives_lost_connections(
    history: History, runner_of: Runners, views: psycopg.Connection
) -> None:
    with capture_logs(), running(runner_of(Journal())) as received:
        history.joins(1)
        received.wait_for(1)
        _cut_session(views)
        history.joins(2)
        received.wait_for(2)

    assert journal_positions(views) == received.positions


def test_a_running_runner_survives_a_restart_of_postgresql(data_dir: Path) -> None:
    server = EmbeddedPostgres(data_dir)
    server.start()
    create(server.dsn("owner"))
    with capture_logs(), running(ProjectionRunner(server.dsn("app"), [Journal()])) as received:
        append_player(server, 1)
        received.wait_for(1)
        server.stop()
        server.start()
        append_player(server, 2)
        received.wait_for(2)
    server.stop()

    assert received.positions == [1, 2]


def test_a_lost_notification_delays_and_loses_nothing(
    history: History, runner_of: Runners, views: psycopg.Connection, stored: Conninfos
) -> None:
    with running(runner_of(Journal())) as received:
        history.joins(1)
        received.wait_for(1)
        with psycopg.connect(stored.owner) as connection:
            connection.execute(
                "INSERT INTO log.facts SELECT 'player-2', 1, topic, state, 2, at, '', ''"
                " FROM log.facts WHERE notification_id = 1"
            )
        received.wait_for(2)

    assert journal_positions(views) == [1, 2]


def test_lag_is_counted_in_facts_and_by_the_oldest_waiting_one(
    history: History, runner_of: Runners
) -> None:
    history.at = 1_000_000
    history.joins(1)
    runner = runner_of(Journal())
    runner.step()
    (level,) = runner.status()
    history.joins(2, 3)

    (late,) = runner.status()

    assert (level.lag_facts, level.lag_ms) == (0, 0)
    assert late.lag_facts == 2
    assert late.lag_ms > 365 * 86_400_000


class _Other(Journal):
    name = "other"
    tables = ("other",)
    schema = "CREATE TABLE other (position bigint PRIMARY KEY)"

    def apply(self, cursor: psycopg.Cursor[object], page: Sequence[RecordedFact]) -> None:
        rows = [it.position for it in page]
        cursor.execute("INSERT INTO other SELECT unnest(%s::bigint[])", (rows,))


def _cut_session(views: psycopg.Connection) -> None:
    """Terminate the database session with the runner's leader lock."""
    views.execute(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_locks JOIN pg_stat_activity USING (pid)"
        " WHERE locktype = 'advisory' AND datname = current_database()"
    )
