"""Invariants at the end of a business day: all books agree, every command is answered.

Every draw of the day is verified as a player could: only with `engine.fairness.verify`.
"""

from collections import Counter

from engine.catalogue import GAMES
from engine.facts import RecordedFact, player_stream
from engine.fairness.verify import verify_round
from engine.house.facts import DayOpened
from engine.ledger import postings
from engine.rounds.facts import RoundClosed, RoundDrawn
from engine.runtime.writer.startup import recover
from engine.sandbox import published_round
from engine.schedule import Slot, rounds_on, slot
from tests.instruments.simulator.oracle import check
from tests.instruments.simulator.simulated_server import SimulatedServer


def check_day(server: SimulatedServer, date: str, after: int) -> None:
    """Check all invariants over the whole log. Raises InvariantViolation if one is false.

    The day's own facts come after position `after`.
    """
    _check_all_answered(server, date)
    check_draws(server, after)
    _check_ledger(server)
    _check_recovery(server)


def _check_all_answered(server: SimulatedServer, date: str) -> None:
    oracle = server.checks.oracle
    check(
        not oracle.unfinished_rounds(),
        "a round is unfinished when the day is over",
        oracle.unfinished_rounds(),
    )
    check(not oracle.bets, "a bet is open when the day is over", oracle.bets)
    last = rounds_on(server.schedule, date)
    for game in GAMES:
        for index in range(oracle.indices[game] + 1, last + 1):
            place = slot(server.schedule, game, date, index)
            check(_was_outage(server, place), "a round was never on sale", place)


def _was_outage(server: SimulatedServer, place: Slot) -> bool:
    """Whether a missing round was in an outage at the day's end; earlier ones have skip facts."""
    return any(
        began < place.closes_at and ended > place.opens_at for began, ended in server.outages
    )


def _check_ledger(server: SimulatedServer) -> None:
    """Sum the ledger again from the first fact, independently of the running sums."""
    checks, accounts = server.checks, Counter[str]()
    for recorded in server.log.facts:
        for leg in postings(recorded):
            accounts[leg.account] += leg.amount_minor
    check(accounts.total() == 0, "the trial balance is not zero", accounts.total())
    for name, balances in (("running", checks.ledger), ("oracle's", checks.oracle.accounts)):
        wrong = {each for each in accounts | balances if accounts[each] != balances[each]}
        check(not wrong, f"the {name} ledger is another", sorted(wrong)[:5])
    below = [each for each in accounts if each.startswith("player:") and accounts[each] < 0]
    check(not below, "accounts below zero", below)


def _check_recovery(server: SimulatedServer) -> None:
    """An engine recovered from the log has the same state as the oracle and the running leader."""
    oracle = server.checks.oracle
    fresh = recover(server.log, server.schedule.timezone)
    player_ids = list(oracle.groups)
    facts: list[RecordedFact] = server.log.streams([player_stream(each) for each in player_ids])
    fresh.load_players(player_ids, facts)
    for number, player in fresh.players.items():
        balances = (player.available, player.staked, player.withdrawing, player.bonus)
        check(balances == oracle.balances(number), "a replayed balance is another", player)
    assert server.leader is not None
    running = server.leader.writer.state
    for number, player in running.players.items():
        if number in fresh.players:
            check(player == fresh.players[number], "a replayed player is another", player)
    check(running.games == fresh.games, "a replayed day is another", fresh.games)
    check(running.house == fresh.house, "a replayed office is another", fresh.house)
    for snapshot in server.snapshots.stored.values():
        wrong = server.snapshots.difference(snapshot, server.schedule.timezone)
        check(wrong is None, "a kept state is not what the log leads to", wrong)


def check_draws(server: SimulatedServer, after: int) -> None:
    """Verify the draws after position `after`, whose days were also opened after it."""
    days: dict[tuple[int, str], DayOpened] = {}
    closes: dict[tuple[int, str], RoundClosed] = {}
    for recorded in server.log.facts[after:]:
        match recorded.fact:
            case DayOpened() as opened:
                days[opened.game, opened.day] = opened
            case RoundClosed() as closed:
                closes[closed.game, closed.issue] = closed
            case RoundDrawn() as drawn:
                of_day = days[drawn.game, drawn.day]
                _check(server, of_day, closes.pop((drawn.game, drawn.issue)), drawn)
            case _:
                pass


def _check(
    server: SimulatedServer, opened: DayOpened, closed: RoundClosed, drawn: RoundDrawn
) -> None:
    published = published_round(opened, closed, drawn)
    found = verify_round(server.key.public, server.witness.public, published)
    wrong = [finding.check for finding in found if not finding.passed]
    check(not wrong, "a draw that cannot be verified", wrong, drawn)
