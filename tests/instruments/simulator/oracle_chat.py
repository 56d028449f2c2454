"""The oracle's rules for the chat: who may write, and which messages can be removed."""

from typing import Final

from tests.instruments.simulator.oracle import LogRecord, Oracle, Rule, check

_FOR_GOOD: Final = 1 << 62
_HALLS: Final = range(1, 37)


def _message_sent(oracle: Oracle, record: LogRecord) -> None:
    settings, player, message = oracle.settings, record.player, record.fact["message"]
    check(oracle.groups[player] == 1, "a guest speaks", record)
    check(
        record.at >= max(settings.blocked_until.get(player, (0, 0))),
        "an excluded player writes",
        record,
    )
    check(player not in settings.closed, "a closed player writes", record)
    check(record.at >= settings.muted.get(player, 0), "a muted player writes", record)
    check(record.fact["plan"] in _HALLS, "a message in no hall", record)
    check(message not in settings.messages, "a message is said twice", record)
    settings.messages[message] = player


def _removed(oracle: Oracle, record: LogRecord) -> None:
    message = record.fact["message"]
    is_present = oracle.settings.messages.pop(message, None) == record.player
    check(is_present, "a message is removed that does not stand", record)


def _muted(oracle: Oracle, record: LogRecord) -> None:
    until = record.fact["until"] or _FOR_GOOD
    check(until > record.at, "a mute is over before it begins", record)
    oracle.settings.muted[record.player] = until


def _unmuted(oracle: Oracle, record: LogRecord) -> None:
    check(
        oracle.settings.muted.pop(record.player, 0) > record.at,
        "a player who is not muted is unmuted",
        record,
    )


RULES: Final[dict[str, Rule]] = {
    "chat-said.1": _message_sent,
    "chat-removed.1": _removed,
    "chat-muted.1": _muted,
    "chat-unmuted.1": _unmuted,
}
