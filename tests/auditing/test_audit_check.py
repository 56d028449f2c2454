import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any

import msgspec
import psycopg
import pytest
from psycopg import Connection
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool

from engine.facts import RecordedFact, player_stream
from engine.house.facts import ReceiptsSigned
from engine.runtime.content_store import ContentStore, StoredContent, Text
from engine.runtime.log.fact_log import FactLog, datastore
from engine.runtime.log.schema import create
from engine.runtime.log.snapshots import Snapshots, folded, snapshot_of
from engine.runtime.postgres.embedded_postgres import Conninfos
from projections.accounts import AccountProjection
from projections.registry import read_models
from projections.runner.runner import ProjectionRunner
from scripts.audit_tool.check_models import FAILED, CheckOptions, ModelCheckReport, check, compare
from tests.auditing.conftest import Audit
from tests.auditing.drawn_house import drawn_evening
from tests.auditing.evening import PLAYERS
from tests.projections.history import History
from tests.projections.support import ZONE, catch_up, running

ALICE = PLAYERS[0]
_POORER = (
    "UPDATE log.facts SET state = replace(convert_from(state, 'UTF8'), '0000,', ',')::bytea"
    " WHERE notification_id = 5"
)
Printed = pytest.CaptureFixture[str]


@pytest.fixture
def house(stored: Conninfos, history: History) -> Iterator[ProjectionRunner]:
    """An evening whose read models are up to date with the log."""
    history.replays(drawn_evening().sandbox.log)
    with closing(ProjectionRunner(stored.owner, read_models(ZONE))) as runner:
        catch_up(runner)
        yield runner


@pytest.fixture
def damage(stored: Conninfos) -> Iterator[Callable[[str], None]]:
    """Changes stored rows directly in the database."""
    with psycopg.connect(stored.owner, autocommit=True) as connection:
        connection.execute("ALTER TABLE log.facts DISABLE TRIGGER facts_append_only")

        def do(statement: str) -> None:
            assert connection.execute(statement.encode()).rowcount

        yield do


@pytest.fixture
def check_output(audit: Audit, capsys: Printed) -> Callable[[int], str]:
    """Runs a check, asserts its exit status and returns its output."""

    def run(status: int) -> str:
        assert audit("check", "--patience", 0) == status
        return capsys.readouterr().out

    return run


def lines(printed: str) -> list[str]:
    """The differences, and the verdict."""
    before, _, after = printed.partition("not covered:\n")
    found = [line.strip() for line in before.splitlines() if re.match("  (?!note: )", line)]
    return [*found, after.splitlines()[-1]]


@pytest.fixture
def save_snapshot(stored: Conninfos) -> Callable[..., None]:
    """Saves the first player's state as a snapshot, optionally with changed fields."""

    def save(**fields: Any) -> None:
        with datastore(stored.app) as store:
            log = FactLog(store)
            player = folded(ALICE, log.streams([player_stream(ALICE)]), ZONE)
            Snapshots(log).save([snapshot_of(msgspec.structs.replace(player, **fields))])

    return save


@pytest.mark.usefixtures("house")
def test_a_true_snapshot_is_clean(
    check_output: Callable[[int], str], save_snapshot: Callable[..., None]
) -> None:
    save_snapshot()
    assert "snapshots: 1 compared with the facts of their streams" in check_output(0)


@pytest.mark.usefixtures("house")
def test_a_wrong_snapshot_is_found_with_the_expected_values(
    check_output: Callable[[int], str], save_snapshot: Callable[..., None]
) -> None:
    save_snapshot(available=1, staked=2)
    (found, verdict) = lines(check_output(1))
    assert found.startswith(f"wrong snapshot: player-{ALICE} at version")
    assert "available 1 instead of" in found
    assert "staked 2 instead of" in found
    assert verdict == "FOUND: 1 difference"


@pytest.mark.usefixtures("house")
def test_a_text_that_differs_from_the_published_one_is_found(
    stored: Conninfos, check_output: Callable[[int], str], damage: Callable[[str], None]
) -> None:
    with ConnectionPool(stored.app, connection_class=Connection[TupleRow], open=True) as pool:
        digest = ContentStore(pool).save(
            StoredContent("news-1", "article", {"en": Text("Hi", "<p>hi</p>")})
        )
    assert "contents: 1 texts compared with the hashes in their facts" in check_output(0)
    damage("UPDATE content.texts SET body = body || '!'::bytea")
    assert f"  not what was published: news-1: {digest}" in check_output(1)


def test_another_programs_snapshot_is_reported_as_not_covered(
    check_output: Callable[[int], str],
    save_snapshot: Callable[..., None],
    damage: Callable[[str], None],
) -> None:
    save_snapshot(available=1)
    damage("UPDATE log.snapshots SET program = 'other'")
    assert "1 snapshots of other program versions" in check_output(0).partition("not covered:")[2]


@pytest.mark.usefixtures("house")
def test_a_sound_house_is_clean_and_every_row_was_compared(
    check_output: Callable[[int], str], history: History, stored: Conninfos
) -> None:
    printed = check_output(0)

    assert lines(printed) == ["clean: nothing differs in what was covered"]
    streams = len({it.stream for it in history.facts})
    expected = f"log: {history.position} facts in {streams} streams checked for"
    assert printed.startswith(expected)
    assert "draws: 3 drawn and 1 voided rounds of 1 days and segments" in printed
    assert "no read model of this program uses it" not in printed
    with psycopg.connect(stored.owner) as connection:
        for model in read_models(ZONE):
            counts = [_count(connection, f"views.{table}") for table in model.tables]
            compared = f"{model.name}: {sum(counts)} rows compared at position {history.position}\n"
            assert compared in printed
    assert "accounts: 0 rows" not in printed


@pytest.mark.usefixtures("house")
def test_a_batch_of_receipts_that_is_not_signed_is_found(
    check_output: Callable[[int], str], damage: Callable[[str], None], history: History
) -> None:
    signed = next(it.position for it in history.facts if isinstance(it.fact, ReceiptsSigned))
    damage(
        "UPDATE log.facts SET state = overlay(state placing '00' from length(state) - 3)"
        f" WHERE notification_id = {signed}"
    )
    found, verdict = lines(check_output(1))
    assert found == (
        f"position {signed}: the receipts of the 1 bets from position {signed - 1} are not signed"
        " by the operator"
    )
    assert verdict == "FOUND: 1 difference"


@pytest.mark.usefixtures("house")
def test_what_was_not_covered_is_reported(
    check_output: Callable[[int], str], damage: Callable[[str], None]
) -> None:
    damage(
        "UPDATE views.positions SET application_name = 'feed.99' WHERE application_name ~ 'feed'"
    )
    damage("CREATE TABLE views.notes AS SELECT 1 AS note")

    printed = check_output(0)

    assert "not covered:\n" in printed
    assert "the read model feed: served as feed.99, but this program builds feed." in printed
    assert "the table views.notes: no read model of this program uses it" in printed
    assert "the vault" in printed
    assert "feed: " not in printed.partition("not covered:")[0]


@pytest.mark.usefixtures("house")
def test_a_changed_amount_is_found_with_what_was_expected(
    check_output: Callable[[int], str], damage: Callable[[str], None]
) -> None:
    damage(f"UPDATE views.accounts SET available = 7, bonus = 3 WHERE player = {ALICE}")

    found, verdict = lines(check_output(1))

    assert re.fullmatch(
        rf"different value: views\.accounts: player={ALICE}: available expected \d+, found 7;"
        r" bonus expected 0, found 3",
        found,
    )
    assert verdict == "FOUND: 1 difference"


@pytest.mark.usefixtures("house")
def test_missing_and_extra_rows_are_found_and_all_are_counted(
    audit: Audit, damage: Callable[[str], None], capsys: Printed
) -> None:
    damage(f"DELETE FROM views.entries WHERE player = {ALICE}")
    damage("INSERT INTO views.feed_bots VALUES (77)")

    assert audit("check", "--show", 2) == 1

    printed = capsys.readouterr().out
    missing = re.findall(
        rf"missing row: views\.entries: player={ALICE} at=\d+ position=\d+", printed
    )
    assert len(missing) == 2
    assert "extra row: views.feed_bots: player=77\n" in printed
    more = re.search(r"and (\d+) more", printed)
    assert more is not None
    assert f"FOUND: {int(more[1]) + 3} differences" in printed


@pytest.mark.usefixtures("house")
def test_a_row_that_is_served_twice_is_found(
    check_output: Callable[[int], str], damage: Callable[[str], None]
) -> None:
    damage("ALTER TABLE views.profits DROP CONSTRAINT profits_pkey")
    damage("INSERT INTO views.profits SELECT * FROM views.profits LIMIT 1")

    assert lines(check_output(1))[0] == "extra row: views.profits: served more than once"


@pytest.mark.usefixtures("house")
def test_a_table_that_is_gone_or_has_other_columns_is_found(
    check_output: Callable[[int], str], damage: Callable[[str], None]
) -> None:
    damage("ALTER TABLE views.profits DROP COLUMN profit")
    damage("DROP TABLE views.days")

    assert lines(check_output(1)) == [
        "different table: views.profits: its columns are player bigint, day text",
        "different table: views.days: it does not exist",
        "FOUND: 2 differences",
    ]


@pytest.mark.usefixtures("house")
def test_lagging_read_models_are_stale_and_compared_at_their_position(
    check_output: Callable[[int], str], history: History
) -> None:
    position = history.position
    history.deposits(ALICE, 100)

    found = lines(check_output(1))

    stale = f"its position is {position}, the log was at {position + 1} before the check"
    assert found == [
        *(f"stale projection: {model.name}: {stale}" for model in read_models(ZONE)),
        f"FOUND: {len(read_models(ZONE))} differences",
    ]


def test_read_models_that_were_never_built_do_not_pass_for_clean(
    check_output: Callable[[int], str], history: History
) -> None:
    history.joins(ALICE)

    assert (
        "stale projection: accounts: it was never built, and the log has 1 facts" in check_output(1)
    )


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        (
            "UPDATE log.facts SET notification_id = 1_000 WHERE notification_id = 9",
            r"gapless: position 10: it follows position 8 \(and 1 more\)",
        ),
        (
            "UPDATE log.facts SET originator_version = 1_000 WHERE notification_id = 5",
            r"gapless-stream: position 5: player-10001 1000 follows version 1 \(and 1 more\)",
        ),
        (
            "UPDATE log.facts SET at = at - 5_000_000 WHERE notification_id = 7",
            r"time-order: position 7: recorded \d+ µs before the fact that it follows",
        ),
        (
            "UPDATE log.facts SET topic = 'from-the-future.1' WHERE notification_id = 9",
            r"readable: position 9: .*from-the-future",
        ),
        (
            _POORER,
            r"never-negative: position \d+: player:10001:available is at -\d+ minor units",
        ),
        (
            "DELETE FROM log.facts WHERE notification_id > 40",
            r"ahead of the log: feed: its position is \d+, but the log ends at 40",
        ),
        (
            "INSERT INTO log.batches VALUES ('before the cut', 1, 1_000_000, 0)",
            r"batches: position 1,000,000: a batch ends at a fact that is missing",
        ),
        (
            "INSERT INTO log.batches VALUES ('the newest', 1, 40, 0)",
            r"batches: position 41: no batch stored this fact or those after it",
        ),
    ],
)
@pytest.mark.usefixtures("house")
def test_a_log_that_was_tampered_with_is_found(
    check_output: Callable[[int], str], damage: Callable[[str], None], statement: str, expected: str
) -> None:
    damage(statement)

    assert re.search(expected, check_output(1))


def test_a_running_house_is_clean_though_its_log_grows_meanwhile(
    stored: Conninfos, history: History, house: ProjectionRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("projections.runner.rebuild.PAGE_SIZE", 10)
    began = history.position
    with running(house) as received:

        def append_deposit(*_: int) -> None:
            if history.position < began + 8:
                history.deposits(ALICE, 1)
                received.wait_for(history.position)

        result = check(stored.owner, read_models(ZONE), CheckOptions(20, 0), append_deposit)

    assert not _differences(result)
    assert {it.position for it in result.models} == {history.position}
    assert history.position > began + 4


def test_the_check_waits_neither_for_readers_nor_for_changes(
    stored: Conninfos, history: History, house: ProjectionRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    def changing(*args: Any) -> Any:
        history.deposits(ALICE, 1)
        assert house.step() == 1
        return compare(*args)

    monkeypatch.setattr("scripts.audit_tool.check_models.compare", changing)
    result = check(stored.owner, read_models(ZONE), CheckOptions(20, 0), lambda *_: None)

    assert not _differences(result)


def test_a_model_cannot_write_the_served_tables(stored: Conninfos, house: ProjectionRunner) -> None:
    class WritingProjection(AccountProjection):
        def apply(self, cursor: psycopg.Cursor[Any], page: Sequence[RecordedFact]) -> None:  # noqa: ARG002
            cursor.execute("UPDATE views.accounts SET available = 0")

    before = house.status()
    result = check(stored.owner, [WritingProjection(ZONE)], CheckOptions(20, 0), lambda *_: None)

    ((kind, what),) = _differences(result)
    assert kind == FAILED
    assert "read-only transaction" in what
    assert house.status() == before
    with psycopg.connect(stored.owner) as connection:
        assert not _count(connection, "views.accounts WHERE available = 0")


def test_showing_no_rows_is_a_usage_error(audit: Audit) -> None:
    with pytest.raises(SystemExit) as left:
        audit("check", "--show", 0)
    assert left.value.code == 2


@pytest.mark.parametrize("role", ["app", "auditor"])
def test_the_roles_of_the_application_and_of_the_auditor_may_check(
    database: Conninfos, audit: Audit, capsys: Printed, role: str
) -> None:
    create(database.owner)
    with closing(ProjectionRunner(database.app, read_models(ZONE))) as runner:
        runner.install()

    conninfo = getattr(database, role)
    assert audit("check", of=Conninfos(conninfo, conninfo)) == 0
    assert capsys.readouterr().out.startswith("log: 0 facts in 0 streams checked for")


def test_a_role_without_temporary_tables_gets_instructions(
    stored: Conninfos, audit: Audit, capsys: Printed
) -> None:
    with closing(ProjectionRunner(stored.owner, read_models(ZONE))) as runner:
        runner.install()

    assert audit("check", of=Conninfos(stored.app, stored.app)) == 2
    assert "start the server once with this version" in capsys.readouterr().err


def _differences(result: ModelCheckReport) -> list[tuple[str, str]]:
    return [(it.kind, it.what) for model in result.models for it in model.differences]


def _count(connection: psycopg.Connection, place: str) -> int:
    row = connection.execute(f"SELECT count(*) FROM {place}".encode()).fetchone()
    assert row is not None
    return int(row[0])
