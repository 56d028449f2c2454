"""Who may post in the chat of the rooms, and how staff moderate it. Pure.

Message texts are not examined here: the engine sees only ids and commitments.
"""

from typing import Final, assert_never

from engine.answers import Refused
from engine.catalogue import PLANS
from engine.chat.commands import ChatCommand, MutePlayer, RemoveFromChat, SayInChat, UnmutePlayer
from engine.chat.facts import ChatFact, ChatMuted, ChatRemoved, ChatSaid, ChatUnmuted
from engine.players.commands import MEMBER
from engine.players.profile import FOR_GOOD
from engine.players.state import Player
from engine.refusals import Refusal
from engine.terms import DAY_US

MAX_MUTE_US: Final = 366 * DAY_US
Decided = list[ChatFact] | Refused


def decide(command: ChatCommand, player: Player, now: int) -> Decided:
    """Returns the command's facts; one that changes nothing yields no facts."""
    if not player.registered:
        return Refused(Refusal.PLAYER_UNKNOWN, "player")
    match command:
        case SayInChat():
            return _submit_message(command, player, now)
        case RemoveFromChat():
            return _remove(command, player)
        case MutePlayer():
            return _mute(command, player, now)
        case UnmutePlayer(by=by, reason_commitment=reason):
            return [ChatUnmuted(by, reason)] if now < player.chat.muted_until else []
        case _ as never:
            assert_never(never)


def _submit_message(command: SayInChat, player: Player, now: int) -> Decided:
    refused = _may_speak(player, now)
    if refused is not None:
        return Refused(refused)
    if command.plan not in PLANS:
        return Refused(Refusal.PLAN_UNKNOWN, "plan_id")
    if player.chat.hall_of(command.message) is not None:
        return []
    return [ChatSaid(command.message, command.plan, command.commitment)]


def _may_speak(player: Player, now: int) -> Refusal | None:
    if player.group != MEMBER:
        return Refusal.MUST_REGISTER
    if player.profile.is_blocked(now):
        return Refusal.EXCLUDED
    if player.profile.closed:
        return Refusal.ACCOUNT_CLOSED
    return Refusal.MUTED if now < player.chat.muted_until else None


def _remove(command: RemoveFromChat, player: Player) -> Decided:
    plan = player.chat.hall_of(command.message)
    if plan is None:
        return Refused(Refusal.CHAT_MESSAGE_UNKNOWN, "id")
    return [ChatRemoved(command.message, plan, command.by, command.reason_commitment)]


def _mute(command: MutePlayer, player: Player, now: int) -> Decided:
    span = command.span_us
    if span is None:
        muted = player.chat.muted_until == FOR_GOOD
        return [] if muted else [ChatMuted(None, command.by, command.reason_commitment)]
    if not 0 < span <= MAX_MUTE_US:
        return Refused(Refusal.PERIOD_INVALID, "hours")
    return [ChatMuted(now + span, command.by, command.reason_commitment)]
