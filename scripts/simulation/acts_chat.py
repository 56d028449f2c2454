"""What members say in the halls, and what staff do about it."""

from typing import Final

from engine.players.chat_commands import MutePlayer, RemoveFromChat, SayInChat, UnmutePlayer
from scripts.simulation.acts_bets import bets
from scripts.simulation.clockwork import HOUR, MINUTE, SECOND, pause
from scripts.simulation.town import Member, Town

_NOT_SAID: Final = "unheard-of"


async def chats(town: Town, member: Member, game: int) -> None:
    """Says a few things, in a hall that is not there now and then, twice or as somebody muted."""
    for _ in range(town.chance.randint(1, 3)):
        plan = game * 9 - town.chance.choice((8, 8, 8, 7, 0)) if town.likely(0.95) else 99
        await town.do(member, SayInChat(member.id, plan, town.key(), "commitment"))
    if town.likely(0.3):
        await town.send(member, member.asked[-1])
    await bets(town, member, game)


async def keeps_order(town: Town, member: Member, _: int) -> None:
    """Takes messages out, mutes who said them, for a time or for good, and lets some speak."""
    desk, chance = town.house.audit.tally.desk, town.chance
    heard = [*desk.messages.items()][-20:] or [(_NOT_SAID, chance.choice(town.members).id)]
    message, player = chance.choice(heard)
    for _ in range(2):
        await town.do(member, RemoveFromChat(player, message, "ann", "reason"))
    span = chance.choice((MINUTE, 20 * MINUTE, HOUR, None, 0, 400 * 24 * HOUR))
    await town.do(member, MutePlayer(player, span, "ann", "reason"))
    await pause(chance.randrange(30 * SECOND))
    for quiet in [player, *desk.muted][:3]:
        if town.likely(0.5):
            await town.do(member, UnmutePlayer(quiet, "bob", "reason"))
