"""What players write in the halls, and how staff moderate it."""

from typing import Final

from engine.chat.commands import MutePlayer, RemoveFromChat, SayInChat, UnmutePlayer
from tests.instruments.simulator.actions_bets import bets
from tests.instruments.simulator.population import Population, SimulatedPlayer
from tests.instruments.simulator.simulated_loop import HOUR, MINUTE, SECOND, pause

_UNKNOWN_MESSAGE: Final = "unheard-of"


async def chats(population: Population, member: SimulatedPlayer, game: int) -> None:
    """Sends a few messages, sometimes in an unknown hall, twice, or as a muted player."""
    for _ in range(population.rng.randint(1, 3)):
        plan = game * 9 - population.rng.choice((8, 8, 8, 7, 0)) if population.likely(0.95) else 99
        await population.do(member, SayInChat(member.id, plan, population.key(), "commitment"))
    if population.likely(0.3):
        await population.send(member, member.recent_commands[-1])
    await bets(population, member, game)


async def moderates(population: Population, member: SimulatedPlayer, _: int) -> None:
    """Removes messages, mutes their authors for a time or permanently, and unmutes some."""
    settings, rng = population.server.checks.oracle.settings, population.rng
    messages = [*settings.messages.items()][-20:] or [
        (_UNKNOWN_MESSAGE, rng.choice(population.members).id)
    ]
    message, player = rng.choice(messages)
    for _ in range(2):
        await population.do(member, RemoveFromChat(player, message, "ann", "reason"))
    span = rng.choice((MINUTE, 20 * MINUTE, HOUR, None, 0, 400 * 24 * HOUR))
    await population.do(member, MutePlayer(player, span, "ann", "reason"))
    await pause(rng.randrange(30 * SECOND))
    for quiet in [player, *settings.muted][:3]:
        if population.likely(0.5):
            await population.do(member, UnmutePlayer(quiet, "bob", "reason"))
