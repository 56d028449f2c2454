"""The whole program is killed under load five times: nothing is lost or done twice."""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from engine.bets.facts import BetPlaced, BetRecalled
from engine.facts import RecordedFact
from engine.rounds.facts import RoundOpened
from projections.pagination import LIMIT
from tests.journeys.load import CallRecord, read_records
from tests.journeys.program import DEADLINE_S, Program, until
from tests.runtime.audit import audit, balances, unfinished_rounds

LOAD = Path(__file__).with_name("load.py")
NOTES_BETWEEN_KILLS = 150
WITH_POSTGRES = [False, True, False, True, False]


@contextmanager
def players(*programs: Program, notes: Path, pause_s: float = 0) -> Iterator[None]:
    """Run players in their own process, which ends when all their calls are decided.

    They call the first program, and the next one whenever it does not answer.
    """
    addresses = ",".join(program.address for program in programs)
    with subprocess.Popen(
        [sys.executable, LOAD, addresses, notes, "play", str(pause_s)],
        stdin=subprocess.PIPE,
        env={"PYTHONPATH": ":".join(sys.path)},
    ) as load:
        try:
            yield
            _, _ = load.communicate(b"end", timeout=DEADLINE_S)
        finally:
            load.kill()
    assert load.returncode == 0


def repeat(program: Program, notes: Path) -> list[CallRecord]:
    """Repeat every call; returns the answers in the order of the first ones."""
    subprocess.run(
        [sys.executable, LOAD, program.address, notes, "repeat"],
        env={"PYTHONPATH": ":".join(sys.path)},
        timeout=DEADLINE_S,
        check=True,
    )
    again = {note.key: note for note in read_records(notes.with_suffix(".again"))}
    return [again[note.key] for note in read_records(notes)]


def noted(notes: Path, enough: int) -> bool:
    return len(read_records(notes)) >= enough


def survive_kills(program: Program, notes: Path) -> None:
    """Start the program, kill it under load and restart it, five times."""
    program.start()
    with players(program, notes=notes):
        for with_postgres in WITH_POSTGRES:
            enough = len(read_records(notes)) + NOTES_BETWEEN_KILLS
            until(partial(noted, notes, enough))
            program.kill(postgres=with_postgres)
            program.start()


def effects(facts: Sequence[RecordedFact]) -> tuple[Counter[str], Counter[str]]:
    """The number of bets and the number of recalls by each key."""
    placed = (each.command_id for each in facts if isinstance(each.fact, BetPlaced))
    recalled = (each.command_id for each in facts if isinstance(each.fact, BetRecalled))
    return Counter(placed), Counter(recalled)


def completed(program: Program, players: set[int]) -> list[RecordedFact]:
    """The log, once these players have no open stake and only rounds on sale are unfinished."""
    facts: list[RecordedFact] = []

    def nothing_is_unfinished() -> bool:
        nonlocal facts
        facts = program.facts()
        opened = [each.fact for each in facts if isinstance(each.fact, RoundOpened)]
        newest = {fact.game: fact.issue for fact in opened}
        balance_of = balances(facts)
        staked = sum(balance_of[f"player:{player}:staked"] for player in players)
        return not staked and unfinished_rounds(facts) <= set(newest.items())

    until(nothing_is_unfinished)
    return facts


def test_nothing_is_lost_or_doubled_by_five_kills(data_dir: Path, tmp_path: Path) -> None:
    """GLI-19 B.3.5a and 4.3.3d: across restarts, idempotent and paid once."""
    notes = tmp_path / "notes"
    with Program(data_dir) as program:
        survive_kills(program, notes)
        every_answer_holds(program, notes)


def every_answer_holds(program: Program, notes: Path) -> None:
    """Each noted answer is given again to its key, and is what the log and the balances have."""
    first = read_records(notes)
    assert [(n.key, n.code, n.reason, n.data) for n in repeat(program, notes)] == [
        (n.key, n.code, n.reason, n.data) for n in first
    ]
    facts = completed(program, {note.player for note in first})
    audit(facts)
    placed, recalled = effects(facts)
    for note in first:
        effect = placed if note.path.endswith("playOrder") else recalled
        assert effect[note.key] == note.code
    matches_log(program, first, facts)


def matches_log(
    program: Program, notes: Sequence[CallRecord], facts: Sequence[RecordedFact]
) -> None:
    """Each player's balance matches the log, and the orders are the accepted ones."""
    balance_of = balances(facts)
    for player, token in {(note.player, note.token) for note in notes}:
        money = program.call("user/userInfo", {}, token)["money"]
        assert round(money * 100) == balance_of[f"player:{player}:available"]
        orders = program.call("user/orderList", {"begin_date": "", "end_date": ""}, token)
        own = [note for note in notes if note.player == player and note.code == 1]
        accepted = [note.data["orderNo"] for note in own if note.path.endswith("playOrder")]
        shown = {order["orderNo"] for order in orders}
        assert shown <= {*accepted}
        assert len(shown) == len(orders) == min(len(accepted), LIMIT)
