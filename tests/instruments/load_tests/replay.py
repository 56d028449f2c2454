"""Replays the whole log: decodes and applies every fact, derives and sums every posting."""

import time
from collections import defaultdict
from collections.abc import Sequence

from msgspec import Struct

from engine.bets.facts import BetPlaced, BetRecalled, BetSettled, BetVoided
from engine.catalogue import GAMES
from engine.cow_map import CopyOnWriteMap
from engine.engine_state import apply_bet_to_round
from engine.facts import RecordedFact, player_of
from engine.house import game_day as house
from engine.house.facts import DayOpened, OfficeFact, ProgramChecked, ReceiptsSigned, RoundsSkipped
from engine.house.game_day import GameDay
from engine.ledger import account, postings
from engine.odds import TABLES
from engine.players import state as players
from engine.players.facts import PlayerFact
from engine.players.state import Player
from engine.rounds import state as rounds
from engine.rounds.facts import RoundFact, RoundOpened
from engine.rounds.state import BetBook, Round
from engine.runtime.log.fact_log import FactLog, datastore
from engine.schedule import DEFAULT_TIMEZONE, Calendar
from tests.instruments.load_tests.bench_database import BenchDatabase
from tests.instruments.load_tests.settlement import history
from tests.instruments.load_tests.sizes import Sizes
from tests.instruments.load_tests.workers import NoFigureError, run_worker, serve_worker

_PAGE = 2_000
Merged = BetBook | CopyOnWriteMap[BetPlaced]


class ReplayTask(Struct, frozen=True):
    """The database with the log."""

    conninfo: str


class ReplayResult(Struct, frozen=True):
    """Facts applied and the duration in seconds; the last field names a final mismatch."""

    facts: int
    seconds: float
    mismatch: str


def measure(bench_db: BenchDatabase, sizes: Sizes) -> dict[str, float]:
    """Replay once."""
    conninfo, facts = history(bench_db, sizes)
    result = run_worker(ReplayTask(conninfo), ReplayResult, bench_db.folder / "replay.log")
    if result.facts != facts or result.mismatch:
        raise NoFigureError(f"{result.facts} of {facts} facts replayed; {result.mismatch}")
    return {"replayed_per_second": facts / result.seconds}


class ReplayedState:
    """The state of the whole engine, and the balance of every account."""

    def __init__(self) -> None:
        self.players: dict[int, Player] = {}
        self.rounds: dict[tuple[int, str], Round] = {}
        self.games = {game: GameDay(game) for game in GAMES}
        self.calendar = Calendar(DEFAULT_TIMEZONE)
        self.balances: defaultdict[str, int] = defaultdict(int)

    def apply(self, page: Sequence[RecordedFact]) -> None:
        """Apply the next facts of the log."""
        touched: dict[int, Merged] = {}
        for recorded in page:
            fact = recorded.fact
            if isinstance(fact, PlayerFact):
                self._player(player_of(recorded.stream), fact, recorded.at, touched)
            elif isinstance(fact, RoundFact):
                self._round(fact)
            elif isinstance(fact, DayOpened | RoundsSkipped):
                house.evolve(self.games[fact.game], fact)
            else:
                assert isinstance(fact, ReceiptsSigned | OfficeFact | ProgramChecked)
            for posting in postings(recorded):
                self.balances[posting.account] += posting.amount_minor
        for forked in touched.values():
            forked.merge()

    def _player(self, number: int, fact: PlayerFact, at: int, touched: dict[int, Merged]) -> None:
        player = self.players.get(number)
        if player is None:
            player = self.players[number] = Player(number)
        players.evolve(player, fact, self.calendar.day(at))
        if isinstance(fact, BetPlaced | BetRecalled | BetSettled | BetVoided):
            round_ = self.rounds[fact.game, fact.issue]
            apply_bet_to_round(round_, number, fact, at)
            touched[id(round_)] = round_.book
            touched[id(player)] = player.bets

    def _round(self, fact: RoundFact) -> None:
        if isinstance(fact, RoundOpened):
            self.rounds[fact.game, fact.issue] = Round(fact, TABLES[fact.odds_table])
        rounds.evolve(self.rounds[fact.game, fact.issue], fact)
        house.track_round(self.games[fact.game], fact)

    def mismatch(self) -> str:
        """The mismatch of the players' balances or of the sum of all accounts; or empty."""
        if sum(self.balances.values()):
            return "postings do not sum to zero"
        for player in self.players.values():
            parts = (player.available, player.staked, player.bonus)
            names = ("available", "staked", "bonus")
            ledger = tuple(self.balances[account(player.id, name)] for name in names)
            if ledger != parts:
                return f"player {player.id} holds {parts}, the ledger says {ledger}"
        return ""


def _work(task: ReplayTask) -> ReplayResult:
    store = datastore(task.conninfo)
    log, fold, facts = FactLog(store), ReplayedState(), 0
    began = time.perf_counter()
    while page := log.page(facts, _PAGE):
        fold.apply(page)
        facts = page[-1].position
    seconds = time.perf_counter() - began
    store.close()
    return ReplayResult(facts, seconds, fold.mismatch())


if __name__ == "__main__":
    serve_worker(ReplayTask, _work)
