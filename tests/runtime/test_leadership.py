"""Two engines on one database, in processes that are suspended and resumed by signals."""

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import psycopg
import pytest

from engine.answers import Answer, BetAccepted, PlayerAccepted, Refused
from engine.bets.commands import PlaceBet
from engine.bets.facts import BetPlaced
from engine.catalogue import GAMES
from engine.facts import RecordedFact
from engine.players.commands import PlayerCommand, RegisterPlayer
from engine.refusals import NEVER_STORED, Refusal
from engine.rounds.facts import RoundOpened
from engine.runtime.log.fact_log import FactLog, datastore
from engine.runtime.postgres.embedded_postgres import Conninfos
from engine.runtime.writer.commit import COMMIT_TIMEOUT_S
from tests.runtime.audit import audit
from tests.runtime.house import OPENING, PLAYER, SECOND

DEADLINE_S = 30
PROGRAM = Path(__file__).with_name("program.py")
decode = msgspec.json.Decoder(tuple[str, Answer | int]).decode

Start = Callable[[], "Program"]


class Program:
    """A process with an engine; a thread reads its output."""

    def __init__(self, conninfo: str, keys: Path, offset_us: int) -> None:
        arguments = [sys.executable, str(PROGRAM), conninfo, str(keys), str(offset_us)]
        self.process = subprocess.Popen(
            arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        self.answers: dict[str, Answer] = {}
        self._output: queue.Queue[tuple[str, Answer | int]] = queue.Queue()
        self._listener = threading.Thread(target=self._listen)
        self._listener.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith(b"["):  # other lines are the engine's log
                self._output.put(decode(line))
        self._output.put(("ended", 0))

    def send(self, key: str, command: PlayerCommand) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(msgspec.json.encode((key, command)) + b"\n")
        self.process.stdin.flush()

    def wait_for_output(self, *keys: str) -> list[Answer]:
        """Wait for the answers to these keys, or for the key `ready`. Returns the answers."""
        while not set(keys) <= self.answers.keys():
            key, answer = self._output.get(timeout=DEADLINE_S)
            assert key != "ended"
            self.answers[key] = Refused(Refusal.UNAVAILABLE) if isinstance(answer, int) else answer
        return [self.answers[key] for key in keys]

    def submit(self, key: str, command: PlayerCommand) -> Answer:
        self.answers.pop(key, None)
        self.send(key, command)
        return self.wait_for_output(key)[0]

    def stop(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self._listener.join()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()


@pytest.fixture
def start(house_database: Conninfos, tmp_path: Path) -> Iterator[Start]:
    """Starts engines that share keys and a clock, which starts at the opening of the draw day."""
    offset_us = int((OPENING.timestamp() - time.time()) * SECOND)
    programs: list[Program] = []

    def started() -> Program:
        programs.append(Program(house_database.app, tmp_path, offset_us))
        return programs[-1]

    yield started
    for program in programs:
        program.end()


def facts(conninfos: Conninfos) -> list[RecordedFact]:
    with datastore(conninfos.app) as store:
        return FactLog(store).page(0, 1_000_000)


def epochs(conninfos: Conninfos) -> list[int]:
    """The epoch of each batch, in the order of the log."""
    with psycopg.connect(conninfos.app) as connection:
        query = "SELECT epoch FROM log.batches ORDER BY last_position, at"
        return [row[0] for row in connection.execute(query)]


def on_sale(conninfos: Conninfos) -> str:
    """The round of game 1, once those of all games are open: then nothing else is appended."""
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline:
        opened = [each.fact for each in facts(conninfos) if isinstance(each.fact, RoundOpened)]
        if {fact.game for fact in opened} == set(GAMES):
            return next(fact.issue for fact in opened if fact.game == 1)
    raise TimeoutError


def accepted(answers: dict[str, Answer]) -> set[str]:
    return {key for key, answer in answers.items() if isinstance(answer, BetAccepted)}


def test_a_suspended_leader_commits_nothing_after_another_took_over(
    start: Start, house_database: Conninfos
) -> None:
    """GLI-19 B.3.5a: idempotent across failover."""
    first = start()
    first.wait_for_output("ready")
    second = start()
    joining = RegisterPlayer(PLAYER, 1, None, "", gift_minor=10_000_000)
    assert isinstance(first.submit("join", joining), PlayerAccepted)
    bet = PlaceBet(PLAYER, 1, 1, on_sale(house_database), "big", 1_000)
    assert isinstance(first.submit("bet", bet), BetAccepted)
    assert second.submit("early", bet) == Refused(Refusal.UNAVAILABLE)

    for number in range(400):
        first.send(f"before-{number}", bet)
    first.stop()
    second.wait_for_output("ready")
    taken_over = len(epochs(house_database))
    for number in range(50):
        first.send(f"asleep-{number}", bet)
        assert isinstance(second.submit(f"after-{number}", bet), BetAccepted)
    first.resume()

    keys = [f"before-{number}" for number in range(400)]
    keys += [f"asleep-{number}" for number in range(50)]
    first.wait_for_output(*keys)
    assert accepted(first.answers).isdisjoint({f"asleep-{number}" for number in range(50)})
    refused = {a.refusal for a in first.answers.values() if isinstance(a, Refused)}
    assert refused <= NEVER_STORED
    led = epochs(house_database)
    assert led == sorted(led)
    assert len(set(led[taken_over:])) == 1

    # A client without an answer retries at the new leader, and its command has one effect.
    for key in keys:
        answer = second.submit(key, bet)
        assert isinstance(answer, BetAccepted)
        assert answer == first.answers[key] or key not in accepted(first.answers)
    log = facts(house_database)
    audit(log)
    placed = [recorded.command_id for recorded in log if isinstance(recorded.fact, BetPlaced)]
    assert len(placed) == len(set(placed)) == 1 + 400 + 50 + 50


def test_the_standby_leads_when_the_leader_is_killed(
    start: Start, house_database: Conninfos
) -> None:
    first = start()
    first.wait_for_output("ready")
    second = start()
    first.submit("join", RegisterPlayer(PLAYER, 1, None, "", gift_minor=1_000_000))
    bet = PlaceBet(PLAYER, 1, 1, on_sale(house_database), "big", 1_000)
    answer = first.submit("bet", bet)
    first.process.kill()
    second.wait_for_output("ready")
    assert second.submit("bet", bet) == answer
    audit(facts(house_database))


def test_a_leader_frozen_during_an_append_continues_to_lead(
    start: Start, house_database: Conninfos
) -> None:
    """The database was not slow, and no other engine has led meanwhile."""
    leader = start()
    leader.wait_for_output("ready")
    on_sale(house_database)
    with psycopg.connect(house_database.app) as holding:
        holding.execute("SELECT FROM log.lease FOR UPDATE")
        leader.send("joins", RegisterPlayer(PLAYER, 1, None, "", gift_minor=0))
        _until_an_append_waits(house_database, for_s=0)
        leader.stop()
        _until_an_append_waits(house_database, for_s=COMMIT_TIMEOUT_S + 1)
    before = epochs(house_database)
    leader.resume()
    assert isinstance(leader.wait_for_output("joins")[0], PlayerAccepted)
    assert set(epochs(house_database)) == set(before)


def _until_an_append_waits(conninfos: Conninfos, *, for_s: float) -> None:
    """Return once an append has waited for the lease's row for `for_s` seconds."""
    deadline = time.monotonic() + DEADLINE_S
    waiting = (
        "SELECT FROM pg_stat_activity WHERE query LIKE %s AND wait_event_type = 'Lock'"
        " AND clock_timestamp() - query_start > make_interval(secs => %s)"
    )
    with psycopg.connect(conninfos.app, autocommit=True) as connection:
        while time.monotonic() < deadline:
            if connection.execute(waiting, ("%append_batch%", for_s)).rowcount:
                return
    raise TimeoutError
