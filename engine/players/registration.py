"""Registration: a player joins as a member or as a guest. Pure."""

from engine.answers import Refused
from engine.cashier.facts import DepositApproved
from engine.players.commands import GUEST, MEMBER, RegisterPlayer
from engine.players.facts import PlayerFact, PlayerRegistered
from engine.players.state import Player
from engine.refusals import Refusal


def register(command: RegisterPlayer, player: Player) -> list[PlayerFact] | Refused:
    """Join once: a player who is there already yields no facts."""
    if command.group not in {MEMBER, GUEST}:
        return Refused(Refusal.GROUP_UNKNOWN, "group_id")
    if player.registered:
        return []
    joined = PlayerRegistered(command.group, command.inviter, command.bot, command.name_commitment)
    if not command.gift_minor:
        return [joined]
    gift = DepositApproved(f"demo-{command.player}", "demo", command.gift_minor, "")
    return [joined, gift]
