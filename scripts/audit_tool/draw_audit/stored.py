"""The facts on which a draw depends, as the log stores them."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

import psycopg

Connection = psycopg.Connection[tuple[Any, ...]]
Row = tuple[int, str, int, str, bytes]
"""Position, stream, time in microseconds, topic, and the content."""

_PAGE: Final = 5_000
_MAX_INTEGER: Final = 2**53 - 1
_DIGITS: Final = 3
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_EARLIEST: Final = timedelta(hours=15)  # a day begins 14 hours earlier in the first time zone
_is_hash: Final = re.compile(r"[0-9a-f]{64}").fullmatch
_is_signature: Final = re.compile(r"[0-9a-f]{128}").fullmatch
_is_salt: Final = re.compile(r"[0-9a-f]{32}").fullmatch


class FactMalformed(Exception):  # noqa: N818 - a finding, not a failure of this program
    """A fact lacks a field, or a field has a value that it cannot have."""


class AuditedFact(NamedTuple):
    """A fact of the log: its place, and its fields by name."""

    position: int
    stream: str
    at: int
    topic: str
    fields: Mapping[str, Any]


def _is_text(value: object) -> bool:
    return type(value) is str and (value.isascii() or _is_encodable(value))


def _is_encodable(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_number(value: object) -> bool:
    return type(value) is int and 0 <= value <= _MAX_INTEGER


def _is(pattern: Callable[[str], object]) -> Callable[[object], bool]:
    return lambda value: type(value) is str and pattern(value) is not None


def _or_empty(check: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: value == "" or check(value)


def _is_digits(value: object) -> bool:
    return (
        type(value) is list
        and len(value) == _DIGITS
        and all(type(each) is int and each in range(10) for each in value)
    )


def _are_stakes(value: object) -> bool:
    return type(value) is dict and all(
        kind.isascii() and _is_number(stake) for kind, stake in value.items()
    )


def _are_texts(value: object) -> bool:
    return type(value) is list and all(map(_is_text, value))


def _is_schedule(value: object) -> bool:
    if type(value) is not dict or value.keys() != {*_SCHEDULE, "timezone"}:
        return False
    numbers = all(_is_number(value[name]) for name in _SCHEDULE)
    return numbers and bool(value["round_us"]) and _is_text(value["timezone"])


_SCHEDULE: Final = (
    *("rounds", "round_us", "close_us", "stagger_us", "opens_minute_of_day", "day_us"),
)
_HASH: Final = _is(_is_hash)
_SIGNATURE: Final = _is(_is_signature)
_TEXT, _NUMBER = _is_text, _is_number
_BET: Final = {"bet": _TEXT, "game": _NUMBER, "issue": _TEXT}
_STAKE: Final = {"stake_minor": _NUMBER, "bonus_minor": _NUMBER}
_ROUND: Final = {"game": _NUMBER, "day": _TEXT, "index": _NUMBER, "issue": _TEXT}
_LINKS: Final = {"operator_secret": _HASH, "witness_secret": _HASH}
_TOTALS: Final = {"game": _NUMBER, "issue": _TEXT, "count": _NUMBER, "stake_minor": _NUMBER}

_FIELDS: Final[Mapping[str, Mapping[str, Callable[[object], bool]]]] = {
    "day-opened.1": {
        **dict.fromkeys(("game", "segment", "first", "rounds", "shift"), _NUMBER),
        **dict.fromkeys(("day", "date", "odds_table", "beacon"), _TEXT),
        "schedule": _is_schedule,
        **dict.fromkeys(("odds_hash", "rules_hash", "operator_key", "witness_key"), _HASH),
        "program_hash": _or_empty(_HASH),
        **dict.fromkeys(("operator_commitment", "witness_commitment"), _HASH),
        **dict.fromkeys(("operator_signature", "witness_signature"), _SIGNATURE),
    },
    "rounds-skipped.1": {
        **dict.fromkeys(("game", "first", "last"), _NUMBER),
        "day": _TEXT,
        **_LINKS,
    },
    "segment-left.1": {"game": _NUMBER, "day": _TEXT, "cause": _TEXT},
    "rounds-carried.1": {"game": _NUMBER, "day": _TEXT, "issues": _are_texts},
    "receipts-signed.1": {"size": _NUMBER, "head": _HASH, "signature": _SIGNATURE},
    "round-opened.1": {
        **_ROUND,
        **dict.fromkeys(("opens_at", "closes_at", "draws_at"), _NUMBER),
        "odds_table": _TEXT,
    },
    "round-closed.1": {
        **_ROUND,
        **dict.fromkeys(("closes_at", "count", "stake_minor"), _NUMBER),
        "stakes": _are_stakes,
        **dict.fromkeys(("bets", "prev", "frozen"), _HASH),
        "signature": _SIGNATURE,
    },
    "round-drawn.1": {
        **_ROUND,
        **_LINKS,
        "frozen": _HASH,
        "digits": _is_digits,
        "total": _NUMBER,
        **dict.fromkeys(("operator_signature", "witness_signature"), _SIGNATURE),
    },
    "round-settled.1": {**_TOTALS, "payout_minor": _NUMBER},
    "round-voided.1": {
        **_TOTALS,
        "reason": _TEXT,
        "witness_signature": _SIGNATURE,
        "index": _NUMBER,
        **_LINKS,
    },
    "void-ruled.1": {
        **_ROUND,
        **dict.fromkeys(("status", "reason", "proposed_by", "agreed_by", "answer"), _TEXT),
        "witness_signature": _or_empty(_SIGNATURE),
        **{name: _or_empty(_HASH) for name in _LINKS},
    },
    "stakes-returned.1": _TOTALS,
    "witness-answered-late.1": {
        **_ROUND,
        **dict.fromkeys(("statement", "answer"), _TEXT),
        "witness_signature": _or_empty(_SIGNATURE),
        "witness_secret": _or_empty(_HASH),
    },
    "bet-placed.1": {
        **_BET,
        "kind": _TEXT,
        **_STAKE,
        "odds_milli": _NUMBER,
        "odds_table": _TEXT,
        "closes_at": _NUMBER,
        "salt": _is(_is_salt),
    },
    "bet-recalled.1": {**_BET, **_STAKE},
    "bet-settled.1": {
        **_BET,
        "total": _NUMBER,
        **_STAKE,
        **dict.fromkeys(("payout_minor", "payout_bonus_minor"), _NUMBER),
    },
    "bet-voided.1": {**_BET, **_STAKE},
}
TOPICS: Final = tuple(_FIELDS)
_JSON: Final = json.JSONDecoder()

_IS_OURS: Final = "notification_id > %s AND notification_id <= %s AND topic = ANY(%s)"
_READ: Final = (
    "SELECT notification_id, originator_id, at, topic, state FROM log.facts"
    f" WHERE {_IS_OURS} ORDER BY notification_id"
)
_COUNT: Final = f"SELECT count(*) FROM log.facts WHERE {_IS_OURS}"
_LAST: Final = "SELECT coalesce(max(notification_id), 0) FROM log.facts"
_AT: Final = "SELECT at FROM log.facts WHERE notification_id >= %s ORDER BY notification_id LIMIT 1"
_BOTS: Final = (
    "SELECT originator_id FROM log.facts WHERE topic = 'player-registered.1'"
    " AND position('\"bot\":true'::bytea IN state) > 0"
)


class _Fields(NamedTuple):
    """The fields of a topic, by how they are checked. A call for each of them takes half a read."""

    numbers: tuple[str, ...]
    texts: tuple[str, ...]
    others: tuple[tuple[str, Callable[[object], bool]], ...]

    @classmethod
    def of(cls, checks: Mapping[str, Callable[[object], bool]]) -> "_Fields":
        return cls(
            tuple(name for name, check in checks.items() if check is _NUMBER),
            tuple(name for name, check in checks.items() if check is _TEXT),
            tuple(
                (name, check)
                for name, check in checks.items()
                if check is not _NUMBER and check is not _TEXT
            ),
        )

    def are_valid(self, fields: Mapping[str, Any]) -> bool:
        """Whether all fields exist and have values that they can have."""
        try:
            for name in self.numbers:
                value = fields[name]
                if type(value) is not int or not 0 <= value <= _MAX_INTEGER:
                    return False
            for name in self.texts:
                value = fields[name]
                if type(value) is not str or not (value.isascii() or _is_encodable(value)):
                    return False
            for name, check in self.others:
                if not check(fields[name]):
                    return False
        except KeyError:
            return False
        return True


_BY_CHECK: Final = {topic: _Fields.of(checks) for topic, checks in _FIELDS.items()}


def read(row: Row) -> AuditedFact:
    """Returns a fact with its fields checked.

    Raises:
        FactMalformed: it lacks a field, or a field has a value that it cannot have.
    """
    position, stream, at, topic, state = row
    try:
        fields = _decoded(state.decode())
    except (ValueError, RecursionError) as error:
        raise FactMalformed(f"{topic} is not JSON: {error}") from None
    if type(fields) is not dict:
        raise FactMalformed(f"{topic} is not an object")
    if not isinstance(fields.get("beacon", ""), str | dict):
        raise FactMalformed(f"{topic} has {fields['beacon']!r:.80} as beacon")
    if not _BY_CHECK[topic].are_valid(fields):
        raise FactMalformed(f"{topic} {_invalid(topic, fields)}")
    return AuditedFact(position, stream, at, topic, fields)


def _decoded(text: str) -> Any:
    """Returns a JSON value. Raises ValueError if the text has none, or anything else."""
    try:
        value, end = _JSON.raw_decode(text)
    except ValueError:
        value, end = None, -1
    # `decode` accepts white space around a value. It takes twice the time to look for it.
    return value if end == len(text) else _JSON.decode(text)


def _invalid(topic: str, fields: Mapping[str, Any]) -> str:
    """Describes the first field that is missing or has a value that it cannot have."""
    for name, check in _FIELDS[topic].items():
        if name not in fields:
            return f"has no {name}"
        if not check(fields[name]):
            return f"has {fields[name]!r:.80} as {name}"
    raise AssertionError(topic)


def rows(connection: Connection, after: int, until: int) -> Iterator[Row]:
    """Yields the facts after one position up to another, read in pages."""
    with connection.cursor("draw_facts") as cursor:
        cursor.itersize = _PAGE
        cursor.execute(_READ, (after, until, list(TOPICS)), binary=True)
        for position, stream, at, topic, state in cursor:
            yield position, stream, at, topic, bytes(state)


def count(connection: Connection, after: int, until: int) -> int:
    """Returns the number of facts that `rows` yields."""
    row = connection.execute(_COUNT, (after, until, list(TOPICS))).fetchone()
    assert row is not None
    return int(row[0])


def last_position(connection: Connection) -> int:
    """Returns the position of the log's last fact, 0 for an empty log."""
    row = connection.execute(_LAST).fetchone()
    assert row is not None
    return int(row[0])


def position_before(connection: Connection, day: str) -> int:
    """Returns a position before the first fact about a draw day (yyyy-mm-dd), near it.

    It is the last of a batch: the facts of a batch have the same time.
    """
    midnight = datetime.fromisoformat(day).replace(tzinfo=UTC)
    begins = (midnight - _EARLIEST - _EPOCH) // timedelta(microseconds=1)
    low, high = 0, last_position(connection) + 1
    while high - low > 1:
        middle = (low + high) // 2
        row = connection.execute(_AT, (middle,)).fetchone()
        if row is not None and row[0] < begins:
            low = middle
        else:
            high = middle
    return low


def bots(connection: Connection) -> frozenset[str]:
    """Returns the streams of the house's bots."""
    return frozenset(stream for (stream,) in connection.execute(_BOTS))
