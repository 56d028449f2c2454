"""The mix of actions: the behaviours of players and staff, and how people join.

A new command needs a behaviour in `actions_*.py`; `uncovered` names commands that none sends.
"""

from typing import Any, Final, get_args

from engine.house.commands import OfficeCommand, SetTerms
from engine.money import units
from engine.players.commands import GUEST, MEMBER, PlayerCommand, RegisterPlayer
from tests.instruments.simulator import actions_players, actions_staff
from tests.instruments.simulator.population import Population

BEHAVIOURS: Final = {**actions_players.BEHAVIOURS, **actions_staff.BEHAVIOURS}
STAFF: Final = frozenset(actions_staff.BEHAVIOURS)


def uncovered(commands: Any = PlayerCommand | OfficeCommand) -> list[str]:
    """The commands that no behaviour sends."""
    sent = {command for behaviour in BEHAVIOURS.values() for command in behaviour.sends}
    return sorted(each.__name__ for each in get_args(commands) if each not in sent)


async def arrive(population: Population, nature: str) -> None:
    """A person joins on the first day and gets money to play with; staff do not play."""
    member = population.add(nature, is_staff=nature in STAFF)
    if member.is_staff:
        for by in (nature, "a colleague"):
            await population.do(member, SetTerms(actions_staff.TERMS, by))
        return
    is_guest, is_bot = nature == "looks_round", nature == "plays_by_itself"
    balances = {"strains_the_cap": (2_000_000,), "cashes_out": (400,), "cashes_bonus": (400,)}
    gift = units(population.rng.choice(balances.get(nature, (50, 500, 5_000))))
    join = RegisterPlayer(member.id, MEMBER, None, "first", is_bot, gift)
    guest = RegisterPlayer(member.id, GUEST, None, "first")
    await population.do(member, guest if is_guest else join)
