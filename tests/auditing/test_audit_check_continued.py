"""A check that begins where an earlier one ended: what it reads, finds, and says it cannot find."""

import re
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from engine.house.facts import OddsProposed, OddsSet
from engine.runtime.log.fact_log import datastore
from engine.runtime.log.sealer import Sealer
from engine.runtime.postgres.embedded_postgres import Conninfos
from engine.runtime.secret_keys import OperatorKey
from projections.accounts import AccountProjection
from projections.registry import read_models
from projections.runner.runner import ProjectionRunner
from projections.runner.tables import key
from tests.auditing.conftest import Audit
from tests.auditing.evening import PLAYERS
from tests.auditing.played_log import Clock, played
from tests.projections.history import History
from tests.projections.support import ZONE, catch_up

ALICE, BOB, _ = PLAYERS
COUNT = 600
PARTS = (250, 420)
Printed = pytest.CaptureFixture[str]


class House:
    """A played house, whose log a test stores, seals and projects part by part."""

    def __init__(self, stored: Conninfos, history: History, runner: ProjectionRunner) -> None:
        drawn = played(COUNT)
        self.facts = list(drawn.sandbox.log)
        self.history = history
        self._conninfos = stored
        self._key = OperatorKey(drawn.sandbox._random("operator", 32))
        self._runner = runner

    def store(self, until: int) -> None:
        """Store the facts up to this position, and seal and project all that is stored."""
        self.history.replays(self.facts[self.history.position : until])
        self.seal()
        catch_up(self._runner)

    def deposit(self, player: int) -> None:
        """A player's deposit, sealed and projected."""
        self.history.deposits(player, 700)
        self.seal()
        catch_up(self._runner)

    def seal(self) -> None:
        with datastore(self._conninfos.app) as store:
            Sealer(store, self._key, Clock()).catch_up()

    def damage(self, *statements: str) -> None:
        """Change the database as its owner can."""
        with psycopg.connect(self._conninfos.owner, autocommit=True) as connection:
            connection.execute("ALTER TABLE log.facts DISABLE TRIGGER ALL")
            for statement in statements:
                assert connection.execute(statement.encode()).rowcount


@pytest.fixture
def house(stored: Conninfos, history: History) -> Iterator[House]:
    with closing(ProjectionRunner(stored.owner, read_models(ZONE))) as runner:
        yield House(stored, history, runner)


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """The file of the checks."""
    return tmp_path / "check.json"


@pytest.fixture
def check(audit: Audit, kept: Path, capsys: Printed) -> Callable[..., str]:
    """Runs a check that continues the one before; asserts its exit status, returns its output."""

    def run(status: int = 0, file: Path = kept) -> str:
        assert audit("check", "--patience", 0, "--continue", file) == status, capsys.readouterr()
        return capsys.readouterr().out

    return run


def test_each_check_reads_what_is_new_and_ends_where_a_whole_one_does(
    house: House, check: Callable[..., str], kept: Path, tmp_path: Path
) -> None:
    before, printed = 0, ""
    for until in (*PARTS, COUNT, len(house.facts)):
        house.store(until)
        printed = check()
        new = f" new facts after position {before}" if before else " facts"
        assert printed.startswith(f"log: {until - before}{new} in ")
        assert printed.endswith(f"the next check with {kept} begins after position {until}\n")
        before = until
    assert "balances: " in printed
    assert "accounts: " not in printed
    whole = tmp_path / "whole.json"
    assert "accounts: " in check(file=whole)
    assert kept.read_text() == whole.read_text()


def test_a_check_without_new_facts_is_clean(house: House, check: Callable[..., str]) -> None:
    house.store(512)  # whole tiles
    check()
    assert check().startswith("log: 0 new facts after position 512 in 0 streams")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            "notification_id = notification_id + 1000",
            r"gapless: position 1,501: it follows position 500",
        ),
        ("originator_version = 1000", r"gapless-stream: position 501: \S+ 1000 follows version"),
        ("at = at - 86400000000", r"time-order: position 501: recorded \d+"),
        ("topic = 'from-the-future.1'", r"readable: position 501: .*from-the-future"),
        ("actor = 'another'", r"position 501: the fact is not the one that was sealed"),
    ],
)
def test_a_new_fact_that_breaks_a_rule_is_found_and_the_file_stays(
    house: House, check: Callable[..., str], kept: Path, change: str, expected: str
) -> None:
    house.store(500)
    check()
    before = kept.read_text()
    house.store(501)
    house.damage(f"UPDATE log.facts SET {change} WHERE notification_id = 501")
    assert re.search(expected, check(1))
    assert kept.read_text() == before


def test_a_player_who_spends_more_than_an_earlier_check_left_them_is_found(
    house: House, check: Callable[..., str]
) -> None:
    house.store(500)
    check()
    house.deposit(ALICE)
    house.damage(
        "UPDATE log.facts SET state = replace(convert_from(state, 'UTF8'), '700,', '-99999999,')"
        "::bytea WHERE notification_id = 501"
    )
    assert "never-negative: position 501: player:10001:available is at -" in check(1)


def test_odds_that_their_earlier_proposer_sets_alone_are_found(
    house: House, check: Callable[..., str]
) -> None:
    house.store(500)
    house.history.append(("house", OddsProposed("balanced", "staff:ann")))
    house.store(500)
    check()
    house.history.append(("house", OddsSet("balanced", "2030-01-01", "staff:ann")))
    house.store(501)
    assert "odds: position 502: balanced was set by staff:ann alone" in check(1)


def test_a_wrong_balance_of_a_player_with_new_facts_is_found(
    house: House, check: Callable[..., str]
) -> None:
    house.store(500)
    check()
    house.deposit(ALICE)
    house.damage(
        f"UPDATE views.accounts SET available = 1, version = 2 WHERE player = {ALICE}",
        "UPDATE views.house_accounts SET balance = 3 WHERE account = 'world:bank' AND bots = 0",
    )
    printed = check(1)
    assert re.search(
        rf"different value: views\.accounts: player={ALICE}: version expected \d+, found 2;"
        r" available expected \d+, found 1\n",
        printed,
    )
    assert re.search(
        r"different value: views\.house_accounts: account=world:bank of members: balance expected"
        r" -\d+, found 3\n",
        printed,
    )
    assert "FOUND: 2 differences\n" in printed
    house.damage(f"DELETE FROM views.accounts WHERE player = {ALICE}")
    assert f"missing row: views.accounts: player={ALICE}\n" in check(1)


def test_balances_are_compared_at_the_position_of_the_read_models(
    house: House, check: Callable[..., str]
) -> None:
    house.store(500)
    check()
    house.deposit(ALICE)
    house.history.deposits(ALICE, 300)
    house.history.joins(7)
    house.seal()
    printed = check(1)
    stale = "its position is 501, the log was at 503"
    assert [line for line in printed.splitlines() if line.startswith("  stale projection")] == [
        f"  stale projection: {model.name}: {stale}" for model in read_models(ZONE)
    ]
    assert "different value" not in printed
    assert "missing row" not in printed


def test_a_read_model_that_stopped_is_found(house: House, check: Callable[..., str]) -> None:
    house.store(500)
    check()
    model = key(AccountProjection(ZONE))
    house.damage(f"INSERT INTO views.failures VALUES ('{model}', 501, 'news', 'x.1', 'why')")
    assert "failed projection: accounts: it cannot apply fact 501 (news, x.1): why" in check(1)


def test_what_an_earlier_check_read_is_not_read_again_and_the_output_says_so(
    house: House, check: Callable[..., str], audit: Audit, capsys: Printed
) -> None:
    house.store(500)
    check()
    house.deposit(ALICE)
    house.damage(
        "UPDATE log.facts SET actor = 'another' WHERE notification_id = 100",
        f"UPDATE views.accounts SET available = 1 WHERE player = {BOB}",
        f"UPDATE views.entries SET amount = 1 WHERE player = {ALICE}",
    )
    _, _, uncovered = check().partition("not covered:\n")
    assert "  the facts up to position 500, which an earlier check read: one that was" in uncovered
    assert "  the rows of the read models, other than the balances above" in uncovered
    assert "  the snapshots of streams" in uncovered
    assert "  (a check without --continue covers these three)\n" in uncovered
    assert audit("check") == 1
    whole = capsys.readouterr().out
    assert "position 100: the fact is not the one that was sealed" in whole
    assert f"different value: views.accounts: player={BOB}: " in whole


def test_a_log_that_ends_before_an_earlier_check_is_a_finding(
    house: House, check: Callable[..., str], audit: Audit, kept: Path, capsys: Printed
) -> None:
    house.store(500)
    check()
    before = kept.read_text()
    house.damage("DELETE FROM log.facts WHERE notification_id > 480")
    assert audit("check", "--continue", kept, "--patience", 0) == 1
    why = "FINDING: the log ends at position 480, and an earlier check read it up to 500"
    assert why in capsys.readouterr().err
    assert kept.read_text() == before


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"first": "2026-11-21"}'])
def test_another_file_is_not_that_of_an_earlier_check(
    house: House, audit: Audit, kept: Path, capsys: Printed, content: str
) -> None:
    house.store(10)
    kept.write_text(content)
    assert audit("check", "--continue", kept) == 2
    assert "is not the file of an earlier check" in capsys.readouterr().err
    assert kept.read_text() == content
