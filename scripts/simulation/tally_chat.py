"""The tally's rules for the chat: who may speak, and what of it can be taken out."""

from typing import Final

from scripts.simulation.tally import Line, Rule, Tally, demand

_FOR_GOOD: Final = 1 << 62
_HALLS: Final = range(1, 37)


def _said(tally: Tally, line: Line) -> None:
    desk, player, message = tally.desk, line.player, line.fact["message"]
    demand(tally.groups[player] == 1, "a guest speaks", line)
    demand(line.at >= max(desk.out.get(player, (0, 0))), "somebody excluded speaks", line)
    demand(player not in desk.closed, "somebody closed speaks", line)
    demand(line.at >= desk.muted.get(player, 0), "somebody muted speaks", line)
    demand(line.fact["plan"] in _HALLS, "somebody speaks in no hall", line)
    demand(message not in desk.messages, "a message is said twice", line)
    desk.messages[message] = player


def _removed(tally: Tally, line: Line) -> None:
    message = line.fact["message"]
    stands = tally.desk.messages.pop(message, None) == line.player
    demand(stands, "a message is removed that does not stand", line)


def _muted(tally: Tally, line: Line) -> None:
    until = line.fact["until"] or _FOR_GOOD
    demand(until > line.at, "a mute is over before it begins", line)
    tally.desk.muted[line.player] = until


def _unmuted(tally: Tally, line: Line) -> None:
    demand(tally.desk.muted.pop(line.player, 0) > line.at, "nobody muted is unmuted", line)


RULES: Final[dict[str, Rule]] = {
    "chat-said.1": _said,
    "chat-removed.1": _removed,
    "chat-muted.1": _muted,
    "chat-unmuted.1": _unmuted,
}
