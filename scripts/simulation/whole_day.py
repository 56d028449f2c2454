"""What must hold when a business day is over: all books whole, everything answered."""

from collections import Counter

from engine.catalogue import GAMES
from engine.facts import Recorded, player_stream
from engine.ledger import postings
from engine.runtime.recovery import recover
from engine.schedule import Slot, rounds_on, slot
from scripts.simulation.house import House
from scripts.simulation.proofs import check_draws
from scripts.simulation.tally import demand


def check_day(house: House, date: str, after: int) -> None:
    """All invariants over the whole log; Broken where one does not hold.

    The day's own facts stand behind position `after`.
    """
    _everything_is_answered(house, date)
    check_draws(house, after)
    _ledger_is_whole(house)
    _log_leads_to_the_state(house)


def _everything_is_answered(house: House, date: str) -> None:
    tally = house.audit.tally
    demand(not tally.owed(), "a round is owed when the day is over", tally.owed())
    demand(not tally.bets, "a bet stands when the day is over", tally.bets)
    last = rounds_on(house.schedule, date)
    for game in GAMES:
        for index in range(tally.indices[game] + 1, last + 1):
            place = slot(house.schedule, game, date, index)
            demand(_nobody_was_there(house, place), "a round was never on sale", place)


def _nobody_was_there(house: House, place: Slot) -> bool:
    """The last rounds of a day in which the house was away; earlier ones are skipped aloud."""
    return any(
        began < place.closes_at and ended > place.opens_at for began, ended in house.absences
    )


def _ledger_is_whole(house: House) -> None:
    """Summed up again from the first fact, as if nobody had kept count."""
    audit, accounts = house.audit, Counter[str]()
    for recorded in house.log.facts:
        for leg in postings(recorded):
            accounts[leg.account] += leg.amount_minor
    demand(accounts.total() == 0, "the trial balance is not zero", accounts.total())
    for name, kept in (("kept", audit.ledger), ("tally's", audit.tally.accounts)):
        wrong = {each for each in accounts | kept if accounts[each] != kept[each]}
        demand(not wrong, f"the {name} ledger is another", sorted(wrong)[:5])
    below = [each for each in accounts if each.startswith("player:") and accounts[each] < 0]
    demand(not below, "accounts below zero", below)


def _log_leads_to_the_state(house: House) -> None:
    """A new start from the log knows what the tally and the running leader know."""
    tally = house.audit.tally
    fresh = recover(house.log, house.schedule.timezone)
    everybody = list(tally.groups)
    facts: list[Recorded] = house.log.streams([player_stream(each) for each in everybody])
    fresh.load_players(everybody, facts)
    for number, player in fresh.players.items():
        held = (player.available, player.staked, player.withdrawing, player.bonus)
        demand(held == tally.held(number), "a replayed balance is another", player)
    assert house.leader is not None
    running = house.leader.writer.world
    for number, player in running.players.items():
        if number in fresh.players:
            demand(player == fresh.players[number], "a replayed player is another", player)
    demand(running.games == fresh.games, "a replayed day is another", fresh.games)
    demand(running.office == fresh.office, "a replayed office is another", fresh.office)
    for snapshot in house.snapshots.kept.values():
        wrong = house.snapshots.difference(snapshot, house.schedule.timezone)
        demand(wrong is None, "a kept state is not what the log leads to", wrong)
