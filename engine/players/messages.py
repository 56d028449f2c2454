"""Messages from staff to one member, recorded in the member's stream. Pure."""

from engine.answers import Refused
from engine.players.commands import MessageCommand, SendMessage
from engine.players.facts import MessageSent, MessageWithdrawn
from engine.players.state import Player
from engine.refusals import Refusal


def decide(
    command: MessageCommand, player: Player
) -> list[MessageSent | MessageWithdrawn] | Refused:
    """Returns the command's facts; a message is sent once and never changed."""
    if not player.registered:
        return Refused(Refusal.PLAYER_UNKNOWN, "player")
    exists = command.message in player.profile.messages
    if isinstance(command, SendMessage):
        sent = MessageSent(command.message, command.commitment, command.by)
        return [] if exists else [sent]
    if not exists:
        return Refused(Refusal.CONTENT_UNKNOWN, "id")
    return [MessageWithdrawn(command.message, command.by)]
