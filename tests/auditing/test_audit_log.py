"""`scripts/audit log` finds each change of a sealed log, and names the position."""

import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec
import psycopg
import pytest

from engine.facts import encode, game_stream
from engine.fairness import checkpoints, tiles
from engine.fairness.merkle import leaf_hash
from engine.runtime.log.fact_log import FactLog, datastore
from engine.runtime.log.sealer import Sealer
from engine.runtime.postgres.embedded_postgres import Conninfos
from engine.runtime.secret_keys import OperatorKey
from scripts.audit_tool.log import LogAudit
from scripts.audit_tool.log_checkpoints import Signed
from tests.auditing.conftest import Audit
from tests.auditing.played_log import copy_facts, played
from tests.projections.history import History
from tests.projections.test_draws import day_opened
from tests.runtime.test_log import deposits

KEY = OperatorKey(b"k" * 32)
OTHER = OperatorKey(b"o" * 32)
FACTS = 2_000
MANY_FACTS = 20_000
HOUR_US = 3_600_000_000
COLUMNS = ("originator_id", "originator_version", "topic", "at", "command_id", "actor", "state")


def append(log: FactLog, facts: int, first: int) -> None:
    for version in range(first, first + facts // 100):
        log.append(
            deposits(*(f"player-{n}" for n in range(100)), first_version=version, at=version)
        )


def seal(house: Conninfos, hour: int, key: OperatorKey = KEY) -> str:
    """Seal everything in this hour. Returns the checkpoint."""
    with datastore(house.app) as store:
        Sealer(store, key, lambda: hour * HOUR_US).catch_up()
        with store.get_connection() as connection:
            row = connection.execute(
                "SELECT note FROM log.checkpoints ORDER BY size DESC"
            ).fetchone()
    assert row is not None
    return str(row["note"])


@pytest.fixture
def sealed(stored: Conninfos, log: FactLog) -> Conninfos:
    """A log with a checkpoint at 1,000 and one at 2,000 facts."""
    return sealed_twice(stored, log, FACTS)


def sealed_twice(house: Conninfos, log: FactLog, facts: int) -> Conninfos:
    append(log, facts // 2, 1)
    seal(house, 1)
    append(log, facts // 2, facts // 20)
    seal(house, 2)
    return house


Attack = Callable[[Conninfos, int], None]
"""Tampers with a house's log, which has so many facts, and asserts that each time is found."""


@contextmanager
def tampering(house: Conninfos) -> Iterator[psycopg.Connection]:
    """A connection of the owner, without the log's protection; all its changes are undone."""
    with psycopg.connect(house.owner) as connection:
        connection.execute("ALTER TABLE log.facts DISABLE TRIGGER ALL")
        yield connection
        connection.rollback()


def findings(connection: psycopg.Connection, *more: str) -> list[str]:
    texts = [text for (text,) in connection.execute("SELECT note FROM log.checkpoints")]
    return findings_of(connection, [*texts, *more])


def findings_of(connection: psycopg.Connection, texts: list[str]) -> list[str]:
    notes = []
    for text in texts:
        checkpoint = checkpoints.read_note(text).checkpoint
        notes.append(Signed(checkpoint.size, checkpoint.root, "a file", text, is_signed=True))
    audit = LogAudit(notes)
    audit.read(connection)
    return audit.findings


def run(connection: psycopg.Connection, statement: str, *values: object) -> None:
    connection.execute(statement.encode(), values)


def test_a_sealed_log_is_clean(
    sealed: Conninfos, audit: Audit, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "kept.txt"
    assert audit("log", "--operator-key", KEY.public.hex(), "--save", file) == 0
    shown = capsys.readouterr().out
    assert "2,000 facts hashed" in shown
    assert "2,000 facts fit a signed checkpoint; 0 are not sealed yet\n" in shown
    assert "not ruled out: no checkpoint outside this database was compared" in shown
    assert shown.partition("saved")[0].endswith("\nclean\n")
    append_more = deposits("player-9999")
    with datastore(sealed.app) as store:
        FactLog(store).append(append_more)
    assert audit("log", "--operator-key", KEY.public.hex(), "--checkpoint", file) == 0
    shown = capsys.readouterr().out
    assert "1 are not sealed yet" in shown
    assert "after position 2,000: no checkpoint from outside this database covers the 1 " in shown


def test_the_leaf_is_the_one_that_the_specification_of_the_tree_describes(
    sealed: Conninfos,
) -> None:
    with psycopg.connect(sealed.owner) as connection:
        row = connection.execute(
            "SELECT notification_id, originator_id, originator_version, topic, at, command_id,"
            " actor, state FROM log.facts WHERE notification_id = 300"
        ).fetchone()
        tile = connection.execute("SELECT hashes FROM log.tiles WHERE (level, number) = (0, 1)")
        (hashes,) = tile.fetchone() or (b"",)
    assert row is not None
    assert bytes(hashes)[43 * 32 : 44 * 32] == leaf_hash(tiles.entry(*row))


def changes(count: int) -> Attack:
    def change(house: Conninfos, facts: int) -> None:
        rng = random.Random(1)
        for _ in range(count):
            position, column = rng.randint(1, facts), rng.choice(COLUMNS)
            with tampering(house) as connection:
                _change_a_byte(connection, position, column, rng)
                assert findings(connection) == [
                    f"position {position:,}: the fact is not the one that was sealed"
                ]

    return change


def _change_a_byte(
    connection: psycopg.Connection, position: int, column: str, rng: random.Random
) -> None:
    if column in {"originator_version", "at"}:
        value = f"{column} # (1::bigint << {rng.randrange(20, 40)})"
    elif column == "state":
        place = f"floor(length(state) * {rng.random()})::int"
        value = f"set_byte(state, {place}, {rng.randrange(1, 256)} # get_byte(state, {place}))"
    else:
        value = f"overlay({column} placing '~' from {rng.randrange(1, 3)} for 1)"
    statement = f"UPDATE log.facts SET {column} = {value} WHERE notification_id = %s"
    run(connection, statement, position)


def deletions(count: int) -> Attack:
    def delete(house: Conninfos, facts: int) -> None:
        for position in random.Random(2).sample(range(1, facts), count):
            with tampering(house) as connection:
                run(connection, "DELETE FROM log.facts WHERE notification_id = %s", position)
                assert findings(connection) == [f"position {position:,}: the fact is missing"]

    return delete


def swaps(count: int) -> Attack:
    def swap(house: Conninfos, facts: int) -> None:
        rng = random.Random(3)
        for _ in range(count):
            first, second = sorted(rng.sample(range(1, facts + 1), 2))
            with tampering(house) as connection:
                for old, new in ((first, -1), (second, first), (-1, second)):
                    statement = (
                        "UPDATE log.facts SET notification_id = %s WHERE notification_id = %s"
                    )
                    run(connection, statement, new, old)
                assert findings(connection) == [
                    f"position {each:,}: the fact is not the one that was sealed"
                    for each in (first, second)
                ]

    return swap


def cut_tails(count: int) -> Attack:
    def cut(house: Conninfos, facts: int) -> None:
        for last in random.Random(4).sample(range(facts), count):
            with tampering(house) as connection:
                run(connection, "DELETE FROM log.facts WHERE notification_id > %s", last)
                found = findings(connection)
                assert found[0] == f"position {last + 1:,}: the fact is missing"
                end = f"the log ends at position {last:,}, but {facts:,} facts were sealed"
                assert end in found

    return cut


@pytest.mark.parametrize(
    "attack", [changes(50), deletions(10), swaps(10), cut_tails(4)], ids=lambda it: it.__name__
)
def test_each_change_of_the_log_is_found_with_its_position(
    sealed: Conninfos, attack: Attack
) -> None:
    attack(sealed, FACTS)


def test_a_second_fact_at_a_position_is_found(sealed: Conninfos) -> None:
    added = (
        "INSERT INTO log.facts (originator_id, originator_version, notification_id, topic, state,"
        " at, command_id, actor) SELECT originator_id, originator_version + 1000, {position},"
        " topic, state, at, command_id, actor FROM log.facts WHERE notification_id = 300"
    )
    with tampering(sealed) as connection:
        for name in _unique_positions(connection):
            run(connection, f"DROP INDEX log.{name}")
        run(connection, added.format(position=300))
        assert "position 300: 2 facts have this position" in findings(connection)
    with tampering(sealed) as connection:
        run(connection, added.format(position=-7))
        (found,) = findings(connection)
        assert re.fullmatch(
            "the fact [0-9]+ of player-[0-9]+ has a position outside the log", found
        )


def _unique_positions(connection: psycopg.Connection) -> list[str]:
    rows = connection.execute(
        "SELECT indexname FROM pg_indexes WHERE schemaname = 'log' AND tablename = 'facts'"
        " AND indexdef LIKE '%UNIQUE%(notification_id%'"
    )
    return [name for (name,) in rows]


@pytest.mark.long
@pytest.mark.parametrize(
    "attack", [changes(500), deletions(100), swaps(100), cut_tails(20)], ids=lambda it: it.__name__
)
def test_each_of_many_changes_of_a_played_log_is_found_with_its_position(
    stored: Conninfos, attack: Attack
) -> None:
    facts = list(played(MANY_FACTS).sandbox.log)[:MANY_FACTS]
    half = MANY_FACTS // 2
    for hour, part in enumerate((facts[:half], facts[half:]), start=1):
        copy_facts(stored, part)
        seal(stored, hour)
    attack(stored, MANY_FACTS)


def rewritten(house: Conninfos, position: int, by_us: int) -> None:
    """Change the time of a fact, and seal the changed log again with the operator's own key."""
    with psycopg.connect(house.owner) as connection:
        connection.execute("ALTER TABLE log.facts DISABLE TRIGGER ALL")
        changed = "UPDATE log.facts SET at = at + %s WHERE notification_id = %s"
        run(connection, changed, by_us, position)
        connection.execute("ALTER TABLE log.facts ENABLE TRIGGER ALL")
        connection.execute("TRUNCATE log.tiles, log.checkpoints")
    seal(house, 2)


@pytest.mark.parametrize(
    ("facts", "count"), [(FACTS, 2), pytest.param(MANY_FACTS, 20, marks=pytest.mark.long)]
)
def test_a_rewritten_history_is_found_with_a_checkpoint_that_was_kept_elsewhere(
    stored: Conninfos,
    log: FactLog,
    audit: Audit,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    facts: int,
    count: int,
) -> None:
    part, kept = facts // 4, []
    for place in range(4):
        append(log, part, 1_000 * place + 1)
        kept.append(tmp_path / f"{place}.txt")
        kept[-1].write_text(seal(stored, place))
    command = ("log", "--operator-key", KEY.public.hex())
    options = [word for file in kept for word in ("--checkpoint", str(file))]
    for position in random.Random(5).sample(range(1, facts + 1), count):
        rewritten(stored, position, 1)
        assert audit(*command) == 0, "nothing in the database shows it"
        capsys.readouterr()
        assert audit(*command, *options) == 1
        before = (position - 1) // part * part
        later = (facts - before - part) // part
        more = f", and from {later} more after it" if later else ""
        assert (
            f"FINDING positions {before + 1:,} to {before + part:,}: the log differs from the"
            f" checkpoint over {before + part:,} facts in {kept[before // part]}{more}\n"
        ) in capsys.readouterr().err
        rewritten(stored, position, -1)
    assert audit(*command, *options) == 0


@pytest.mark.usefixtures("sealed")
def test_the_operators_key_is_that_of_the_first_day_unless_it_is_named(
    audit: Audit, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit("log") == 2
    assert "name the operator's key" in capsys.readouterr().err
    assert audit("log", "--operator-key", OTHER.public.hex()) == 1
    assert "the database: the checkpoint over 1,000 is not signed" in capsys.readouterr().err


def test_a_log_that_was_never_sealed_says_so(
    stored: Conninfos, audit: Audit, capsys: pytest.CaptureFixture[str]
) -> None:
    with psycopg.connect(stored.owner) as connection:
        connection.execute("DROP TABLE log.tiles")
    assert audit("log", "--operator-key", KEY.public.hex()) == 2
    assert "not sealed yet" in capsys.readouterr().err


@dataclass
class Day:
    """A sealed log with the first day at this position, in so many bytes."""

    house: Conninfos
    position: int
    length: int

    @contextmanager
    def changed(self, place: int, mask: int) -> Iterator[None]:
        """A byte of the stored day is another one."""
        self._flip(place, mask)
        yield
        self._flip(place, mask)

    def _flip(self, place: int, mask: int) -> None:
        with psycopg.connect(self.house.owner) as connection:
            connection.execute("ALTER TABLE log.facts DISABLE TRIGGER ALL")
            flipped = "UPDATE log.facts SET state = set_byte(state, %s, get_byte(state, %s) # %s)"
            where = " WHERE notification_id = %s"
            run(connection, flipped + where, place, place, mask, self.position)


@pytest.fixture
def first_day(stored: Conninfos, history: History) -> Day:
    opened = msgspec.structs.replace(day_opened(), operator_key=KEY.public.hex())
    history.deposits(1, 100_000)
    history.append((game_stream(1), opened))
    history.deposits(1, 100_000)
    seal(stored, 1)
    return Day(stored, 2, len(encode(opened)))


@pytest.mark.parametrize(
    ("every", "every_check"), [(29, 211), pytest.param(1, 1, marks=pytest.mark.long)]
)
def test_each_changed_byte_of_the_first_day_is_found_with_its_position(
    first_day: Day, audit: Audit, capsys: pytest.CaptureFixture[str], every: int, every_check: int
) -> None:
    """The day has the key by which all checkpoints are verified, and a broken day hides nothing."""
    rng = random.Random(6)
    found = f"position {first_day.position}"
    for place in range(0, first_day.length, every):
        with first_day.changed(place, rng.randrange(1, 256)):
            assert audit("log") == 1
            assert f"FINDING {found}: the fact is not the one" in capsys.readouterr().err
    for place in range(0, first_day.length, every_check):
        with first_day.changed(place, rng.randrange(1, 256)):
            assert audit("check") == 1
            assert f"  {found}: the fact is not the one" in capsys.readouterr().out


def key_place(day: Day) -> int:
    """Where the day's bytes have the operator's key."""
    with psycopg.connect(day.house.owner) as connection:
        (state,) = connection.execute(
            "SELECT state FROM log.facts WHERE notification_id = %s", (day.position,)
        ).fetchone() or (b"",)
    return bytes(state).index(KEY.public.hex().encode())


def test_another_key_in_the_first_day_hides_no_changed_fact(
    first_day: Day, audit: Audit, capsys: pytest.CaptureFixture[str]
) -> None:
    """No checkpoint is signed with it, and yet the facts are compared with their sealed leaves."""
    with first_day.changed(key_place(first_day), 0x01):
        assert audit("log") == 1
        shown = capsys.readouterr().err
        assert "FINDING position 2: the fact is not the one that was sealed" in shown
        assert "the checkpoint over 3 is not signed with the operator's key" in shown


@pytest.mark.parametrize("command", ["log", "check"])
def test_a_day_without_a_readable_key_is_a_finding(
    first_day: Day, audit: Audit, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    """No digit of the key, no UTF-8, and no JSON."""
    of_key = key_place(first_day)
    for place, mask in ((of_key, 0x40), (of_key, 0x80), (0, 0x01)):
        with first_day.changed(place, mask):
            assert audit(command) == 1
            shown = "".join(capsys.readouterr())
            assert "position 2: the day has no readable keys" in shown
            assert "position 2: the fact is not the one that was sealed" in shown
            assert audit(command, "--operator-key", KEY.public.hex()) == 1
            assert "is not signed" not in "".join(capsys.readouterr())


def test_a_later_day_with_another_operators_key_is_a_finding(
    first_day: Day, history: History, audit: Audit, capsys: pytest.CaptureFixture[str]
) -> None:
    for game in (1, 2):
        opened = msgspec.structs.replace(day_opened(game), operator_key=OTHER.public.hex())
        history.append((game_stream(game), opened))
    seal(first_day.house, 1)
    assert audit("log") == 1
    found = "position 4: the day names another operator's key than that of position 2"
    assert f"FINDING {found} (so do 1 later ones)" in capsys.readouterr().err


@pytest.mark.usefixtures("sealed")
@pytest.mark.parametrize("content", ["", "x\n1\n\n", "a\nb\nc\n\n\u2014 a b\n"])
def test_a_file_without_a_checkpoint_is_named(
    audit: Audit, capsys: pytest.CaptureFixture[str], tmp_path: Path, content: str
) -> None:
    file = tmp_path / "note.txt"
    file.write_text(content)
    assert audit("log", "--operator-key", KEY.public.hex(), "--checkpoint", file) == 2
    assert f"{file} has a checkpoint that is malformed" in capsys.readouterr().err


def test_the_check_of_everything_compares_the_log_with_its_tree(
    stored: Conninfos, history: History, audit: Audit, capsys: pytest.CaptureFixture[str]
) -> None:
    audit("check")
    assert "tree: the log is not sealed yet" in capsys.readouterr().out
    opened = msgspec.structs.replace(day_opened(), operator_key=KEY.public.hex())
    history.append((game_stream(1), opened))
    history.deposits(1, 100_000)
    seal(stored, 1)
    audit("check")
    shown = capsys.readouterr().out
    assert f"tree: {history.position} facts hashed, {history.position} of them fit" in shown
    found = _differences(shown)
    with psycopg.connect(stored.owner) as connection:
        connection.execute("ALTER TABLE log.facts DISABLE TRIGGER ALL")
        run(connection, "UPDATE log.facts SET actor = 'ann' WHERE notification_id = %s", 2)
    audit("check")
    shown = capsys.readouterr().out
    assert "  position 2: the fact is not the one that was sealed\n" in shown
    assert _differences(shown) == found + 1


def _differences(shown: str) -> int:
    """The number of differences that a check reports."""
    found = re.search(r"FOUND: ([0-9]+) difference", shown)
    return int(found[1]) if found else 0


def test_a_second_run_reads_only_what_is_new(
    sealed: Conninfos,
    log: FactLog,
    audit: Audit,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    command = ("log", "--operator-key", KEY.public.hex(), "--continue", tmp_path / "edge.json")
    assert audit(*command) == 0
    assert "2,000 facts hashed" in capsys.readouterr().out
    append(log, 500, 200)
    seal(sealed, 3)
    assert audit(*command) == 0
    shown = capsys.readouterr().out
    assert "708 facts hashed" in shown, "500 new ones, and those of the last tile"
    assert "1,792 facts before them were read by an earlier run" in shown
    assert "2,500 facts fit a signed checkpoint; 0 are not sealed yet\n" in shown
    assert "after position 2,000: no checkpoint from outside this database covers the 500" in shown
    assert shown.endswith("\nclean\n")
    assert audit(*command) == 0
    assert "196 facts hashed" in capsys.readouterr().out


def test_a_second_run_finds_another_history(
    sealed: Conninfos, audit: Audit, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The owner rewrites facts, tree and checkpoints after the first run."""
    edge = tmp_path / "edge.json"
    command = ("log", "--operator-key", KEY.public.hex(), "--continue", edge)
    assert audit(*command) == 0
    capsys.readouterr()
    with psycopg.connect(sealed.owner) as connection:
        connection.execute("ALTER TABLE log.facts DISABLE TRIGGER ALL")
        connection.execute("UPDATE log.facts SET actor = 'x' WHERE notification_id = 1900")
        connection.execute("TRUNCATE log.tiles, log.checkpoints")
    before = edge.read_text()
    seal(sealed, 4)
    assert audit(*command) == 1
    assert (
        "positions 1,793 to 2,000: the log differs from the checkpoint" in capsys.readouterr().err
    )
    assert edge.read_text() == before


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '{"note": "", "subtrees": [], "tiles": 3}', '{"note": 1, "tiles": "x"}'],
)
def test_another_file_is_not_an_earlier_run(
    sealed: Conninfos,  # noqa: ARG001 - the log that is audited
    audit: Audit,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    content: str,
) -> None:
    edge = tmp_path / "edge.json"
    edge.write_text(content)
    assert audit("log", "--operator-key", KEY.public.hex(), "--continue", edge) == 2
    assert "is not the file of an earlier run" in capsys.readouterr().err
    assert edge.read_text() == content


def test_a_checkpoint_older_than_the_last_run_needs_a_whole_run(
    sealed: Conninfos,
    audit: Audit,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    old, edge = tmp_path / "old.txt", tmp_path / "edge.json"
    with psycopg.connect(sealed.owner) as connection:
        row = connection.execute("SELECT note FROM log.checkpoints ORDER BY size").fetchone()
    assert row is not None
    old.write_text(row[0])
    key = ("--operator-key", KEY.public.hex())
    assert audit("log", *key, "--continue", edge) == 0
    assert audit("log", *key, "--continue", edge, "--checkpoint", old) == 2
    assert "leave out --continue" in capsys.readouterr().err
    assert audit("log", *key, "--checkpoint", old) == 0
