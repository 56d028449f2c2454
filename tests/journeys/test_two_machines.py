"""House and witness on two machines, while players bet: no round is lost and no stake is kept.

The witness is killed, cut off, restored from yesterday's copy and replaced; the house's leader is
killed, and a standby takes over. The clocks are ahead, so that a draw day ends in the middle.
"""

import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from engine.facts import RecordedFact
from engine.house.facts import SegmentLeft
from engine.rounds.facts import RoundDrawn, StakesReturned
from scripts.office_cli import cli
from scripts.office_cli.client import OfficeClient
from tests.journeys.load import read_records
from tests.journeys.machines import ROOT, USER, Machines, Witness, two_machines, what_is_missing
from tests.journeys.program import DEADLINE_S, Program, until
from tests.journeys.test_killed import completed, matches_log, players
from tests.runtime.audit import audit

MISSING: Final = what_is_missing()
pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(MISSING), reason=MISSING)]
PORT: Final = 8300
GAMES: Final = (1, 2, 3, 4)
MORE_THAN_HALF_AN_HOUR_S: Final = 31 * 60
#: As many as at 210 s each, from 10:00 to 10:00.
ROUNDS_A_DAY: Final = 411
PAUSE_S: Final = 2.0
FIRST_DAY: Final = timedelta(seconds=60)
#: The last one has more time than the deadlines within a start.
ATTEMPTS: Final = 5
Round = tuple[int, str]


class House:
    """A leader, a standby, and what players and staff are shown by the one that leads."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.leader = Program(data)
        self.standby = Program(data)

    def now(self) -> datetime:
        """The time on the clock of the house."""
        return datetime.now(UTC) + timedelta(seconds=self.leader.ahead_s)

    def operator(self) -> str:
        """Make the keys, and return the public one that the witness must know."""
        typed = [sys.executable, "-m", "api.keys", "--data", str(self.data)]
        made = subprocess.run(typed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        found = re.search("for the witness and for auditors: ([0-9a-f]{64})", made)
        assert found is not None
        return found[1]

    def know(self, *witnesses: Witness) -> None:
        """Take the first witness, and former ones for what they have left to draw."""
        setting = ",".join(witness.setting() for witness in witnesses)
        for program in (self.leader, self.standby):
            program.settings["FAIRDRAW_WITNESS"] = setting

    def fail_over(self) -> None:
        """Kill the leader; a standby takes over."""
        self.standby.launch()
        until(lambda: role(self.standby) == "standby")
        self.leader.kill(postgres=False)
        self.leader, self.standby = self.standby, self.leader
        until(lambda: role(self.leader) == "leading")

    def newest(self) -> dict[int, str]:
        """The newest round of each game that has one on sale."""
        rooms = ({"game_id": game, "plan_id": 9 * (game - 1) + 1} for game in GAMES)
        hearts = [self.leader.call("Lottery/heart", room) for room in rooms]
        found = {game: it["issue"] for game, it in zip(GAMES, hearts, strict=True)}
        return {
            game: str(issue["issue"])
            for game, issue in found.items()
            if issue and not issue["whether_close"]
        }

    def proof(self, round_: Round) -> dict[str, Any]:
        """What everyone is shown of a round."""
        game, issue = round_
        found: dict[str, Any] = self.leader.call("Lottery/proof", {"game_id": game, "issue": issue})
        return found

    def office(self, typed: str) -> str:
        """The output of a command of `scripts/office`."""
        output: str = cli.run(cli.read([*typed.split(), "--data", str(self.data)]))
        return output

    def undrawn(self) -> dict[Round, dict[str, Any]]:
        """The rounds that staff are shown as overdue."""
        client = OfficeClient(self.data, "ann", "")
        rows = client.request("undrawnRounds", {})["data"]
        return {(row["game_id"], row["issue"]): row for row in rows}

    def void(self, round_: Round, reason: str) -> None:
        """Two managers agree to void the round."""
        game, issue = round_
        self.office(f"void-round {game} {issue} --reason {reason} --as ann")
        self.office(f"agree-void {self.undrawn()[round_]['void']['id']} --as ben")

    def audits(self, *typed: str) -> str:
        """The output of a command of `scripts/audit` that found nothing wrong."""
        command = [sys.executable, "-m", "scripts.audit_tool", *typed, "--data", str(self.data)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture
def machines() -> Iterator[Machines]:
    with two_machines() as made:
        yield made


@pytest.fixture
def house(data_dir: Path) -> Iterator[House]:
    found = House(data_dir)
    with found.leader, found.standby:
        yield found


@contextmanager
def witness_of(house: House, machines: Machines, number: int, logs: Path) -> Iterator[Witness]:
    """A witness, not started, with a user of its own and a folder next to the house's."""
    folder = house.data.with_name(f"{house.data.name}-witness-{number}")
    console = logs / f"witness-{number}.log"
    witness = Witness(machines, folder, USER + number, PORT + number, console)
    try:
        yield witness
    finally:
        witness.kill()
        shutil.rmtree(folder)


def role(program: Program) -> str:
    """What a server says it is; empty if it does not answer."""
    try:
        return str(program.http.get("/readyz").json()["role"])
    except httpx.TransportError:
        return ""


def sold(house: House, seen: dict[int, str]) -> list[Round]:
    """The first round of each game that is on sale from now on, and is not one of those seen."""
    found: dict[int, str] = {}

    def all_sell() -> bool:
        new = {game: issue for game, issue in house.newest().items() if issue != seen.get(game)}
        found.update({**new, **found})
        return found.keys() == {*GAMES}

    until(all_sell)
    return [*found.items()]


def drawn_next(house: House) -> dict[Round, dict[str, Any]]:
    """The proofs of the next round of each game, once they are settled."""
    rounds = sold(house, house.newest())
    until(lambda: all(house.proof(each)["state"] == "settled" for each in rounds))
    return {each: house.proof(each) for each in rounds}


def drawn_by(witness: Witness, house: House) -> dict[Round, dict[str, Any]]:
    """The proofs of the next rounds, which this witness drew and no one calls self-witnessed."""
    proofs = drawn_next(house)
    for proof in proofs.values():
        assert proof["self_witnessed"] is False
        assert proof["day"]["record"]["witness_key"] == witness.public()
    return proofs


def overdue_with_bets(house: House) -> list[Round]:
    """The overdue rounds on which players bet, once there is one of each game."""
    until(lambda: {game for (game, _), row in house.undrawn().items() if row["bets"]} == {*GAMES})
    return [round_ for round_, row in house.undrawn().items() if row["bets"]]


def is_undrawn(proof: dict[str, Any]) -> bool:
    return (proof["state"], proof["secrets"], proof["drawn"]) == ("closed", None, None)


def waits_for_witness(house: House, issue: str) -> bool:
    """Whether staff are shown that the round waits for its witness."""
    listed = house.office("undrawn --as ann")
    return re.search(rf"{issue} .* waits for its witness", listed) is not None


def rounds_wait(house: House, gone: Callable[[], None], back: Callable[[], None]) -> None:
    """Sales go on while the witness is away; then each round is drawn for what was frozen."""
    gone()
    before = {each: house.proof(each) for each in overdue_with_bets(house)}
    assert all(is_undrawn(proof) for proof in before.values())
    until(lambda: all(waits_for_witness(house, issue) for _, issue in before))
    assert sold(house, house.newest())
    back()
    until(lambda: all(house.proof(each)["state"] == "settled" for each in before))
    for each, proof in before.items():
        after = house.proof(each)
        assert (after["frozen"], after["day"]) == (proof["frozen"], proof["day"])


def restored(house: House, witness: Witness, copy: Path) -> list[Round]:
    """Yesterday's copy does not know the day. Returns the rounds that no one can draw any more."""
    witness.kill()
    overdue_with_bets(house)
    witness.restore(copy)
    witness.start(house.operator())
    known = {round_[0]: proof["day"] for round_, proof in drawn_by(witness, house).items()}
    proofs = {each: house.proof(each) for each in house.undrawn()}
    lost = {each: proof for each, proof in proofs.items() if proof["day"] != known[each[0]]}
    assert {game for game, _ in lost} == {*GAMES}
    assert all(is_undrawn(proof) for proof in lost.values())
    return [*lost]


def before_a_days_end(house: House, witnesses: list[Witness], copy: Path) -> tuple[str, datetime]:
    """Start all on a clock on which a draw day is about to end, and copy the first witness's files.

    A start that lasts until the day has ended is repeated before the next one's end, with more
    time. Returns the day as yyyymmdd, and its end.
    """
    for attempt in range(1, ATTEMPTS + 1):
        left = attempt * FIRST_DAY
        end = house.now().replace(hour=2, minute=0, second=0)  # 10:00 in Singapore
        end += timedelta(days=1) if end < house.now() + left else timedelta()
        shift_s = int((end - house.now() - left).total_seconds())
        programs: list[Program | Witness] = [house.leader, house.standby, *witnesses]
        for program in programs:
            program.ahead_s += shift_s
        for witness in witnesses:
            witness.start(house.operator())
        house.leader.start()
        until(lambda: bool(day_on_sale(house)))
        day = day_on_sale(house)
        witnesses[0].keep_copy(copy)
        if day and house.now() < end:
            return day, end
        assert house.leader.interrupt() == 0
        for witness in witnesses:
            witness.kill()
        shutil.rmtree(copy)
    raise TimeoutError


def a_whole_day_is_drawn(house: House, machines: Machines, witness: Witness) -> None:
    """Each game draws as many rounds as a day has; the witness is killed and cut off meanwhile."""
    faults = [
        (witness.kill, lambda: witness.start(house.operator())),
        (machines.disconnect, machines.reconnect),
    ] * 3
    while (drawn := rounds_drawn(house)) < ROUNDS_A_DAY:
        if faults and drawn > ROUNDS_A_DAY * (7 - len(faults)) // 7:
            rounds_wait(house, *faults.pop())
        drawn_by(witness, house)
    assert not faults


def rounds_drawn(house: House) -> int:
    """How many rounds were drawn in the game that drew the fewest."""
    drawn = Counter(
        each.fact.game for each in house.leader.facts() if isinstance(each.fact, RoundDrawn)
    )
    return min(drawn[game] for game in GAMES)


def replaced(house: House, former: Witness, another: Witness) -> None:
    """Restart both sides half an hour later, with another witness before the former one."""
    assert house.leader.interrupt() == 0
    former.kill()
    for each in (house.leader, house.standby, former, another):
        each.ahead_s += MORE_THAN_HALF_AN_HOUR_S
    former.start(house.operator())
    another.kill()
    another.start(house.operator())
    house.know(another, former)
    house.leader.start()


def is_void_as_unknown_to_the_witness(house: House, round_: Round) -> bool:
    """Whether everyone is shown that the round was voided, why, and what the witness answered."""
    voided = house.proof(round_)["voided"]
    shown = ("unattested", "day_unknown", "restored")
    return voided is not None and (voided["status"], voided["answer"], voided["reason"]) == shown


def next_day_opens(house: House, yesterday: str, end: datetime) -> None:
    """Returns once every game sells a round of a later day than the one that ends then."""
    left_s = max(0.0, (end - house.now()).total_seconds())
    until(lambda: yesterday < day_on_sale(house), left_s + DEADLINE_S)


def survive(house: House, machines: Machines, witness: Witness, copy: Path) -> list[Round]:
    """What can happen to a witness; returns the rounds that could not be drawn."""
    rounds_wait(house, witness.kill, lambda: witness.start(house.operator()))
    rounds_wait(house, machines.disconnect, machines.reconnect)
    house.fail_over()
    drawn_by(witness, house)
    return restored(house, witness, copy)


def day_on_sale(house: House) -> str:
    """The draw day, yyyymmdd, of which every game sells a round; empty while there is none."""
    newest = house.newest()
    days = {issue[:8] for issue in newest.values()}
    return days.pop() if len(days) == 1 and newest.keys() == {*GAMES} else ""


def every_end_is_shown(house: House, facts: list[RecordedFact], lost: list[Round]) -> None:
    """Only these rounds were voided, and the staff and the auditors see them and nothing else."""
    returned = [each.fact for each in facts if isinstance(each.fact, StakesReturned)]
    assert {(fact.game, fact.issue) for fact in returned} == {*lost}
    causes = {each.fact.cause for each in facts if isinstance(each.fact, SegmentLeft)}
    assert causes == {"day_unknown"}
    assert house.office("undrawn --as ann") == "no overdue draws"
    noted = audit(facts)
    for game, issue in lost:
        assert any(f"game {game} round {issue} voided, unattested" in note for note in noted)
    house.audits("check")
    house.audits("log")


@pytest.mark.parametrize("whole_day", [False, pytest.param(True, marks=pytest.mark.long)])
def test_no_round_is_lost_and_no_stake_is_kept(
    house: House, machines: Machines, tmp_path: Path, whole_day: bool
) -> None:
    notes = tmp_path / "notes"
    with (
        witness_of(house, machines, 1, tmp_path) as witness,
        witness_of(house, machines, 2, tmp_path) as another,
    ):
        house.know(witness)
        copy = tmp_path / "copy"
        yesterday, end = before_a_days_end(house, [witness, another], copy)
        with players(house.leader, house.standby, notes=notes, pause_s=PAUSE_S):
            drawn_by(witness, house)
            # A day opens with both signatures: a witness that is away then would stop the sales.
            next_day_opens(house, yesterday, end)
            if whole_day:
                a_whole_day_is_drawn(house, machines, witness)
            lost = survive(house, machines, witness, copy)
            for round_ in lost:
                house.void(round_, "restored")
            replaced(house, witness, another)
            until(lambda: all(is_void_as_unknown_to_the_witness(house, it) for it in lost))
            drawn_by(another, house)
        records = read_records(notes)
        facts = completed(house.leader, {each.player for each in records})
        matches_log(house.leader, records, facts)
        every_end_is_shown(house, facts, lost)
        for each in (witness, another):
            listed = tmp_path / "listed.jsonl"
            listed.write_text(each.output_of("list"))
            house.audits("fairness", "--witness-list", str(listed))
